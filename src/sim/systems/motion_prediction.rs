//! Where a character is about to be in the second ahead, by its path or its orders, for motion matching.

use crate::anim::motion_database::{HORIZONS_SECS, Trajectory};
use crate::math::plan::to_plan;
use crate::nav::follow::{Locomotion, LocomotionParams, heading_to, stopping_speed};
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
    locomotion: Locomotion,
    locomotion_params: LocomotionParams,
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
        let speed = self.locomotion_params.full_speed.min(stopping_speed(&self.locomotion_params, self.left));
        self.locomotion.advance(&self.locomotion_params, heading, speed, DT_SECS);
        self.left -= self.locomotion.speed * DT_SECS;
    }
}

/// The way of a character in the second ahead, in the space of its root, at scale 1.
pub fn predict(instance: &InstanceState, character: &CharacterState) -> Trajectory {
    let Some(locomotion_params) = character.locomotion_params() else {
        return Trajectory { directions: [Vec2::Y; 3], ..Trajectory::default() };
    };
    let (locomotion, scale) = (character.locomotion, character.scale());
    let start = instance.now.position;
    let steer = character.steering();
    let walks = steer.is_none() && instance.nav == NavStatus::Walking && instance.on_ground;
    let path: &[Vec3] = if walks { &instance.path } else { &[] };
    let left = instance.distance_left.unwrap_or(0.0) - character.nav.stop_distance;
    let mut walker = Walker { position: start, locomotion, locomotion_params, path, left, reach: REACH * scale };
    let mut drift = to_plan(instance.now.velocity) - velocity(&locomotion, character.move_yaw_rad);
    let mut out = Trajectory::default();
    let to_root = Quat::from_rotation_y(-locomotion.yaw_rad);
    for horizon in 0..HORIZONS_SECS.len() {
        for _ in 0..STEPS_PER_HORIZON {
            match steer {
                Some(steer) => {
                    let wanted = locomotion_params.full_speed * steer.pace.clamp(0.0, 2.0);
                    let limits =
                        LocomotionParams { full_speed: locomotion_params.full_speed.max(wanted), ..locomotion_params };
                    walker.locomotion.advance(&limits, Some(steer.heading_rad), wanted, DT_SECS);
                }
                None if walks => walker.follow(),
                None => walker.locomotion.advance(&locomotion_params, None, 0.0, DT_SECS),
            }
            let moved = velocity(&walker.locomotion, character.move_yaw_rad) + drift;
            walker.position += (moved * DT_SECS).extend(0.0).xzy();
            drift *= (1.0 - PUSH_DECAY * DT_SECS).max(0.0);
        }
        out.places[horizon] = to_plan(to_root * (walker.position - start)) / scale;
        out.directions[horizon] = Vec2::from((walker.locomotion.yaw_rad - locomotion.yaw_rad).sin_cos());
    }
    out
}

/// Velocity on the ground, whose movement is turned against the facing.
fn velocity(locomotion: &Locomotion, move_yaw_rad: f32) -> Vec2 {
    Vec2::from((locomotion.yaw_rad + move_yaw_rad).sin_cos()) * locomotion.speed
}
