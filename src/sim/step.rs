//! One step of the world: the order of the day.

use super::body::{Body, Role};
use super::clear::clear_way;
use super::crowd::{Crowd, Influence};
use super::event::{Event, EventKind, EventSet};
use super::level::Level;
use super::links;
use super::walk::move_body;
use super::walkers;
use super::world::{Live, NavStatus, World};
use super::{STEP_SECS, behave};
use crate::asset::AssetStore;
use crate::nav::follow::{corner_speed, drop_reached, heading_to, stopping_speed, way_length};
use crate::scene::Scene;
use crate::scene::settings::LostRule;
use crate::vocab::{MoveDirection, MoveState};
use rayon::prelude::*;

/// Up to this speed somebody stands, metres per second.
const STILL_SPEED: f32 = 0.01;
/// Instances that one thread takes at a time. Each is handled on its own, so the number changes no result.
const CHUNK: usize = 64;

impl World {
    /// Advances by [`super::STEP_SECS`]. What happens depends on the scene, its seed and the steps taken, never on
    /// time or the number of threads.
    pub fn step(&mut self, scene: &Scene, assets: &AssetStore) {
        // Models and levels were taken in by the last reconcile; a step reads nothing from the store.
        let _ = assets;
        self.steps += 1;
        self.scope("sim.remember", Self::remember);
        self.scope("sim.behavior", |world| world.behave(scene));
        self.scope("sim.intent", Self::intend);
        self.scope("sim.walkers", |world| world.join_crowd(&scene.nav));
        self.scope("sim.contact", |world| world.make_contact(scene.settings.gravity_enabled));
        self.scope("sim.animation", Self::animate);
        self.scope("sim.feet", |world| world.plant_feet(scene.settings.ik_enabled, scene.settings.ik_iterations));
        self.scope("sim.crowd", |world| world.crowd.refresh(&world.live, &world.bodies));
        self.scope("sim.navigation", |world| world.navigate(&scene.settings.nav, &scene.nav));
        self.scope("sim.agents", |world| world.agents.step(world.mesh.current().map(|mesh| &**mesh)));
        self.scope("sim.interaction", |world| world.interact(&scene.settings));
        self.scope("sim.collisions", |world| world.find_contacts(scene.settings.collision_mode));
        self.scope("sim.events", |world| world.collect_events(scene.settings.lost));
        self.profiler.end_frame();
    }

    fn scope(&mut self, name: &'static str, work: impl FnOnce(&mut Self)) {
        self.profiler.enter(name);
        work(self);
        self.profiler.leave();
    }

    /// Keeps where everyone was, for drawing between steps.
    fn remember(&mut self) {
        self.live.iter_mut().for_each(|live| live.before = live.now);
    }

    /// Heading and speed that everyone wants, and what the crowd makes of it.
    fn intend(&mut self) {
        let Some(level) = &self.level else { return };
        let crowd = &self.crowd;
        each(&mut self.live, &mut self.bodies, |i, live, body| intend_one(i, live, body, level, crowd));
    }

    /// Gravity, ground, walls.
    fn make_contact(&mut self, gravity: bool) {
        let Some(level) = &self.level else { return };
        each(&mut self.live, &mut self.bodies, |_, live, body| {
            if body.looks.role != Role::Absent && !links::cross(live, body) {
                move_body(level, gravity, live, body);
            }
        });
    }

    /// What everyone does and shows.
    fn animate(&mut self) {
        each(&mut self.live, &mut self.bodies, |_, live, body| {
            let speed = live.now.velocity.with_y(0.0).length();
            let gait = match body.relative_speed() {
                pace if pace > 1.25 => MoveState::Run,
                // Who still comes to rest, or is pushed, does not stand.
                pace if pace > 0.05 || speed > STILL_SPEED => MoveState::Walk,
                _ => MoveState::Idle,
            };
            let order = body.orders.action.take();
            live.now.yaw_rad = body.pace.yaw_rad;
            live.now.playback = body.advance_clips(gait, order, STEP_SECS);
            live.state = body.actor.action().unwrap_or(gait);
            super::pose::express(live, body, false);
        });
    }

