//! Goals become ways: what is known costs nothing, small moves mend the way, the rest is searched in turn.

use glam::Vec3;

use super::ground::{locate, settle, walk};
use super::{Agent, Budget, Crowd, Report, State, Under};
use crate::math::plan::to_plan;
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use crate::nav::query::{Place, QueryError};

/// How far a goal moves at once for the way to be led on, metres.
const MOVE: f32 = 4.0;
/// How far a goal moves in all before the way is searched again: so many metres and this share of the way's rest.
const DRIFT: (f32, f32) = (4.0, 0.5);
/// What a search costs besides its expansions.
const SEARCH: u32 = 4;
/// The first pause after a failure and the longest, seconds; each is twice the one before.
const PAUSE_SECS: (f32, f32) = (1.0, 64.0);

impl Crowd {
    /// Makes agents and ways fit the mesh if it is another one than before; where areas cost something else, all ways
    /// are searched anew.
    pub(super) fn adopt(&mut self, mesh: &NavMesh, filter: &Filter) {
        let Some((shift, same_costs)) = self.ground.update(mesh, filter) else { return };
        self.targets.shift(shift);
        self.passages.find(mesh, &self.ground);
        for slot in self.slots.iter_mut().filter(|s| s.live) {
            let agent = &mut slot.agent;
            let at = agent.position + shift;
            let kept = agent.polygon.0.index() < mesh.len() && settle(mesh, agent.polygon.0, at) == Some(at);
            if !kept {
                let place = locate(mesh, filter, at, true).or_else(|| locate(mesh, &Filter::default(), at, true));
                let first = NavPoint::new(PolyId(0), mesh.polygon(PolyId(0)).center);
                let NavPoint { polygon, point: position } = place.unwrap_or(first);
                (agent.polygon, agent.position) = (Under(polygon), position);
            } else {
                agent.position = at;
            }
            agent.home += to_plan(shift);
            agent.walls.clear();
            agent.corners.count = 0;
            agent.approach = None;
            let Some(target) = agent.target else { continue };
            let goal = self.targets.place(target, mesh, filter);
            let same = goal.is_some_and(|g| agent.way.transfer(mesh, shift, agent.polygon.0, g.polygon, &self.ground));
            match goal {
                Some(goal) if same && same_costs => agent.goal = goal.point,
                _ => {
                    agent.way.clear();
                    if !matches!(agent.state, State::Arrived) {
                        agent.asks = true;
                    }
                }
            }
        }
    }

    /// Answers goals, as many as the budget allows.
    pub(super) fn answer(&mut self, mesh: &NavMesh, filter: &Filter, dt_secs: f32, budget: Budget) {
        self.report = Report::default();
        for index in 0..self.slots.len() {
            if self.slots[index].live {
                self.look(index, mesh, filter, dt_secs);
            }
        }
        let allowed = budget.expansions.saturating_sub(self.debt);
        self.debt = self.debt.saturating_sub(budget.expansions);
        let mut spent = 0u32;
        while spent < allowed {
            let Some(index) = self.queue.pop_front() else { break };
            spent = spent.saturating_add(self.search(index as usize, mesh, filter));
        }
        self.debt += spent.saturating_sub(allowed);
        self.report.waiting = self.queue.len() as u32;
    }

