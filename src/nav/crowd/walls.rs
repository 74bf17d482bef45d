//! The walls around an agent, kept until it has moved.

use glam::Vec2;

use super::Helper;
use super::orca::HalfPlane;
use crate::math::plan::{self, to_plan};
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use crate::nav::query::surface::wall_segments;

/// Most walls of one agent.
pub(super) const MOST_WALLS: usize = 8;
/// How far an agent moves before the walls are looked for again, metres.
const STALE: f32 = 0.4;

/// The nearest walls.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Walls {
    center: Vec2,
    /// The polygon that they were looked for from; no polygon for none yet.
    polygon: Option<PolyId>,
    count: usize,
    list: [(f32, Vec2, Vec2); MOST_WALLS],
}

impl Walls {
    /// Forgets them.
    pub(super) fn clear(&mut self) {
        (self.polygon, self.count) = (None, 0);
    }

    /// Looks for the walls within `reach` metres if those known are stale.
    pub(super) fn refresh(
        &mut self,
        mesh: &NavMesh,
        filter: &Filter,
        helper: &mut Helper,
        place: NavPoint,
        reach: f32,
    ) {
        let at = to_plan(place.point);
        if self.polygon.is_some() && at.distance_squared(self.center) <= STALE * STALE {
            return;
        }
        (self.polygon, self.center, self.count) = (Some(place.polygon), at, 0);
        let reach = reach + STALE;
        helper.surface.polygons_around(mesh, place, reach, filter, &mut helper.polygons);
        for &polygon in &helper.polygons {
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
        if self.count == MOST_WALLS && wall.0 >= self.list[MOST_WALLS - 1].0 {
            return;
        }
        let mut at = if self.count == MOST_WALLS { MOST_WALLS - 1 } else { self.count };
        while at > 0 && wall.0 < self.list[at - 1].0 {
            self.list[at] = self.list[at - 1];
            at -= 1;
        }
        self.list[at] = wall;
        self.count = (self.count + 1).min(MOST_WALLS);
    }

    /// Whether a wall stands between two places.
    pub(super) fn part(&self, from: Vec2, to: Vec2) -> bool {
        self.list[..self.count].iter().any(|&(_, a, b)| {
            let (s, t) = ((b - a).perp_dot(from - a), (b - a).perp_dot(to - a));
            let (u, v) = ((to - from).perp_dot(a - from), (to - from).perp_dot(b - from));
            s * t < 0.0 && u * v < 0.0
        })
    }

    /// Half-planes of velocities that keep `clearance` metres for `horizon_secs`; where there is less room already, of
    /// those that do not come nearer. Gives their number.
    pub(super) fn planes(&self, at: Vec2, clearance: f32, horizon_secs: f32, out: &mut [HalfPlane]) -> usize {
        let mut count = 0;
        for &(_, a, b) in &self.list[..self.count] {
            if count == out.len() {
                break;
            }
            // Walls are looked at from inside.
            if (b - a).perp_dot(at - a) < -1e-4 * (b - a).length() {
                continue;
            }
            let away = at - plan::closest_on_segment(a, b, at);
            let distance = away.length();
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

    /// Where the walls nearer than `clearance` push to, metres.
    pub(super) fn push(&self, at: Vec2, clearance: f32) -> Vec2 {
        let mut sum = Vec2::ZERO;
        for &(_, a, b) in &self.list[..self.count] {
            let away = at - plan::closest_on_segment(a, b, at);
            let distance = away.length();
            if distance > 1e-4 && distance < clearance && (b - a).perp_dot(at - a) >= 0.0 {
                sum += away * ((clearance - distance) / distance);
            }
        }
        sum
    }
}
