//! Precomputed data of a mesh and a filter: islands, and portals between wall corners.

use glam::{DVec3, Vec2, Vec3};

use super::scratch::WorkerScratch;
use crate::math::plan::to_plan;
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId, Portal};
use crate::nav::query::nearest::{SearchExtents, nearest};

/// Largest fraction of a portal that is left out at either end.
const MAX_SHARE: f32 = 0.45;
/// Portals narrower than this many clearances have a right lane.
const LANE: f32 = 20.0;
/// All portals are looked at anew when more than one polygon in this many has changed.
const MANY: usize = 4;
/// Room for rounding around changed polygons, metres.
const SLACK: f32 = 1e-3;
/// Marks of vertices: a wall corner, and a corner of a polygon that has changed.
const CORNER: u32 = 1;
const CHANGED: u32 = 2;
/// Fractions of the way to the middle of a polygon that bring a point inside which lies outside by rounding.
const NUDGES: [f32; 6] = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2];

/// Precomputed data of one mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct CrowdMesh {
    known: Option<(u64, Filter)>,
    origin: DVec3,
    /// Island of each polygon under the filter; [`u32::MAX`] for excluded polygons.
    islands: Vec<u32>,
    /// Per portal, which of its ends are wall corners: bit 0 left, bit 1 right.
    ends: Vec<u8>,
    stack: Vec<u32>,
}

impl CrowdMesh {
    /// Updates to another mesh or filter. Returns `None` if nothing changed, else the shift of local points and
    /// whether area costs are unchanged.
    pub(super) fn update(&mut self, mesh: &NavMesh, filter: &Filter) -> Option<(Vec3, bool)> {
        if self.known.as_ref().is_some_and(|k| k.0 == mesh.id() && k.1 == *filter) {
            return None;
        }
        let shift = if self.known.is_some() { (self.origin - mesh.origin()).as_vec3() } else { Vec3::ZERO };
        let same_costs = self.known.as_ref().is_none_or(|k| k.1.cost == filter.cost);
        let known = self.known.replace((mesh.id(), filter.clone()));
        let changed = known.filter(|k| k.1 == *filter).and_then(|k| mesh.changed_since(k.0));
        self.origin = mesh.origin();
        self.find_islands(mesh, filter);
        match changed.filter(|changed| changed.len() * MANY <= mesh.len()) {
            Some(changed) => self.update_ends(mesh, &changed),
            None => self.find_ends(mesh),
        }
        Some((shift, same_costs))
    }

    fn find_islands(&mut self, mesh: &NavMesh, filter: &Filter) {
        self.islands.clear();
        if mesh.every_poly_walkable() && filter.passes_all() {
            // Those of the mesh, in which polygons that are not live have none.
            self.islands.extend(mesh.polygons().iter().map(|p| p.island));
            return;
        }
        self.islands.resize(mesh.len(), u32::MAX);
        for first in 0..mesh.len() as u32 {
            if self.islands[first as usize] != u32::MAX || !filter.passes(mesh.polygon(PolyId(first))) {
                continue;
            }
            self.islands[first as usize] = first;
            self.stack.push(first);
            while let Some(polygon) = self.stack.pop() {
                for link in mesh.portals().links_of(polygon) {
                    let island = &mut self.islands[link.neighbor as usize];
                    if *island == u32::MAX && filter.passes(mesh.polygon(PolyId(link.neighbor))) {
                        *island = first;
                        self.stack.push(link.neighbor);
                    }
                }
            }
        }
    }

    /// Marks the ends of portals that are wall corners. Only live polygons count: those that obstacles cut or left
    /// behind still have edges, which are no walls.
    fn find_ends(&mut self, mesh: &NavMesh) {
        self.stack.clear();
        self.stack.resize(mesh.vertices().len(), 0);
        mesh.live_polygons().for_each(|polygon| self.mark_corners(mesh, polygon));
        self.ends.clear();
        self.ends.resize(mesh.portals().len(), 0);
        for link in mesh.live_polygons().flat_map(|p| mesh.portals().links_of(p.0)) {
            let (a, b) = mesh.ends(mesh.portals().portal(link.portal).edge);
            self.ends[link.portal as usize] = (self.stack[a as usize] | self.stack[b as usize] << 1) as u8;
        }
        self.stack.clear();
    }

