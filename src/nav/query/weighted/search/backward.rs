//! The search over the ways between corners, from the end back to the start.

use super::super::landmarks::ROUNDING;
use super::super::mesh::WeightedMesh;
use super::super::path::{FoundPath, PathLeg};
use super::{FIRST_ARRIVAL, MAX_BEAMS, WeightedSearch};

/// The share of a path's cost by which the searches there and back may differ by rounding, at most.
const SAME_PATH: f64 = 1e-7;

impl WeightedSearch {
    /// Searches from the end until a path to the start is known, if the ways between corners are.
    pub(super) fn search_backward(&mut self, net: &WeightedMesh) {
        self.backward.clear();
        if !net.ways.are_known() {
            return;
        }
        let (target, landmarks) = (self.target, self.landmarks);
        // Landmarks alone give bounds that no detour makes larger by more than it costs, on which `proven` rests.
        self.target.least = 0.0;
        self.landmarks = net.costs_to(&self.starts);
        std::mem::swap(&mut self.starts, &mut self.ends);
        for &(cell, at) in &self.ends {
            let cell = net.cells[cell as usize];
            let sides = &net.sides[cell.first as usize..cell.end as usize];
            self.backward
                .start_corners
                .extend(sides.iter().map(|side| (side.corner, cell.weight * side.at.distance(at))));
        }
        self.look_around(net);
        let mut proven = f64::INFINITY;
        while let Some(item) = self.queue.pop(self.target.known) {
            let is_full = self.tree.beams.len() >= MAX_BEAMS / 2;
            if self.goal.is_none() && !is_full {
                self.follow(net, item.number);
                continue;
            }
            proven = proven.min(item.key);
            if is_full {
                self.backward.last_legs = item.key;
                break;
            }
            // The search from the start goes on over ways alone: it finds the end from corners that beams from there came to.
            if item.number < FIRST_ARRIVAL {
                self.expand(net, item.number);
            }
        }
        std::mem::swap(&mut self.starts, &mut self.ends);
        let cheapest = self.goal.map_or(f64::INFINITY, |path| path.cost);
        let backward = &mut self.backward;
        std::mem::swap(&mut self.corners, &mut backward.corners);
        std::mem::swap(&mut self.tree, &mut backward.tree);
        backward.start_corners.clear();
        (backward.query, backward.landmarks) = (self.query, self.landmarks);
        // Paths that cost more than the one to the start were not followed.
        backward.proven = proven.min(cheapest);
        backward.rounding = SAME_PATH * backward.proven.min(net.landmarks.most) + ROUNDING * net.landmarks.most;
        let (expanded, goal) = (self.expanded, self.goal);
        self.clear(net);
        (self.target, self.landmarks, self.expanded) = (target, landmarks, expanded);
        if let Some(FoundPath { cost, legs: [leg, _], vertex }) = goal {
            self.offer(FoundPath { cost, legs: [None, leg], vertex });
        }
    }

    /// In the search from the end: the path that arrives at a corner goes on straight to the start, if that lies in a cell there.
    pub(super) fn arrive_at_start(&mut self, net: &WeightedMesh, corner: u32, leg: PathLeg) {
        let Some(known) = self.backward.start_corners.iter().find(|known| known.0 == corner) else { return };
        let vertex = net.corners[corner as usize].vertex;
        self.offer(FoundPath { cost: leg.ray.cost + known.1, legs: [Some(leg), None], vertex });
    }

    /// A path that arrives at a corner goes on as the search from the end came there, if it did.
    pub(super) fn meet(&mut self, net: &WeightedMesh, corner: u32, leg: PathLeg) {
        let Some(known) = self.backward.known(corner) else { return };
        let on = self.backward.tree.arrivals.get(known.arrival as usize).map(|arrival| arrival.leg);
        let vertex = net.corners[corner as usize].vertex;
        self.offer(FoundPath { cost: leg.ray.cost + known.cost, legs: [Some(leg), on], vertex });
    }
}
