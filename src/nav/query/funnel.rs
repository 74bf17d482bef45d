//! Straight paths: the funnel algorithm through the portals of a corridor.
//!
//! The funnel of D. Demyen and M. Buro ("Efficient Triangulation-Based Pathfinding", AAAI 2006, section on the
//! modified funnel) in the form that M. Mononen gave it ("Simple Stupid Funnel Algorithm", 2010). Turns are judged in
//! the xz plane by exact signs; the points keep their heights.

use glam::{DVec2, Vec3};

use super::path::Corridor;
use crate::math::plan::{self, to_plan_f64};
use crate::nav::mesh::{NavMesh, PolyId, Portal};

/// A first portal that is nearer to the start than this counts as passed; squared, m².
const AT_PORTAL: f32 = 0.001 * 0.001;

/// Which crossings of portals become points of a straight path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crossings {
    /// None: corners only.
    #[default]
    None,
    /// Where the area changes.
    Areas,
    /// Where a polygon is left.
    All,
}

/// A point of a straight path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathPoint {
    /// Where, local.
    pub point: Vec3,
    /// The polygon that is walked from here on, as its number.
    pub polygon: u32,
}

/// Runs the funnel through `corridor` from `start` to `end`, which are first moved onto the first and the last
/// polygon. `out` gets start, corners and end, nothing for an empty corridor.
pub fn straight_path(
    mesh: &NavMesh,
    corridor: &Corridor,
    start: Vec3,
    end: Vec3,
    crossings: Crossings,
    out: &mut Vec<PathPoint>,
) {
    out.clear();
    let (Some(&first), Some(&last)) = (corridor.polygons.first(), corridor.polygons.last()) else { return };
    let ends = [mesh.clamp_to_poly(first, start), mesh.clamp_to_poly(last, end)];
    pull_string(mesh, (&corridor.polygons, &corridor.portals), ends, crossings, out);
}

/// As [`straight_path`] through the portals between these polygons, at least one, with ends that lie over the first and
/// the last of them.
pub(in crate::nav) fn pull_string(
    mesh: &NavMesh,
    (polygons, portals): (&[PolyId], &[u32]),
    [start, end]: [Vec3; 2],
    crossings: Crossings,
    out: &mut Vec<PathPoint>,
) {
    out.clear();
    let mut funnel = Funnel { mesh, polygons, portals, crossings, out, from: 0 };
    funnel.out.push(PathPoint { point: start, polygon: polygons[0].0 });
    funnel.pull(start, end);
}

struct Funnel<'a> {
    mesh: &'a NavMesh,
    polygons: &'a [PolyId],
    /// Between them.
    portals: &'a [u32],
    crossings: Crossings,
    out: &'a mut Vec<PathPoint>,
    /// The first portal after the last corner.
    from: usize,
}

/// One side of the funnel.
#[derive(Clone, Copy)]
struct Side {
    /// From the apex to where the side was tightened to, in the xz plane; zero when that is the apex itself.
    x: f64,
    z: f64,
    /// The portal that it was tightened to.
    portal: usize,
}

impl Side {
    fn at_apex(portal: usize) -> Self {
        Self { x: 0.0, z: 0.0, portal }
    }

    #[inline]
    fn new(apex: DVec2, to: DVec2, portal: usize) -> Self {
        Self { x: to.x - apex.x, z: to.y - apex.y, portal }
    }

    #[inline]
    fn cross(&self, other: &Self) -> f64 {
        self.x * other.z - other.x * self.z
    }

    #[inline]
    fn is_apex(&self) -> bool {
        (self.x == 0.0) & (self.z == 0.0)
    }

    /// Takes `next` when it lies within the funnel; `sign` turns a left side into a right one. Returns whether the
    /// other side becomes a corner because `next` lies beyond it.
    #[inline]
    fn tighten(&mut self, other: &Self, sign: f64, next: Self) -> bool {
        if !self.is_apex() {
            if self.cross(&next) * sign > 0.0 {
                return false;
            }
            if other.cross(&next) * sign <= 0.0 {
                return true;
            }
        }
        *self = next;
        false
    }
}

impl Funnel<'_> {
    fn pull(&mut self, start: Vec3, end: Vec3) {
        let (portals, list) = (self.mesh.portals(), self.portals);
        let mut apex = to_plan_f64(start);
        let mut i = list.first().map_or(0, |&p| usize::from(near(portals.portal(p), start)));
        self.from = i;
        self.out[0].polygon = self.polygons[i].0;
        let (mut left, mut right) = (Side::at_apex(i), Side::at_apex(i));
        while i <= list.len() {
            let [l, r] = list.get(i).map_or([to_plan_f64(end); 2], |&p| portals.ends(p));
            let (portal, is_left) = if right.tighten(&left, 1.0, Side::new(apex, r, i)) {
                (left.portal, true)
            } else if left.tighten(&right, -1.0, Side::new(apex, l, i)) {
                (right.portal, false)
            } else {
                i += 1;
                continue;
            };
            let corner = match list.get(portal).map(|&p| portals.portal(p)) {
                Some(gate) if is_left => gate.left,
                Some(gate) => gate.right,
                None => end,
            };
            self.turn(corner, portal);
            apex = to_plan_f64(corner);
            (left, right) = (Side::at_apex(portal), Side::at_apex(portal));
            i = portal + 1;
        }
        self.cross(end, list.len());
        self.add(end, self.polygons.len() - 1);
    }

    fn turn(&mut self, corner: Vec3, portal: usize) {
        self.cross(corner, portal);
        self.add(corner, (portal + 1).min(self.polygons.len() - 1));
        self.from = portal + 1;
    }

    fn add(&mut self, point: Vec3, polygon: usize) {
        let turn = PathPoint { point, polygon: self.polygons[polygon].0 };
        match self.out.last_mut() {
            Some(last) if last.point == point => last.polygon = turn.polygon,
            _ => self.out.push(turn),
        }
    }

    /// Adds the points where the leg from the last point to `to` crosses portals before number `until`.
    fn cross(&mut self, to: Vec3, until: usize) {
        if self.crossings == Crossings::None {
            return;
        }
        let from = self.out[self.out.len() - 1].point;
        for i in self.from..until {
            let gate = self.mesh.portals().portal(self.portals[i]);
            let area = |k: usize| self.mesh.polygon(self.polygons[k]).area;
            if self.crossings == Crossings::Areas && area(i) == area(i + 1) {
                continue;
            }
            self.add(plan::gate_crossing([from, to], [gate.left, gate.right]), i + 1);
        }
    }
}

/// Whether the point lies on a portal.
fn near(gate: &Portal, point: Vec3) -> bool {
    plan::distance_squared(plan::closest_on_segment(gate.left, gate.right, point), point) < AT_PORTAL
}
