//! Validation: from the raw mesh to the mesh that queries trust.

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use smallvec::SmallVec;
use thiserror::Error;

use super::changes::{Changes, next_id};
use super::detail::{Detail, LocalDetail};
use super::pair_table::PairTable;
use super::{Edge, Grid, NONE, NavMesh, PolyId, Polygon, PortalGraph, RawMesh, SoaPolygons};
use crate::math::Aabb;
use crate::math::plan;

/// Most vertices or polygons of a mesh; a file with more is damaged.
const MAX_COUNT: usize = 1 << 26;
/// Most corners of a polygon.
const MAX_CORNERS: usize = 1024;
/// Tolerated concavity of a corner, as a fraction of the product of its edges' lengths.
const MAX_CONCAVITY: f64 = 1e-3;
/// Largest distance of a vertex from the mesh's middle, metres.
pub(in crate::nav) const MAX_EXTENT: f64 = 1e6;

/// Island of a live polygon that is not numbered yet.
pub(super) const UNNUMBERED: u32 = NONE - 1;

/// No edge, and neither [`NONE`]: its polygon has a fault.
const FAULT: u32 = NONE - 1;

/// Why a mesh was refused. Polygons are indices of the raw mesh.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum MeshError {
    #[error("the navigation mesh has no polygon; bake it again or choose another mesh")]
    Empty,
    #[error("the navigation mesh has {0} vertices or polygons, more than {MAX_COUNT}; split the level")]
    TooLarge(usize),
    #[error("vertex {0} of the navigation mesh is not a finite number or lies over {MAX_EXTENT} m from the others")]
    BadVertex(usize),
    #[error("polygon {polygon} has {count} corners; 3 to {MAX_CORNERS} are possible")]
    CornerCount { polygon: usize, count: usize },
    #[error("polygon {polygon} names vertex {vertex}, but there are only {count}")]
    NoSuchVertex { polygon: usize, vertex: u32, count: usize },
    #[error("polygon {polygon} uses vertex {vertex} twice")]
    RepeatedVertex { polygon: usize, vertex: u32 },
    #[error("polygon {polygon} has no area seen from above")]
    NoArea { polygon: usize },
    #[error("polygon {polygon} is not convex at its corner {corner}; split it there")]
    NotConvex { polygon: usize, corner: usize },
    #[error("polygon {polygon} lists {count} neighbours for {edges} edges")]
    NeighborCount { polygon: usize, count: usize, edges: usize },
    #[error(
        "polygon {polygon} names polygon {neighbor} as neighbour, which does not share that edge with it; name the polygon beyond the edge, or none"
    )]
    NotShared { polygon: usize, neighbor: u32 },
    #[error("three or more polygons share an edge, {polygon} among them; raise one of them or make it a wall")]
    SharedTwice { polygon: usize },
    #[error("polygon {polygon} has area {area}; areas are 0 to 63")]
    BadArea { polygon: usize, area: u8 },
    #[error("the height detail of polygon {polygon} does not fit it; bake the level again")]
    Detail { polygon: usize },
}

impl RawMesh {
    /// Checks everything that queries rely on and builds the mesh that they accept.
    ///
    /// # Errors
    /// The first fault found, with its polygon.
    pub fn validate(&self) -> Result<NavMesh, MeshError> {
        validate(self)
    }

    /// Checks what [`validate`](Self::validate) does. Where all polygons list their neighbours nothing is built for it: of
    /// millions of polygons that takes a fifth of the memory.
    ///
    /// # Errors
    /// The first fault found, with its polygon.
    pub fn check(&self) -> Result<(), MeshError> {
        if self.polygons.iter().any(|p| p.neighbors.is_none()) {
            return validate(self).map(drop);
        }
        let (_, vertices) = local_vertices(self)?;
        CheckedOutlines::check(self, &vertices)?.check_neighbors()
    }
}

