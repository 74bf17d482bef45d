//! One step of the world: the order of the day.

use super::body::{Body, Role};
use super::clear::clear_way;
use super::crowd::{Crowd, Influence};
use super::event::{Event, EventKind, EventSet};
use super::feet::{self, Planting};
use super::level::Level;
use super::links;
use super::walk::move_body;
use super::walkers;
use super::world::{Live, NavStatus, World};
use super::{STEP_SECS, behave, preview};
use crate::asset::AssetStore;
use crate::nav::follow::{corner_speed, drop_reached, heading_to, stopping_speed, way_length};
use crate::profile::Profiler;
use crate::scene::settings::LostRule;
use crate::scene::{Scene, Settings};
use crate::vocab::{MoveDirection, MoveState};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

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
        if self.think() {
            self.scope("sim.behavior", |world| world.send_out(scene));
        }
        self.scope("sim.walkers", |world| world.join_crowd(&scene.nav));
        self.act(&scene.settings);
        self.preview_again();
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

    /// Keeps where everyone was, for drawing between steps, runs their behaviours, and finds heading and speed that they
    /// want, and what the crowd makes of it. Says whether a behaviour wants a target to walk to.
    fn think(&mut self) -> bool {
        let step = self.steps;
        let (level, crowd, previewing) = (self.level.as_deref(), &self.crowd, self.previewing());
        let wanted = AtomicBool::new(false);
        let remember: Part<'_> = ("sim.remember", &|_, live, _| live.before = live.now);
        let think: Part<'_> = ("sim.behavior", &|_, live, body| {
            behave::think(step, live, body);
            if body.wants_target() {
                wanted.store(true, Ordering::Relaxed);
            }
        });
        let intend: Part<'_> = ("sim.intent", &|i, live, body| match level {
            Some(_) if previewing == Some(i) => preview::stand(body),
            Some(level) => intend_one(i, live, body, level, crowd),
            None => {}
        });
        in_turns(&mut self.profiler, &mut self.live, &mut self.bodies, &[remember, think, intend]);
        wanted.into_inner()
    }

    /// Where everyone comes to, what they do and show, and their feet.
    fn act(&mut self, settings: &Settings) {
        let level = self.level.as_deref();
        let gravity = settings.gravity_enabled;
        let planting = Planting { on: settings.ik_enabled, iterations: settings.ik_iterations, step: self.steps };
        let contact: Part<'_> = ("sim.contact", &|_, live, body| {
            if let Some(level) = level
                && body.looks.role != Role::Absent
                && !links::cross(live, body)
            {
                move_body(level, gravity, live, body);
            }
        });
        let animation: Part<'_> = ("sim.animation", &|_, live, body| animate(live, body));
        let feet: Part<'_> = ("sim.feet", &|i, live, body| {
            if let Some(level) = level {
                feet::plant(level, planting, i, live, body);
            }
        });
        in_turns(&mut self.profiler, &mut self.live, &mut self.bodies, &[contact, animation, feet]);
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

/// What one does and shows.
fn animate(live: &mut Live, body: &mut Body) {
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
}

/// A named part of a step that looks at nobody but the instance it is given, with its place in the arrays.
type Part<'a> = (&'static str, &'a (dyn Fn(usize, &mut Live, &mut Body) + Sync));

/// Runs parts of a step one after the other on a few instances at a time, so that these stay in the caches from part
/// to part, on as many threads as there are and as it is worth. The time is shared out to the parts.
fn in_turns(profiler: &mut Profiler, live: &mut [Live], bodies: &mut [Body], parts: &[Part<'_>]) {
    let begin = Instant::now();
    let spent: Vec<AtomicU64> = parts.iter().map(|_| AtomicU64::new(0)).collect();
    let turn = |(block, (live, bodies)): (usize, (&mut [Live], &mut [Body]))| {
        let mut start = Instant::now();
        for ((_, work), spent) in parts.iter().zip(&spent) {
            for (i, (live, body)) in live.iter_mut().zip(bodies.iter_mut()).enumerate() {
                work(block * CHUNK + i, live, body);
            }
            let end = Instant::now();
            spent.fetch_add((end - start).as_nanos() as u64, Ordering::Relaxed);
            start = end;
        }
    };
    if is_shared_out(live.len()) {
        live.par_chunks_mut(CHUNK).zip(bodies.par_chunks_mut(CHUNK)).enumerate().for_each(turn);
    } else {
        live.chunks_mut(CHUNK).zip(bodies.chunks_mut(CHUNK)).enumerate().for_each(turn);
    }
    let spent: Vec<_> = parts.iter().zip(spent).map(|((name, _), spent)| (*name, spent.into_inner())).collect();
    profiler.share_out(begin, &spent);
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
