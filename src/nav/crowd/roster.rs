//! The crowd: adds, removes and moves agents and gives them goals.

use std::collections::VecDeque;

use glam::Vec3;
use rayon::prelude::*;

use super::agent::{Agent, AgentId, AgentState, AgentSync, ExternalPath};
use super::crowd_mesh::{CrowdMesh, locate, walk};
use super::doorway::Doorways;
use super::neighbors::NeighborGrid;
use super::scratch::WorkerScratch;
use super::settings::{AgentSettings, CrowdStats, MIN_TASK};
use super::shared_goals::SharedGoals;
use super::snapshot::{AgentDisc, AgentSnapshot};
use crate::math::plan::to_plan;
use crate::nav::mesh::{Filter, NavMesh, NavPoint};
use crate::nav::query::path::{Corridor, CorridorFinder};

/// Distance up to which a moved agent is followed along the surface, metres.
const SYNC_REACH: f32 = 1.0;
/// Distance below which an agent has not been moved, metres.
const SAME_PLACE: f32 = 1e-5;

#[derive(Clone, Debug, Default)]
pub(super) struct AgentSlot {
    pub(super) generation: u32,
    pub(super) live: bool,
    pub(super) agent: Agent,
}

/// The agents on one mesh.
#[derive(Clone, Debug, Default)]
pub struct Crowd {
    pub(super) slots: Vec<AgentSlot>,
    pub(super) free: Vec<u32>,
    pub(super) live: usize,
    pub(super) goals: SharedGoals,
    /// Agents whose paths are to be searched, in the order of their requests.
    pub(super) queue: VecDeque<AgentId>,
    /// Whether agents in the queue have been removed since the last step.
    pub(super) has_stale_requests: bool,
    pub(super) finder: CorridorFinder,
    pub(super) corridor: Corridor,
    /// Expansions beyond the budgets of earlier steps.
    pub(super) debt: u32,
    pub(super) crowd_mesh: CrowdMesh,
    pub(super) doorways: Doorways,
    pub(super) snapshots: Vec<AgentSnapshot>,
    /// Where the agents were at the end of the last pass over them, and where they are at the end of this one.
    pub(super) discs: Vec<AgentDisc>,
    pub(super) next_discs: Vec<AgentDisc>,
    pub(super) neighbor_grid: NeighborGrid,
    /// Counts steps, wrapping around.
    pub(super) round: u32,
    pub(super) scratches: Vec<WorkerScratch>,
    pub(super) stats: CrowdStats,
}

impl AgentSlot {
    /// Whether its agent is the one of a handle.
    fn is_of(&self, id: AgentId) -> bool {
        self.live && self.generation == id.generation
    }
}

impl Crowd {
    /// A crowd without agents.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an agent on the mesh near `at`, local to the mesh (see [`NavMesh::local`]): up to two metres beside, four above
    /// or below. `None` without ground there or for a point that is not finite. Settings are clamped to their ranges.
    pub fn add(&mut self, mesh: &NavMesh, at: Vec3, settings: &AgentSettings) -> Option<AgentId> {
        let NavPoint { polygon, point: position } = locate(mesh, &Filter::default(), at, false)?;
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(AgentSlot::default());
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[index as usize];
        slot.live = true;
        self.live += 1;
        let corridor = std::mem::take(&mut slot.agent.corridor);
        slot.agent = Agent { settings: settings.sanitized(), radius_scale: 1.0, corridor, ..Agent::default() };
        slot.agent.corridor.clear();
        slot.agent.put(polygon, position);
        Some(AgentId { index, generation: slot.generation })
    }

    /// Gives an agent other settings, clamped to their ranges: it keeps its place, its goal and its path. Returns whether
    /// it exists.
    pub fn set_settings(&mut self, id: AgentId, settings: &AgentSettings) -> bool {
        let Some(agent) = self.get_mut(id) else { return false };
        let settings = settings.sanitized();
        if agent.settings != settings {
            agent.settings = settings;
            // What it knows of walls and neighbours reaches as far as the old ones needed.
            agent.walls.clear();
            (agent.knows_neighbors, agent.is_settled) = (false, false);
        }
        true
    }

    /// Removes an agent; returns whether it existed.
    pub fn remove(&mut self, id: AgentId) -> bool {
        let Some(agent) = self.get_mut(id) else { return false };
        let shared_goal = agent.shared_goal.take();
        let slot = &mut self.slots[id.index as usize];
        slot.live = false;
        slot.generation = slot.generation.wrapping_add(1);
        self.live -= 1;
        self.free.push(id.index);
        self.goals.release(shared_goal);
        // The next step takes all of them out of the queue at once: one by one, the removal of many would cost its
        // length for each.
        self.has_stale_requests |= slot.agent.is_queued;
        true
    }

    /// Sends an agent to the mesh near `goal`, local to the mesh, or stops it. Agents with an equal goal share its lookup
    /// and arrival circle. The path is searched in the next steps; [`Agent::state`] tells how far it is, and why there is
    /// none.
    pub fn set_goal(&mut self, id: AgentId, goal: Option<Vec3>) {
        let Some(AgentSlot { agent, .. }) = self.slots.get_mut(id.slot()).filter(|slot| slot.is_of(id)) else { return };
        if goal.is_some() && goal == agent.shared_goal.map(|t| self.goals.asked(t)) {
            return;
        }
        let new = goal.map(|g| self.goals.acquire(g));
        self.goals.release(std::mem::replace(&mut agent.shared_goal, new));
        (agent.needs_path, agent.failures, agent.retry_secs) = (new.is_some(), 0, 0.0);
        agent.is_settled = false;
        if new.is_none() {
            agent.stand(AgentState::Idle);
            agent.corridor.clear();
        } else if agent.corridor.is_empty() {
            agent.state = AgentState::Waiting;
        }
    }

