//! A step of a crowd: sense, steer, avoid, move, separate.

use glam::Vec2;
use rayon::prelude::*;

use super::agent::{Agent, AgentState};
use super::avoid::offset_between;
use super::context::CrowdContext;
use super::crowd_mesh::walk;
use super::roster::{AgentSlot, Crowd};
use super::scratch::WorkerScratch;
use super::settings::{Budget, MIN_TASK};
use super::snapshot::AgentSnapshot;
use crate::math::plan::to_plan;
use crate::nav::mesh::{Filter, NavMesh, NavPoint};

/// Longer steps are divided into substeps of at most this length, seconds.
const MAX_SUBSTEP_SECS: f32 = 0.05;
/// Most substeps; longer steps are cut off.
const MAX_SUBSTEPS: u32 = 8;
/// Fewest agents of a parallel task that only copies.
const MIN_PAIRS: usize = 1024;
/// Neighbour reach in addition to horizon and speed, metres.
const NEIGHBOR_MARGIN: f32 = 1.0;
/// Steps for which the list of an agent's neighbours serves: in a twentieth of a second the nearest hardly change, and
/// to search them is half of a step. Where they are and how fast they go is always of this step.
const NEIGHBOR_ROUNDS: u32 = 4;
/// Passes that separate overlapping agents.
const SEPARATION_PASSES: usize = 2;
/// Fraction of an overlap removed per pass.
const SEPARATION_SHARE: f32 = 0.4;
/// Rate at which the radius scale changes, per second.
const RADIUS_SCALE_RATE: f32 = 0.8;
/// Smallest radius scale.
const MIN_RADIUS_SCALE: f32 = 0.6;
/// Time of being stuck at which squeezing begins, and at which it is complete, seconds.
const SQUEEZE_SECS: (f32, f32) = (1.0, 3.0);
/// Time after which an agent stuck in a doorway squeezes, seconds.
const JAMMED_SECS: f32 = 1.5;
/// Time after which a stuck agent is met with its preferred velocity, seconds.
const INTENT_SECS: f32 = 0.5;
/// Fraction of the preferred speed below which an agent among others squeezes.
const SQUEEZE_SPEED: f32 = 0.5;
/// Fraction of the preferred speed below which an agent is stuck.
const STUCK_SPEED: f32 = 0.3;
/// Speed below which an agent that wants to stand does, m/s.
const STANDING_SPEED: f32 = 1e-4;

/// Distance credited per lost second where two meet, as a fraction of the distance walked at full speed.
const DELAY_WEIGHT: f32 = 3.0;
/// Most lost time that counts, seconds.
const MAX_DELAY_SECS: f32 = 60.0;

impl Crowd {
    /// Advances by `dt_secs`, at most 0.4 s. Requests are served within the budget, in order. The mesh may differ from
    /// the last step's: agents are moved onto it, and paths over unchanged polygons are kept.
    pub fn step(&mut self, mesh: &NavMesh, filter: &Filter, dt_secs: f32, budget: Budget) {
        if mesh.is_empty() {
            return;
        }
        let dt_secs = if dt_secs > 0.0 { dt_secs.min(MAX_SUBSTEP_SECS * MAX_SUBSTEPS as f32) } else { 0.0 };
        self.update_mesh(mesh, filter);
        self.serve_requests(mesh, filter, dt_secs, budget);
        if dt_secs > 0.0 && self.live > 0 {
            let parts = (dt_secs / MAX_SUBSTEP_SECS).ceil().max(1.0);
            for _ in 0..parts as u32 {
                self.advance(mesh, filter, dt_secs / parts);
            }
        }
    }

    fn advance(&mut self, mesh: &NavMesh, filter: &Filter, dt_secs: f32) {
        self.round = self.round.wrapping_add(1);
        self.snapshot();
        let walking = self.slots.iter().filter(|s| s.live && s.agent.walks());
        self.doorways.update(walking.filter_map(|s| s.agent.approach), dt_secs);
        self.neighbor_grid.build(&self.snapshots);
        self.find_sleepers();
        self.each(mesh, filter, dt_secs, |context, scratch, own, agent| {
            agent.sense(own, context, scratch);
            agent.steer(context);
            agent.avoid(own, context);
            agent.advance(context, scratch);
        });
        for _ in 0..SEPARATION_PASSES {
            for_pairs(&mut self.slots, &mut self.snapshots, |slot, body| {
                (body.at, body.radius) =
                    (to_plan(slot.agent.position), slot.agent.settings.radius * slot.agent.radius_scale);
            });
            self.each(mesh, filter, dt_secs, |context, scratch, own, agent| agent.separate(own, context, scratch));
        }
        for_pairs(&mut self.slots, &mut self.snapshots, |slot, body| {
            if slot.live && !body.asleep {
                slot.agent.update_progress(dt_secs);
            }
        });
    }

