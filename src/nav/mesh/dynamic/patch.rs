//! Patching a mesh where obstacles changed.
//!
//! What changes is written behind the numbers of the whole mesh: pieces of polygons, outlines with more corners,
//! their portals, blocks for rays, lists of grid cells. A polygon that is as it was gets its first place back, and the
//! places behind are used again. All of it is thrown away whenever nothing else needs it, and should free places that are
//! too short ever pile up.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use super::cut::Outline;
use super::spare::Spares;
use super::{DynamicMesh, NONE, NavMesh, PolyId};
use crate::math::Aabb;
use crate::nav::mesh::grid::Item;
use crate::nav::mesh::spare::put;
use crate::nav::mesh::{Edge, Goals, Lanes, Polygon, Portal};

/// The island of a live polygon that has no number yet.
pub(super) const UNNUMBERED: u32 = NONE - 1;
/// Any goal may lie beyond.
const ANYWHERE: Goals = Goals { from: 0, count: NONE };
/// Meshes with at most so many obstacles are looked at for whether a change concerns them all.
const FEW: usize = 8;
/// So many edges may pile up, or so many times those of the mesh: to cut everything anew takes milliseconds.
const LITTER: usize = 4096;
const LITTER_SHARE: usize = 4;

/// How a change concerns a polygon of the whole mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touch {
    None,
    /// Beside one that is written anew.
    Near,
    /// Written anew.
    Patched,
    /// Cut anew.
    Cut,
}

/// Memory that is used again.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    pub(super) shares: Vec<f64>,
    pub(super) offs: Vec<f64>,
    pub(super) touched: Vec<Touch>,
    pub(super) stamp: u32,
    lines: Vec<(u32, u32)>,
    cells: Vec<u32>,
    pending: Vec<(u32, u32, u32, u32)>,
    pub(super) stack: Vec<u32>,
    /// Islands of polygons that were taken out.
    pub(super) gone: Vec<u32>,
    /// Islands that were found, and per polygon when it was.
    pub(super) found: Vec<u32>,
    pub(super) seen: Vec<u32>,
    pub(super) slots: Vec<u32>,
    /// Vertices inside of the polygon that is being cut.
    pub(super) made: Vec<u32>,
    exits: Vec<Portal>,
    items: Vec<Item>,
    /// Weight of what lay behind the whole mesh after it was last tidied.
    weight: usize,
}

impl Scratch {
    pub(super) fn new(base: &NavMesh) -> Self {
        Self {
            shares: Vec::new(),
            offs: Vec::new(),
            touched: vec![Touch::None; base.own as usize],
            stamp: 0,
            lines: vec![(0, NONE); base.edges.len()],
            cells: vec![0; base.grid.spans.len()],
            pending: Vec::new(),
            stack: Vec::new(),
            gone: Vec::new(),
            found: Vec::new(),
            seen: Vec::new(),
            slots: Vec::new(),
            made: Vec::new(),
            exits: Vec::new(),
            items: Vec::new(),
            weight: 0,
        }
    }