    /// Lets an agent follow the path of an outside simulation; `None` lets it stand and make way for others.
    pub fn set_external_path(&mut self, id: AgentId, path: Option<ExternalPath>) {
        if let Some(agent) = self.get_mut(id) {
            agent.set_external_path(path);
        }
    }

    /// Moves all agents to where an outside simulation has them and gives them its paths, on all cores: as
    /// [`sync_position`](Self::sync_position) and [`set_external_path`](Self::set_external_path) do for one. `f` says
    /// where an agent is; without an answer, or too far from the mesh, the agent [is lost](Agent::is_lost). Returns the
    /// agents that are, in their order.
    pub fn sync_all(&mut self, mesh: &NavMesh, f: impl Fn(AgentId) -> Option<AgentSync> + Sync) -> Vec<AgentId> {
        let sync = |scratch: &mut WorkerScratch, (index, slot): (usize, &mut AgentSlot)| {
            let (id, agent) = (AgentId { index: index as u32, generation: slot.generation }, &mut slot.agent);
            agent.is_lost = f(id).filter(|_| slot.live).is_none_or(|AgentSync { at, path, max_distance, ring }| {
                let is_placed = agent.sync_position(mesh, at, scratch) && agent.stands_at(at, max_distance);
                if is_placed {
                    agent.set_external_path(path);
                    agent.standing_ring = ring;
                }
                !is_placed
            });
            (slot.live && agent.is_lost).then_some(id)
        };
        let slots = self.slots.par_iter_mut().enumerate().with_min_len(MIN_TASK);
        slots.map_init(WorkerScratch::default, sync).flatten_iter().collect()
    }

    /// Moves an agent to where an outside simulation has it; returns whether there is ground nearby. A path that still
    /// leads on from there is kept.
    pub fn sync_position(&mut self, mesh: &NavMesh, id: AgentId, at: Vec3) -> bool {
        let mut scratch = self.scratches.pop().unwrap_or_default();
        let placed = self.get_mut(id).is_some_and(|agent| agent.sync_position(mesh, at, &mut scratch));
        self.scratches.push(scratch);
        placed
    }

    /// An agent; `None` after its removal.
    pub fn agent(&self, id: AgentId) -> Option<&Agent> {
        self.slots.get(id.slot()).filter(|slot| slot.is_of(id)).map(|slot| &slot.agent)
    }

    /// Takes the agents that have been removed out of the queue of requests.
    pub(super) fn drop_stale_requests(&mut self) {
        if std::mem::take(&mut self.has_stale_requests) {
            self.queue.retain(|id| self.slots[id.slot()].is_of(*id));
        }
    }

    fn get_mut(&mut self, id: AgentId) -> Option<&mut Agent> {
        self.slots.get_mut(id.slot()).filter(|slot| slot.is_of(id)).map(|slot| &mut slot.agent)
    }

    /// All agents, always in the same order.
    pub fn iter(&self) -> impl Iterator<Item = (AgentId, &Agent)> {
        let slots = (0..).zip(&self.slots).filter(|s| s.1.live);
        slots.map(|(index, s)| (AgentId { index, generation: s.generation }, &s.agent))
    }

    /// Number of agents.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there are no agents.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Statistics of the last step.
    pub fn stats(&self) -> CrowdStats {
        self.stats
    }
}

impl Agent {
    fn set_external_path(&mut self, path: Option<ExternalPath>) {
        let path = path.filter(|d| d.preferred_velocity.is_finite() && d.points.iter().all(|p| p.is_finite()));
        match path {
            Some(_) => (self.state, self.is_settled) = (AgentState::Driven, false),
            None if self.state == AgentState::Driven => self.stand(AgentState::Idle),
            None => {}
        }
        self.external_path = path;
    }

    fn sync_position(&mut self, mesh: &NavMesh, at: Vec3, scratch: &mut WorkerScratch) -> bool {
        if !at.is_finite() || mesh.is_empty() {
            return false;
        }
        let filter = Filter::default();
        let known = self.polygon.index() < mesh.len();
        if known
            && to_plan(at).distance(to_plan(self.position)) < SYNC_REACH
            && (at.y - self.position.y).abs() < SYNC_REACH
        {
            if to_plan(at).distance_squared(to_plan(self.position)) < SAME_PLACE * SAME_PLACE {
                return true;
            }
            self.is_settled = false;
            let place = walk(mesh, &filter, scratch, self.place(), to_plan(at));
            if to_plan(place.point).distance(to_plan(at)) < 0.01 {
                self.follow(mesh, place, &scratch.walked);
                return true;
            }
        }
        let Some(NavPoint { polygon, point: position }) = locate(mesh, &filter, at, false) else { return false };
        let moved = polygon != self.polygon;
        self.put(polygon, position);
        self.left_corridor |= moved && !self.corridor.is_empty() && !self.corridor.follow(mesh, &[polygon]);
        true
    }
}
