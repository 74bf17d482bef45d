//! From pieces and openings to a raw mesh: corners that coincide are welded, gaps are bridged by thin polygons.

use super::adjacency::{Opening, Openings};
use super::conform::Conforming;
use super::convex;
use super::knots::{Knots, WALL};
use super::piece::SourcePlane;
use crate::asset::LevelTriangle;
use crate::math::plan;
use crate::nav::mesh::{Detail, RawMesh, RawPolygon};
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// How far a corner may be reflex before a polygon is split there, as the sine of the angle: below what validation
/// allows for.
const MAX_REFLEX: f64 = 5e-4;
/// Most corners of a polygon: below what validation allows.
const MAX_CORNERS: usize = 256;
/// Corners of an outline that are compared one by one.
const MAX_SHORT: usize = 64;
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

/// Makes the mesh.
pub(super) fn stitch(conforming: Conforming<'_>, openings: Openings) -> LevelMesh {
    let knots = Knots::new(&conforming, &openings.parts);
    let ends = knots.weld_all(&openings);
    let (mut vertices, vertex_of) = knots.vertices();
    round_to_mesh(&mut vertices);
    let seams = knots.seams(&openings, &ends);
    let first = conforming.starts.iter().map(|&edge| knots.of_edge[edge as usize]).collect();
    drop(knots);
    let (Conforming { level, sources, starts, places, at }, Openings { whole, parts }) = (conforming, openings);
    let pieces = PieceOutlines { first, vertices: vertex_of, seams };
    let before = whole.len() as u32;
    // Large levels take as much memory for these as for the mesh.
    drop((starts, places, at, whole));
    let seams = before + 2 * parts.len() as u32;
    let mut builder = Builder { vertices, pieces, others: Vec::new(), polygons: Vec::new(), seams };
    let bridges = builder.bridges(before, &parts, &ends);
    builder.split_reflex(bridges);
    let (detail, triangle) = builder.heights(&level, &sources);
    // As much memory as the polygons will take.
    drop((level, sources));
    builder.look_up_neighbors();
    LevelMesh { mesh: builder.mesh(), detail, triangle }
}

/// Rounds vertices to the single precision around the middle that a checked mesh keeps them in, so that what is convex
/// here is convex there.
fn round_to_mesh(vertices: &mut [DVec3]) {
    let origin = RawMesh::origin_of(vertices.iter().copied());
    vertices.iter_mut().for_each(|v| *v = (*v - origin).as_vec3().as_dvec3() + origin);
}

/// The outlines of all pieces as they are before any is split.
struct PieceOutlines {
    /// Per piece the first of its knots, and how many knots there are.
    first: Vec<u32>,
    /// The vertex of each knot.
    vertices: Vec<u32>,
    /// The seam from each knot on.
    seams: Vec<u32>,
}

impl PieceOutlines {
    fn len(&self) -> usize {
        self.first.len() - 1
    }

    fn knots(&self, piece: usize) -> Range<usize> {
        self.first[piece] as usize..self.first[piece + 1] as usize
    }

    fn vertices_of(&self, piece: usize) -> &[u32] {
        &self.vertices[self.knots(piece)]
    }

    fn outline(&self, piece: usize) -> Outline {
        let (vertices, seams) = (self.vertices_of(piece).to_vec(), self.seams[self.knots(piece)].to_vec());
        Outline { vertices, seams, piece: piece as u32, is_bridge: false }
    }
}

/// A polygon of the mesh.
struct OutlineView<'a> {
    vertices: &'a [u32],
    seams: &'a [u32],
    piece: u32,
    is_bridge: bool,
}

struct Builder {
    vertices: Vec<DVec3>,
    pieces: PieceOutlines,
    /// Parts of pieces, and bridges.
    others: Vec<Outline>,
    /// The polygons of the mesh: pieces by their numbers, and behind these the numbers of the others.
    polygons: Vec<u32>,
    /// How many seams there are.
    seams: u32,
}

impl Builder {
    fn plan(&self, vertex: u32) -> DVec2 {
        let v = self.vertices[vertex as usize];
        DVec2::new(v.x, v.z)
    }

