//! What a search over the ways between corners, from the end back to the start, tells of the rest of all paths.

use super::landmarks::TargetCosts;
use super::mesh::WeightedMesh;

/// The cheapest path known to a corner, valid for the query of that number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReachedCorner {
    pub(super) query: u32,
    pub(super) done: bool,
    pub(super) cost: f64,
}

/// What the search from the end found.
#[derive(Debug, Default)]
pub(super) struct BackwardCosts {
    /// The query of that search, 0 when there was none.
    pub(super) query: u32,
    /// Per corner, as those of the search.
    pub(super) reached: Vec<ReachedCorner>,
    /// Paths from the end to corners that are not in `reached`, or cheaper than it says, cost at least this together with what
    /// paths from there to the start cost by the landmarks.
    pub(super) proven: f64,
    /// Between what the paths from the landmarks to the start cost.
    pub(super) landmarks: TargetCosts,
    /// Corners of the cells that the start lies in or on, with what the straight way to it costs.
    pub(super) start_corners: Vec<(u32, f64)>,
    /// Costs may be wrong by so much.
    pub(super) rounding: f64,
}

impl BackwardCosts {
    /// What a path from a corner to the end costs, infinite where none is known.
    pub(super) fn known(&self, corner: u32) -> f64 {
        let reached = self.reached.get(corner as usize).filter(|reached| reached.query == self.query);
        reached.filter(|_| self.query != 0).map_or(f64::INFINITY, |reached| reached.cost)
    }

    /// No path from a corner to the end costs less: it is the one that is known, or one that would have been found later.
    pub(super) fn bound(&self, net: &WeightedMesh, corner: u32) -> f64 {
        if self.query == 0 {
            return 0.0;
        }
        let later = self.proven - net.landmarks.bound(corner, &self.landmarks);
        let bound = self.known(corner).min(later) - self.rounding;
        if bound.is_finite() { bound } else { 0.0 }
    }

    /// Whether there was a search from the end.
    pub(super) fn is_known(&self) -> bool {
        self.query != 0
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.query = 0;
        self.start_corners.clear();
    }
}
