//! The navigation mesh: convex polygons that share whole edges, checked once and then trusted by every query.
//!
//! [`RawMesh`] is what files and bakers produce, unchecked. [`RawMesh::validate`] turns it into the one type that
//! queries accept, [`NavMesh`], or names the faulty polygon and its fault.
//!
//! Space: a `NavMesh` keeps its vertices in single precision relative to an [`origin`](NavMesh::origin) in its middle,
//! so that a mesh far from the world's origin is as precise as one around it. "Local" points are relative to that
//! origin. Y is up; "2D" means the x and z of a point.

mod block_cut_tree;
mod changes;
pub mod debug;
mod detail;
pub mod dynamic;
mod file;
#[cfg(test)]
pub(crate) mod fixture;
pub(in crate::nav) mod free_list;
pub mod from_level;
mod grid;
mod island_filter;
mod json;
pub mod off_mesh;
mod portals;
mod raw;
mod soa_polygons;
mod triangles;
mod validate;

pub use block_cut_tree::GoalRange;
pub use detail::Detail;
pub use dynamic::{DynamicMesh, Obstacle, ObstacleError, ObstacleId};
pub use file::{FileError, MeshFile};
pub use grid::Grid;
pub use island_filter::ISLAND_REACH;
pub use json::JsonError;
pub use portals::{NO_STEP, PolyLink, Portal, PortalGraph};
pub use raw::{RawMesh, RawPolygon};
pub use soa_polygons::{RayLine, SoaPolygon, SoaPolygons};
pub use validate::MeshError;

use glam::{DVec3, Vec3};

use crate::math::Aabb;
use crate::math::plan;

/// No polygon or no neighbour: a wall.
pub const NONE: u32 = u32::MAX;

/// Id of a polygon of a [`NavMesh`]: its index in the mesh's own spatial order, which differs from the file's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolyId(pub u32);

impl PolyId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A point on a mesh: a polygon and a position over it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NavPoint {
    /// The polygon.
    pub polygon: PolyId,
    /// A point over or under the polygon, local; queries take its height from the surface.
    pub point: Vec3,
}

impl NavPoint {
    /// The point of this polygon.
    #[inline]
    pub const fn new(polygon: PolyId, point: Vec3) -> Self {
        Self { polygon, point }
    }
}

/// A convex polygon; its edges lie in [`NavMesh::edges`].
#[derive(Clone, Copy, Debug)]
pub struct Polygon {
    /// Index of its first edge.
    pub first_edge: u32,
    /// Number of edges and corners, at least 3.
    pub edge_count: u16,
    /// Area type (see [`Filter`]), 0 to 63.
    pub area: u8,
    /// User-defined flags, tested by filters.
    pub flags: u16,
    /// Island (connected component): equal for two polygons exactly if edges connect them.
    pub island: u32,
    /// Mean of the corners, local.
    pub center: Vec3,
}

/// An edge of a polygon, from its vertex to the vertex of the polygon's next edge. The interior lies where
/// [`plan::cross`] is positive.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Vertex at its begin.
    pub vertex: u32,
    /// The polygon beyond, [`NONE`] for a wall.
    pub neighbor: u32,
    /// The opposite edge of the neighbour, [`NONE`] for a wall.
    pub twin: u32,
    /// Its polygon.
    pub polygon: u32,
}

/// Polygons that a query may use, and the cost of a metre on them (Detour's `dtQueryFilter`).
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// A polygon needs at least one of these flags.
    pub include: u16,
    /// A polygon may have none of these flags.
    pub exclude: u16,
    /// Cost of a metre by area; values of at least 1 keep the heuristic admissible.
    pub cost: [f32; 64],
}

impl Default for Filter {
    /// All polygons at cost 1.
    fn default() -> Self {
        Self { include: u16::MAX, exclude: 0, cost: [1.0; 64] }
    }
}

impl Filter {
    /// Whether a query may use the polygon.
    #[inline]
    pub fn passes(&self, polygon: &Polygon) -> bool {
        self.passes_flags(polygon.flags)
    }

    /// Whether every polygon with any flag passes.
    #[inline]
    pub fn passes_all(&self) -> bool {
        self.include == u16::MAX && self.exclude == 0
    }

    /// Whether every area costs 1.
    #[inline]
    pub fn has_uniform_cost(&self) -> bool {
        // Without a branch, for vectorization.
        self.cost.iter().fold(true, |even, &cost| even & (cost == 1.0))
    }