    /// Joins the two seams of openings whose sides share their vertices, and bridges the others. `whole` seams lie before
    /// theirs, and `ends` are the knots at their ends.
    fn bridges(&mut self, whole: u32, openings: &[Opening], ends: &[[[u32; 2]; 2]]) -> Vec<Outline> {
        let mut joined = vec![false; openings.len()];
        let mut sides: HashMap<(u32, u32), u32> = HashMap::new();
        let mut bridges = Vec::new();
        for (i, ends) in ends.iter().enumerate() {
            let [[a0, a1], [b0, b1]] = ends.map(|side| side.map(|knot| self.pieces.vertices[knot as usize]));
            if a0 == b1 && a1 == b0 {
                joined[i] = true;
                continue;
            }
            let first = whole + 2 * i as u32;
            // Around the bridge: back along the first side, over to the second, back along that, and over again.
            let mut outline =
                Outline { vertices: vec![], seams: vec![], piece: openings[i].sides[0].piece, is_bridge: true };
            let mut push = |vertex, seam| {
                outline.vertices.push(vertex);
                outline.seams.push(seam);
            };
            push(a1, first);
            if a0 != b1 {
                push(a0, self.side_seam(&mut sides, a0, b1));
            }
            push(b1, first + 1);
            if b0 != a1 {
                push(b0, self.side_seam(&mut sides, b0, a1));
            }
            bridges.push(outline);
        }
        for seam in self.pieces.seams.iter_mut().filter(|s| **s != WALL && **s >= whole) {
            let of_opening = *seam - whole;
            *seam -= u32::from(joined[of_opening as usize / 2]) * (of_opening & 1);
        }
        bridges
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
    fn split_reflex(&mut self, bridges: Vec<Outline>) {
        let count = self.pieces.len();
        let is_sound = |piece: usize| self.is_sound(self.pieces.vertices_of(piece));
        let is_sound: Vec<bool> = (0..count).into_par_iter().map(is_sound).collect();
        self.polygons.reserve_exact(count + bridges.len());
        for (piece, is_sound) in is_sound.into_iter().enumerate() {
            if is_sound {
                self.polygons.push(piece as u32);
            } else {
                self.mend(self.pieces.outline(piece));
            }
        }
        for bridge in bridges {
            if self.is_sound(&bridge.vertices) {
                self.keep(bridge);
            } else {
                self.mend(bridge);
            }
        }
    }

    /// Takes an outline for a polygon.
    fn keep(&mut self, outline: Outline) {
        self.polygons.push((self.pieces.len() + self.others.len()) as u32);
        self.others.push(outline);
    }

    /// Whether an outline stays as it is.
    fn is_sound(&self, vertices: &[u32]) -> bool {
        (3..=MAX_CORNERS).contains(&vertices.len())
            && !is_pinched(vertices)
            && (0..vertices.len()).all(|corner| !self.is_spike(vertices, corner))
            && self.double_area(vertices) >= MIN_DOUBLE_AREA
            && self.reflex_corner(vertices).is_none()
            && self.winds_once(vertices)
    }

    /// Keeps what is usable of an outline.
    fn mend(&mut self, outline: Outline) {
        let mut open = vec![outline];
        while let Some(mut outline) = open.pop() {
            drop_repeated(&mut outline);
            self.drop_spikes(&mut outline);
            if outline.vertices.len() < 3
                || is_pinched(&outline.vertices)
                || self.double_area(&outline.vertices) < MIN_DOUBLE_AREA
            {
                continue;
            }
            let halves = match self.reflex_corner(&outline.vertices) {
                Some(corner) => self.split(&outline, corner),
                None if outline.vertices.len() > MAX_CORNERS => self.halve(&outline),
                None => {
                    // One that winds around itself twice has no reflex corner either.
                    if self.winds_once(&outline.vertices) {
                        self.keep(outline);
                    }
                    None
                }
            };
            open.extend(halves.into_iter().flatten());
        }
    }

    /// Whether an outline turns back on itself at a corner.
    fn is_spike(&self, vertices: &[u32], corner: usize) -> bool {
        let count = vertices.len();
        let [a, b, c] = [corner + count - 1, corner, corner + 1].map(|k| self.plan(vertices[k % count]));
        let (e, f) = (b - a, c - b);
        e.dot(f) < 0.0 && e.perp_dot(f).abs() < MAX_REFLEX * e.length() * f.length()
    }

    /// Drops corners at which an outline turns back on itself.
    fn drop_spikes(&self, outline: &mut Outline) {
        let (mut i, mut sound) = (0, 0);
        // Until all corners in a row are none.
        while outline.vertices.len() > 2 && sound < outline.vertices.len() {
            let count = outline.vertices.len();
            i %= count;
            if self.is_spike(&outline.vertices, i) {
                outline.seams[(i + count - 1) % count] = WALL;
                outline.vertices.remove(i);
                outline.seams.remove(i);
                drop_repeated(outline);
                // The corners beside it have become others.
                (i, sound) = (i.saturating_sub(2), 0);
            } else {
                (i, sound) = (i + 1, sound + 1);
            }
        }
    }

    fn double_area(&self, vertices: &[u32]) -> f64 {
        let corners: SmallVec<[DVec2; 8]> = vertices.iter().map(|&v| self.plan(v)).collect();
        convex::double_area(&corners)
    }

    fn winds_once(&self, vertices: &[u32]) -> bool {
        let corners: SmallVec<[DVec3; 8]> = vertices.iter().map(|&v| self.vertices[v as usize]).collect();
        plan::first_reflex_corner(&corners, MAX_REFLEX).is_none()
    }

    /// The most reflex corner, if any is.
    fn reflex_corner(&self, vertices: &[u32]) -> Option<usize> {
        let count = vertices.len();
        let at = |i: usize| self.plan(vertices[i % count]);
        let sine = |i: usize| {
            let (e, f) = (at(i) - at(i + count - 1), at(i + 1) - at(i));
            e.perp_dot(f) / (e.length() * f.length()).max(f64::MIN_POSITIVE)
        };
        let worst = (0..count).map(|i| (sine(i), i)).min_by(|a, b| a.0.total_cmp(&b.0))?;
        (worst.0 < -MAX_REFLEX).then_some(worst.1)
    }

    /// Splits an outline along a diagonal from a reflex corner.
    fn split(&mut self, outline: &Outline, corner: usize) -> Option<[Outline; 2]> {
        let count = outline.vertices.len();
        self.split_best(outline, (2..count - 1).map(|k| [corner, (corner + k) % count]))
    }

    /// Splits an outline into two with as many corners each.
    fn halve(&mut self, outline: &Outline) -> Option<[Outline; 2]> {
        let half = outline.vertices.len() / 2;
        self.split_best(outline, (0..half).map(|i| [i, i + half]))
    }

    /// Splits an outline along the shortest of these diagonals that leave a smaller part at least half as large as any of them.
    /// Long ones would part long outlines into wedges that are [spikes](Self::is_spike).
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
        let smaller = |[from, to]: [usize; 2]| double_area(from, to).min(double_area(to, from));
        let ends: SmallVec<[_; 16]> = ends.map(|ends| (smaller(ends), ends)).collect();
        let most = ends.iter().map(|end| end.0).max_by(f64::total_cmp)?;
        let balanced = ends.iter().filter(|end| end.0 >= (0.5 * most).max(MIN_DOUBLE_AREA));
        let length = |[from, to]: [usize; 2]| at(from).distance_squared(at(to));
        let &(_, [from, to]) = balanced.min_by(|a, b| length(a.1).total_cmp(&length(b.1)))?;
        self.seams += 1;
        Some([outline.part(from, to, self.seams - 1), outline.part(to, from, self.seams - 1)])
    }

