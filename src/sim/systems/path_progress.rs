//! The life of a path: begun, measured, arrived at, stuck, failed.

use crate::collide::settings::BodySize;
use crate::math::plan::to_plan;
use crate::nav::follow::way_length;
use crate::nav::original::GroundNode;
use crate::sim::character::CharacterState;
use crate::sim::event::EventKind;
use crate::sim::instance::{InstanceState, NavStatus};
use crate::sim::path_state::{PathState, RadiusScale};
use glam::Vec3;
use std::f32::consts::TAU;

/// First delay after a failure, steps; doubles with each further one.
const FIRST_RETRY_STEPS: u64 = 60;
/// Longest delay after failures, steps.
const MAX_RETRY_STEPS: u64 = 3600;
/// Steps without progress after which a character is stuck.
const STUCK_STEPS: u64 = 120;
/// Multiple of [`STUCK_STEPS`] for agents of a crowd.
const CROWD_PATIENCE: u64 = 5;
/// Times stuck in a row after which a character rests.
const MAX_STUCK: u32 = 5;
/// Radius of the first ring around a target, metres at scale 1.
const FIRST_RING_RADIUS: f32 = 0.8;
/// Distance from its place at which a character has arrived, metres at scale 1.
const STOP_SLACK: f32 = 0.02;
/// Distance between rings, and between neighbours on a ring, metres at scale 1.
const RING_SPACING: f32 = 0.75;
/// How much farther than its stop distance a target must move before a character follows it, metres at scale 1.
const REST_SLACK: f32 = 0.75;

/// Distance at which a character stops at a target where `count` others stand, metres at scale 1: rings around it.
fn arrival_distance(count: u32) -> f32 {
    let (mut radius, mut left) = (FIRST_RING_RADIUS, count);
    loop {
        let places = (TAU * radius / RING_SPACING) as u32;
        if left < places {
            return radius;
        }
        left -= places;
        radius += RING_SPACING;
    }
}

/// Begins to walk along a new path to `goal`.
pub fn begin_path(
    instance: &mut InstanceState,
    nav: &mut PathState,
    goal: Vec3,
    goal_node: Option<GroundNode>,
    step: u64,
) {
    let target_moved = goal != nav.last_goal;
    nav.target_node = goal_node;
    nav.last_goal = goal;
    nav.wants_path = false;
    nav.failures = 0;
    nav.unreachable_islands = None;
    nav.goal_drift = 0.0;
    (nav.cleared, nav.looked_from) = (0, Vec3::INFINITY);
    nav.leg_start = instance.now.position;
    nav.checked_triangle = instance.ground_triangle;
    let left = instance.distance_left;
    measure(instance, nav);
    if target_moved {
        allow_detour(instance, nav, left);
    }
    if instance.nav != NavStatus::Walking {
        (nav.shortest_left, nav.progress_step) = (f32::INFINITY, step);
        instance.nav = NavStatus::Walking;
    }
}

/// Measures a path again that leads to the same place.
pub fn remeasure(instance: &mut InstanceState, nav: &mut PathState) {
    let left = instance.distance_left;
    measure(instance, nav);
    allow_detour(instance, nav, left);
}

/// Measures a path beyond its next point, and all of it.
fn measure(instance: &mut InstanceState, nav: &mut PathState) {
    nav.length_beyond_next = instance.path.split_first().map_or(0.0, |(first, rest)| way_length(*first, rest));
    instance.distance_left = Some(left_of(instance, nav));
}

/// Keeps a path that has become longer than the `left` metres before from counting as lack of progress.
fn allow_detour(instance: &InstanceState, nav: &mut PathState, left: Option<f32>) {
    nav.shortest_left += (instance.distance_left.unwrap_or(0.0) - left.unwrap_or(0.0)).max(0.0);
}

/// Length of the path ahead, metres.
pub fn left_of(instance: &InstanceState, nav: &PathState) -> f32 {
    instance.path.first().map_or(0.0, |next| next.distance(instance.now.position) + nav.length_beyond_next)
}

/// Stops a character that is at its target, where `visitors` others stand. Returns whether it is.
pub fn arrives(instance: &mut InstanceState, character: &mut CharacterState, goal: Vec3, visitors: u32) -> bool {
    let scale = character.scale();
    let stop = arrival_distance(visitors) * scale;
    character.nav.stop_distance = stop;
    let distance = to_plan(goal).distance(to_plan(instance.now.position));
    let height = (goal.y - instance.now.position.y).abs();
    let left = instance.distance_left.unwrap_or(distance);
    if instance.traversal.is_some()
        || distance > stop + STOP_SLACK * scale
        || height > BodySize::PERSON.height * scale
        || left > stop * 1.5 + 0.5 * scale
    {
        return false;
    }
    instance.nav = NavStatus::Arrived;
    instance.drop_points();
    instance.distance_left = Some(distance);
    character.nav.triangles.clear();
    character.nav.wants_path = false;
    character.nav.times_stuck = 0;
    character.pending_events.raise(EventKind::TargetReached);
    true
}

