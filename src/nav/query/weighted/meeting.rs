//! What the search from the end and the labels of corners tell of the rest of all paths.

use super::corner_labels::{EndCosts, NearCorner, StartCosts};
use super::path::PathTree;
use super::ways::WayBetween;

/// What the search from the start meets.
#[derive(Debug, Default)]
pub(super) struct Meeting {
    pub(super) starts: StartCosts,
    pub(super) ends: EndCosts,
    /// The paths of the search from the end.
    pub(super) tree: PathTree,
    /// Corners around the start, the nearest first.
    pub(super) near: Vec<NearCorner>,
    /// Corners of the path that was found, those over which labels lead.
    pub(super) middle: Vec<u32>,
    /// The ways between these.
    pub(super) ways: Vec<WayBetween>,
}

impl Meeting {
    /// Forgets the last path.
    pub(super) fn clear(&mut self) {
        self.tree.clear();
        self.middle.clear();
        self.ways.clear();
    }
}
