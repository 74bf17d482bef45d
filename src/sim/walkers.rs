//! Characters as members of a crowd: who walks by the navigation mesh goes as the crowd on it lets him.
//!
//! Everybody who stands on the mesh is an agent of [`crate::nav::crowd`]: those on their way are driven along it, the
//! others make way. The crowd's velocities keep clear of others and on the mesh; a character moves with them through
//! the same contact code as ever. Who is off the mesh, or crosses a link, is no member.

use super::STEP_SECS;
use super::body::Body;
use super::on_mesh::eroded;
use super::presence::Role;
use super::world::{Live, NavStatus, World};
use crate::math::angle;
use crate::math::plan::to_plan;
use crate::nav::crowd::{Agent, AgentId, AgentSettings, Budget, Crowd, ExternalPath, LOOKAHEAD_POINTS};
use crate::nav::follow::heading_to;
use crate::nav::mesh::{Filter, NavMesh};
use crate::scene::SceneNav;
use glam::{Vec2, Vec3};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How far from the mesh a member may be, metres.
const ASTRAY: f32 = 0.5;
/// Steps after which those off the mesh look for it again.
const LOOK_AGAIN: u64 = 16;
/// How fast one is drawn back to the mesh at most, in full speeds.
const DRAWN: f32 = 1.5;
/// How fast others push one aside that is steered, as a share of its full speed.
const SHOVED: f32 = 0.3;
/// Speeds below this are standing, metres per second.
const STANDS: f32 = 0.02;
/// Share of the full speed from which on one faces where one moves to.
const FACES: f32 = 0.3;
/// How far aside one walks without turning there, radians.
const SIDEWAYS_RAD: f32 = 0.5;
/// Facing errors from which on one turns before one walks, radians.
const TURN_FIRST_RAD: f32 = 2.0;
/// Share of the speed that is wanted while one faces away.
const LEAST_WISH: f32 = 0.02;

/// The members of the crowd on the scene's mesh.
#[derive(Clone, Debug, Default)]
pub struct Walkers {
    crowd: Crowd,
    mesh: Option<u64>,
}

impl World {
    /// The mesh that the scene's characters walk by, if they do.
    pub(super) fn mesh_of_walkers(&self, nav: &SceneNav) -> Option<Arc<NavMesh>> {
        self.mesh.current().filter(|mesh| nav.planner.needs_mesh() && !mesh.is_empty() && !self.is_on_plane()).cloned()
    }

    /// Lets the crowd decide how its members move in this step.
    pub(super) fn join_crowd(&mut self, nav: &SceneNav) {
        let Some(mesh) = self.mesh_of_walkers(nav) else {
            if !self.walkers.crowd.is_empty() {
                self.walkers = Walkers::default();
                self.bodies.iter_mut().for_each(|b| b.member = None);
            }
            return;
        };
        let Walkers { crowd, mesh: known } = &mut self.walkers;
        let filter = Filter::default();
        if *known != Some(mesh.id()) {
            // Before anybody is put on it: polygons have other numbers now.
            crowd.step(&mesh, &filter, 0.0, Budget::default());
            *known = Some(mesh.id());
        }
        let mut members = 0;
        // Those that join in this step have moved by themselves already.
        let mut joined = BTreeSet::new();
        for (i, (live, body)) in (0..).zip(self.live.iter().zip(&mut self.bodies)) {
            let was_member = body.member.is_some();
            enrol(crowd, &mesh, live, body, (self.steps + i).is_multiple_of(LOOK_AGAIN), eroded(nav));
            members += usize::from(body.member.is_some());
            joined.extend(body.member.filter(|_| !was_member));
        }
        if members != crowd.len() {
            // Some are not in the scene any more.
            let known: BTreeSet<AgentId> = self.bodies.iter().filter_map(|b| b.member).collect();
            let gone: Vec<AgentId> = crowd.iter().map(|a| a.0).filter(|id| !known.contains(id)).collect();
            gone.into_iter().for_each(|id| _ = crowd.remove(id));
        }
        crowd.step(&mesh, &filter, STEP_SECS, Budget::default());
        for (live, body) in self.live.iter_mut().zip(&mut self.bodies) {
            let Some(agent) = body.member.and_then(|id| crowd.agent(id)) else { continue };
            let to = mesh.world(agent.position()).as_vec3();
            if body.is_steered() {
                // Its velocity is its own, but for what keeps it clear of others.
                let most = agent.settings().max_speed;
                let velocity = (to_plan(to) - to_plan(live.now.position)) / STEP_SECS;
                let aside = velocity - to_plan(live.now.velocity).clamp_length_max(most);
                body.shove = aside.clamp_length_max(SHOVED * most);
            } else if !body.member.is_some_and(|id| joined.contains(&id)) {
                take_pace(live, body, agent, to);
            }
        }
    }
}

