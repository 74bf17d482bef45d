//! Which ways out of a polygon can lead to a goal at all.
//!
//! Where all ways between two parts of a mesh lead over one polygon, the parts are different blocks (biconnected
//! components, J. Hopcroft and R. Tarjan, "Efficient Algorithms for Graph Manipulation", 1973). Blocks and the
//! polygons that join them are a tree. Its polygons are numbered so that those beyond a portal are a range of
//! numbers: one comparison tells a search that a way is a dead end.

use super::{Edge, NONE, Polygon};
use crate::math::graph::Biconnected;

/// Numbers of goals, as a range that may wrap around: `number − from < count`, wrapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Goals {
    /// The first.
    pub from: u32,
    /// How many.
    pub count: u32,
}

impl Goals {
    /// Whether a goal with this number lies beyond.
    #[inline]
    pub fn contain(self, number: u32) -> bool {
        number.wrapping_sub(self.from) < self.count
    }
}

/// The tree of blocks of a mesh.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// The number of each polygon as a goal.
    pub numbers: Vec<u32>,
    /// One past the numbers of what hangs below each polygon.
    ends: Vec<u32>,
    /// The block that each polygon hangs below, [`NONE`] for the root of an island.
    above: Vec<u32>,
    /// The polygon that each block hangs below, and the numbers of all below the block.
    blocks: Vec<(u32, Goals)>,
}

impl Blocks {
    pub fn build(polygons: &[Polygon], edges: &[Edge]) -> Self {
        let Biconnected { above, tops, .. } = Biconnected::find(polygons.len(), |polygon, i| {
            let p = &polygons[polygon as usize];
            (i < u32::from(p.edge_count)).then(|| edges[(p.first_edge + i) as usize].neighbor)
        });
        let mut all = Self {
            numbers: vec![0; polygons.len()],
            ends: vec![0; polygons.len()],
            above,
            blocks: tops.into_iter().map(|top| (top, Goals { from: NONE, count: 0 })).collect(),
        };
        all.number();
        all
    }

    /// The goals that the way from a polygon to its neighbour can lead to.
    pub fn goals(&self, from: u32, to: u32) -> Goals {
        let block = self.above[to as usize];
        if block != NONE && self.blocks[block as usize].0 == from {
            return self.blocks[block as usize].1;
        }
        // Upwards or to a sibling: to all that does not hang below `from`.
        let (first, end) = (self.numbers[from as usize], self.ends[from as usize]);
        Goals { from: end, count: (end - first).wrapping_neg() }
    }

    /// Numbers the polygons from the roots down.
    fn number(&mut self) {
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
    fn a_way_is_said_to_lead_to_a_goal_exactly_when_a_walk_that_does_not_return_does() {
        let mesh =
            plan(&["...##...", ".#.....#", "...#.#.#", "##.#...#", "....####", "#.##...."], false).validate().unwrap();
        let n = mesh.len() as u32;
        for from in 0..n {
            for way in mesh.portals().of(from) {
                let mut reached = vec![false; n as usize];
                reached[from as usize] = true;
                let mut open = vec![way.neighbor];
                while let Some(at) = open.pop() {
                    if !std::mem::replace(&mut reached[at as usize], true) {
                        open.extend(mesh.portals().of(at).iter().map(|w| w.neighbor));
                    }
                }
                let part = mesh.polygon(super::super::PolyId(from)).component;
                for goal in (0..n).filter(|&g| g != from) {
                    let told = way.goals.contain(mesh.portals().number(goal));
                    let same = mesh.polygon(super::super::PolyId(goal)).component == part;
                    assert!(!same || told == reached[goal as usize], "from {from} by {} to {goal}", way.neighbor);
                }
            }
        }
    }
}
