//! A half-edge mesh whose faces (rings) can be cut and merged.

use glam::DVec2;

use crate::math::plan::to_plan_f64;
use crate::nav::mesh::{Filter, NONE, NavMesh, PolyId};
use crate::nav::query::surface::passable_neighbor;

/// Larger polygons are not cut at reflex vertices: that would take long.
const MAX_CUT: usize = 256;

/// One side of an edge, with its ring on the left.
#[derive(Clone, Copy, Debug)]
pub(in crate::nav::query) struct HalfEdge {
    pub(in crate::nav::query) vertex: u32,
    /// The same edge in the ring beyond, [`NONE`] for a wall.
    pub(in crate::nav::query) twin: u32,
    pub(in crate::nav::query) next: u32,
    pub(in crate::nav::query) before: u32,
    /// The ring that it was made in.
    ring: u32,
    /// Still in a ring.
    pub(in crate::nav::query) live: bool,
}

/// Rings of half-edges: at first the polygons of a mesh that a filter passes, by their numbers.
pub(in crate::nav::query) struct HalfEdgeMesh<'a> {
    mesh: &'a NavMesh,
    pub(in crate::nav::query) edges: Vec<HalfEdge>,
    /// Per ring: the ring that took it in, itself otherwise.
    into: Vec<u32>,
    /// Rings that were cut off, each with the polygon that it was cut from.
    cut: Vec<(u32, u32)>,
}

/// What came of merges, so that rings are not tried again over each edge that they share, as long as neither has changed.
struct MergeTries {
    /// How many have been made, and one.
    merges: u32,
    /// Per ring that number when it was merged with another one the last time, 0 before.
    changed: Vec<u32>,
    /// Per edge that number when the rings beside it could not be merged, 0 before.
    failed: Vec<u32>,
}

impl MergeTries {
    fn new(mesh: &HalfEdgeMesh) -> Self {
        Self { merges: 1, changed: vec![0; mesh.count()], failed: vec![0; mesh.edges.len()] }
    }

    /// Whether two rings were tried over an edge that they share, as they are now.
    fn is_in_vain(&self, edge: u32, rings: [u32; 2]) -> bool {
        let failed = self.failed[edge as usize];
        failed > 0 && rings.iter().all(|&ring| self.changed[ring as usize] <= failed)
    }
}

impl<'a> HalfEdgeMesh<'a> {
    pub(in crate::nav::query) fn new(mesh: &'a NavMesh, filter: &Filter) -> Self {
        // An edge that no polygon has any more stays dead.
        let dead = HalfEdge { vertex: 0, twin: NONE, next: 0, before: 0, ring: 0, live: false };
        let mut edges = vec![dead; mesh.edges().len()];
        for (number, p) in mesh.polygons().iter().enumerate() {
            let live = filter.passes(p);
            let (first, end) = (p.first_edge, p.first_edge + u32::from(p.edge_count));
            for e in first..end {
                let edge = &mesh.edges()[e as usize];
                edges[e as usize] = HalfEdge {
                    vertex: edge.vertex,
                    twin: passable_neighbor(mesh, filter, e).filter(|_| live).map_or(NONE, |_| edge.twin),
                    next: if e + 1 == end { first } else { e + 1 },
                    before: if e == first { end - 1 } else { e - 1 },
                    ring: number as u32,
                    live,
                };
            }
        }
        Self { mesh, edges, into: (0..mesh.len() as u32).collect(), cut: Vec::new() }
    }

    /// How many rings there ever were.
    pub(in crate::nav::query) fn count(&self) -> usize {
        self.into.len()
    }

    #[inline]
    pub(in crate::nav::query) fn at(&self, vertex: u32) -> DVec2 {
        to_plan_f64(self.mesh.vertices()[vertex as usize])
    }

    /// The vertex where an edge ends.
    #[inline]
    pub(in crate::nav::query) fn end(&self, edge: u32) -> u32 {
        self.edges[self.edges[edge as usize].next as usize].vertex
    }

    /// The ring that took this one in, in the end.
    pub(in crate::nav::query) fn merged(&self, mut ring: u32) -> u32 {
        while self.into[ring as usize] != ring {
            ring = self.into[ring as usize];
        }
        ring
    }

    /// The ring of an edge.
    pub(in crate::nav::query) fn ring(&self, edge: u32) -> u32 {
        self.merged(self.edges[edge as usize].ring)
    }

    /// A polygon that a ring is a part of, or took in.
    pub(in crate::nav::query) fn polygon(&self, ring: u32) -> u32 {
        match (ring as usize).checked_sub(self.mesh.len()) {
            Some(cut) => self.cut[cut].0,
            None => ring,
        }
    }

