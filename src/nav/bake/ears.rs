//! Triangulation of contours by ear clipping, the shortest cut first (after O'Rourke, "Computational Geometry in C").
//!
//! A tree of boxes over the edges in their order along the contour finds the few that a cut may meet, and a heap the
//! shortest ear, so that n vertices take about n log n steps.

use super::contour::{ContourVertex, area2, in_cone, segments_meet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Triangulates a contour. One that crosses itself may leave a remainder.
pub fn triangulate(corners: &[ContourVertex]) -> Vec<[u32; 3]> {
    let count = corners.len();
    if count < 3 {
        return Vec::new();
    }
    let mut ring = EarRing::new(corners);
    let mut out = Vec::with_capacity(count - 2);
    for i in 0..count as u32 {
        ring.look(i);
    }
    let mut left = count;
    while left > 3 {
        let Some(i) = ring.shortest_ear().or_else(|| ring.shortest_loose_ear()) else { return out };
        let (before, after) = (ring.before(i), ring.after(i));
        out.push([before, i, after]);
        ring.remove(i);
        left -= 1;
        // The angles of the neighbours have changed.
        ring.look(before);
        ring.look(after);
    }
    let first = ring.first;
    let second = ring.after(first);
    out.push([first, second, ring.after(second)]);
    out
}

/// The remainder of a contour: its vertices, linked in a ring.
struct EarRing<'a> {
    corners: &'a [ContourVertex],
    next: Vec<u32>,
    previous: Vec<u32>,
    /// The first vertex that is left.
    first: u32,
    is_left: Vec<bool>,
    is_ear: Vec<bool>,
    /// Ears by the squared lengths of their cuts, the shortest first; of equals the first vertex. Outdated entries stay
    /// until they are taken.
    ears: BinaryHeap<Reverse<(i64, u32)>>,
    edges: EdgeTree,
}

impl<'a> EarRing<'a> {
    fn new(corners: &'a [ContourVertex]) -> Self {
        let count = corners.len() as u32;
        let next: Vec<u32> = (0..count).map(|i| (i + 1) % count).collect();
        let edges = EdgeTree::new(corners.iter().zip(&next).map(|(a, &b)| PlanBox::around(a, &corners[b as usize])));
        Self {
            corners,
            next,
            previous: (0..count).map(|i| (i + count - 1) % count).collect(),
            first: 0,
            is_left: vec![true; corners.len()],
            is_ear: vec![false; corners.len()],
            ears: BinaryHeap::new(),
            edges,
        }
    }

    fn at(&self, i: u32) -> &ContourVertex {
        &self.corners[i as usize]
    }

    fn after(&self, i: u32) -> u32 {
        self.next[i as usize]
    }

    fn before(&self, i: u32) -> u32 {
        self.previous[i as usize]
    }

    /// Finds out whether a vertex is an ear.
    fn look(&mut self, i: u32) {
        let is_ear = self.is_ear(i);
        self.is_ear[i as usize] = is_ear;
        if is_ear {
            self.ears.push(Reverse((self.cut_length(i), i)));
        }
    }

    fn remove(&mut self, i: u32) {
        let (before, after) = (self.before(i), self.after(i));
        self.next[before as usize] = after;
        self.previous[after as usize] = before;
        self.is_left[i as usize] = false;
        self.is_ear[i as usize] = false;
        if self.first == i {
            self.first = after;
        }
        self.edges.set(i as usize, PlanBox::EMPTY);
        let edge = PlanBox::around(self.at(before), self.at(after));
        self.edges.set(before as usize, edge);
    }

    fn cut_length(&self, i: u32) -> i64 {
        let (a, b) = (self.at(self.before(i)), self.at(self.after(i)));
        let (dx, dz) = (i64::from(b.x - a.x), i64::from(b.z - a.z));
        dx * dx + dz * dz
    }

    /// The ear with the shortest cut, of equals the one whose cut begins first.
    fn shortest_ear(&mut self) -> Option<u32> {
        let best = self.take_ear()?;
        // The cut at the first vertex begins at the last one.
        if best.1 != self.first {
            return Some(best.1);
        }
        match self.take_ear() {
            Some(other) if other.0 == best.0 => {
                self.ears.push(Reverse(best));
                Some(other.1)
            }
            other => {
                self.ears.extend(other.map(Reverse));
                Some(best.1)
            }
        }
    }

    /// Takes the next entry of the heap that still holds; the same one may lie below it again.
    fn take_ear(&mut self) -> Option<(i64, u32)> {
        while let Some(Reverse((length, i))) = self.ears.pop() {
            if self.is_ear[i as usize] && self.cut_length(i) == length {
                while self.ears.peek() == Some(&Reverse((length, i))) {
                    self.ears.pop();
                }
                return Some((length, i));
            }
        }
        None
    }

