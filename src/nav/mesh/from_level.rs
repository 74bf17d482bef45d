//! Navigation meshes from a level's own triangles, without voxels: the `shared` rule.
//!
//! 1. **Subtraction** ([`subtraction`]): what stands on, hangs over or duplicates a walkable triangle is cut out of it.
//!    Convex pieces remain, disjoint in plan view unless they are different floors.
//! 2. **Conforming** ([`conform`]): corners that nearly coincide become one, corners on edges split them.
//! 3. **Adjacency** ([`adjacency`]): edges of two pieces that face each other within a small gap and a step height open
//!    onto each other, apart from the parts along which walls stand.
//! 4. **Stitching** ([`stitch`]): the ends of openings become vertices. Edges that coincide share them, gaps are
//!    bridged by thin polygons, steps keep their true heights in the mesh's height detail.
//!
//! Points are world space, metres, Y up; "plan" is the view from above, x and z.

mod adjacency;
mod areas;
mod conform;
mod convex;
mod convex_parts;
mod corners;
mod fans;
mod frame;
mod knots;
mod level_grid;
mod obstacles;
mod piece;
mod remainder;
mod shared_sets;
mod stitch;
mod subtraction;
mod surface;
mod vertex_heights;

pub use stitch::LevelMesh;

use super::{MeshError, NavMesh};
use crate::asset::LevelTriangle;
use crate::math::triangle;
use foldhash::{HashSet, HashSetExt};
use glam::Vec3;
use rayon::prelude::*;
use std::borrow::Cow;
use std::hash::BuildHasher;

/// What counts as walkable ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundSettings {
    /// Steepest walkable slope, radians.
    pub slope_rad: f32,
    /// Highest step that can be walked up or down, metres.
    pub step_height: f32,
}

impl Default for GroundSettings {
    fn default() -> Self {
        Self { slope_rad: 40_f32.to_radians(), step_height: 0.4 }
    }
}

/// How much steeper than allowed a face may be whose corner normal says that it is walkable, as a cosine.
const FACE_SLACK: f32 = 1e-3;
/// Smallest width in plan view of a triangle of ground, metres.
const MIN_WIDTH: f32 = 1e-4;

/// Whether a triangle with this normal is flat enough to walk on.
pub fn is_walkable(normal: Vec3, slope_rad: f32) -> bool {
    normal.y >= triangle::min_up(slope_rad)
}

impl LevelMesh {
    /// Makes the mesh of a level. Degenerate triangles are no ground; nothing panics on them. A list that is given away is
    /// gone before the mesh is put together: with it, a large level would take a third more memory.
    pub fn build<'a>(triangles: impl Into<Cow<'a, [LevelTriangle]>>, settings: &GroundSettings) -> Self {
        let triangles = triangles.into();
        let step = if settings.step_height.is_finite() { settings.step_height.max(0.0) } else { 0.0 };
        let is_ground = |t: &LevelTriangle| is_ground(t, settings.slope_rad);
        let mut ground: Vec<bool> = triangles.par_iter().map(is_ground).collect();
        let repeated = find_repeated(&triangles, &ground);
        ground.iter_mut().zip(&repeated).for_each(|(ground, repeated)| *ground &= !repeated);
        let pieces = surface::pieces(&triangles, &ground, &repeated, step);
        let conforming = conform::conform(triangles, pieces, step.into());
        let openings = adjacency::find_openings(&conforming, step);
        stitch::stitch(conforming, openings)
    }

    /// The mesh that queries take, with its heights; an empty one where nothing is walkable.
    ///
    /// # Errors
    /// A fault of the mesh, which would be one of [`LevelMesh::build`].
    pub fn nav_mesh(&self) -> Result<NavMesh, MeshError> {
        if self.mesh.polygons.is_empty() {
            return Ok(NavMesh::default());
        }
        self.mesh.validate()?.with_detail(&self.detail)
    }
}

/// Marks triangles that repeat an earlier one of their kind corner for corner, in any order: they are that one.
fn find_repeated(triangles: &[LevelTriangle], ground: &[bool]) -> Vec<bool> {
    let kind = |i: u32| (triangle::corner_bits(&triangles[i as usize].points), ground[i as usize]);
    let hasher = foldhash::fast::FixedState::default();
    let numbers = 0..triangles.len() as u32;
    let mut hashes: Vec<(u64, u32)> = numbers.into_par_iter().map(|i| (hasher.hash_one(kind(i)), i)).collect();
    hashes.par_sort_unstable();
    let mut repeated = vec![false; triangles.len()];
    for same in hashes.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
        // What has one hash need not be one; what is comes in the order of the triangles.
        let mut seen = HashSet::with_capacity(same.len());
        for &(_, i) in same {
            repeated[i as usize] = !seen.insert(kind(i));
        }
    }
    repeated
}

/// Whether a triangle is ground: its normal and its face are flat enough, and it has an extent in plan view.
fn is_ground(t: &LevelTriangle, slope_rad: f32) -> bool {
    if !is_walkable(t.normal, slope_rad) || !t.points.iter().all(|p| p.is_finite()) {
        return false;
    }
    let Some(face) = triangle::normal(&t.points) else { return false };
    let [a, b, c] = t.points;
    let longest = (b - a).length().max((c - b).length()).max((a - c).length());
    let flat_area = (b - a).cross(c - a).dot(Vec3::Y).abs();
    face.y.abs() >= slope_rad.cos() - FACE_SLACK && flat_area >= longest * MIN_WIDTH
}
