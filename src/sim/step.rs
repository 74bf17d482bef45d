//! One step of the world: the order of the day.

use super::body::Body;
use super::clear::clear_way;
use super::collide_pairs::presence_of;
use super::event::{Event, EventKind, EventSet};
use super::feet::{self, Planting};
use super::level::Level;
use super::links;
use super::presence::Presence;
use super::presence::Role;
use super::walk::move_body;
use super::walkers;
use super::world::{Live, NavStatus, World};
use super::{STEP_SECS, behave, preview};
use crate::nav::follow::{Reach, corner_speed, drop_reached, heading_to, stopping_speed, way_length};
use crate::prefetch;
use crate::profile::Profiler;
use crate::scene::settings::LostRule;
use crate::scene::{Scene, Settings};
use crate::vocab::{MoveDirection, MoveState};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Up to this speed somebody stands, metres per second.
const STILL_SPEED: f32 = 0.01;
/// Instances that one thread takes at a time. Each is handled on its own, so the number changes no result.
const CHUNK: usize = 64;

impl World {
    /// Advances by [`super::STEP_SECS`]. What happens depends on the scene, its seed and the steps taken, never on
    /// time or the number of threads.
    pub fn step(&mut self, scene: &Scene) {
        self.steps += 1;
        let first = self.take_turns(&scene.settings, THINKING);
        if first.wanted {
            self.scope("sim.behavior", |world| world.send_out(scene));
        }
        self.scope("sim.walkers", |world| world.join_crowd(&scene.nav));
        let then = self.take_turns(&scene.settings, ACTING);
        if then.wanted {
            self.scope("sim.behavior", |world| world.send_out(scene));
        }
        self.preview_again();
        self.scope("sim.navigation", |world| {
            if world.is_on_plane() {
                world.navigate_on_plane(scene.settings.nav.enabled);
            } else {
                world.navigate(&scene.settings.nav, &scene.nav);
            }
        });
        self.scope("sim.interaction", |world| {
            if first.interacts || then.interacts {
                world.interact(&scene.settings);
            }
        });
        self.scope("sim.collisions", |world| world.find_contacts(scene.settings.collision_mode));
        self.scope("sim.gaze", Self::look_at_neighbors);
        self.scope("sim.events", |world| world.collect_events(scene.settings.lost));
        self.profiler.end_frame();
    }

    fn scope(&mut self, name: &'static str, work: impl FnOnce(&mut Self)) {
        self.profiler.enter(name);
        work(self);
        self.profiler.leave();
    }

    /// Lets everyone go through these of the parts of a step that look at nobody else: keeps where they were, for
    /// drawing between steps, runs their behaviours, finds heading and speed that they want and what those around make
    /// of it; then where they come to, what they do and show, their feet, and how they look to others.
    fn take_turns(&mut self, settings: &Settings, which: Range<usize>) -> Outcome {
        let step = self.steps;
        let (level, previewing) = (self.level.as_deref(), self.previewing());
        let on_plane = self.is_on_plane();
        let gravity = settings.gravity_enabled;
        let planting = Planting { on: settings.ik_enabled, iterations: settings.ik_iterations, step };
        let boxed = self.looks_for_contacts(settings.collision_mode);
        let [wanted, interacts] = std::array::from_fn(|_| AtomicBool::new(false));
        let parts: [Part<'_>; 7] = [
            ("sim.remember", &|_, one| {
                one.body.prefetch();
                prefetch::slice(&one.live.path, ONE_LINE);
                one.live.before = one.live.now;
            }),
            ("sim.behavior", &|_, one| {
                behave::think(step, one.live, one.body);
                if one.body.wants_target() {
                    wanted.store(true, Ordering::Relaxed);
                }
                if one.body.interacts {
                    interacts.store(true, Ordering::Relaxed);
                }
            }),
            ("sim.intent", &|i, one| match level {
                None if !on_plane => {}
                _ if previewing == Some(i) => preview::stand(one.body),
                level => intend_one(one.live, one.body, level),
            }),
            ("sim.contact", &|_, one| {
                if one.body.looks.role == Role::Absent {
                    return;
                }
                match level {
                    Some(level) if !links::cross(one.live, one.body) => move_body(level, gravity, one.live, one.body),
                    None if on_plane => one.body.move_on_plane(one.live),
                    _ => {}
                }
            }),
            ("sim.animation", &|_, one| animate(one.live, one.body)),
            ("sim.feet", &|i, one| match level {
                Some(level) => feet::plant(level, planting, i, one.live, one.body),
                None => feet::step_on_plane(one.live, one.body),
            }),
            ("sim.looks", &|_, one| {
                behave::hear_the_way(one.live, one.body);
                *one.presence = presence_of(one.live, one.body, boxed);
            }),
        ];
        let all = (&mut self.live[..], &mut self.bodies[..], &mut self.presences[..]);
        in_turns(&mut self.profiler, all, &parts[which]);
        Outcome { wanted: wanted.into_inner(), interacts: interacts.into_inner() }
    }

