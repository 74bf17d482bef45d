//! The search over intervals: seeing through an edge, turning at a corner.
//!
//! An edge runs with its polygon on its left, so that someone who leaves the polygon through it has its beginning on
//! the right hand and its end on the left.

use glam::{DVec2, Vec3};

use super::{Exact, beyond};
use crate::nav::mesh::{Filter, NavMesh, PolyId};

/// A point or corner that sees intervals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) at: DVec2,
    /// Length of the way here.
    pub(super) so_far: f64,
    pub(super) vertex: u32,
    /// The root before, itself for the start.
    pub(super) parent: u32,
}

/// What a root sees of an edge, between two rays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Directions from the root, differences of original points.
    pub(super) left: DVec2,
    pub(super) right: DVec2,
    /// Lower bound of the length of a path through the interval.
    pub(super) bound: f64,
    pub(super) root: u32,
    pub(super) edge: u32,
    /// Whether the ray ends at the edge's own vertex: then paths may turn there.
    pub(super) left_vertex: bool,
    pub(super) right_vertex: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// A turn at a corner: around the beginning (left) or the end (right) of the edge `entry` into its polygon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) root: u32,
    pub(super) entry: u32,
    pub(super) side: Side,
}

/// A local point seen from above.
#[inline]
pub(super) fn flat(point: Vec3) -> DVec2 {
    DVec2::new(f64::from(point.x), f64::from(point.z))
}

#[inline]
fn at(mesh: &NavMesh, vertex: u32) -> DVec2 {
    flat(mesh.vertices()[vertex as usize])
}

/// The edges of a polygon as a ring.
#[derive(Clone, Copy)]
struct Ring {
    first: u32,
    last: u32,
}

impl Ring {
    #[inline]
    fn of(mesh: &NavMesh, polygon: u32) -> Self {
        let p = mesh.polygon(PolyId(polygon));
        Self { first: p.first_edge, last: p.first_edge + u32::from(p.edge_count) - 1 }
    }

    #[inline]
    fn next(self, edge: u32) -> u32 {
        if edge == self.last { self.first } else { edge + 1 }
    }

    #[inline]
    fn before(self, edge: u32) -> u32 {
        if edge == self.first { self.last } else { edge - 1 }
    }
}

impl Exact {
    /// Searches; whether `goal` holds the way.
    pub(super) fn search(
        &mut self,
        mesh: &NavMesh,
        filter: &Filter,
        start: (PolyId, Vec3),
        end: (PolyId, Vec3),
    ) -> bool {
        self.begin(mesh, filter, start, end);
        if self.ends.iter().any(|e| self.starts.contains(e)) {
            self.goal = (self.roots[0].at.distance(self.target), 0);
            return true;
        }
        self.look_around(mesh, filter);
        loop {
            let node = match self.best.take() {
                Some(node) if node.bound <= self.heap.least() => node,
                other => {
                    if let Some(node) = other {
                        self.keep(node);
                    }
                    let Some(id) = self.heap.pop() else { break };
                    self.nodes[id as usize]
                }
            };
            if node.bound >= self.goal.0 {
                break;
            }
            self.expanded += 1;
            self.expand(mesh, filter, &node);
            while let Some(turn) = self.turns.pop() {
                self.turn(mesh, filter, turn);
            }
        }
        self.goal.0.is_finite()
    }

    fn begin(&mut self, mesh: &NavMesh, filter: &Filter, start: (PolyId, Vec3), end: (PolyId, Vec3)) {
        self.heap.clear();
        self.nodes.clear();
        self.roots.clear();
        self.turns.clear();
        self.best = None;
        self.expanded = 0;
        self.goal = (f64::INFINITY, 0);
        self.target = flat(end.1);
        self.query = self.query.wrapping_add(1);
        if self.query == 0 {
            self.reached.clear();
            self.query = 1;
        }
        if self.reached.len() < mesh.vertices().len() {
            self.reached.resize(mesh.vertices().len(), (0, 0.0));
        }
        flood(mesh, filter, end, &mut self.ends);
        flood(mesh, filter, start, &mut self.starts);
        self.roots.push(Root { at: flat(start.1), so_far: 0.0, vertex: u32::MAX, parent: 0 });
    }

