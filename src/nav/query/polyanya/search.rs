//! The search of Polyanya: observable successors through a portal, non-observable ones around a corner.
//!
//! Its nodes are made as it goes and never relaxed, so that it runs on the heap alone, not on the kernel of numbered
//! nodes.

use glam::DVec2;

use super::interval::{Interval, Side, VisiblePortal};
use super::mesh::PolyanyaMesh;
use crate::nav::mesh::{NONE, NavMesh, NavPoint};
use crate::nav::search::heap::{Heap, Keyed};

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
}

/// A search node: an interval and its root.
#[derive(Clone, Copy, Debug)]
struct SearchNode {
    view: Interval,
    /// Lower bound of the length of a path through the interval.
    bound: f64,
    root: u32,
}

/// The state of a corner; it is valid if `query` is the number of the current query.
#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    query: u32,
    /// The last query whose end this corner sees.
    sees_end: u32,
    so_far: f64,
    /// The root from which it was turned around last, and to which side.
    turned: Option<(u32, Side)>,
}

/// The search and its memory.
#[derive(Debug, Default)]
pub(super) struct IntervalSearch {
    heap: Heap<Keyed>,
    nodes: Vec<SearchNode>,
    pub(super) roots: Vec<Root>,
    /// Turns into a portal in one line with its root, that wait to be made: root, corner, side.
    turns: Vec<(u32, u32, Side)>,
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
    best: Option<SearchNode>,
    /// How many intervals were opened.
    pub(super) expanded: u32,
}

impl IntervalSearch {
    /// Runs the search; returns the length of the path and its last root.
    pub(super) fn run(
        &mut self,
        mesh: &NavMesh,
        net: &PolyanyaMesh,
        start: NavPoint,
        end: NavPoint,
    ) -> Option<(f64, u32)> {
        self.begin(mesh, net, start, end);
        if self.ends.iter().any(|e| self.starts.contains(e)) {
            return Some((self.roots[0].at.distance(self.target), 0));
        }
        if !self.mark(net) {
            return None;
        }
        self.look_around(net);
        loop {
            let node = match self.best.take() {
                Some(node) if self.heap.peek().is_none_or(|least| node.bound <= least.key) => node,
                other => {
                    if let Some(node) = other {
                        self.keep(node);
                    }
                    let Some(item) = self.heap.pop() else { break };
                    self.nodes[item.number as usize]
                }
            };
            if node.bound >= self.goal.0 {
                break;
            }
            self.expanded += 1;
            self.expand(net, &node);
            self.turn_waiting(net);
        }
        self.goal.0.is_finite().then_some(self.goal)
    }

