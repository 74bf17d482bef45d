//! Heading and speed that characters want, and the gaits that show them.

use super::crowd_adapter::set_preferred_velocity;
use super::inertialize::inertialize;
use super::link_traversal::begin_traversal;
use super::motion_matching::match_motion;
use super::path_clearance::clear_path_ahead;
use crate::anim::inertialization::Transition;
use crate::math::angle;
use crate::math::plan::to_plan;
use crate::nav::follow::{
    ArrivalRule, LocomotionParams, corner_speed, drop_reached, heading_to, stopping_speed, way_length,
};
use crate::sim::STEP_SECS;
use crate::sim::character::CharacterState;
use crate::sim::derived::level::LevelGeometry;
use crate::sim::instance::{InstanceState, NavStatus};
use crate::vocab::{MoveDirection, MoveState};
use glam::{Vec2, Vec3};

/// Speed up to which a character stands, metres per second.
const STANDING_SPEED: f32 = 0.01;
/// Relative speed above which a character walks.
const WALKING_PACE: f32 = 0.05;
/// Relative speed above which a character runs.
const RUNNING_PACE: f32 = 1.25;
/// Loss of walking speed per shortening of the strides, both as shares: people take slopes and stairs more slowly, so
/// that their legs take no more steps a second than on flat ground.
const SLOPE_SLOWING: f32 = 1.3;
/// Distance at which a path point is reached, metres at scale 1.
const POINT_REACH: f32 = 0.15;
/// Times stuck in a row after which points are reached exactly.
const MAX_LOOSE_TIMES_STUCK: u32 = 1;

/// Sets heading and speed by orders, else along the path; `level` is what the path is kept clear of.
pub fn steer(instance: &mut InstanceState, character: &mut CharacterState, level: Option<&LevelGeometry>) {
    character.root_velocity = Vec2::ZERO;
    if begin_traversal(instance, character) {
        return;
    }
    let Some(params) = character.locomotion_params() else { return };
    character.push_velocity = Vec2::ZERO;
    let (mut heading, mut speed, mut direction) = (None, 0.0, MoveDirection::Forward);
    let mut limits = params;
    if let Some(steer) = character.steering() {
        heading = Some(steer.heading_rad);
        let pace = if steer.pace.is_finite() { steer.pace.clamp(0.0, 2.0) } else { 0.0 };
        limits.full_speed *= pace.max(1.0);
        speed = params.full_speed * pace;
        direction = steer.direction;
    } else if instance.nav == NavStatus::Walking && instance.on_ground {
        (heading, speed) = follow_path(instance, character, level, &params);
    }
    if character.transition == Transition::Inertial && speed <= params.full_speed {
        speed *= 1.0 - SLOPE_SLOWING * character.feet.shortening;
    }
    // Stationary actions stop movement; jump and roll keep it.
    let keeps_speed = |action: MoveState| matches!(action, MoveState::Jump | MoveState::Roll);
    let by_root = character.controller.moves_by_root(&character.binding.rig.moves);
    if by_root || character.controller.action().is_some_and(|action| !keeps_speed(action)) {
        speed = 0.0;
    }
    move_by_root(character);
    if speed > 0.0 {
        character.turn_move_direction(direction);
    }
    match character.agent_id {
        Some(_) if !character.is_steered() => set_preferred_velocity(character, heading, speed),
        _ => character.locomotion.advance(&limits, heading, speed, STEP_SECS),
    }
}

/// Turns a character by root motion, and sets its velocity by it in the step that begins.
fn move_by_root(character: &mut CharacterState) {
    let (way, turn_rad) = character.controller.root_step(&character.binding.rig.moves, STEP_SECS);
    if way != Vec3::ZERO {
        let place = character.params.tilt.standing_at(Vec3::ZERO, character.locomotion.yaw_rad, character.scale());
        character.root_velocity = to_plan(place.transform_vector3(way)) / STEP_SECS;
    }
    if turn_rad != 0.0 {
        character.locomotion.yaw_rad = angle::wrap_rad(character.locomotion.yaw_rad + turn_rad);
    }
}

/// Drops the path points that are reached. Returns heading and speed towards the next one.
fn follow_path(
    instance: &mut InstanceState,
    character: &mut CharacterState,
    level: Option<&LevelGeometry>,
    params: &LocomotionParams,
) -> (Option<f32>, f32) {
    // A character without progress on a second path too may stand on the wrong side of a corner.
    let rule = if character.nav.times_stuck > MAX_LOOSE_TIMES_STUCK {
        ArrivalRule::Exactly
    } else {
        ArrivalRule::Within((POINT_REACH * character.scale()).max(character.locomotion.speed * STEP_SECS * 2.0))
    };
    let height = character.size.height;
    let max_dropped = instance.points_before_link();
    let dropped = drop_reached(&mut instance.path, instance.now.position, rule, height, max_dropped);
    if dropped > 0 {
        character.nav.leg_start = instance.now.position;
    }
    if let Some(level) = level
        && clear_path_ahead(instance, character, level, dropped)
    {
        let rest = instance.path.split_first();
        character.nav.length_beyond_next = rest.map_or(0.0, |(first, rest)| way_length(*first, rest));
    }
    let heading = instance.path.first().and_then(|next| heading_to(instance.now.position, *next));
    let left = instance.distance_left.unwrap_or(0.0) - character.nav.stop_distance;
    let corners = corner_speed(params, instance.now.position, &instance.path);
    (heading, stopping_speed(params, left).min(corners))
}

/// Makes a character stand.
pub fn stand(character: &mut CharacterState) {
    let Some(params) = character.binding.locomotion_params else { return };
    match character.agent_id {
        Some(_) => set_preferred_velocity(character, None, 0.0),
        None => character.locomotion.advance(&params, None, 0.0, STEP_SECS),
    }
}

/// Advances the animation: the gait by speed, and the action that was ordered. Head, face and layers come after it.
pub fn animate(instance: &mut InstanceState, character: &mut CharacterState, transition: Transition) {
    let speed = instance.now.velocity.with_y(0.0).length();
    let gait = match character.relative_speed() {
        pace if pace > RUNNING_PACE => MoveState::Run,
        // A character that still comes to rest, or is pushed, does not stand.
        pace if pace > WALKING_PACE || speed > STANDING_SPEED => MoveState::Walk,
        _ => MoveState::Idle,
    };
    let order = character.orders.action.take();
    instance.now.yaw_rad = character.locomotion.yaw_rad;
    // Matched motion has no gaits to fade between.
    character.transition = if character.binding.rig.matching.is_some() { Transition::Inertial } else { transition };
    let mut shown = character.advance_clips(gait, order, STEP_SECS);
    match_motion(instance, character, &mut shown);
    instance.now.playback = shown.playback;
    instance.now.root = character.controller.root_shifts(&character.binding.rig.moves);
    inertialize(instance, character, &shown, gait);
    instance.state = character.controller.action().unwrap_or(gait);
}
