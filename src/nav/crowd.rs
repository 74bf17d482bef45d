//! Crowds: many agents that walk on one navigation mesh without jams and never leave it.
//!
//! Each agent keeps a corridor, mends it while it walks, looks a few corners ahead, and picks the velocity nearest to
//! the one that it wants among those that keep it clear of walls and neighbours (see [`orca`]). What agents cannot
//! agree upon is settled in this order: oncoming agents keep to the right, followers leave a gap, who stands makes way
//! for who walks, who is nearer to the goal or has lost more time goes first, and who has been stuck for a while makes
//! itself thin.
//!
//! A step reads the last state and writes the next, so that it gives the same bits on any number of threads. Points
//! are local to the mesh, metres, Y up; distances between agents are seen from above.

mod avoid;
mod cells;
mod ground;
pub mod orca;
mod passage;
mod request;
mod settings;
mod steer;
mod step;
mod target;
#[cfg(test)]
mod tests;
mod walls;
mod way;

use crate::math::plan::to_plan;
use std::collections::VecDeque;

use glam::{Vec2, Vec3};

use super::mesh::{Filter, NavMesh, NavPoint, PolyId};
use super::query::QueryError;
use super::query::path::{Corridor, CorridorFinder};
use super::query::surface::Surface;
use cells::{Cells, Near};
use ground::{Ground, locate};
use passage::{Approach, Passages};
pub use settings::{AgentSettings, Budget, Report};
use target::Targets;
use walls::Walls;
use way::{Corners, Way};

/// One agent of a crowd, as long as it is not removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentId {
    index: u32,
    generation: u32,
}

/// What an agent is at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum State {
    /// It has no goal.
    #[default]
    Idle,
    /// It waits for its way to be searched.
    Waiting,
    /// It walks.
    Walking,
    /// It walks as it is told: see [`Crowd::drive`].
    Driven,
    /// It is at its goal, or as near as those who came before let it.
    Arrived,
    /// There is no way to its goal.
    Failed(QueryError),
}

/// One agent.
#[derive(Clone, Debug, Default)]
pub struct Agent {
    settings: AgentSettings,
    polygon: Under,
    position: Vec3,
    velocity: Vec2,
    wanted: Vec2,
    heading: Vec2,
    state: State,
    target: Option<u32>,
    /// Where the way leads.
    goal: Vec3,
    way: Way,
    corners: Corners,
    walls: Walls,
    near: Near,
    /// Where it was before the step.
    before: Vec2,
    /// Where it stands when nobody pushes.
    home: Vec2,
    /// For how long it has wanted to walk and has not, seconds.
    stuck_secs: f32,
    /// How much time it has lost since it set out, seconds.
    late_secs: f32,
    /// Share of its radius that it takes up.
    girth: f32,
    /// Who comes the other way stands in its way.
    opposed: bool,
    /// For how long that has been so and it is stuck, seconds.
    pressed_secs: f32,
    /// For how long it stands to let others pass, seconds.
    yield_secs: f32,
    /// The passage ahead, and whether it waits there for others to come through.
    approach: Option<Approach>,
    held: bool,
    /// What it is told.
    drive: Option<Drive>,
    /// How much it keeps to the right in narrow places: 0 to 1.
    lane: f32,
    /// How near it has come to its goal, metres, and for how long it has not come nearer, seconds.
    closest: f32,
    linger_secs: f32,
    /// How far the goal has moved since the last search, metres.
    drift: f32,
    /// Its goal has to be looked at.
    asks: bool,
    queued: bool,
    lost: bool,
    failures: u32,
    /// Time until a goal that failed is tried again, seconds.
    pause_secs: f32,
}

/// How many points of its way one is told who is driven: enough for two rounded bends.
pub const AHEAD: usize = 12;

/// How an agent walks whose way is found elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drive {
    /// How it would move if it were alone, m/s; y does not count.
    pub wanted: Vec3,
    /// The next points of its way, local; at its end the last is repeated.
    pub ahead: [Vec3; AHEAD],
    /// How far it has to go, metres.
    pub rest: f32,
}

/// A polygon that has a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Under(PolyId);

impl Default for Under {
    fn default() -> Self {
        Self(PolyId(0))
    }
}

impl Agent {
    /// Its settings, brought into their ranges.
    pub fn settings(&self) -> &AgentSettings {
        &self.settings
    }

    /// Where it stands on the mesh, local.
    pub fn position(&self) -> Vec3 {
        self.position
    }

    /// The polygon that its position lies over.
    pub fn polygon(&self) -> PolyId {
        self.polygon.0
    }