impl NavMesh {
    /// Adds the height detail that was made for the mesh's raw mesh: another mesh, with an [id](Self::id) of its own.
    ///
    /// # Errors
    /// Detail of another mesh, or damaged detail.
    pub fn with_detail(mut self, detail: &Detail) -> Result<Self, MeshError> {
        self.set_detail(detail)?;
        Ok(self)
    }

    /// As [`with_detail`](Self::with_detail), in place; with damaged detail the mesh stays as it was.
    ///
    /// # Errors
    /// As [`with_detail`](Self::with_detail).
    pub fn set_detail(&mut self, detail: &Detail) -> Result<(), MeshError> {
        let fault = |polygon| Err(MeshError::Detail { polygon });
        let ordered = detail.starts.windows(2).all(|w| w[0] <= w[1]);
        if detail.starts.len() != self.len() + 1
            || !ordered
            || detail.starts.last().map(|&e| e as usize) != Some(detail.triangles.len())
        {
            return fault(self.len());
        }
        let points: Vec<Vec3> = detail.points.iter().map(|&p| self.local(p)).collect();
        let mut out = LocalDetail { points, triangles: Vec::with_capacity(detail.triangles.len()), starts: vec![0] };
        // Spatial queries need boxes that contain the true heights.
        let mut boxes = self.boxes.clone();
        for id in (0..self.len() as u32).map(PolyId) {
            let bounds = *self.bounds_of(id);
            let mut tall = bounds;
            for t in detail.of(self.source(id) as usize) {
                let corners = t.map(|i| out.points.get(i as usize).copied().unwrap_or(Vec3::NAN));
                let beside = |p: Vec3| {
                    p.is_finite() && (p.clamp(bounds.min, bounds.max) - p).with_y(0.0).abs().max_element() < 1.0
                };
                let area = plan::cross(corners[0], corners[1], corners[2]);
                if !corners.into_iter().all(beside) || area.is_nan() || area <= 0.0 {
                    return fault(self.source(id) as usize);
                }
                out.triangles.push(*t);
                corners.into_iter().for_each(|p| tall = tall.including(p.clamp(bounds.min, bounds.max).with_y(p.y)));
            }
            boxes[id.index()] = tall;
            out.starts.push(out.triangles.len() as u32);
        }
        if !out.triangles.is_empty() {
            self.grid = Grid::build(&boxes);
        }
        self.bounds = boxes.iter().fold(self.bounds, |all, tall| all.union(tall));
        self.boxes = boxes;
        self.detail = Some(Box::new(out));
        (self.id, self.changes) = (next_id(), Changes::default());
        Ok(())
    }
}

fn validate(raw: &RawMesh) -> Result<NavMesh, MeshError> {
    let (origin, vertices) = local_vertices(raw)?;
    let outlines = CheckedOutlines::check(raw, &vertices)?;
    let boxes: Vec<Aabb> = raw
        .polygons
        .par_iter()
        .map(|polygon| Aabb::from_points(polygon.vertices.iter().map(|&v| vertices[v as usize])))
        .collect();
    let bounds = boxes.iter().fold(Aabb::EMPTY, |all, own| all.union(own));
    let source = curve_order(&boxes, &bounds);
    let mut order = vec![0u32; source.len()];
    for (new, &old) in source.iter().enumerate() {
        order[old as usize] = new as u32;
    }
    let (mut polygons, mut edges) = lay_out(&outlines, &vertices, &source);
    connect(&mut edges, &polygons, &outlines, &source, &order)?;
    drop(outlines);
    let island_count = number_islands(&mut polygons, &edges, &mut Vec::new());
    let sorted: Vec<Aabb> = source.iter().map(|&s| boxes[s as usize]).collect();
    drop(boxes);
    let own = polygons.len() as u32;
    Ok(NavMesh {
        id: next_id(),
        origin,
        portals: PortalGraph::build(&vertices, &polygons, &edges),
        soa_polygons: SoaPolygons::build(&vertices, &polygons, &edges),
        every_poly_walkable: polygons.iter().all(|p| p.flags != 0),
        begins: edges.iter().map(|e| vertices[e.vertex as usize]).collect(),
        vertices,
        polygons,
        edges,
        order,
        grid: Grid::build(&sorted),
        boxes: sorted,
        bounds,
        island_count,
        source,
        own,
        parents: Vec::new(),
        detail: None,
        changes: Changes::default(),
    })
}