/// Makes the crowd know a character: whether it is there, where, and what it is up to.
fn enrol(crowd: &mut Crowd, mesh: &NavMesh, live: &Live, body: &mut Body, looks: bool, eroded: f32) {
    let at = mesh.local(live.now.position.with_y(body.floor).as_dvec3());
    let stride = body.looks.stride.filter(|_| {
        body.looks.role == Role::Character && body.placed && live.on_ground && live.crossing.is_none() && at.is_finite()
    });
    let near = |crowd: &Crowd, id| {
        crowd.agent(id).is_some_and(|a: &Agent| to_plan(a.position()).distance(to_plan(at)) < ASTRAY * body.scale())
    };
    match (stride, body.member) {
        (stride, Some(id)) if stride.is_none() || !crowd.sync_position(mesh, id, at) || !near(crowd, id) => {
            crowd.remove(id);
            body.member = None;
        }
        (Some(stride), None) if looks || !body.is_off_mesh => {
            let settings = AgentSettings {
                radius: body.size.radius,
                height: body.size.height,
                clearance: (body.size.radius - eroded).max(0.0),
                max_speed: stride.full_speed.max(STANDS),
                max_acceleration: (6.0 * stride.full_speed).max(1.0),
                ..AgentSettings::default()
            };
            let id = crowd.add(mesh, at, &settings);
            body.member = id.filter(|&id| near(crowd, id) || !crowd.remove(id));
            body.is_off_mesh = body.member.is_none();
        }
        (None, None) => body.is_off_mesh = false,
        _ => {}
    }
    if let Some(id) = body.member {
        let walking = live.nav == NavStatus::Walking && !live.path.is_empty();
        // One that is steered and stands is no walker that others would wait for.
        let steered = body.is_steered() && live.now.velocity.with_y(0.0).length() > STANDS;
        let local = |p: &Vec3| mesh.local(p.as_dvec3());
        let path = || {
            if steered {
                let points = [at + live.now.velocity; LOOKAHEAD_POINTS];
                return ExternalPath { preferred_velocity: live.now.velocity, points, remaining: 0.0 };
            }
            let last = live.path.last().map_or(at, local);
            let points = std::array::from_fn(|i| live.path.get(i).map_or(last, local));
            let preferred_velocity = Vec3::new(body.wanted.x, 0.0, body.wanted.y);
            ExternalPath { preferred_velocity, points, remaining: live.distance_left.unwrap_or(0.0) }
        };
        crowd.set_external_path(id, (walking || steered).then(path));
    }
}

/// Heading, speed and what is pushed aside, from where the crowd has a member go.
fn take_pace(live: &mut Live, body: &mut Body, agent: &Agent, to: Vec3) {
    let Some(stride) = body.looks.stride else { return };
    let velocity = (to_plan(to) - to_plan(live.now.position)) / STEP_SECS;
    let velocity = velocity.clamp_length_max((DRAWN * stride.full_speed).max(0.5));
    let speed = velocity.length();
    body.nav.waits = agent.is_waiting();
    let walking = live.nav == NavStatus::Walking;
    let (mut heading, mut pace) = (body.turns_to, 0.0);
    if walking && heading.is_none() {
        // One looks where one walks to; who is just pushed aside looks ahead.
        let ahead = live.path.first().and_then(|next| heading_to(live.now.position, *next));
        let moving = angle::yaw_of_direction(Vec3::new(velocity.x, 0.0, velocity.y));
        let aside = moving.zip(ahead).map_or(0.0, |(m, a)| angle::shortest_turn_rad(a, m).abs());
        let faces = speed > FACES * stride.full_speed && aside > SIDEWAYS_RAD && aside < TURN_FIRST_RAD;
        heading = if faces { moving } else { ahead };
        let facing = to_plan(angle::direction_of_yaw(body.pace.yaw_rad + body.course.1));
        pace = velocity.dot(facing).max(0.0);
    }
    body.pace.advance(&stride, heading, pace, STEP_SECS);
    let own = to_plan(angle::direction_of_yaw(body.pace.yaw_rad + body.course.1)) * body.pace.speed;
    body.shove = if speed > STANDS || walking { velocity - own } else { Vec2::ZERO };
}

/// What a member wants: its way at this speed, slower while it faces elsewhere.
pub(super) fn want(body: &mut Body, heading: Option<f32>, speed: f32) {
    let Some(heading) = heading else {
        body.wanted = Vec2::ZERO;
        return;
    };
    let error = angle::shortest_turn_rad(body.pace.yaw_rad, heading).abs();
    // Never nothing: the crowd has to know where it is on its way to.
    let share = (1.0 - error / TURN_FIRST_RAD).max(LEAST_WISH);
    body.wanted = to_plan(angle::direction_of_yaw(heading)) * (speed * share);
}
