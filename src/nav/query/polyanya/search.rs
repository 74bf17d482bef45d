//! The search: from the start as Polyanya does, through portals, and from corner to corner over what each of them sees.
//!
//! Its nodes are made as it goes and never relaxed, so that it runs on the heap alone, not on the kernel of numbered
//! nodes.

use glam::DVec2;

use super::interval::{Interval, Side, VisiblePortal};
use super::line::LineWalk;
use super::mesh::PolyanyaMesh;
use super::visible_corners::VisibleCorners;
use crate::nav::mesh::{NONE, NavMesh, NavPoint};
use crate::nav::search::heap::{Heap, HeapItem, Keyed};

/// Relative difference up to which two ways to a corner are as long.
const SAME: f64 = 1e-12;

/// Numbers in the heap from here on are those of roots.
const FIRST_ROOT: u32 = 1 << 31;

/// A root: the start, or a corner at which paths turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) at: DVec2,
    /// Length of the way here.
    pub(super) so_far: f64,
    /// Its number among the corners, [`NONE`] for the start.
    corner: u32,
    /// Its vertex in the mesh, likewise.
    pub(super) vertex: u32,
    /// The root before, itself for the start.
    pub(super) parent: u32,
    /// To which side it is turned around.
    side: Side,
}

/// The state of a corner; it is valid if `query` is the number of the current query.
#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    query: u32,
    /// The last query whose end this corner sees.
    sees_end: u32,
    so_far: f64,
    /// To each side the root from which it was turned around widest, [`NONE`] for none.
    turned: [u32; 2],
}

/// The search and its memory.
#[derive(Debug, Default)]
pub(super) struct IntervalSearch {
    /// Intervals and roots by the least length of a path over them.
    heap: Heap<Keyed>,
    /// What the start sees of portals.
    views: Vec<Interval>,
    pub(super) roots: Vec<Root>,
    line: LineWalk,
    /// Per corner.
    reached: Vec<Reached>,
    /// Per block: the last query whose paths may enter it.
    blocks: Vec<u32>,
    query: u32,
    /// Cells that the start lies in or on, likewise the end: first those that are connected around it, by number.
    starts: Vec<u32>,
    ends: Vec<u32>,
    connected: [usize; 2],
    target: DVec2,
    /// The best way to the end so far: its length and its last root.
    goal: (f64, u32),
    /// The best successor of the last expansion, which is often the next to be expanded: it bypasses the heap.
    best: Keyed,
    /// How many intervals and roots were opened.
    pub(super) expanded: u32,
}

impl IntervalSearch {
    /// Runs the search between these ends; returns the length of the path and its last root.
    pub(super) fn run(
        &mut self,
        mesh: &NavMesh,
        net: &PolyanyaMesh,
        visible: &mut VisibleCorners,
        [start, end]: [NavPoint; 2],
    ) -> Option<(f64, u32)> {
        self.begin(mesh, net, start, end);
        if self.ends.iter().any(|e| self.starts.contains(e)) {
            return Some((self.roots[0].at.distance(self.target), 0));
        }
        if !self.mark(net) {
            return None;
        }
        visible.begin(net);
        self.look_around(net);
        while let Some(item) = self.heap.replace_top(std::mem::replace(&mut self.best, Keyed::NONE)) {
            if item.key >= self.goal.0 {
                break;
            }
            self.expanded += 1;
            match item.number.checked_sub(FIRST_ROOT) {
                Some(root) => self.leave(net, visible, root),
                None => self.expand(net, item.number),
            }
        }
        self.goal.0.is_finite().then_some(self.goal)
    }

    fn begin(&mut self, mesh: &NavMesh, net: &PolyanyaMesh, start: NavPoint, end: NavPoint) {
        self.heap.clear();
        self.views.clear();
        self.roots.clear();
        self.best = Keyed::NONE;
        self.expanded = 0;
        self.goal = (f64::INFINITY, 0);
        self.query = self.query.wrapping_add(1);
        if self.query == 0 {
            self.reached.clear();
            self.blocks.clear();
            self.query = 1;
        }
        if self.reached.len() < net.corners.len() {
            self.reached.resize(net.corners.len(), Reached::default());
        }
        if self.blocks.len() < net.tops.len() {
            self.blocks.resize(net.tops.len(), 0);
        }
        let (connected_ends, target) = net.locate(mesh, end, &mut self.ends);
        let (connected_starts, at) = net.locate(mesh, start, &mut self.starts);
        (self.target, self.connected) = (target, [connected_starts, connected_ends]);
        self.roots.push(Root { at, so_far: 0.0, corner: NONE, vertex: NONE, parent: 0, side: Side::Right });
    }