    /// A polygon by its number in the list of those.
    fn outline(&self, number: u32) -> OutlineView<'_> {
        let of_piece = number as usize;
        match of_piece.checked_sub(self.pieces.len()) {
            Some(other) => {
                let Outline { vertices, seams, piece, is_bridge } = &self.others[other];
                OutlineView { vertices, seams, piece: *piece, is_bridge: *is_bridge }
            }
            None => OutlineView {
                vertices: self.pieces.vertices_of(of_piece),
                seams: &self.pieces.seams[self.pieces.knots(of_piece)],
                piece: number,
                is_bridge: false,
            },
        }
    }

    /// The heights of all polygons, and the number of each one's level triangle. `sources` are the triangles of the
    /// pieces, by their positions in the level's list.
    fn heights(&self, level: &[LevelTriangle], sources: &[u32]) -> (Detail, Vec<u32>) {
        let count = self.polygons.len();
        let mut detail = Detail { starts: Vec::with_capacity(count + 1), ..Detail::default() };
        detail.starts.push(0);
        let source = |outline: &OutlineView<'_>| &level[sources[outline.piece as usize] as usize];
        let is_off_plane = |&number: &u32| {
            let outline = self.outline(number);
            !outline.is_bridge
                && is_off_plane(&self.vertices, outline.vertices, &SourcePlane::of(&source(&outline).points))
        };
        let is_off_plane: Vec<bool> = self.polygons.par_iter().map(is_off_plane).collect();
        for (&number, is_off_plane) in self.polygons.iter().zip(is_off_plane) {
            if is_off_plane {
                let outline = self.outline(number);
                add_heights(&self.vertices, outline.vertices, &SourcePlane::of(&source(&outline).points), &mut detail);
            }
            detail.starts.push(detail.triangles.len() as u32);
        }
        let triangle = self.polygons.par_iter().map(|&number| source(&self.outline(number)).index).collect();
        (detail, triangle)
    }

    /// Puts the polygons beyond the seams of all polygons in the places of these; [`WALL`] where there is none.
    fn look_up_neighbors(&mut self) {
        let mut beyond: Vec<[AtomicU32; 2]> = Vec::with_capacity(self.seams as usize);
        let none = |_| [const { AtomicU32::new(WALL) }; 2];
        (0..self.seams).into_par_iter().map(none).collect_into_vec(&mut beyond);
        (0..self.polygons.len() as u32).into_par_iter().for_each(|polygon| {
            let outline = self.outline(self.polygons[polygon as usize]);
            for &seam in outline.seams.iter().filter(|s| **s != WALL) {
                let [first, second] = &beyond[seam as usize];
                // A polygon may have several edges along a seam.
                let known = first.compare_exchange(WALL, polygon, Relaxed, Relaxed);
                if known.is_err_and(|known| known != polygon) {
                    second.store(polygon, Relaxed);
                }
            }
        });
        let other = |polygon: u32, seam: u32| {
            let [a, b] = [0, 1].map(|side: usize| beyond[seam as usize][side].load(Relaxed));
            if a == polygon { b } else { a }
        };
        let pieces = self.pieces.len();
        for (polygon, &number) in (0..).zip(&self.polygons) {
            let seams = match (number as usize).checked_sub(pieces) {
                Some(other) => &mut self.others[other].seams[..],
                None => {
                    let knots = self.pieces.knots(number as usize);
                    &mut self.pieces.seams[knots]
                }
            };
            seams.iter_mut().filter(|s| **s != WALL).for_each(|seam| *seam = other(polygon, *seam));
        }
    }

    /// The mesh, once the neighbours are in the places of the seams.
    fn mesh(mut self) -> RawMesh {
        let vertices = std::mem::take(&mut self.vertices);
        let polygon = |&number: &u32| {
            let outline = self.outline(number);
            let neighbor = |&n: &u32| Some(n).filter(|&n| n != WALL);
            let neighbors = outline.seams.iter().map(neighbor).collect();
            RawPolygon { neighbors: Some(neighbors), ..RawPolygon::new(outline.vertices) }
        };
        RawMesh { vertices, polygons: self.polygons.par_iter().map(polygon).collect() }
    }
}

