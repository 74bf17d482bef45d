//! Patches a mesh where obstacles changed.
//!
//! Changes are written behind the original elements: pieces of polygons, outlines with more corners, their portals,
//! ray-cast blocks, lists of grid cells. A polygon that is as it was gets its original elements back, and those behind
//! are reused. They are truncated whenever nothing else needs them, or when fragmentation piles up.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use super::state::{CutOutline, DynamicMesh, EdgePoints, FreeLists, OutlineCorner, Touch};
use crate::math::Aabb;
use crate::nav::mesh::free_list::put;
use crate::nav::mesh::grid::GridEntry;
use crate::nav::mesh::validate::UNNUMBERED;
use crate::nav::mesh::{Edge, GoalRange, NONE, NavMesh, PolyId, PolyLink, Polygon, SoaPolygons};

/// Any goal may lie beyond.
const ANYWHERE: GoalRange = GoalRange { from: 0, count: NONE };
/// With at most this many obstacles, it is tested whether a change affects all of them.
const MAX_TESTED: usize = 8;
/// Elements behind the original mesh at which it is compacted, in edges: this many, or this multiple of the original
/// ones. To cut everything again takes milliseconds.
const MIN_GARBAGE: usize = 4096;
const MAX_GARBAGE_FACTOR: usize = 4;

/// The edges of a polygon.
fn edges(p: &Polygon) -> Range<u32> {
    p.first_edge..p.first_edge + u32::from(p.edge_count)
}

impl DynamicMesh {
    /// Brings the mesh up to date around the dirty polygons. Returns the affected original polygons, first those that
    /// were cut again, and the number of these.
    pub(super) fn patch(&mut self) -> (Vec<u32>, usize) {
        let base = Arc::clone(&self.base);
        self.mesh.open();
        self.buffers.next_stamp();
        self.buffers.gone.clear();
        let mut ring = std::mem::take(&mut self.dirty);
        ring.sort_unstable();
        ring.dedup();
        let compacts = self.needs_compaction(&ring);
        if compacts {
            self.compact(&base, &ring);
            ring.extend(self.obstacles.values().flat_map(|e| &e.polygons));
            ring.sort_unstable();
            ring.dedup();
        }
        for &p in &ring {
            self.buffers.touched[p as usize] = Touch::Cut;
        }
        for i in 0..ring.len() {
            self.renew_points(&base, ring[i], &mut ring);
        }
        for &p in &ring {
            self.renew_pieces(&base, p);
        }
        self.pointed.retain(|&e| self.points[e as usize].is_some());
        let cut = ring.len();
        self.spread(&base, &mut ring, 0..cut, Touch::Patched);
        let patched = ring.len();
        self.spread(&base, &mut ring, cut..patched, Touch::Near);
        for &p in &ring[..patched] {
            self.write(&base, p);
        }
        self.link(&base, &ring[..patched], &ring[patched..]);
        for &p in &ring[..patched] {
            self.slots(p).for_each(|slot| self.list_portals(&base, slot));
        }
        self.list_links_beyond(&base, &ring[..patched], &ring[patched..]);
        let NavMesh { vertices, polygons, edges, soa_polygons, .. } = &mut *self.mesh;
        for &p in &ring {
            soa_polygons.fill(p, vertices, polygons, edges);
            if let Some(cut) = self.cuts[p as usize].as_ref().filter(|c| c.is_parted) {
                cut.slots.clone().for_each(|slot| soa_polygons.fill(slot, vertices, polygons, edges));
            }
        }
        for &p in &ring[..cut] {
            self.list_cells(&base, p);
        }
        if !self.keep_islands(&base, &ring) {
            self.number_islands();
        }
        for &p in &ring {
            self.buffers.touched[p as usize] = Touch::None;
        }
        if compacts {
            self.buffers.garbage = self.garbage();
        }
        self.mesh.close();
        (ring, cut)
    }

