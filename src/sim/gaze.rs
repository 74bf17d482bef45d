//! Looking at neighbours: characters turn their heads to the nearest other one before them, and smile at it, where the
//! scene says so.

use super::body::Body;
use super::pose::Gaze;
use super::presence::Role;
use super::world::{Live, World};
use crate::math::angle::{shortest_turn_rad, yaw_of_direction};
use glam::{Vec2, Vec3};

/// Looks for neighbours are this many steps apart; not all look in the same step.
const EVERY: u64 = 6;
/// Angle of a head that is turned to the side, and of one that is tilted up or down, as far as its clips go, radians.
const FULL_TURN_RAD: f32 = 1.2;
const FULL_TILT_RAD: f32 = 0.7;
/// Angle from where it faces within which a character sees its neighbours, radians.
const SIGHT_RAD: f32 = 1.7;
/// Height of the eyes as a share of the body's.
const EYES: f32 = 0.92;

fn eyes(live: &Live, body: &Body) -> Vec3 {
    live.now.position + Vec3::Y * body.size.height * EYES
}

/// Turn and tilt towards `to` of a head at `from` whose owner faces `yaw_rad`; `None` out of its sight.
fn toward(from: Vec3, yaw_rad: f32, to: Vec3) -> Option<Vec2> {
    let way = to - from;
    // Left is where the yaw grows.
    let left = shortest_turn_rad(yaw_rad, yaw_of_direction(way)?);
    let up = way.y.atan2(way.with_y(0.0).length());
    (left.abs() <= SIGHT_RAD)
        .then(|| Vec2::new(-left / FULL_TURN_RAD, -up / FULL_TILT_RAD).clamp(-Vec2::ONE, Vec2::ONE))
}

impl World {
    /// Turns the heads of characters that look at neighbours.
    pub(super) fn look_at_neighbors(&mut self) {
        for i in 0..self.bodies.len() {
            let (range, smile) = (self.bodies[i].saved.look_at_range, self.bodies[i].saved.look_at_smile);
            if range > 0.0 && (self.steps + i as u64).is_multiple_of(EVERY) {
                self.bodies[i].gaze = self.nearest_in_sight(i, range).map(|head| Gaze { head, smile });
            } else if range <= 0.0 {
                self.bodies[i].gaze = None;
            }
        }
    }

    /// Where the head of an instance turns to look at the nearest character within `range` metres that it sees.
    fn nearest_in_sight(&self, i: usize, range: f32) -> Option<Vec2> {
        let (live, body) = (&self.live[i], &self.bodies[i]);
        let from = eyes(live, body);
        let others = (0..self.live.len()).filter(|&k| k != i && self.bodies[k].looks.role == Role::Character);
        let seen = others.filter_map(|k| {
            let at = self.live[k].now.position;
            let near = at.distance_squared(live.now.position);
            let head =
                (near <= range * range).then(|| toward(from, live.now.yaw_rad, eyes(&self.live[k], &self.bodies[k])));
            Some((near, head??))
        });
        seen.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, head)| head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_turn_to_the_side_and_up_as_far_as_they_see() {
        let from = Vec3::Y * 1.7;
        let ahead = toward(from, 0.0, from + Vec3::Z).unwrap();
        assert!(ahead.length() < 1e-5, "facing +Z");
        let right = toward(from, 0.0, from + Vec3::new(-1.0, 0.0, 1.0)).unwrap();
        assert!(
            (right.x - std::f32::consts::FRAC_PI_4 / FULL_TURN_RAD).abs() < 1e-4,
            "the right hand is at -X: {right}"
        );
        assert!(toward(from, 0.0, from + Vec3::new(0.0, 1.0, 2.0)).unwrap().y < -0.3, "up is below zero");
        assert_eq!(toward(from, 0.0, from - Vec3::Z), None, "what is behind is not seen");
        assert_eq!(toward(from, 0.0, from), None);
    }
}
