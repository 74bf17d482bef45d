//! The search over the ways between corners, from the end back to the start.

use super::super::beam::PathRay;
use super::super::landmarks::ROUNDING;
use super::super::mesh::WeightedMesh;
use super::{AtCorners, BEAM_BYTES, MAX_BYTES, PathLeg, WeightedSearch};
use crate::nav::mesh::NONE;

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
        self.at_corners = AtCorners::Relay;
        self.look_around(net);
        let mut proven = f64::INFINITY;
        while let Some(item) = self.heap.pop() {
            if self.goal.is_some() || self.beams.len() >= MAX_BYTES / BEAM_BYTES {
                proven = item.key;
                break;
            }
            self.follow(net, item.number);
        }
        self.at_corners = AtCorners::Turn;
        std::mem::swap(&mut self.starts, &mut self.ends);
        std::mem::swap(&mut self.reached, &mut self.backward.reached);
        let cheapest = self.goal.map_or(f64::INFINITY, |goal| goal.0);
        let backward = &mut self.backward;
        (backward.query, backward.landmarks) = (self.query, self.landmarks);
        // Paths that cost more than the one to the start were not followed.
        backward.proven = proven.min(cheapest);
        backward.rounding = SAME_PATH * backward.proven.min(net.landmarks.most) + ROUNDING * net.landmarks.most;
        let expanded = self.expanded;
        self.clear(net);
        (self.target, self.landmarks, self.expanded) = (target, landmarks, expanded);
        self.limit(cheapest);
    }

    /// In the search from the end: the path goes on straight to the start from a corner of a cell where it lies.
    pub(super) fn arrive_at_start(&mut self, corner: u32, cost: f64) {
        let Some(corner) = self.backward.start_corners.iter().find(|known| known.0 == corner) else { return };
        let ray = PathRay { cost: cost + corner.1, ..PathRay::default() };
        self.offer(PathLeg { source: NONE, beam: NONE, ray });
    }

    /// Where a path arrives at a corner from which one to the end is known, no dearer path need be followed.
    pub(super) fn limit_at(&mut self, corner: u32, cost: f64) {
        if self.at_corners == AtCorners::Turn {
            self.limit(cost + self.backward.known(corner));
        }
    }

    /// A path of this cost is known to be.
    fn limit(&mut self, cost: f64) {
        self.target.known = self.target.known.min(cost * (1.0 + SAME_PATH) + 2.0 * self.backward.rounding);
    }
}
