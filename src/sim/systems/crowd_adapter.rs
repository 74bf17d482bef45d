//! Characters as agents of the crowd on the scene's navigation mesh.
//!
//! Every character that stands on the mesh is an agent of [`crate::nav::crowd`]: one with a path follows it as an
//! external path, the others make way. The velocities of the crowd avoid other agents and stay on the mesh; characters
//! move with them through the same contact with the level as without a crowd. A character off the mesh, or on an
//! off-mesh link, has no agent.

use crate::math::angle;
use crate::math::plan::to_plan;
use crate::nav::crowd::{
    Agent, AgentId, AgentSettings, AgentSync, Budget, Crowd, ExternalPath, LOOKAHEAD_POINTS, StandingRing,
};
use crate::nav::follow::{LocomotionParams, heading_to, point_ahead};
use crate::nav::mesh::{Filter, NavMesh};
use crate::sim::STEP_SECS;
use crate::sim::character::CharacterState;
use crate::sim::instance::{InstanceState, NavStatus, Role};
use crate::sim::instance_arrays::InstanceArrays;
use crate::sim::system_state::CrowdState;
use glam::{Vec2, Vec3};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Fewest characters of a parallel task.
const MIN_TASK: usize = 64;
/// Greatest distance of an agent from its character, metres at scale 1.
const MAX_MESH_DISTANCE: f32 = 0.5;
/// Steps after which characters off the mesh are located on it again.
const RETRY_STEPS: u64 = 16;
/// Greatest speed back to the agent's position, in full speeds.
const MAX_CORRECTION: f32 = 1.5;
/// Greatest push on a steered character, as a share of its full speed.
const MAX_STEERED_PUSH: f32 = 0.3;
/// Speeds below this are standing, metres per second.
const STANDING_SPEED: f32 = 0.02;
/// Share of the full speed above which a character faces its movement.
const FACING_SPEED: f32 = 0.3;
/// Greatest angle by which a character walks sideways, radians: up to it, it faces its path.
const MAX_SIDESTEP_RAD: f32 = 0.5;
/// How far ahead on its path a character faces, seconds at full speed.
const SIGHT_SECS: f32 = 0.2;
/// Errors of the facing above which a character turns before it walks, radians.
const TURN_IN_PLACE_RAD: f32 = 2.0;
/// Share of the speed that is asked for while a character faces away.
const MIN_SPEED_SHARE: f32 = 0.02;

/// What [`join_or_leave`] knows of the step.
#[derive(Clone, Copy)]
struct JoinInput {
    /// Whether a character off the mesh is located again.
    retries: bool,
    /// Distance from walls that the mesh keeps by itself, metres.
    erosion: f32,
}

/// Advances the crowd on `mesh` by one step, in which it decides how its characters move ([`apply`]). `erosion` is the
/// distance from walls that the mesh keeps by itself, metres. Without a mesh there is no crowd.
pub fn step(state: &mut CrowdState, instances: &mut InstanceArrays, mesh: Option<&NavMesh>, erosion: f32, step: u64) {
    let Some(mesh) = mesh else {
        if !state.crowd.is_empty() {
            *state = CrowdState::default();
            instances.characters.iter_mut().for_each(|character| character.agent_id = None);
        }
        return;
    };
    let CrowdState { crowd, mesh_id, erosion: known_erosion, instance_of, agent_ids, joined } = state;
    let filter = Filter::default();
    if *mesh_id != Some(mesh.id()) {
        // Before an agent is added: the ids of the polygons have changed.
        crowd.step(mesh, &filter, 0.0, Budget::default());
        *mesh_id = Some(mesh.id());
    }
    if std::mem::replace(known_erosion, erosion) != erosion {
        for character in &instances.characters {
            if let Some((id, params)) = character.agent_id.zip(character.binding.locomotion_params) {
                crowd.set_settings(id, &agent_settings(character, &params, erosion));
            }
        }
    }
    let Roll { mut agents, others } = call_roll(instances, instance_of, agent_ids);
    let lost = sync_agents(crowd, mesh, instances, instance_of);
    let character_of = |id: &AgentId| instance_of.get(id.slot()).copied().filter(|&i| i != u32::MAX);
    let mut due: Vec<u32> = lost.iter().filter_map(character_of).collect();
    due.extend(others);
    due.sort_unstable();
    joined.clear();
    for i in due {
        let (instance, character) = instances.at_mut(i as usize);
        let was_agent = character.agent_id.is_some();
        let join = JoinInput { retries: (step + u64::from(i)).is_multiple_of(RETRY_STEPS), erosion };
        join_or_leave(crowd, mesh, instance, character, join);
        agents = agents + usize::from(character.agent_id.is_some()) - usize::from(was_agent);
        joined.extend(character.agent_id.filter(|_| !was_agent));
    }
    if agents != crowd.len() {
        remove_strays(crowd, instances);
    }
    crowd.step(mesh, &filter, STEP_SECS, Budget::default());
}

