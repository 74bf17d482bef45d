//! Cells of octrees: as debug drawing and tests see them, and their octants.

use crate::math::Aabb;
use glam::Vec3;

/// A cell of an octree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OctreeCell {
    /// Its bounds.
    pub bounds: Aabb,
    /// Level below the root.
    pub depth: u32,
    /// Number of items of a leaf; 0 for an inner cell.
    pub items: u32,
}

/// Octant `i` (bit 0 x, bit 1 y, bit 2 z) of a box that is split at `center`.
pub(super) fn octant(bounds: &Aabb, center: Vec3, i: u32) -> Aabb {
    let mut out = *bounds;
    for axis in 0..3 {
        if i >> axis & 1 == 0 {
            out.max[axis] = center[axis];
        } else {
            out.min[axis] = center[axis];
        }
    }
    out
}
