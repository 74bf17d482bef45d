//! Triangulation of contours by ear clipping, the shortest cut first (after O'Rourke, "Computational Geometry in C").
//!
//! A tree of boxes over the edges in their order along the contour finds the few that a cut may meet, and heaps the
//! shortest ear, so that n vertices take about n log n steps.

use super::contour::{ContourVertex, area2, in_cone, segments_meet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Triangulates a contour. One that crosses itself may leave a remainder. `storey` is the least height between the storeys
/// of a region that lies over itself, cell heights.
pub fn triangulate(corners: &[ContourVertex], storey: Option<u16>) -> Vec<[u32; 3]> {
    // Seen from above, the edges of other storeys would lie in the way of nearly all cuts. An edge of the same storey that is
    // taken for one of another, where ground is steep, is crossed by a cut, and some of what is left then is no ear.
    let by_storeys = storey.and_then(|storey| {
        let mut ring = EarRing::new(corners, i32::from(storey / 2));
        let triangles = ring.clip(Rule::Strict);
        let is_upright = |t: &[u32; 3]| area2(ring.at(t[0]), ring.at(t[1]), ring.at(t[2])) < 0;
        let is_whole = triangles.len() + 2 == corners.len() && triangles.last().is_some_and(is_upright);
        is_whole.then_some(triangles)
    });
    by_storeys.unwrap_or_else(|| EarRing::new(corners, EVERY_HEIGHT).clip(Rule::Loose))
}

/// Which edges a cut must not meet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Any.
    Strict,
    /// Those that it crosses: in contours that overlap themselves, cuts have to run along edges.
    Loose,
}

/// The remainder of a contour: its vertices, linked in a ring.
struct EarRing<'a> {
    corners: &'a [ContourVertex],
    next: Vec<u32>,
    previous: Vec<u32>,
    /// The first vertex that is left.
    first: u32,
    is_left: Vec<bool>,
    /// The rule by which a vertex is an ear.
    ear_by: Vec<Option<Rule>>,
    /// Whether loose ears are looked for, as there were no others.
    is_loose: bool,
    /// Per rule the ears by the squared lengths of their cuts, the shortest first; of equals the first vertex. Outdated
    /// entries stay until they are taken.
    ears: [BinaryHeap<Reverse<(i64, u32)>>; 2],
    edges: EdgeTree,
    /// Edges farther than this above or below a cut are those of other storeys, cell heights.
    apart: i32,
    #[cfg(test)]
    tested: std::cell::Cell<usize>,
}

impl<'a> EarRing<'a> {
    fn new(corners: &'a [ContourVertex], apart: i32) -> Self {
        let count = corners.len() as u32;
        let next: Vec<u32> = (0..count).map(|i| (i + 1) % count).collect();
        let edges = EdgeTree::new(corners.iter().zip(&next).map(|(a, &b)| EdgeBox::around(a, &corners[b as usize])));
        Self {
            corners,
            next,
            previous: (0..count).map(|i| (i + count - 1) % count).collect(),
            first: 0,
            is_left: vec![true; corners.len()],
            ear_by: vec![None; corners.len()],
            is_loose: false,
            ears: Default::default(),
            edges,
            apart,
            #[cfg(test)]
            tested: Default::default(),
        }
    }

    /// Cuts ears by these rules, the strictest ones first, until three vertices are left or there is no more ear.
    fn clip(&mut self, last: Rule) -> Vec<[u32; 3]> {
        let count = self.corners.len();
        if count < 3 {
            return Vec::new();
        }
        let mut out = Vec::with_capacity(count - 2);
        self.look_all();
        for _ in 3..count {
            let Some(i) = self.shortest_ear(last) else { return out };
            let (before, after) = (self.before(i), self.after(i));
            out.push([before, i, after]);
            self.remove(i);
            // The angles of the neighbours have changed.
            self.look(before);
            self.look(after);
        }
        let first = self.first;
        let second = self.after(first);
        out.push([first, second, self.after(second)]);
        out
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
        let rule = [Rule::Strict, Rule::Loose]
            .into_iter()
            .find(|&rule| (rule == Rule::Strict || self.is_loose) && self.is_ear(i, rule));
        self.ear_by[i as usize] = rule;
        if let Some(rule) = rule {
            self.ears[rule as usize].push(Reverse((self.cut_length(i), i)));
        }
    }

    fn look_all(&mut self) {
        let left = (0..self.corners.len() as u32).filter(|&i| self.is_left[i as usize]);
        left.collect::<Vec<_>>().into_iter().for_each(|i| self.look(i));
    }

    fn remove(&mut self, i: u32) {
        let (before, after) = (self.before(i), self.after(i));
        self.next[before as usize] = after;
        self.previous[after as usize] = before;
        self.is_left[i as usize] = false;
        self.ear_by[i as usize] = None;
        if self.first == i {
            self.first = after;
        }
        self.edges.set(i as usize, EdgeBox::EMPTY);
        let edge = EdgeBox::around(self.at(before), self.at(after));
        self.edges.set(before as usize, edge);
    }