    fn place(&self) -> NavPoint {
        NavPoint::new(self.polygon.0, self.position)
    }

    /// How it moves, m/s; its y is 0.
    pub fn velocity(&self) -> Vec3 {
        Vec3::new(self.velocity.x, 0.0, self.velocity.y)
    }

    /// How it would move if it were alone, m/s; its y is 0.
    pub fn wanted(&self) -> Vec3 {
        Vec3::new(self.wanted.x, 0.0, self.wanted.y)
    }

    /// What it is at.
    pub fn state(&self) -> State {
        self.state
    }

    /// Where its way leads, local; none without a way.
    pub fn goal(&self) -> Option<Vec3> {
        (!self.way.is_empty()).then_some(self.goal)
    }

    /// The polygons from here to the goal; none without a way.
    pub fn corridor(&self) -> impl Iterator<Item = PolyId> + '_ {
        self.way.polygons()
    }

    /// The next corners of its way, local, up to three; the last may be the goal.
    pub fn corners(&self) -> &[Vec3] {
        &self.corners.list[..self.corners.count]
    }

    /// For how long it has wanted to walk and hardly has, seconds; the time runs off as it walks again.
    pub fn stuck_secs(&self) -> f32 {
        self.stuck_secs
    }

    /// Whether it stands to let others pass.
    pub fn waits(&self) -> bool {
        self.held || self.yield_secs > 0.0
    }

    /// Share of its radius that it takes up: less than 1 where it squeezes through.
    pub fn girth(&self) -> f32 {
        self.girth
    }

    /// Whether it is on its way.
    fn walks(&self) -> bool {
        matches!(self.state, State::Walking | State::Driven)
    }

    /// The time lost that counts where it is, seconds.
    fn counted_secs(&self) -> f32 {
        if self.approach.is_none() { self.late_secs } else { 0.0 }
    }

    /// How far it has to go, metres.
    fn rest_of_way(&self) -> f32 {
        self.drive.map_or_else(|| self.way.rest(self.position, self.goal), |d| d.rest)
    }

    fn clearance(&self) -> f32 {
        self.settings.clearance * self.girth
    }
}

/// What others see of an agent.
#[derive(Clone, Copy, Debug, Default)]
struct Body {
    present: bool,
    at: Vec2,
    y: f32,
    height: f32,
    velocity: Vec2,
    /// How it means to move: who is stuck, as it wants to.
    intent: Vec2,
    /// Where it wants to go, of length 1; zero for who stands.
    heading: Vec2,
    /// Where it is on its way to, of length 1, even if it lets others pass.
    course: Vec2,
    radius: f32,
    /// How far it has to go, metres; less for who is late.
    rest: f32,
    stuck_secs: f32,
    yield_secs: f32,
    target: Option<u32>,
    arrived: bool,
}

/// Memory of one thread.
#[derive(Clone, Debug, Default)]
struct Helper {
    surface: Surface,
    polygons: Vec<PolyId>,
    walked: Vec<PolyId>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    generation: u32,
    live: bool,
    agent: Agent,
}

/// Agents on one mesh.
#[derive(Clone, Debug, Default)]
pub struct Crowd {
    slots: Vec<Slot>,
    free: Vec<u32>,
    live: usize,
    targets: Targets,
    queue: VecDeque<u32>,
    finder: CorridorFinder,
    corridor: Corridor,
    /// Expansions beyond the budgets of the steps before.
    debt: u32,
    ground: Ground,
    passages: Passages,
    bodies: Vec<Body>,
    cells: Cells,
    helpers: Vec<Helper>,
    report: Report,
}

impl Crowd {
    /// Without agents yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts an agent on the mesh near `at`; none where no ground is near or the point is not finite.
    pub fn add(&mut self, mesh: &NavMesh, at: Vec3, settings: &AgentSettings) -> Option<AgentId> {
        let NavPoint { polygon, point: position } = locate(mesh, &Filter::default(), at, false)?;
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[index as usize];
        slot.live = true;
        self.live += 1;
        let way = std::mem::take(&mut slot.agent.way);
        slot.agent = Agent { settings: settings.tamed(), girth: 1.0, way, ..Agent::default() };
        slot.agent.way.clear();
        slot.agent.put(polygon, position);
        Some(AgentId { index, generation: slot.generation })
    }

    /// Takes an agent away; whether there was one.
    pub fn remove(&mut self, id: AgentId) -> bool {
        let Some(agent) = self.get_mut(id) else { return false };
        let target = agent.target.take();
        let slot = &mut self.slots[id.index as usize];
        slot.live = false;
        slot.generation = slot.generation.wrapping_add(1);
        self.live -= 1;
        self.free.push(id.index);
        self.targets.release(target);
        if slot.agent.queued {
            self.queue.retain(|&i| i != id.index);
        }
        true
    }