    /// Size of what lies behind the original mesh, in edges.
    fn garbage(&self) -> usize {
        let (m, b) = (&self.mesh, &self.base);
        let behind = [m.portals.links.len() - b.portals.links.len(), m.grid.items.len() - b.grid.items.len()];
        m.edges.len() - b.edges.len() + m.vertices.len() - b.vertices.len() + behind.iter().sum::<usize>() / 4
    }

    fn needs_compaction(&self, dirty: &[u32]) -> bool {
        let untouched = |p: &u32| dirty.binary_search(p).is_err();
        self.garbage() > 2 * self.buffers.garbage + MIN_GARBAGE.max(MAX_GARBAGE_FACTOR * self.base.edges.len())
            || self.obstacles.values().filter(|e| !e.polygons.is_empty()).nth(MAX_TESTED).is_none()
                && !self.obstacles.values().flat_map(|e| &e.polygons).any(untouched)
    }

    /// Truncates what lies behind the original mesh; all cut polygons have to be cut again.
    fn compact(&mut self, base: &NavMesh, dirty: &[u32]) {
        for p in dirty.iter().chain(self.obstacles.values().flat_map(|e| &e.polygons)) {
            // The indices of the pieces vanish.
            if let Some(cut) = &mut self.cuts[*p as usize] {
                cut.made.clear();
                let slots = std::mem::take(&mut cut.slots);
                self.buffers.gone.extend(slots.map(|s| self.mesh.polygons[s as usize].island));
            }
        }
        let m = &mut *self.mesh;
        m.vertices.truncate(base.vertices.len());
        m.polygons.truncate(base.polygons.len());
        m.edges.truncate(base.edges.len());
        m.begins.truncate(base.begins.len());
        m.boxes.truncate(base.boxes.len());
        m.source.truncate(base.source.len());
        m.parents.clear();
        m.portals.spans.clone_from(&base.portals.spans);
        m.portals.links.truncate(base.portals.links.len());
        m.portals.beyond.clone_from(&base.portals.beyond);
        m.portals.portals.truncate(base.portals.portals.len());
        m.portals.ends.truncate(base.portals.ends.len());
        m.portals.goal_numbers.truncate(base.portals.goal_numbers.len());
        m.soa_polygons.polygons.clone_from(&base.soa_polygons.polygons);
        m.soa_polygons.owners.truncate(base.soa_polygons.owners.len());
        m.soa_polygons.blocks.truncate(base.soa_polygons.blocks.len());
        m.grid.spans.clone_from(&base.grid.spans);
        m.grid.items.truncate(base.grid.items.len());
        m.grid.boxes.truncate(base.grid.boxes.len());
        self.labels.truncate(base.edges.len());
        for edge in self.pointed.drain(..) {
            self.points[edge as usize] = None;
        }
        for (p, b) in m.polygons.iter_mut().zip(&base.polygons) {
            (p.first_edge, p.edge_count) = (b.first_edge, b.edge_count);
        }
        self.free = FreeLists::default();
    }

    /// Adds the neighbours of some polygons to the list.
    fn spread(&mut self, base: &NavMesh, ring: &mut Vec<u32>, of: Range<usize>, touch: Touch) {
        let first = if touch == Touch::Near { 0 } else { of.start };
        for i in first..of.end {
            for e in edges(&base.polygons[ring[i] as usize]) {
                let n = base.edges[e as usize].neighbor;
                if n != NONE && self.buffers.touched[n as usize] == Touch::None {
                    self.buffers.touched[n as usize] = touch;
                    ring.push(n);
                }
            }
        }
    }

    /// Computes the crossing points of a polygon's edges. A cut neighbour with changed points has to be cut again as
    /// well.
    fn renew_points(&mut self, base: &NavMesh, polygon: u32, ring: &mut Vec<u32>) {
        for edge in edges(&base.polygons[polygon as usize]) {
            let line = self.side_of(edge).0;
            let seen = &mut self.buffers.lines[line as usize];
            if std::mem::replace(&mut seen.0, self.buffers.stamp) != self.buffers.stamp {
                seen.1 = NONE;
                let (is_other, n) = (self.find_points(line), base.edges[edge as usize].neighbor);
                let is_cut = is_other && n != NONE && self.cuts[n as usize].is_some();
                if is_cut && self.buffers.touched[n as usize] == Touch::None {
                    self.buffers.touched[n as usize] = Touch::Cut;
                    ring.push(n);
                }
            }
        }
    }

