//! The walls near an agent, kept until it has moved.

use glam::Vec2;

use super::orca::HalfPlane;
use super::scratch::WorkerScratch;
use crate::math::plan::{self, to_plan};
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use crate::nav::query::surface::wall_segments;

/// Most walls of an agent.
pub(super) const MAX_WALLS: usize = 8;
/// Distance that an agent moves before its walls are searched again, metres.
const STALE: f32 = 0.4;
/// Rounding of the distances of walls, metres.
const REACH_SLACK: f32 = 1e-3;

/// The nearest walls.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NearWalls {
    center: Vec2,
    /// The polygon that they were searched from; `None` before the first search.
    polygon: Option<PolyId>,
    count: usize,
    list: [(f32, Vec2, Vec2); MAX_WALLS],
}

impl NearWalls {
    /// Forgets the walls.
    pub(super) fn clear(&mut self) {
        (self.polygon, self.count) = (None, 0);
    }

    /// Searches the walls within `reach` metres if the known ones are stale.
    pub(super) fn refresh(
        &mut self,
        mesh: &NavMesh,
        filter: &Filter,
        scratch: &mut WorkerScratch,
        place: NavPoint,
        reach: f32,
    ) {
        let at = to_plan(place.point);
        if self.polygon.is_some() && at.distance_squared(self.center) <= STALE * STALE {
            return;
        }
        (self.polygon, self.center, self.count) = (Some(place.polygon), at, 0);
        let reach = reach + STALE;
        scratch.surface.polygons_around(mesh, place, reach, filter, &mut scratch.polygons);
        for &polygon in &scratch.polygons {
            for side in wall_segments(mesh, polygon, filter, false) {
                let (a, b) = (to_plan(side.from), to_plan(side.to));
                let apart = plan::closest_on_segment(a, b, at).distance_squared(at);
                if apart <= reach * reach {
                    self.offer((apart, a, b));
                }
            }
        }
    }

    fn offer(&mut self, wall: (f32, Vec2, Vec2)) {
        if self.count == MAX_WALLS && wall.0 >= self.list[MAX_WALLS - 1].0 {
            return;
        }
        let mut at = if self.count == MAX_WALLS { MAX_WALLS - 1 } else { self.count };
        while at > 0 && wall.0 < self.list[at - 1].0 {
            self.list[at] = self.list[at - 1];
            at -= 1;
        }
        self.list[at] = wall;
        self.count = (self.count + 1).min(MAX_WALLS);
    }

    /// The walls that may be within `reach` metres of a position.
    fn within(&self, at: Vec2, reach: f32) -> impl Iterator<Item = (Vec2, Vec2)> + '_ {
        // They are sorted by their distance from the centre.
        let reach = reach + at.distance(self.center) + REACH_SLACK;
        self.list[..self.count].iter().take_while(move |wall| wall.0 <= reach * reach).map(|&(_, a, b)| (a, b))
    }

    /// Whether a wall separates two positions.
    pub(super) fn separate(&self, from: Vec2, to: Vec2) -> bool {
        // A wall between the two is no farther from the first than the second.
        self.within(from, from.distance(to)).any(|(a, b)| {
            let (s, t) = ((b - a).perp_dot(from - a), (b - a).perp_dot(to - a));
            let (u, v) = ((to - from).perp_dot(a - from), (to - from).perp_dot(b - from));
            s * t < 0.0 && u * v < 0.0
        })
    }

    /// Writes the half-planes of velocities that keep `clearance` metres for `horizon_secs`; where there is less room
    /// already, those that come no nearer. Returns their number.
    pub(super) fn planes(&self, at: Vec2, clearance: f32, horizon_secs: f32, out: &mut [HalfPlane]) -> usize {
        let mut count = 0;
        for &(_, a, b) in &self.list[..self.count] {
            if count == out.len() {
                break;
            }
            // Walls face inwards.
            if (b - a).perp_dot(at - a) < -1e-4 * (b - a).length() {
                continue;
            }
            let closest = plan::closest_on_segment(a, b, at);
            let away = at - closest;
            let distance = away.length();
            if distance <= 1e-4 && (closest == a || closest == b) {
                // On a corner the walls on its two sides would bar the way around it; the mesh ends there anyway.
                continue;
            }
            let normal = if distance > 1e-4 { away / distance } else { (b - a).perp().normalize_or_zero() };
            if normal == Vec2::ZERO {
                continue;
            }
            let room = (distance - clearance).max(0.0);
            out[count] = HalfPlane::new(normal * (-room / horizon_secs), normal);
            count += 1;
        }
        count
    }

    /// Push away from walls nearer than `clearance`, metres.
    pub(super) fn push(&self, at: Vec2, clearance: f32) -> Vec2 {
        let mut sum = Vec2::ZERO;
        for (a, b) in self.within(at, clearance) {
            let away = at - plan::closest_on_segment(a, b, at);
            let distance = away.length();
            if distance > 1e-4 && distance < clearance && (b - a).perp_dot(at - a) >= 0.0 {
                sum += away * ((clearance - distance) / distance);
            }
        }
        sum
    }
}
