//! From pieces and openings to a raw mesh: corners that coincide are welded, gaps are bridged by thin polygons.

use super::adjacency::{EdgePart, Opening};
use super::convex;
use super::piece::Piece;
use crate::asset::LevelTriangle;
use crate::math::plan;
use crate::nav::mesh::{Detail, RawMesh, RawPolygon};
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::ops::Range;

/// Points nearer to each other in plan view are one vertex, metres.
const WELD: f64 = 1e-3;
/// Ends of openings on one edge nearer to each other than this are one, metres.
const SAME_PLACE: f64 = 1e-6;
/// How far a corner may be reflex before a polygon is split there, as the sine of the angle: below what validation
/// allows for.
const MAX_REFLEX: f64 = 5e-4;
/// Most corners of a polygon: below what validation allows.
const MAX_CORNERS: usize = 256;
/// Twice the smallest area of a polygon, square metres.
const MIN_DOUBLE_AREA: f64 = 1e-9;
/// Twice the smallest area of a triangle of height detail, square metres.
const MIN_DETAIL_AREA: f64 = 1e-5;
/// Heights of corners further than this off a piece's plane give it height detail, metres.
const MIN_DETAIL: f64 = 0.01;

/// A navigation mesh made of level triangles, before validation.
#[derive(Clone, Debug, Default)]
pub struct LevelMesh {
    /// The polygons; empty where nothing is walkable.
    pub mesh: RawMesh,
    /// True heights of polygons whose corners lie between the two levels of a step.
    pub detail: Detail,
    /// Per polygon, the number ([`LevelTriangle::index`]) of the level triangle that it is a piece of; for the bridge
    /// over a gap, that of one of its neighbours.
    pub triangle: Vec<u32>,
}

/// No seam: a wall.
const WALL: u32 = u32::MAX;

/// A polygon under construction: its vertices and, per edge, the seam with the polygon beyond.
#[derive(Clone, Debug)]
struct Outline {
    vertices: Vec<u32>,
    seams: Vec<u32>,
    /// The piece that it is (a part of), or the first of the two that it bridges.
    piece: u32,
    is_bridge: bool,
}

impl Outline {
    /// The part from one corner on to another, with a seam across.
    fn part(&self, from: usize, to: usize, seam: u32) -> Self {
        let mut part = Self { vertices: vec![], seams: vec![], ..*self };
        let mut i = from;
        loop {
            part.vertices.push(self.vertices[i]);
            part.seams.push(if i == to { seam } else { self.seams[i] });
            if i == to {
                return part;
            }
            i = (i + 1) % self.vertices.len();
        }
    }
}

/// A place on the outline of a piece where an edge begins or an opening begins or ends.
#[derive(Clone, Copy, Debug)]
struct Knot {
    at: DVec2,
    height: f64,
    /// Distance from the first corner of the edge, which is a knot too, metres.
    along: f64,
}

/// All knots, numbered piece by piece and in order around each, with the groups of those that are one vertex.
struct Knots {
    all: Vec<Knot>,
    /// Per edge of all pieces the first of its knots, its first corner; then how many knots there are.
    of_edge: Vec<u32>,
    /// Per piece the first of its edges; then how many edges there are.
    first_edge: Vec<u32>,
    group: Vec<u32>,
}

impl Knots {
    fn new(pieces: &[Piece], openings: &[Opening]) -> Self {
        let mut first_edge = Vec::with_capacity(pieces.len() + 1);
        let mut edges = 0;
        for piece in pieces {
            first_edge.push(edges);
            edges += piece.corners.len() as u32;
        }
        first_edge.push(edges);
        let sides = openings.iter().flat_map(|o| &o.sides);
        // Most openings are whole edges and end at corners.
        let mut inner: Vec<(u32, f64)> = sides
            .flat_map(|side| {
                let edge = first_edge[side.piece as usize] + side.edge;
                let (from, to) = pieces[side.piece as usize].edge(side.edge as usize);
                let most = from.distance(to) - SAME_PLACE;
                let is_inner = move |&x: &f64| x >= SAME_PLACE && x < most;
                [side.from, side.to].into_iter().filter(is_inner).map(move |x| (edge, x))
            })
            .collect();
        inner.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut inner = inner.into_iter().peekable();
        let count = edges as usize + inner.len();
        let mut knots = Self { all: Vec::with_capacity(count), of_edge: Vec::new(), first_edge, group: vec![] };
        for piece in pieces {
            for edge in 0..piece.corners.len() {
                let number = knots.of_edge.len() as u32;
                knots.of_edge.push(knots.all.len() as u32);
                let ((p, q), (h, k)) = (piece.edge(edge), piece.edge_heights(edge));
                knots.all.push(Knot { at: p, height: h, along: 0.0 });
                let mut last = 0.0;
                while let Some((_, x)) = inner.next_if(|(edge, _)| *edge == number) {
                    if x - last >= SAME_PLACE {
                        let t = x / p.distance(q);
                        knots.all.push(Knot { at: p.lerp(q, t), height: h + (k - h) * t, along: x });
                        last = x;
                    }
                }
            }
        }
        knots.of_edge.push(knots.all.len() as u32);
        knots.group = (0..knots.all.len() as u32).collect();
        knots
    }

