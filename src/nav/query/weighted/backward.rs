//! What a search over the ways between corners, from the end back to the start, tells of the rest of all paths.

use super::landmarks::TargetCosts;
use super::mesh::WeightedMesh;
use super::path::{CornerState, PathTree};

/// What the search from the end found.
#[derive(Debug, Default)]
pub(super) struct BackwardCosts {
    /// The query of that search, 0 when there was none.
    pub(super) query: u32,
    /// Per corner, as those of the search.
    pub(super) corners: Vec<CornerState>,
    /// Its paths.
    pub(super) tree: PathTree,
    /// Paths from the end to corners that were not reached, or cheaper than `corners` says, cost at least this together with what
    /// paths from there to the start cost by the landmarks.
    pub(super) proven: f64,
    /// Paths with a last leg that was not looked for cost at least this.
    pub(super) last_legs: f64,
    /// Between what the paths from the landmarks to the start cost.
    pub(super) landmarks: TargetCosts,
    /// Corners of the cells that the start lies in or on, with what the straight way to it costs.
    pub(super) start_corners: Vec<(u32, f64)>,
    /// Costs may be wrong by so much.
    pub(super) rounding: f64,
}

impl BackwardCosts {
    /// The path from a corner to the end, if one is known.
    pub(super) fn known(&self, corner: u32) -> Option<&CornerState> {
        self.corners.get(corner as usize).filter(|known| self.query != 0 && known.is_reached(self.query, f64::MAX))
    }

    /// No path from a corner to the end costs less: it is the one that is known, or one that would have been found later.
    pub(super) fn bound(&self, net: &WeightedMesh, corner: u32) -> f64 {
        if self.query == 0 {
            return 0.0;
        }
        let later = self.proven - net.landmarks.bound(corner, &self.landmarks);
        let bound = self.known(corner).map_or(later, |known| later.min(known.cost)) - self.rounding;
        if bound.is_finite() { bound } else { 0.0 }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        (self.query, self.last_legs) = (0, f64::INFINITY);
        self.tree.clear();
        self.start_corners.clear();
    }
}
