//! Scenes without a level: everything stands on the horizontal plane at its own height, walks within a border and goes
//! straight to its target.

use super::path_progress::{arrives, hold_at_goal};
use crate::math::angle;
use crate::math::plan::to_plan;
use crate::sim::STEP_SECS;
use crate::sim::character::CharacterState;
use crate::sim::event::EventKind;
use crate::sim::instance::{InstanceState, NavStatus, Role};
use crate::sim::instance_arrays::InstanceArrays;
use crate::sim::system_state::NavigationState;
use glam::{Vec2, Vec3};

/// The border: how far the plane reaches from the origin along x and z, metres.
pub const EXTENT: f32 = 160.0;

/// Advances the navigation of all instances by one step: straight lines lead to their targets.
pub fn navigate(state: &mut NavigationState, instances: &mut InstanceArrays, enabled: bool) {
    state.arrivals.clear();
    state.arrivals.resize(instances.len(), 0);
    let arrived = instances.iter().filter(|(instance, _)| instance.nav == NavStatus::Arrived);
    for target in arrived.filter_map(|(_, character)| character.nav.target) {
        state.arrivals[target as usize] += 1;
    }
    for i in (0..instances.len()).filter(|&i| instances.summaries[i].navigates).collect::<Vec<_>>() {
        update_nav_state(state, instances, i, enabled);
        instances.summaries[i].has_events |= !instances.characters[i].pending_events.is_empty();
    }
}

/// Advances the state machine of one instance's navigation.
fn update_nav_state(state: &mut NavigationState, instances: &mut InstanceArrays, i: usize, enabled: bool) {
    let goal = instances.goal_of(i);
    let (instance, character) = instances.at_mut(i);
    let walks = enabled && character.has_goal() && character.binding.role == Role::Character;
    let target = character.nav.target.map(|target| target as usize);
    let Some((target, goal)) = target.zip(goal).filter(|_| walks) else {
        if instance.nav != NavStatus::Off {
            character.nav.reset();
            instance.clear_path();
        }
        return;
    };
    if target == i {
        instance.nav = NavStatus::Failed("it is its own target".into());
        return;
    }
    // Targets count as standing on the plane of the character.
    let goal = goal.with_y(instance.now.position.y);
    match instance.nav {
        NavStatus::Arrived => hold_at_goal(instance, character, goal),
        NavStatus::Walking => {
            head_for(instance, goal);
            if arrives(instance, character, goal, state.arrivals[target]) {
                state.arrivals[target] += 1;
            }
        }
        NavStatus::Off | NavStatus::Waiting | NavStatus::Failed(_) => {
            instance.nav = NavStatus::Walking;
            head_for(instance, goal);
        }
    }
}

/// Makes the straight line to `goal` the path.
fn head_for(instance: &mut InstanceState, goal: Vec3) {
    instance.drop_points();
    instance.path.push(goal);
    instance.distance_left = Some(goal.distance(instance.now.position));
}

/// Moves a character by its locomotion for one step, over the plane at its own height.
pub fn move_on_plane(instance: &mut InstanceState, character: &mut CharacterState) {
    if !character.is_placed {
        (character.is_placed, instance.on_ground, character.fall_speed) = (true, true, 0.0);
        character.ground_height = instance.now.position.y;
    }
    let from = to_plan(instance.now.position);
    let ahead = to_plan(angle::direction_of_yaw(character.locomotion.yaw_rad + character.move_yaw_rad));
    let wanted =
        from + (ahead * character.locomotion.speed + character.push_velocity + character.root_velocity) * STEP_SECS;
    let (to, touches_border) = within_border(from, wanted);
    if touches_border && !character.touches_border {
        character.pending_events.raise(EventKind::Border);
    }
    (character.touches_wall, character.touches_border) = (false, touches_border);
    instance.now.position = Vec3::new(to.x, instance.now.position.y, to.y);
    let velocity = (to - from) / STEP_SECS;
    instance.now.velocity = Vec3::new(velocity.x, 0.0, velocity.y);
}

/// Keeps a movement that begins within the border inside. Returns its end, and whether the border shortened it.
fn within_border(from: Vec2, to: Vec2) -> (Vec2, bool) {
    let is_inside = |p: Vec2| p.abs().cmple(Vec2::splat(EXTENT)).all();
    if is_inside(to) || !is_inside(from) {
        return (to, false);
    }
    (to.clamp(Vec2::splat(-EXTENT), Vec2::splat(EXTENT)), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_shortens_ways_that_lead_out() {
        assert_eq!(within_border(Vec2::ZERO, Vec2::X), (Vec2::X, false));
        assert_eq!(within_border(Vec2::new(159.9, 3.0), Vec2::new(161.0, 4.0)), (Vec2::new(160.0, 4.0), true));
        let outside = (Vec2::new(170.0, 0.0), Vec2::new(169.0, 0.0));
        assert_eq!(within_border(outside.0, outside.1), (outside.1, false), "those outside may come back");
    }
}