    /// Whether polygons with these flags pass.
    #[inline]
    pub fn passes_flags(&self, flags: u16) -> bool {
        (flags & self.include != 0) & (flags & self.exclude == 0)
    }
}

/// A validated navigation mesh, built by [`RawMesh::validate`] and changed only by a [`DynamicMesh`].
///
/// Invariants: every polygon is convex (to a thousandth of the size of its edges) with a positive area in the xz
/// plane; an edge has at most one neighbour, with which it shares both vertices and whose twin edge points back;
/// islands are correct; polygons and their edges lie in the order of a space-filling curve.
#[derive(Clone, Debug, Default)]
pub struct NavMesh {
    id: u64,
    origin: DVec3,
    vertices: Vec<Vec3>,
    polygons: Vec<Polygon>,
    edges: Vec<Edge>,
    /// Position of the first vertex of each edge, contiguous per polygon.
    begins: Vec<Vec3>,
    portals: PortalGraph,
    soa_polygons: SoaPolygons,
    every_poly_walkable: bool,
    source: Vec<u32>,
    order: Vec<u32>,
    grid: Grid,
    boxes: Vec<Aabb>,
    bounds: Aabb,
    island_count: u32,
    /// Number of polygons without the pieces cut by obstacles.
    own: u32,
    /// Per piece, the polygon it was cut from.
    parents: Vec<u32>,
    detail: Option<Box<detail::LocalDetail>>,
    changes: changes::Changes,
}

impl NavMesh {
    /// Identity of the mesh within the process, shared by copies only: caches of derived data compare it.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// World position of the local origin.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The same mesh elsewhere in the world; local coordinates stay.
    pub fn moved(self, offset: DVec3) -> Self {
        Self { origin: self.origin + offset, ..self }
    }

    /// Transforms a world point to local space.
    pub fn local(&self, world: DVec3) -> Vec3 {
        (world - self.origin).as_vec3()
    }

    /// Transforms a local point to world space.
    pub fn world(&self, local: Vec3) -> DVec3 {
        local.as_dvec3() + self.origin
    }

    /// Vertices of the polygons, local.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// All polygons, including those replaced by their pieces (see [`is_live`](Self::is_live)).
    pub fn polygons(&self) -> &[Polygon] {
        &self.polygons
    }

    /// All edges, contiguous per polygon, including edges that obstacles left unused.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Links and portals between polygons, packed for searches.
    #[inline]
    pub fn portals(&self) -> &PortalGraph {
        &self.portals
    }

    /// The polygons as structure of arrays, for ray casts.
    #[inline]
    pub fn soa_polygons(&self) -> &SoaPolygons {
        &self.soa_polygons
    }

    /// Whether every polygon has a flag, so that [`Filter::passes_all`] admits all of them.
    pub fn every_poly_walkable(&self) -> bool {
        self.every_poly_walkable
    }

    /// Number of polygons.
    pub fn len(&self) -> usize {
        self.polygons.len()
    }