    /// The number of a part's edge among those of all pieces.
    fn edge_of(&self, side: &EdgePart) -> usize {
        (self.first_edge[side.piece as usize] + side.edge) as usize
    }

    /// The knots along an edge.
    fn along(&self, edge: usize) -> Range<usize> {
        self.of_edge[edge] as usize..self.of_edge[edge + 1] as usize
    }

    /// The knot at a place along an edge; at its end the first corner of the next one.
    fn find(&self, side: &EdgePart, x: f64) -> u32 {
        let edge = self.edge_of(side);
        let range = self.along(edge);
        let at = range.start + self.all[range.clone()].partition_point(|knot| knot.along < x - SAME_PLACE);
        if at < range.end {
            return at as u32;
        }
        let own = self.first_edge[side.piece as usize] as usize..self.first_edge[side.piece as usize + 1] as usize;
        self.of_edge[if edge + 1 < own.end { edge + 1 } else { own.start }]
    }

    /// The seam along which each knot's edge goes on from it: `2 i` for the first side of opening `i` and `2 i + 1` for
    /// its second, [`WALL`] where none is. `ends` are the knots at the ends of the openings' sides.
    fn seams(&self, openings: &[Opening], ends: &[[[u32; 2]; 2]]) -> Vec<u32> {
        let mut seams = vec![WALL; self.all.len()];
        let sides = openings.iter().flat_map(|o| &o.sides).zip(ends.iter().flatten());
        for (seam, (side, &[from, to])) in (0..).zip(sides) {
            let range = self.along(self.edge_of(side));
            let (from, to) = (from as usize, to as usize);
            let to = if (from + 1..range.end).contains(&to) { to } else { range.end };
            for knot in seams.get_mut(from..to).into_iter().flatten().filter(|knot| **knot == WALL) {
                *knot = seam;
            }
        }
        seams
    }

    fn root(&mut self, mut knot: u32) -> u32 {
        while self.group[knot as usize] != knot {
            self.group[knot as usize] = self.group[self.group[knot as usize] as usize];
            knot = self.group[knot as usize];
        }
        knot
    }

    /// Makes two knots one vertex where they are close enough.
    fn weld(&mut self, a: u32, b: u32) {
        if self.all[a as usize].at.distance(self.all[b as usize].at) <= WELD {
            let (a, b) = (self.root(a), self.root(b));
            self.group[a.max(b) as usize] = a.min(b);
        }
    }

    /// Vertices of the groups, and the vertex of each knot. A vertex lies at a corner rather than at the end of an
    /// opening, and at the mean height of what meets there.
    fn vertices(&mut self) -> (Vec<DVec3>, Vec<u32>) {
        let mut vertex_of = vec![u32::MAX; self.all.len()];
        let mut vertices: Vec<DVec3> = Vec::new();
        let mut members: Vec<(bool, f64, f64, f64)> = Vec::new();
        for knot in 0..self.all.len() as u32 {
            let root = self.root(knot) as usize;
            if vertex_of[root] == u32::MAX {
                vertex_of[root] = vertices.len() as u32;
                vertices.push(DVec3::ZERO);
                members.push((false, 0.0, f64::INFINITY, f64::NEG_INFINITY));
            }
            let vertex = vertex_of[root] as usize;
            vertex_of[knot as usize] = vertex as u32;
            let Knot { at, height, along } = self.all[knot as usize];
            let is_corner = along == 0.0;
            let (has_corner, count, low, high) = &mut members[vertex];
            if *count == 0.0 || is_corner && !*has_corner {
                vertices[vertex] = DVec3::new(at.x, 0.0, at.y);
            }
            *has_corner |= is_corner;
            *count += 1.0;
            (*low, *high) = (low.min(height), high.max(height));
            vertices[vertex].y = 0.5 * (*low + *high);
        }
        (vertices, vertex_of)
    }
}