    /// Marks the ends of the walls of a polygon.
    fn mark_corners(&mut self, mesh: &NavMesh, polygon: PolyId) {
        for (edge, e) in (mesh.polygon(polygon).first_edge..).zip(mesh.edges_of(polygon)) {
            if e.neighbor == NONE || !self.passes(e.neighbor) {
                let (a, b) = mesh.ends(edge);
                self.stack[a as usize] |= CORNER;
                self.stack[b as usize] |= CORNER;
            }
        }
    }

    /// As [`find_ends`](Self::find_ends), after a change of these polygons only, given as
    /// [parent polygons](NavMesh::parent_poly), ascending: looks at the polygons around them. Vertices that none of them
    /// has are corners where they were before.
    fn update_ends(&mut self, mesh: &NavMesh, changed: &[PolyId]) {
        let mut around = Vec::new();
        for &polygon in changed {
            let bounds = mesh.bounds_of(polygon);
            mesh.grid().for_each_in(bounds.min - SLACK, bounds.max + SLACK, |p| around.push(PolyId(p)));
        }
        around.retain(|&polygon| mesh.is_live(polygon));
        around.sort_unstable();
        around.dedup();
        self.stack.clear();
        self.stack.resize(mesh.vertices().len(), 0);
        for &polygon in &around {
            self.mark_corners(mesh, polygon);
            if changed.binary_search(&mesh.parent_poly(polygon)).is_ok() {
                mesh.edges_of(polygon).iter().for_each(|e| self.stack[e.vertex as usize] |= CHANGED);
            }
        }
        self.ends.resize(mesh.portals().len(), 0);
        for link in around.iter().flat_map(|p| mesh.portals().links_of(p.0)) {
            let (a, b) = mesh.ends(mesh.portals().portal(link.portal).edge);
            let known = u32::from(self.ends[link.portal as usize]);
            let mark = |vertex: u32, known: u32| match self.stack[vertex as usize] {
                marks if marks & CHANGED != 0 => marks & CORNER,
                _ => known & CORNER,
            };
            self.ends[link.portal as usize] = (mark(a, known) | mark(b, known >> 1) << 1) as u8;
        }
        self.stack.clear();
    }

    /// Whether the filter passes a polygon.
    pub(super) fn passes(&self, polygon: u32) -> bool {
        self.islands[polygon as usize] != u32::MAX
    }

    /// Whether both ends of a portal are wall corners.
    pub(super) fn is_door(&self, portal: u32) -> bool {
        self.ends[portal as usize] == 3
    }

    /// Whether two polygons are connected under the filter.
    pub(super) fn connected(&self, a: PolyId, b: PolyId) -> bool {
        self.islands[a.index()] == self.islands[b.index()] && self.passes(a.0)
    }

    /// The ends of a portal, moved off walls where there is room. `room` is the clearance, metres, and the degree, 0
    /// to 1, to which narrow portals are restricted to their right lane.
    #[inline]
    pub(super) fn portal_ends(&self, mesh: &NavMesh, portal: u32, room: (f32, f32)) -> (Vec3, Vec3) {
        let (Portal { left, right, .. }, ends) = (*mesh.portals().portal(portal), self.ends[portal as usize]);
        let across = right - left;
        let width = to_plan(across).length();
        if ends == 0 || !(width > 0.0) {
            return (left, right);
        }
        let inset = room.0.min(width * MAX_SHARE);
        let lane = if width < room.0 * LANE { width * 0.5 - inset } else { 0.0 };
        let [from_left, from_right] = [inset + lane * room.1, inset].map(|distance| across * (distance / width));
        (if ends & 1 != 0 { left + from_left } else { left }, if ends & 2 != 0 { right - from_right } else { right })
    }
}

/// The position on the mesh nearest to a point, exactly over its polygon; `far` searches all of the mesh.
pub(super) fn locate(mesh: &NavMesh, filter: &Filter, point: Vec3, far: bool) -> Option<NavPoint> {
    let near = nearest(mesh, point, &SearchExtents::default(), filter).or_else(|| {
        let all = mesh.bounds().size().max(Vec3::ONE) * 2.0 + point.abs();
        far.then(|| nearest(mesh, point, &SearchExtents { half_extents: all, ..SearchExtents::default() }, filter))
            .flatten()
    })?;
    settle(mesh, near.polygon, near.point).map(|p| NavPoint::new(near.polygon, p))
}

/// The point on the surface of the polygon, moved inside if it lies outside by rounding.
pub(super) fn settle(mesh: &NavMesh, polygon: PolyId, point: Vec3) -> Option<Vec3> {
    let lie = |p: Vec3| mesh.contains_2d(polygon, p).then(|| Vec3 { y: mesh.height_at(polygon, p), ..p });
    let middle = mesh.polygon(polygon).center;
    lie(point).or_else(|| NUDGES.into_iter().find_map(|t| lie(point.lerp(middle, t)))).or_else(|| lie(middle))
}