    /// Marks the blocks that a path may enter and the corners that see the end. Returns whether there is a path.
    fn mark(&mut self, net: &PolyanyaMesh) -> bool {
        let mut is_reachable = false;
        // One cell stands for those that are connected around an end.
        let for_all = |cells: usize, connected: usize| std::iter::once(0).chain(connected..cells);
        for start in for_all(self.starts.len(), self.connected[0]) {
            for end in for_all(self.ends.len(), self.connected[1]) {
                let (mut a, mut b) = (self.starts[start], self.ends[end]);
                if net.cells[a as usize].island != net.cells[b as usize].island {
                    continue;
                }
                is_reachable = true;
                while a != b {
                    if net.cells[a as usize].depth < net.cells[b as usize].depth {
                        (a, b) = (b, a);
                    }
                    let block = net.cells[a as usize].block;
                    self.blocks[block as usize] = self.query;
                    a = net.tops[block as usize];
                }
            }
        }
        for &end in &self.ends {
            let cell = net.cells[end as usize];
            for p in &net.portals[cell.first as usize..cell.end as usize] {
                for corner in [p.corner_a, p.corner_b] {
                    if corner != NONE {
                        self.reached[corner as usize].sees_end = self.query;
                    }
                }
            }
        }
        is_reachable
    }

    /// What the start sees.
    fn look_around(&mut self, net: &PolyanyaMesh) {
        let at = self.roots[0].at;
        for i in 0..self.starts.len() {
            let cell = net.cells[self.starts[i] as usize];
            for portal in cell.first..cell.end {
                let p = &net.portals[portal as usize];
                if !self.starts.contains(&p.to) {
                    self.see(net, VisiblePortal::whole(portal, p.a - at, p.b - at));
                }
            }
        }
    }

    #[inline]
    fn wait(&mut self, key: f64, number: u32) {
        self.best = self.heap.keep_larger(self.best, Keyed { key, number });
    }

    #[inline]
    fn is_end(&self, cell: u32) -> bool {
        cell == self.ends[0] || (self.ends.len() > 1 && self.ends.contains(&cell))
    }

    /// Goes on from a part of a portal that the start sees.
    fn expand(&mut self, net: &PolyanyaMesh, number: u32) {
        let view = self.views[number as usize];
        let entry = &net.portals[view.portal as usize];
        if self.is_end(entry.to) {
            self.arrive(net, &view);
        }
        if view.right_end {
            self.turn(net, (entry.corner_a, Side::Right));
        }
        if view.left_end {
            self.turn(net, (entry.corner_b, Side::Left));
        }
        view.through(net, self.roots[0].at, |seen| self.see(net, seen));
    }

    /// Ends paths at the target: the start sees a part of a portal into its cell.
    fn arrive(&mut self, net: &PolyanyaMesh, view: &Interval) {
        let start = self.roots[0].at;
        let d = self.target - start;
        let (left, right) = (view.left.perp_dot(d) > 0.0, view.right.perp_dot(d) < 0.0);
        if !left && !right {
            self.offer(d.length(), 0);
            return;
        }
        let number = view.portal as usize;
        let (portal, ends) = (&net.portals[number], net.ends[number]);
        let (at, corner, vertex, side) = match (left && view.left_end, right && view.right_end) {
            (true, _) => (portal.b, portal.corner_b, ends[1], Side::Left),
            (_, true) => (portal.a, portal.corner_a, ends[0], Side::Right),
            _ => return,
        };
        let so_far = at.distance(start);
        let length = so_far + at.distance(self.target);
        if length < self.goal.0 {
            self.goal = (length, self.roots.len() as u32);
            self.roots.push(Root { at, so_far, corner, vertex, parent: 0, side });
        }
    }

    #[inline]
    fn offer(&mut self, length: f64, root: u32) {
        if length < self.goal.0 {
            self.goal = (length, root);
        }
    }

    /// Root-history pruning: the length from which on a path to this corner is pruned.
    #[inline]
    fn limit(&self, corner: u32) -> f64 {
        let reached = &self.reached[corner as usize];
        if reached.query == self.query { reached.so_far * (1.0 + SAME) } else { f64::INFINITY }
    }

