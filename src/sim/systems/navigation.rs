//! Walks to targets: which characters request a path, follow their target, have arrived or are stuck.
//!
//! A path is requested where there is none, where the target has moved away from its end, where the character was
//! pushed away from it, and where there is no progress. Requests wait in a queue with a budget per step; pairs of
//! islands that are known not to be connected are not searched again.

use super::path_progress::{arrives, detect_stuck, hold_at_goal, left_of, remeasure};
use super::path_requests::{PathContext, process_path_requests};
use super::path_smoothing::smooth_paths;
use super::{path_repair, triangle_paths};
use crate::nav::mesh::NavMesh;
use crate::nav::original::GroundNode;
use crate::prefetch;
use crate::sim::character::CharacterState;
use crate::sim::derived::level::LevelGeometry;
use crate::sim::instance::{InstanceState, NavStatus, Role};
use crate::sim::instance_arrays::InstanceArrays;
use crate::sim::path_state::PathState;
use crate::sim::system_state::NavigationState;
use glam::Vec3;

/// Number of instances by which reads are prefetched, see [`prefetch`].
const PREFETCH_DISTANCE: usize = 8;
/// How far a target moves before a search that has failed is tried again at once, metres.
const GOAL_MOVED: f32 = 0.5;

/// What navigation reads in a step.
#[derive(Clone, Copy)]
pub struct NavigationInput<'a> {
    /// Whether the scene's navigation is on.
    pub enabled: bool,
    /// The level to walk on.
    pub level: &'a LevelGeometry,
    /// The mesh that characters walk on; `None` where their planner needs none, or there is none.
    pub mesh: Option<&'a NavMesh>,
    /// What paths are searched on.
    pub paths: PathContext<'a>,
}

/// Ends the navigation of all instances in a scene without a level: those with a target fail where the level `is_known`
/// to be missing.
pub fn stop_without_level(instances: &mut InstanceArrays, enabled: bool, is_known: bool) {
    for (instance, character) in instances.iter_mut() {
        let has_goal = enabled && character.has_goal() && character.nav.target.is_some();
        match (has_goal && is_known, &instance.nav) {
            (true, NavStatus::Failed(_)) | (false, NavStatus::Off) => {}
            (true, _) => instance.nav = NavStatus::Failed("the scene has no level to walk on".into()),
            (false, _) => instance.nav = NavStatus::Off,
        }
    }
}

/// Advances the navigation of all instances by one step.
pub fn navigate(state: &mut NavigationState, instances: &mut InstanceArrays, input: &NavigationInput<'_>) {
    let NavigationInput { level, mesh, paths, .. } = *input;
    let navigating: Vec<usize> = (0..instances.len()).filter(|&i| instances.summaries[i].navigates).collect();
    count_arrivals(state, instances, &navigating);
    if mesh.is_none() {
        locate_targets(instances, &navigating, level);
    }
    let mut has_requests = false;
    for (k, &i) in navigating.iter().enumerate() {
        if let Some(&next) = navigating.get(k + PREFETCH_DISTANCE) {
            prefetch::value(&instances.states[next].nav);
            prefetch::value(&instances.characters[next].nav);
        }
        update_nav_state(state, instances, i, input);
        has_requests |= instances.characters[i].nav.wants_path;
    }
    if paths.nav.planner.needs_mesh() {
        if has_requests {
            process_path_requests(state, instances, paths);
        }
        mesh.iter().for_each(|mesh| smooth_paths(state, instances, &navigating, mesh, paths.nav));
    } else if has_requests {
        triangle_paths::process_requests(state, instances, level, paths.step);
    }
    for i in navigating {
        instances.summaries[i].has_events |= !instances.characters[i].pending_events.is_empty();
    }
}

/// Counts the characters that stand around each target.
fn count_arrivals(state: &mut NavigationState, instances: &InstanceArrays, navigating: &[usize]) {
    state.arrivals.clear();
    state.arrivals.resize(instances.len(), 0);
    for (k, &i) in navigating.iter().enumerate() {
        if let Some(&next) = navigating.get(k + PREFETCH_DISTANCE) {
            prefetch::value(&instances.states[next].nav);
        }
        if instances.states[i].nav == NavStatus::Arrived
            && let Some(target) = instances.characters[i].nav.target
        {
            state.arrivals[target as usize] += 1;
        }
    }
}