    fn next_stamp(&mut self) -> u32 {
        if self.stamp == u32::MAX {
            self.lines.fill((0, NONE));
            self.cells.fill(0);
            self.seen.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
        self.stamp
    }
}

/// The edges of a polygon.
fn edges(p: &Polygon) -> Range<u32> {
    p.first_edge..p.first_edge + u32::from(p.edge_count)
}

impl DynamicMesh {
    /// Brings the mesh up to date around the dirty polygons; tells which polygons of the whole mesh that concerned, first
    /// those that were cut anew, and how many these are.
    pub(super) fn patch(&mut self) -> (Vec<u32>, usize) {
        let base = Arc::clone(&self.base);
        self.mesh.open();
        self.scratch.next_stamp();
        self.scratch.gone.clear();
        let mut ring = std::mem::take(&mut self.dirty);
        ring.sort_unstable();
        ring.dedup();
        let tidy = self.is_time_to_tidy(&ring);
        if tidy {
            self.tidy(&base, &ring);
            ring.extend(self.obstacles.values().flat_map(|e| &e.polygons));
            ring.sort_unstable();
            ring.dedup();
        }
        for &p in &ring {
            self.scratch.touched[p as usize] = Touch::Cut;
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
        self.list_all_exits(&base, &ring[..patched], &ring[patched..]);
        let NavMesh { vertices, polygons, edges, lanes, .. } = &mut *self.mesh;
        for &p in &ring {
            lanes.fill(p, vertices, polygons, edges);
            if let Some(cut) = self.cuts[p as usize].as_ref().filter(|c| c.parted) {
                cut.slots.clone().for_each(|slot| lanes.fill(slot, vertices, polygons, edges));
            }
        }
        for &p in &ring[..cut] {
            self.list_cells(&base, p);
        }
        if !self.keep_islands(&base, &ring) {
            self.number_islands();
        }
        for &p in &ring {
            self.scratch.touched[p as usize] = Touch::None;
        }
        if tidy {
            self.scratch.weight = self.weight();
        }
        self.mesh.close();
        (ring, cut)
    }

    /// How much lies behind the whole mesh, in edges.
    fn weight(&self) -> usize {
        let (m, b) = (&self.mesh, &self.base);
        let behind = [m.portals.ways.len() - b.portals.ways.len(), m.grid.items.len() - b.grid.items.len()];
        m.edges.len() - b.edges.len() + m.vertices.len() - b.vertices.len() + behind.iter().sum::<usize>() / 4
    }

    fn is_time_to_tidy(&self, dirty: &[u32]) -> bool {
        let untouched = |p: &u32| dirty.binary_search(p).is_err();
        self.weight() > 2 * self.scratch.weight + LITTER.max(LITTER_SHARE * self.base.edges.len())
            || self.obstacles.values().filter(|e| !e.polygons.is_empty()).nth(FEW).is_none()
                && !self.obstacles.values().flat_map(|e| &e.polygons).any(untouched)
    }

    /// Throws away what lies behind the whole mesh; all that is cut has to be cut anew.
    fn tidy(&mut self, base: &NavMesh, dirty: &[u32]) {
        for p in dirty.iter().chain(self.obstacles.values().flat_map(|e| &e.polygons)) {
            // The pieces' numbers go.
            if let Some(cut) = &mut self.cuts[*p as usize] {
                cut.made.clear();
                let slots = std::mem::take(&mut cut.slots);
                self.scratch.gone.extend(slots.map(|s| self.mesh.polygons[s as usize].component));
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
        m.portals.ways.truncate(base.portals.ways.len());
        m.portals.exits.clone_from(&base.portals.exits);
        m.portals.gates.truncate(base.portals.gates.len());
        m.portals.ends.truncate(base.portals.ends.len());
        m.portals.numbers.truncate(base.portals.numbers.len());
        m.lanes.lanes.clone_from(&base.lanes.lanes);
        m.lanes.owners.truncate(base.lanes.owners.len());
        m.lanes.blocks.truncate(base.lanes.blocks.len());
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
        self.spares = Spares::default();
    }

    /// Adds the neighbours of some polygons to the list.
    fn spread(&mut self, base: &NavMesh, ring: &mut Vec<u32>, of: Range<usize>, touch: Touch) {
        let first = if touch == Touch::Near { 0 } else { of.start };
        for i in first..of.end {
            for e in edges(&base.polygons[ring[i] as usize]) {
                let n = base.edges[e as usize].neighbor;
                if n != NONE && self.scratch.touched[n as usize] == Touch::None {
                    self.scratch.touched[n as usize] = touch;
                    ring.push(n);
                }
            }
        }
    }

    /// Finds anew where lines cross the edges of a polygon. A neighbour with other points than before has to be cut
    /// anew as well, if it is cut.
    fn renew_points(&mut self, base: &NavMesh, polygon: u32, ring: &mut Vec<u32>) {
        for edge in edges(&base.polygons[polygon as usize]) {
            let line = self.side_of(edge).0;
            let seen = &mut self.scratch.lines[line as usize];
            if std::mem::replace(&mut seen.0, self.scratch.stamp) != self.scratch.stamp {
                seen.1 = NONE;
                let (is_other, n) = (self.find_points(line), base.edges[edge as usize].neighbor);
                let is_cut = is_other && n != NONE && self.cuts[n as usize].is_some();
                if is_cut && self.scratch.touched[n as usize] == Touch::None {
                    self.scratch.touched[n as usize] = Touch::Cut;
                    ring.push(n);
                }
            }
        }
    }

    /// Cuts a polygon anew and gives its pieces numbers.
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
        let count = if cut.parted { cut.pieces.len() } else { 0 };
        let first = self.spares.slots.place(count, m.polygons.len());
        cut.slots = first..first + count as u32;
        for slot in cut.slots.clone() {
            put(&mut m.polygons, slot, Polygon { component: UNNUMBERED, ..base.polygons[polygon as usize] });
            put(&mut m.boxes, slot, base.boxes[polygon as usize]);
            put(&mut m.source, slot, base.source[polygon as usize]);
            put(&mut m.parents, slot - base.own, polygon);
            put(&mut m.portals.spans, slot, (0, 0));
            put(&mut m.portals.numbers, slot, base.portals.numbers[polygon as usize]);
            put(&mut m.lanes.lanes, slot, base.lanes.lanes[polygon as usize]);
        }
    }

    /// Takes a polygon out: nothing leads to it or away from it.
    fn retire(&mut self, base: &NavMesh, slot: u32) {
        self.free_outline(base, slot);
        let m = &mut *self.mesh;
        let whole = m.whole(PolyId(slot)).index();
        let p = &mut m.polygons[slot as usize];
        if p.component < UNNUMBERED {
            self.scratch.gone.push(p.component);
        }
        (p.flags, p.component, p.first_edge) = (0, NONE, base.polygons[whole].first_edge);
        if slot >= base.own {
            p.edge_count = 0;
        }
        m.lanes.lanes[slot as usize] = base.lanes.lanes[whole];
    }

    /// The numbers that a polygon of the whole mesh has now: its own or those of its pieces.
    pub(super) fn slots(&self, polygon: u32) -> Range<u32> {
        match &self.cuts[polygon as usize] {
            Some(cut) if cut.parted => cut.slots.clone(),
            _ => polygon..polygon + 1,
        }
    }

    /// Writes a polygon and its edges, still without neighbours.
    fn write(&mut self, base: &NavMesh, polygon: u32) {
        let p = polygon as usize;
        let whole = base.polygons[p];
        let before = self.mesh.polygons[p].component;
        self.free_outline(base, polygon);
        let component = if before == NONE { UNNUMBERED } else { before };
        self.mesh.polygons[p] = Polygon { flags: self.flags[p], component, ..whole };
        self.mesh.lanes.lanes[p] = base.lanes.lanes[p];
        for edge in &mut self.mesh.edges[whole.first_edge as usize..][..usize::from(whole.edge_count)] {
            *edge = Edge { neighbor: NONE, twin: NONE, ..*edge };
        }
        if self.cuts[p].as_ref().is_some_and(|c| c.parted) {
            self.retire(base, polygon);
            self.mesh.order[base.source[p] as usize] = NONE;
            return self.write_pieces(base, polygon);
        }
        self.mesh.order[base.source[p] as usize] = polygon;
        let mut outline = Outline::new();
        for edge in edges(&whole) {
            outline.push(super::cut::Corner { vertex: base.edges[edge as usize].vertex, label: edge });
            self.points_along(edge, |vertex, used| {
                if used {
                    outline.push(super::cut::Corner { vertex, label: edge });
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

    /// Gives a polygon blocks for rays, still empty.
    fn make_blocks(&mut self, slot: u32) {
        let NavMesh { polygons, lanes, .. } = &mut *self.mesh;
        let p = &polygons[slot as usize];
        let first = self.spares.blocks.place(Lanes::blocks_for(p), lanes.blocks.len());
        lanes.lanes[slot as usize] = lanes.room(slot, p, first);
    }

    fn write_pieces(&mut self, base: &NavMesh, polygon: u32) {
        let Some(cut) = self.cuts[polygon as usize].take() else { return };
        let mut outline = Outline::new();
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
            self.mesh.boxes[slot as usize] = Aabb::from_points(corners.iter().copied());
            let new = Polygon {
                first_edge,
                edge_count: outline.len() as u16,
                flags: self.flags[polygon as usize],
                center: (sum / outline.len() as f64).as_vec3(),
                component: self.mesh.polygons[slot as usize].component,
                ..self.base.polygons[polygon as usize]
            };
            self.mesh.polygons[slot as usize] = new;
            self.make_blocks(slot);
        }
        self.cuts[polygon as usize] = Some(cut);
    }

    /// Whether a vertex is a point of an edge that neither side needs.
    fn is_unused(&self, label: u32, vertex: u32) -> bool {
        if label == NONE || vertex < self.base.vertices.len() as u32 {
            return false;
        }
        let points = self.points[self.side_of(label).0 as usize].as_ref();
        points.is_some_and(|p| p.list.iter().any(|p| p.1 == vertex && !p.2[0] && !p.2[1]))
    }

    /// Writes the edges of an outline; the answer is the first one's number.
    fn write_edges(&mut self, slot: u32, outline: &Outline) -> u32 {
        let m = &mut *self.mesh;
        let first = self.spares.edges.place(outline.len(), m.edges.len());
        for (edge, c) in (first..).zip(outline) {
            put(&mut m.edges, edge, Edge { vertex: c.vertex, neighbor: NONE, twin: NONE, polygon: slot });
            put(&mut m.begins, edge, m.vertices[c.vertex as usize]);
            put(&mut self.labels, edge, c.label);
        }
        first
    }

    /// Finds the twins of all edges of the patched polygons.
    fn link(&mut self, base: &NavMesh, patched: &[u32], near: &[u32]) {
        let mut pending = std::mem::take(&mut self.scratch.pending);
        pending.clear();
        for &p in patched {
            for edge in edges(&base.polygons[p as usize]) {
                let line = self.side_of(edge).0;
                self.scratch.lines[line as usize].1 = NONE;
            }
        }
        for (i, &p) in patched.iter().chain(near).enumerate() {
            for slot in self.slots(p) {
                for edge in edges(&self.mesh.polygons[slot as usize]) {
                    let label = self.labels[edge as usize];
                    let beyond = if label == NONE { p } else { base.edges[label as usize].neighbor };
                    // Of those nearby only what faces a patched one.
                    let facing = beyond != NONE && self.scratch.touched[beyond as usize] >= Touch::Patched;
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
        self.scratch.pending = pending;
    }

    /// Links an edge at once where it is a whole edge of the mesh, else lists it by its ends.
    fn offer(&mut self, polygon: u32, edge: u32, label: u32, pending: &mut Vec<(u32, u32, u32, u32)>) {
        let line = if label == NONE { self.labels_end() + polygon } else { self.side_of(label).0 };
        let parted = |points: &Option<Box<super::Points>>| {
            points.as_ref().is_some_and(|p| p.list.iter().any(|p| p.2[0] || p.2[1]))
        };
        if label == NONE || parted(&self.points[line as usize]) {
            let (a, b) = self.mesh.ends(edge);
            pending.push((line, a.min(b), a.max(b), edge));
            return;
        }
        let seen = &mut self.scratch.lines[line as usize].1;
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

    /// Lists the portals of a patched polygon.
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
        let first = self.spares.ways.place(count, m.portals.ways.len());
        let number = self.spares.numbers.place(count, m.portals.gates.len());
        for (i, edge) in (0..).zip(edges(&p).filter(|&e| m.edges[e as usize].neighbor != NONE)) {
            // A piece may be come back to by another piece of the same polygon; a whole polygon's goals stay right,
            // since a way over pieces is a way over the polygons that they are of.
            let goals = if whole { base.goals_beyond(slot, self.labels[edge as usize]) } else { ANYWHERE };
            m.portals.put([first + i, number + i], &m.vertices, (&p, &m.edges, edge), goals);
        }
        m.portals.spans[slot as usize] = (first, first + count as u32);
    }

    /// Lists what follows each portal out of the patched polygons and into them.
    fn list_all_exits(&mut self, base: &NavMesh, patched: &[u32], near: &[u32]) {
        for (i, &p) in patched.iter().chain(near).enumerate() {
            for slot in self.slots(p) {
                let (first, last) = self.mesh.portals.spans[slot as usize];
                for at in first..last {
                    let way = self.mesh.portals.ways[at as usize];
                    let of = self.mesh.whole(PolyId(way.neighbor));
                    if i < patched.len() || self.scratch.touched[of.index()] >= Touch::Patched {
                        self.free_exits(base, way.number);
                        self.mesh.portals.exits[way.number as usize] = self.exits(base, slot, &way);
                    }
                }
            }
        }
    }

    /// What follows a portal, listed anew where it is not as it was at first.
    fn exits(&mut self, base: &NavMesh, slot: u32, way: &Portal) -> (u32, u32) {
        let (to, portals) = (way.neighbor as usize, &mut self.mesh.portals);
        let first = base.portals.exits.get(way.number as usize);
        if let Some(exits) = first.filter(|_| base.portals.spans.get(to) == Some(&portals.spans[to])) {
            return *exits;
        }
        let list = &mut self.scratch.exits;
        portals.list_exits(slot, way, list).unwrap_or_else(|| {
            let first = self.spares.ways.place(list.len(), portals.ways.len());
            (first..).zip(&*list).for_each(|(at, next)| put(&mut portals.ways, at, *next));
            (first, first + list.len() as u32)
        })
    }

    /// Lists anew what lies in the cells of a polygon.
    fn list_cells(&mut self, base: &NavMesh, polygon: u32) {
        let bounds = &base.boxes[polygon as usize];
        let [columns, rows] = base.grid.cells(bounds.min, bounds.max);
        for row in rows {
            for column in columns.clone() {
                let cell = base.grid.cell(column, row);
                let stamp = self.scratch.stamp;
                if std::mem::replace(&mut self.scratch.cells[cell], stamp) != stamp {
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
            self.spares.items.give(old, (end - old) as usize);
        }
        let parted = |p: u32| self.cuts[p as usize].as_ref().filter(|c| c.parted);
        if list.iter().all(|&p| parted(p).is_none()) {
            grid.spans[cell] = (first, last);
            return;
        }
        let items = &mut self.scratch.items;
        items.clear();
        for &p in list {
            let slots = parted(p).map_or(p..p + 1, |c| c.slots.clone());
            for slot in slots {
                let b = &m.boxes[slot as usize];
                let [columns, rows] = base.grid.cells(b.min, b.max);
                if columns.contains(&column) && rows.contains(&row) {
                    items.push(Item { min: b.min, polygon: slot, max: b.max });
                }
            }
        }
        let begin = self.spares.items.place(items.len(), grid.items.len());
        for (at, item) in (begin..).zip(items.iter()) {
            put(&mut grid.items, at, item.polygon);
            put(&mut grid.boxes, at, *item);
        }
        grid.spans[cell] = (begin, begin + items.len() as u32);
    }

    /// Writes the flags of a polygon wherever they are read.
    pub(super) fn show_flags(&mut self, polygon: u32) {
        for slot in self.slots(polygon) {
            let m = &mut *self.mesh;
            m.polygons[slot as usize].flags = self.flags[polygon as usize];
            for edge in edges(&m.polygons[slot as usize]) {
                let beyond = m.edges[edge as usize].neighbor;
                if beyond != NONE {
                    m.lanes.fill(beyond, &m.vertices, &m.polygons, &m.edges);
                }
            }
        }
    }
}

impl NavMesh {
    /// The goals of the portal at an edge of a polygon.
    fn goals_beyond(&self, polygon: u32, edge: u32) -> Goals {
        let (first, last) = self.portals.spans[polygon as usize];
        let own =
            (first..last).find(|&i| self.portals.gates[self.portals.ways[i as usize].number as usize].edge == edge);
        own.map_or(ANYWHERE, |i| self.portals.ways[i as usize].goals)
    }
}