    fn begin(&mut self, mesh: &NavMesh, net: &PolyanyaMesh, start: NavPoint, end: NavPoint) {
        self.heap.clear();
        self.nodes.clear();
        self.roots.clear();
        self.turns.clear();
        self.best = None;
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
        self.roots.push(Root { at, so_far: 0.0, corner: NONE, vertex: NONE, parent: 0 });
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
                    self.see(net, 0, VisiblePortal::whole(portal, p.a - at, p.b - at));
                }
            }
        }
        self.turn_waiting(net);
    }

    #[inline]
    fn keep(&mut self, node: SearchNode) {
        self.heap.push(Keyed { key: node.bound, number: self.nodes.len() as u32 });
        self.nodes.push(node);
    }

    #[inline]
    fn is_end(&self, cell: u32) -> bool {
        cell == self.ends[0] || (self.ends.len() > 1 && self.ends.contains(&cell))
    }

    /// Generates the successors of a search node.
    fn expand(&mut self, net: &PolyanyaMesh, node: &SearchNode) {
        let root = self.roots[node.root as usize];
        if root.corner != NONE && root.so_far > self.limit(root.corner) {
            return;
        }
        let (view, entry) = (&node.view, &net.portals[node.view.portal as usize]);
        if self.is_end(entry.to) {
            self.arrive(net, node, &root);
        }
        if view.right_end && entry.corner_a != NONE {
            self.turn(net, (node.root, entry.corner_a, Side::Right));
        }
        if view.left_end && entry.corner_b != NONE {
            self.turn(net, (node.root, entry.corner_b, Side::Left));
        }
        view.through(net, root.at, |seen| self.see(net, node.root, seen));
    }

    /// Ends paths at the target: the node leads into its cell.
    fn arrive(&mut self, net: &PolyanyaMesh, node: &SearchNode, root: &Root) {
        let d = self.target - root.at;
        let (left, right) = (node.view.left.perp_dot(d) > 0.0, node.view.right.perp_dot(d) < 0.0);
        if !left && !right {
            self.offer(root.so_far + d.length(), node.root);
            return;
        }
        let number = node.view.portal as usize;
        let (portal, ends) = (&net.portals[number], net.ends[number]);
        let (at, corner, vertex) = match (left && node.view.left_end, right && node.view.right_end) {
            (true, _) => (portal.b, portal.corner_b, ends[1]),
            (_, true) => (portal.a, portal.corner_a, ends[0]),
            _ => return,
        };
        let so_far = root.so_far + at.distance(root.at);
        let length = so_far + at.distance(self.target);
        if length < self.goal.0 {
            self.goal = (length, self.roots.len() as u32);
            self.roots.push(Root { at, so_far, corner, vertex, parent: node.root });
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
        if reached.query == self.query { reached.so_far * (1.0 + 1e-12) } else { f64::INFINITY }
    }

    fn turn_waiting(&mut self, net: &PolyanyaMesh) {
        while let Some(turn) = self.turns.pop() {
            self.turn(net, turn);
        }
    }

    /// Non-observable successors: makes a corner the root, if there is a wall to turn around. It sees everything
    /// between the continued ray and that wall.
    fn turn(&mut self, net: &PolyanyaMesh, (parent, number, side): (u32, u32, Side)) {
        let corner = &net.corners[number as usize];
        let from = self.roots[parent as usize];
        let ray = corner.at - from.at;
        if !corner.turns(ray, side) {
            return;
        }
        let so_far = from.so_far + ray.length();
        let limit = self.limit(number);
        // Lengths grow from root to root, so that no circle is followed for ever.
        if so_far > limit || (so_far <= from.so_far && limit.is_finite()) {
            return;
        }
        let reached = &mut self.reached[number as usize];
        if reached.query == self.query && reached.turned == Some((parent, side)) {
            // The portals of a fan around a corner end there, every one of them.
            return;
        }
        if so_far < limit {
            (reached.query, reached.so_far) = (self.query, so_far);
        }
        reached.turned = Some((parent, side));
        let sees_end = reached.sees_end == self.query;
        let root = self.roots.len() as u32;
        self.roots.push(Root { at: corner.at, so_far, corner: number, vertex: corner.vertex, parent });
        if sees_end {
            self.offer(so_far + corner.at.distance(self.target), root);
        }
        corner.beside(net, ray, side, |seen| self.see(net, root, seen));
    }

    /// Adds a search node for a portal that a root sees from inside its cell.
    #[inline]
    fn see(&mut self, net: &PolyanyaMesh, root: u32, seen: VisiblePortal) {
        let VisiblePortal { a, b, view } = seen;
        let p = &net.portals[view.portal as usize];
        if self.blocks[p.block as usize] != self.query {
            return;
        }
        let size = a.perp_dot(b);
        if size <= 0.0 {
            let (corner, side) = seen.nearer_end(p);
            if corner != NONE {
                self.turns.push((root, corner, side));
            }
            return;
        }
        let (left, right) = (view.left, view.right);
        let from = &self.roots[root as usize];
        let along = b - a;
        let straight = self.target - from.at;
        let beside = along.perp_dot(straight - a);
        let mut to = straight;
        if beside > 0.0 {
            // The end lies on this side of the portal: its mirror image is as far from every point of it.
            to -= along.perp() * (2.0 * beside / along.length_squared());
        }
        let rest = if left.perp_dot(to) > 0.0 {
            let end = if view.left_end { b } else { left * (size / left.perp_dot(along)) };
            end.length() + end.distance(straight)
        } else if right.perp_dot(to) < 0.0 {
            let end = if view.right_end { a } else { right * (size / right.perp_dot(along)) };
            end.length() + end.distance(straight)
        } else {
            to.length()
        };
        let bound = from.so_far + rest;
        if bound >= self.goal.0 {
            return;
        }
        let node = SearchNode { view, bound, root };
        match self.best {
            None => self.best = Some(node),
            Some(best) if node.bound < best.bound => {
                self.keep(best);
                self.best = Some(node);
            }
            Some(_) => self.keep(node),
        }
    }
}
