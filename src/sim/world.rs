//! The state of everything that moves, derived from a scene.

use super::behavior_state::BehaviorTrees;
use super::derived::cover::CoverState;
use super::derived::level::{LevelGeometry, LevelState};
use super::derived::model_rigs::ModelRigs;
use super::derived::nav_mesh::{MeshState, SceneMeshError};
use super::door::Doors;
use super::dust::DustState;
use super::event::{Event, EventKind, EventLog};
use super::instance::{InstanceState, NavStatus};
use super::instance_arrays::InstanceArrays;
use super::level_parts::LevelParts;
use super::preview::PreviewState;
use super::state_hash::StateHash;
use super::system_state::{CrowdState, InstanceContacts, NavigationState};
use crate::asset::LevelTriangle;
use crate::collide::triangle_tree::TriangleTree;
use crate::ids::InstanceId;
use crate::math::Aabb;
use crate::nav::mesh::NavMesh;
use crate::nav::original::GroundGraph;
use crate::profile::Profiler;
use crate::scene::SceneNav;
use std::collections::vec_deque;
use std::sync::Arc;

/// Everything that moves, and what is derived from the scene for it. [`World::reconcile`] brings it in line with a
/// scene, [`World::step`] moves it.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub(super) instances: InstanceArrays,
    pub(super) parts: LevelParts,
    pub(super) level: LevelState,
    pub(super) mesh: MeshState,
    pub(super) cover: CoverState,
    pub(super) rigs: ModelRigs,
    pub(super) behaviors: BehaviorTrees,
    pub(super) crowd: CrowdState,
    pub(super) navigation: NavigationState,
    pub(super) contacts: InstanceContacts,
    pub(super) doors: Doors,
    pub(super) dust: DustState,
    pub(super) preview: PreviewState,
    pub(super) steps: u64,
    pub(super) events: EventLog,
    pub(super) profiler: Profiler,
}

impl World {
    /// A world whose levels are built beside the caller's thread: [`World::reconcile`] never waits for one and takes
    /// it in, when called again, once it is there. Not for runs that must be repeatable to the step.
    pub fn in_background() -> Self {
        Self {
            level: LevelState::in_background(),
            mesh: MeshState::in_background(),
            cover: CoverState::in_background(),
            ..Self::default()
        }
    }

    /// A world without a navigation mesh, for pictures in which nothing has walked: the mesh of a large level takes as
    /// much time and memory as everything else. Surfaces for feet are made when the first stand on them.
    pub fn without_nav_mesh() -> Self {
        Self { level: LevelState::only_seen(), mesh: MeshState::off(), ..Self::default() }
    }

    /// The world at its start: nothing has happened yet. What was derived from level, mesh and models stays, and is not
    /// built again.
    pub fn restarted(self) -> Self {
        let Self { level, mesh, cover, rigs, .. } = self;
        Self { level, mesh: mesh.restarted(), cover, rigs, ..Self::default() }
    }

    /// Whether a level, a mesh or its covers are being built; [`World::reconcile`] has to be called again to take it in.
    pub fn is_building(&self) -> bool {
        self.level.is_building() || self.mesh.is_building() || self.cover.is_building()
    }

    /// Which of the scene's levels are there.
    pub fn parts(&self) -> &LevelParts {
        &self.parts
    }

    /// The scene's navigation mesh.
    pub fn mesh(&self) -> &MeshState {
        &self.mesh
    }

    /// Builds the navigation mesh within a box again with the next reconcile, though nothing has changed there.
    pub fn rebuild_mesh_within(&mut self, part: Aabb) {
        self.mesh.rebuild_within(part);
    }

    /// Ends the bake of the navigation mesh that runs; the mesh from before stays.
    pub fn cancel_bake(&mut self) {
        self.mesh.cancel();
    }

    /// Lets a bake that was cancelled begin again with the next reconcile. Returns whether one was.
    pub fn resume_bake(&mut self) -> bool {
        self.mesh.resume()
    }

    /// Why the file of the mesh was not read again after it had changed on disk, since the last call.
    pub fn take_rejected_mesh(&mut self) -> Option<SceneMeshError> {
        self.mesh.take_rejected()
    }

    /// The mesh that the scene's characters walk on, if they walk on one.
    pub(super) fn walkable_mesh(&self, nav: &SceneNav) -> Option<&Arc<NavMesh>> {
        self.mesh.current().filter(|mesh| nav.planner.needs_mesh() && !mesh.is_empty() && !self.is_on_plane())
    }

