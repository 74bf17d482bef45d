//! Queries around a point of the surface: movement that slides along walls, distance to walls, polygons nearby.

use glam::Vec3;

use crate::math::plan;
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId};

/// Margin around a movement within which polygons are searched, metres.
const SLACK: f32 = 1e-3;

/// The nearest point of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallHit {
    /// Distance in the xz plane, metres.
    pub distance: f32,
    /// The point of the wall, local.
    pub point: Vec3,
    /// The wall.
    pub edge: u32,
}

/// An edge of a polygon, from [`wall_segments`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallSegment {
    /// Where it begins, local.
    pub from: Vec3,
    /// Where it ends.
    pub to: Vec3,
    /// Its number.
    pub edge: u32,
    /// The polygon beyond, if one can go there.
    pub neighbor: Option<PolyId>,
}

/// The edges of a polygon: walls alone, or with `portals` those with a neighbour too.
pub fn wall_segments<'a>(
    mesh: &'a NavMesh,
    polygon: PolyId,
    filter: &'a Filter,
    portals: bool,
) -> impl Iterator<Item = WallSegment> + 'a {
    let first = mesh.polygon(polygon).first_edge;
    (first..first + mesh.edges_of(polygon).len() as u32).filter_map(move |edge| {
        let neighbor = passable_neighbor(mesh, filter, edge);
        let (from, to) = mesh.edge_points(edge);
        (portals || neighbor.is_none()).then_some(WallSegment { from, to, edge, neighbor })
    })
}

/// The polygon beyond an edge, if there is one and the filter passes it.
#[inline]
pub(super) fn passable_neighbor(mesh: &NavMesh, filter: &Filter, edge: u32) -> Option<PolyId> {
    let neighbor = mesh.edges()[edge as usize].neighbor;
    (neighbor != NONE && filter.passes(mesh.polygon(PolyId(neighbor)))).then_some(PolyId(neighbor))
}

/// Runs queries around a point; keeps its memory from query to query.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    stamps: Vec<u32>,
    stamp: u32,
    /// Polygons in the order of the flood, each with the index in this list of the one that led to it.
    met: Vec<(u32, u32)>,
}

