//! The mesh that queries take: its arrays, and how they are read.

use glam::{DVec3, Vec3};

use super::changes::{Changes, next_id};
use super::detail::LocalDetail;
use super::{Edge, Grid, NONE, PolyId, Polygon, PortalGraph, SoaPolygons};
use crate::math::Aabb;
use crate::math::plan;

/// A validated navigation mesh, built by [`RawMesh::validate`](super::RawMesh::validate) and changed only by a [`DynamicMesh`](super::DynamicMesh).
///
/// Invariants: every polygon is convex (to a thousandth of the size of its edges) with a positive area in the xz
/// plane; an edge has at most one neighbour, with which it shares both vertices and whose twin edge points back;
/// islands are correct; polygons and their edges lie in the order of a space-filling curve.
#[derive(Clone, Debug, Default)]
pub struct NavMesh {
    pub(super) id: u64,
    pub(super) origin: DVec3,
    pub(super) vertices: Vec<Vec3>,
    pub(super) polygons: Vec<Polygon>,
    pub(super) edges: Vec<Edge>,
    /// Position of the first vertex of each edge, contiguous per polygon.
    pub(super) begins: Vec<Vec3>,
    pub(super) portals: PortalGraph,
    pub(super) soa_polygons: SoaPolygons,
    pub(super) every_poly_walkable: bool,
    pub(super) source: Vec<u32>,
    pub(super) order: Vec<u32>,
    pub(super) grid: Grid,
    pub(super) boxes: Vec<Aabb>,
    pub(super) bounds: Aabb,
    pub(super) island_count: u32,
    /// Number of polygons without the pieces cut by obstacles.
    pub(super) own: u32,
    /// Per piece, the polygon it was cut from.
    pub(super) parents: Vec<u32>,
    pub(super) detail: Option<Box<LocalDetail>>,
    pub(super) changes: Changes,
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

    /// The same mesh elsewhere in the world, by `offset` metres; local coordinates stay. Unless the offset is zero, it
    /// is another mesh, with an [id](Self::id) of its own: what was derived from the first may be in world coordinates.
    pub fn moved(self, offset: DVec3) -> Self {
        if offset == DVec3::ZERO {
            return self;
        }
        Self { origin: self.origin + offset, id: next_id(), changes: Changes::default(), ..self }
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

    /// Whether every polygon has a flag, so that [`Filter::passes_all`](super::Filter::passes_all) admits all of them.
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

    /// The edge of the same polygon that begins where an edge ends.
    #[inline]
    fn next_edge(&self, edge: u32) -> usize {
        let p = &self.polygons[self.edges[edge as usize].polygon as usize];
        let last = p.first_edge + u32::from(p.edge_count) - 1;
        (if edge == last { p.first_edge } else { edge + 1 }) as usize
    }

    /// Vertices at the begin and the end of an edge.
    #[inline]
    pub fn ends(&self, edge: u32) -> (u32, u32) {
        (self.edges[edge as usize].vertex, self.edges[self.next_edge(edge)].vertex)
    }

    /// Points at the begin and the end of an edge, local.
    #[inline]
    pub fn edge_points(&self, edge: u32) -> (Vec3, Vec3) {
        (self.begins[edge as usize], self.begins[self.next_edge(edge)])
    }

    /// Index of a polygon in the raw mesh.
    pub fn source(&self, id: PolyId) -> u32 {
        self.source[id.index()]
    }

    /// The polygon with this index in the raw mesh, unless an obstacle cuts it.
    pub fn from_source(&self, raw: u32) -> Option<PolyId> {
        self.order.get(raw as usize).filter(|&&p| p != NONE).map(|&p| PolyId(p))
    }

    /// Whether a polygon exists: one that an obstacle cuts does not, its pieces do instead (see [`DynamicMesh`](super::DynamicMesh)).
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

    /// The point itself if it lies over the polygon, else the nearest point of the outline in plan view.
    pub fn clamp_to_poly(&self, id: PolyId, point: Vec3) -> Vec3 {
        if self.contains_2d(id, point) { point } else { self.closest_on_outline(id, point) }
    }

    /// The point of the polygon's outline that is nearest in the xz plane.
    pub fn closest_on_outline(&self, id: PolyId, point: Vec3) -> Vec3 {
        let corners = self.corners_of(id);
        let mut a = corners.last().copied().unwrap_or(point);
        let mut best = (f32::INFINITY, a);
        for &b in corners {
            let on = plan::closest_on_segment(a, b, point);
            let distance = plan::distance_squared(on, point);
            if distance < best.0 {
                best = (distance, on);
            }
            a = b;
        }
        best.1
    }

    /// Size of a polygon seen from above, square metres.
    pub fn area_m2(&self, id: PolyId) -> f64 {
        plan::area(self.corners_of(id)).abs()
    }

    /// Corners of a polygon in world space, at the height of its ground.
    pub fn world_outline(&self, id: PolyId) -> impl ExactSizeIterator<Item = Vec3> + Clone + '_ {
        self.corners(id).map(move |p| self.world(p.with_y(self.height_at(id, p))).as_vec3())
    }

