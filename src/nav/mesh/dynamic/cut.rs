//! Cuts polygons along the edges of footprints.
//!
//! The crossing of a line and an edge of the mesh is computed once per edge, not once per polygon, so that both sides
//! get the same vertices. A vertex near a line counts as on it, so that no piece gets a tiny edge.

use glam::{DVec2, DVec3, Vec3};

use super::shape::FootprintSide;
use super::state::{CutOutline, DynamicMesh, ObstacleEntry, OutlineCorner, PolygonCut};
use crate::math::plan::{self, PlanPoint, to_plan_f64};
use crate::nav::mesh::{NONE, PolyId};

/// The result of splitting an outline by a line: outside and inside part.
enum SplitOutline {
    Outside,
    Inside,
    Both(CutOutline, CutOutline),
}

/// A new vertex between two others.
type Insert = (u32, u32, u32);

impl DynamicMesh {
    /// The polygons that an obstacle partly covers, at heights that it blocks.
    pub(super) fn covered(&self, entry: &ObstacleEntry) -> Vec<u32> {
        let base = &self.base;
        let reach = self.tolerance * 16.0;
        let corner = |p: &DVec2| (*p - DVec2::new(base.origin.x, base.origin.z)).as_vec2();
        let corners = entry.obstacle.footprint.iter().map(corner);
        let (low, high) =
            corners.fold((glam::Vec2::INFINITY, glam::Vec2::NEG_INFINITY), |b, p| (b.0.min(p), b.1.max(p)));
        let heights = [entry.obstacle.low - base.origin.y, entry.obstacle.high - base.origin.y];
        let slack = Vec3::splat(reach as f32);
        let low = Vec3::new(low.x, heights[0] as f32, low.y) - slack;
        let high = Vec3::new(high.x, heights[1] as f32, high.y) + slack;
        let mut found = Vec::new();
        base.grid.for_each_in(low, high, |p| {
            let b = &base.boxes[p as usize];
            if !(b.min.cmpgt(high).any() || b.max.cmplt(low).any()) {
                found.push(p);
            }
        });
        found.sort_unstable();
        found.dedup();
        let (mut shape, mut spare) = (Vec::new(), Vec::new());
        found.retain(|&p| self.reaches(PolyId(p), &entry.sides, heights, &mut shape, &mut spare));
        found
    }

    /// Whether the footprint covers a part of the polygon whose surface lies between the heights.
    fn reaches(
        &self,
        id: PolyId,
        sides: &[FootprintSide],
        heights: [f64; 2],
        shape: &mut Vec<DVec2>,
        spare: &mut Vec<DVec2>,
    ) -> bool {
        shape.clear();
        shape.extend(self.base.corners_of(id).iter().map(|&v| to_plan_f64(v)));
        for side in sides {
            if !shape.iter().any(|&p| side.off(p) < -self.tolerance) {
                return false;
            }
            spare.clear();
            plan::clip_convex(shape, |p| -side.off(p), |p| spare.push(p));
            std::mem::swap(shape, spare);
        }
        let height = |p: &DVec2| f64::from(self.base.height_at(id, Vec3::new(p.x as f32, 0.0, p.y as f32)));
        let range = shape.iter().map(height).fold((f64::INFINITY, f64::NEG_INFINITY), |r, y| (r.0.min(y), r.1.max(y)));
        let meets = |range: (f64, f64)| range.0 <= heights[1] && range.1 >= heights[0];
        meets(range) || meets(self.widened_by_surface(id, sides, range))
    }