    /// Feet on the ground.
    fn plant_feet(&mut self, on: bool, iterations: u32) {
        let Some(level) = &self.level else { return };
        each(&mut self.live, &mut self.bodies, |_, live, body| super::feet::plant(level, on, iterations, live, body));
    }

    fn collect_events(&mut self, lost: LostRule) {
        for (i, body) in self.bodies.iter_mut().enumerate() {
            behave::hear(&self.live[i], body);
            if !body.raised.is_empty() {
                for kind in std::mem::take::<EventSet>(&mut body.raised).kinds() {
                    let delete = kind == EventKind::PutBack && lost == LostRule::Delete;
                    let kind = if delete { EventKind::Lost } else { kind };
                    self.events.push(Event { step: self.steps, instance: self.ids[i], kind });
                }
            }
        }
    }
}

/// Whether work on so many instances is worth more than one thread. What comes out is the same.
pub(super) fn is_shared_out(count: usize) -> bool {
    count > CHUNK && rayon::current_num_threads() > 1
}

/// Runs `work` on every instance, on as many threads as there are and as it is worth.
pub(super) fn each(live: &mut [Live], bodies: &mut [Body], work: impl Fn(usize, &mut Live, &mut Body) + Sync) {
    if is_shared_out(live.len()) {
        live.par_iter_mut()
            .zip(bodies)
            .enumerate()
            .with_min_len(CHUNK)
            .for_each(|(i, (live, body))| work(i, live, body));
    } else {
        live.iter_mut().zip(bodies).enumerate().for_each(|(i, (live, body))| work(i, live, body));
    }
}

fn intend_one(i: usize, live: &mut Live, body: &mut Body, level: &Level, crowd: &Crowd) {
    if links::intend(live, body) {
        return;
    }
    let Some(stride) = body.looks.stride else { return };
    // Someone who stands among others that stand needs no look around in every step.
    let walking = live.nav == NavStatus::Walking;
    let Influence { shove, slow } = if body.placed && live.on_ground && (body.member.is_none() || body.is_steered()) {
        crowd.influence(i, live, stride.full_speed)
    } else {
        Influence::NONE
    };
    body.shove = if shove.length_squared() > 1e-4 { shove } else { glam::Vec2::ZERO };
    let mut heading = None;
    let mut speed = 0.0;
    let mut direction = MoveDirection::Forward;
    let mut most = stride;
    if let Some(steer) = body.steering() {
        heading = Some(steer.heading_rad);
        let pace = if steer.pace.is_finite() { steer.pace.clamp(0.0, 2.0) } else { 0.0 };
        most.full_speed *= pace.max(1.0);
        speed = stride.full_speed * pace;
        direction = steer.direction;
    } else if walking && live.on_ground {
        let reach = (0.15 * body.scale()).max(body.pace.speed * STEP_SECS * 2.0);
        let height = body.size.height;
        let most = links::before_link(live);
        let dropped = drop_reached(&mut live.path, live.now.position, reach, height, most);
        if dropped > 0 {
            body.nav.leg_from = live.now.position;
        }
        if clear_way(live, body, level, dropped) {
            body.nav.beyond_next = live.path.split_first().map_or(0.0, |(first, rest)| way_length(*first, rest));
        }
        heading = live.path.first().and_then(|next| heading_to(live.now.position, *next));
        let left = live.distance_left.unwrap_or(0.0);
        let corners = corner_speed(&stride, live.now.position, &live.path);
        speed = stopping_speed(&stride, left).min(stride.full_speed * slow).min(corners);
    }
    // Who punches or picks something up stands; a jump or a roll takes the way along.
    if body.actor.action().is_some_and(|a| !matches!(a, MoveState::Jump | MoveState::Roll)) {
        speed = 0.0;
    }
    if speed > 0.0 {
        body.turn_course(direction);
    }
    match body.member {
        Some(_) if !body.is_steered() => walkers::want(body, heading, speed),
        _ => body.pace.advance(&most, heading, speed, STEP_SECS),
    }
}