    /// Height of the surface of a polygon at the xz of a point inside it: of the height detail if there is any
    /// (outside its triangles, of the nearest edge), else of the fan from the first corner.
    #[inline]
    pub fn height_at(&self, id: PolyId, point: Vec3) -> f32 {
        let id = self.parent_poly(id);
        let bounds = &self.boxes[id.index()];
        if bounds.min.y == bounds.max.y { bounds.min.y } else { self.height_on_slope(id, point) }
    }

    fn height_on_slope(&self, id: PolyId, point: Vec3) -> f32 {
        if let Some(y) = self.detail.as_ref().and_then(|d| d.height_at(id, point)) {
            return y;
        }
        let corners = self.corners_of(id);
        let (a, sides) = (corners[0], corners[1..].windows(2));
        // How far inside a triangle the point lies, as a share of its heights, and the height there.
        let measure = |side: &[Vec3]| {
            let (b, c) = (side[0], side[1]);
            let area = plan::cross(a, b, c);
            (area > 0.0).then(|| {
                let (u, v) = (plan::cross(a, point, c) / area, plan::cross(a, b, point) / area);
                let y = f64::from(a.y) + u * f64::from(b.y - a.y) + v * f64::from(c.y - a.y);
                (u.min(v).min(1.0 - u - v), y as f32)
            })
        };
        // Two signs tell of most triangles that they do not hold it.
        let may_hold = |side: &&[Vec3]| plan::cross(a, point, side[1]).min(plan::cross(a, side[0], point)) >= 0.0;
        let holding = sides.clone().filter(may_hold).filter_map(measure).find(|&(inside, _)| inside >= 0.0);
        let nearest = || sides.filter_map(measure).fold((f64::NEG_INFINITY, a.y), |m, n| if n.0 > m.0 { n } else { m });
        holding.unwrap_or_else(nearest).1
    }

    /// Polygons affected by changes since the mesh had an id (see [`NavMesh::id`]), as [parent
    /// polygons](NavMesh::parent_poly), ascending. Every other polygon has the same index, edges, portals, flags and
    /// neighbours. `None` if that id is too old or unknown.
    pub fn changed_since(&self, id: u64) -> Option<Vec<PolyId>> {
        if self.id == id {
            return Some(Vec::new());
        }
        self.changes.since(id, |c| &c.changed)
    }

    /// Those of the [changed](Self::changed_since) polygons that were reshaped or have other flags: walls and piece
    /// borders are unchanged except within these, outlines included.
    pub fn reshaped_since(&self, id: u64) -> Option<Vec<PolyId>> {
        if self.id == id {
            return Some(Vec::new());
        }
        self.changes.since(id, |c| &c.reshaped)
    }

    /// The triangles of a polygon's height detail, local; none for a plain polygon.
    pub fn detail_of(&self, id: PolyId) -> impl Iterator<Item = [Vec3; 3]> + '_ {
        let detail = self.detail.iter().filter(move |_| id.0 < self.own);
        detail.flat_map(move |d| d.triangles[d.range(id)].iter().map(|t| t.map(|i| d.points[i as usize])))
    }
}