    fn cut_length(&self, i: u32) -> i64 {
        let (a, b) = (self.at(self.before(i)), self.at(self.after(i)));
        let (dx, dz) = (i64::from(b.x - a.x), i64::from(b.z - a.z));
        dx * dx + dz * dz
    }

    /// The ear with the shortest cut, of equals the one whose cut begins first; a loose one where there is no other.
    fn shortest_ear(&mut self, last: Rule) -> Option<u32> {
        let known = |ring: &mut Self| ring.shortest_ear_by(Rule::Strict).or_else(|| ring.shortest_ear_by(Rule::Loose));
        known(self).or_else(|| {
            if last == Rule::Strict {
                return None;
            }
            // Those that earlier cuts have freed are found, too.
            self.is_loose = true;
            self.look_all();
            known(self)
        })
    }

    fn shortest_ear_by(&mut self, rule: Rule) -> Option<u32> {
        let best = self.take_ear(rule)?;
        // The cut at the first vertex begins at the last one.
        if best.1 != self.first {
            return Some(best.1);
        }
        let ears = rule as usize;
        match self.take_ear(rule) {
            Some(other) if other.0 == best.0 => {
                self.ears[ears].push(Reverse(best));
                Some(other.1)
            }
            other => {
                self.ears[ears].extend(other.map(Reverse));
                Some(best.1)
            }
        }
    }

    /// Takes the next entry of a heap that still holds; the same one may lie below it again.
    fn take_ear(&mut self, rule: Rule) -> Option<(i64, u32)> {
        let ears = rule as usize;
        while let Some(Reverse((length, i))) = self.ears[ears].pop() {
            // Cuts in what overlaps itself lie in the way of others.
            if self.ear_by[i as usize] == Some(rule)
                && self.cut_length(i) == length
                && (rule == Rule::Strict || self.is_ear(i, rule))
            {
                while self.ears[ears].peek() == Some(&Reverse((length, i))) {
                    self.ears[ears].pop();
                }
                return Some((length, i));
            }
        }
        None
    }

    /// Whether the cut between the neighbours of a vertex lies inside and meets no other edge.
    fn is_ear(&self, i: u32, rule: Rule) -> bool {
        #[cfg(test)]
        self.tested.update(|tested| tested + 1);
        let (a, b) = (self.before(i), self.after(i));
        let (p, q) = (self.at(a), self.at(b));
        let (before, after) = (self.at(self.before(a)), self.at(i));
        match rule {
            Rule::Strict => in_cone(before, p, after, q) && self.is_cut_free([a, b], segments_meet),
            Rule::Loose => is_in_closed_cone(before, p, after, q) && self.is_cut_free([a, b], segments_cross),
        }
    }

    /// Whether a cut between two vertices meets no edge except those that end at them. `meet` is asked about segments
    /// whose boxes touch alone, or lie less than `apart` above each other.
    fn is_cut_free(
        &self,
        [a, b]: [u32; 2],
        meet: impl Fn(&ContourVertex, &ContourVertex, &ContourVertex, &ContourVertex) -> bool,
    ) -> bool {
        let (p, q) = (self.at(a), self.at(b));
        self.edges.all_near(EdgeBox::around(p, q).with_heights(self.apart), |k| {
            let (c, d) = (self.at(k as u32), self.at(self.after(k as u32)));
            let shares = [c, d].iter().any(|e| e.same_place(p) || e.same_place(q));
            shares || !meet(p, q, c, d)
        })
    }
}

/// As [`in_cone`], with the sides of the angle.
fn is_in_closed_cone(before: &ContourVertex, at: &ContourVertex, after: &ContourVertex, p: &ContourVertex) -> bool {
    if area2(before, at, after) <= 0 {
        area2(at, p, before) <= 0 && area2(p, at, after) <= 0
    } else {
        !(area2(at, p, after) <= 0 && area2(p, at, before) <= 0)
    }
}

/// Whether the open segments a–b and c–d cross.
fn segments_cross(a: &ContourVertex, b: &ContourVertex, c: &ContourVertex, d: &ContourVertex) -> bool {
    area2(a, b, c).signum() * area2(a, b, d).signum() < 0 && area2(c, d, a).signum() * area2(c, d, b).signum() < 0
}

/// More than any two heights lie apart, cell heights.
const EVERY_HEIGHT: i32 = 1 << 20;

/// A closed box of cells.
#[derive(Clone, Copy)]
struct EdgeBox {
    min: [i32; 3],
    max: [i32; 3],
}

impl EdgeBox {
    const EMPTY: Self = Self { min: [i32::MAX; 3], max: [i32::MIN; 3] };