    /// Lets settled agents sleep that no other can reach: a step costs as much as moves in it, not as much as stands.
    fn find_sleepers(&mut self) {
        let Self { slots, snapshots, neighbor_grid, .. } = self;
        let awake = slots.iter().zip(&*snapshots).filter(|(slot, _)| slot.live && !slot.agent.is_settled);
        neighbor_grid.wake(awake.map(|(_, body)| body.at));
        for (slot, body) in slots.iter_mut().zip(snapshots).filter(|(slot, _)| slot.live && slot.agent.is_settled) {
            body.asleep = !neighbor_grid.is_awake(body.at);
            slot.agent.knows_neighbors &= !body.asleep;
        }
    }

    /// Rebuilds the snapshots.
    fn snapshot(&mut self) {
        self.snapshots.resize(self.slots.len(), AgentSnapshot::default());
        self.goals.clear_arrivals();
        for_pairs(&mut self.slots, &mut self.snapshots, |slot, body| {
            let a = &slot.agent;
            *body = AgentSnapshot {
                present: slot.live,
                asleep: false,
                at: to_plan(a.position),
                y: a.position.y,
                height: a.settings.height,
                velocity: a.velocity,
                intent: a.velocity.lerp(a.preferred_velocity, (a.stuck_secs / INTENT_SECS).min(1.0)),
                heading: if a.walks() && a.yield_secs == 0.0 && !a.is_held { a.heading } else { Vec2::ZERO },
                course: if a.walks() { a.heading } else { Vec2::ZERO },
                radius: a.settings.radius * a.radius_scale,
                remaining: a.remaining_distance() - DELAY_WEIGHT * a.effective_delay_secs() * a.settings.max_speed,
                stuck_secs: a.stuck_secs,
                yield_secs: a.yield_secs,
                shared_goal: a.shared_goal,
                arrived: a.state == AgentState::Arrived,
            };
        });
        for (slot, body) in self.slots.iter().zip(&self.snapshots).filter(|(_, body)| body.present && body.arrived) {
            if let Some(shared_goal) = body.shared_goal {
                self.goals.add_arrival(shared_goal, slot.agent.settings.radius);
            }
        }
    }

    /// Calls `f` for every agent that is awake, in parallel if there are many.
    fn each(
        &mut self,
        mesh: &NavMesh,
        filter: &Filter,
        dt_secs: f32,
        f: impl Fn(&CrowdContext, &mut WorkerScratch, u32, &mut Agent) + Sync,
    ) {
        let Self { slots, goals, crowd_mesh, snapshots, neighbor_grid, doorways, scratches, round, .. } = self;
        let round = *round;
        let context =
            &CrowdContext { mesh, filter, crowd_mesh, goals, snapshots, neighbor_grid, doorways, round, dt_secs };
        let threads = rayon::current_num_threads();
        let size = slots.len().div_ceil(threads * 4).max(MIN_TASK);
        let tasks = slots.len().div_ceil(size).max(1);
        if scratches.len() < tasks {
            scratches.resize_with(tasks, WorkerScratch::default);
        }
        let work = |(task, (part, scratch)): (usize, (&mut [AgentSlot], &mut WorkerScratch))| {
            let is_awake = |i: usize| !context.snapshots[task * size + i].asleep;
            for (i, slot) in part.iter_mut().enumerate().filter(|(i, slot)| slot.live && is_awake(*i)) {
                f(context, scratch, (task * size + i) as u32, &mut slot.agent);
            }
        };
        if tasks == 1 || threads == 1 {
            slots.chunks_mut(size).zip(scratches).enumerate().for_each(work);
        } else {
            slots.par_chunks_mut(size).zip(scratches).enumerate().for_each(work);
        }
    }
}

/// Calls `f` for every slot with its snapshot, in parallel if there are many.
fn for_pairs(
    slots: &mut [AgentSlot],
    snapshots: &mut [AgentSnapshot],
    f: impl Fn(&mut AgentSlot, &mut AgentSnapshot) + Sync,
) {
    slots.par_iter_mut().zip(snapshots).with_min_len(MIN_PAIRS).for_each(|(slot, body)| f(slot, body));
}