    fn collect_events(&mut self, lost: LostRule) {
        for i in 0..self.presences.len() {
            if !self.presences[i].stirred {
                continue;
            }
            self.presences[i].stirred = false;
            let raised = std::mem::take::<EventSet>(&mut self.bodies[i].raised);
            behave::hear_of(raised, &mut self.bodies[i]);
            for kind in raised.kinds() {
                let delete = kind == EventKind::PutBack && lost == LostRule::Delete;
                let kind = if delete { EventKind::Lost } else { kind };
                self.events.push(Event { step: self.steps, instance: self.ids[i], kind });
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
    live.state = body.controller.action().unwrap_or(gait);
    super::pose::express(live, body, false);
}

/// Bytes of the beginning of a way that are fetched ahead.
const ONE_LINE: usize = 64;

/// The parts of a step before the crowd decides, and after.
const THINKING: Range<usize> = 0..3;
const ACTING: Range<usize> = 3..7;

/// What came of some parts of a step.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    /// Whether a behaviour wants a target to walk to.
    wanted: bool,
    /// Whether anybody begins to interact.
    interacts: bool,
}

/// One instance with everything that a step changes about it.
struct One<'a> {
    live: &'a mut Live,
    body: &'a mut Body,
    presence: &'a mut Presence,
}

/// A named part of a step that looks at nobody but the instance it is given, with its place in the arrays.
type Part<'a> = (&'static str, &'a (dyn Fn(usize, One<'_>) + Sync));

/// The same instances in each of the arrays.
type Block<'a> = ((&'a mut [Live], &'a mut [Body]), &'a mut [Presence]);

/// Runs parts of a step one after the other on a few instances at a time, so that these stay in the caches from part
/// to part, on as many threads as there are and as it is worth. Meanwhile the next ones are fetched into the caches, a
/// piece in each part. The time is shared out to the parts.
fn in_turns(
    profiler: &mut Profiler,
    (live, bodies, presences): (&mut [Live], &mut [Body], &mut [Presence]),
    parts: &[Part<'_>],
) {
    let begin = Instant::now();
    let spent: Vec<AtomicU64> = parts.iter().map(|_| AtomicU64::new(0)).collect();
    let turn = |(block, ((live, bodies), presences)): (usize, Block<'_>)| {
        let mut start = Instant::now();
        for (part, ((_, work), spent)) in parts.iter().zip(&spent).enumerate() {
            let everyone = live.iter_mut().zip(bodies.iter_mut()).zip(presences.iter_mut());
            for (i, ((live, body), presence)) in everyone.enumerate() {
                prefetch::chunk(std::ptr::from_ref(live).wrapping_add(CHUNK), part, parts.len());
                prefetch::chunk(std::ptr::from_ref(body).wrapping_add(CHUNK), part, parts.len());
                work(block * CHUNK + i, One { live, body, presence });
            }
            let end = Instant::now();
            spent.fetch_add((end - start).as_nanos() as u64, Ordering::Relaxed);
            start = end;
        }
    };
    if is_shared_out(live.len()) {
        let blocks = live.par_chunks_mut(CHUNK).zip(bodies.par_chunks_mut(CHUNK)).zip(presences.par_chunks_mut(CHUNK));
        blocks.enumerate().for_each(turn);
    } else {
        let blocks = live.chunks_mut(CHUNK).zip(bodies.chunks_mut(CHUNK)).zip(presences.chunks_mut(CHUNK));
        blocks.enumerate().for_each(turn);
    }
    let spent: Vec<_> = parts.iter().zip(spent).map(|((name, _), spent)| (*name, spent.into_inner())).collect();
    profiler.attribute(begin, &spent);
}

fn intend_one(live: &mut Live, body: &mut Body, level: Option<&Level>) {
    if links::intend(live, body) {
        return;
    }
    let Some(stride) = body.looks.stride else { return };
    body.shove = glam::Vec2::ZERO;
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
    } else if live.nav == NavStatus::Walking && live.on_ground {
        // One that makes no progress on a second path either may stand on the wrong side of a corner.
        let reach = if body.nav.failures > 1 {
            Reach::Exactly
        } else {
            Reach::Within((0.15 * body.scale()).max(body.pace.speed * STEP_SECS * 2.0))
        };
        let height = body.size.height;
        let most = links::before_link(live);
        let dropped = drop_reached(&mut live.path, live.now.position, reach, height, most);
        if dropped > 0 {
            body.nav.leg_from = live.now.position;
        }
        if let Some(level) = level
            && clear_way(live, body, level, dropped)
        {
            body.nav.beyond_next = live.path.split_first().map_or(0.0, |(first, rest)| way_length(*first, rest));
        }
        heading = live.path.first().and_then(|next| heading_to(live.now.position, *next));
        let left = live.distance_left.unwrap_or(0.0);
        let corners = corner_speed(&stride, live.now.position, &live.path);
        speed = stopping_speed(&stride, left).min(corners);
    }
    // Who punches or picks something up stands; a jump or a roll takes the way along.
    if body.controller.action().is_some_and(|a| !matches!(a, MoveState::Jump | MoveState::Roll)) {
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
