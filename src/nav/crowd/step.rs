//! One step of a crowd: look, steer, avoid, move, part.

use glam::Vec2;
use rayon::prelude::*;

use super::avoid::apart;
use super::cells::Cells;
use super::ground::{Ground, walk};
use super::passage::Passages;
use super::target::Targets;
use super::{Agent, Body, Budget, Crowd, Helper, Slot, State, Under};
use crate::math::plan::to_plan;
use crate::nav::mesh::{Filter, NavMesh, NavPoint};

/// Longer steps are cut into parts of this length, seconds.
const LONGEST_SECS: f32 = 0.05;
/// What lies beyond so many parts of a step is lost.
const MOST_PARTS: u32 = 8;
/// Agents of one task.
const TASK: usize = 64;
/// How far one looks for neighbours besides what horizon and speed ask for, metres.
const REACH: f32 = 1.0;
/// How often those who overlap are parted in a step.
const PARTINGS: usize = 2;
/// Share of an overlap that is undone at once.
const PARTING: f32 = 0.4;
/// How fast one makes oneself thin or wide, per second.
const GIRTH_RATE: f32 = 0.8;
/// The thinnest that one makes oneself.
const THINNEST: f32 = 0.6;
/// From when to when one who is stuck makes oneself thin, seconds.
const THINNING_SECS: (f32, f32) = (1.0, 3.0);
/// From when on one who is stuck in a doorway makes oneself thin, seconds.
const JAMMED_SECS: f32 = 1.5;
/// After how long one who is stuck is met as it wants to move, seconds.
const INTENT_SECS: f32 = 0.5;
/// Below this share of its speed one who meets others makes itself thin.
const SLOW: f32 = 0.5;
/// Below this share of its speed one who wants to walk is stuck.
const CRAWL: f32 = 0.3;

/// How much nearer to its goal one counts as for the time that it has lost, as a share of the way it could have gone.
const LATE: f32 = 3.0;
/// Most time lost that counts, seconds.
const MOST_LATE_SECS: f32 = 60.0;

/// What every agent sees.
pub(super) struct Context<'a> {
    pub(super) mesh: &'a NavMesh,
    pub(super) filter: &'a Filter,
    pub(super) ground: &'a Ground,
    pub(super) targets: &'a Targets,
    pub(super) bodies: &'a [Body],
    pub(super) cells: &'a Cells,
    pub(super) passages: &'a Passages,
    pub(super) dt_secs: f32,
}

impl Crowd {
    /// Goes on by `dt_secs` (up to 0.4 s; what is beyond is lost). Goals are answered within the budget, in the order
    /// in which they came. The mesh may be another one than before: agents are put on it, and ways that lead over what
    /// is as it was are kept.
    pub fn step(&mut self, mesh: &NavMesh, filter: &Filter, dt_secs: f32, budget: Budget) {
        if mesh.is_empty() {
            return;
        }
        let dt_secs = if dt_secs > 0.0 { dt_secs.min(LONGEST_SECS * MOST_PARTS as f32) } else { 0.0 };
        self.adopt(mesh, filter);
        self.answer(mesh, filter, dt_secs, budget);
        if dt_secs > 0.0 && self.live > 0 {
            let parts = (dt_secs / LONGEST_SECS).ceil().max(1.0);
            for _ in 0..parts as u32 {
                self.advance(mesh, filter, dt_secs / parts);
            }
        }
    }

    fn advance(&mut self, mesh: &NavMesh, filter: &Filter, dt_secs: f32) {
        self.see();
        self.passages.direct(&self.slots, dt_secs);
        self.cells.build(&self.bodies);
        self.each(mesh, filter, dt_secs, |context, helper, own, agent| {
            agent.cells(own, context, helper);
            agent.steer(context);
            agent.avoid(own, context);
            agent.go(context, helper);
        });
        for _ in 0..PARTINGS {
            for (slot, body) in self.slots.iter().zip(&mut self.bodies) {
                (body.at, body.radius) = (to_plan(slot.agent.position), slot.agent.settings.radius * slot.agent.girth);
            }
            self.each(mesh, filter, dt_secs, |context, helper, own, agent| agent.part(own, context, helper));
        }
        for slot in self.slots.iter_mut().filter(|s| s.live) {
            slot.agent.rest(dt_secs);
        }
    }

    /// Writes what others see.
    fn see(&mut self) {
        self.bodies.resize(self.slots.len(), Body::default());
        self.targets.forget_arrivals();
        for (slot, body) in self.slots.iter().zip(&mut self.bodies) {
            let a = &slot.agent;
            *body = Body {
                present: slot.live,
                at: to_plan(a.position),
                y: a.position.y,
                height: a.settings.height,
                velocity: a.velocity,
                intent: a.velocity.lerp(a.wanted, (a.stuck_secs / INTENT_SECS).min(1.0)),
                heading: if a.walks() && a.yield_secs == 0.0 && !a.held { a.heading } else { Vec2::ZERO },
                course: if a.walks() { a.heading } else { Vec2::ZERO },
                radius: a.settings.radius * a.girth,
                rest: a.rest_of_way() - LATE * a.counted_secs() * a.settings.max_speed,
                stuck_secs: a.stuck_secs,
                yield_secs: a.yield_secs,
                target: a.target,
                arrived: a.state == State::Arrived,
            };
            if let (true, Some(target)) = (slot.live && body.arrived, a.target) {
                self.targets.note_arrival(target, a.settings.radius);
            }
        }
    }