/// Lets a character move as the crowd has decided in this step.
pub fn apply(state: &CrowdState, mesh: &NavMesh, instance: &mut InstanceState, character: &mut CharacterState) {
    let Some((id, agent)) = character.agent_id.and_then(|id| Some((id, state.crowd.agent(id)?))) else { return };
    let to = mesh.world(agent.position()).as_vec3();
    if character.moves_itself() {
        push_aside(instance, character, agent, to);
    } else if !state.joined.contains(&id) {
        apply_crowd_velocity(instance, character, agent, to);
    }
}

/// Which characters are agents.
struct Roll {
    /// Number of those that are.
    agents: usize,
    /// Positions in the arrays of those that are not.
    others: Vec<u32>,
}

/// Finds out which characters are agents, and the position in the arrays of that of each agent.
fn call_roll(instances: &InstanceArrays, instance_of: &mut Vec<u32>, agent_ids: &mut Vec<Option<AgentId>>) -> Roll {
    let characters = instances.characters.par_iter().with_min_len(MIN_TASK);
    characters.map(|character| character.agent_id).collect_into_vec(agent_ids);
    instance_of.clear();
    let mut roll = Roll { agents: 0, others: Vec::new() };
    for (i, agent_id) in (0..).zip(agent_ids.iter()) {
        let Some(slot) = agent_id.map(AgentId::slot) else {
            roll.others.push(i);
            continue;
        };
        if slot >= instance_of.len() {
            instance_of.resize(slot + 1, u32::MAX);
        }
        instance_of[slot] = i;
        roll.agents += 1;
    }
    roll
}

/// Tells the crowd positions and paths of all characters that are its agents. Returns the agents that are lost.
fn sync_agents(crowd: &mut Crowd, mesh: &NavMesh, instances: &InstanceArrays, instance_of: &[u32]) -> Vec<AgentId> {
    crowd.sync_all(mesh, |id| {
        let i = *instance_of.get(id.slot())? as usize;
        let (instance, character) = (instances.states.get(i)?, &instances.characters[i]);
        let at = place_on_mesh(mesh, instance, character);
        walking_params(instance, character, at).filter(|_| character.agent_id == Some(id))?;
        let (path, max_distance) = (external_path(mesh, instance, character, at), max_distance(character));
        Some(AgentSync { at, path, max_distance, ring: ring_at_goal(mesh, instance, character) })
    })
}

/// Removes the agents of instances that are not in the scene any more.
fn remove_strays(crowd: &mut Crowd, instances: &InstanceArrays) {
    let known: BTreeSet<AgentId> = instances.characters.iter().filter_map(|character| character.agent_id).collect();
    let gone: Vec<AgentId> = crowd.iter().map(|agent| agent.0).filter(|id| !known.contains(id)).collect();
    gone.into_iter().for_each(|id| _ = crowd.remove(id));
}

/// Adds a character to the crowd that can be an agent, and removes one that cannot be any more.
fn join_or_leave(
    crowd: &mut Crowd,
    mesh: &NavMesh,
    instance: &InstanceState,
    character: &mut CharacterState,
    join: JoinInput,
) {
    if let Some(id) = character.agent_id {
        if crowd.agent(id).is_none_or(Agent::is_lost) {
            crowd.remove(id);
            character.agent_id = None;
        }
        return;
    }
    let at = place_on_mesh(mesh, instance, character);
    let Some(locomotion_params) = walking_params(instance, character, at) else {
        character.is_off_mesh = false;
        return;
    };
    if !join.retries && character.is_off_mesh {
        return;
    }
    let is_near = |crowd: &Crowd, id| crowd.agent(id).is_some_and(|agent| agent.stands_at(at, max_distance(character)));
    let id = crowd.add(mesh, at, &agent_settings(character, &locomotion_params, join.erosion));
    character.agent_id = id.filter(|&id| is_near(crowd, id) || !crowd.remove(id));
    character.is_off_mesh = character.agent_id.is_none();
    if let Some(id) = character.agent_id {
        crowd.set_external_path(id, external_path(mesh, instance, character, at));
    }
}

