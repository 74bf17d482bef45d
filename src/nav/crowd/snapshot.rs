//! The snapshot of an agent that its neighbours read while all agents advance at once.

use glam::Vec2;

/// The state of an agent that its neighbours read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AgentSnapshot {
    pub(super) present: bool,
    /// Whether a step would change nothing: it and all around it are settled.
    pub(super) asleep: bool,
    pub(super) at: Vec2,
    pub(super) y: f32,
    pub(super) height: f32,
    pub(super) velocity: Vec2,
    /// Intended velocity: that of a stuck agent approaches its preferred one.
    pub(super) intent: Vec2,
    /// Direction of its preferred velocity, of length 1; zero for a standing agent.
    pub(super) heading: Vec2,
    /// Direction of its path, of length 1, even while it lets others pass.
    pub(super) course: Vec2,
    pub(super) radius: f32,
    /// Remaining distance to its goal, metres, less a credit for lost time.
    pub(super) remaining: f32,
    pub(super) stuck_secs: f32,
    pub(super) yield_secs: f32,
    pub(super) shared_goal: Option<u32>,
    pub(super) arrived: bool,
}
