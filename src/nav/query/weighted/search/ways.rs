//! Finds the ways between corners when a mesh is prepared.

use super::super::bound::PathTarget;
use super::super::landmarks::TargetCosts;
use super::super::mesh::WeightedMesh;
use super::super::path::{CornerArrival, keep_bends};
use super::super::ways::{CornerWays, RecordedWay, RecordedWays, leave_out_detours};
use super::{FIRST_ARRIVAL, SearchPart, WeightedSearch};
use crate::nav::mesh::{NONE, NavMesh};

/// Beams and vertices that the searches for all ways may expand together: some 0.3 seconds.
const MAX_EXPANDED: usize = 600_000;

impl CornerWays {
    /// Finds all ways; none when that would take more than [`MAX_EXPANDED`], as far as the first corners can tell.
    pub(super) fn find(mesh: &NavMesh, net: &WeightedMesh, sides_of: &[Vec<u32>]) -> Self {
        let mut search = WeightedSearch::default();
        let mut recorded = RecordedWays { lists: vec![Vec::new(); sides_of.len()], bends: Vec::new() };
        let mut expanded = 0;
        for (corner, sides) in sides_of.iter().enumerate() {
            if net.sides[sides[0] as usize].fan == NONE {
                continue;
            }
            search.record_ways(mesh, net, sides, &mut recorded);
            expanded += search.expanded as usize;
            // The first corners know few ways of others, so that searches from them go farther than later ones.
            let share = ((corner + 1) as f64 / sides_of.len() as f64).max(1.0 / 16.0);
            if expanded as f64 > 2.0 * share * MAX_EXPANDED as f64 || expanded > MAX_EXPANDED {
                return Self::default();
            }
        }
        leave_out_detours(&mut recorded.lists);
        Self::new(recorded)
    }
}

impl WeightedSearch {
    /// Records the ways from the corner where these sides begin. Ways of other corners that are known tell which corners
    /// are reached cheaper by two ways.
    fn record_ways(&mut self, mesh: &NavMesh, net: &WeightedMesh, sides: &[u32], recorded: &mut RecordedWays) {
        self.begin_at(net, sides);
        self.part = SearchPart::Recording;
        let vertex = |side: u32| mesh.vertices()[net.sides[side as usize].vertex as usize];
        let (from, mut points, mut line) = (net.sides[sides[0] as usize].corner, Vec::new(), Vec::new());
        self.look_around(net);
        while let Some(item) = self.queue.pop(self.target.known) {
            let Some(number) = item.number.checked_sub(FIRST_ARRIVAL) else {
                self.expand(net, item.number);
                continue;
            };
            let CornerArrival { leg, side } = self.tree.arrivals[number as usize];
            let (to, cost) = (net.sides[side as usize].corner, leg.ray.cost);
            if !self.take_up(to, cost) {
                continue;
            }
            points.clear();
            line.clear();
            points.push(vertex(side));
            self.tree.points_back(mesh, net, leg, &mut points);
            points.push(vertex(sides[0]));
            points.reverse();
            keep_bends(&points, net.metric, &mut line);
            let first = recorded.bends.len() as u32;
            recorded.bends.extend(&line[1..line.len() - 1]);
            let bends = first..recorded.bends.len() as u32;
            recorded.lists[from as usize].push(RecordedWay { to, cost, bends });
            for way in &recorded.lists[to as usize] {
                self.reach(net, way.to, cost + way.cost, NONE);
            }
        }
        self.part = SearchPart::Alone;
    }

    /// Starts a search without an end at the corner where these sides begin.
    pub(super) fn begin_at(&mut self, net: &WeightedMesh, sides: &[u32]) {
        self.clear(net);
        (self.target, self.landmarks) = (PathTarget::default(), TargetCosts::default());
        self.ends.clear();
        self.starts.clear();
        self.starts.extend(sides.iter().map(|&side| (net.sides[side as usize].cell, net.sides[side as usize].at)));
        self.tolerance = 1e-9 * (1.0 + self.starts[0].1.abs().max_element());
    }

    /// Whether a path arrives at a corner from which the search did not go on yet, and none there is cheaper. From now on it has.
    pub(super) fn take_up(&mut self, corner: u32, cost: f64) -> bool {
        let state = &mut self.corners[corner as usize];
        let is_first = !state.done && state.cost >= cost;
        state.done |= is_first;
        is_first
    }

    /// Notes how a path arrives at a corner; returns whether it is the cheapest that is known.
    pub(super) fn reach(&mut self, net: &WeightedMesh, corner: u32, cost: f64, arrival: u32) -> bool {
        if self.corners[corner as usize].is_reached(self.query, cost) {
            return false;
        }
        let state = self.corner(net, corner);
        (state.cost, state.arrival, state.done) = (cost, arrival, false);
        true
    }
}