impl Surface {
    /// With no memory allocated yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn begin(&mut self, mesh: &NavMesh, at: PolyId) {
        if self.stamps.len() < mesh.len() || self.stamp == u32::MAX {
            self.stamps.clear();
            self.stamps.resize(mesh.len(), 0);
            self.stamp = 0;
        }
        self.stamp += 1;
        self.met.clear();
        if at.index() < mesh.len() {
            self.meet(at, 0);
        }
    }

    fn meet(&mut self, polygon: PolyId, from: u32) {
        if std::mem::replace(&mut self.stamps[polygon.index()], self.stamp) != self.stamp {
            self.met.push((polygon.0, from));
        }
    }

    /// Moves from `start` towards `target`, sliding along walls: to the point nearest to the target (in the xz plane)
    /// that can be reached within a circle around both (Detour's `moveAlongSurface`). Writes the polygons passed.
    pub fn walk(
        &mut self,
        mesh: &NavMesh,
        start: NavPoint,
        target: Vec3,
        filter: &Filter,
        polygons: &mut Vec<PolyId>,
    ) -> NavPoint {
        polygons.clear();
        polygons.push(start.polygon);
        let is_place = start.point.is_finite() && start.polygon.index() < mesh.len();
        if !(is_place && target.x.is_finite() && target.z.is_finite()) {
            return start;
        }
        self.begin(mesh, start.polygon);
        let target = Vec3 { y: if target.y.is_finite() { target.y } else { start.point.y }, ..target };
        let middle = (start.point + target) * 0.5;
        let radius = start.point.distance(target) * 0.5 + SLACK;
        let mut best = (f32::INFINITY, start.point, 0);
        let mut next = 0;
        while let Some(&(polygon, _)) = self.met.get(next) {
            let id = PolyId(polygon);
            if mesh.contains_2d(id, target) {
                best = (0.0, target, next);
                break;
            }
            for side in wall_segments(mesh, id, filter, true) {
                match side.neighbor {
                    Some(neighbor) => {
                        let near = plan::closest_on_segment(side.from, side.to, middle);
                        if plan::distance_squared(near, middle) <= radius * radius {
                            self.meet(neighbor, next as u32);
                        }
                    }
                    None => {
                        let on = plan::closest_on_segment(side.from, side.to, target);
                        let distance = plan::distance_squared(on, target);
                        if distance < best.0 {
                            best = (distance, on, next);
                        }
                    }
                }
            }
            next += 1;
        }
        self.finish(mesh, best.1, best.2, polygons)
    }

    fn finish(&self, mesh: &NavMesh, point: Vec3, mut at: usize, polygons: &mut Vec<PolyId>) -> NavPoint {
        polygons.clear();
        let last = PolyId(self.met[at].0);
        loop {
            polygons.push(PolyId(self.met[at].0));
            if at == 0 {
                break;
            }
            at = self.met[at].1 as usize;
        }
        polygons.reverse();
        NavPoint::new(last, Vec3 { y: mesh.height_at(last, point), ..point })
    }

    /// The nearest wall within `radius` metres (which may be infinite; 0 where it is negative or no number): walls and
    /// borders of excluded polygons.
    pub fn wall_distance(&mut self, mesh: &NavMesh, place: NavPoint, radius: f32, filter: &Filter) -> Option<WallHit> {
        self.begin(mesh, place.polygon);
        let (mut limit, mut best) = (radius.max(0.0).powi(2), None);
        let mut next = 0;
        while let Some(&(polygon, _)) = self.met.get(next) {
            for side in wall_segments(mesh, PolyId(polygon), filter, true) {
                let on = plan::closest_on_segment(side.from, side.to, place.point);
                let distance = plan::distance_squared(on, place.point);
                if !(distance <= limit) {
                    continue;
                }
                match side.neighbor {
                    Some(neighbor) => self.meet(neighbor, next as u32),
                    None => {
                        limit = distance;
                        best = Some(WallHit { distance: distance.sqrt(), point: on, edge: side.edge });
                    }
                }
            }
            next += 1;
        }
        best
    }

    /// Where the segment from a point to `to` comes nearest to a wall, if nearer than `radius`: the point of the
    /// segment and that of the wall.
    pub fn wall_near(
        &mut self,
        mesh: &NavMesh,
        place: NavPoint,
        to: Vec3,
        radius: f32,
        filter: &Filter,
    ) -> Option<(Vec3, Vec3)> {
        self.begin(mesh, place.polygon);
        let (mut limit, mut best) = (radius * radius, None);
        let strip = Strip::new(place.point, to, radius);
        let mut next = 0;
        while let Some(&(polygon, _)) = self.met.get(next) {
            for side in wall_segments(mesh, PolyId(polygon), filter, true) {
                if strip.is_beside(side.from, side.to) {
                    continue;
                }
                let (on_way, on_side) = plan::closest_of_segments((place.point, to), (side.from, side.to));
                let distance = plan::distance_squared(on_way, on_side);
                match side.neighbor {
                    Some(neighbor) if distance <= radius * radius => self.meet(neighbor, next as u32),
                    None if distance < limit => {
                        limit = distance;
                        best = Some((on_way, on_side));
                    }
                    _ => {}
                }
            }
            next += 1;
        }
        best
    }

    /// The polygons that touch the circle around a point and can be reached inside of it, the point's own first. A radius,
    /// metres, that is negative or no number counts as 0.
    pub fn polygons_around(
        &mut self,
        mesh: &NavMesh,
        place: NavPoint,
        radius: f32,
        filter: &Filter,
        polygons: &mut Vec<PolyId>,
    ) {
        self.begin(mesh, place.polygon);
        let (reach, mut next) = (radius.max(0.0).powi(2), 0);
        while let Some(&(polygon, _)) = self.met.get(next) {
            for side in wall_segments(mesh, PolyId(polygon), filter, true) {
                let Some(neighbor) = side.neighbor else { continue };
                let on = plan::closest_on_segment(side.from, side.to, place.point);
                if plan::distance_squared(on, place.point) <= reach {
                    self.meet(neighbor, next as u32);
                }
            }
            next += 1;
        }
        polygons.clear();
        polygons.extend(self.met.iter().map(|m| PolyId(m.0)));
    }
}

/// An oriented box around a segment, in plan view, that holds all points within a distance of it.
struct Strip {
    from: Vec3,
    /// Unit direction and length of the segment.
    along: (f32, f32),
    length: f32,
    /// The distance, and room for rounding.
    reach: f32,
}

impl Strip {
    fn new(from: Vec3, to: Vec3, radius: f32) -> Self {
        let (dx, dz) = (to.x - from.x, to.z - from.z);
        let length = dx.hypot(dz);
        let along = if length > 0.0 { (dx / length, dz / length) } else { (1.0, 0.0) };
        Self { from, along, length, reach: radius + 1e-3 + 1e-5 * (length + from.length()) }
    }

    /// Whether a segment surely lies outside the box.
    fn is_beside(&self, a: Vec3, b: Vec3) -> bool {
        let place = |p: Vec3| {
            let (x, z) = (p.x - self.from.x, p.z - self.from.z);
            (x * self.along.0 + z * self.along.1, z * self.along.0 - x * self.along.1)
        };
        let ((ua, va), (ub, vb)) = (place(a), place(b));
        va.min(vb) > self.reach
            || va.max(vb) < -self.reach
            || ua.max(ub) < -self.reach
            || ua.min(ub) > self.length + self.reach
    }
}