/// The body of a character as the crowd knows it, on a mesh that keeps `erosion` metres from walls by itself.
fn agent_settings(character: &CharacterState, params: &LocomotionParams, erosion: f32) -> AgentSettings {
    AgentSettings {
        radius: character.size.radius,
        height: character.size.height,
        clearance: (character.size.radius - erosion).max(0.0),
        max_speed: params.full_speed.max(STANDING_SPEED),
        max_acceleration: (6.0 * params.full_speed).max(1.0),
        ..AgentSettings::default()
    }
}

/// The places around the target at which a character has arrived.
fn ring_at_goal(mesh: &NavMesh, instance: &InstanceState, character: &CharacterState) -> Option<StandingRing> {
    (instance.nav == NavStatus::Arrived).then(|| StandingRing {
        center: to_plan(mesh.local(character.nav.last_goal.as_dvec3())),
        radius: character.nav.stop_distance,
    })
}

/// Where a character stands, local to the mesh.
fn place_on_mesh(mesh: &NavMesh, instance: &InstanceState, character: &CharacterState) -> Vec3 {
    mesh.local(instance.now.position.with_y(character.ground_height).as_dvec3())
}

/// Distance from its agent beyond which a character has left it, metres.
fn max_distance(character: &CharacterState) -> f32 {
    MAX_MESH_DISTANCE * character.scale()
}

/// How a character walks that stands on the ground at `at`; nothing for others.
fn walking_params(instance: &InstanceState, character: &CharacterState, at: Vec3) -> Option<LocomotionParams> {
    character.binding.locomotion_params.filter(|_| {
        character.binding.role == Role::Character
            && character.is_placed
            && instance.on_ground
            && instance.traversal.is_none()
            && at.is_finite()
    })
}

/// The movement that a character asks the crowd for, standing at `at`.
fn external_path(
    mesh: &NavMesh,
    instance: &InstanceState,
    character: &CharacterState,
    at: Vec3,
) -> Option<ExternalPath> {
    // A steered character that stands has no path that others would wait for.
    if character.moves_itself() && instance.now.velocity.with_y(0.0).length() > STANDING_SPEED {
        let points = [at + instance.now.velocity; LOOKAHEAD_POINTS];
        return Some(ExternalPath { preferred_velocity: instance.now.velocity, points, remaining: 0.0 });
    }
    if instance.nav != NavStatus::Walking || instance.path.is_empty() {
        return None;
    }
    let local = |p: &Vec3| mesh.local(p.as_dvec3());
    let last = instance.path.last().map_or(at, local);
    let points = std::array::from_fn(|i| instance.path.get(i).map_or(last, local));
    let preferred_velocity = Vec3::new(character.preferred_velocity.x, 0.0, character.preferred_velocity.y);
    Some(ExternalPath { preferred_velocity, points, remaining: instance.distance_left.unwrap_or(0.0) })
}

/// What a character that moves itself avoids of other agents, whose agent has come to `to`.
fn push_aside(instance: &InstanceState, character: &mut CharacterState, agent: &Agent, to: Vec3) {
    if let Some(locomotion_params) = character.binding.locomotion_params.filter(|_| !character.is_steered()) {
        // An action with root motion takes the place of its own speed.
        character.locomotion.advance(&locomotion_params, None, 0.0, STEP_SECS);
    }
    let max_speed = agent.settings().max_speed;
    let velocity = (to_plan(to) - to_plan(instance.now.position)) / STEP_SECS;
    let aside = velocity - to_plan(instance.now.velocity).clamp_length_max(max_speed);
    character.push_velocity = aside.clamp_length_max(MAX_STEERED_PUSH * max_speed);
}

