//! What a crowd knows of the mesh that it walks on, made once for a mesh and a filter.

use glam::{DVec3, Vec2, Vec3};

use crate::math::plan::to_plan;
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use crate::nav::query::nearest::{SearchExtents, nearest};

/// Most share of a portal that is left out at either side.
const MOST_SHARE: f32 = 0.45;
/// Places narrower than so many clearances have a right lane.
const LANE: f32 = 20.0;
/// Steps towards a polygon's middle that bring a point onto it which lies outside by a rounding.
const NUDGES: [f32; 6] = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2];

/// Knowledge about one mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Ground {
    known: Option<(u64, Filter)>,
    origin: DVec3,
    /// Island of each polygon as the filter leaves it; [`u32::MAX`] for polygons that it excludes.
    islands: Vec<u32>,
    /// Per portal, which of its ends are corners of walls: bit 0 the left, bit 1 the right.
    ends: Vec<u8>,
    spare: Vec<u32>,
}

impl Ground {
    /// Looks at the mesh unless it is known. Gives by how much local points move if it is another one than before, and
    /// whether its areas cost as before.
    pub(super) fn update(&mut self, mesh: &NavMesh, filter: &Filter) -> Option<(Vec3, bool)> {
        if self.known.as_ref().is_some_and(|k| k.0 == mesh.id() && k.1 == *filter) {
            return None;
        }
        let shift = if self.known.is_some() { (self.origin - mesh.origin()).as_vec3() } else { Vec3::ZERO };
        let same_costs = self.known.as_ref().is_none_or(|k| k.1.cost == filter.cost);
        self.known = Some((mesh.id(), filter.clone()));
        self.origin = mesh.origin();
        self.find_islands(mesh, filter);
        self.find_ends(mesh);
        Some((shift, same_costs))
    }

    fn find_islands(&mut self, mesh: &NavMesh, filter: &Filter) {
        self.islands.clear();
        self.islands.resize(mesh.len(), u32::MAX);
        for first in 0..mesh.len() as u32 {
            if self.islands[first as usize] != u32::MAX || !filter.passes(mesh.polygon(PolyId(first))) {
                continue;
            }
            self.islands[first as usize] = first;
            self.spare.push(first);
            while let Some(polygon) = self.spare.pop() {
                for way in mesh.portals().of(polygon) {
                    let island = &mut self.islands[way.neighbor as usize];
                    if *island == u32::MAX && filter.passes(mesh.polygon(PolyId(way.neighbor))) {
                        *island = first;
                        self.spare.push(way.neighbor);
                    }
                }
            }
        }
    }

    fn find_ends(&mut self, mesh: &NavMesh) {
        self.spare.clear();
        self.spare.resize(mesh.vertices().len(), 0);
        for (edge, e) in (0..).zip(mesh.edges()) {
            let open = e.neighbor != crate::nav::mesh::NONE && self.passes(e.neighbor);
            if !open {
                let (a, b) = mesh.ends(edge);
                (self.spare[a as usize], self.spare[b as usize]) = (1, 1);
            }
        }
        self.ends.clear();
        for portal in 0..mesh.portals().len() as u32 {
            let (a, b) = mesh.ends(mesh.portals().gate(portal).edge);
            self.ends.push((self.spare[a as usize] | self.spare[b as usize] << 1) as u8);
        }
        self.spare.clear();
    }

    /// Whether the filter lets one walk on a polygon.
    pub(super) fn passes(&self, polygon: u32) -> bool {
        self.islands[polygon as usize] != u32::MAX
    }

    /// Whether a portal leads between corners of walls.
    pub(super) fn is_door(&self, portal: u32) -> bool {
        self.ends[portal as usize] == 3
    }

    /// Whether a way leads from one polygon to the other.
    pub(super) fn connected(&self, a: PolyId, b: PolyId) -> bool {
        self.islands[a.index()] == self.islands[b.index()] && self.passes(a.0)
    }

    /// The ends of a portal, some way off walls where there is room: `room` is the clearance in metres, and how much
    /// (0 to 1) narrow places are taken as two lanes, of which the right one is meant.
    #[inline]
    pub(super) fn gate(&self, mesh: &NavMesh, portal: u32, room: (f32, f32)) -> (Vec3, Vec3) {
        let gate = mesh.portals().gate(portal);
        let ends = self.ends[portal as usize];
        let way = gate.right - gate.left;
        let width = Vec2::new(way.x, way.z).length();
        if ends == 0 || !(width > 0.0) {
            return (gate.left, gate.right);
        }
        let inset = room.0.min(width * MOST_SHARE);
        let lane = if width < room.0 * LANE { width * 0.5 - inset } else { 0.0 };
        let (left, right) = (inset + lane * room.1, inset);
        let left = if ends & 1 != 0 { gate.left + way * (left / width) } else { gate.left };
        (left, if ends & 2 != 0 { gate.right - way * (right / width) } else { gate.right })
    }
}

/// The place on the mesh nearest to a point, exactly over its polygon; far away if need be.
pub(super) fn locate(mesh: &NavMesh, filter: &Filter, point: Vec3, far: bool) -> Option<NavPoint> {
    let near = nearest(mesh, point, &SearchExtents::default(), filter).or_else(|| {
        let all = mesh.bounds().size().max(Vec3::ONE) * 2.0 + point.abs();
        far.then(|| nearest(mesh, point, &SearchExtents { half_extents: all, ..SearchExtents::default() }, filter))
            .flatten()
    })?;
    settle(mesh, near.polygon, near.point).map(|p| NavPoint::new(near.polygon, p))
}

/// The point on the polygon's surface, moved inside if it lies outside by a rounding.
pub(super) fn settle(mesh: &NavMesh, polygon: PolyId, point: Vec3) -> Option<Vec3> {
    let lie = |p: Vec3| mesh.contains_2d(polygon, p).then(|| Vec3 { y: mesh.height_at(polygon, p), ..p });
    let middle = mesh.polygon(polygon).center;
    lie(point).or_else(|| NUDGES.into_iter().find_map(|t| lie(point.lerp(middle, t)))).or_else(|| lie(middle))
}

/// Walks along the surface from a place on the mesh to where `to` is, or as near as walls let one come. What comes
/// out lies exactly over its polygon; `polygons` gets those walked over.
pub(super) fn walk(mesh: &NavMesh, filter: &Filter, helper: &mut super::Helper, place: NavPoint, to: Vec2) -> NavPoint {
    let target = Vec3::new(to.x, place.point.y, to.y);
    helper.walked.clear();
    helper.walked.push(place.polygon);
    if !to.is_finite() || to == to_plan(place.point) {
        return place;
    }
    if mesh.contains_2d(place.polygon, target) {
        return NavPoint::new(place.polygon, Vec3 { y: mesh.height_at(place.polygon, target), ..target });
    }
    let NavPoint { polygon, point } = helper.surface.walk(mesh, place, target, filter, &mut helper.walked);
    // The middle of a polygon is no answer to a step of centimetres.
    match settle(mesh, polygon, point).filter(|p| to_plan(*p).distance_squared(to_plan(point)) < 0.01) {
        Some(point) => NavPoint::new(polygon, point),
        None => {
            helper.walked.clear();
            helper.walked.push(place.polygon);
            place
        }
    }
}