/// Makes the mesh.
pub(super) fn stitch(triangles: &[LevelTriangle], pieces: &[Piece], openings: Vec<Opening>) -> LevelMesh {
    let mut knots = Knots::new(pieces, &openings);
    let ends: Vec<[[u32; 2]; 2]> =
        openings.iter().map(|o| o.sides.map(|s| [s.from, s.to].map(|x| knots.find(&s, x)))).collect();
    for [a, b] in &ends {
        knots.weld(a[0], b[1]);
        knots.weld(a[1], b[0]);
    }
    let (mut vertices, vertex_of) = knots.vertices();
    round_to_mesh(&mut vertices);
    let mut builder = Builder { vertices, outlines: Vec::new(), seams: openings.len() as u32 * 2 };
    builder.add_pieces(&knots, &knots.seams(&openings, &ends), &vertex_of);
    drop(knots);
    let ends = ends.iter().map(|sides| sides.map(|side| side.map(|knot| vertex_of[knot as usize])));
    builder.add_bridges(&openings, ends);
    drop(openings);
    builder.split_reflex();
    builder.finish(triangles, pieces)
}

/// Rounds vertices to the single precision around the middle that a checked mesh keeps them in, so that what is convex
/// here is convex there.
fn round_to_mesh(vertices: &mut [DVec3]) {
    let origin = RawMesh::origin_of(vertices);
    vertices.iter_mut().for_each(|v| *v = (*v - origin).as_vec3().as_dvec3() + origin);
}

struct Builder {
    vertices: Vec<DVec3>,
    outlines: Vec<Outline>,
    /// How many seams there are. Opening `i` has the seams `2 i` of its first side and `2 i + 1` of its second; where
    /// both sides share their vertices the first serves both.
    seams: u32,
}

impl Builder {
    fn plan(&self, vertex: u32) -> DVec2 {
        let v = self.vertices[vertex as usize];
        DVec2::new(v.x, v.z)
    }

    /// The outlines of all pieces, with the seams of their openings.
    fn add_pieces(&mut self, knots: &Knots, seams: &[u32], vertex_of: &[u32]) {
        self.outlines.extend((0..).zip(knots.first_edge.windows(2)).map(|(piece, edges)| {
            let [first, end] = [edges[0], edges[1]].map(|edge| knots.of_edge[edge as usize] as usize);
            let (vertices, seams) = (vertex_of[first..end].to_vec(), seams[first..end].to_vec());
            Outline { vertices, seams, piece, is_bridge: false }
        }));
    }

    /// Joins the two seams of openings whose sides share their vertices, and bridges the others.
    fn add_bridges(&mut self, openings: &[Opening], ends: impl Iterator<Item = [[u32; 2]; 2]>) {
        let mut joined = vec![false; openings.len()];
        let mut sides: HashMap<(u32, u32), u32> = HashMap::new();
        for (i, [[a0, a1], [b0, b1]]) in ends.enumerate() {
            if a0 == b1 && a1 == b0 {
                joined[i] = true;
                continue;
            }
            // Around the bridge: back along the first side, over to the second, back along that, and over again.
            let mut outline =
                Outline { vertices: vec![], seams: vec![], piece: openings[i].sides[0].piece, is_bridge: true };
            let mut push = |vertex, seam| {
                outline.vertices.push(vertex);
                outline.seams.push(seam);
            };
            push(a1, 2 * i as u32);
            if a0 != b1 {
                push(a0, self.side_seam(&mut sides, a0, b1));
            }
            push(b1, 2 * i as u32 + 1);
            if b0 != a1 {
                push(b0, self.side_seam(&mut sides, b0, a1));
            }
            self.outlines.push(outline);
        }
        for outline in self.outlines.iter_mut().filter(|o| !o.is_bridge) {
            for seam in outline.seams.iter_mut().filter(|s| **s != WALL && joined[**s as usize / 2]) {
                *seam &= !1;
            }
        }
    }

    /// The seam across the end of a bridge: bridges that lie beside each other share it.
    fn side_seam(&mut self, sides: &mut HashMap<(u32, u32), u32>, from: u32, to: u32) -> u32 {
        sides.remove(&(to, from)).unwrap_or_else(|| {
            self.seams += 1;
            sides.insert((from, to), self.seams - 1);
            self.seams - 1
        })
    }