impl Agent {
    /// Searches neighbours and walls.
    fn sense(&mut self, own: u32, context: &CrowdContext, scratch: &mut WorkerScratch) {
        let s = &self.settings;
        let reach = NEIGHBOR_MARGIN + 2.0 * s.radius + s.max_speed * s.horizon_secs;
        let is_due = own.wrapping_add(context.round).is_multiple_of(NEIGHBOR_ROUNDS);
        if is_due || !self.knows_neighbors {
            context.neighbor_grid.near(own, &context.snapshots[own as usize], reach, &mut self.neighbors);
            self.knows_neighbors = true;
        } else {
            self.neighbors.retain(|i| context.snapshots[i as usize].present);
        }
        let walls = s.clearance + 0.5 * s.max_speed;
        self.walls.refresh(context.mesh, context.filter, scratch, self.place(), walls);
    }

    /// Moves along the surface.
    fn advance(&mut self, context: &CrowdContext, scratch: &mut WorkerScratch) {
        let dt = context.dt_secs;
        let before = to_plan(self.position);
        self.move_to(context, scratch, before + self.velocity * dt);
        self.previous = before;
    }

    /// Derives the velocity from the distance actually moved, and updates the measures of progress.
    fn update_progress(&mut self, dt: f32) {
        let moved = (to_plan(self.position) - self.previous) / dt;
        if moved.length_squared() < self.velocity.length_squared() {
            self.velocity = moved;
        }
        let walks = self.walks() && !self.is_held;
        let progress = self.velocity.dot(self.heading);
        self.delay_secs = match (self.walks(), self.approach) {
            (false, _) => 0.0,
            // Doorways have rules of their own.
            (true, Some(_)) => self.delay_secs,
            (true, None) => {
                let share = (progress / self.settings.max_speed.max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
                (self.delay_secs + (1.0 - share) * dt).min(MAX_DELAY_SECS)
            }
        };
        if walks && progress < STUCK_SPEED * self.settings.max_speed.min(self.preferred_velocity.length().max(0.1)) {
            self.stuck_secs += dt;
        } else {
            self.stuck_secs = (self.stuck_secs - 2.0 * dt).clamp(0.0, SQUEEZE_SECS.1);
        }
        let jammed = self.stuck_secs > JAMMED_SECS && self.approach.is_some_and(|a| a.distance <= 0.0);
        let squeezes = walks
            && (self.is_opposed || self.neighbors.count == 0 || jammed)
            && progress < SQUEEZE_SPEED * self.preferred_velocity.length();
        let change = if squeezes { dt } else { -SQUEEZE_SECS.0 * dt };
        self.squeeze_secs = (self.squeeze_secs + change).clamp(0.0, SQUEEZE_SECS.1);
        let (begin, end) = SQUEEZE_SECS;
        let squeezed = ((self.squeeze_secs - begin) / (end - begin)).clamp(0.0, 1.0);
        let radius_scale = 1.0 - (1.0 - MIN_RADIUS_SCALE) * squeezed;
        self.radius_scale += (radius_scale - self.radius_scale).clamp(-RADIUS_SCALE_RATE * dt, RADIUS_SCALE_RATE * dt);
        let stands = !walks && self.state != AgentState::Waiting && self.preferred_velocity == Vec2::ZERO;
        let moves = self.velocity.length().max(moved.length()) >= STANDING_SPEED;
        let waits = self.stuck_secs + self.squeeze_secs + self.yield_secs > 0.0;
        self.is_settled = stands && !moves && !waits && self.radius_scale == 1.0;
    }

    fn move_to(&mut self, context: &CrowdContext, scratch: &mut WorkerScratch, to: Vec2) {
        let NavPoint { polygon, point: position } = walk(context.mesh, context.filter, scratch, self.place(), to);
        (self.polygon, self.position) = (polygon, position);
        self.left_corridor |= !self.corridor.is_empty() && !self.corridor.follow(context.mesh, &scratch.walked);
    }

    /// Separates gently from overlapping agents.
    fn separate(&mut self, own: u32, context: &CrowdContext, scratch: &mut WorkerScratch) {
        let at = to_plan(self.position);
        let mine = &context.snapshots[own as usize];
        let mut push = Vec2::ZERO;
        for i in self.neighbors.iter() {
            let other = &context.snapshots[i as usize];
            let offset = offset_between(at, other.at, own, i);
            let distance = offset.length();
            let overlap = mine.radius + other.radius - distance;
            if overlap > 0.0 && !self.walls.separate(at, other.at) {
                let share = match (mine.heading != Vec2::ZERO, other.heading != Vec2::ZERO) {
                    (true, false) => 0.3,
                    (false, true) => 0.7,
                    _ => 0.5,
                };
                push -= offset * (overlap * share / distance);
            }
        }
        push = push * SEPARATION_SHARE + self.walls.push(at, self.clearance()) * 0.1;
        if push != Vec2::ZERO {
            let most = 0.5 * self.settings.radius.max(0.02);
            self.move_to(context, scratch, at + push.clamp_length_max(most));
        }
    }
}
