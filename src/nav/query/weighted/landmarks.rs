//! Lower bounds of what the rest of a path costs, from what paths from a few landmarks cost.
//!
//! A. V. Goldberg, C. Harrelson, "Computing the Shortest Path: A* Search Meets Graph Theory", SODA 2005: by the triangle
//! inequality, no path between two places costs less than what the paths from a landmark to them differ by. Straight lines at
//! the island's least cost bound paths by a half to a third of what they cost, so that a search would go around far; with
//! landmarks it stays near the path: it expands a sixth of the beams on grids, a third in a town. Landmarks are corners of the
//! mesh as far from each other as can be, and what paths from them to all other corners cost is found by searches without an
//! end when the mesh is prepared. Where hub labels of the corners are known, these tell more, and there are no landmarks.

use glam::Vec4;

/// Landmarks of an island.
pub(super) const COUNT: usize = 16;
/// The share of the largest cost by which a difference of two may be wrong: costs are rounded to single precision, and searches
/// for them to a tenth of that.
pub(super) const ROUNDING: f64 = 2.5e-7;

/// What the paths from its island's landmarks to a corner cost; 0 for landmarks that are missing, NaN where it is not known. One
/// cache line.
pub(super) type LandmarkCosts = [f32; COUNT];

/// The landmarks of all islands.
#[derive(Clone, Debug, Default)]
pub(super) struct CornerLandmarks {
    /// Per corner, [`CellSide::corner`](super::mesh::CellSide::corner); empty without landmarks.
    pub(super) costs: Vec<LandmarkCosts>,
    /// The largest cost.
    pub(super) most: f64,
}

/// Between what the paths from the landmarks to a query's end cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct TargetCosts {
    pub(super) least: LandmarkCosts,
    pub(super) most: LandmarkCosts,
}

impl Default for TargetCosts {
    fn default() -> Self {
        Self { least: [f32::NAN; COUNT], most: [f32::NAN; COUNT] }
    }
}

impl CornerLandmarks {
    /// No path from a corner to the end costs less.
    pub(super) fn bound(&self, corner: u32, target: &TargetCosts) -> f64 {
        let Some(costs) = self.costs.get(corner as usize) else { return 0.0 };
        let mut best = Vec4::ZERO;
        for first in (0..COUNT).step_by(4) {
            let four = |all: &LandmarkCosts| Vec4::from_slice(&all[first..]);
            let (past, before) = (four(costs) - four(&target.most), four(&target.least) - four(costs));
            let more = Vec4::select(past.cmpgt(before), past, before);
            // What is no number is not more.
            best = Vec4::select(more.cmpgt(best), more, best);
        }
        (f64::from(best.max_element()) - ROUNDING * self.most).max(0.0)
    }
}
