//! Finds the ways between corners when a mesh is prepared, and follows them in searches.

use super::super::bound::PathTarget;
use super::super::landmarks::TargetCosts;
use super::super::mesh::WeightedMesh;
use super::super::ways::{CornerWay, CornerWays, leave_out_detours};
use super::{AtCorners, ReachedCorner, SAME_COST, SearchTask, WeightedSearch};
use crate::nav::mesh::NONE;

/// Beams and vertices that the searches for all ways may expand together: some 0.3 seconds.
const MAX_EXPANDED: usize = 600_000;

impl CornerWays {
    /// Finds all ways; none when that would take more than [`MAX_EXPANDED`], as far as the first corners can tell.
    pub(super) fn find(net: &WeightedMesh, sides_of: &[Vec<u32>]) -> Self {
        let mut search = WeightedSearch::default();
        let mut lists = vec![Vec::new(); sides_of.len()];
        let mut expanded = 0;
        for (corner, sides) in sides_of.iter().enumerate() {
            if net.sides[sides[0] as usize].fan == NONE {
                continue;
            }
            search.record_ways(net, sides, &lists);
            lists[corner].clone_from(&search.recorded);
            expanded += search.expanded as usize;
            // The first corners know few ways of others, so that searches from them go farther than later ones.
            let share = ((corner + 1) as f64 / sides_of.len() as f64).max(1.0 / 16.0);
            if expanded as f64 > 2.0 * share * MAX_EXPANDED as f64 || expanded > MAX_EXPANDED {
                return Self::default();
            }
        }
        leave_out_detours(&mut lists);
        Self::new(&lists)
    }
}

impl WeightedSearch {
    /// Records the ways from the corner where these sides begin. Ways of other corners that are known tell which corners
    /// are reached cheaper by two ways.
    fn record_ways(&mut self, net: &WeightedMesh, sides: &[u32], lists: &[Vec<CornerWay>]) {
        self.begin_at(net, sides);
        self.at_corners = AtCorners::Record;
        self.recorded.clear();
        self.look_around(net);
        while let Some(item) = self.heap.pop() {
            match self.tasks[item.number as usize] {
                SearchTask::Beam(beam) => self.expand(net, beam),
                SearchTask::Turn(_, side, cost) => {
                    let to = net.sides[side as usize].corner;
                    if self.reached[to as usize].cost == cost {
                        self.recorded.push(CornerWay { to, cost });
                        self.spread(net, to, cost, &lists[to as usize]);
                    }
                }
                SearchTask::Relay(..) => {}
            }
        }
        self.at_corners = AtCorners::Turn;
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

    /// Follows the ways from a corner, as [`turn`](Self::turn) follows beams.
    pub(super) fn relay(&mut self, net: &WeightedMesh, corner: u32, cost: f64) {
        self.arrive_at_start(corner, cost);
        self.expanded += 1;
        self.spread(net, corner, cost, net.ways.from(corner));
    }

    /// Arrives where ways from a corner end.
    fn spread(&mut self, net: &WeightedMesh, corner: u32, cost: f64, ways: &[CornerWay]) {
        let reached = &mut self.reached[corner as usize];
        if reached.done || reached.cost < cost {
            return;
        }
        reached.done = true;
        for way in ways {
            let cost = cost + way.cost;
            if !self.reach(way.to, cost) || self.at_corners == AtCorners::Record {
                continue;
            }
            let side = net.corner_sides[way.to as usize];
            if net.sides[side as usize].fan != NONE {
                let key = cost + self.target.from(net.sides[side as usize].space).max(self.ahead(net, side));
                self.push(key, SearchTask::Relay(way.to, cost));
            }
        }
    }

    /// Notes that a path arrives at a corner; returns whether it is the cheapest that is known.
    pub(super) fn reach(&mut self, corner: u32, cost: f64) -> bool {
        let reached = &mut self.reached[corner as usize];
        // Bounds are rounded: what comes later may be cheaper by so much, and more would be a path to follow.
        let share = if reached.done { 1.0 - SAME_COST } else { 1.0 };
        if reached.query == self.query && reached.cost * share <= cost {
            return false;
        }
        *reached = ReachedCorner { query: self.query, done: false, cost };
        true
    }
}
