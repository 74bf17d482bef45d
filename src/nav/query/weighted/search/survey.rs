//! Searches without an end: what paths from one corner to all others cost.

use super::super::bound::PathTarget;
use super::super::landmarks::TargetCosts;
use super::super::mesh::WeightedMesh;
use super::{BEAM_BYTES, MAX_BYTES, WeightedSearch};

impl WeightedSearch {
    /// Finds what paths cost from the corner where these sides begin to all others, as [`costs`](Self::costs); none are known
    /// after more than `most` beams and vertices.
    pub(in crate::nav::query::weighted) fn survey(&mut self, net: &WeightedMesh, sides: &[u32], most: u32) -> bool {
        self.clear(net);
        (self.target, self.landmarks) = (PathTarget::default(), TargetCosts::default());
        self.costs.clear();
        self.costs.resize(net.corners as usize, f64::INFINITY);
        self.costs[net.sides[sides[0] as usize].corner as usize] = 0.0;
        self.ends.clear();
        self.starts.clear();
        self.starts.extend(sides.iter().map(|&side| (net.sides[side as usize].cell, net.sides[side as usize].at)));
        self.tolerance = 1e-9 * (1.0 + self.starts[0].1.abs().max_element());
        self.look_around(net);
        while let Some(item) = self.heap.pop() {
            if self.expanded >= most || self.beams.len() >= MAX_BYTES / BEAM_BYTES {
                return false;
            }
            self.follow(net, item.number);
        }
        true
    }
}
