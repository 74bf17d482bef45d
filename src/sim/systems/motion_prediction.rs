//! Where a character is about to be in the second ahead, by its path or its orders, for motion matching.

use crate::anim::motion_database::{HORIZONS_SECS, Trajectory};
use crate::math::plan::to_plan;
use crate::nav::follow::{Pace, Stride, heading_to, stopping_speed};
use crate::sim::character::CharacterState;
use crate::sim::instance::{InstanceState, NavStatus};
use glam::{Quat, Vec2, Vec3, Vec3Swizzles};

/// Steps of the prediction from one horizon to the next.
const STEPS_PER_HORIZON: usize = 5;
/// Length of a step, seconds.
const DT_SECS: f32 = HORIZONS_SECS[0] / STEPS_PER_HORIZON as f32;
/// Distance at which a point of the path counts as reached, metres at scale 1.
const REACH: f32 = 0.25;
/// How fast a velocity that is not its own, such as a push, dies away, per second.
const PUSH_DECAY: f32 = 4.0;

/// A walker that goes on along its path.
struct Walker<'a> {
    position: Vec3,
    pace: Pace,
    stride: Stride,
    /// Points of its path that are left.
    path: &'a [Vec3],
    /// Way to the place where it stops, metres.
    left: f32,
    reach: f32,
}

impl Walker<'_> {
    /// One step along the path.
    fn follow(&mut self) {
        while let Some((next, rest)) = self.path.split_first()
            && !rest.is_empty()
            && to_plan(*next - self.position).length() < self.reach
        {
            self.path = rest;
        }
        let heading = self.path.first().and_then(|next| heading_to(self.position, *next));
        let speed = self.stride.full_speed.min(stopping_speed(&self.stride, self.left));
        self.pace.advance(&self.stride, heading, speed, DT_SECS);
        self.left -= self.pace.speed * DT_SECS;
    }
}

/// The way of a character in the second ahead, in the space of its root, at scale 1.
pub fn predict(instance: &InstanceState, character: &CharacterState) -> Trajectory {
    let Some(stride) = character.stride() else {
        return Trajectory { directions: [Vec2::Y; 3], ..Trajectory::default() };
    };
    let (pace, scale) = (character.pace, character.scale());
    let start = instance.now.position;
    let steer = character.steering();
    let walks = steer.is_none() && instance.nav == NavStatus::Walking && instance.on_ground;
    let path: &[Vec3] = if walks { &instance.path } else { &[] };
    let left = instance.distance_left.unwrap_or(0.0) - character.nav.stop_distance;
    let mut walker = Walker { position: start, pace, stride, path, left, reach: REACH * scale };
    let mut drift = to_plan(instance.now.velocity) - velocity(&pace, character.move_yaw_rad);
    let mut out = Trajectory::default();
    let to_root = Quat::from_rotation_y(-pace.yaw_rad);
    for horizon in 0..HORIZONS_SECS.len() {
        for _ in 0..STEPS_PER_HORIZON {
            match steer {
                Some(steer) => {
                    let wanted = stride.full_speed * steer.pace.clamp(0.0, 2.0);
                    let limits = Stride { full_speed: stride.full_speed.max(wanted), ..stride };
                    walker.pace.advance(&limits, Some(steer.heading_rad), wanted, DT_SECS);
                }
                None if walks => walker.follow(),
                None => walker.pace.advance(&stride, None, 0.0, DT_SECS),
            }
            let moved = velocity(&walker.pace, character.move_yaw_rad) + drift;
            walker.position += (moved * DT_SECS).extend(0.0).xzy();
            drift *= (1.0 - PUSH_DECAY * DT_SECS).max(0.0);
        }
        out.places[horizon] = to_plan(to_root * (walker.position - start)) / scale;
        out.directions[horizon] = Vec2::from((walker.pace.yaw_rad - pace.yaw_rad).sin_cos());
    }
    out
}

/// Velocity on the ground of a pace, whose movement is turned against the facing.
fn velocity(pace: &Pace, move_yaw_rad: f32) -> Vec2 {
    Vec2::from((pace.yaw_rad + move_yaw_rad).sin_cos()) * pace.speed
}
