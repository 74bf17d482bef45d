//! A ray along the surface: the free distance before a wall.

use glam::{DVec2, Vec3};

use crate::math::plan::to_plan_f64;
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId, RayLine};

/// The end of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Free share of the ray: 0 to 1; 1 when nothing blocks it.
    pub share: f32,
    /// The polygon on which the free part ends.
    pub polygon: PolyId,
    /// The edge that blocks it: a wall or the border of a polygon that the filter excludes.
    pub wall: Option<u32>,
    /// How many polygons the ray crossed.
    pub crossed: u32,
}

impl RayHit {
    /// Where the free part ends, on the surface, local.
    pub fn point(&self, mesh: &NavMesh, start: Vec3, end: Vec3) -> Vec3 {
        let point = start.lerp(end, self.share);
        Vec3 { y: mesh.height_at(self.polygon, point), ..point }
    }

    /// Direction away from the wall in the xz plane, of length 1; zero when there is none.
    pub fn normal(&self, mesh: &NavMesh) -> Vec3 {
        self.wall.map_or(Vec3::ZERO, |edge| {
            let (a, b) = mesh.edge_points(edge);
            Vec3::new(a.z - b.z, 0.0, b.x - a.x).normalize_or_zero()
        })
    }
}

/// Casts a ray along the surface from `start`, a point over its polygon, to `end`. Calls `visit` with every polygon
/// passed. A ray that is not finite, starts on no polygon of this mesh, or starts beside its polygon and misses it has
/// share 0. Always inline: each caller has an instance of its own, and out of line paths with a radius take 7 % more.
#[inline(always)]
pub fn raycast(mesh: &NavMesh, start: NavPoint, end: Vec3, filter: &Filter, mut visit: impl FnMut(PolyId)) -> RayHit {
    let mut hit = RayHit { share: 0.0, polygon: start.polygon, wall: None, crossed: 0 };
    let (from, to) = (to_plan_f64(start.point), to_plan_f64(end));
    if !(from + to).is_finite() || start.polygon.index() >= mesh.len() {
        return hit;
    }
    let (polygons, way) = (mesh.soa_polygons(), to - from);
    let line = RayLine::new(from, way);
    let mut soa = polygons.get(start.polygon.0);
    // A straight line meets a convex polygon once; the bound guards against polygons with reflex corners by rounding.
    for crossed in 1..=mesh.len() as u32 {
        visit(PolyId(polygons.poly_id(soa)));
        hit.crossed = crossed;
        let Some((begin, end)) =
            polygons.crossing(soa, &line).or_else(|| touch(mesh, PolyId(polygons.poly_id(soa)), from, way))
        else {
            break;
        };
        let (a, b) = (polygons.corner(soa, begin), polygons.corner(soa, end));
        let after = (b - a).perp_dot(to - a);
        if after >= 0.0 {
            hit.share = 1.0;
            break;
        }
        let (next, flags) = polygons.beyond(soa, begin);
        if !filter.passes_flags(flags) {
            let before = (b - a).perp_dot(from - a);
            hit.share = (before / (before - after)).clamp(0.0, 1.0) as f32;
            let polygon = mesh.polygon(PolyId(polygons.poly_id(soa)));
            hit.wall = Some(polygon.first_edge + (begin as u32).min(u32::from(polygon.edge_count) - 1));
            break;
        }
        soa = next;
    }
    hit.polygon = PolyId(polygons.poly_id(soa));
    hit
}

/// As [`SoaPolygons::crossing`](crate::nav::mesh::SoaPolygons::crossing) with the line itself on the positive side: for lines
/// along an edge. A line without length leaves by any edge.
#[cold]
fn touch(mesh: &NavMesh, id: PolyId, from: DVec2, way: DVec2) -> Option<(usize, usize)> {
    let corners = mesh.corners_of(id);
    let count = corners.len();
    let side = |i: usize| way.perp_dot(to_plan_f64(corners[i % count]) - from) >= 0.0;
    let end = if way == DVec2::ZERO { Some(0) } else { (0..count).find(|&i| !side(i + count - 1) && side(i)) }?;
    Some(((end + count - 1) % count, end))
}
