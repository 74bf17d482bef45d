//! A step of a crowd: sense, steer, avoid, move, separate.

use glam::Vec2;
use rayon::prelude::*;

use super::agent::{Agent, AgentState};
use super::avoid::{MAX_ASIDE, offset_between};
use super::context::CrowdContext;
use super::crowd_mesh::walk;
use super::roster::{AgentSlot, Crowd};
use super::scratch::WorkerScratch;
use super::settings::{Budget, MIN_TASK};
use super::snapshot::{Activity, AgentDisc, AgentSnapshot, NO_GOAL};
use crate::math::plan::to_plan;
use crate::nav::mesh::{Filter, NavMesh};

/// Longer steps are divided into substeps of at most this length, seconds.
const MAX_SUBSTEP_SECS: f32 = 0.05;
/// Most substeps; longer steps are cut off.
const MAX_SUBSTEPS: u32 = 8;
/// Fewest agents of a parallel task that only copies.
const MIN_COPIED: usize = 1024;
/// Neighbour reach in addition to horizon and speed, metres.
const NEIGHBOR_MARGIN: f32 = 1.0;
/// Steps for which the list of an agent's neighbours serves, in a crowd that takes no turns: in a twentieth of a second
/// the nearest hardly change, and to search them is half of a step. Where they are and how fast they go is always of this
/// step.
const NEIGHBOR_ROUNDS: u32 = 4;
/// Agents from which on a crowd takes turns: each avoids the others in every [`TURNS`]th step, and goes on as it has chosen
/// in those between. At 60 steps a second that is 30 times a second; it takes a sixth off the crowd's part of a step of
/// 10,000.
pub(super) const MIN_TURNS_AGENTS: usize = 2048;
/// Steps in which each agent of such a crowd avoids once.
const TURNS: u32 = 2;
/// Speed at which two agents approach at most, m/s: both run.
const MAX_APPROACH_SPEED: f32 = 12.0;
/// Passes that separate overlapping agents.
const SEPARATION_PASSES: usize = 2;
/// Fraction of an overlap removed per pass.
const SEPARATION_SHARE: f32 = 0.4;
/// Rate at which the radius scale changes, per second.
const RADIUS_SCALE_RATE: f32 = 0.8;
/// Radius scale of an agent that squeezes: bodies touch, and do not overlap to be seen.
const SHOULDER_SCALE: f32 = 0.96;
/// The same in throngs in a doorway or where it gets no further, in passages without room at their ends that are too narrow
/// for two even with their shoulders turned, and after [`PATIENCE_SECS`].
const MIN_RADIUS_SCALE: f32 = 0.6;
/// Share of the width of two bodies that two agents take as they pass with their shoulders turned.
const TURNED_SCALE: f32 = 0.88;
/// Time of squeezing after which an agent makes itself as narrow as it can anywhere, seconds: long enough for the other to
/// go back a few metres to where there is room.
const PATIENCE_SECS: f32 = 12.0;
/// Gap up to which others stand close around an agent, metres.
const CLOSE_GAP: f32 = 0.3;
/// How many close around it make a throng.
const THRONG: usize = 4;
/// Time of being stuck at which squeezing begins, and at which it is complete, seconds.
const SQUEEZE_SECS: (f32, f32) = (1.0, 3.0);
/// Time after which an agent stuck in a doorway squeezes, seconds.
const JAMMED_SECS: f32 = 1.5;
/// Time after which a stuck agent is met with its preferred velocity, seconds.
const INTENT_SECS: f32 = 0.5;
/// Period in which it is met so, and the part of it, seconds; in the rest it is met as it moves.
const INTENT_PERIOD_SECS: (f32, f32) = (3.0, 2.0);
/// Time without progress after which an agent takes its least radius, seconds.
const SQUEEZE_ANYWAY_SECS: f32 = 4.0;
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
        if self.doorways.exist() {
            let approaching = self.slots.iter().zip(&self.snapshots).filter(|(_, body)| body.approaches);
            self.doorways.update(approaching.filter_map(|(slot, _)| slot.agent.approach), dt_secs);
        }
        self.neighbor_grid.build(&self.snapshots);
        self.find_sleepers();
        self.each(mesh, filter, dt_secs, |context, scratch, own, agent| {
            agent.sense(own, context, scratch);
            agent.steer(context);
            if own.wrapping_add(context.round).is_multiple_of(context.turns) {
                agent.avoid(own, context);
            }
            agent.advance(context, scratch);
        });
        for pass in 1..=SEPARATION_PASSES {
            self.each(mesh, filter, dt_secs, |context, scratch, own, agent| {
                agent.separate(own, context, scratch);
                if pass == SEPARATION_PASSES {
                    agent.update_progress(own, context);
                }
            });
        }
    }

    /// Lets settled agents sleep that no other can reach: a step costs as much as moves in it, not as much as stands.
    fn find_sleepers(&mut self) {
        let Self { slots, snapshots, neighbor_grid, .. } = self;
        if !snapshots.iter().any(|body| body.activity == Activity::Settled) {
            return;
        }
        neighbor_grid.wake(snapshots.iter().filter(|body| body.activity == Activity::Awake).map(|body| body.at));
        for (slot, body) in slots.iter_mut().zip(snapshots).filter(|(_, body)| body.activity == Activity::Settled) {
            if !neighbor_grid.is_awake(body.at) {
                body.activity = Activity::Asleep;
                slot.agent.knows_neighbors = false;
            }
        }
    }

    /// Rebuilds the snapshots.
    fn snapshot(&mut self) {
        self.snapshots.resize(self.slots.len(), AgentSnapshot::default());
        self.discs.resize(self.slots.len(), AgentDisc::default());
        let both = self.snapshots.par_iter_mut().zip(&mut self.discs);
        self.slots.par_iter().zip(both).with_min_len(MIN_COPIED).for_each(|(slot, (body, disc))| {
            *body = slot.snapshot();
            *disc = body.disc();
        });
        if self.goals.is_empty() {
            return;
        }
        self.goals.clear_arrivals();
        for (slot, body) in self.slots.iter().zip(&self.snapshots).filter(|(_, body)| body.arrived_at != NO_GOAL) {
            self.goals.add_arrival(body.arrived_at, slot.agent.settings.radius);
        }
    }

    /// Calls `f` for every agent that is awake, in parallel if there are many. What it leaves is what the next pass
    /// finds in [`CrowdContext::discs`].
    fn each(
        &mut self,
        mesh: &NavMesh,
        filter: &Filter,
        dt_secs: f32,
        f: impl Fn(&CrowdContext, &mut WorkerScratch, u32, &mut Agent) + Sync,
    ) {
        let turns = if self.live < MIN_TURNS_AGENTS { 1 } else { TURNS };
        let Self { slots, goals, crowd_mesh, snapshots, discs, neighbor_grid, doorways, round, .. } = self;
        let (round, scratches, next_discs) = (*round, &mut self.scratches, &mut self.next_discs);
        let max_radius = discs.iter().map(|disc| disc.radius).fold(0.0, f32::max);
        let context = &CrowdContext {
            mesh,
            filter,
            crowd_mesh,
            goals,
            snapshots,
            discs,
            max_radius,
            neighbor_grid,
            doorways,
            round,
            turns,
            dt_secs,
        };
        let threads = rayon::current_num_threads();
        let size = slots.len().div_ceil(threads * 4).max(MIN_TASK);
        let tasks = slots.len().div_ceil(size).max(1);
        if scratches.len() < tasks {
            scratches.resize_with(tasks, WorkerScratch::default);
        }
        next_discs.resize(slots.len(), AgentDisc::default());
        let work = |(task, ((part, discs), scratch)): (usize, (AgentsMut<'_>, &mut WorkerScratch))| {
            for (i, (slot, disc)) in (task * size..).zip(part.iter_mut().zip(discs)) {
                let body = &context.snapshots[i];
                *disc = body.disc();
                if matches!(body.activity, Activity::Awake | Activity::Settled) {
                    f(context, scratch, i as u32, &mut slot.agent);
                    disc.at = to_plan(slot.agent.position);
                }
            }
        };
        if tasks == 1 || threads == 1 {
            let parts = slots.chunks_mut(size).zip(next_discs.chunks_mut(size));
            parts.zip(scratches).enumerate().for_each(work);
        } else {
            let parts = slots.par_chunks_mut(size).zip(next_discs.par_chunks_mut(size));
            parts.zip(scratches).enumerate().for_each(work);
        }
        std::mem::swap(&mut self.discs, &mut self.next_discs);
    }
}