    /// Widens a range of heights by those of the surface under a footprint: it may rise and fall between the corners
    /// of the common part.
    fn widened_by_surface(&self, id: PolyId, sides: &[FootprintSide], mut range: (f64, f64)) -> (f64, f64) {
        let corners = self.base.corners_of(id);
        let fan = corners.windows(2).skip(1).map(|w| [corners[0], w[0], w[1]]);
        let is_plain = self.base.detail_of(id).next().is_none();
        let (mut part, mut spare): (Vec<DVec3>, Vec<DVec3>) = (Vec::new(), Vec::new());
        for triangle in self.base.detail_of(id).chain(fan.filter(|_| is_plain)) {
            part.clear();
            part.extend(triangle.iter().map(|v| v.as_dvec3()));
            for side in sides {
                spare.clear();
                plan::clip_convex(&part, |p| -side.off(p.plan()), |p| spare.push(p));
                std::mem::swap(&mut part, &mut spare);
            }
            range = part.iter().fold(range, |r, p| (r.0.min(p.y), r.1.max(p.y)));
        }
        range
    }

    /// Computes the crossing points of an original edge. Returns whether they changed.
    pub(super) fn find_points(&mut self, edge: u32) -> bool {
        let base = std::sync::Arc::clone(&self.base);
        let e = base.edges[edge as usize];
        let (from, to) = base.ends(edge);
        let (a, b) = (self.in_plan(from), self.in_plan(to));
        let mut list = std::mem::take(&mut self.buffers.shares);
        list.clear();
        for polygon in [e.polygon, e.neighbor].into_iter().filter(|&p| p != NONE) {
            let Some(cut) = &self.cuts[polygon as usize] else { continue };
            for side in cut.obstacles.iter().flat_map(|o| &self.obstacles[o].sides) {
                let (p, q) = (side.off(a), side.off(b));
                if p * q < 0.0 && p.abs().min(q.abs()) > self.tolerance {
                    list.push(p / (p - q));
                }
            }
        }
        list.sort_unstable_by(f64::total_cmp);
        let least = 0.5 * self.tolerance / a.distance(b);
        list.dedup_by(|next, last| *next - *last <= least);
        let known = self.points[edge as usize].iter().flat_map(|p| &p.list).map(|p| p.0);
        if known.eq(list.iter().copied()) {
            self.buffers.shares = list;
            return false;
        }
        let mut points = self.points[edge as usize].take();
        if let Some(points) = &mut points {
            self.free_vertices(points.list.drain(..).map(|p| p.1));
        } else if !list.is_empty() {
            self.pointed.push(edge);
        }
        let (from, to) = (base.vertices[from as usize].as_dvec3(), base.vertices[to as usize].as_dvec3());
        for &share in &list {
            let vertex = self.add_vertex(from.lerp(to, share).as_vec3());
            points.get_or_insert_default().list.push((share, vertex, [false; 2]));
        }
        self.buffers.shares = list;
        self.points[edge as usize] = points;
        true
    }

    /// Cuts an original polygon by its obstacles.
    pub(super) fn cut(&mut self, polygon: u32) {
        let Some(mut cut) = self.cuts[polygon as usize].take() else { return };
        cut.pieces.clear();
        cut.pieces.push(self.dense_outline(polygon));
        cut.is_parted = false;
        self.free_vertices(cut.made.drain(..));
        let obstacles = std::mem::take(&mut self.obstacles);
        for id in &cut.obstacles {
            let sides = &obstacles[id].sides;
            let mut at = 0;
            while at < cut.pieces.len() {
                let mut inserts = Vec::new();
                let Some(outside) = self.cut_piece(polygon, &cut.pieces[at], sides, &mut inserts) else {
                    at += 1;
                    continue;
                };
                cut.is_parted = true;
                let more = outside.len();
                cut.pieces.splice(at..=at, outside);
                for insert in inserts {
                    cut.pieces.iter_mut().for_each(|p| insert_into(p, insert));
                }
                at += more;
            }
        }
        self.obstacles = obstacles;
        std::mem::swap(&mut cut.made, &mut self.buffers.made);
        cut.pieces.retain(|p| self.is_valid(p));
        self.mark_used(polygon, &cut);
        self.cuts[polygon as usize] = Some(cut);
    }