    /// Does what needs no search.
    fn look(&mut self, index: usize, mesh: &NavMesh, filter: &Filter, dt_secs: f32) {
        let agent = &mut self.slots[index].agent;
        if let State::Failed(_) = agent.state {
            agent.pause_secs -= dt_secs;
            agent.asks |= agent.pause_secs <= 0.0;
        }
        if agent.lost && !agent.way.is_empty() {
            agent.way.clear();
            agent.asks |= agent.state != State::Arrived;
        }
        agent.lost = false;
        if !std::mem::take(&mut agent.asks) {
            return;
        }
        let Some(target) = agent.target else { return };
        let Some(goal) = self.targets.place(target, mesh, filter) else {
            let finite = self.targets.asked(target).is_finite();
            return self.fail(
                index,
                if finite { QueryError::NoGround(Place::End) } else { QueryError::NotFinite(Place::End) },
            );
        };
        let from = agent.polygon.0;
        if !self.ground.connected(from, goal.polygon) {
            let (a, b) = (mesh.polygon(from).component, mesh.polygon(goal.polygon).component);
            let excluded = !self.ground.passes(from.0);
            return self.fail(
                index,
                match (a == b, excluded) {
                    (_, true) => QueryError::Excluded(Place::Start, from.0),
                    (false, _) => QueryError::OtherIsland(a, b),
                    _ => QueryError::Blocked(from.0, goal.polygon.0),
                },
            );
        }
        if self.mend(index, mesh, filter, goal) {
            self.report.mended += 1;
        } else if !self.slots[index].agent.queued {
            self.slots[index].agent.queued = true;
            self.queue.push_back(index as u32);
        }
    }

    /// Leads the way on to a goal that has moved a little.
    fn mend(&mut self, index: usize, mesh: &NavMesh, filter: &Filter, goal: NavPoint) -> bool {
        let agent = &mut self.slots[index].agent;
        if agent.polygon.0 == goal.polygon {
            self.corridor.clear();
            self.corridor.polygons.push(goal.polygon);
            agent.take_way(mesh, &self.corridor, goal.point);
            return true;
        }
        let Some(last) = agent.way.last() else { return false };
        let moved = to_plan(agent.goal).distance(to_plan(goal.point));
        let mut done = last == goal.polygon;
        if !done
            && moved <= MOVE
            && agent.drift + moved <= DRIFT.0 + DRIFT.1 * agent.way.rest(agent.position, goal.point)
        {
            let mut helper = self.helpers.pop().unwrap_or_default();
            let NavPoint { polygon, point } =
                walk(mesh, filter, &mut helper, NavPoint::new(last, agent.goal), to_plan(goal.point));
            done = polygon == goal.polygon
                && to_plan(point).distance(to_plan(goal.point)) < 0.01
                && agent.way.extend(mesh, &helper.walked, goal.point);
            self.helpers.push(helper);
        }
        if done {
            agent.drift += moved;
            agent.goal = goal.point;
            agent.walk();
        }
        done
    }

    fn search(&mut self, index: usize, mesh: &NavMesh, filter: &Filter) -> u32 {
        let agent = &mut self.slots[index].agent;
        agent.queued = false;
        let Some(goal) = agent.target.and_then(|t| self.targets.place(t, mesh, filter)) else { return 0 };
        if !self.ground.connected(agent.polygon.0, goal.polygon) {
            agent.asks = true;
            return 0;
        }
        let answer = self.finder.find(mesh, agent.place(), goal, filter, &mut self.corridor);
        self.report.searches += 1;
        self.report.expanded += self.corridor.expanded;
        let spent = self.corridor.expanded + SEARCH;
        match answer {
            Ok(()) => agent.take_way(mesh, &self.corridor, goal.point),
            Err(error) => self.fail(index, error),
        }
        spent
    }

    fn fail(&mut self, index: usize, error: QueryError) {
        let agent = &mut self.slots[index].agent;
        agent.way.clear();
        if !matches!(agent.state, State::Failed(_)) {
            agent.stand(State::Failed(error));
        }
        agent.state = State::Failed(error);
        agent.pause_secs = (PAUSE_SECS.0 * (1u32 << agent.failures.min(10)) as f32).min(PAUSE_SECS.1);
        agent.failures += 1;
    }
}

impl Agent {
    fn take_way(&mut self, mesh: &NavMesh, corridor: &crate::nav::query::path::Corridor, goal: Vec3) {
        self.way.set(mesh, corridor, goal);
        (self.goal, self.drift) = (goal, 0.0);
        self.walk();
    }

    fn walk(&mut self) {
        (self.state, self.failures, self.closest, self.linger_secs) = (State::Walking, 0, f32::INFINITY, 0.0);
    }
}