    /// Calls `f` with every edge of a ring.
    pub(in crate::nav::query) fn around(&self, edge: u32, mut f: impl FnMut(u32)) {
        let mut e = edge;
        loop {
            f(e);
            e = self.edges[e as usize].next;
            if e == edge {
                break;
            }
        }
    }

    /// How far the ring turns left at the beginning of an edge: negative at a reflex vertex.
    fn bend(&self, edge: u32) -> f64 {
        let e = &self.edges[edge as usize];
        let at = self.at(e.vertex);
        (at - self.at(self.edges[e.before as usize].vertex)).perp_dot(self.at(self.end(edge)) - at)
    }

    /// Takes out edges whose ends are one place, seen from above or, `in_space`, at one height, too: such an edge has no
    /// direction, so that at its ends no angle could be told. One between two polygons stays where all that connects these
    /// around its ends is the edge.
    pub(in crate::nav::query) fn drop_edges_without_length(&mut self, in_space: bool) {
        for edge in 0..self.edges.len() as u32 {
            let HalfEdge { vertex, twin, live, .. } = self.edges[edge as usize];
            if !live {
                continue;
            }
            let [from, to] = [vertex, self.end(edge)].map(|v| self.mesh.vertices()[v as usize]);
            if from.x != to.x || from.z != to.z || (in_space && from.y != to.y) {
                continue;
            }
            if twin == NONE {
                self.drop_edge(edge);
            } else if self.is_enclosed(edge) || self.is_enclosed(twin) {
                self.drop_edge(edge);
                self.drop_edge(twin);
            }
        }
    }

    fn drop_edge(&mut self, edge: u32) {
        let HalfEdge { before, next, .. } = self.edges[edge as usize];
        self.link(before, next);
        self.edges[edge as usize].live = false;
    }

    /// Whether no wall ends at the beginning of an edge, in the fan of rings that the edge lies in.
    fn is_enclosed(&self, edge: u32) -> bool {
        let mut out = edge;
        loop {
            out = self.edges[self.edges[out as usize].before as usize].twin;
            if out == NONE || out == edge {
                return out == edge;
            }
        }
    }

    /// The first edge of a polygon that is in a ring.
    fn first_edge(&self, polygon: u32) -> Option<u32> {
        let p = self.mesh.polygon(PolyId(polygon));
        (p.first_edge..p.first_edge + u32::from(p.edge_count)).find(|&e| self.edges[e as usize].live)
    }

    /// Cuts triangles off rings with reflex vertices, until none is left.
    pub(in crate::nav::query) fn cut_reflex_vertices(&mut self) {
        for polygon in 0..self.mesh.len() as u32 {
            let Some(mut edge) = self.first_edge(polygon) else { continue };
            if usize::from(self.mesh.polygon(PolyId(polygon)).edge_count) > MAX_CUT {
                continue;
            }
            while let Some(ear) = self.ear_at_reflex_vertex(edge) {
                edge = self.cut_ear(polygon, ear);
            }
        }
    }

    /// Cuts all rings into triangles.
    pub(in crate::nav::query) fn cut_to_triangles(&mut self) {
        let mut ring = Vec::new();
        for polygon in 0..self.mesh.len() as u32 {
            let Some(mut edge) = self.first_edge(polygon) else { continue };
            loop {
                ring.clear();
                self.around(edge, |e| ring.push(e));
                let Some(&ear) = ring.iter().find(|&&e| ring.len() > 3 && self.is_ear(e, &ring)) else { break };
                edge = self.cut_ear(polygon, ear);
            }
        }
    }

    /// An edge whose beginning can be cut off, best beside a reflex vertex; none when the ring has none.
    fn ear_at_reflex_vertex(&self, edge: u32) -> Option<u32> {
        let mut ring = Vec::new();
        self.around(edge, |e| ring.push(e));
        let reflex = |e: u32| self.bend(e) < 0.0;
        if !ring.iter().any(|&e| reflex(e)) {
            return None;
        }
        let beside = |e: u32| reflex(self.edges[e as usize].before) || reflex(self.edges[e as usize].next);
        let mut ears = ring.iter().copied().filter(|&e| self.is_ear(e, &ring));
        let any = ears.clone().next();
        ears.find(|&e| beside(e)).or(any)
    }

    fn is_ear(&self, edge: u32, ring: &[u32]) -> bool {
        if self.bend(edge) <= 0.0 {
            return false;
        }
        let e = &self.edges[edge as usize];
        let corners = [self.edges[e.before as usize].vertex, e.vertex, self.end(edge)];
        let [a, b, c] = corners.map(|v| self.at(v));
        ring.iter().map(|&e| self.edges[e as usize].vertex).filter(|v| !corners.contains(v)).all(|v| {
            let p = self.at(v);
            (b - a).perp_dot(p - a) < 0.0 || (c - b).perp_dot(p - b) < 0.0 || (a - c).perp_dot(p - c) < 0.0
        })
    }