/// The origin of the mesh's local space, and its vertices there. Those of no polygon decide nothing, and are kept within
/// [`MAX_EXTENT`].
fn local_vertices(raw: &RawMesh) -> Result<(DVec3, Vec<Vec3>), MeshError> {
    if raw.polygons.is_empty() {
        return Err(MeshError::Empty);
    }
    let most = raw.vertices.len().max(raw.polygons.len());
    if most > MAX_COUNT {
        return Err(MeshError::TooLarge(most));
    }
    if let Some(i) = raw.vertices.iter().position(|v| !v.is_finite()) {
        return Err(MeshError::BadVertex(i));
    }
    let is_used = raw.used_vertices();
    let used = || raw.vertices.iter().zip(&is_used).filter(|(_, is_used)| **is_used).map(|(v, _)| *v);
    let origin = RawMesh::origin_of(used());
    let is_far = |v: DVec3| (v - origin).abs().max_element() > MAX_EXTENT;
    if used().any(is_far) {
        let far = raw.vertices.iter().zip(&is_used).position(|(v, is_used)| *is_used && is_far(*v));
        return Err(MeshError::BadVertex(far.unwrap_or(0)));
    }
    let (low, high) = (DVec3::splat(-MAX_EXTENT), DVec3::splat(MAX_EXTENT));
    Ok((origin, raw.vertices.iter().map(|v| (*v - origin).clamp(low, high).as_vec3()).collect()))
}

/// The checked polygons of a raw mesh, all with positive winding.
struct CheckedOutlines<'a> {
    raw: &'a RawMesh,
    /// Whether each polygon's corners are listed the other way around.
    is_reversed: Vec<bool>,
}

impl<'a> CheckedOutlines<'a> {
    fn check(raw: &'a RawMesh, vertices: &[Vec3]) -> Result<Self, MeshError> {
        let checked = (0..raw.polygons.len()).into_par_iter().map(|polygon| is_reversed(raw, vertices, polygon));
        // All of them first: of several faults the first one is told.
        let checked: Vec<Option<bool>> = checked.map(Result::ok).collect();
        if let Some(polygon) = checked.iter().position(Option::is_none) {
            is_reversed(raw, vertices, polygon)?;
        }
        Ok(Self { raw, is_reversed: checked.into_iter().flatten().collect() })
    }

    /// Whether polygons that list each other as neighbours share the edge.
    fn check_neighbors(&self) -> Result<(), MeshError> {
        let fault = |polygon: u32| {
            let mut neighbors = (0..).zip(self.ends(polygon)).filter_map(|(corner, ends)| {
                let neighbor = self.neighbor(polygon, corner)??;
                Some((neighbor, ends))
            });
            let is_one_sided = |&(neighbor, [from, to]): &(u32, [u32; 2])| {
                let is_there = (neighbor as usize) < self.raw.polygons.len();
                let shares =
                    |(corner, ends)| ends == [to, from] && self.neighbor(neighbor, corner) == Some(Some(polygon));
                !is_there || !(0..).zip(self.ends(neighbor)).any(shares)
            };
            let (neighbor, _) = neighbors.find(is_one_sided)?;
            Some(MeshError::NotShared { polygon: polygon as usize, neighbor })
        };
        (0..self.raw.polygons.len() as u32).into_par_iter().find_map_first(fault).map_or(Ok(()), Err)
    }

