//! An agent of a crowd and its state.

use glam::{Vec2, Vec3};

use super::doorway::DoorwayApproach;
use super::near_walls::NearWalls;
use super::neighbors::Neighbors;
use super::path_corridor::{Corners, PathCorridor};
use super::settings::AgentSettings;
use crate::math::plan::to_plan;
use crate::nav::mesh::{NavMesh, NavPoint, PolyId};
use crate::nav::query::QueryError;

/// Handle of an agent, valid until the agent is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentId {
    pub(super) index: u32,
    pub(super) generation: u32,
}

impl AgentId {
    /// A number below the greatest number of agents that the crowd ever had, of this agent alone while it lives.
    pub fn slot(self) -> usize {
        self.index as usize
    }
}

/// What an agent is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AgentState {
    /// It has no goal.
    #[default]
    Idle,
    /// It waits for its path to be searched.
    Waiting,
    /// It walks to its goal.
    Walking,
    /// It follows an external path: see [`Crowd::set_external_path`](super::Crowd::set_external_path).
    Driven,
    /// It is at its goal, or as near as agents that arrived before let it come.
    Arrived,
    /// There is no path to its goal.
    Failed(QueryError),
}

/// An agent.
#[derive(Clone, Debug, Default)]
pub struct Agent {
    pub(super) settings: AgentSettings,
    pub(super) polygon: PolyId,
    pub(super) position: Vec3,
    pub(super) velocity: Vec2,
    pub(super) preferred_velocity: Vec2,
    pub(super) heading: Vec2,
    pub(super) state: AgentState,
    pub(super) shared_goal: Option<u32>,
    /// End of the path, local.
    pub(super) goal: Vec3,
    pub(super) corridor: PathCorridor,
    pub(super) corners: Corners,
    pub(super) walls: NearWalls,
    pub(super) neighbors: Neighbors,
    /// Whether the list is of its place and of the last few steps.
    pub(super) knows_neighbors: bool,
    /// Position before the step, plan view.
    pub(super) previous: Vec2,
    /// Position that it returns to after it was pushed aside.
    pub(super) rest_position: Vec2,
    /// Where it is to stand.
    pub(super) standing_ring: Option<StandingRing>,
    /// Time for which it has preferred to move and has not, seconds.
    pub(super) stuck_secs: f32,
    /// Time lost since it set out, seconds.
    pub(super) delay_secs: f32,
    pub(super) is_lost: bool,
    /// Whether its last step changed nothing: it stands at its place, and none pushes it.
    pub(super) is_settled: bool,
    /// Fraction of its radius that it occupies.
    pub(super) radius_scale: f32,
    /// Whether an oncoming agent blocks it.
    pub(super) is_opposed: bool,
    /// Time for which it has been blocked and stuck, seconds.
    pub(super) squeeze_secs: f32,
    /// Time for which it still stands to let others pass, seconds.
    pub(super) yield_secs: f32,
    /// The doorway ahead, and whether it waits in front of it.
    pub(super) approach: Option<DoorwayApproach>,
    pub(super) is_held: bool,
    /// The path given by an outside simulation.
    pub(super) external_path: Option<ExternalPath>,
    /// How much it keeps to the right in narrow places, 0 to 1.
    pub(super) keep_right: f32,
    /// Smallest distance to the goal so far, metres, and the time since it last shrank, seconds.
    pub(super) closest_distance: f32,
    pub(super) stalled_secs: f32,
    /// Distance that the goal has moved since the last search, metres.
    pub(super) goal_drift: f32,
    /// Whether its goal has to be looked up.
    pub(super) needs_path: bool,
    pub(super) is_queued: bool,
    pub(super) left_corridor: bool,
    pub(super) failures: u32,
    /// Time until a failed goal is tried again, seconds.
    pub(super) retry_secs: f32,
}

/// Number of points of an [`ExternalPath`]: enough for two rounded bends.
pub const LOOKAHEAD_POINTS: usize = 12;

/// The movement of an agent whose path is found elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExternalPath {
    /// Velocity that it would have alone, m/s; y is ignored.
    pub preferred_velocity: Vec3,
    /// The next points of its path, local; the last is repeated at its end.
    pub points: [Vec3; LOOKAHEAD_POINTS],
    /// Remaining distance to its goal, metres.
    pub remaining: f32,
}

/// What an outside simulation says of an agent before a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AgentSync {
    /// Where it is, local.
    pub at: Vec3,
    /// How it moves; without, it stands and makes way for others.
    pub path: Option<ExternalPath>,
    /// Distance in the plane from `at` at which the mesh is too far, metres.
    pub max_distance: f32,
    /// Where it is to stand, if it has any place of its own.
    pub ring: Option<StandingRing>,
}

/// Places around a goal at which an agent may stand, seen from above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandingRing {
    /// The goal, local.
    pub center: Vec2,
    /// Distance from it, metres.
    pub radius: f32,
}

