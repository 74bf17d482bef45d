//! Lower bounds of what the rest of a path costs, from what paths from a few landmarks cost.
//!
//! A. V. Goldberg, C. Harrelson, "Computing the Shortest Path: A* Search Meets Graph Theory", SODA 2005: by the triangle
//! inequality, no path between two places costs less than what the paths from a landmark to them differ by. Straight lines at
//! the island's least cost bound paths by a half to a third of what they cost, so that a search would go around far; with
//! landmarks it stays near the path: it expands a sixth of the beams on grids, a third in a town. Landmarks are corners of the
//! mesh as far from each other as can be, and what paths from them to all other corners cost is found by searches without an
//! end when the mesh is prepared.

/// Landmarks of an island.
pub(super) const COUNT: usize = 16;
/// The share of the largest cost by which a difference of two may be wrong.
pub(super) const ROUNDING: f64 = 1e-8;

/// What the paths from its island's landmarks to a corner cost; 0 for landmarks that are missing, NaN where it is not known.
pub(super) type LandmarkCosts = [f64; COUNT];

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
        Self { least: [f64::NAN; COUNT], most: [f64::NAN; COUNT] }
    }
}

impl CornerLandmarks {
    /// No path from a corner to the end costs less.
    pub(super) fn bound(&self, corner: u32, target: &TargetCosts) -> f64 {
        let Some(costs) = self.costs.get(corner as usize) else { return 0.0 };
        let mut best = 0.0;
        for ((cost, most), least) in costs.iter().zip(&target.most).zip(&target.least) {
            let (past, before) = (cost - most, least - cost);
            let more = if past > before { past } else { before };
            best = if more > best { more } else { best };
        }
        (best - ROUNDING * self.most).max(0.0)
    }
}
