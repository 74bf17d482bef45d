//! The snapshot of an agent that its neighbours read while all agents advance at once.

use glam::Vec2;

/// Shared goal of an agent that has arrived at none.
pub(super) const NO_GOAL: u32 = u32::MAX;

/// Whether an agent takes part in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Activity {
    /// The slot is free.
    #[default]
    Absent,
    /// It moves, or may begin to.
    Awake,
    /// Its last step changed nothing.
    Settled,
    /// A step would change nothing: it is settled, and no agent that is awake can reach it.
    Asleep,
}

/// The state of an agent that its neighbours read: one cache line, because an agent reads that of a dozen others.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct AgentSnapshot {
    pub(super) at: Vec2,
    pub(super) velocity: Vec2,
    /// Intended velocity: that of a stuck agent approaches its preferred one.
    pub(super) intent: Vec2,
    /// Direction of its path, of length 1, even while it lets others pass; zero for a standing agent.
    pub(super) course: Vec2,
    pub(super) radius: f32,
    /// Remaining distance to its goal, metres, less a credit for lost time.
    pub(super) remaining: f32,
    pub(super) stuck_secs: f32,
    pub(super) yield_secs: f32,
    pub(super) y: f32,
    pub(super) height: f32,
    /// The shared goal at which it has arrived, or [`NO_GOAL`].
    pub(super) arrived_at: u32,
    pub(super) activity: Activity,
    /// Whether it stands to let others pass.
    pub(super) gives_way: bool,
    /// Whether it stands as far from its place as it makes way.
    pub(super) is_firm: bool,
    /// Whether it walks towards a doorway or through it.
    pub(super) approaches: bool,
}

impl AgentSnapshot {
    pub(super) fn is_present(&self) -> bool {
        self.activity != Activity::Absent
    }

    /// Direction of its preferred velocity, of length 1; zero for a standing agent.
    pub(super) fn heading(&self) -> Vec2 {
        if self.gives_way { Vec2::ZERO } else { self.course }
    }

    /// Whether it neither moves nor means to.
    pub(super) fn is_at_rest(&self) -> bool {
        self.velocity == Vec2::ZERO && self.intent == Vec2::ZERO && self.course == Vec2::ZERO
    }

    pub(super) fn disc(&self) -> AgentDisc {
        AgentDisc { at: self.at, radius: self.radius, walks: self.heading() != Vec2::ZERO }
    }
}

/// Where an agent is: all that separation reads of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AgentDisc {
    pub(super) at: Vec2,
    pub(super) radius: f32,
    /// Whether it has a heading.
    pub(super) walks: bool,
}