    /// Cuts a polygon again and assigns indices to its pieces.
    fn renew_pieces(&mut self, base: &NavMesh, polygon: u32) {
        if let Some(old) = self.cuts[polygon as usize].as_ref().map(|c| c.slots.clone()) {
            self.free_slots(&old);
            old.for_each(|slot| self.retire(base, slot));
        }
        if self.cuts[polygon as usize].as_ref().is_none_or(|c| c.obstacles.is_empty()) {
            let cut = self.cuts[polygon as usize].take();
            self.free_vertices(cut.into_iter().flat_map(|c| c.made));
            return;
        }
        self.cut(polygon);
        let Some(cut) = self.cuts[polygon as usize].as_mut() else { return };
        let m = &mut *self.mesh;
        let count = if cut.is_parted { cut.pieces.len() } else { 0 };
        let first = self.free.slots.allocate(count, m.polygons.len());
        cut.slots = first..first + count as u32;
        for slot in cut.slots.clone() {
            put(&mut m.polygons, slot, Polygon { island: UNNUMBERED, ..base.polygons[polygon as usize] });
            put(&mut m.boxes, slot, base.boxes[polygon as usize]);
            put(&mut m.source, slot, base.source[polygon as usize]);
            put(&mut m.parents, slot - base.own, polygon);
            put(&mut m.portals.spans, slot, (0, 0));
            put(&mut m.portals.goal_numbers, slot, base.portals.goal_numbers[polygon as usize]);
            put(&mut m.soa_polygons.polygons, slot, base.soa_polygons.polygons[polygon as usize]);
        }
    }

    /// Retires a polygon: nothing leads to it or away from it.
    fn retire(&mut self, base: &NavMesh, slot: u32) {
        self.free_outline(base, slot);
        let m = &mut *self.mesh;
        let whole = m.parent_poly(PolyId(slot)).index();
        let p = &mut m.polygons[slot as usize];
        if p.island < UNNUMBERED {
            self.buffers.gone.push(p.island);
        }
        (p.flags, p.island, p.first_edge) = (0, NONE, base.polygons[whole].first_edge);
        if slot >= base.own {
            p.edge_count = 0;
        }
        m.soa_polygons.polygons[slot as usize] = base.soa_polygons.polygons[whole];
    }

    /// The current indices of an original polygon: its own or those of its pieces.
    pub(super) fn slots(&self, polygon: u32) -> Range<u32> {
        match &self.cuts[polygon as usize] {
            Some(cut) if cut.is_parted => cut.slots.clone(),
            _ => polygon..polygon + 1,
        }
    }

    /// Writes a polygon and its edges, still without neighbours.
    fn write(&mut self, base: &NavMesh, polygon: u32) {
        let p = polygon as usize;
        let whole = base.polygons[p];
        let before = self.mesh.polygons[p].island;
        self.free_outline(base, polygon);
        let island = if before == NONE { UNNUMBERED } else { before };
        self.mesh.polygons[p] = Polygon { flags: self.flags[p], island, ..whole };
        self.mesh.soa_polygons.polygons[p] = base.soa_polygons.polygons[p];
        for edge in &mut self.mesh.edges[whole.first_edge as usize..][..usize::from(whole.edge_count)] {
            *edge = Edge { neighbor: NONE, twin: NONE, ..*edge };
        }
        if self.cuts[p].as_ref().is_some_and(|c| c.is_parted) {
            self.retire(base, polygon);
            self.mesh.order[base.source[p] as usize] = NONE;
            return self.write_pieces(base, polygon);
        }
        self.mesh.order[base.source[p] as usize] = polygon;
        let mut outline = CutOutline::new();
        for edge in edges(&whole) {
            outline.push(OutlineCorner { vertex: base.edges[edge as usize].vertex, label: edge });
            self.points_along(edge, |vertex, used| {
                if used {
                    outline.push(OutlineCorner { vertex, label: edge });
                }
            });
        }
        if outline.len() > usize::from(whole.edge_count) {
            let first = self.write_edges(polygon, &outline);
            let new = &mut self.mesh.polygons[p];
            (new.first_edge, new.edge_count) = (first, outline.len() as u16);
            self.make_blocks(polygon);
        }
    }