    /// What the start sees.
    fn look_around(&mut self, mesh: &NavMesh, filter: &Filter) {
        let root = self.roots[0];
        for i in 0..self.starts.len() {
            let ring = Ring::of(mesh, self.starts[i]);
            for edge in ring.first..=ring.last {
                let Some(neighbor) = beyond(mesh, filter, edge) else { continue };
                if !self.starts.contains(&neighbor) {
                    let (a, b) = mesh.ends(edge);
                    let (a, b) = (at(mesh, a) - root.at, at(mesh, b) - root.at);
                    self.see(mesh, Seen { edge, root: 0, a, b, left: None, right: None });
                }
            }
        }
        while let Some(turn) = self.turns.pop() {
            self.turn(mesh, filter, turn);
        }
    }

    #[inline]
    fn keep(&mut self, node: Node) {
        self.heap.push(node.bound, self.nodes.len() as u32);
        self.nodes.push(node);
    }

    #[inline]
    fn is_end(&self, polygon: u32) -> bool {
        polygon == self.ends[0] || (self.ends.len() > 1 && self.ends.contains(&polygon))
    }

    /// Goes on through an interval.
    fn expand(&mut self, mesh: &NavMesh, filter: &Filter, node: &Node) {
        let root = self.roots[node.root as usize];
        if root.vertex != u32::MAX && root.so_far > self.limit(root.vertex) {
            return;
        }
        let edge = mesh.edges()[node.edge as usize];
        let ring = Ring::of(mesh, edge.neighbor);
        if self.is_end(edge.neighbor) {
            self.arrive(mesh, node, &root);
        }
        let mut e = ring.next(edge.twin);
        let mut a = at(mesh, mesh.edges()[e as usize].vertex) - root.at;
        let (mut a_left, mut a_right) = (node.left.perp_dot(a), node.right.perp_dot(a));
        let first = e;
        while e != edge.twin && a_left <= 0.0 {
            let next = ring.next(e);
            let b = at(mesh, mesh.edges()[next as usize].vertex) - root.at;
            let (b_left, b_right) = (node.left.perp_dot(b), node.right.perp_dot(b));
            if e == first && node.right_vertex && b_right <= 0.0 {
                self.turns.push(Turn { root: node.root, entry: edge.twin, side: Side::Right });
            }
            if b_right > 0.0 && a_left < 0.0 {
                if beyond(mesh, filter, e).is_some() {
                    let left = (b_left > 0.0).then_some(node.left);
                    let right = (a_right < 0.0).then_some(node.right);
                    self.see(mesh, Seen { edge: e, root: node.root, a, b, left, right });
                }
            } else if e != first && next != edge.twin {
                self.along(mesh, filter, node, e, (a_left == 0.0 && b_left == 0.0, a_right == 0.0 && b_right == 0.0));
            }
            (e, a, a_left, a_right) = (next, b, b_left, b_right);
        }
        if node.left_vertex {
            let y = at(mesh, mesh.edges()[ring.before(edge.twin) as usize].vertex) - root.at;
            if node.left.perp_dot(y) >= 0.0 {
                self.turns.push(Turn { root: node.root, entry: edge.twin, side: Side::Left });
            }
        }
    }

    /// An edge that lies in one line with a ray: it is not seen, but a path along it may turn into it.
    #[cold]
    fn along(&mut self, mesh: &NavMesh, filter: &Filter, node: &Node, edge: u32, (left, right): (bool, bool)) {
        if beyond(mesh, filter, edge).is_some() {
            let entry = mesh.edges()[edge as usize].twin;
            if left {
                self.turns.push(Turn { root: node.root, entry, side: Side::Left });
            } else if right {
                self.turns.push(Turn { root: node.root, entry, side: Side::Right });
            }
        }
    }

