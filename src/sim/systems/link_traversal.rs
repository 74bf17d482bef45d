//! Takes characters over the off-mesh links on their paths.
//!
//! A jump or a drop is a parabola under gravity, which lands exactly where the link ends; any other link is walked in a
//! straight line. Gravity and walls do not act meanwhile. A traversal that has begun is finished, even if the link, the
//! target or the mesh is gone by then.

use crate::math::angle;
use crate::math::plan::to_plan;
use crate::nav::follow::{heading_to, way_length};
use crate::sim::STEP_SECS;
use crate::sim::character::CharacterState;
use crate::sim::event::EventKind;
use crate::sim::instance::{InstanceState, NavStatus};
use crate::sim::traversal::ActiveTraversal;
use crate::vocab::MoveState;
use glam::{Vec2, Vec3};

/// Distance from a link's start at which the traversal begins, metres at scale 1.
const START_DISTANCE: f32 = 0.15;
/// Greatest error of the heading at the start of a traversal, radians.
const MAX_FACING_ERROR_RAD: f32 = 0.15;
/// Jumps lower than this, and narrower than [`HOP_WIDTH`], are hops, metres at scale 1.
const HOP_HEIGHT: f32 = 0.4;
/// See [`HOP_HEIGHT`].
const HOP_WIDTH: f32 = 1.2;

/// Turns a character at the start of a link to it, and begins the traversal. Returns whether that took the place of
/// other movement.
pub fn begin_traversal(instance: &mut InstanceState, character: &mut CharacterState) -> bool {
    character.target_yaw_rad = None;
    if instance.traversal.is_some() {
        character.push_velocity = Vec2::ZERO;
        return true;
    }
    let Some(&link) = instance.links_ahead.first() else { return false };
    let Some(locomotion_params) = character.binding.locomotion_params else { return false };
    let (start, at) = (instance.path.first().copied().unwrap_or(Vec3::INFINITY), instance.now.position);
    let is_near = (start.y - at.y).abs() <= character.size.height
        && to_plan(start).distance(to_plan(at))
            <= (START_DISTANCE * character.scale()).max(character.locomotion.speed * STEP_SECS);
    if instance.path.len() != link.points_left || instance.nav != NavStatus::Walking || !instance.on_ground || !is_near
    {
        return false;
    }
    let heading = heading_to(at, link.end);
    let error = heading.map_or(0.0, |h| angle::shortest_turn_rad(character.locomotion.yaw_rad, h).abs());
    if error > MAX_FACING_ERROR_RAD {
        (character.push_velocity, character.preferred_velocity) = (Vec2::ZERO, Vec2::ZERO);
        character.target_yaw_rad = heading;
        if character.agent_id.is_none() {
            character.locomotion.advance(&locomotion_params, heading, 0.0, STEP_SECS);
        }
        return true;
    }
    let from = at.with_y(character.ground_height);
    let traversal = ActiveTraversal::new(from, link.end, link.kind, locomotion_params.full_speed, character.scale());
    character.locomotion.speed = traversal.speed().min(locomotion_params.full_speed);
    character.locomotion.yaw_rad = heading.unwrap_or(character.locomotion.yaw_rad);
    character.push_velocity = Vec2::ZERO;
    instance.traversal = Some(traversal);
    if traversal.is_ballistic() {
        character.orders.action = jump_action(character, from, link.end);
    }
    instance.links_ahead.remove(0);
    instance.path.remove(0);
    character.nav.leg_start = link.end;
    character.nav.length_beyond_next =
        instance.path.split_first().map_or(0.0, |(first, rest)| way_length(*first, rest));
    character.pending_events.raise(EventKind::LinkTaken);
    true
}

/// The action of a jump: small ones are hops, as far as the model's orders allow.
fn jump_action(character: &CharacterState, from: Vec3, to: Vec3) -> Option<MoveState> {
    let is_low = (to.y - from.y).abs() < HOP_HEIGHT * character.scale();
    let is_short = to_plan(from).distance(to_plan(to)) < HOP_WIDTH * character.scale();
    let fitting =
        if is_low && is_short { [MoveState::Hop, MoveState::Jump] } else { [MoveState::Jump, MoveState::Hop] };
    let gait = if character.relative_speed() > 0.05 { MoveState::Walk } else { MoveState::Idle };
    fitting.into_iter().find(|&action| character.binding.rig.moves.allows(gait, action))
}

/// Advances a traversal by one step, in place of gravity and walls. Returns whether there was one.
pub fn advance_traversal(instance: &mut InstanceState, character: &mut CharacterState) -> bool {
    let Some(traversal) = &mut instance.traversal else { return false };
    traversal.elapsed += 1;
    let now = traversal.at(traversal.elapsed as f32);
    let (is_over, to) = (traversal.elapsed >= traversal.steps, traversal.to);
    instance.now.velocity = (now - instance.now.position) / STEP_SECS;
    instance.now.position = now;
    (instance.on_ground, character.asleep) = (false, false);
    if is_over {
        instance.now.position = to;
        instance.traversal = None;
        // The next step finds the ground.
        (character.is_placed, character.fall_speed, character.ground_height) = (false, 0.0, to.y);
    }
    true
}