    /// Sends an agent to a place on the mesh near `goal`, or lets it stand. Who has the very same goal shares it.
    pub fn set_goal(&mut self, id: AgentId, goal: Option<Vec3>) {
        let Some(slot) = self.slots.get_mut(id.index as usize).filter(|s| s.live && s.generation == id.generation)
        else {
            return;
        };
        let agent = &mut slot.agent;
        if goal.is_some() && goal == agent.target.map(|t| self.targets.asked(t)) {
            return;
        }
        let new = goal.map(|g| self.targets.take(g));
        self.targets.release(std::mem::replace(&mut agent.target, new));
        (agent.asks, agent.failures, agent.pause_secs) = (new.is_some(), 0, 0.0);
        if new.is_none() {
            agent.stand(State::Idle);
            agent.way.clear();
        } else if agent.way.is_empty() {
            agent.state = State::Waiting;
        }
    }

    /// Lets an agent walk as an outside simulation has it, which knows its way; or, with nothing, stand where it is and
    /// make way for others.
    pub fn drive(&mut self, id: AgentId, drive: Option<Drive>) {
        let Some(agent) = self.get_mut(id) else { return };
        let drive = drive.filter(|d| d.wanted.is_finite() && d.ahead.iter().all(|p| p.is_finite()));
        match drive {
            Some(_) => agent.state = State::Driven,
            None if agent.state == State::Driven => agent.stand(State::Idle),
            None => {}
        }
        agent.drive = drive;
    }

    /// Puts an agent where an outside simulation has its body; whether there is ground near by. A way that leads on
    /// from there is kept.
    pub fn place(&mut self, mesh: &NavMesh, id: AgentId, at: Vec3) -> bool {
        let mut helper = self.helpers.pop().unwrap_or_default();
        let placed = self.get_mut(id).is_some_and(|agent| agent.sync(mesh, at, &mut helper));
        self.helpers.push(helper);
        placed
    }

    /// An agent; none after its removal.
    pub fn agent(&self, id: AgentId) -> Option<&Agent> {
        self.slots.get(id.index as usize).filter(|s| s.live && s.generation == id.generation).map(|s| &s.agent)
    }

    fn get_mut(&mut self, id: AgentId) -> Option<&mut Agent> {
        let slot = self.slots.get_mut(id.index as usize)?;
        (slot.live && slot.generation == id.generation).then_some(&mut slot.agent)
    }

    /// All agents, always in the same order.
    pub fn iter(&self) -> impl Iterator<Item = (AgentId, &Agent)> {
        let slots = (0..).zip(&self.slots).filter(|s| s.1.live);
        slots.map(|(index, s)| (AgentId { index, generation: s.generation }, &s.agent))
    }

    /// How many agents there are.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// What the last step took.
    pub fn report(&self) -> Report {
        self.report
    }
}

impl Agent {
    fn put(&mut self, polygon: PolyId, position: Vec3) {
        (self.polygon, self.position) = (Under(polygon), position);
        self.home = to_plan(position);
        self.walls.clear();
    }

    /// Stops where it is.
    fn stand(&mut self, state: State) {
        (self.state, self.wanted, self.heading, self.home) = (state, Vec2::ZERO, Vec2::ZERO, to_plan(self.position));
        self.corners.count = 0;
    }

    fn sync(&mut self, mesh: &NavMesh, at: Vec3, helper: &mut Helper) -> bool {
        if !at.is_finite() || mesh.is_empty() {
            return false;
        }
        let filter = Filter::default();
        let known = self.polygon.0.index() < mesh.len();
        if known
            && to_plan(at).distance(to_plan(self.position)) < SYNC_REACH
            && (at.y - self.position.y).abs() < SYNC_REACH
        {
            let place = ground::walk(mesh, &filter, helper, self.place(), to_plan(at));
            if to_plan(place.point).distance(to_plan(at)) < 0.01 {
                (self.polygon, self.position) = (Under(place.polygon), place.point);
                self.lost |= !self.way.is_empty() && !self.way.follow(mesh, &helper.walked);
                return true;
            }
        }
        let Some(NavPoint { polygon, point: position }) = locate(mesh, &filter, at, false) else { return false };
        let moved = polygon != self.polygon.0;
        self.put(polygon, position);
        self.lost |= moved && !self.way.is_empty() && !self.way.follow(mesh, &[polygon]);
        true
    }
}

/// From how far the body of an agent is followed along the surface, metres.
const SYNC_REACH: f32 = 1.0;