    /// The node leads into a polygon with the end.
    fn arrive(&mut self, mesh: &NavMesh, node: &Node, root: &Root) {
        let d = self.target - root.at;
        let (left, right) = (node.left.perp_dot(d) > 0.0, node.right.perp_dot(d) < 0.0);
        if !left && !right {
            self.offer(root.so_far + d.length(), node.root);
            return;
        }
        let (right_end, left_end) = mesh.ends(node.edge);
        if let Some(vertex) = match (left && node.left_vertex, right && node.right_vertex) {
            (true, _) => Some(left_end),
            (_, true) => Some(right_end),
            _ => None,
        } {
            let corner = at(mesh, vertex);
            let so_far = root.so_far + corner.distance(root.at);
            let length = so_far + corner.distance(self.target);
            if length < self.goal.0 {
                self.roots.push(Root { at: corner, so_far, vertex, parent: node.root });
                self.goal = (length, self.roots.len() as u32 - 1);
            }
        }
    }

    #[inline]
    fn offer(&mut self, length: f64, root: u32) {
        if length < self.goal.0 {
            self.goal = (length, root);
        }
    }

    /// The greatest length at which a way to this vertex is worth following.
    #[inline]
    fn limit(&self, vertex: u32) -> f64 {
        match self.reached[vertex as usize] {
            (query, so_far) if query == self.query => so_far * (1.0 + 1e-12),
            _ => f64::INFINITY,
        }
    }

    /// Makes a turn, if there is a wall to turn around: everything between the ray on and that wall is seen.
    fn turn(&mut self, mesh: &NavMesh, filter: &Filter, turn: Turn) {
        let edges = mesh.edges();
        let from = self.roots[turn.root as usize];
        let right = turn.side == Side::Right;
        let vertex = if right { mesh.ends(turn.entry).1 } else { edges[turn.entry as usize].vertex };
        let corner = at(mesh, vertex);
        let ray = corner - from.at;
        let so_far = from.so_far + ray.length();
        if so_far > self.limit(vertex) || !has_wall(mesh, filter, turn, corner, ray) {
            return;
        }
        if so_far < self.limit(vertex) {
            self.reached[vertex as usize] = (self.query, so_far);
        }
        let root = self.roots.len() as u32;
        self.roots.push(Root { at: corner, so_far, vertex, parent: turn.root });
        let mut entry = turn.entry;
        loop {
            let polygon = edges[entry as usize].polygon;
            let ring = Ring::of(mesh, polygon);
            let whole = entry != turn.entry;
            if self.is_end(polygon) {
                let d = self.target - corner;
                let side = ray.perp_dot(d);
                if whole || (if right { side <= 0.0 } else { side >= 0.0 }) {
                    self.offer(so_far + d.length(), root);
                }
            }
            let (mut e, stop) =
                if right { (ring.next(ring.next(entry)), entry) } else { (ring.next(entry), ring.before(entry)) };
            let mut a = at(mesh, edges[e as usize].vertex) - corner;
            while e != stop {
                let next = ring.next(e);
                let b = at(mesh, edges[next as usize].vertex) - corner;
                if beyond(mesh, filter, e).is_some() {
                    let (ahead_a, ahead_b) = (ray.perp_dot(a), ray.perp_dot(b));
                    let mut seen = Seen { edge: e, root, a, b, left: None, right: None };
                    let on_side = if whole {
                        true
                    } else if right {
                        seen.left = (ahead_b > 0.0).then_some(ray);
                        ahead_a < 0.0 || (ahead_a == 0.0 && ray.dot(a) < 0.0)
                    } else {
                        seen.right = (ahead_a < 0.0).then_some(ray);
                        ahead_b > 0.0 || (ahead_b == 0.0 && ray.dot(b) < 0.0)
                    };
                    if on_side || (ahead_a == 0.0 && ahead_b == 0.0) {
                        self.see(mesh, seen);
                    }
                }
                (e, a) = (next, b);
            }
            let out = if right { ring.next(entry) } else { ring.before(entry) };
            if beyond(mesh, filter, out).is_none() {
                break;
            }
            entry = edges[out as usize].twin;
        }
    }