    /// All polygons that are there (see [`is_live`](Self::is_live)).
    pub fn live_polygons(&self) -> impl Iterator<Item = PolyId> + Clone + '_ {
        (0..self.polygons.len() as u32).map(PolyId).filter(|id| self.is_live(*id))
    }

    /// Whether it has no polygon.
    pub fn is_empty(&self) -> bool {
        self.polygons.is_empty()
    }

    /// A polygon. Panics if `id` is of another mesh.
    #[inline]
    pub fn polygon(&self, id: PolyId) -> &Polygon {
        &self.polygons[id.index()]
    }

    /// Whether an edge belongs to a live polygon.
    pub fn is_live_edge(&self, edge: u32) -> bool {
        let polygon = PolyId(self.edges[edge as usize].polygon);
        let p = self.polygon(polygon);
        self.is_live(polygon) && (p.first_edge..p.first_edge + u32::from(p.edge_count)).contains(&edge)
    }

    /// The edges of a polygon, in order.
    #[inline]
    pub fn edges_of(&self, id: PolyId) -> &[Edge] {
        let p = &self.polygons[id.index()];
        &self.edges[p.first_edge as usize..p.first_edge as usize + p.edge_count as usize]
    }

    /// The corners of a polygon as a slice, local.
    #[inline]
    pub fn corners_of(&self, id: PolyId) -> &[Vec3] {
        let p = &self.polygons[id.index()];
        &self.begins[p.first_edge as usize..p.first_edge as usize + p.edge_count as usize]
    }

    /// The corners of a polygon, in order, local.
    pub fn corners(&self, id: PolyId) -> impl ExactSizeIterator<Item = Vec3> + Clone + '_ {
        self.corners_of(id).iter().copied()
    }

    /// Vertices at the begin and the end of an edge.
    #[inline]
    pub fn ends(&self, edge: u32) -> (u32, u32) {
        let e = &self.edges[edge as usize];
        let p = &self.polygons[e.polygon as usize];
        let last = p.first_edge + u32::from(p.edge_count) - 1;
        let next = if edge == last { p.first_edge } else { edge + 1 };
        (e.vertex, self.edges[next as usize].vertex)
    }

    /// Points at the begin and the end of an edge, local.
    #[inline]
    pub fn edge_points(&self, edge: u32) -> (Vec3, Vec3) {
        let p = &self.polygons[self.edges[edge as usize].polygon as usize];
        let last = p.first_edge + u32::from(p.edge_count) - 1;
        let next = if edge == last { p.first_edge } else { edge + 1 };
        (self.begins[edge as usize], self.begins[next as usize])
    }

    /// Index of a polygon in the raw mesh.
    pub fn source(&self, id: PolyId) -> u32 {
        self.source[id.index()]
    }

    /// The polygon with this index in the raw mesh, unless an obstacle cuts it.
    pub fn from_source(&self, raw: u32) -> Option<PolyId> {
        self.order.get(raw as usize).filter(|&&p| p != NONE).map(|&p| PolyId(p))
    }

    /// Whether a polygon exists: one that an obstacle cuts does not, its pieces do instead (see [`DynamicMesh`]).
    pub fn is_live(&self, id: PolyId) -> bool {
        self.polygons.get(id.index()).is_some_and(|p| p.island != NONE)
    }

    /// The polygon that a piece was cut from; the polygon itself if it is no piece.
    #[inline]
    pub fn parent_poly(&self, id: PolyId) -> PolyId {
        if id.0 < self.own { id } else { PolyId(self.parents[(id.0 - self.own) as usize]) }
    }

    /// The grid of polygons.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Bounding box of the vertices, local.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Bounding box of a polygon, local.
    #[inline]
    pub fn bounds_of(&self, id: PolyId) -> &Aabb {
        &self.boxes[id.index()]
    }

    /// Number of islands.
    pub fn island_count(&self) -> u32 {
        self.island_count
    }

    /// Whether the polygon contains the point in plan view, its outline included.
    pub fn contains_2d(&self, id: PolyId, point: Vec3) -> bool {
        let corners = self.corners_of(id);
        let Some(&(mut a)) = corners.last() else { return false };
        // All edges are tested: which one fails is not predictable, so an early exit costs more.
        let mut inside = true;
        for &b in corners {
            inside &= plan::cross(a, b, point) >= 0.0;
            a = b;
        }
        inside
    }

    /// Corners of a polygon in world space, at the height of its ground.
    pub fn world_outline(&self, id: PolyId) -> impl ExactSizeIterator<Item = Vec3> + Clone + '_ {
        self.corners(id).map(move |p| self.world(p.with_y(self.height_at(id, p))).as_vec3())
    }

    /// Height of the surface of a polygon at the xz of a point inside it: of the height detail if there is any
    /// (outside its triangles, of the nearest edge), else of the fan from the first corner.
    pub fn height_at(&self, id: PolyId, point: Vec3) -> f32 {
        let id = self.parent_poly(id);
        if let Some(y) = self.detail.as_ref().and_then(|d| d.height_at(id, point)) {
            return y;
        }
        let corners = self.corners_of(id);
        let (a, mut b) = (corners[0], corners[1]);
        let mut best = (f64::NEG_INFINITY, a.y);
        for &c in &corners[2..] {
            let area = plan::cross(a, b, c);
            if area > 0.0 {
                let (u, v) = (plan::cross(a, point, c) / area, plan::cross(a, b, point) / area);
                let inside = u.min(v).min(1.0 - u - v);
                if inside > best.0 {
                    let y = f64::from(a.y) + u * f64::from(b.y - a.y) + v * f64::from(c.y - a.y);
                    best = (inside, y as f32);
                    if inside >= 0.0 {
                        break;
                    }
                }
            }
            b = c;
        }
        best.1
    }
}