impl Agent {
    /// Whether the last [`sync_all`](super::Crowd::sync_all) left it without a place.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Its settings, clamped to their ranges.
    pub fn settings(&self) -> &AgentSettings {
        &self.settings
    }

    /// Position on the mesh, local.
    pub fn position(&self) -> Vec3 {
        self.position
    }

    /// The polygon under its position.
    pub fn polygon(&self) -> PolyId {
        self.polygon
    }

    pub(super) fn place(&self) -> NavPoint {
        NavPoint::new(self.polygon, self.position)
    }

    /// Velocity, m/s; y is 0.
    pub fn velocity(&self) -> Vec3 {
        Vec3::new(self.velocity.x, 0.0, self.velocity.y)
    }

    /// Velocity that it would have alone (ORCA's preferred velocity), m/s; y is 0.
    pub fn preferred_velocity(&self) -> Vec3 {
        Vec3::new(self.preferred_velocity.x, 0.0, self.preferred_velocity.y)
    }

    /// What it is doing.
    pub fn state(&self) -> AgentState {
        self.state
    }

    /// End of its path, local; `None` without a path.
    pub fn goal(&self) -> Option<Vec3> {
        (!self.corridor.is_empty()).then_some(self.goal)
    }

    /// The polygons from here to the goal; empty without a path.
    pub fn corridor(&self) -> impl Iterator<Item = PolyId> + '_ {
        self.corridor.polygons()
    }

    /// The next corners of its path, local, up to three; the last may be the goal.
    pub fn corners(&self) -> &[Vec3] {
        &self.corners.list[..self.corners.count]
    }

    /// Time for which it has preferred to move and hardly has, seconds; runs down as it moves again.
    pub fn stuck_secs(&self) -> f32 {
        self.stuck_secs
    }

    /// Whether it stands to let others pass.
    pub fn is_waiting(&self) -> bool {
        self.is_held || self.yield_secs > 0.0
    }

    /// Whether its place is that of a body at a point, local to the mesh: less than `max_distance` metres away in the plan,
    /// and less than its height above or below, where ground is that of another storey.
    pub fn stands_at(&self, at: Vec3, max_distance: f32) -> bool {
        to_plan(self.position).distance(to_plan(at)) < max_distance
            && (self.position.y - at.y).abs() < self.settings.height
    }

    /// Fraction of its radius that it occupies, below 1 where it squeezes through.
    pub fn radius_scale(&self) -> f32 {
        self.radius_scale
    }

    /// Whether it follows a path.
    pub(super) fn walks(&self) -> bool {
        matches!(self.state, AgentState::Walking | AgentState::Driven)
    }

    /// The time lost that counts here, seconds: none near a doorway that has rules of its own.
    pub(super) fn effective_delay_secs(&self) -> f32 {
        if self.keeps_order() { 0.0 } else { self.delay_secs }
    }

    /// Whether it is near a doorway in which time lost does not count.
    pub(super) fn keeps_order(&self) -> bool {
        self.approach.is_some_and(|approach| approach.keeps_order)
    }

    /// Remaining distance to its goal, metres: over its corners where they lead to the goal, else over the middles of the
    /// portals, which in long narrow polygons lie far from the path.
    pub(super) fn remaining_distance(&self) -> f32 {
        if let Some(path) = self.external_path {
            return path.remaining;
        }
        if !self.corners.ends {
            return self.corridor.remaining(self.position, self.goal);
        }
        let ahead = std::iter::once(&self.position).chain(self.corners());
        ahead.zip(self.corners()).map(|(from, to)| from.distance(*to)).sum()
    }

    pub(super) fn clearance(&self) -> f32 {
        self.settings.clearance * self.radius_scale
    }

    /// Distance from walls that the mesh keeps by itself, metres.
    pub(super) fn erosion(&self) -> f32 {
        (self.settings.radius - self.settings.clearance).max(0.0)
    }
}

impl Agent {
    pub(super) fn put(&mut self, polygon: PolyId, position: Vec3) {
        (self.polygon, self.position) = (polygon, position);
        self.rest_position = to_plan(position);
        (self.is_settled, self.knows_neighbors) = (false, false);
        self.walls.clear();
    }

    /// Moves to a place over the polygons that it crosses, the last of them its own.
    pub(super) fn follow(&mut self, mesh: &NavMesh, place: NavPoint, walked: &[PolyId]) {
        (self.polygon, self.position) = (place.polygon, place.point);
        self.left_corridor |= !self.corridor.is_empty() && !self.corridor.follow(mesh, walked);
    }

    /// Stops where it is.
    pub(super) fn stand(&mut self, state: AgentState) {
        (self.state, self.preferred_velocity, self.heading, self.rest_position) =
            (state, Vec2::ZERO, Vec2::ZERO, to_plan(self.position));
        self.corners.count = 0;
        self.is_settled = false;
    }
}
