//! A cell of an octree as debug drawing and tests see it.

use crate::math::Aabb;

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
