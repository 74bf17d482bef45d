//! The search where labels of corners are known: beams around both ends, and labels between.

use glam::Vec3;

use super::super::corner_labels::{NEAR, NearCorner};
use super::super::meeting::Meeting;
use super::super::mesh::WeightedMesh;
use super::super::path::{CornerArrival, FoundPath, PathLeg};
use super::{GAP, MAX_BEAMS, Outcome, SearchPart, WeightedSearch};
use crate::nav::mesh::{NONE, NavMesh};

impl WeightedSearch {
    /// Finds the cheapest path by beams around both ends. A path turns at no corner, or the last one is one of those that beams
    /// from the end come to; up to there it costs what labels say.
    pub(super) fn run_by_labels(&mut self, net: &WeightedMesh) -> Outcome {
        self.set_start(net);
        std::mem::swap(&mut self.starts, &mut self.ends);
        self.part = SearchPart::FromEnd;
        self.look_around(net);
        let proven = self.follow_beams(net);
        std::mem::swap(&mut self.starts, &mut self.ends);
        std::mem::swap(&mut self.tree, &mut self.meeting.tree);
        self.set_ends(net);
        let (known, expanded) = (self.goal, self.expanded);
        self.clear(net);
        (self.goal, self.expanded, self.part) = (known, expanded, SearchPart::FromStart);
        // A path that turns nowhere was found from the end.
        let ends = std::mem::take(&mut self.ends);
        self.look_around(net);
        let proven = proven.min(self.follow_beams(net));
        self.ends = ends;
        if let Some(path) = self.goal {
            self.goal = Some(self.joined(net, path));
        }
        self.meeting.starts.clear(&net.labels);
        self.meeting.ends.clear(&net.labels);
        self.part = SearchPart::Alone;
        self.outcome(proven)
    }

    /// Expands beams until none that is left can be part of a path cheaper by more than the gap; returns what those cost at
    /// least, infinite where none is left.
    fn follow_beams(&mut self, net: &WeightedMesh) -> f64 {
        // Half of the memory is for the search from the start.
        let most = if self.part == SearchPart::FromEnd { MAX_BEAMS / 2 } else { MAX_BEAMS };
        while let Some(item) = self.queue.pop(self.target.known) {
            let is_full = self.tree.beams.len() + self.meeting.tree.beams.len() >= most;
            if is_full || item.key >= self.target.known * (1.0 - GAP) {
                return item.key;
            }
            self.expand(net, item.number);
        }
        f64::INFINITY
    }

    /// Notes the corners around the start.
    fn set_start(&mut self, net: &WeightedMesh) {
        let near = &mut self.meeting.near;
        near.clear();
        for &(cell, at) in &self.starts {
            let cell = net.cells[cell as usize];
            for side in &net.sides[cell.first as usize..cell.end as usize] {
                let cost = cell.weight * side.at.distance(at);
                match near.iter_mut().find(|known| known.corner == side.corner) {
                    Some(known) => known.cost = known.cost.min(cost),
                    None => {
                        let turns = net.corners[side.corner as usize].turns;
                        near.push(NearCorner { corner: side.corner, cost, turns });
                    }
                }
            }
        }
        near.sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost));
        let vertex = |corner: &NearCorner| net.corners[corner.corner as usize].vertex;
        let first = vertex(&near[0]);
        // Where ground touches at the start alone, it has a corner there for each part.
        let apart = near[1..].iter().any(|corner| vertex(corner) == first);
        if apart {
            near.retain(|corner| vertex(corner) == first);
        }
        // Without corners nothing is known.
        near.truncate(if apart && near.len() > NEAR { 0 } else { NEAR });
        self.meeting.starts.set(&net.labels, near, apart);
    }

    /// Notes what paths to the end cost from the corners that the search from there came to.
    fn set_ends(&mut self, net: &WeightedMesh) {
        let Meeting { ends, tree, .. } = &mut self.meeting;
        ends.clear(&net.labels);
        for (number, arrival) in (0..).zip(&tree.arrivals) {
            let corner = net.sides[arrival.side as usize].corner;
            let state = &self.corners[corner as usize];
            if state.arrival == number && state.cost + state.ahead < self.target.known {
                ends.add(&net.labels, corner, state.cost, number);
            }
        }
    }

    /// A path with all its corners, and what it costs as the sum of its parts.
    fn joined(&mut self, net: &WeightedMesh, mut path: FoundPath) -> FoundPath {
        let Meeting { starts, ends, tree, near, middle, ways } = &mut self.meeting;
        let first = match path.legs {
            [None, Some(_)] if path.corner != NONE => {
                starts.corners_to(&net.labels, path.corner, middle).map_or(0.0, |place| near[place].cost)
            }
            [Some(_), None] => {
                if let Some((hub, arrival)) = ends.over(&net.labels, path.corner) {
                    let CornerArrival { leg, side } = tree.arrivals[arrival as usize];
                    net.labels.over([path.corner, net.sides[side as usize].corner], hub, middle);
                    path.legs[1] = Some(leg);
                }
                0.0
            }
            _ => 0.0,
        };
        ways.extend(middle.windows(2).filter_map(|pair| net.ways.between([pair[0], pair[1]])));
        path.cost = first
            + ways.iter().map(|way| way.cost).sum::<f64>()
            + path.legs.iter().flatten().map(|leg| leg.ray.cost).sum::<f64>();
        path
    }

    /// Adds the points of the corners that a path turns at between what the searches from both ends found, and of the ways there.
    pub(super) fn points_between(&self, mesh: &NavMesh, net: &WeightedMesh, points: &mut Vec<Vec3>) {
        let Meeting { middle, ways, .. } = &self.meeting;
        for (i, &corner) in middle.iter().enumerate() {
            points.push(mesh.vertices()[net.corners[corner as usize].vertex as usize]);
            let Some(way) = ways.get(i) else { continue };
            let first = points.len();
            points.extend(net.ways.bends(way.number));
            if way.is_back {
                points[first..].reverse();
            }
        }
    }

    /// A path that arrives at a corner goes on as labels tell.
    pub(super) fn meet(&mut self, corner: u32, leg: PathLeg) {
        let cost = leg.ray.cost + self.corners[corner as usize].on;
        let legs = if self.part == SearchPart::FromEnd { [None, Some(leg)] } else { [Some(leg), None] };
        self.offer(FoundPath { cost, legs, corner });
    }
}