    /// Drops corners that were welded into one and outlines that touch themselves since, and splits into convex ones
    /// those that welding made reflex or that have too many corners.
    fn split_reflex(&mut self) {
        let outlines = std::mem::take(&mut self.outlines);
        let is_sound: Vec<bool> = outlines.par_iter().map(|outline| self.is_sound(outline)).collect();
        for (outline, is_sound) in outlines.into_iter().zip(is_sound) {
            if is_sound {
                self.outlines.push(outline);
            } else {
                self.mend(outline);
            }
        }
    }

    /// Whether an outline stays as it is.
    fn is_sound(&self, outline: &Outline) -> bool {
        let vertices = &outline.vertices;
        let is_pinched = || (1..vertices.len()).any(|i| vertices[..i].contains(&vertices[i]));
        (3..=MAX_CORNERS).contains(&vertices.len())
            && !is_pinched()
            && (0..vertices.len()).all(|corner| !self.is_spike(outline, corner))
            && self.double_area(vertices) >= MIN_DOUBLE_AREA
            && self.reflex_corner(outline).is_none()
            && self.winds_once(outline)
    }

    /// Keeps what is usable of an outline.
    fn mend(&mut self, outline: Outline) {
        let mut open = vec![outline];
        while let Some(mut outline) = open.pop() {
            drop_repeated(&mut outline);
            self.drop_spikes(&mut outline);
            let is_pinched = (1..outline.vertices.len()).any(|i| outline.vertices[..i].contains(&outline.vertices[i]));
            if outline.vertices.len() < 3 || is_pinched || self.double_area(&outline.vertices) < MIN_DOUBLE_AREA {
                continue;
            }
            let halves = match self.reflex_corner(&outline) {
                Some(corner) => self.split(&outline, corner),
                None if outline.vertices.len() > MAX_CORNERS => self.halve(&outline),
                None => {
                    // One that winds around itself twice has no reflex corner either.
                    if self.winds_once(&outline) {
                        self.outlines.push(outline);
                    }
                    None
                }
            };
            open.extend(halves.into_iter().flatten());
        }
    }

    /// Whether an outline turns back on itself at a corner.
    fn is_spike(&self, outline: &Outline, corner: usize) -> bool {
        let count = outline.vertices.len();
        let [a, b, c] = [corner + count - 1, corner, corner + 1].map(|k| self.plan(outline.vertices[k % count]));
        let (e, f) = (b - a, c - b);
        e.dot(f) < 0.0 && e.perp_dot(f).abs() < MAX_REFLEX * e.length() * f.length()
    }

    /// Drops corners at which an outline turns back on itself.
    fn drop_spikes(&self, outline: &mut Outline) {
        let mut i = 0;
        while outline.vertices.len() > 2 && i < outline.vertices.len() {
            let count = outline.vertices.len();
            if self.is_spike(outline, i) {
                outline.seams[(i + count - 1) % count] = WALL;
                outline.vertices.remove(i);
                outline.seams.remove(i);
                drop_repeated(outline);
                i = 0;
            } else {
                i += 1;
            }
        }
    }

    fn double_area(&self, vertices: &[u32]) -> f64 {
        let corners: SmallVec<[DVec2; 8]> = vertices.iter().map(|&v| self.plan(v)).collect();
        convex::double_area(&corners)
    }

    fn winds_once(&self, outline: &Outline) -> bool {
        let corners: SmallVec<[DVec3; 8]> = outline.vertices.iter().map(|&v| self.vertices[v as usize]).collect();
        plan::first_reflex_corner(&corners, MAX_REFLEX).is_none()
    }

    /// The most reflex corner, if any is.
    fn reflex_corner(&self, outline: &Outline) -> Option<usize> {
        let count = outline.vertices.len();
        let at = |i: usize| self.plan(outline.vertices[i % count]);
        let sine = |i: usize| {
            let (e, f) = (at(i) - at(i + count - 1), at(i + 1) - at(i));
            e.perp_dot(f) / (e.length() * f.length()).max(f64::MIN_POSITIVE)
        };
        let worst = (0..count).map(|i| (sine(i), i)).min_by(|a, b| a.0.total_cmp(&b.0))?;
        (worst.0 < -MAX_REFLEX).then_some(worst.1)
    }

    /// Splits an outline along the diagonal from a reflex corner that leaves the larger smaller part.
    fn split(&mut self, outline: &Outline, corner: usize) -> Option<[Outline; 2]> {
        let count = outline.vertices.len();
        self.split_best(outline, (2..count - 1).map(|k| [corner, (corner + k) % count]))
    }