/// Keeps a character at its target until that has moved away.
pub fn hold_at_goal(instance: &mut InstanceState, character: &mut CharacterState, goal: Vec3) {
    let distance = to_plan(goal).distance(to_plan(instance.now.position));
    instance.distance_left = Some(distance);
    if distance > character.nav.stop_distance + REST_SLACK * character.scale() {
        instance.nav = NavStatus::Waiting;
        character.nav.wants_path = true;
        character.nav.retry_step = 0;
    }
}

/// Detects lack of progress: the character shrinks and asks for a new path, and rests after some rounds.
pub fn detect_stuck(instance: &mut InstanceState, character: &mut CharacterState, step: u64) {
    let scale = character.scale();
    let nav = &mut character.nav;
    let left = instance.distance_left.unwrap_or(0.0);
    if left < nav.shortest_left - 0.1 * scale {
        if nav.shortest_left.is_finite() && nav.shortest_left - left > scale {
            nav.times_stuck = 0;
        }
        (nav.shortest_left, nav.progress_step) = (left, step);
    }
    if nav.yields {
        // Giving way is no lack of progress.
        nav.progress_step += 1;
    }
    let patience = if character.agent_id.is_some() { STUCK_STEPS * CROWD_PATIENCE } else { STUCK_STEPS };
    if step < nav.progress_step + patience || instance.traversal.is_some() {
        return;
    }
    character.pending_events.raise(EventKind::Stuck);
    nav.times_stuck += 1;
    (nav.shortest_left, nav.progress_step) = (f32::INFINITY, step);
    character.radius_scale = RadiusScale::MIN;
    nav.wants_path = true;
    if nav.times_stuck >= MAX_STUCK {
        instance.nav = NavStatus::Failed("the way is blocked: it made no progress".into());
        instance.drop_points();
        instance.distance_left = None;
        nav.retry_step = step + retry_delay(nav.times_stuck - MAX_STUCK);
    }
}

/// Steps until the next search after so many failures.
fn retry_delay(failures: u32) -> u64 {
    (FIRST_RETRY_STEPS << failures.min(6)).min(MAX_RETRY_STEPS)
}

/// Ends navigation without a path until the next try.
pub fn fail_path(instance: &mut InstanceState, character: &mut CharacterState, step: u64, reason: String) {
    let status = NavStatus::Failed(reason);
    if instance.nav != status {
        character.pending_events.raise(EventKind::NoPath);
        instance.nav = status;
    }
    instance.drop_points();
    instance.distance_left = None;
    character.nav.retry_step = step + retry_delay(character.nav.failures);
    character.nav.failures += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_grow_with_the_visitors() {
        assert_eq!(arrival_distance(0), FIRST_RING_RADIUS);
        let mut last = 0.0;
        for count in 0..200 {
            let d = arrival_distance(count);
            assert!(d >= last);
            last = d;
        }
        assert!((3.0..9.0).contains(&last), "{last}");
    }

    #[test]
    fn searches_that_failed_leave_a_path_its_chances() {
        let (mut instance, mut character) = (InstanceState::default(), CharacterState::default());
        let mut step = 0;
        for _ in 0..7 {
            fail_path(&mut instance, &mut character, step, "none".into());
            step = character.nav.retry_step;
        }
        assert_eq!((character.nav.failures, character.nav.times_stuck), (7, 0));
        for times in 1..MAX_STUCK {
            instance.path = vec![Vec3::X * 9.0];
            begin_path(&mut instance, &mut character.nav, Vec3::X * 9.0, None, step);
            assert_eq!(character.nav.failures, 0);
            step += 2 * STUCK_STEPS;
            detect_stuck(&mut instance, &mut character, step - STUCK_STEPS);
            detect_stuck(&mut instance, &mut character, step);
            assert_eq!((&instance.nav, character.nav.times_stuck), (&NavStatus::Walking, times));
        }
        begin_path(&mut instance, &mut character.nav, Vec3::X * 9.0, None, step);
        detect_stuck(&mut instance, &mut character, step);
        detect_stuck(&mut instance, &mut character, step + STUCK_STEPS);
        assert!(matches!(instance.nav, NavStatus::Failed(_)), "{:?}", instance.nav);
    }

    #[test]
    fn waits_double_up_to_a_limit() {
        assert_eq!([0, 1, 2].map(retry_delay), [60, 120, 240]);
        assert_eq!(retry_delay(1000), MAX_RETRY_STEPS);
    }
}