/// Updates the ground node of every target, which paths over the level's triangles end at.
fn locate_targets(instances: &mut InstanceArrays, navigating: &[usize], level: &LevelGeometry) {
    for (k, &i) in navigating.iter().enumerate() {
        if let Some(&next) = navigating.get(k + PREFETCH_DISTANCE) {
            prefetch::value(&instances.characters[next].nav.target);
        }
        let Some(target) = instances.characters[i].nav.target else { continue };
        let (instance, character) = instances.at_mut(target as usize);
        triangle_paths::locate_ground_node(level, instance, character);
    }
}

/// Advances the state machine of one instance's navigation.
fn update_nav_state(
    state: &mut NavigationState,
    instances: &mut InstanceArrays,
    i: usize,
    input: &NavigationInput<'_>,
) {
    let character = &instances.characters[i];
    let target = character.nav.target.map(|t| t as usize).filter(|_| input.enabled && character.has_goal());
    let Some(target) = target.filter(|_| character.binding.role == Role::Character) else {
        let (instance, character) = instances.at_mut(i);
        if instance.nav != NavStatus::Off {
            character.nav.reset();
            (instance.nav, instance.distance_left) = (NavStatus::Off, None);
            instance.drop_points();
        }
        return;
    };
    if target == i {
        instances.states[i].nav = NavStatus::Failed("it is its own target".into());
        return;
    }
    let goal = instances.states[target].now.position;
    let goal_node = instances.characters[target].ground_node;
    let visitors = state.arrivals[target];
    let (instance, character) = instances.at_mut(i);
    match instance.nav {
        NavStatus::Off => {
            instance.nav = NavStatus::Waiting;
            character.nav.wants_path = true;
        }
        NavStatus::Arrived => hold_at_goal(instance, character, goal),
        NavStatus::Walking => {
            character.nav.failed_goal = None;
            follow_goal(instance, character, goal, goal_node, input.mesh);
            if arrives(instance, character, goal, visitors) {
                state.arrivals[target] += 1;
            } else {
                detect_stuck(instance, character, input.paths.step);
            }
        }
        NavStatus::Waiting | NavStatus::Failed(_) => {
            if matches!(instance.nav, NavStatus::Failed(_)) {
                hurry_to_moved_goal(&mut character.nav, goal);
            }
            character.nav.wants_path = true;
            instance.distance_left = None;
        }
    }
    match input.mesh {
        Some(mesh) => path_repair::repair_path(instance, character, mesh),
        None => triangle_paths::repair_path(instance, character, input.level),
    }
}

/// Ends the pause after a failure once the target has moved: it may be where it can be reached.
fn hurry_to_moved_goal(nav: &mut PathState, goal: Vec3) {
    if nav.failed_goal.get_or_insert(goal).distance(goal) > GOAL_MOVED {
        (nav.failed_goal, nav.retry_step) = (None, 0);
        (nav.failures, nav.times_stuck) = (0, 0);
    }
}

/// Keeps the end of a path at a target that moves, and requests a new path where that cannot be done.
fn follow_goal(
    instance: &mut InstanceState,
    character: &mut CharacterState,
    goal: Vec3,
    goal_node: Option<GroundNode>,
    mesh: Option<&NavMesh>,
) {
    if goal != character.nav.last_goal {
        let is_extended = match mesh {
            Some(mesh) => path_repair::extend_to_goal(instance, character, goal, mesh),
            None => goal_node == character.nav.target_node,
        };
        if is_extended {
            (character.nav.last_goal, character.nav.target_node) = (goal, goal_node);
            if let Some(last) = instance.path.last_mut() {
                *last = goal;
            }
            remeasure(instance, &mut character.nav);
        } else {
            character.nav.wants_path = true;
        }
    }
    instance.distance_left = Some(left_of(instance, &character.nav));
}
