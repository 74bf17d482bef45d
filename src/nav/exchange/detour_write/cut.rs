//! Polygons as Detour's tiles hold them: cut at the lines of a grid, and of at most six corners.

use foldhash::{HashMap, HashMapExt};

use glam::DVec3;

use super::super::ExchangeError;
use super::grid::SetGrid;
use crate::math::plan;
use crate::nav::mesh::{MeshFile, NONE, NavMesh, PolyId};

/// Corners that Detour's polygons have room for.
pub const ROOM: usize = 6;
/// A corner that is this near to a line lies on it, metres: two of them are still one border for Detour, which joins
/// borders up to 1 cm apart.
const ON_LINE: f64 = 0.004;

/// A polygon or a part of one, wound as Detour winds them.
#[derive(Clone, Debug, Default)]
pub struct CutPolygon {
    /// Numbers of points.
    pub corners: Vec<u32>,
    /// The polygon of the mesh beyond the edge from each corner; the polygon's own number where it was cut.
    beyond: Vec<Option<u32>>,
    /// The part beyond each edge.
    pub neighbors: Vec<Option<u32>>,
    /// The polygon of the mesh.
    pub source: u32,
    /// Whether it is all of that polygon.
    pub is_whole: bool,
}

/// The parts of a mesh.
#[derive(Debug, Default)]
pub struct CutMesh {
    /// The vertices of the mesh, then those of the cuts.
    pub points: Vec<DVec3>,
    /// The parts, in the order of the mesh's polygons.
    pub polygons: Vec<CutPolygon>,
    /// The first part of each polygon, then their number.
    pub first: Vec<u32>,
    /// Where an edge meets a line: its ends, the lesser first, the axis, and the line.
    known: HashMap<EdgeLine, u32>,
}

/// An edge, the lesser end first, and a line that it crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct EdgeLine {
    ends: [u32; 2],
    axis: usize,
    line: i32,
}

/// A corner of a polygon that is cut, and on which side of the line it lies.
#[derive(Clone, Copy)]
struct SidedCorner {
    corner: u32,
    beyond: Option<u32>,
    /// Below the line, on it, or above it.
    side: i8,
}

impl CutMesh {
    /// Cuts the polygons of a mesh, in the order of its file, at the lines of a grid where there is one, and into parts of
    /// at most [`ROOM`] corners.
    ///
    /// # Errors
    /// A polygon crosses a line more than twice.
    pub fn new(mesh: &NavMesh, file: &MeshFile, grid: Option<&SetGrid>) -> Result<Self, ExchangeError> {
        let mut cut = Self { points: file.mesh.vertices.clone(), first: vec![0], ..Self::default() };
        for number in 0..mesh.len() as u32 {
            let mut parts = vec![outline(mesh, number)];
            for (grid, axis) in grid.iter().flat_map(|grid| [(grid, 0), (grid, 1)]) {
                parts = cut.at_lines(parts, grid, axis)?;
            }
            for part in parts {
                cut.push_rings(part);
            }
            cut.first.push(cut.polygons.len() as u32);
        }
        cut.find_neighbors();
        cut.known.clear();
        Ok(cut)
    }

    /// The corners of a part.
    pub fn corners_of(&self, polygon: &CutPolygon) -> Vec<DVec3> {
        polygon.corners.iter().map(|&v| self.points[v as usize]).collect()
    }

    fn at_lines(
        &mut self,
        parts: Vec<CutPolygon>,
        grid: &SetGrid,
        axis: usize,
    ) -> Result<Vec<CutPolygon>, ExchangeError> {
        let mut out = Vec::with_capacity(parts.len());
        for mut part in parts {
            let coordinate = |&v: &u32| coordinate(self.points[v as usize], axis);
            let low = part.corners.iter().map(coordinate).fold(f64::INFINITY, f64::min);
            let high = part.corners.iter().map(coordinate).fold(f64::NEG_INFINITY, f64::max);
            for line in grid.lines_within(axis, low, high, ON_LINE) {
                if let Some([below, above]) = self.at_line(&part, grid, axis, line)? {
                    out.push(below);
                    part = above;
                }
            }
            out.push(part);
        }
        Ok(out)
    }

    /// The parts below and above a line, where a polygon lies on both sides of it.
    fn at_line(
        &mut self,
        part: &CutPolygon,
        grid: &SetGrid,
        axis: usize,
        line: i32,
    ) -> Result<Option<[CutPolygon; 2]>, ExchangeError> {
        let at = grid.line(axis, line);
        let side = |v: u32| match coordinate(self.points[v as usize], axis) - at {
            off if off > ON_LINE => 1,
            off if off < -ON_LINE => -1,
            _ => 0,
        };
        let corner = |(&corner, &beyond)| SidedCorner { corner, beyond, side: side(corner) };
        let mut ring: Vec<SidedCorner> = part.corners.iter().zip(&part.beyond).map(corner).collect();
        if [-1, 1].iter().any(|side| ring.iter().all(|c| c.side != *side)) {
            return Ok(None);
        }
        settle(&mut ring);
        let mut crossed = Vec::with_capacity(ring.len() + 2);
        for (i, &here) in ring.iter().enumerate() {
            let next = ring[(i + 1) % ring.len()];
            crossed.push(here);
            if here.side * next.side < 0 {
                let ends = [here.corner.min(next.corner), here.corner.max(next.corner)];
                let corner = self.crossing(EdgeLine { ends, axis, line }, at);
                crossed.push(SidedCorner { corner, beyond: here.beyond, side: 0 });
            }
        }
        if crossed.iter().filter(|c| c.side == 0).count() != 2 {
            let place = self.points[part.corners[0] as usize];
            return Err(ExchangeError::Text(format!(
                "polygon {} at {place} cannot be cut at a border of tiles; repair it, or split the mesh",
                part.source
            )));
        }
        Ok(Some([-1, 1].map(|side| half(&crossed, side, part.source))))
    }

