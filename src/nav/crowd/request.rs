//! Path requests: what is known costs nothing, small moves of a goal extend the corridor, the rest is searched in turn
//! within the budget.

use glam::Vec3;

use super::agent::{Agent, AgentId, AgentState};
use super::crowd_mesh::{locate, settle, walk};
use super::roster::Crowd;
use super::settings::{Budget, CrowdStats};
use crate::math::plan::to_plan;
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use crate::nav::query::path::Corridor;
use crate::nav::query::{Place, QueryError};

/// Largest single move of a goal for which the corridor is extended, metres.
const MAX_GOAL_MOVE: f32 = 4.0;
/// Total move of a goal after which its path is searched again: metres, and fraction of the remaining distance.
const MAX_GOAL_DRIFT: (f32, f32) = (4.0, 0.5);
/// Cost of a search besides its expansions.
const SEARCH_OVERHEAD: u32 = 4;
/// First and longest pause after a failure, seconds; each is twice the one before.
const RETRY_SECS: (f32, f32) = (1.0, 64.0);

impl Crowd {
    /// Moves agents and corridors to another mesh or filter; where area costs change, all paths are searched again.
    pub(super) fn update_mesh(&mut self, mesh: &NavMesh, filter: &Filter) {
        let Some((shift, same_costs)) = self.crowd_mesh.update(mesh, filter) else { return };
        self.goals.shift(shift);
        self.doorways.find(mesh, &self.crowd_mesh);
        for slot in self.slots.iter_mut().filter(|s| s.live) {
            let agent = &mut slot.agent;
            let at = agent.position + shift;
            // A polygon that an obstacle has cut is still there, but nothing leads out of it.
            let kept = mesh.is_live(agent.polygon) && settle(mesh, agent.polygon, at) == Some(at);
            let place = if kept {
                NavPoint::new(agent.polygon, at)
            } else {
                let near = locate(mesh, filter, at, true).or_else(|| locate(mesh, &Filter::default(), at, true));
                near.unwrap_or(NavPoint::new(PolyId(0), mesh.polygon(PolyId(0)).center))
            };
            (agent.polygon, agent.position) = (place.polygon, place.point);
            agent.rest_position += to_plan(shift);
            agent.walls.clear();
            agent.is_settled = false;
            agent.corners.count = 0;
            agent.approach = None;
            let Some(shared_goal) = agent.shared_goal else { continue };
            let goal = self.goals.locate(shared_goal, mesh, filter);
            let same =
                goal.is_some_and(|g| agent.corridor.transfer(mesh, shift, agent.polygon, g.polygon, &self.crowd_mesh));
            match goal {
                Some(goal) if same && same_costs => {
                    agent.goal = goal.point;
                    // It stands on the goal's polygon, but had no way when it asked.
                    agent.needs_path |= matches!(agent.state, AgentState::Failed(_));
                }
                _ => {
                    agent.corridor.clear();
                    if !matches!(agent.state, AgentState::Arrived) {
                        agent.needs_path = true;
                    }
                }
            }
        }
    }

    /// Serves requests within the budget.
    pub(super) fn serve_requests(&mut self, mesh: &NavMesh, filter: &Filter, dt_secs: f32, budget: Budget) {
        self.stats = CrowdStats::default();
        self.drop_stale_requests();
        for index in 0..self.slots.len() {
            if self.goals.is_empty() {
                // All follow the paths of an outside simulation.
                break;
            }
            if self.slots[index].live {
                self.resolve_goal(index, mesh, filter, dt_secs);
            }
        }
        let allowed = budget.expansions.saturating_sub(self.debt);
        self.debt = self.debt.saturating_sub(budget.expansions);
        let mut spent = 0u32;
        while spent < allowed {
            let Some(id) = self.queue.pop_front() else { break };
            spent = spent.saturating_add(self.search(id.slot(), mesh, filter));
        }
        self.debt += spent.saturating_sub(allowed);
        self.stats.waiting = self.queue.len() as u32;
    }

