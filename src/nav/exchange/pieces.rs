//! The parts of a joined mesh: convex, neighbours by shared nodes, and the checks that leave out what cannot stay.

use foldhash::{HashMap, HashMapExt, HashSet};

use glam::DVec3;

use super::ExchangeError;
use super::flat::is_flat;
use super::foreign::ForeignPolygon;
use crate::math::plan;
use crate::nav::mesh::{Detail, MeshError, MeshFile, NONE, NavMesh, RawMesh, RawPolygon};

/// Most polygons that are left out one by one because the whole does not pass the checks.
const MAX_REFUSED: usize = 64;
/// Smallest area of a detail triangle, square metres.
const MIN_AREA: f64 = 1e-6;

/// A polygon or a part of one.
pub(super) struct ConvexPiece {
    /// Its corners, numbers of nodes, of positive winding.
    pub nodes: Vec<u32>,
    /// The polygon that it comes from.
    pub source: u32,
    /// Whether it is all of that polygon.
    pub is_whole: bool,
}

/// All parts of a mesh.
pub(super) struct Pieces {
    /// Where the nodes lie.
    pub places: Vec<DVec3>,
    /// The pieces.
    pub list: Vec<ConvexPiece>,
    /// Pairs of polygons that have a passage, the smaller number first.
    pub pairs: HashSet<[u32; 2]>,
}

impl Pieces {
    /// The mesh of the pieces, with their detail.
    ///
    /// # Errors
    /// No piece is left, or more are refused than are left out.
    pub fn check(
        mut self,
        polygons: &mut [ForeignPolygon],
        notes: &mut Vec<String>,
    ) -> Result<(NavMesh, MeshFile), ExchangeError> {
        let mut refused = 0;
        let (raw, mut mesh) = loop {
            if self.list.is_empty() {
                return Err(ExchangeError::Empty);
            }
            let raw = self.raw(polygons);
            match raw.validate() {
                Ok(mesh) => break (raw, mesh),
                Err(error) => match polygon_of(&error) {
                    Some(piece) if refused < MAX_REFUSED && piece < self.list.len() => {
                        notes.push(format!("Left out: {error}."));
                        self.list.remove(piece);
                        refused += 1;
                    }
                    _ => return Err(error.into()),
                },
            }
        };
        let take = |piece: &ConvexPiece| take_detail(piece, &self.places, polygons);
        let mut details: Vec<Vec<[DVec3; 3]>> = self.list.iter().map(take).collect();
        if details.iter().all(Vec::is_empty) {
            return Ok((mesh, MeshFile { mesh: raw, ..MeshFile::default() }));
        }
        for _ in 0..MAX_REFUSED {
            let detail = packed(&details);
            match mesh.set_detail(&detail) {
                Ok(()) => return Ok((mesh, MeshFile { mesh: raw, detail: Some(detail), ..MeshFile::default() })),
                Err(MeshError::Detail { polygon }) if polygon < details.len() => details[polygon].clear(),
                Err(error) => return Err(error.into()),
            }
        }
        notes.push("The height detail does not fit the polygons and is left out.".into());
        Ok((mesh, MeshFile { mesh: raw, ..MeshFile::default() }))
    }

    /// The pieces with their neighbours.
    fn raw(&self, polygons: &[ForeignPolygon]) -> RawMesh {
        let count = self.list.iter().map(|piece| piece.nodes.len()).sum();
        let mut by_edge: HashMap<[u32; 2], u32> = HashMap::with_capacity(count);
        for (i, piece) in self.list.iter().enumerate() {
            for edge in edges(&piece.nodes) {
                // Of polygons upon each other the first keeps the neighbour.
                by_edge.entry(edge).or_insert(i as u32);
            }
        }
        let mut raw = RawMesh::default();
        let mut vertices = vec![NONE; self.places.len()];
        for (i, piece) in self.list.iter().enumerate() {
            let neighbor = |edge: [u32; 2]| {
                let other = *by_edge.get(&[edge[1], edge[0]])?;
                let there = self.list[other as usize].source;
                let pair = [piece.source.min(there), piece.source.max(there)];
                let joined = there == piece.source || self.pairs.contains(&pair);
                (joined && by_edge[&edge] == i as u32).then_some(other)
            };
            let neighbors = Some(edges(&piece.nodes).map(neighbor).collect());
            let corner = |&node: &u32| {
                let vertex = &mut vertices[node as usize];
                if *vertex == NONE {
                    *vertex = raw.vertices.len() as u32;
                    raw.vertices.push(self.places[node as usize]);
                }
                *vertex
            };
            let corners = piece.nodes.iter().map(corner).collect();
            let ForeignPolygon { area, flags, .. } = polygons[piece.source as usize];
            raw.polygons.push(RawPolygon { vertices: corners, neighbors, area, flags });
        }
        raw
    }
}

/// The edges of a ring of nodes.
fn edges(nodes: &[u32]) -> impl Iterator<Item = [u32; 2]> + '_ {
    (0..nodes.len()).map(|i| [nodes[i], nodes[(i + 1) % nodes.len()]])
}

/// The polygon for which a mesh is refused, where leaving it out helps.
fn polygon_of(error: &MeshError) -> Option<usize> {
    match *error {
        MeshError::CornerCount { polygon, .. }
        | MeshError::NoArea { polygon }
        | MeshError::NotConvex { polygon, .. }
        | MeshError::SharedTwice { polygon }
        | MeshError::BadArea { polygon, .. } => Some(polygon),
        _ => None,
    }
}

/// Takes the detail triangles of a whole polygon, of positive winding and with area; none where the polygon is flat and they
/// lie in its plane.
fn take_detail(piece: &ConvexPiece, places: &[DVec3], polygons: &mut [ForeignPolygon]) -> Vec<[DVec3; 3]> {
    let mut detail = std::mem::take(&mut polygons[piece.source as usize].detail);
    if !piece.is_whole {
        return Vec::new();
    }
    detail.retain_mut(|triangle| {
        let [a, b, c] = *triangle;
        let area = plan::cross(a, b, c);
        if area < 0.0 {
            triangle.swap(1, 2);
        }
        area.abs() > 2.0 * MIN_AREA
    });
    let corners = piece.nodes.iter().map(|&node| places[node as usize]);
    if is_flat(corners, detail.as_flattened()) { Vec::new() } else { detail }
}

/// Detail with each point of a polygon once.
fn packed(details: &[Vec<[DVec3; 3]>]) -> Detail {
    let mut detail = Detail { starts: vec![0], ..Detail::default() };
    for triangles in details {
        let first = detail.points.len();
        for triangle in triangles {
            let numbers = triangle.map(|point| {
                let known = detail.points[first..].iter().position(|&p| p == point);
                let number = known.map_or(detail.points.len(), |i| first + i);
                if known.is_none() {
                    detail.points.push(point);
                }
                number as u32
            });
            detail.triangles.push(numbers);
        }
        detail.starts.push(detail.triangles.len() as u32);
    }
    detail
}