    /// The point where an edge meets a line.
    fn crossing(&mut self, edge: EdgeLine, at: f64) -> u32 {
        let Self { points, known, .. } = self;
        *known.entry(edge).or_insert_with(|| {
            let [a, b] = edge.ends.map(|v| points[v as usize]);
            let (from, to) = (coordinate(a, edge.axis), coordinate(b, edge.axis));
            let mut point = a.lerp(b, (at - from) / (to - from));
            *(if edge.axis == 0 { &mut point.x } else { &mut point.z }) = at;
            points.push(point);
            points.len() as u32 - 1
        })
    }

    /// Appends a part in rings of at most [`ROOM`] corners. Of all cuts that take [`ROOM`] corners off, the one that leaves
    /// most ground on both sides is made: a ring of corners that lie on one line has no ground, and is no polygon.
    fn push_rings(&mut self, mut part: CutPolygon) {
        while part.corners.len() > ROOM {
            let count = part.corners.len();
            let places = self.corners_of(&part);
            let ground = |first: usize, count: usize| {
                let ring: Vec<DVec3> = (first..first + count).map(|i| places[i % places.len()]).collect();
                plan::area(&ring).abs()
            };
            let whole = ground(0, count);
            let kept = |first: usize| {
                let cut_off = ground(first, ROOM);
                cut_off.min(whole - cut_off)
            };
            // The first of equal ones.
            let best = (0..count).rev().max_by(|&a, &b| kept(a).total_cmp(&kept(b))).unwrap_or(0);
            let ring = |first: usize, count: usize| {
                let numbers = (first..first + count).map(|i| i % part.corners.len());
                let mut beyond: Vec<Option<u32>> = numbers.clone().map(|i| part.beyond[i]).collect();
                beyond[count - 1] = Some(part.source);
                let corners = numbers.map(|i| part.corners[i]).collect();
                CutPolygon { corners, beyond, source: part.source, ..CutPolygon::default() }
            };
            let (ring, rest) = (ring(best, ROOM), ring(best + ROOM - 1, count + 2 - ROOM));
            self.polygons.push(ring);
            part = rest;
        }
        self.polygons.push(part);
    }

    /// Finds the part beyond each edge: the one of the polygon there that has the same edge backwards.
    fn find_neighbors(&mut self) {
        let mut by_edge: HashMap<[u32; 3], u32> = HashMap::new();
        for (i, p) in self.polygons.iter().enumerate() {
            for (k, &a) in p.corners.iter().enumerate() {
                by_edge.insert([p.source, a, p.corners[(k + 1) % p.corners.len()]], i as u32);
            }
        }
        for p in &mut self.polygons {
            let next = |k: usize| p.corners[(k + 1) % p.corners.len()];
            let beyond = |(k, other): (usize, &Option<u32>)| by_edge.get(&[(*other)?, next(k), p.corners[k]]).copied();
            p.neighbors = p.beyond.iter().enumerate().map(beyond).collect();
        }
    }
}

/// A coordinate of a point in the plan: x for axis 0, z for axis 1.
fn coordinate(point: DVec3, axis: usize) -> f64 {
    if axis == 0 { point.x } else { point.z }
}

/// A polygon of a mesh, wound as Detour winds them: clockwise with z up the page.
fn outline(mesh: &NavMesh, number: u32) -> CutPolygon {
    let Some(id) = mesh.from_source(number) else { return CutPolygon::default() };
    let edges = mesh.edges_of(id);
    let mut corners: Vec<u32> = edges.iter().map(|e| e.vertex).collect();
    let beyond = |neighbor: u32| (neighbor != NONE).then(|| mesh.source(PolyId(neighbor)));
    let mut beyond: Vec<Option<u32>> = edges.iter().map(|e| beyond(e.neighbor)).collect();
    corners.reverse();
    beyond.reverse();
    beyond.rotate_left(1);
    CutPolygon { corners, beyond, source: number, is_whole: true, ..CutPolygon::default() }
}

/// Leaves one corner on the line where the outline crosses it; others there count to the side that they are next to.
fn settle(ring: &mut [SidedCorner]) {
    let count = ring.len();
    let Some(first) = (0..count).find(|&i| ring[i].side != 0) else { return };
    let mut i = first;
    while i < first + count {
        let from = ring[i % count].side;
        let Some(run) = (1..=count).find(|k| ring[(i + k) % count].side != 0) else { return };
        let to = ring[(i + run) % count].side;
        for k in 1..run {
            let is_crossing = from != to && k == 1;
            ring[(i + k) % count].side = if is_crossing { 0 } else { to };
        }
        i += run;
    }
}

/// The part of an outline on one side of a line, on which two of its corners lie.
fn half(ring: &[SidedCorner], side: i8, source: u32) -> CutPolygon {
    let mut part = CutPolygon { source, ..CutPolygon::default() };
    for (i, here) in ring.iter().enumerate().filter(|(_, here)| here.side != -side) {
        let next = ring[(i + 1) % ring.len()];
        part.corners.push(here.corner);
        part.beyond.push(if next.side == -side { Some(source) } else { here.beyond });
    }
    part
}
