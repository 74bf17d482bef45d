//! What all agents read during a step.

use super::crowd_mesh::CrowdMesh;
use super::doorway::Doorways;
use super::neighbors::NeighborGrid;
use super::shared_goals::SharedGoals;
use super::snapshot::{AgentDisc, AgentSnapshot};
use crate::nav::mesh::{Filter, NavMesh};

/// What all agents read.
pub(super) struct CrowdContext<'a> {
    pub(super) mesh: &'a NavMesh,
    pub(super) filter: &'a Filter,
    pub(super) crowd_mesh: &'a CrowdMesh,
    pub(super) goals: &'a SharedGoals,
    pub(super) snapshots: &'a [AgentSnapshot],
    /// Where the agents were at the end of the last pass over them.
    pub(super) discs: &'a [AgentDisc],
    /// The largest of their radii, metres.
    pub(super) max_radius: f32,
    pub(super) neighbor_grid: &'a NeighborGrid,
    pub(super) doorways: &'a Doorways,
    /// Number of the step.
    pub(super) round: u32,
    /// Steps in which each agent avoids once.
    pub(super) turns: u32,
    pub(super) dt_secs: f32,
}