    fn around(a: &ContourVertex, b: &ContourVertex) -> Self {
        let (a, b) = ([a.x, a.y, a.z], [b.x, b.y, b.z]);
        Self { min: [0, 1, 2].map(|i| a[i].min(b[i])), max: [0, 1, 2].map(|i| a[i].max(b[i])) }
    }

    fn union(self, other: Self) -> Self {
        let axes = [0, 1, 2];
        Self { min: axes.map(|i| self.min[i].min(other.min[i])), max: axes.map(|i| self.max[i].max(other.max[i])) }
    }

    /// This box with heights up to `by` above and below it.
    fn with_heights(self, by: i32) -> Self {
        let (mut min, mut max) = (self.min, self.max);
        min[1] -= by;
        max[1] += by;
        Self { min, max }
    }

    fn touches(&self, other: &Self) -> bool {
        (0..3).all(|i| self.min[i] <= other.max[i] && other.min[i] <= self.max[i])
    }
}

/// Boxes of the edges along a contour: a complete binary tree, whose leaves are the edges in their order.
struct EdgeTree {
    /// The root at 1, the children of n at 2n and 2n + 1.
    nodes: Vec<EdgeBox>,
    leaves: usize,
    #[cfg(test)]
    visited: std::cell::Cell<usize>,
}

impl EdgeTree {
    fn new(edges: impl ExactSizeIterator<Item = EdgeBox>) -> Self {
        let leaves = edges.len().next_power_of_two();
        let mut nodes = vec![EdgeBox::EMPTY; 2 * leaves];
        nodes[leaves..].iter_mut().zip(edges).for_each(|(node, edge)| *node = edge);
        for n in (1..leaves).rev() {
            nodes[n] = nodes[2 * n].union(nodes[2 * n + 1]);
        }
        Self {
            nodes,
            leaves,
            #[cfg(test)]
            visited: Default::default(),
        }
    }

    fn set(&mut self, edge: usize, to: EdgeBox) {
        let mut n = self.leaves + edge;
        self.nodes[n] = to;
        while n > 1 {
            n /= 2;
            self.nodes[n] = self.nodes[2 * n].union(self.nodes[2 * n + 1]);
        }
    }

    /// Whether `holds` is true of all edges whose boxes touch `near`.
    fn all_near(&self, near: EdgeBox, holds: impl Fn(usize) -> bool) -> bool {
        // Twice the depth is more than a walk ever keeps.
        let mut open = Vec::with_capacity(64);
        open.push(1);
        while let Some(n) = open.pop() {
            #[cfg(test)]
            self.visited.update(|visited| visited + 1);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The outline of spiral stairs that rise by one cell height a tread, 24 treads a turn, and become wider and narrower on
    /// the outside by up to `wide` cells.
    fn spiral(treads: i32, wide: f64) -> Vec<ContourVertex> {
        let at = |tread: i32, radius: f64| {
            let (sin, cos) = (f64::from(tread) * std::f64::consts::TAU / 24.0).sin_cos();
            ContourVertex { x: (cos * radius).round() as i32, y: tread, z: (sin * radius).round() as i32 }
        };
        let outer = |tread: i32| at(tread, 90.0 + wide * (f64::from(tread) * 0.37).sin());
        (0..=treads).map(|tread| at(tread, 30.0)).chain((0..=treads).rev().map(outer)).collect()
    }

    fn double_area(triangles: &[[u32; 3]], corners: &[ContourVertex]) -> i64 {
        let at = |i: u32| &corners[i as usize];
        triangles.iter().map(|t| -area2(at(t[0]), at(t[1]), at(t[2]))).inspect(|&area| assert!(area > 0)).sum()
    }

    #[test]
    fn storeys_of_spiral_stairs_do_not_lie_in_each_others_way() {
        for treads in [100, 1000, 10_000] {
            let corners = spiral(treads, 20.0);
            let triangles = triangulate(&corners, Some(24));
            assert_eq!(triangles.len() + 2, corners.len());
            let around: i64 = (1..corners.len()).map(|i| area2(&corners[0], &corners[i - 1], &corners[i])).sum();
            assert_eq!(double_area(&triangles, &corners), -around);
            let mut ring = EarRing::new(&corners, 12);
            ring.clip(Rule::Strict);
            let visited = ring.edges.visited.get();
            assert!(visited < 400 * corners.len(), "{visited} boxes for {} edges", corners.len());
        }
    }

    #[test]
    fn loose_ears_are_not_looked_for_all_over_each_time() {
        for treads in [100, 1000] {
            let corners = spiral(treads, 20.0);
            let mut ring = EarRing::new(&corners, EVERY_HEIGHT);
            ring.clip(Rule::Loose);
            let tested = ring.tested.get();
            assert!(ring.is_loose && tested < 16 * corners.len(), "{tested} cuts of {} vertices", corners.len());
        }
    }
}