    /// Calls `f` with every agent, on many threads when there are many.
    fn each(
        &mut self,
        mesh: &NavMesh,
        filter: &Filter,
        dt_secs: f32,
        f: impl Fn(&Context, &mut Helper, u32, &mut Agent) + Sync,
    ) {
        let Self { slots, targets, ground, bodies, cells, passages, helpers, .. } = self;
        let context = &Context { mesh, filter, ground, targets, bodies, cells, passages, dt_secs };
        let threads = rayon::current_num_threads();
        let size = slots.len().div_ceil(threads * 4).max(TASK);
        let tasks = slots.len().div_ceil(size).max(1);
        if helpers.len() < tasks {
            helpers.resize_with(tasks, Helper::default);
        }
        let work = |(task, (part, helper)): (usize, (&mut [Slot], &mut Helper))| {
            for (i, slot) in part.iter_mut().enumerate().filter(|s| s.1.live) {
                f(context, helper, (task * size + i) as u32, &mut slot.agent);
            }
        };
        if tasks == 1 || threads == 1 {
            slots.chunks_mut(size).zip(helpers).enumerate().for_each(work);
        } else {
            slots.par_chunks_mut(size).zip(helpers).enumerate().for_each(work);
        }
    }
}

impl Agent {
    /// Looks for neighbours and walls.
    fn cells(&mut self, own: u32, context: &Context, helper: &mut Helper) {
        let s = &self.settings;
        let reach = REACH + 2.0 * s.radius + s.max_speed * s.horizon_secs;
        context.cells.near(own, &context.bodies[own as usize], reach, &mut self.near);
        let walls = s.clearance + 0.5 * s.max_speed;
        self.walls.refresh(context.mesh, context.filter, helper, self.place(), walls);
    }

    /// Moves along the surface.
    fn go(&mut self, context: &Context, helper: &mut Helper) {
        let dt = context.dt_secs;
        let before = to_plan(self.position);
        self.move_to(context, helper, before + self.velocity * dt);
        self.before = before;
    }

    /// Takes the velocity from how far it got, and note of whether that is far enough.
    fn rest(&mut self, dt: f32) {
        let moved = (to_plan(self.position) - self.before) / dt;
        if moved.length_squared() < self.velocity.length_squared() {
            self.velocity = moved;
        }
        let walks = self.walks() && !self.held;
        let progress = self.velocity.dot(self.heading);
        self.late_secs = match (self.walks(), self.approach) {
            (false, _) => 0.0,
            // Doors have rules of their own.
            (true, Some(_)) => self.late_secs,
            (true, None) => {
                let share = (progress / self.settings.max_speed.max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
                (self.late_secs + (1.0 - share) * dt).min(MOST_LATE_SECS)
            }
        };
        if walks && progress < CRAWL * self.settings.max_speed.min(self.wanted.length().max(0.1)) {
            self.stuck_secs += dt;
        } else {
            self.stuck_secs = (self.stuck_secs - 2.0 * dt).clamp(0.0, THINNING_SECS.1);
        }
        let jammed = self.stuck_secs > JAMMED_SECS && self.approach.is_some_and(|a| a.distance <= 0.0);
        let pressed =
            walks && (self.opposed || self.near.count == 0 || jammed) && progress < SLOW * self.wanted.length();
        let change = if pressed { dt } else { -THINNING_SECS.0 * dt };
        self.pressed_secs = (self.pressed_secs + change).clamp(0.0, THINNING_SECS.1);
        let (begin, end) = THINNING_SECS;
        let thin = ((self.pressed_secs - begin) / (end - begin)).clamp(0.0, 1.0);
        let girth = 1.0 - (1.0 - THINNEST) * thin;
        self.girth += (girth - self.girth).clamp(-GIRTH_RATE * dt, GIRTH_RATE * dt);
    }

    fn move_to(&mut self, context: &Context, helper: &mut Helper, to: Vec2) {
        let NavPoint { polygon, point: position } = walk(context.mesh, context.filter, helper, self.place(), to);
        (self.polygon, self.position) = (Under(polygon), position);
        self.lost |= !self.way.is_empty() && !self.way.follow(context.mesh, &helper.walked);
    }

    /// Parts from those who stand too near, gently.
    fn part(&mut self, own: u32, context: &Context, helper: &mut Helper) {
        let at = to_plan(self.position);
        let mine = &context.bodies[own as usize];
        let mut push = Vec2::ZERO;
        for i in self.near.iter() {
            let other = &context.bodies[i as usize];
            let offset = apart(at, other.at, own, i);
            let distance = offset.length();
            let overlap = mine.radius + other.radius - distance;
            if overlap > 0.0 && !self.walls.part(at, other.at) {
                let share = match (mine.heading != Vec2::ZERO, other.heading != Vec2::ZERO) {
                    (true, false) => 0.3,
                    (false, true) => 0.7,
                    _ => 0.5,
                };
                push -= offset * (overlap * share / distance);
            }
        }
        push = push * PARTING + self.walls.push(at, self.clearance()) * 0.1;
        if push != Vec2::ZERO {
            let most = 0.5 * self.settings.radius.max(0.02);
            self.move_to(context, helper, at + push.clamp_length_max(most));
        }
    }
}