    /// Cuts off the triangle at the beginning of an edge; an edge of what is left.
    fn cut_ear(&mut self, polygon: u32, edge: u32) -> u32 {
        let ring = self.into.len() as u32;
        self.into.push(ring);
        self.cut.push((polygon, ring));
        let (into, out) = (self.edges[edge as usize].before, edge);
        let (from, to) = (self.edges[into as usize].before, self.edges[out as usize].next);
        let (left, off) = (self.edges.len() as u32, self.edges.len() as u32 + 1);
        let (start, end) = (self.edges[into as usize].vertex, self.edges[to as usize].vertex);
        self.edges.push(HalfEdge { vertex: start, twin: off, next: to, before: from, ring: polygon, live: true });
        self.edges.push(HalfEdge { vertex: end, twin: left, next: into, before: out, ring, live: true });
        self.edges[from as usize].next = left;
        self.edges[to as usize].before = left;
        self.edges[into as usize].before = off;
        self.edges[out as usize].next = off;
        (self.edges[into as usize].ring, self.edges[out as usize].ring) = (ring, ring);
        left
    }

    /// Outlines of the parts of polygons that were cut: polygon, ring, corners.
    pub(in crate::nav::query) fn cut_outlines(&self) -> Vec<(u32, u32, Vec<DVec2>)> {
        let mut rings: Vec<(u32, u32)> = self.cut.iter().flat_map(|&(p, r)| [(p, p), (p, r)]).collect();
        rings.sort_unstable();
        rings.dedup();
        let mut some = vec![NONE; self.count()];
        for (e, edge) in self.edges.iter().enumerate().filter(|(_, edge)| edge.live) {
            some[edge.ring as usize] = e as u32;
        }
        let outline = |(p, ring): (u32, u32)| {
            let mut corners = Vec::new();
            self.around(some[ring as usize], |e| corners.push(self.at(self.edges[e as usize].vertex)));
            (p, ring, corners)
        };
        rings.into_iter().map(outline).collect()
    }

