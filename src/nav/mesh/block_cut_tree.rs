//! Block-cut tree of the polygon graph: which links of a polygon can lead to a goal at all.
//!
//! Where all paths between two parts of a mesh cross one polygon, the parts are different blocks (biconnected
//! components; J. Hopcroft and R. Tarjan, "Efficient Algorithms for Graph Manipulation", 1973). Blocks and the
//! polygons that join them form a tree. Its polygons are numbered in preorder, so that the polygons beyond a link are
//! a range of numbers: one comparison tells a search that a link is a dead end.

use super::{Edge, NONE, Polygon};
use crate::math::graph::Biconnected;

/// Range of goal numbers, possibly wrapping around: contains a number if `number − from < count`, wrapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct GoalRange {
    /// First number.
    pub from: u32,
    /// Number of goals.
    pub count: u32,
}

impl GoalRange {
    /// Whether the goal with this number lies beyond the link.
    #[inline]
    pub fn contains(self, number: u32) -> bool {
        number.wrapping_sub(self.from) < self.count
    }
}

/// The block-cut tree of a mesh.
#[derive(Debug, Default)]
pub(super) struct BlockCutTree {
    /// Goal number of each polygon.
    pub numbers: Vec<u32>,
    /// One past the last number below each polygon.
    ends: Vec<u32>,
    /// The block above each polygon, [`NONE`] for the root of an island.
    above: Vec<u32>,
    /// The polygon above each block, and the numbers below the block.
    blocks: Vec<(u32, GoalRange)>,
}

impl BlockCutTree {
    pub fn build(polygons: &[Polygon], edges: &[Edge]) -> Self {
        let Biconnected { above, tops, .. } = Biconnected::find(polygons.len(), |polygon, i| {
            let p = &polygons[polygon as usize];
            (i < u32::from(p.edge_count)).then(|| edges[(p.first_edge + i) as usize].neighbor)
        });
        let mut all = Self {
            numbers: vec![0; polygons.len()],
            ends: vec![0; polygons.len()],
            above,
            blocks: tops.into_iter().map(|top| (top, GoalRange { from: NONE, count: 0 })).collect(),
        };
        all.assign_numbers();
        all
    }

    /// The goals beyond the link from a polygon to its neighbour.
    pub fn goals(&self, from: u32, to: u32) -> GoalRange {
        let block = self.above[to as usize];
        if block != NONE && self.blocks[block as usize].0 == from {
            return self.blocks[block as usize].1;
        }
        // Upwards or to a sibling: everything that is not below `from`.
        let (first, end) = (self.numbers[from as usize], self.ends[from as usize]);
        GoalRange { from: end, count: (end - first).wrapping_neg() }
    }

    /// Numbers the polygons in preorder from the roots.
    fn assign_numbers(&mut self) {
        let mut members: Vec<(u32, u32)> = (0u32..).zip(&self.above).map(|(p, &b)| (b, p)).collect();
        members.sort_unstable();
        let mut hung: Vec<(u32, u32)> = (0u32..).zip(&self.blocks).map(|(b, top)| (top.0, b)).collect();
        hung.sort_unstable();
        fn range(list: &[(u32, u32)], key: u32) -> &[(u32, u32)] {
            let from = list.partition_point(|i| i.0 < key);
            &list[from..from + list[from..].partition_point(|i| i.0 == key)]
        }
        let mut stack: Vec<(u32, bool)> = range(&members, NONE).iter().map(|m| (m.1, false)).collect();
        let mut next = 0;
        while let Some((p, done)) = stack.pop() {
            if done {
                self.ends[p as usize] = next;
                if let Some((_, goals)) = self.blocks.get_mut(self.above[p as usize] as usize) {
                    goals.from = goals.from.min(self.numbers[p as usize]);
                    goals.count = next - goals.from;
                }
                continue;
            }
            self.numbers[p as usize] = next;
            next += 1;
            stack.push((p, true));
            for &(_, block) in range(&hung, p) {
                stack.extend(range(&members, block).iter().map(|m| (m.1, false)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::plan;

    #[test]
    fn a_link_leads_to_a_goal_exactly_if_a_simple_path_does() {
        let mesh =
            plan(&["...##...", ".#.....#", "...#.#.#", "##.#...#", "....####", "#.##...."], false).validate().unwrap();
        let n = mesh.len() as u32;
        for from in 0..n {
            for way in mesh.portals().links_of(from) {
                let mut reached = vec![false; n as usize];
                reached[from as usize] = true;
                let mut open = vec![way.neighbor];
                while let Some(at) = open.pop() {
                    if !std::mem::replace(&mut reached[at as usize], true) {
                        open.extend(mesh.portals().links_of(at).iter().map(|w| w.neighbor));
                    }
                }
                let part = mesh.polygon(super::super::PolyId(from)).island;
                for goal in (0..n).filter(|&g| g != from) {
                    let told = way.goals.contains(mesh.portals().goal_number(goal));
                    let same = mesh.polygon(super::super::PolyId(goal)).island == part;
                    assert!(!same || told == reached[goal as usize], "from {from} by {} to {goal}", way.neighbor);
                }
            }
        }
    }
}
