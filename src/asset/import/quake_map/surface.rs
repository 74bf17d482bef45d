//! Surfaces of a map of Quake III: what their textures say of them, and their triangles.

use crate::asset::MeshPurpose;
use glam::{Vec2, Vec3};

/// Flags of surfaces (`surfaceflags.h` in the published source of the game): the sky, what is not drawn, hints to the compiler, what is no
/// wall.
pub(super) const SKY: u32 = 0x4;
pub(super) const NO_DRAW: u32 = 0x80;
pub(super) const HINT: u32 = 0x100;
pub(super) const SKIP: u32 = 0x200;
pub(super) const NON_SOLID: u32 = 0x4000;
/// What lies behind a surface and stops players: walls, and what is made for that alone.
const SOLID: u32 = 0x1;
const PLAYER_CLIP: u32 = 0x10000;
/// What is seen through.
const TRANSLUCENT: u32 = 0x2000_0000;

/// What a map says of the surfaces with one texture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MapTexture {
    /// In lower case, as packages have names.
    pub name: String,
    pub flags: u32,
    /// What lies behind; 0 where the map does not say.
    pub contents: u32,
}

impl MapTexture {
    /// What its surfaces are there for; `None` of what is neither seen nor stops anything. The sky is no ground.
    pub(super) fn purpose(&self) -> Option<MeshPurpose> {
        if self.flags & (SKY | HINT | SKIP) != 0 {
            return None;
        }
        let may_stop = self.flags & NON_SOLID == 0;
        let stops = may_stop && self.contents & (SOLID | PLAYER_CLIP) != 0;
        if self.flags & NO_DRAW != 0 {
            return stops.then_some(MeshPurpose::SolidOnly);
        }
        let is_solid = stops || may_stop && self.contents == 0;
        Some(if is_solid { MeshPurpose::DrawnAndSolid } else { MeshPurpose::DrawnOnly })
    }

    /// What bodies of it are there for: `None` of those that are seen or stop no player, and of what mappers fill walls with, which is solid and
    /// not see-through. Of bodies the contents alone tell whether they stop players.
    pub(super) fn body_purpose(&self) -> Option<MeshPurpose> {
        let is_unseen = self.flags & NO_DRAW != 0 && self.flags & (SKY | HINT | SKIP) == 0;
        let stops = self.contents & PLAYER_CLIP != 0 || self.contents & (SOLID | TRANSLUCENT) == SOLID | TRANSLUCENT;
        (is_unseen && stops).then_some(MeshPurpose::SolidOnly)
    }
}

/// All surfaces that become one mesh.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SurfaceKey {
    /// The name of their texture.
    pub texture: String,
    pub purpose: MeshPurpose,
}

/// A vertex, Y up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MapVertex {
    pub position: Vec3,
    pub normal: Vec3,
    pub uv: Vec2,
}

/// The triangles of all surfaces that become one mesh.
#[derive(Debug, Default)]
pub(super) struct MapSurface {
    pub vertices: Vec<MapVertex>,
    pub indices: Vec<u32>,
}

impl MapSurface {
    /// Adds a triangle whose front is where its normals point.
    pub(super) fn push(&mut self, corners: [u32; 3]) {
        let [a, b, c] = corners.map(|i| self.vertices[i as usize]);
        let normal = (b.position - a.position).cross(c.position - a.position);
        let is_turned = normal.dot(a.normal + b.normal + c.normal) < 0.0;
        self.indices.extend(if is_turned { [corners[0], corners[2], corners[1]] } else { corners });
    }
}
