//! What systems keep from step to step beside the instances.

use crate::collide::bone_spheres::SphereSet;
use crate::nav::crowd::{AgentId, Crowd};
use crate::nav::mesh::NavPoint;
use crate::nav::original::PathFinder;
use crate::nav::planner::{Planner, PlannerContext};
use crate::nav::query::island_gap::IslandGap;
use crate::nav::query::smooth::Smoother;
use crate::nav::query::spline::Spline;
use crate::nav::search::strategy::SearchStrategy;
use crate::scene::SceneNav;
use crate::scene::nav::{AreaRule, Bends, MarkWeights};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// The crowd, and the mesh that its agents are on.
#[derive(Clone, Debug, Default)]
pub struct CrowdState {
    pub(super) crowd: Crowd,
    pub(super) mesh_id: Option<u64>,
    /// Distance from walls that the mesh keeps by itself: its agents keep as much less, metres.
    pub(super) erosion: f32,
    /// Scratch memory: position in the arrays of the instance of each agent, by slot.
    pub(super) instance_of: Vec<u32>,
    /// Scratch memory: the agent of each instance.
    pub(super) agent_ids: Vec<Option<AgentId>>,
    /// Agents that have joined in the last step: their characters moved by themselves in it.
    pub(super) joined: BTreeSet<AgentId>,
}

/// Pairs of instances that touch each other, with buffers to find them.
#[derive(Clone, Debug, Default)]
pub struct InstanceContacts {
    pub(super) pairs: Vec<(u32, u32)>,
    pub(super) spheres: Vec<SphereSet>,
    /// Position of each instance in `spheres`, where it has any.
    pub(super) sphere_index: Vec<Option<u32>>,
}

/// Why a search from one island to another failed.
pub(super) const OTHER_ISLAND: &str = "its target lies on another island of the mesh, to which no path leads";

/// Queues and search state of navigation.
#[derive(Clone, Debug, Default)]
pub struct NavigationState {
    /// Planner whose searches `unreachable` stems from: another one may take links that this one does not.
    pub(super) unreachable_by: Planner,
    /// What of the scene all paths were chosen by; `None` before the first.
    pub(super) rules: Option<PathRules>,
    /// Pairs of islands of the mesh of which the first does not lead to the second, with where they come nearest once that was
    /// asked for: steps do not.
    pub(super) unreachable: BTreeMap<(u32, u32), OnceLock<Option<IslandGap>>>,
    /// Searches the level's triangles.
    pub(super) finder: PathFinder,
    pub(super) scratch: PathScratch,
    /// One for each further thread.
    pub(super) worker_scratch: Vec<PathScratch>,
    /// Path searches made so far.
    pub(super) searches: u64,
    /// Position in the arrays of the instance whose request is served first.
    pub(super) next_request: usize,
    /// Position in the arrays of the instance whose path is smoothed first.
    pub(super) next_to_smooth: usize,
    /// Number of instances that stand around each instance because it is their target.
    pub(super) arrivals: Vec<u32>,
}

/// What of a scene decides which paths its characters take, beside mesh and enemies.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PathRules {
    planner: Planner,
    search: SearchStrategy,
    along_surface: bool,
    bends: Bends,
    turn_radius: f32,
    areas: Vec<AreaRule>,
    weights: MarkWeights,
    bias: f32,
}

impl PathRules {
    /// Those of a scene.
    pub fn from_scene(nav: &SceneNav) -> Self {
        // All fields are named, so that one that comes is decided on here.
        let SceneNav {
            planner,
            search,
            along_surface,
            bends,
            turn_radius,
            ref areas,
            ref weights,
            bias,
            // These are in the mesh.
            mesh: _,
            mesh_placement: _,
            bake: _,
            obstacles: _,
            barred: _,
            barred_cells: _,
            // These are in the covers.
            destroyed: _,
            threats: _,
            sight: _,
            // These decide no path of a character.
            crowds: _,
            excessive_ratio: _,
            probe: _,
            extra: _,
        } = *nav;
        let (areas, weights) = (areas.clone(), weights.clone());
        Self { planner, search, along_surface, bends, turn_radius, areas, weights, bias }
    }
}

/// Search state of one thread.
#[derive(Clone, Debug, Default)]
pub struct PathScratch {
    pub(super) planning: PlannerContext,
    pub(super) smoother: Smoother,
    pub(super) spline: Spline,
    pub(super) last_goal: Option<LocatedGoal>,
}

/// A goal, and its location on the mesh with this id.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocatedGoal {
    pub mesh: u64,
    /// World space.
    pub position: Vec3,
    pub location: Option<NavPoint>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_chosen_anew_when_lengths_are_measured_otherwise() {
        let nav = SceneNav::default();
        let rules = PathRules::from_scene;
        assert_eq!(rules(&nav), rules(&SceneNav { destroyed: vec![Vec3::X], excessive_ratio: 9.0, ..nav.clone() }));
        assert_ne!(rules(&nav), rules(&SceneNav { along_surface: true, ..nav.clone() }));
        assert_ne!(rules(&nav), rules(&SceneNav { bias: 1.0, ..nav }));
    }
}
