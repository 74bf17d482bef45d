//! Lower bounds of what the rest of a path costs, from what paths from a few landmarks cost.
//!
//! A. V. Goldberg, C. Harrelson, "Computing the Shortest Path: A* Search Meets Graph Theory", SODA 2005: by the triangle
//! inequality, no path between two places costs less than what the paths from a landmark to them differ by. Straight lines at
//! the island's least cost bound paths by a half to a third of what they cost, so that a search would go around far; with
//! landmarks it stays near the path: it expands a sixth of the beams on grids, a third in a town. Landmarks are corners of the
//! mesh as far from each other as can be, and what paths from them to all other corners cost is found by searches without an
//! end when the mesh is prepared.

use glam::DVec2;

use super::mesh::WeightedMesh;
use super::search::WeightedSearch;

/// Landmarks of an island.
const COUNT: usize = 16;
/// Beams and vertices that all searches from landmarks may expand together: a tenth to a quarter of a second.
const MAX_EXPANDED: u32 = 300_000;
/// The share of the largest cost by which a difference of two may be wrong.
const ROUNDING: f64 = 1e-8;

/// What the paths from its island's landmarks to a corner cost; 0 for landmarks that are missing, NaN where it is not known.
pub(super) type LandmarkCosts = [f64; COUNT];

/// The landmarks of all islands.
#[derive(Clone, Debug, Default)]
pub(super) struct CornerLandmarks {
    /// Per corner, [`CellSide::corner`](super::mesh::CellSide::corner); empty without landmarks.
    costs: Vec<LandmarkCosts>,
    /// The largest cost.
    most: f64,
}

/// Between what the paths from the landmarks to a query's end cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct TargetCosts {
    least: LandmarkCosts,
    most: LandmarkCosts,
}

impl Default for TargetCosts {
    fn default() -> Self {
        Self { least: [f64::NAN; COUNT], most: [f64::NAN; COUNT] }
    }
}

/// The corners of an island, and the sides that begin at each.
#[derive(Default)]
struct IslandCorners {
    corners: Vec<Vec<u32>>,
}

impl CornerLandmarks {
    /// Chooses landmarks on the largest islands and finds what paths from them cost, within [`MAX_EXPANDED`].
    pub(super) fn build(net: &WeightedMesh) -> Self {
        let mut own = Self { costs: vec![[0.0; COUNT]; net.corners as usize], most: 0.0 };
        let mut search = WeightedSearch::default();
        let mut left = MAX_EXPANDED;
        for island in islands(net) {
            // A search takes at least about as many beams as there are corners; one alone is of no use.
            if 2 * island.corners.len() as u32 > left || !own.add(net, &mut search, &island, &mut left) {
                break;
            }
        }
        own
    }

    /// Adds an island's landmarks; returns whether any work is left over.
    fn add(&mut self, net: &WeightedMesh, search: &mut WeightedSearch, island: &IslandCorners, left: &mut u32) -> bool {
        let corner_of = |sides: &[u32]| net.sides[sides[0] as usize].corner as usize;
        let mut nearest = vec![f64::INFINITY; island.corners.len()];
        let mut at = 0;
        // The first search only finds what lies far out.
        for number in 0..=COUNT {
            if !search.survey(net, &island.corners[at], *left) {
                return false;
            }
            *left -= search.expanded;
            for (near, sides) in nearest.iter_mut().zip(&island.corners) {
                let cost = search.costs[corner_of(sides)];
                let known = if cost.is_finite() { cost } else { f64::NAN };
                *near = near.min(known);
                if number > 0 {
                    self.costs[corner_of(sides)][number - 1] = known;
                    self.most = self.most.max(known);
                }
            }
            let far = (0..nearest.len())
                .filter(|&i| nearest[i].is_finite())
                .max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]));
            at = far.unwrap_or(0);
            if number == 0 {
                nearest.fill(f64::INFINITY);
            } else if nearest[at] == 0.0 {
                break;
            }
        }
        true
    }

    /// The bounds for an end, given in all cells that it lies in or on.
    pub(super) fn target(&self, net: &WeightedMesh, ends: &[(u32, DVec2)]) -> TargetCosts {
        let island = |cell: u32| net.cells[cell as usize].island;
        if self.costs.is_empty() || ends.iter().any(|end| island(end.0) != island(ends[0].0)) {
            return TargetCosts::default();
        }
        let mut all = TargetCosts { least: [f64::INFINITY; COUNT], most: [f64::NEG_INFINITY; COUNT] };
        for &(cell, at) in ends {
            let own = net.cells[cell as usize];
            let (mut least, mut most) = ([f64::NEG_INFINITY; COUNT], [f64::INFINITY; COUNT]);
            for side in &net.sides[own.first as usize..own.end as usize] {
                let way = own.weight * side.at.distance(at);
                for (k, &cost) in self.costs[side.corner as usize].iter().enumerate() {
                    least[k] = least[k].max(cost - way);
                    most[k] = most[k].min(cost + way);
                }
            }
            for k in 0..COUNT {
                all.least[k] = all.least[k].min(least[k]);
                all.most[k] = all.most[k].max(most[k]);
            }
        }
        all
    }

    /// No path from a corner to the end costs less.
    pub(super) fn bound(&self, corner: u32, target: &TargetCosts) -> f64 {
        let Some(costs) = self.costs.get(corner as usize) else { return 0.0 };
        let mut best = 0.0;
        for k in 0..COUNT {
            let (past, before) = (costs[k] - target.most[k], target.least[k] - costs[k]);
            let more = if past > before { past } else { before };
            best = if more > best { more } else { best };
        }
        (best - ROUNDING * self.most).max(0.0)
    }
}

/// All islands, the largest first.
fn islands(net: &WeightedMesh) -> Vec<IslandCorners> {
    let mut sides_of = vec![Vec::new(); net.corners as usize];
    for (number, side) in (0..).zip(&net.sides) {
        sides_of[side.corner as usize].push(number);
    }
    let mut islands: Vec<IslandCorners> = net.least.iter().map(|_| IslandCorners::default()).collect();
    for sides in sides_of {
        let cell = net.sides[sides[0] as usize].cell;
        islands[net.cells[cell as usize].island as usize].corners.push(sides);
    }
    islands.sort_by_key(|island| std::cmp::Reverse(island.corners.len()));
    islands
}