    /// Turns from the start around a corner that it sees, if there is a wall to turn around.
    fn turn(&mut self, net: &PolyanyaMesh, (number, side): (u32, Side)) {
        let Some(corner) = net.corners.get(number as usize) else { return };
        if corner.turns(corner.at - self.roots[0].at, side) {
            self.reach(net, 0, (number, side), corner.at);
        }
    }

    /// Makes a corner, at which a path turns to a side, a root: it leads to all between the continued ray and that wall.
    #[inline]
    fn reach(&mut self, net: &PolyanyaMesh, parent: u32, (number, side): (u32, Side), at: DVec2) {
        let from = self.roots[parent as usize];
        let ray = at - from.at;
        let so_far = from.so_far + ray.length();
        let limit = self.limit(number);
        // Lengths grow from root to root, so that no circle is followed for ever.
        if so_far > limit || (so_far <= from.so_far && limit.is_finite()) {
            return;
        }
        let bound = so_far + at.distance(self.target);
        if bound >= self.goal.0 {
            return;
        }
        let corner = &net.corners[number as usize];
        let reached = &mut self.reached[number as usize];
        if reached.query != self.query || so_far < reached.so_far * (1.0 - SAME) {
            (reached.query, reached.so_far, reached.turned) = (self.query, so_far, [NONE; 2]);
        }
        let widest = &mut reached.turned[side as usize];
        if *widest != NONE && !corner.is_wider(ray, at - self.roots[*widest as usize].at, side) {
            // The portals of a fan around a corner end there, every one of them, and in symmetric surroundings many ways
            // are as long.
            return;
        }
        *widest = parent;
        let root = self.roots.len() as u32;
        self.roots.push(Root { at, so_far, corner: number, vertex: corner.vertex, parent, side });
        if reached.sees_end == self.query {
            self.offer(bound, root);
        } else {
            self.wait(bound, FIRST_ROOT | root);
        }
    }

    /// Goes on from a root: to the end, if it is seen, and to the corners at which a path may turn next.
    fn leave(&mut self, net: &PolyanyaMesh, visible: &mut VisibleCorners, number: u32) {
        let root = self.roots[number as usize];
        let reached = &self.reached[root.corner as usize];
        if root.so_far > self.limit(root.corner) || reached.turned[root.side as usize] != root.parent {
            return;
        }
        let corner = &net.corners[root.corner as usize];
        let ray = root.at - self.roots[root.parent as usize].at;
        if corner.goes_on(ray, root.side, self.target - root.at)
            && self.line.is_free_from(net, corner, self.target, &self.ends)
        {
            self.offer(root.so_far + root.at.distance(self.target), number);
        }
        for next in visible.of(net, root.corner, root.side) {
            let at = next.at.as_dvec2();
            if self.blocks[next.block as usize] == self.query && corner.goes_on(ray, root.side, at - root.at) {
                self.reach(net, number, (next.corner, next.side), at);
            }
        }
    }

    /// Keeps what the start sees of a portal, from inside its cell.
    #[inline]
    fn see(&mut self, net: &PolyanyaMesh, seen: VisiblePortal) {
        let VisiblePortal { a, b, view } = seen;
        let p = &net.portals[view.portal as usize];
        if self.blocks[p.block as usize] != self.query {
            return;
        }
        let size = a.perp_dot(b);
        if size <= 0.0 {
            seen.nearer_ends(p).for_each(|end| self.turn(net, end));
            return;
        }
        let (left, right) = (view.left, view.right);
        let along = b - a;
        let straight = self.target - self.roots[0].at;
        let beside = along.perp_dot(straight - a);
        let mut to = straight;
        if beside > 0.0 {
            // The end lies on this side of the portal: its mirror image is as far from every point of it.
            to -= along.perp() * (2.0 * beside / along.length_squared());
        }
        let bound = if left.perp_dot(to) > 0.0 {
            let end = if view.left_end { b } else { left * (size / left.perp_dot(along)) };
            end.length() + end.distance(straight)
        } else if right.perp_dot(to) < 0.0 {
            let end = if view.right_end { a } else { right * (size / right.perp_dot(along)) };
            end.length() + end.distance(straight)
        } else {
            to.length()
        };
        if bound < self.goal.0 {
            self.wait(bound, self.views.len() as u32);
            self.views.push(view);
        }
    }
}
