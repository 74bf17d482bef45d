//! The navigation mesh: convex polygons that share whole edges, checked once and then trusted by every query.
//!
//! [`RawMesh`] is what files, bakers and people make: anything. [`RawMesh::validate`] makes the one type that
//! queries accept, [`NavMesh`], or says which polygon is wrong and how.
//!
//! Space: a `NavMesh` keeps its vertices in single precision relative to an [`origin`](NavMesh::origin) in its
//! middle, so that a mesh far from the world's origin is as exact as one around it. "Local" points are relative to
//! that origin. Y is up; "2D" means the x and z of a point.

mod blocks;
mod changes;
pub mod debug;
mod detail;
pub mod dynamic;
mod file;
#[cfg(test)]
pub(crate) mod fixture;
mod grid;
mod json;
mod lanes;
pub mod links;
mod portals;
mod prune;
mod raw;
pub(in crate::nav) mod spare;
mod triangles;
mod validate;

pub use blocks::Goals;
pub use detail::Detail;
pub use dynamic::{DynamicMesh, Obstacle, ObstacleError, ObstacleId};
pub use file::{FileError, MeshFile};
pub use grid::Grid;
pub use json::JsonError;
pub use lanes::{Lane, Lanes, Line};
pub use portals::{Gate, NO_STEP, Portal, Portals};
pub use prune::ISLAND_REACH;
pub use raw::{RawMesh, RawPolygon};
pub use validate::MeshError;

use glam::{DVec3, Vec3};

use crate::math::Aabb;
use crate::math::plan;

/// No polygon, no neighbour: a wall.
pub const NONE: u32 = u32::MAX;

/// A polygon of a [`NavMesh`], as its number in the mesh's own order (which follows space, not the file).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolyId(pub u32);

impl PolyId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A point on a mesh: the polygon that it lies on, and where.
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

/// One convex polygon; its edges lie in [`NavMesh::edges`].
#[derive(Clone, Copy, Debug)]
pub struct Polygon {
    /// Number of its first edge.
    pub first_edge: u32,
    /// How many edges (and corners): at least 3.
    pub edge_count: u16,
    /// What the ground is (see [`Filter`]), 0 to 63.
    pub area: u8,
    /// Free bits that filters ask for.
    pub flags: u16,
    /// Island: two polygons have the same number exactly when edges lead from one to the other.
    pub component: u32,
    /// Mean of the corners, local.
    pub center: Vec3,
}

/// One edge of one polygon: it runs from its vertex to the vertex of the polygon's next edge. The interior lies on
/// the side where [`plan::cross`] is positive.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Where it begins.
    pub vertex: u32,
    /// The polygon beyond it, [`NONE`] for a wall.
    pub neighbor: u32,
    /// The same edge as the neighbour's, which runs the other way; [`NONE`] for a wall.
    pub twin: u32,
    /// The polygon that it belongs to.
    pub polygon: u32,
}

/// Which polygons a query may use and what a metre on them costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// A polygon must have at least one of these flags.
    pub include: u16,
    /// … and none of these.
    pub exclude: u16,
    /// Cost of a metre per area; at least 1 keeps the search's estimate a lower bound.
    pub cost: [f32; 64],
}

impl Default for Filter {
    /// Everything, at cost 1.
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

    /// Whether a query may use every polygon that has a flag at all.
    #[inline]
    pub fn passes_all(&self) -> bool {
        self.include == u16::MAX && self.exclude == 0
    }

    /// Whether a metre costs the same everywhere: 1.
    #[inline]
    pub fn is_even(&self) -> bool {
        // Without a branch, so that the processor compares several at a time.
        self.cost.iter().fold(true, |even, &cost| even & (cost == 1.0))
    }

    /// Whether a query may use a polygon with these flags.
    #[inline]
    pub fn passes_flags(&self, flags: u16) -> bool {
        (flags & self.include != 0) & (flags & self.exclude == 0)
    }
}

/// A checked navigation mesh. Made by [`RawMesh::validate`], and changed by a [`DynamicMesh`] alone.
///
/// What holds: every polygon is convex (to a thousandth of its edges' size) with a positive area in the xz plane;
/// an edge has at most one neighbour, which shares both of its vertices and whose twin edge points back; components
/// are right; polygons and their edges lie in the order of a space-filling curve.
#[derive(Clone, Debug, Default)]
pub struct NavMesh {
    id: u64,
    origin: DVec3,
    vertices: Vec<Vec3>,
    polygons: Vec<Polygon>,
    edges: Vec<Edge>,
    /// Where each edge begins: its vertex again, side by side for each polygon.
    begins: Vec<Vec3>,
    portals: Portals,
    lanes: Lanes,
    all_flagged: bool,
    source: Vec<u32>,
    order: Vec<u32>,
    grid: Grid,
    boxes: Vec<Aabb>,
    bounds: Aabb,
    components: u32,
    /// How many polygons there are without the pieces that obstacles left of some.
    own: u32,
    /// Per piece the polygon that it is of.
    parents: Vec<u32>,
    detail: Option<Box<detail::LocalDetail>>,
    changes: changes::Changes,
}