    /// The outline of an original polygon with all crossing points of its edges.
    fn dense_outline(&self, polygon: u32) -> CutOutline {
        let p = &self.base.polygons[polygon as usize];
        let mut outline = Vec::with_capacity(4 * usize::from(p.edge_count));
        for edge in p.first_edge..p.first_edge + u32::from(p.edge_count) {
            outline.push(OutlineCorner { vertex: self.base.edges[edge as usize].vertex, label: edge });
            self.points_along(edge, |vertex, _| outline.push(OutlineCorner { vertex, label: edge }));
        }
        outline
    }

    /// Calls `f` with the crossing points of an edge in its own direction: vertex, and whether a cut ends there.
    pub(super) fn points_along(&self, edge: u32, mut f: impl FnMut(u32, bool)) {
        let (line, back) = self.side_of(edge);
        let Some(points) = &self.points[line as usize] else { return };
        let mut tell = |p: &(f64, u32, [bool; 2])| f(p.1, p.2[0] || p.2[1]);
        if back == 1 { points.list.iter().rev().for_each(&mut tell) } else { points.list.iter().for_each(tell) }
    }

    /// What the footprint leaves of a piece; `None` if it does not cover any of it.
    fn cut_piece(
        &mut self,
        polygon: u32,
        piece: &CutOutline,
        sides: &[FootprintSide],
        inserts: &mut Vec<Insert>,
    ) -> Option<Vec<CutOutline>> {
        let mut outside = Vec::new();
        let mut rest = None;
        for side in sides {
            match self.split(polygon, rest.as_ref().unwrap_or(piece), side, inserts) {
                SplitOutline::Outside => {
                    inserts.clear();
                    return None;
                }
                SplitOutline::Inside => {}
                SplitOutline::Both(out, inside) => {
                    outside.push(out);
                    rest = Some(inside);
                }
            }
        }
        Some(outside)
    }

    /// Splits a convex outline by a line.
    fn split(
        &mut self,
        polygon: u32,
        piece: &CutOutline,
        side: &FootprintSide,
        inserts: &mut Vec<Insert>,
    ) -> SplitOutline {
        let count = piece.len();
        let mut offsets = std::mem::take(&mut self.buffers.offsets);
        offsets.clear();
        offsets.extend(piece.iter().map(|c| {
            let off = side.off(self.in_plan(c.vertex));
            if off.abs() <= self.tolerance { 0.0 } else { off }
        }));
        // No new vertices on original edges: both sides must have the same.
        for i in 0..count {
            let k = (i + 1) % count;
            if piece[i].label != NONE && offsets[i] * offsets[k] < 0.0 {
                let nearer = if offsets[i].abs() < offsets[k].abs() { i } else { k };
                offsets[nearer] = 0.0;
            }
        }
        let out = self.split_at_offsets(polygon, piece, &offsets, inserts);
        self.buffers.offsets = offsets;
        out
    }

    fn split_at_offsets(
        &mut self,
        polygon: u32,
        piece: &CutOutline,
        offsets: &[f64],
        inserts: &mut Vec<Insert>,
    ) -> SplitOutline {
        let count = piece.len();
        let (least, most) = offsets.iter().fold((0.0, 0.0), |r: (f64, f64), &o| (r.0.min(o), r.1.max(o)));
        if least == 0.0 {
            return SplitOutline::Outside;
        }
        let Some(top) = offsets.iter().position(|&o| o == most).filter(|_| most > 0.0) else {
            return SplitOutline::Inside;
        };
        // Around from the outermost corner: the first and the last inside.
        let at = |i: usize| (top + i) % count;
        let inside = |i: &usize| offsets[at(*i)] < 0.0;
        let (Some(first), Some(last)) = ((0..count).find(inside), (0..count).rev().find(inside)) else {
            return SplitOutline::Outside;
        };
        let enter = self.cross(polygon, piece, offsets, (at(first - 1), at(first)), inserts);
        let leave = self.cross(polygon, piece, offsets, (at(last + 1), at(last)), inserts);
        if enter == leave {
            return if most > -least { SplitOutline::Outside } else { SplitOutline::Inside };
        }
        let mut within = Vec::with_capacity(last - first + 3);
        within.push(OutlineCorner { vertex: enter, label: piece[at(first - 1)].label });
        within.extend((first..=last).map(|i| piece[at(i)]));
        within.push(OutlineCorner { vertex: leave, label: NONE });
        let mut without = Vec::with_capacity(count - (last - first) + 3);
        if piece[at(last + 1)].vertex != leave {
            without.push(OutlineCorner { vertex: leave, label: piece[at(last)].label });
        }
        without.extend((last + 1..count + first).map(|i| piece[at(i)]));
        if piece[at(first - 1)].vertex == enter {
            if let Some(end) = without.last_mut() {
                end.label = NONE;
            }
        } else {
            without.push(OutlineCorner { vertex: enter, label: NONE });
        }
        SplitOutline::Both(without, within)
    }