    /// The ends of the edges of a polygon.
    fn ends(&self, polygon: u32) -> impl Iterator<Item = [u32; 2]> + '_ {
        let corners = self.corners(polygon);
        corners.clone().zip(corners.cycle().skip(1)).map(|(from, to)| [from, to])
    }

    /// The corners of a polygon.
    fn corners(&self, polygon: u32) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
        let corners = &self.raw.polygons[polygon as usize].vertices;
        let is_reversed = self.is_reversed[polygon as usize];
        (0..corners.len()).map(move |i| corners[if is_reversed { corners.len() - 1 - i } else { i }])
    }

    /// Whether a polygon lists its neighbours.
    fn is_listed(&self, polygon: u32) -> bool {
        self.raw.polygons[polygon as usize].neighbors.is_some()
    }

    /// The listed neighbour beyond the edge from a corner to the next; the outer `None` where there is no list.
    fn neighbor(&self, polygon: u32, corner: usize) -> Option<Option<u32>> {
        let list = self.raw.polygons[polygon as usize].neighbors.as_ref()?;
        // The edge from corner i to i + 1 runs from i + 1 to i in a list that is turned around.
        let last = list.len() - 1;
        Some(list[if self.is_reversed[polygon as usize] { (2 * last - corner) % list.len() } else { corner }])
    }
}

/// Whether a polygon has negative winding, after everything about it was checked.
fn is_reversed(raw: &RawMesh, vertices: &[Vec3], polygon: usize) -> Result<bool, MeshError> {
    let p = &raw.polygons[polygon];
    let count = p.vertices.len();
    if !(3..=MAX_CORNERS).contains(&count) {
        return Err(MeshError::CornerCount { polygon, count });
    }
    if p.area > 63 {
        return Err(MeshError::BadArea { polygon, area: p.area });
    }
    if let Some(&vertex) = p.vertices.iter().find(|&&v| v as usize >= vertices.len()) {
        return Err(MeshError::NoSuchVertex { polygon, vertex, count: vertices.len() });
    }
    let mut sorted: SmallVec<[u32; 16]> = SmallVec::from_slice(&p.vertices);
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|w| w[0] == w[1]) {
        return Err(MeshError::RepeatedVertex { polygon, vertex: pair[0] });
    }
    if let Some(n) = p.neighbors.as_ref().filter(|n| n.len() != count) {
        return Err(MeshError::NeighborCount { polygon, count: n.len(), edges: count });
    }
    let mut corners: SmallVec<[Vec3; 16]> = p.vertices.iter().map(|&v| vertices[v as usize]).collect();
    let area = plan::area(&corners);
    if area == 0.0 || !area.is_finite() {
        return Err(MeshError::NoArea { polygon });
    }
    if area < 0.0 {
        corners.reverse();
    }
    match plan::first_reflex_corner(&corners, MAX_CONCAVITY) {
        Some(corner) => Err(MeshError::NotConvex { polygon, corner }),
        None => Ok(area < 0.0),
    }
}

/// Polygon order along a Morton curve through their middles.
fn curve_order(boxes: &[Aabb], bounds: &Aabb) -> Vec<u32> {
    fn spread(v: u32) -> u64 {
        let mut x = u64::from(v);
        for (shift, mask) in [(16, 0x0000_FFFF_0000_FFFF), (8, 0x00FF_00FF_00FF_00FF), (4, 0x0F0F_0F0F_0F0F_0F0F)] {
            x = (x | (x << shift)) & mask;
        }
        x = (x | (x << 2)) & 0x3333_3333_3333_3333;
        (x | (x << 1)) & 0x5555_5555_5555_5555
    }
    let size = bounds.size().max(Vec3::splat(1e-6));
    let mut keyed: Vec<(u64, u32)> = boxes
        .iter()
        .enumerate()
        .map(|(i, b)| {
            let c = (b.center() - bounds.min) / size * 65_535.0;
            (spread(c.x as u32) | (spread(c.z as u32) << 1), i as u32)
        })
        .collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, i)| i).collect()
}