impl NavMesh {
    /// Which mesh this is, as long as the program runs: only copies of one mesh have the same number, so that what
    /// is derived from a mesh can be kept and told from what belongs to another.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Where the local space's origin lies in the world.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The same mesh at another place in the world: what is local stays as it is.
    pub fn moved(self, offset: DVec3) -> Self {
        Self { origin: self.origin + offset, ..self }
    }

    /// A world point in the mesh's local space.
    pub fn local(&self, world: DVec3) -> Vec3 {
        (world - self.origin).as_vec3()
    }

    /// A local point in the world.
    pub fn world(&self, local: Vec3) -> DVec3 {
        local.as_dvec3() + self.origin
    }

    /// Corners of the polygons, local.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// All polygons, those that obstacles cut among them (see [`is_live`](Self::is_live)).
    pub fn polygons(&self) -> &[Polygon] {
        &self.polygons
    }

    /// All edges; those of one polygon lie side by side. Obstacles leave some behind that no polygon has any more.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The ways out of each polygon, packed for searches.
    #[inline]
    pub fn portals(&self) -> &Portals {
        &self.portals
    }

    /// The polygons, packed for rays.
    #[inline]
    pub fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// Whether every polygon has a flag, so that a filter which asks for any lets all pass.
    pub fn all_flagged(&self) -> bool {
        self.all_flagged
    }

    /// How many polygons.
    pub fn len(&self) -> usize {
        self.polygons.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.polygons.is_empty()
    }

    /// One polygon. Panics when `id` is of another mesh.
    #[inline]
    pub fn polygon(&self, id: PolyId) -> &Polygon {
        &self.polygons[id.index()]
    }

    /// Whether an edge is there: obstacles leave edges behind that no live polygon has.
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

    #[inline]
    /// The corners of a polygon side by side.
    pub fn corners_of(&self, id: PolyId) -> &[Vec3] {
        let p = &self.polygons[id.index()];
        &self.begins[p.first_edge as usize..p.first_edge as usize + p.edge_count as usize]
    }

    /// The corners of a polygon, in order, local.
    pub fn corners(&self, id: PolyId) -> impl ExactSizeIterator<Item = Vec3> + Clone + '_ {
        self.corners_of(id).iter().copied()
    }

    /// Both ends of an edge as vertex numbers: where it begins, where it ends.
    #[inline]
    pub fn ends(&self, edge: u32) -> (u32, u32) {
        let e = &self.edges[edge as usize];
        let p = &self.polygons[e.polygon as usize];
        let last = p.first_edge + u32::from(p.edge_count) - 1;
        let next = if edge == last { p.first_edge } else { edge + 1 };
        (e.vertex, self.edges[next as usize].vertex)
    }

    /// Both ends of an edge, local.
    #[inline]
    pub fn segment(&self, edge: u32) -> (Vec3, Vec3) {
        let p = &self.polygons[self.edges[edge as usize].polygon as usize];
        let last = p.first_edge + u32::from(p.edge_count) - 1;
        let next = if edge == last { p.first_edge } else { edge + 1 };
        (self.begins[edge as usize], self.begins[next as usize])
    }

    /// The number that a polygon had in the raw mesh.
    pub fn source(&self, id: PolyId) -> u32 {
        self.source[id.index()]
    }

    /// The polygon that had this number in the raw mesh, unless an obstacle cuts it.
    pub fn from_source(&self, raw: u32) -> Option<PolyId> {
        self.order.get(raw as usize).filter(|&&p| p != NONE).map(|&p| PolyId(p))
    }

    /// Whether the polygon is there: one that an obstacle cuts is not, its pieces are instead (see [`DynamicMesh`]).
    pub fn is_live(&self, id: PolyId) -> bool {
        self.polygons.get(id.index()).is_some_and(|p| p.component != NONE)
    }

    /// The polygon whose surface this one has: itself, or for a piece that an obstacle left the whole.
    #[inline]
    pub fn whole(&self, id: PolyId) -> PolyId {
        if id.0 < self.own { id } else { PolyId(self.parents[(id.0 - self.own) as usize]) }
    }

    /// Polygons by place.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Box around the vertices, local.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Box around a polygon, local.
    #[inline]
    pub fn bounds_of(&self, id: PolyId) -> &Aabb {
        &self.boxes[id.index()]
    }

    /// How many islands there are; numbers of components lie below.
    pub fn components(&self) -> u32 {
        self.components
    }

    /// Whether the point lies over or under the polygon: its x and z inside or on the outline.
    pub fn contains_2d(&self, id: PolyId, point: Vec3) -> bool {
        let corners = self.corners_of(id);
        let Some(&(mut a)) = corners.last() else { return false };
        // Which edge fails is not foreseeable: looking at all of them is faster than stopping early.
        let mut inside = true;
        for &b in corners {
            inside &= plan::cross(a, b, point) >= 0.0;
            a = b;
        }
        inside
    }

    /// Height of the polygon's surface over the xz of `point`, which lies inside it: of the height detail if there is
    /// any (beside its triangles of their nearest edge), else of the fan from the first corner.
    pub fn height_at(&self, id: PolyId, point: Vec3) -> f32 {
        let id = self.whole(id);
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