    /// Assigns ray-cast blocks to a polygon.
    fn make_blocks(&mut self, slot: u32) {
        let NavMesh { polygons, soa_polygons, .. } = &mut *self.mesh;
        let p = &polygons[slot as usize];
        let first = self.free.blocks.allocate(SoaPolygons::blocks_for(p), soa_polygons.blocks.len());
        soa_polygons.polygons[slot as usize] = soa_polygons.reserve(slot, p, first);
    }

    fn write_pieces(&mut self, base: &NavMesh, polygon: u32) {
        let Some(cut) = self.cuts[polygon as usize].take() else { return };
        let mut outline = CutOutline::new();
        for (slot, piece) in cut.slots.clone().zip(&cut.pieces) {
            self.free_outline(base, slot);
            outline.clear();
            let mut before = piece[piece.len() - 1].label;
            for c in piece {
                if before != c.label || !self.is_unused(c.label, c.vertex) {
                    outline.push(*c);
                }
                before = c.label;
            }
            let first_edge = self.write_edges(slot, &outline);
            let corners = &self.mesh.begins[first_edge as usize..][..outline.len()];
            let sum: DVec3 = corners.iter().map(|v| v.as_dvec3()).sum();
            // Between its corners the ground may rise and fall as far as that of the whole polygon.
            let (mut bounds, whole) = (Aabb::from_points(corners.iter().copied()), &base.boxes[polygon as usize]);
            (bounds.min.y, bounds.max.y) = (bounds.min.y.min(whole.min.y), bounds.max.y.max(whole.max.y));
            self.mesh.boxes[slot as usize] = bounds;
            let new = Polygon {
                first_edge,
                edge_count: outline.len() as u16,
                flags: self.flags[polygon as usize],
                center: (sum / outline.len() as f64).as_vec3(),
                island: self.mesh.polygons[slot as usize].island,
                ..self.base.polygons[polygon as usize]
            };
            self.mesh.polygons[slot as usize] = new;
            self.make_blocks(slot);
        }
        self.cuts[polygon as usize] = Some(cut);
    }

    /// Whether a vertex is a crossing point that neither side needs.
    fn is_unused(&self, label: u32, vertex: u32) -> bool {
        if label == NONE || vertex < self.base.vertices.len() as u32 {
            return false;
        }
        let points = self.points[self.side_of(label).0 as usize].as_ref();
        points.is_some_and(|p| p.list.iter().any(|p| p.1 == vertex && !p.2[0] && !p.2[1]))
    }

    /// Writes the edges of an outline; returns the index of the first.
    fn write_edges(&mut self, slot: u32, outline: &CutOutline) -> u32 {
        let m = &mut *self.mesh;
        let first = self.free.edges.allocate(outline.len(), m.edges.len());
        for (edge, c) in (first..).zip(outline) {
            put(&mut m.edges, edge, Edge { vertex: c.vertex, neighbor: NONE, twin: NONE, polygon: slot });
            put(&mut m.begins, edge, m.vertices[c.vertex as usize]);
            put(&mut self.labels, edge, c.label);
        }
        first
    }