fn lay_out(outlines: &CheckedOutlines<'_>, vertices: &[Vec3], source: &[u32]) -> (Vec<Polygon>, Vec<Edge>) {
    let raw = outlines.raw;
    let mut polygons = Vec::with_capacity(source.len());
    let mut edges = Vec::with_capacity(raw.polygons.iter().map(|p| p.vertices.len()).sum());
    for (new, &old) in (0..).zip(source) {
        let (p, corners) = (&raw.polygons[old as usize], outlines.corners(old));
        let sum: DVec3 = corners.clone().map(|v| vertices[v as usize].as_dvec3()).sum();
        polygons.push(Polygon {
            first_edge: edges.len() as u32,
            edge_count: corners.len() as u16,
            area: p.area,
            flags: p.flags,
            island: UNNUMBERED,
            center: (sum / corners.len() as f64).as_vec3(),
        });
        edges.extend(corners.map(|vertex| Edge { vertex, neighbor: NONE, twin: NONE, polygon: new }));
    }
    (polygons, edges)
}

/// Finds the twin of each edge: by the lists of neighbours where a polygon has one, else by shared vertices.
fn connect(
    edges: &mut [Edge],
    polygons: &[Polygon],
    outlines: &CheckedOutlines<'_>,
    source: &[u32],
    order: &[u32],
) -> Result<(), MeshError> {
    let ends = |e: usize| {
        let p = &polygons[edges[e].polygon as usize];
        let next = e as u32 + 1 - p.first_edge;
        [edges[e].vertex, edges[(p.first_edge + next % u32::from(p.edge_count)) as usize].vertex]
    };
    // Listed neighbours are found without it.
    let is_any_unlisted = outlines.raw.polygons.iter().any(|p| p.neighbors.is_none());
    let searched = if is_any_unlisted { edges.len() } else { 0 };
    let table = PairTable::new(outlines.raw.vertices.len(), searched as u32, |e| ends(e as usize));
    let source_of = |e: u32| source[edges[e as usize].polygon as usize];
    let twin = |e: usize| {
        let edge = edges[e];
        let polygon = source[edge.polygon as usize];
        let local = e - polygons[edge.polygon as usize].first_edge as usize;
        let [from, to] = ends(e);
        match outlines.neighbor(polygon, local) {
            Some(None) => Ok(NONE),
            Some(Some(neighbor)) => {
                let wanted = order.get(neighbor as usize).copied().unwrap_or(NONE);
                let own = polygons
                    .get(wanted as usize)
                    .map_or(0..0, |p| p.first_edge..p.first_edge + u32::from(p.edge_count));
                let twin = own.into_iter().find(|&t| ends(t as usize) == [to, from]);
                twin.ok_or(MeshError::NotShared { polygon: polygon as usize, neighbor })
            }
            None => {
                let mut open = table.find([to, from]).filter(|&t| !outlines.is_listed(source_of(t)));
                let twin = open.next();
                let is_shared_twice = twin.is_some() && table.find([from, to]).len() > 1;
                if is_shared_twice || open.next().is_some() {
                    return Err(MeshError::SharedTwice { polygon: polygon as usize });
                }
                Ok(twin.unwrap_or(NONE))
            }
        }
    };
    let twins: Vec<u32> = (0..edges.len()).into_par_iter().map(|e| twin(e).unwrap_or(FAULT)).collect();
    if let Some(fault) = twins.iter().position(|&twin| twin == FAULT) {
        twin(fault)?;
    }
    edges.iter_mut().zip(twins).for_each(|(edge, twin)| edge.twin = twin);
    for e in 0..edges.len() {
        let twin = edges[e].twin;
        if twin == NONE {
            continue;
        }
        edges[e].neighbor = edges[twin as usize].polygon;
        if edges[twin as usize].twin != e as u32 {
            let (p, n) = (source[edges[e].polygon as usize], source[edges[e].neighbor as usize]);
            return Err(MeshError::NotShared { polygon: p as usize, neighbor: n });
        }
    }
    Ok(())
}