/// Heading, speed and push velocity of a character from the velocity of its agent, which has come to `to`.
fn apply_crowd_velocity(instance: &mut InstanceState, character: &mut CharacterState, agent: &Agent, to: Vec3) {
    let Some(locomotion_params) = character.binding.locomotion_params else { return };
    let velocity = (to_plan(to) - to_plan(instance.now.position)) / STEP_SECS;
    let velocity = velocity.clamp_length_max((MAX_CORRECTION * locomotion_params.full_speed).max(0.5));
    let speed = velocity.length();
    character.nav.yields = agent.is_waiting();
    let is_walking = instance.nav == NavStatus::Walking;
    let (mut heading, mut pace) = (character.target_yaw_rad, 0.0);
    if is_walking && heading.is_none() {
        let sight = SIGHT_SECS * locomotion_params.full_speed;
        let ahead = heading_to(instance.now.position, point_ahead(instance.now.position, &instance.path, sight));
        let moving = angle::yaw_of_direction(Vec3::new(velocity.x, 0.0, velocity.y));
        let moving = moving.filter(|_| speed > FACING_SPEED * locomotion_params.full_speed);
        heading = ahead.map(|ahead| moving.map_or(ahead, |moving| facing_yaw(ahead, moving)));
        let facing = to_plan(angle::direction_of_yaw(character.locomotion.yaw_rad + character.move_yaw_rad));
        pace = velocity.dot(facing).max(0.0);
    }
    character.locomotion.advance(&locomotion_params, heading, pace, STEP_SECS);
    let own = to_plan(angle::direction_of_yaw(character.locomotion.yaw_rad + character.move_yaw_rad))
        * character.locomotion.speed;
    character.push_velocity = if speed > STANDING_SPEED || is_walking { velocity - own } else { Vec2::ZERO };
}

/// Where a walking character faces whose path leads `ahead` while it moves towards `moving`, both about +Y in radians: its
/// path, and where it evades to only by as much as it does not walk sideways. So it never turns at once from the one to the
/// other.
fn facing_yaw(ahead: f32, moving: f32) -> f32 {
    let aside = angle::shortest_turn_rad(ahead, moving);
    if aside.abs() >= TURN_IN_PLACE_RAD {
        return ahead;
    }
    angle::wrap_rad(ahead + aside - aside.clamp(-MAX_SIDESTEP_RAD, MAX_SIDESTEP_RAD))
}

/// Sets the velocity that a character asks the crowd for: along its path, slower while it faces elsewhere.
pub fn set_preferred_velocity(character: &mut CharacterState, heading: Option<f32>, speed: f32) {
    let Some(heading) = heading else {
        character.preferred_velocity = Vec2::ZERO;
        return;
    };
    let error = angle::shortest_turn_rad(character.locomotion.yaw_rad, heading).abs();
    // Never zero: the crowd has to know the direction of the path.
    let share = (1.0 - error / TURN_IN_PLACE_RAD).max(MIN_SPEED_SHARE);
    character.preferred_velocity = to_plan(angle::direction_of_yaw(heading)) * (speed * share);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::settings::BodySize;
    use crate::nav::mesh::fixture::plan;
    use crate::sim::model_rig::ModelBinding;

    #[test]
    fn agents_keep_off_walls_what_the_mesh_does_not() {
        let mesh = plan(&["...."], false).validate().unwrap();
        let locomotion_params = Some(LocomotionParams::of_speed(1.5));
        let binding = ModelBinding { role: Role::Character, locomotion_params, ..ModelBinding::default() };
        let (mut state, mut instances) = (CrowdState::default(), InstanceArrays::default());
        instances.states.push(InstanceState { on_ground: true, ..InstanceState::default() });
        instances.states[0].now.position = Vec3::new(1.5, 0.0, 0.5);
        let size = BodySize::PERSON;
        instances.characters.push(CharacterState { binding, size, is_placed: true, ..CharacterState::default() });
        let mut clearance_on = |erosion: f32, number: u64| {
            step(&mut state, &mut instances, Some(&mesh), erosion, number);
            let agent = instances.characters[0].agent_id.and_then(|id| state.crowd.agent(id)).unwrap();
            agent.settings().clearance
        };
        assert_eq!(clearance_on(size.radius, 1), 0.0);
        assert_eq!(clearance_on(0.0, 2), size.radius, "another mesh that reaches to the walls");
    }

    #[test]
    fn evading_turns_from_the_path_no_more_than_it_must() {
        let error = |aside: f32| angle::shortest_turn_rad(1.0, facing_yaw(1.0, 1.0 + aside));
        for aside in [0.0, 0.2, 0.49] {
            assert_eq!([error(aside), error(-aside)], [0.0; 2], "{aside} rad aside is a step aside");
        }
        let mut last = 0.0;
        for i in 0..195 {
            let aside = i as f32 * 0.01;
            let (left, right) = (error(aside), error(-aside));
            assert!((left + right).abs() < 1e-5, "both sides alike");
            assert!((left - last).abs() < 0.011, "at {aside} rad it turns by {} at once", left - last);
            assert!(aside - left < MAX_SIDESTEP_RAD + 1e-5, "at {aside} rad it walks sideways by {}", aside - left);
            last = left;
        }
        assert_eq!(error(2.5), 0.0, "a character that is pushed back faces the path");
    }
}