    /// A root sees an edge from inside its polygon: makes the interval.
    #[inline]
    fn see(&mut self, mesh: &NavMesh, seen: Seen) {
        let Seen { edge, root, a, b, .. } = seen;
        let size = a.perp_dot(b);
        if size <= 0.0 {
            if size == 0.0 {
                // Seen in one line: a path along it may turn at its nearer end.
                let side = if a.length_squared() < b.length_squared() { Side::Right } else { Side::Left };
                self.turns.push(Turn { root, entry: mesh.edges()[edge as usize].twin, side });
            }
            return;
        }
        let (left, right) = (seen.left.unwrap_or(b), seen.right.unwrap_or(a));
        let from = &self.roots[root as usize];
        let along = b - a;
        let mut to = self.target - from.at;
        let beside = along.perp_dot(to - a);
        let straight = to;
        if beside > 0.0 {
            // The end lies on this side of the edge: its mirror image is as far from every point of it.
            to -= along.perp() * (2.0 * beside / along.length_squared());
        }
        let rest = if left.perp_dot(to) > 0.0 {
            let end = if seen.left.is_none() { b } else { left * (size / left.perp_dot(along)) };
            end.length() + end.distance(straight)
        } else if right.perp_dot(to) < 0.0 {
            let end = if seen.right.is_none() { a } else { right * (size / right.perp_dot(along)) };
            end.length() + end.distance(straight)
        } else {
            to.length()
        };
        let bound = from.so_far + rest;
        if bound >= self.goal.0 {
            return;
        }
        let (left_vertex, right_vertex) = (seen.left.is_none(), seen.right.is_none());
        let node = Node { left, right, bound, root, edge, left_vertex, right_vertex };
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

/// An edge from `a` to `b` (as seen from the root) and the rays that cut it, where they do.
struct Seen {
    edge: u32,
    root: u32,
    a: DVec2,
    b: DVec2,
    left: Option<DVec2>,
    right: Option<DVec2>,
}

/// Whether a wall begins at the corner within half a turn from the ray on: without one the turn is a detour.
fn has_wall(mesh: &NavMesh, filter: &Filter, turn: Turn, corner: DVec2, ray: DVec2) -> bool {
    let edges = mesh.edges();
    let mut entry = turn.entry;
    loop {
        let ring = Ring::of(mesh, edges[entry as usize].polygon);
        let right = turn.side == Side::Right;
        let out = if right { ring.next(entry) } else { ring.before(entry) };
        let tip = edges[if right { ring.next(out) } else { out } as usize].vertex;
        let beside = ray.perp_dot(at(mesh, tip) - corner);
        if if right { beside > 0.0 } else { beside < 0.0 } {
            return false;
        }
        if beyond(mesh, filter, out).is_none() {
            return true;
        }
        entry = edges[out as usize].twin;
        if entry == turn.entry {
            return false;
        }
    }
}

/// The polygons that the point lies in or on, as far as edges connect them around it.
fn flood(mesh: &NavMesh, filter: &Filter, (id, point): (PolyId, Vec3), found: &mut Vec<u32>) {
    found.clear();
    found.push(id.0);
    let point = flat(point);
    let mut next = 0;
    while next < found.len() {
        let ring = Ring::of(mesh, found[next]);
        for edge in ring.first..=ring.last {
            let (a, b) = mesh.ends(edge);
            let (a, b) = (at(mesh, a) - point, at(mesh, b) - point);
            if a.perp_dot(b) <= 0.0 && a.dot(b) <= 0.0 {
                if let Some(neighbor) = beyond(mesh, filter, edge).filter(|n| !found.contains(n)) {
                    found.push(neighbor);
                }
            }
        }
        next += 1;
    }
}
