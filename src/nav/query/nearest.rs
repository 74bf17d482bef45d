//! The polygon nearest to a point, on the right storey.

use glam::Vec3;

use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};

/// Where to look for a polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchExtents {
    /// Half the size of the box around the point, metres.
    pub half_extents: Vec3,
    /// A polygon over or under the point counts as touched when its surface is at most this much higher or lower,
    /// metres.
    pub climb: f32,
}

impl Default for SearchExtents {
    /// Two metres to the sides, four up and down, steps of 0.9.
    fn default() -> Self {
        Self { half_extents: Vec3::new(2.0, 4.0, 2.0), climb: 0.9 }
    }
}

/// The nearest point of the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The polygon.
    pub polygon: PolyId,
    /// The point of it that is nearest, local.
    pub point: Vec3,
    /// Whether the query point lies over or under the polygon.
    pub over: bool,
}

impl Nearest {
    /// The polygon and the point.
    pub fn nav_point(&self) -> NavPoint {
        NavPoint::new(self.polygon, self.point)
    }
}

/// Order of candidates: distance by the rule, then height difference.
type Key = (f32, f32);

/// The polygon nearest to `point` (Detour's `findNearestPoly`). The distance of a polygon over or under the point is
/// the height difference beyond the climb, that of another the straight distance to its nearest point. Ties go to the
/// smaller height difference. `None` when no polygon that passes lies in the box or the point is not finite.
pub fn nearest(mesh: &NavMesh, point: Vec3, reach: &SearchExtents, filter: &Filter) -> Option<Nearest> {
    if !point.is_finite() {
        return None;
    }
    let half = reach.half_extents.max(Vec3::ZERO);
    let (low, high) = (point - half, point + half);
    let mut best: Option<(Key, Nearest)> = None;
    for p in mesh.grid().around(point, low.y, high.y) {
        let id = PolyId(p);
        if filter.passes(mesh.polygon(id)) && mesh.contains_2d(id, point) {
            keep(&mut best, over(mesh, id, point, reach));
        }
    }
    if best.is_some_and(|b| b.0.0 == 0.0) {
        return best.map(|b| b.1);
    }
    mesh.grid().for_each_in(low, high, |p| {
        let id = PolyId(p);
        let bounds = mesh.bounds_of(id);
        let outside = bounds.min.cmpgt(high).any() || bounds.max.cmplt(low).any();
        if outside || !filter.passes(mesh.polygon(id)) || mesh.contains_2d(id, point) {
            return;
        }
        let on = mesh.closest_on_outline(id, point);
        keep(
            &mut best,
            ((on.distance_squared(point), (on.y - point.y).abs()), Nearest { polygon: id, point: on, over: false }),
        );
    });
    best.map(|b| b.1)
}

/// A candidate over or under the point.
fn over(mesh: &NavMesh, id: PolyId, point: Vec3, reach: &SearchExtents) -> (Key, Nearest) {
    let on = Vec3 { y: mesh.height_at(id, point), ..point };
    let height = (on.y - point.y).abs();
    let beyond = (height - reach.climb).max(0.0);
    ((beyond * beyond, height), Nearest { polygon: id, point: on, over: true })
}

fn keep(best: &mut Option<(Key, Nearest)>, candidate: (Key, Nearest)) {
    if best.is_none_or(|b| candidate.0 < b.0) {
        *best = Some(candidate);
    }
}