    /// Splits an outline into two with as many corners each.
    fn halve(&mut self, outline: &Outline) -> Option<[Outline; 2]> {
        let half = outline.vertices.len() / 2;
        self.split_best(outline, (0..half).map(|i| [i, i + half]))
    }

    /// Splits an outline along that of these diagonals that leaves the larger smaller part.
    fn split_best(&mut self, outline: &Outline, ends: impl Iterator<Item = [usize; 2]>) -> Option<[Outline; 2]> {
        let count = outline.vertices.len();
        let origin = self.plan(outline.vertices[0]);
        let at = |i: usize| self.plan(outline.vertices[i % count]) - origin;
        // Twice the area between the first corner and the way from there to each other one, and back to it.
        let mut swept = vec![0.0; count + 1];
        for i in 0..count {
            swept[i + 1] = swept[i] + at(i).perp_dot(at(i + 1));
        }
        let double_area = |from: usize, to: usize| {
            let around = if to < from { swept[count] } else { 0.0 };
            around + swept[to] - swept[from] + at(to).perp_dot(at(from))
        };
        let smaller = |[from, to]: [usize; 2]| (double_area(from, to).min(double_area(to, from)), [from, to]);
        let (area, [from, to]) = ends.map(smaller).max_by(|a, b| a.0.total_cmp(&b.0))?;
        if area < MIN_DOUBLE_AREA {
            return None;
        }
        self.seams += 1;
        Some([outline.part(from, to, self.seams - 1), outline.part(to, from, self.seams - 1)])
    }

    /// Looks up the polygons beyond the seams and adds heights.
    fn finish(self, triangles: &[LevelTriangle], pieces: &[Piece]) -> LevelMesh {
        let mut beyond: Vec<[u32; 2]> = vec![[u32::MAX; 2]; self.seams as usize];
        for (polygon, outline) in (0..).zip(&self.outlines) {
            for &seam in outline.seams.iter().filter(|s| **s != WALL) {
                let pair = &mut beyond[seam as usize];
                pair[usize::from(pair[0] != u32::MAX)] = polygon;
            }
        }
        let mut mesh = RawMesh { vertices: self.vertices, polygons: Vec::with_capacity(self.outlines.len()) };
        let mut detail = Detail { starts: vec![0], ..Detail::default() };
        let mut triangle = Vec::with_capacity(self.outlines.len());
        for (polygon, outline) in (0..).zip(self.outlines) {
            let neighbor = |&seam: &u32| {
                let [a, b] = *beyond.get(seam as usize)?;
                Some(if a == polygon { b } else { a }).filter(|&n| n != u32::MAX)
            };
            let piece = &pieces[outline.piece as usize];
            let neighbors = outline.seams.iter().map(neighbor).collect();
            triangle.push(triangles[piece.source as usize].index);
            if !outline.is_bridge {
                add_heights(&mesh, &outline, piece, &mut detail);
            }
            mesh.polygons.push(RawPolygon { neighbors: Some(neighbors), ..RawPolygon::new(outline.vertices) });
            detail.starts.push(detail.triangles.len() as u32);
        }
        LevelMesh { mesh, detail, triangle }
    }
}

fn drop_repeated(outline: &mut Outline) {
    let mut i = 0;
    while i < outline.vertices.len() && outline.vertices.len() > 1 {
        let next = (i + 1) % outline.vertices.len();
        if outline.vertices[i] == outline.vertices[next] {
            outline.vertices.remove(i);
            outline.seams.remove(i);
        } else {
            i += 1;
        }
    }
}

/// Gives a polygon the heights of its piece's plane, where its corners lie off it.
fn add_heights(mesh: &RawMesh, outline: &Outline, piece: &Piece, detail: &mut Detail) {
    let height = |at: DVec3| piece.height_at(DVec2::new(at.x, at.z));
    let corners: SmallVec<[DVec3; 8]> = outline.vertices.iter().map(|&v| mesh.vertices[v as usize]).collect();
    if corners.iter().all(|&c| (height(c) - c.y).abs() < MIN_DETAIL) {
        return;
    }
    let first = detail.points.len() as u32;
    detail.points.extend(corners.iter().map(|&c| DVec3 { y: height(c), ..c }));
    let plan = |i: usize| DVec2::new(corners[i].x, corners[i].z);
    for i in 1..corners.len() - 1 {
        if (plan(i) - plan(0)).perp_dot(plan(i + 1) - plan(0)) > MIN_DETAIL_AREA {
            detail.triangles.push([first, first + i as u32, first + i as u32 + 1]);
        }
    }
}