/// Some agents, and where they will be.
type AgentsMut<'a> = (&'a mut [AgentSlot], &'a mut [AgentDisc]);

impl AgentSlot {
    /// What the neighbours read of it.
    fn snapshot(&self) -> AgentSnapshot {
        let a = &self.agent;
        let activity = match (self.live, a.is_settled) {
            (false, _) => Activity::Absent,
            (true, false) => Activity::Awake,
            (true, true) => Activity::Settled,
        };
        AgentSnapshot {
            at: to_plan(a.position),
            velocity: a.velocity,
            intent: a.intent(),
            course: if a.walks() { a.heading } else { Vec2::ZERO },
            radius: a.settings.radius * a.radius_scale,
            remaining: a.remaining_distance() - DELAY_WEIGHT * a.effective_delay_secs() * a.settings.max_speed,
            stuck_secs: a.stuck_secs,
            yield_secs: a.yield_secs,
            y: a.position.y,
            height: a.settings.height,
            arrived_at: a.shared_goal.filter(|_| self.live && a.state == AgentState::Arrived).unwrap_or(NO_GOAL),
            activity,
            gives_way: a.yield_secs > 0.0 || a.is_held,
            is_firm: !a.walks() && to_plan(a.position).distance(a.rest_position) > MAX_ASIDE,
            approaches: self.live && a.walks() && a.approach.is_some(),
        }
    }
}