    /// Pairs the twins of all edges of the patched polygons.
    fn link(&mut self, base: &NavMesh, patched: &[u32], near: &[u32]) {
        let mut pending = std::mem::take(&mut self.buffers.pending);
        pending.clear();
        for &p in patched {
            for edge in edges(&base.polygons[p as usize]) {
                let line = self.side_of(edge).0;
                self.buffers.lines[line as usize].1 = NONE;
            }
        }
        for (i, &p) in patched.iter().chain(near).enumerate() {
            for slot in self.slots(p) {
                for edge in edges(&self.mesh.polygons[slot as usize]) {
                    let label = self.labels[edge as usize];
                    let beyond = if label == NONE { p } else { base.edges[label as usize].neighbor };
                    // Of polygons nearby, only edges that face a patched one.
                    let facing = beyond != NONE && self.buffers.touched[beyond as usize] >= Touch::Patched;
                    if beyond != NONE && (i < patched.len() || facing) {
                        self.offer(p, edge, label, &mut pending);
                    }
                }
            }
        }
        pending.sort_unstable();
        let mut i = 1;
        while i < pending.len() {
            let (a, b) = (pending[i - 1], pending[i]);
            if (a.0, a.1, a.2) == (b.0, b.1, b.2) {
                self.join(a.3, b.3);
                i += 1;
            }
            i += 1;
        }
        self.buffers.pending = pending;
    }

    /// Pairs an edge at once where it is a whole original edge, else lists it by its ends.
    fn offer(&mut self, polygon: u32, edge: u32, label: u32, pending: &mut Vec<(u32, u32, u32, u32)>) {
        let line = if label == NONE { self.labels_end() + polygon } else { self.side_of(label).0 };
        let is_parted =
            |points: &Option<Box<EdgePoints>>| points.as_ref().is_some_and(|p| p.list.iter().any(|p| p.2[0] || p.2[1]));
        if label == NONE || is_parted(&self.points[line as usize]) {
            let (a, b) = self.mesh.ends(edge);
            pending.push((line, a.min(b), a.max(b), edge));
            return;
        }
        let seen = &mut self.buffers.lines[line as usize].1;
        match std::mem::replace(seen, edge) {
            NONE => {}
            twin => self.join(twin, edge),
        }
    }

    fn labels_end(&self) -> u32 {
        self.base.edges.len() as u32
    }

    fn join(&mut self, a: u32, b: u32) {
        let e = &mut self.mesh.edges;
        (e[a as usize].twin, e[b as usize].twin) = (b, a);
        (e[a as usize].neighbor, e[b as usize].neighbor) = (e[b as usize].polygon, e[a as usize].polygon);
    }

    /// Writes the links and portals of a patched polygon.
    fn list_portals(&mut self, base: &NavMesh, slot: u32) {
        let m = &mut *self.mesh;
        let p = m.polygons[slot as usize];
        let same = |e: u32| m.edges[e as usize].neighbor == base.edges[e as usize].neighbor;
        let whole = slot < base.own;
        if whole && p.first_edge == base.polygons[slot as usize].first_edge && edges(&p).all(same) {
            m.portals.spans[slot as usize] = base.portals.spans[slot as usize];
            return;
        }
        let count = edges(&p).filter(|&e| m.edges[e as usize].neighbor != NONE).count();
        let first = self.free.links.allocate(count, m.portals.links.len());
        let number = self.free.portals.allocate(count, m.portals.portals.len());
        for (i, edge) in (0..).zip(edges(&p).filter(|&e| m.edges[e as usize].neighbor != NONE)) {
            // A piece may be re-entered from another piece of its polygon; the goals of a whole polygon stay valid,
            // since a path over pieces is a path over their parents.
            let goals = if whole { base.goals_beyond(slot, self.labels[edge as usize]) } else { ANYWHERE };
            m.portals.put([first + i, number + i], &m.vertices, (&p, &m.edges, edge), goals);
        }
        m.portals.spans[slot as usize] = (first, first + count as u32);
    }

    /// Lists the links beyond each portal out of and into the patched polygons.
    fn list_links_beyond(&mut self, base: &NavMesh, patched: &[u32], near: &[u32]) {
        for (i, &p) in patched.iter().chain(near).enumerate() {
            for slot in self.slots(p) {
                let (first, last) = self.mesh.portals.spans[slot as usize];
                for at in first..last {
                    let way = self.mesh.portals.links[at as usize];
                    let of = self.mesh.parent_poly(PolyId(way.neighbor));
                    if i < patched.len() || self.buffers.touched[of.index()] >= Touch::Patched {
                        self.free_beyond(base, way.portal);
                        self.mesh.portals.beyond[way.portal as usize] = self.links_beyond(base, slot, &way);
                    }
                }
            }
        }
    }

