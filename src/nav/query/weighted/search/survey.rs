//! Searches without an end: what paths from one corner to all others cost. Those from landmarks are a part of the mesh.

use super::super::corner_labels::CornerLabels;
use super::super::landmarks::{COUNT, CornerLandmarks};
use super::super::mesh::WeightedMesh;
use super::super::metric::Metric;
use super::super::path::CornerState;
use super::super::ways::CornerWays;
use super::{MAX_BEAMS, WeightedSearch};
use crate::nav::mesh::{Filter, NavMesh};

/// Beams and vertices that all searches from landmarks may expand together: a tenth to a quarter of a second.
const MAX_EXPANDED: u32 = 300_000;

/// The corners of an island, and the sides that begin at each.
#[derive(Default)]
struct IslandCorners {
    corners: Vec<Vec<u32>>,
}

impl WeightedMesh {
    /// Builds it; the time grows with the size of the mesh, and with that of searches from landmarks, which is bounded. The filter's
    /// costs must be positive and finite.
    pub fn build(mesh: &NavMesh, filter: &Filter, metric: Metric) -> Self {
        let mut net = Self::bare(mesh, filter, metric);
        net.ways = CornerWays::find(mesh, &net, &sides_of_corners(&net));
        net.labels = CornerLabels::build(&net.ways, net.corners.len());
        if !net.labels.are_known() {
            net.ways = CornerWays::default();
            net.find_landmarks();
        }
        net
    }

    /// Finds the landmarks of searches by beams alone.
    pub(in crate::nav::query::weighted) fn find_landmarks(&mut self) {
        self.landmarks = CornerLandmarks::find(self, sides_of_corners(self));
    }
}

impl WeightedSearch {
    /// Finds what paths cost from the corner where these sides begin to all others, as [`costs`](Self::costs); none are known
    /// after more than `most` beams and vertices.
    pub(in crate::nav::query::weighted) fn survey(&mut self, net: &WeightedMesh, sides: &[u32], most: u32) -> bool {
        self.begin_at(net, sides);
        self.look_around(net);
        while let Some(item) = self.queue.pop(self.target.known) {
            if self.expanded >= most || self.tree.beams.len() >= MAX_BEAMS {
                return false;
            }
            self.follow(net, item.number);
        }
        let cost = |c: &CornerState| if c.query == self.query { c.cost } else { f64::INFINITY };
        self.costs.clear();
        self.costs.extend(self.corners[..net.corners.len()].iter().map(cost));
        true
    }
}

impl CornerLandmarks {
    /// Chooses landmarks on the largest islands and finds what paths from them cost, within [`MAX_EXPANDED`].
    fn find(net: &WeightedMesh, sides_of: Vec<Vec<u32>>) -> Self {
        let mut own = Self { costs: vec![[0.0; COUNT]; net.corners.len()], most: 0.0 };
        let mut search = WeightedSearch::default();
        let mut left = MAX_EXPANDED;
        for island in islands(net, sides_of) {
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
            // A second one must be left, or the first was in vain.
            let most = if number == 0 { *left / 2 } else { *left };
            if !search.survey(net, &island.corners[at], most) {
                return false;
            }
            *left -= search.expanded;
            for (near, sides) in nearest.iter_mut().zip(&island.corners) {
                let cost = search.costs[corner_of(sides)];
                let known = if cost.is_finite() { cost } else { f64::NAN };
                *near = near.min(known);
                if number > 0 {
                    self.costs[corner_of(sides)][number - 1] = known as f32;
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
}

/// The sides that begin at each corner.
fn sides_of_corners(net: &WeightedMesh) -> Vec<Vec<u32>> {
    let mut sides_of = vec![Vec::new(); net.corners.len()];
    for (number, side) in (0..).zip(&net.sides) {
        sides_of[side.corner as usize].push(number);
    }
    sides_of
}

/// All islands, the largest first.
fn islands(net: &WeightedMesh, sides_of: Vec<Vec<u32>>) -> Vec<IslandCorners> {
    let mut islands: Vec<IslandCorners> = net.least.iter().map(|_| IslandCorners::default()).collect();
    for sides in sides_of {
        let cell = net.sides[sides[0] as usize].cell;
        islands[net.cells[cell as usize].island as usize].corners.push(sides);
    }
    islands.sort_by_key(|island| std::cmp::Reverse(island.corners.len()));
    islands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::{RawMesh, RawPolygon};
    use glam::DVec3;

    #[test]
    fn no_search_from_a_landmark_is_in_vain() {
        let side = 12_u32;
        let corner = |i: u32| DVec3::new((i % (side + 1)).into(), 0.0, (i / (side + 1)).into());
        let square = |i: u32| {
            let low = i / side * (side + 1) + i % side;
            RawPolygon { area: (i % 2) as u8, ..RawPolygon::new([low, low + 1, low + side + 2, low + side + 1]) }
        };
        let vertices = (0..(side + 1) * (side + 1)).map(corner).collect();
        let mesh = RawMesh { vertices, polygons: (0..side * side).map(square).collect() }.validate().unwrap();
        let mut filter = Filter::default();
        filter.cost[1] = 3.0;
        let net = WeightedMesh::bare(&mesh, &filter, Metric::Plan);
        let (island, mut search) = (&islands(&net, sides_of_corners(&net))[0], WeightedSearch::default());
        assert!(search.survey(&net, &island.corners[0], u32::MAX));
        let one = search.expanded;
        for (budget, found) in [(one + one / 2, 0), (3 * one, 1)] {
            let (mut left, mut search) = (budget, WeightedSearch::default());
            let mut own = CornerLandmarks { costs: vec![[0.0; COUNT]; net.corners.len()], most: 0.0 };
            assert!(!own.add(&net, &mut search, island, &mut left));
            let known = (0..COUNT).filter(|&number| own.costs.iter().any(|costs| costs[number] > 0.0)).count();
            assert!(known >= found && (found > 0) == (known > 0), "{known} landmarks of {budget}");
            assert!(known > 0 || search.expanded <= budget / 2, "{} of {budget}", search.expanded);
        }
    }
}