impl Agent {
    /// The velocity that others avoid in place of its own. While it is stuck this approaches its preferred velocity, so that others make
    /// room; periodically it is its own again, because two that avoid each other's preferred velocities can block each other.
    fn intent(&self) -> Vec2 {
        let share = (self.stuck_secs / INTENT_SECS).min(1.0);
        if share == 0.0 || self.stuck_secs % INTENT_PERIOD_SECS.0 > INTENT_PERIOD_SECS.1 {
            return self.velocity;
        }
        self.velocity.lerp(self.preferred_velocity, share)
    }

    /// Searches neighbours and walls.
    fn sense(&mut self, own: u32, context: &CrowdContext, scratch: &mut WorkerScratch) {
        let s = &self.settings;
        let touch = s.radius + context.neighbor_grid.largest_radius();
        let reach = NEIGHBOR_MARGIN + touch + s.max_speed * s.horizon_secs;
        let is_due = own.wrapping_add(context.round).is_multiple_of(NEIGHBOR_ROUNDS * context.turns);
        if is_due || !self.knows_neighbors {
            context.neighbor_grid.near(own, &context.snapshots[own as usize], reach, &mut self.neighbors);
            self.knows_neighbors = true;
        } else {
            self.neighbors.retain(|i| context.snapshots[i as usize].is_present());
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
    fn update_progress(&mut self, own: u32, context: &CrowdContext) {
        let dt = context.dt_secs;
        let moved = (to_plan(self.position) - self.previous) / dt;
        if moved.length_squared() < self.velocity.length_squared() {
            self.velocity = moved;
        }
        let walks = self.walks() && !self.is_held;
        let progress = self.velocity.dot(self.heading);
        self.delay_secs = match (self.walks(), self.keeps_order()) {
            (false, _) => 0.0,
            (true, true) => self.delay_secs,
            (true, false) => {
                let share = (progress / self.settings.max_speed.max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
                (self.delay_secs + (1.0 - share) * dt).min(MAX_DELAY_SECS)
            }
        };
        if walks && progress < STUCK_SPEED * self.settings.max_speed.min(self.preferred_velocity.length().max(0.1)) {
            self.stuck_secs += dt;
        } else {
            self.stuck_secs = (self.stuck_secs - 2.0 * dt).clamp(0.0, SQUEEZE_SECS.1);
        }
        let is_inside = self.approach.is_some_and(|a| a.distance <= 0.0);
        let jammed = self.stuck_secs > JAMMED_SECS && is_inside;
        let is_alone = self.neighbors.count == 0;
        let squeezes = walks
            && (self.is_opposed || is_alone || jammed || self.stuck_secs > SQUEEZE_ANYWAY_SECS)
            && progress < SQUEEZE_SPEED * self.preferred_velocity.length();
        self.squeeze_secs = if squeezes {
            (self.squeeze_secs + dt).min(PATIENCE_SECS)
        } else if self.is_opposed {
            // Two that push each other to and fro are no better off while it is their turn to push.
            self.squeeze_secs
        } else {
            (self.squeeze_secs.min(SQUEEZE_SECS.1) - dt).max(0.0)
        };
        let (begin, end) = SQUEEZE_SECS;
        let share = ((self.squeeze_secs - begin) / (end - begin)).clamp(0.0, 1.0);
        let has_to = share > 0.0
            && (is_alone
                || self.squeeze_secs >= PATIENCE_SECS
                || !self.can_go_back() && self.is_in_tight_passage()
                || (squeezes || is_inside) && self.is_in_throng(own, context));
        let squeezed_scale = if has_to { MIN_RADIUS_SCALE } else { SHOULDER_SCALE };
        let radius_scale = 1.0 - (1.0 - squeezed_scale) * share;
        self.radius_scale += (radius_scale - self.radius_scale).clamp(-RADIUS_SCALE_RATE * dt, RADIUS_SCALE_RATE * dt);
        let stands = !walks && self.state != AgentState::Waiting && self.preferred_velocity == Vec2::ZERO;
        let moves = self.velocity.length().max(moved.length()) >= STANDING_SPEED;
        let waits = self.stuck_secs + self.squeeze_secs + self.yield_secs > 0.0;
        self.is_settled = stands && !moves && !waits && self.radius_scale == 1.0;
    }

    /// Whether it is in a doorway from which agents that yield go back to where there is room.
    fn can_go_back(&self) -> bool {
        self.approach.is_some_and(|approach| approach.has_room)
    }

    /// Whether it is in a passage, longer than a body, in which two of its size do not pass with their shoulders turned:
    /// to go back in it makes no room.
    fn is_in_tight_passage(&self) -> bool {
        let (at, diameter) = (to_plan(self.position), 2.0 * self.settings.radius);
        let needed = 2.0 * diameter * TURNED_SCALE - 2.0 * self.erosion();
        let is_tight = |place: Vec2| self.walls.width(place, self.heading.perp(), needed) < needed;
        [0.0, -diameter, diameter].into_iter().all(|way| is_tight(at + self.heading * way))
    }

    /// Whether so many stand close around it that none of them has room to make.
    fn is_in_throng(&self, own: u32, context: &CrowdContext) -> bool {
        let mine = &context.snapshots[own as usize];
        let is_close = |i: &u32| {
            let other = &context.snapshots[*i as usize];
            mine.at.distance(other.at) < mine.radius + other.radius + CLOSE_GAP
        };
        self.neighbors.iter().filter(is_close).count() >= THRONG
    }

    fn move_to(&mut self, context: &CrowdContext, scratch: &mut WorkerScratch, to: Vec2) {
        let place = walk(context.mesh, context.filter, scratch, self.place(), to);
        self.follow(context.mesh, place, &scratch.walked);
    }

    /// Separates gently from overlapping agents.
    fn separate(&mut self, own: u32, context: &CrowdContext, scratch: &mut WorkerScratch) {
        let at = to_plan(self.position);
        let mine = context.discs[own as usize];
        let mut push = Vec2::ZERO;
        // Those that were farther off when they were searched cannot have come so near since.
        let approached = MAX_APPROACH_SPEED * context.dt_secs * (NEIGHBOR_ROUNDS * context.turns) as f32;
        for i in self.neighbors.within(mine.radius + context.max_radius + approached) {
            let other = context.discs[i as usize];
            let offset = offset_between(at, other.at, own, i);
            let (room, distance_squared) = (mine.radius + other.radius, offset.length_squared());
            if distance_squared >= room * room || self.walls.separate(at, other.at, self.erosion()) {
                continue;
            }
            let share = match (mine.walks, other.walks) {
                (true, false) => 0.3,
                (false, true) => 0.7,
                _ => 0.5,
            };
            let distance = distance_squared.sqrt();
            push -= offset * ((room - distance) * share / distance);
        }
        push = push * SEPARATION_SHARE + self.walls.push(at, self.clearance()) * 0.1;
        if push != Vec2::ZERO {
            let most = 0.5 * self.settings.radius.max(0.02);
            self.move_to(context, scratch, at + push.clamp_length_max(most));
        }
    }
}
