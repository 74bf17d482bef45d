//! Triangles of a map of Quake III.

use glam::{Vec2, Vec3};

/// A vertex, Y up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MapVertex {
    pub position: Vec3,
    pub normal: Vec3,
    pub uv: Vec2,
}

/// All that is drawn with one texture.
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