    /// As [`shortest_ear`](Self::shortest_ear) for contours that overlap themselves: cuts may run along edges.
    fn shortest_loose_ear(&self) -> Option<u32> {
        let rest = (self.first + 1..self.corners.len() as u32).chain([self.first]);
        let loose = rest.filter(|&i| self.is_left[i as usize] && self.is_loose_ear(i));
        loose.min_by_key(|&i| self.cut_length(i))
    }

    /// Whether the cut between the neighbours of a vertex lies inside and meets no other edge.
    fn is_ear(&self, i: u32) -> bool {
        let (a, b) = (self.before(i), self.after(i));
        let (p, q) = (self.at(a), self.at(b));
        let inside = in_cone(self.at(self.before(a)), p, self.at(i), q);
        inside && self.is_cut_free(a, b, segments_meet)
    }

    fn is_loose_ear(&self, i: u32) -> bool {
        let (a, b) = (self.before(i), self.after(i));
        let (p, q) = (self.at(a), self.at(b));
        let (before, after) = (self.at(self.before(a)), self.at(i));
        let inside = if area2(before, p, after) <= 0 {
            area2(p, q, before) <= 0 && area2(q, p, after) <= 0
        } else {
            !(area2(p, q, after) <= 0 && area2(q, p, before) <= 0)
        };
        inside
            && self.is_cut_free(a, b, |p, q, c, d| {
                area2(p, q, c).signum() * area2(p, q, d).signum() < 0
                    && area2(c, d, p).signum() * area2(c, d, q).signum() < 0
            })
    }

    /// Whether a cut between two vertices meets no edge except those that end at them. `meet` is asked about segments
    /// whose boxes touch alone.
    fn is_cut_free(
        &self,
        a: u32,
        b: u32,
        meet: impl Fn(&ContourVertex, &ContourVertex, &ContourVertex, &ContourVertex) -> bool,
    ) -> bool {
        let (p, q) = (self.at(a), self.at(b));
        self.edges.all_near(PlanBox::around(p, q), |k| {
            let (c, d) = (self.at(k as u32), self.at(self.after(k as u32)));
            let shares = [c, d].iter().any(|e| e.same_place(p) || e.same_place(q));
            shares || !meet(p, q, c, d)
        })
    }
}

/// A closed rectangle of cells, seen from above.
#[derive(Clone, Copy)]
struct PlanBox {
    min: [i32; 2],
    max: [i32; 2],
}

impl PlanBox {
    const EMPTY: Self = Self { min: [i32::MAX; 2], max: [i32::MIN; 2] };

    fn around(a: &ContourVertex, b: &ContourVertex) -> Self {
        Self { min: [a.x.min(b.x), a.z.min(b.z)], max: [a.x.max(b.x), a.z.max(b.z)] }
    }

    fn union(self, other: Self) -> Self {
        let [x, z] = [0, 1].map(|i| (self.min[i].min(other.min[i]), self.max[i].max(other.max[i])));
        Self { min: [x.0, z.0], max: [x.1, z.1] }
    }

    fn touches(&self, other: &Self) -> bool {
        (0..2).all(|i| self.min[i] <= other.max[i] && other.min[i] <= self.max[i])
    }
}

/// Boxes of the edges along a contour: a complete binary tree, whose leaves are the edges in their order.
struct EdgeTree {
    /// The root at 1, the children of n at 2n and 2n + 1.
    nodes: Vec<PlanBox>,
    leaves: usize,
}

impl EdgeTree {
    fn new(edges: impl ExactSizeIterator<Item = PlanBox>) -> Self {
        let leaves = edges.len().next_power_of_two();
        let mut nodes = vec![PlanBox::EMPTY; 2 * leaves];
        nodes[leaves..].iter_mut().zip(edges).for_each(|(node, edge)| *node = edge);
        for n in (1..leaves).rev() {
            nodes[n] = nodes[2 * n].union(nodes[2 * n + 1]);
        }
        Self { nodes, leaves }
    }

    fn set(&mut self, edge: usize, to: PlanBox) {
        let mut n = self.leaves + edge;
        self.nodes[n] = to;
        while n > 1 {
            n /= 2;
            self.nodes[n] = self.nodes[2 * n].union(self.nodes[2 * n + 1]);
        }
    }

    /// Whether `holds` is true of all edges whose boxes touch `near`.
    fn all_near(&self, near: PlanBox, holds: impl Fn(usize) -> bool) -> bool {
        // Twice the depth is more than a walk ever keeps.
        let mut open = Vec::with_capacity(64);
        open.push(1);
        while let Some(n) = open.pop() {
            if !self.nodes[n].touches(&near) {
                continue;
            }
            if n < self.leaves {
                open.extend([2 * n, 2 * n + 1]);
            } else if !holds(n - self.leaves) {
                return false;
            }
        }
        true
    }
}