/// Whether an outline passes a vertex twice.
fn is_pinched(vertices: &[u32]) -> bool {
    if vertices.len() <= MAX_SHORT {
        return (1..vertices.len()).any(|i| vertices[..i].contains(&vertices[i]));
    }
    let mut sorted = vertices.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
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

/// Whether a corner of a polygon lies off its piece's plane.
fn is_off_plane(vertices: &[DVec3], outline: &[u32], plane: &SourcePlane) -> bool {
    let mut corners = outline.iter().map(|&v| vertices[v as usize]);
    corners.any(|at| !((plane.height_at(DVec2::new(at.x, at.z)) - at.y).abs() < MIN_DETAIL))
}

/// Gives a polygon the heights of its piece's plane.
fn add_heights(vertices: &[DVec3], outline: &[u32], plane: &SourcePlane, detail: &mut Detail) {
    let height = |at: DVec3| plane.height_at(DVec2::new(at.x, at.z));
    let corners: SmallVec<[DVec3; 8]> = outline.iter().map(|&v| vertices[v as usize]).collect();
    let first = detail.points.len() as u32;
    detail.points.extend(corners.iter().map(|&c| DVec3 { y: height(c), ..c }));
    let plan = |i: usize| DVec2::new(corners[i].x, corners[i].z);
    for i in 1..corners.len() - 1 {
        if (plan(i) - plan(0)).perp_dot(plan(i + 1) - plan(0)) > MIN_DETAIL_AREA {
            detail.triangles.push([first, first + i as u32, first + i as u32 + 1]);
        }
    }
}