    /// Takes rings together that are convex as one, over their longest edges first.
    /// `alike` says of which two polygons, by numbers.
    pub(in crate::nav::query) fn merge(&mut self, alike: impl Fn(u32, u32) -> bool) {
        let length = |e: u32| self.at(self.edges[e as usize].vertex).distance_squared(self.at(self.end(e)));
        let inner = (0..self.edges.len() as u32).filter(|&e| {
            let edge = &self.edges[e as usize];
            edge.live
                && edge.twin != NONE
                && edge.twin > e
                && alike(self.polygon(edge.ring), self.polygon(self.edges[edge.twin as usize].ring))
        });
        let mut order: Vec<(f64, u32)> = inner.map(|e| (length(e), e)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut tries = MergeTries::new(self);
        loop {
            let before = order.len();
            order.retain(|&(_, e)| self.edges[e as usize].live && !self.merge_over(e, &mut tries));
            if order.len() == before {
                break;
            }
        }
    }

    /// Merges the two rings beside an edge, if that leaves a convex one.
    fn merge_over(&mut self, edge: u32, tries: &mut MergeTries) -> bool {
        let rings = [edge, self.edges[edge as usize].twin].map(|e| self.ring(e));
        if tries.is_in_vain(edge, rings) {
            return false;
        }
        let [first, last] = self.shared_row(edge);
        if !self.can_merge(first, last) {
            let mut e = first;
            while e != last {
                tries.failed[e as usize] = tries.merges;
                e = self.edges[e as usize].next;
            }
            tries.failed[last as usize] = tries.merges;
            return false;
        }
        let (twin, last_twin) = (self.edges[first as usize].twin, self.edges[last as usize].twin);
        let (ring, other) = (self.ring(first), self.ring(twin));
        let (into, out) = (self.edges[first as usize].before, self.edges[twin as usize].next);
        let (into_other, out_other) = (self.edges[last_twin as usize].before, self.edges[last as usize].next);
        let mut gone = first;
        loop {
            let HalfEdge { twin, next, .. } = self.edges[gone as usize];
            self.edges[twin as usize].live = false;
            self.edges[gone as usize].live = false;
            if gone == last {
                break;
            }
            gone = next;
        }
        self.link(into, out);
        self.link(into_other, out_other);
        self.into[other as usize] = ring;
        tries.merges += 1;
        tries.changed[ring as usize] = tries.merges;
        true
    }

    /// The edges in a row, from first to last, that two rings share: at the vertices between them are no other rings.
    fn shared_row(&self, edge: u32) -> [u32; 2] {
        let e = |i: u32| &self.edges[i as usize];
        let (mut first, mut last) = (edge, edge);
        while e(e(first).before).twin != NONE && e(e(first).before).twin == e(e(first).twin).next {
            first = e(first).before;
            if first == edge {
                break;
            }
        }
        while e(last).next != first && e(e(last).next).twin != NONE && e(e(last).next).twin == e(e(last).twin).before {
            last = e(last).next;
        }
        [first, last]
    }

    /// Whether taking out a whole row of edges that two rings share leaves one convex ring.
    fn can_merge(&self, first: u32, last: u32) -> bool {
        let e = |i: u32| &self.edges[i as usize];
        let other = self.ring(e(first).twin);
        // Nothing would be left of two rings that share all their edges.
        if self.ring(first) == other || e(last).next == first {
            return false;
        }
        let straight = |into: u32, out: u32| {
            let (a, b, c) = (self.at(e(into).vertex), self.at(e(out).vertex), self.at(self.end(out)));
            let bend = (b - a).perp_dot(c - b);
            bend > 0.0 || (bend == 0.0 && (b - a).dot(c - b) > 0.0)
        };
        let (first_twin, last_twin) = (e(first).twin, e(last).twin);
        let (into, out) = (e(first).before, e(first_twin).next);
        let (into_other, out_other) = (e(last_twin).before, e(last).next);
        if !straight(into, out) || !straight(into_other, out_other) {
            return false;
        }
        // A second row of shared edges would leave a wall inside.
        let mut at = out_other;
        while at != first {
            if e(at).twin != NONE && self.ring(e(at).twin) == other {
                return false;
            }
            at = e(at).next;
        }
        true
    }

    fn link(&mut self, edge: u32, next: u32) {
        self.edges[edge as usize].next = next;
        self.edges[next as usize].before = edge;
    }

    /// Joins edges in one line between the same two rings.
    pub(in crate::nav::query) fn join_portals(&mut self) {
        for edge in 0..self.edges.len() as u32 {
            loop {
                let e = self.edges[edge as usize];
                let next = self.edges[e.next as usize];
                let joins = e.live
                    && e.twin != NONE
                    && next.twin != NONE
                    && next.twin == self.edges[e.twin as usize].before
                    && next.next != edge
                    && self.bend(e.next) == 0.0;
                if !joins {
                    break;
                }
                self.edges[e.next as usize].live = false;
                self.edges[e.twin as usize].live = false;
                self.link(edge, next.next);
                let after = self.edges[e.twin as usize].next;
                self.link(next.twin, after);
                self.edges[edge as usize].twin = next.twin;
                self.edges[next.twin as usize].twin = edge;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::{RawMesh, RawPolygon};
    use glam::DVec3;

    #[test]
    fn rings_along_a_long_row_are_tried_once() {
        // Two rows of squares that become two strips. The second one is longer, so that both together are not convex.
        let count = 1000_u32;
        let corner = |i: u32| DVec3::new((i % (count + 2)) as f64, 0.0, (i / (count + 2)) as f64 * 2.0);
        let mut raw = RawMesh { vertices: (0..3 * (count + 2)).map(corner).collect(), polygons: Vec::new() };
        for (row, columns) in [(0, 0..count), (1, 0..count + 1)] {
            raw.polygons.extend(
                columns
                    .map(|x| row * (count + 2) + x)
                    .map(|low| RawPolygon::new([low, low + 1, low + count + 3, low + count + 2])),
            );
        }
        let mesh = raw.validate().unwrap();
        let mut rings = HalfEdgeMesh::new(&mesh, &Filter::default());
        rings.merge(|_, _| true);
        let mut left: Vec<u32> = (0..rings.count() as u32).map(|ring| rings.merged(ring)).collect();
        left.sort_unstable();
        left.dedup();
        assert_eq!(left.len(), 2);
        let mut tries = MergeTries::new(&rings);
        let row = (0..rings.edges.len() as u32).filter(|&e| rings.edges[e as usize].twin != NONE);
        let row: Vec<u32> = row.filter(|&e| rings.edges[e as usize].live && rings.ring(e) == left[0]).collect();
        assert_eq!(row.len(), count as usize);
        assert!(!rings.merge_over(row[row.len() / 2], &mut tries));
        assert!(row.iter().all(|&e| tries.is_in_vain(e, [left[0], left[1]])), "over no other edge again");
        tries.merges += 1;
        tries.changed[left[1] as usize] = tries.merges;
        assert!(!tries.is_in_vain(row[0], [left[0], left[1]]), "a ring that has changed is tried again");
    }
}
