//! Straight paths: a string pulled tight through the portals of a corridor.
//!
//! The funnel of D. Demyen and M. Buro ("Efficient Triangulation-Based Pathfinding", AAAI 2006, section on the
//! modified funnel) in the form that M. Mononen gave it ("Simple Stupid Funnel Algorithm", 2010). Turns are judged in
//! the xz plane by exact signs; the points keep their heights.

use glam::Vec3;

use super::path::Corridor;
use crate::nav::mesh::{Gate, NavMesh, PolyId, cross_2d, distance_squared_2d};

/// A first portal that is nearer to the start than this counts as passed, squared metres.
const AT_PORTAL: f32 = 0.001 * 0.001;

/// Which points on portals a straight path gets besides its corners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crossings {
    /// None: corners alone.
    #[default]
    None,
    /// Where the area changes.
    Areas,
    /// Where a polygon is left.
    All,
}

/// A point of a straight path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turn {
    /// Where, local.
    pub point: Vec3,
    /// The polygon that is walked from here on, as its number.
    pub polygon: u32,
}

/// Pulls the string through `corridor` from `start` to `end`, which are first moved onto the first and the last
/// polygon. `out` gets start, corners and end, nothing for an empty corridor.
pub fn straight_path(
    mesh: &NavMesh,
    corridor: &Corridor,
    start: Vec3,
    end: Vec3,
    crossings: Crossings,
    out: &mut Vec<Turn>,
) {
    out.clear();
    let (Some(&first), Some(&last)) = (corridor.polygons.first(), corridor.polygons.last()) else { return };
    let (start, end) = (onto(mesh, first, start), onto(mesh, last, end));
    let mut string = String { mesh, corridor, crossings, out, from: 0 };
    string.out.push(Turn { point: start, polygon: first.0 });
    string.pull(start, end);
}

struct String<'a> {
    mesh: &'a NavMesh,
    corridor: &'a Corridor,
    crossings: Crossings,
    out: &'a mut Vec<Turn>,
    /// The first portal after the last corner.
    from: usize,
}

impl String<'_> {
    fn pull(&mut self, start: Vec3, end: Vec3) {
        let (portals, list) = (self.mesh.portals(), &self.corridor.portals[..]);
        let mut apex = start;
        // Each side of the funnel and the portal that it was tightened to.
        let (mut left, mut right) = ((start, 0), (start, 0));
        let mut i = list.first().map_or(0, |&p| usize::from(near(portals.gate(p), start)));
        self.from = i;
        while i <= list.len() {
            let (l, r) = list.get(i).map_or((end, end), |&p| (portals.gate(p).left, portals.gate(p).right));
            if right.0 == apex || cross_2d(apex, right.0, r) <= 0.0 {
                if right.0 == apex || cross_2d(apex, left.0, r) > 0.0 {
                    right = (r, i);
                } else {
                    i = self.turn(&mut apex, left);
                    (left, right) = ((apex, i), (apex, i));
                    i += 1;
                    continue;
                }
            }
            if left.0 == apex || cross_2d(apex, left.0, l) >= 0.0 {
                if left.0 == apex || cross_2d(apex, right.0, l) < 0.0 {
                    left = (l, i);
                } else {
                    i = self.turn(&mut apex, right);
                    (left, right) = ((apex, i), (apex, i));
                    i += 1;
                    continue;
                }
            }
            i += 1;
        }
        self.cross(end, list.len());
        self.add(end, self.corridor.polygons.len() - 1);
    }

    /// Makes a side of the funnel the next corner.
    fn turn(&mut self, apex: &mut Vec3, (corner, portal): (Vec3, usize)) -> usize {
        self.cross(corner, portal);
        self.add(corner, (portal + 1).min(self.corridor.polygons.len() - 1));
        self.from = portal + 1;
        *apex = corner;
        portal
    }

    fn add(&mut self, point: Vec3, polygon: usize) {
        let turn = Turn { point, polygon: self.corridor.polygons[polygon].0 };
        match self.out.last_mut() {
            Some(last) if last.point == point => last.polygon = turn.polygon,
            _ => self.out.push(turn),
        }
    }

    /// Adds the points where the string from the last point to `to` crosses portals before number `until`.
    fn cross(&mut self, to: Vec3, until: usize) {
        if self.crossings == Crossings::None {
            return;
        }
        let from = self.out[self.out.len() - 1].point;
        for i in self.from..until {
            let gate = self.mesh.portals().gate(self.corridor.portals[i]);
            let area = |k: usize| self.mesh.polygon(self.corridor.polygons[k]).area;
            if self.crossings == Crossings::Areas && area(i) == area(i + 1) {
                continue;
            }
            let (a, b) = (cross_2d(from, to, gate.left), cross_2d(from, to, gate.right));
            let t = if a == b { 0.0 } else { (a / (a - b)).clamp(0.0, 1.0) };
            self.add(gate.left.lerp(gate.right, t as f32), i + 1);
        }
    }
}

/// Whether the point lies on a portal.
fn near(gate: &Gate, point: Vec3) -> bool {
    distance_squared_2d(closest_on_segment_2d(gate.left, gate.right, point), point) < AT_PORTAL
}

/// The point of the segment that is nearest to `point` in the xz plane.
pub fn closest_on_segment_2d(a: Vec3, b: Vec3, point: Vec3) -> Vec3 {
    let (dx, dz) = (b.x - a.x, b.z - a.z);
    let length_squared = dx * dx + dz * dz;
    let t = if length_squared > 0.0 { ((point.x - a.x) * dx + (point.z - a.z) * dz) / length_squared } else { 0.0 };
    if t <= 0.0 {
        a
    } else if t >= 1.0 {
        b
    } else {
        a + (b - a) * t
    }
}

/// The point itself where it lies over the polygon, else the nearest point of the outline, by the xz plane.
pub fn onto(mesh: &NavMesh, polygon: PolyId, point: Vec3) -> Vec3 {
    if mesh.contains_2d(polygon, point) { point } else { closest_on_outline(mesh, polygon, point) }
}

/// The point of the polygon's outline that is nearest in the xz plane.
pub fn closest_on_outline(mesh: &NavMesh, polygon: PolyId, point: Vec3) -> Vec3 {
    let corners = mesh.corners(polygon);
    let mut a = corners.clone().last().unwrap_or(point);
    let mut best = (f32::INFINITY, a);
    for b in corners {
        let on = closest_on_segment_2d(a, b, point);
        let distance = distance_squared_2d(on, point);
        if distance < best.0 {
            best = (distance, on);
        }
        a = b;
    }
    best.1
}