    /// Handles what needs no search.
    fn resolve_goal(&mut self, index: usize, mesh: &NavMesh, filter: &Filter, dt_secs: f32) {
        let agent = &mut self.slots[index].agent;
        if let AgentState::Failed(_) = agent.state {
            agent.retry_secs -= dt_secs;
            agent.needs_path |= agent.retry_secs <= 0.0;
        }
        if agent.left_corridor && !agent.corridor.is_empty() {
            agent.corridor.clear();
            agent.needs_path |= agent.state != AgentState::Arrived;
        }
        agent.left_corridor = false;
        if !std::mem::take(&mut agent.needs_path) {
            return;
        }
        let Some(shared_goal) = agent.shared_goal else { return };
        let Some(goal) = self.goals.locate(shared_goal, mesh, filter) else {
            let finite = self.goals.asked(shared_goal).is_finite();
            return self.fail(
                index,
                if finite { QueryError::NoGround(Place::End) } else { QueryError::NotFinite(Place::End) },
            );
        };
        let from = agent.polygon;
        if !self.crowd_mesh.connected(from, goal.polygon) {
            let (a, b) = (mesh.polygon(from).island, mesh.polygon(goal.polygon).island);
            let excluded = !self.crowd_mesh.passes(from.0);
            return self.fail(
                index,
                match (a == b, excluded) {
                    (_, true) => QueryError::Excluded(Place::Start, from.0),
                    (false, _) => QueryError::OtherIsland(a, b),
                    _ => QueryError::Blocked(from.0, goal.polygon.0),
                },
            );
        }
        if self.repair(index, mesh, filter, goal) {
            self.stats.repaired += 1;
        } else if !self.slots[index].agent.is_queued {
            let slot = &mut self.slots[index];
            slot.agent.is_queued = true;
            self.queue.push_back(AgentId { index: index as u32, generation: slot.generation });
        }
    }

    /// Extends the corridor to a goal that has moved a little.
    fn repair(&mut self, index: usize, mesh: &NavMesh, filter: &Filter, goal: NavPoint) -> bool {
        let agent = &mut self.slots[index].agent;
        if agent.polygon == goal.polygon {
            self.corridor.clear();
            self.corridor.polygons.push(goal.polygon);
            agent.set_corridor(mesh, &self.corridor, goal.point);
            return true;
        }
        let Some(last) = agent.corridor.last() else { return false };
        let moved = to_plan(agent.goal).distance(to_plan(goal.point));
        let mut done = last == goal.polygon;
        if !done
            && moved <= MAX_GOAL_MOVE
            && agent.goal_drift + moved
                <= MAX_GOAL_DRIFT.0 + MAX_GOAL_DRIFT.1 * agent.corridor.remaining(agent.position, goal.point)
        {
            let mut scratch = self.scratches.pop().unwrap_or_default();
            let NavPoint { polygon, point } =
                walk(mesh, filter, &mut scratch, NavPoint::new(last, agent.goal), to_plan(goal.point));
            done = polygon == goal.polygon
                && to_plan(point).distance(to_plan(goal.point)) < 0.01
                && agent.corridor.extend(mesh, &scratch.walked, goal.point);
            self.scratches.push(scratch);
        }
        if done {
            agent.goal_drift += moved;
            agent.goal = goal.point;
            agent.start_walking();
        }
        done
    }

    fn search(&mut self, index: usize, mesh: &NavMesh, filter: &Filter) -> u32 {
        let agent = &mut self.slots[index].agent;
        agent.is_queued = false;
        let Some(goal) = agent.shared_goal.and_then(|t| self.goals.locate(t, mesh, filter)) else { return 0 };
        if !self.crowd_mesh.connected(agent.polygon, goal.polygon) {
            agent.needs_path = true;
            return 0;
        }
        let answer = self.finder.find(mesh, agent.place(), goal, filter, &mut self.corridor);
        self.stats.searches += 1;
        self.stats.expanded += self.corridor.expanded;
        let spent = self.corridor.expanded + SEARCH_OVERHEAD;
        match answer {
            Ok(()) => agent.set_corridor(mesh, &self.corridor, goal.point),
            Err(error) => self.fail(index, error),
        }
        spent
    }

    fn fail(&mut self, index: usize, error: QueryError) {
        let agent = &mut self.slots[index].agent;
        agent.corridor.clear();
        if !matches!(agent.state, AgentState::Failed(_)) {
            agent.stand(AgentState::Failed(error));
        }
        agent.state = AgentState::Failed(error);
        agent.retry_secs = (RETRY_SECS.0 * (1u32 << agent.failures.min(10)) as f32).min(RETRY_SECS.1);
        agent.failures += 1;
    }
}

impl Agent {
    fn set_corridor(&mut self, mesh: &NavMesh, corridor: &Corridor, goal: Vec3) {
        self.corridor.set(mesh, corridor, goal);
        (self.goal, self.goal_drift) = (goal, 0.0);
        self.start_walking();
    }

    fn start_walking(&mut self) {
        (self.state, self.failures, self.closest_distance, self.stalled_secs) =
            (AgentState::Walking, 0, f32::INFINITY, 0.0);
    }
}