    /// The covers of the mesh, and what the scene's enemies see.
    pub fn cover(&self) -> &CoverState {
        &self.cover
    }

    /// Whether characters walk on the plane that they stand on, because the scene has no level.
    pub fn is_on_plane(&self) -> bool {
        self.level.is_plane()
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Simulated time, seconds.
    pub fn secs(&self) -> f64 {
        self.steps as f64 * f64::from(super::STEP_SECS)
    }

    /// A live instance.
    pub fn live(&self, id: InstanceId) -> Option<&InstanceState> {
        self.index_of(id).map(|i| &self.instances.states[i])
    }

    /// All live instances, in the order of the scene.
    pub fn iter(&self) -> impl Iterator<Item = (InstanceId, &InstanceState)> + '_ {
        self.instances.ids.iter().copied().zip(&self.instances.states)
    }

    /// Number of live instances.
    pub fn len(&self) -> usize {
        self.instances.len()
    }

    /// Whether there is no live instance.
    pub fn is_empty(&self) -> bool {
        self.instances.len() == 0
    }

    /// The level's triangles as the original program links them, where the scene has a planner that searches them.
    pub fn original(&self) -> Option<&Arc<GroundGraph>> {
        self.level.current().and_then(|level| level.original.as_ref())
    }

    /// The search tree of the level's triangles, once there is a level.
    pub fn triangle_tree(&self) -> Option<&TriangleTree> {
        self.level.current().map(|level| &level.tree)
    }

    /// The level as people walk on it, which is another one after each change; none without a level.
    pub fn level(&self) -> Option<&Arc<LevelGeometry>> {
        self.level.current()
    }

    /// The level's triangles in world space; none without a level.
    pub fn triangles(&self) -> &[LevelTriangle] {
        self.level.current().map_or(&[], |level| level.triangles())
    }

    /// How long it took to find walkable ground and its neighbours, milliseconds; `None` without a level.
    pub fn ground_ms(&self) -> Option<f32> {
        self.level.current().map(|level| level.ground_ms)
    }

    /// Path searches made so far.
    pub fn searches(&self) -> u64 {
        self.navigation.searches
    }

    /// Takes the events that were not taken yet, oldest first.
    pub fn drain_events(&mut self) -> vec_deque::Drain<'_, Event> {
        self.events.drain()
    }

    /// How often each kind of event happened.
    pub fn event_counts(&self) -> impl Iterator<Item = (EventKind, u64)> + '_ {
        self.events.counts()
    }

    /// Times of the parts of a step; one sample per step.
    pub fn profiler(&self) -> &Profiler {
        &self.profiler
    }

    /// A number that is equal for equal states: places, headings, velocities, states, gaits and navigation of all
    /// instances, bit for bit, and the number of steps (FNV-1a, 64 bits).
    pub fn hash(&self) -> u64 {
        let mut hash = StateHash::default();
        hash.add(self.steps);
        for ((id, instance), character) in self.iter().zip(&self.instances.characters) {
            hash.add(id.to_bits());
            let m = &instance.now;
            for v in [m.position, m.velocity] {
                v.to_array().iter().for_each(|x| hash.add(u64::from(x.to_bits())));
            }
            for x in [
                m.yaw_rad,
                character.controller.gait.phase,
                character.controller.gait.pace,
                character.controller.fade_progress(),
                character.fall_speed,
                character.locomotion.speed,
            ] {
                hash.add(u64::from(x.to_bits()));
            }
            hash.add(instance.state as u64);
            hash.add(u64::from(character.node_events.bits()) << 8 | u64::from(character.has_contact));
            if let Some(behavior) = &character.behavior {
                behavior.hash_state(|word| hash.add(word));
            }
            hash.add(u64::from(instance.on_ground));
            hash.add(instance.ground_triangle.map_or(u64::MAX, u64::from));
            hash.add(match &instance.nav {
                NavStatus::Off => 0,
                NavStatus::Waiting => 1,
                NavStatus::Walking => 2,
                NavStatus::Arrived => 3,
                NavStatus::Failed(_) => 4,
            });
            hash.add(instance.path.len() as u64);
            for p in &instance.path {
                p.to_array().iter().for_each(|x| hash.add(u64::from(x.to_bits())));
            }
        }
        hash.value()
    }

    pub(super) fn index_of(&self, id: InstanceId) -> Option<usize> {
        self.instances.index_of(id)
    }
}