/// Moves along the surface towards `to` as far as walls allow. Returns a position exactly over its polygon and lists
/// the crossed polygons in `scratch.walked`.
pub(super) fn walk(
    mesh: &NavMesh,
    filter: &Filter,
    scratch: &mut WorkerScratch,
    place: NavPoint,
    to: Vec2,
) -> NavPoint {
    let target = Vec3::new(to.x, place.point.y, to.y);
    scratch.walked.clear();
    scratch.walked.push(place.polygon);
    if !to.is_finite() || to == to_plan(place.point) {
        return place;
    }
    if mesh.contains_2d(place.polygon, target) {
        return NavPoint::new(place.polygon, Vec3 { y: mesh.height_at(place.polygon, target), ..target });
    }
    let NavPoint { polygon, point } = scratch.surface.walk(mesh, place, target, filter, &mut scratch.walked);
    // A jump to the middle of the polygon is worse than no move.
    match settle(mesh, polygon, point).filter(|p| to_plan(*p).distance_squared(to_plan(point)) < 0.01) {
        Some(point) => NavPoint::new(polygon, point),
        None => {
            scratch.walked.clear();
            scratch.walked.push(place.polygon);
            place
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::stage::floor;
    use super::*;
    use crate::nav::mesh::dynamic::{DynamicMesh, Obstacle};
    use std::sync::Arc;

    fn assert_same(kept: &CrowdMesh, mesh: &NavMesh, filter: &Filter) {
        let mut anew = CrowdMesh::default();
        anew.update(mesh, filter);
        for polygon in mesh.live_polygons() {
            assert_eq!(kept.passes(polygon.0), anew.passes(polygon.0), "{polygon:?}");
            for link in mesh.portals().links_of(polygon.0) {
                let ends = [kept, &anew].map(|m| m.ends[link.portal as usize]);
                assert_eq!(ends[0], ends[1], "portal {} of {polygon:?}", link.portal);
            }
        }
    }

    #[test]
    fn ends_of_portals_follow_changes_of_the_mesh() {
        let lines: Vec<f64> = (0..=20).map(|i| 2.0 * f64::from(i)).collect();
        let base = floor(&lines, &lines, |x, z| !(x % 4 == 1 && z % 4 == 1));
        for filter in [Filter::default(), Filter { exclude: 2, ..Filter::default() }] {
            let mut dynamic = DynamicMesh::new(Arc::new(base.clone()));
            let mut kept = CrowdMesh::default();
            let (mut ids, mut partial, mut random) = (Vec::new(), 0, 1u32);
            let mut next = |count: u32| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (random >> 8) % count
            };
            for step in 0..120 {
                let before = dynamic.mesh().id();
                // Some changes are seen together.
                for _ in 0..=next(2) {
                    let at = DVec3::new(f64::from(next(390)) * 0.1 + 0.5, 0.0, f64::from(next(390)) * 0.1 + 0.5);
                    let half = DVec3::new(0.3 + 0.1 * f64::from(next(12)), 4.0, 0.4);
                    let obstacle = Obstacle::cuboid(at, half, f64::from(next(30)) * 0.1);
                    match next(5) {
                        0 if !ids.is_empty() => {
                            dynamic.remove(ids.swap_remove(next(ids.len() as u32) as usize)).unwrap();
                        }
                        1 if !ids.is_empty() => dynamic.set(ids[next(ids.len() as u32) as usize], &obstacle).unwrap(),
                        2 => {
                            let polygon = PolyId(next(base.len() as u32));
                            dynamic.set_flags(polygon, [0, 1, 1, 3][next(4) as usize]).unwrap();
                        }
                        _ => ids.push(dynamic.add(&obstacle).unwrap()),
                    }
                }
                let mesh = dynamic.mesh();
                if step > 0 && mesh.changed_since(before).is_some_and(|c| c.len() * MANY <= mesh.len()) {
                    partial += 1;
                }
                kept.update(mesh, &filter);
                assert_same(&kept, mesh, &filter);
            }
            assert!(partial > 60, "{partial} changes were small");
            while let Some(id) = ids.pop() {
                dynamic.remove(id).unwrap();
                kept.update(dynamic.mesh(), &filter);
            }
            assert_same(&kept, dynamic.mesh(), &filter);
        }
    }
}
