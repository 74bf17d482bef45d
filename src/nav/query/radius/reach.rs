//! The walls that an agent on a polygon can come near to, listed when first asked for.

use glam::Vec3;

use super::width::beyond;
use crate::nav::mesh::{Filter, NavMesh, PolyId, distance_squared_2d};
use crate::nav::query::funnel::closest_on_segment_2d;
use crate::nav::query::surface::closest_of_segments_2d;

/// Polygons with more others around them have no list.
const MOST_AROUND: usize = 200;
/// Most walls in all lists; then they are begun anew.
const MOST_LISTED: usize = 1 << 20;
/// No list yet, and no list ever, as the begin of one.
const NOT_YET: u32 = u32::MAX;
const NEVER: u32 = u32::MAX - 1;

/// A leg of a path seen from above, and how near to it no wall may stand.
pub(super) struct Leg {
    from: Vec3,
    to: Vec3,
    /// Unit direction.
    along: (f32, f32),
    length: f32,
    limit: f32,
    /// The limit with room for rounding.
    reach: f32,
}

impl Leg {
    pub(super) fn new(from: Vec3, to: Vec3, limit: f32) -> Self {
        let (dx, dz) = (to.x - from.x, to.z - from.z);
        let length = (dx * dx + dz * dz).sqrt();
        let along = if length > 0.0 { (dx / length, dz / length) } else { (1.0, 0.0) };
        Self { from, to, along, length, limit, reach: limit + 1e-5 + 2e-6 * length }
    }

    /// Whether a wall keeps away. Most do so obviously.
    #[inline]
    fn keeps_from(&self, (a, b): (Vec3, Vec3)) -> bool {
        let place = |p: Vec3| {
            let (x, z) = (p.x - self.from.x, p.z - self.from.z);
            (x * self.along.0 + z * self.along.1, z * self.along.0 - x * self.along.1)
        };
        let ((ua, va), (ub, vb)) = (place(a), place(b));
        (va.min(vb) > self.reach)
            | (va.max(vb) < -self.reach)
            | (ua.max(ub) < -self.reach)
            | (ua.min(ub) > self.length + self.reach)
            || {
                let (on_way, on_wall) = closest_of_segments_2d((self.from, self.to), (a, b));
                distance_squared_2d(on_way, on_wall) >= self.limit * self.limit
            }
    }
}

/// Lists of walls for radii up to one.
#[derive(Debug, Default)]
pub(super) struct Reach {
    metres: f32,
    spans: Vec<(u32, u32)>,
    walls: Vec<(Vec3, Vec3)>,
}

impl Reach {
    /// Without lists, for radii up to `metres`.
    pub(super) fn new(mesh: &NavMesh, metres: f32) -> Self {
        Self { metres, spans: vec![(NOT_YET, 0); mesh.len()], walls: Vec::new() }
    }

    /// How far around polygons it looks.
    pub(super) fn metres(&self) -> f32 {
        self.metres
    }

    /// Whether all walls that can be reached from a polygon surely keep from a leg that crosses it.
    #[inline]
    pub(super) fn is_clear(&mut self, mesh: &NavMesh, filter: &Filter, polygon: PolyId, leg: &Leg) -> bool {
        self.near(mesh, filter, polygon).is_some_and(|walls| walls.iter().all(|&wall| leg.keeps_from(wall)))
    }

    /// Whether all walls surely keep this far from a point of a polygon.
    pub(super) fn has_room(
        &mut self,
        mesh: &NavMesh,
        filter: &Filter,
        (polygon, at): (PolyId, Vec3),
        radius: f32,
    ) -> bool {
        let keeps = |&(a, b): &(Vec3, Vec3)| distance_squared_2d(closest_on_segment_2d(a, b, at), at) > radius * radius;
        self.near(mesh, filter, polygon).is_some_and(|walls| walls.iter().all(keeps))
    }

    #[inline]
    fn near(&mut self, mesh: &NavMesh, filter: &Filter, polygon: PolyId) -> Option<&[(Vec3, Vec3)]> {
        if self.spans[polygon.index()].0 == NOT_YET {
            self.list(mesh, filter, polygon);
        }
        let (first, last) = self.spans[polygon.index()];
        (first != NEVER).then(|| &self.walls[first as usize..last as usize])
    }

    /// Goes from polygon to polygon as far as their common edges are near.
    #[cold]
    fn list(&mut self, mesh: &NavMesh, filter: &Filter, polygon: PolyId) {
        if self.walls.len() > MOST_LISTED {
            *self = Self::new(mesh, self.metres);
        }
        let (first, own) = (self.walls.len(), mesh.polygon(polygon).first_edge);
        let own = own..own + mesh.edges_of(polygon).len() as u32;
        let near = |edge: u32| {
            let side = mesh.segment(edge);
            own.contains(&edge)
                || own.clone().any(|e| {
                    let (a, b) = closest_of_segments_2d(mesh.segment(e), side);
                    distance_squared_2d(a, b) <= self.metres * self.metres
                })
        };
        let (mut met, mut next) = (vec![polygon.0], 0);
        while let Some(&at) = met.get(next) {
            let p = mesh.polygon(PolyId(at));
            for edge in p.first_edge..p.first_edge + u32::from(p.edge_count) {
                match beyond(mesh, filter, edge) {
                    Some(neighbor) if !met.contains(&neighbor) && near(edge) => met.push(neighbor),
                    None if near(edge) => self.walls.push(mesh.segment(edge)),
                    _ => {}
                }
            }
            next += 1;
            if met.len() > MOST_AROUND {
                self.walls.truncate(first);
                self.spans[polygon.index()] = (NEVER, 0);
                return;
            }
        }
        self.spans[polygon.index()] = (first as u32, self.walls.len() as u32);
    }
}