/// Numbers the islands of the polygons that are [`UNNUMBERED`] and returns how many there are; `stack` is empty working
/// memory.
pub(super) fn number_islands(polygons: &mut [Polygon], edges: &[Edge], stack: &mut Vec<u32>) -> u32 {
    let mut count = 0;
    for start in 0..polygons.len() {
        if polygons[start].island != UNNUMBERED {
            continue;
        }
        polygons[start].island = count;
        stack.push(start as u32);
        while let Some(at) = stack.pop() {
            let p = polygons[at as usize];
            for e in &edges[p.first_edge as usize..][..usize::from(p.edge_count)] {
                if e.neighbor != NONE && polygons[e.neighbor as usize].island == UNNUMBERED {
                    polygons[e.neighbor as usize].island = count;
                    stack.push(e.neighbor);
                }
            }
        }
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::{PolyId, RawPolygon};
    use super::*;

    fn two_squares(offset: DVec3) -> RawMesh {
        let v = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)];
        let mut raw = RawMesh {
            vertices: v.iter().map(|&(x, z)| DVec3::new(f64::from(x), f64::from(x), f64::from(z))).collect(),
            polygons: vec![RawPolygon::new([0, 1, 4, 3]), RawPolygon::new([2, 1, 4, 5])],
        };
        raw.translate(offset);
        raw
    }

    #[test]
    fn no_mesh_has_the_id_of_the_empty_one() {
        assert_eq!(NavMesh::default().id(), 0);
        assert!(two_squares(DVec3::ZERO).validate().unwrap().id() > 0);
    }

    /// Requirement: D-4
    #[test]
    fn squares_become_neighbors_whichever_way_they_turn() {
        let mesh = two_squares(DVec3::new(50_000.0, 0.0, -50_000.0)).validate().unwrap();
        assert_eq!((mesh.len(), mesh.island_count()), (2, 1));
        for p in 0..2 {
            let id = PolyId(p);
            let edges = mesh.edges_of(id);
            assert_eq!(edges.iter().filter(|e| e.neighbor == 1 - p).count(), 1);
            let corners: Vec<Vec3> = mesh.corners(id).collect();
            assert!((0..4).all(|i| plan::cross(corners[i], corners[(i + 1) % 4], corners[(i + 2) % 4]) > 0.0));
        }
        let point = mesh.local(DVec3::new(50_000.5, 9.0, -49_999.5));
        let id = mesh.from_source(0).unwrap();
        assert!(mesh.contains_2d(id, point) && !mesh.contains_2d(mesh.from_source(1).unwrap(), point));
        let height = mesh.world(Vec3::new(0.0, mesh.height_at(id, point), 0.0)).y;
        assert!((height - 0.5).abs() < 1e-5, "{height}");
        assert!(mesh.grid().at(point).contains(&id.0));
    }

    #[test]
    fn every_fault_is_named() {
        let refuse = |change: &dyn Fn(&mut RawMesh)| {
            let mut raw = two_squares(DVec3::ZERO);
            change(&mut raw);
            let error = raw.validate().unwrap_err();
            assert_eq!(raw.check(), Err(error.clone()));
            raw.polygons.iter_mut().for_each(|p| _ = p.neighbors.get_or_insert_with(|| vec![None; p.vertices.len()]));
            // Shared edges are none where walls are listed.
            assert!(matches!(error, MeshError::SharedTwice { .. }) || raw.check() == Err(error.clone()));
            error
        };
        assert_eq!(refuse(&|r| r.polygons.clear()), MeshError::Empty);
        assert_eq!(refuse(&|r| r.vertices[3].y = f64::NAN), MeshError::BadVertex(3));
        assert_eq!(refuse(&|r| r.vertices[3].y = 1e9), MeshError::BadVertex(0));
        assert_eq!(refuse(&|r| r.polygons[1].vertices.truncate(2)), MeshError::CornerCount { polygon: 1, count: 2 });
        assert_eq!(
            refuse(&|r| r.polygons[1].vertices[0] = 6),
            MeshError::NoSuchVertex { polygon: 1, vertex: 6, count: 6 }
        );
        assert_eq!(refuse(&|r| r.polygons[0].vertices[0] = 1), MeshError::RepeatedVertex { polygon: 0, vertex: 1 });
        assert_eq!(refuse(&|r| r.polygons[0].vertices = vec![0, 1, 2]), MeshError::NoArea { polygon: 0 });
        assert!(matches!(
            refuse(&|r| r.vertices[0] = DVec3::new(0.9, 0.0, 0.9)),
            MeshError::NotConvex { polygon: 0, .. }
        ));
        assert_eq!(
            refuse(&|r| r.polygons[0].neighbors = Some(vec![])),
            MeshError::NeighborCount { polygon: 0, count: 0, edges: 4 }
        );
        assert_eq!(
            refuse(&|r| r.polygons[0].neighbors = Some(vec![Some(1), None, None, None])),
            MeshError::NotShared { polygon: 0, neighbor: 1 }
        );
        assert_eq!(
            refuse(&|r| r.polygons[0].neighbors = Some(vec![Some(7), None, None, None])),
            MeshError::NotShared { polygon: 0, neighbor: 7 }
        );
        assert_eq!(
            refuse(&|r| r.polygons[0].neighbors = Some(vec![None, Some(1), None, None])),
            MeshError::NotShared { polygon: 0, neighbor: 1 }
        );
        assert!(matches!(refuse(&|r| r.polygons.push(r.polygons[1].clone())), MeshError::SharedTwice { .. }));
        assert_eq!(refuse(&|r| r.polygons[0].area = 64), MeshError::BadArea { polygon: 0, area: 64 });
    }

    #[test]
    fn vertices_of_no_polygon_decide_nothing() {
        let bare = two_squares(DVec3::new(0.25, 0.0, 0.0));
        for far in [9e5, 2.1e6, 1e300] {
            let mut raw = bare.clone();
            raw.vertices.push(DVec3::new(far, 0.0, -far));
            assert_eq!(raw.check(), Ok(()));
            let (mesh, expected) = (raw.validate().unwrap(), bare.validate().unwrap());
            assert_eq!((mesh.origin(), mesh.bounds()), (expected.origin(), expected.bounds()), "{far}");
            assert!((0..2).all(|i| mesh.corners(PolyId(i)).eq(expected.corners(PolyId(i)))), "{far}");
            assert!(mesh.vertices().iter().all(|v| v.abs().max_element() <= MAX_EXTENT as f32), "{far}");
        }
        let mut raw = bare;
        raw.vertices[4].x = 2.1e6;
        assert_eq!(raw.validate().err(), Some(MeshError::BadVertex(0)));
    }

    #[test]
    fn lists_of_neighbors_survive_turning_around_and_can_make_walls() {
        let mut raw = two_squares(DVec3::ZERO);
        raw.polygons[0].neighbors = Some(vec![None, Some(1), None, None]);
        raw.polygons[1].neighbors = Some(vec![None, Some(0), None, None]);
        let mesh = raw.validate().unwrap();
        assert_eq!(mesh.island_count(), 1);
        assert_eq!(raw.check(), Ok(()));
        raw.polygons[1].neighbors = Some(vec![None; 4]);
        let one_sided = MeshError::NotShared { polygon: 0, neighbor: 1 };
        assert_eq!((raw.check(), raw.validate().err()), (Err(one_sided.clone()), Some(one_sided)));
        raw.polygons[0].neighbors = Some(vec![None; 4]);
        raw.polygons[1].neighbors = Some(vec![None; 4]);
        assert_eq!(raw.validate().unwrap().island_count(), 2);
    }

    #[test]
    fn stars_are_refused() {
        let corners = (0..5).map(|i| f64::from(i) * 2.0 * std::f64::consts::TAU / 5.0);
        let raw = RawMesh {
            vertices: corners.map(|a| DVec3::new(a.cos(), 0.0, a.sin())).collect(),
            polygons: vec![RawPolygon::new([0, 1, 2, 3, 4])],
        };
        assert!(matches!(raw.validate(), Err(MeshError::NotConvex { .. })));
    }
}