    /// The links beyond a portal: the original list where it is still valid, else a new one.
    fn links_beyond(&mut self, base: &NavMesh, slot: u32, way: &PolyLink) -> (u32, u32) {
        let (to, portals) = (way.neighbor as usize, &mut self.mesh.portals);
        let first = base.portals.beyond.get(way.portal as usize);
        if let Some(exits) = first.filter(|_| base.portals.spans.get(to) == Some(&portals.spans[to])) {
            return *exits;
        }
        let list = &mut self.buffers.exits;
        portals.list_beyond(slot, way, list).unwrap_or_else(|| {
            let first = self.free.links.allocate(list.len(), portals.links.len());
            (first..).zip(&*list).for_each(|(at, next)| put(&mut portals.links, at, *next));
            (first, first + list.len() as u32)
        })
    }

    /// Rewrites the grid cells of a polygon.
    fn list_cells(&mut self, base: &NavMesh, polygon: u32) {
        let bounds = &base.boxes[polygon as usize];
        let [columns, rows] = base.grid.cells(bounds.min, bounds.max);
        for row in rows {
            for column in columns.clone() {
                let cell = base.grid.cell(column, row);
                let stamp = self.buffers.stamp;
                if std::mem::replace(&mut self.buffers.cells[cell], stamp) != stamp {
                    self.list_cell(base, cell, (column, row));
                }
            }
        }
    }

    fn list_cell(&mut self, base: &NavMesh, cell: usize, (column, row): (u32, u32)) {
        let (first, last) = base.grid.spans[cell];
        let list = &base.grid.items[first as usize..last as usize];
        let m = &mut *self.mesh;
        let grid = &mut m.grid;
        let (old, end) = grid.spans[cell];
        if old as usize >= base.grid.items.len() {
            self.free.items.release(old, (end - old) as usize);
        }
        let is_parted = |p: u32| self.cuts[p as usize].as_ref().filter(|c| c.is_parted);
        if list.iter().all(|&p| is_parted(p).is_none()) {
            grid.spans[cell] = (first, last);
            return;
        }
        let items = &mut self.buffers.items;
        items.clear();
        for &p in list {
            let slots = is_parted(p).map_or(p..p + 1, |c| c.slots.clone());
            for slot in slots {
                let b = &m.boxes[slot as usize];
                let [columns, rows] = base.grid.cells(b.min, b.max);
                if columns.contains(&column) && rows.contains(&row) {
                    items.push(GridEntry { min: b.min, polygon: slot, max: b.max });
                }
            }
        }
        let begin = self.free.items.allocate(items.len(), grid.items.len());
        for (at, item) in (begin..).zip(items.iter()) {
            put(&mut grid.items, at, item.polygon);
            put(&mut grid.boxes, at, *item);
        }
        grid.spans[cell] = (begin, begin + items.len() as u32);
    }

    /// Writes the flags of a polygon wherever they are stored.
    pub(super) fn write_flags(&mut self, polygon: u32) {
        for slot in self.slots(polygon) {
            let m = &mut *self.mesh;
            m.polygons[slot as usize].flags = self.flags[polygon as usize];
            for edge in edges(&m.polygons[slot as usize]) {
                let beyond = m.edges[edge as usize].neighbor;
                if beyond != NONE {
                    m.soa_polygons.fill(beyond, &m.vertices, &m.polygons, &m.edges);
                }
            }
        }
    }
}

impl NavMesh {
    /// The goals of the link over an edge of a polygon.
    fn goals_beyond(&self, polygon: u32, edge: u32) -> GoalRange {
        let (first, last) = self.portals.spans[polygon as usize];
        let own =
            (first..last).find(|&i| self.portals.portals[self.portals.links[i as usize].portal as usize].edge == edge);
        own.map_or(ANYWHERE, |i| self.portals.links[i as usize].goals)
    }
}
