//! Crowds: many agents that walk on one navigation mesh without jams and never leave it.
//!
//! Each agent follows a path corridor, repairs it while it walks, looks a few corners ahead, and takes the velocity
//! nearest to its preferred one that keeps clear of walls and neighbours by ORCA ([`orca`], van den Berg and others,
//! 2011). Rules settle what reciprocal avoidance leaves open, in this order: oncoming agents keep to the right,
//! followers leave a gap, standing agents make way for walking ones, the agent nearer to its goal or longer delayed goes
//! first, doorways are passed in turns, and an agent that is stuck for a while shrinks its radius.
//!
//! A step reads the last state of all agents and writes the next, so that it gives the same bits on any number of
//! threads. Points are local to the mesh, metres, Y up; distances between agents are measured in plan view.

mod agent;
mod avoid;
mod context;
mod crowd_mesh;
mod doorway;
mod near_walls;
mod neighbors;
pub mod orca;
mod path_corridor;
mod request;
mod roster;
mod scratch;
mod settings;
mod shared_goals;
mod snapshot;
mod steer;
mod step;
#[cfg(test)]
mod tests;

pub use agent::{Agent, AgentId, AgentState, AgentSync, ExternalPath, LOOKAHEAD_POINTS, StandingRing};
pub use roster::Crowd;
pub use settings::{AgentSettings, Budget, CrowdStats};