    /// The vertex where an edge crosses the line, from the corner outside or on it and the one inside.
    fn cross(
        &mut self,
        polygon: u32,
        piece: &CutOutline,
        offsets: &[f64],
        (out, inside): (usize, usize),
        inserts: &mut Vec<Insert>,
    ) -> u32 {
        let (a, b) = (piece[out].vertex, piece[inside].vertex);
        if offsets[out] == 0.0 {
            return a;
        }
        let share = offsets[out] / (offsets[out] - offsets[inside]);
        let at = self.in_plan(a).lerp(self.in_plan(b), share).as_vec2();
        let point = Vec3::new(at.x, 0.0, at.y);
        let vertex = self.add_vertex(Vec3 { y: self.base.height_at(PolyId(polygon), point), ..point });
        self.buffers.made.push(vertex);
        // A piece on the other side of the edge does not know the vertex yet.
        let along = (out + 1) % piece.len() == inside;
        inserts.push(if along { (a, b, vertex) } else { (b, a, vertex) });
        vertex
    }

    /// Whether an outline is a polygon: at least three distinct corners and a positive area.
    fn is_valid(&self, piece: &CutOutline) -> bool {
        let at = |i: usize| self.mesh.vertices[piece[i].vertex as usize];
        let area: f64 = (2..piece.len()).map(|i| plan::cross(at(0), at(i - 1), at(i))).sum();
        let twice = (0..piece.len()).any(|i| piece[..i].iter().any(|c| c.vertex == piece[i].vertex));
        area > 0.0 && !twice
    }

    /// Marks the crossing points at which a polygon's pieces have corners.
    fn mark_used(&mut self, polygon: u32, cut: &PolygonCut) {
        let p = &self.base.polygons[polygon as usize];
        for edge in p.first_edge..p.first_edge + u32::from(p.edge_count) {
            let (line, side) = self.side_of(edge);
            if let Some(points) = &mut self.points[line as usize] {
                points.list.iter_mut().for_each(|p| p.2[side] = false);
            }
        }
        let first_new = self.base.vertices.len() as u32;
        for piece in &cut.pieces {
            let mut before = piece[piece.len() - 1].label;
            for c in piece {
                let before = std::mem::replace(&mut before, c.label);
                if before == c.label || c.vertex < first_new {
                    continue;
                }
                for edge in [before, c.label].into_iter().filter(|&l| l != NONE) {
                    let (line, side) = self.side_of(edge);
                    let points = self.points[line as usize].iter_mut().flat_map(|p| &mut p.list);
                    points.filter(|p| p.1 == c.vertex).for_each(|p| p.2[side] = true);
                }
            }
        }
    }
}

/// Inserts a vertex between two corners into the outline on the other side of their edge.
fn insert_into(piece: &mut CutOutline, (a, b, vertex): Insert) {
    let count = piece.len();
    for i in 0..count {
        let pair = (piece[i].vertex, piece[(i + 1) % count].vertex);
        if pair == (b, a) {
            piece.insert(i + 1, OutlineCorner { vertex, label: piece[i].label });
            return;
        }
    }
}
