//! The state of everything that moves, derived from a scene.

use super::behave::Templates;
use super::body::Body;
use super::collide_pairs::Contacts;
use super::collide_pairs::bounds_of;
use super::cover::CoverState;
use super::event::{Event, EventKind, EventLog};
use super::level::{Level, LevelSources};
use super::links::{Crossing, Leap};
use super::mesh::MeshState;
use super::on_mesh::Tools;
use super::presence::Presence;
use super::preview::Previewed;
use super::reconcile::ModelStamps;
use super::walkers::Walkers;
use crate::anim::Playback;
use crate::anim::legs::LegIkResult;
use crate::asset::LevelTriangle;
use crate::background::BackgroundJob;
use crate::collide::triangle_octree::TriangleOctree;
use crate::ids::InstanceId;
use crate::math::Aabb;
use crate::nav::ground::GroundGraph;
use crate::nav::path::PathFinder;
use crate::nav::planner::Planner;
use crate::profile::Profiler;
use crate::vocab::MoveState;
use glam::Vec3;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Position and heading of a live instance at the end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Position of the model's origin (between the feet) in world space, metres.
    pub position: Vec3,
    /// Heading about +Y in radians, (-π, π]; 0 faces +Z.
    pub yaw_rad: f32,
    /// Velocity in world space, metres per second.
    pub velocity: Vec3,
    /// What its pose is made of.
    pub playback: Playback,
    /// What the ground changes about its legs.
    pub feet: LegIkResult,
    /// Weights of the face's morph targets, in the order of [`crate::vocab::FaceExpression`] without its first.
    pub face: [f32; 4],
}

/// How an instance's walk to its target stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum NavStatus {
    /// Has no target, or navigation is off.
    #[default]
    Off,
    /// Waits for its turn in the queue.
    Waiting,
    /// Walks along a path.
    Walking,
    /// Is at its target.
    Arrived,
    /// Found no path, for this reason.
    Failed(String),
}

/// A live instance.
#[derive(Clone, Debug, Default)]
pub struct Live {
    /// State at the end of the last step.
    pub now: Motion,
    /// State one step before: drawing interpolates from here.
    pub before: Motion,
    /// What it is doing.
    pub state: MoveState,
    /// Whether it stands on something.
    pub on_ground: bool,
    /// The level triangle under its feet.
    pub ground_triangle: Option<u32>,
    /// How its navigation stands.
    pub nav: NavStatus,
    /// Way points ahead in world space, next first; ends at the target.
    pub path: Vec<Vec3>,
    /// Length of the way ahead, metres; the straight distance once arrived.
    pub distance_left: Option<f32>,
    /// Links on the way ahead, next first.
    pub leaps: Vec<Leap>,
    /// The link that is being crossed.
    pub crossing: Option<Crossing>,
}

/// Everything that moves. Instances stand in flat arrays in the order of the scene.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub(super) ids: Vec<InstanceId>,
    /// Position in the arrays by slot of the id; `u32::MAX` for none.
    pub(super) by_slot: Vec<u32>,
    pub(super) live: Vec<Live>,
    pub(super) bodies: Vec<Body>,
    pub(super) level: Option<Arc<Level>>,
    pub(super) level_sources: Option<LevelSources>,
    pub(super) builder: BackgroundJob<LevelSources>,
    pub(super) mesh: MeshState,
    pub(super) cover: CoverState,
    pub(super) models: ModelStamps,
    /// How everyone looked at the end of the last step.
    pub(super) presences: Vec<Presence>,
    pub(super) walkers: Walkers,
    /// Islands of the mesh, the first of which does not lead to the second, as searches of this planner found out.
    pub(super) apart: (Planner, BTreeSet<(u32, u32)>),
    pub(super) finder: PathFinder,
    pub(super) tools: Tools,
    /// What finds ways over the mesh on other threads.
    pub(super) helpers: Vec<Tools>,
    pub(super) searches: u64,
    pub(super) next_in_queue: usize,
    pub(super) next_to_round: usize,
    /// How many stand around each instance because it is their target.
    pub(super) arrivals: Vec<u32>,
    pub(super) templates: Templates,
    pub(super) contacts: Contacts,
    pub(super) previewed: Option<Previewed>,
    pub(super) steps: u64,
    pub(super) events: EventLog,
    pub(super) profiler: Profiler,
}

impl World {
    /// A world whose levels are built beside the caller's thread: [`World::reconcile`] never waits for one and takes
    /// it in, when called again, once it is there. Not for runs that must be repeatable to the step.
    pub fn in_background() -> Self {
        Self {
            builder: BackgroundJob::in_background(),
            mesh: MeshState::in_background(),
            cover: CoverState::in_background(),
            ..Self::default()
        }
    }

    /// Whether a level, a mesh or its covers are being built; [`World::reconcile`] has to be called again to take it in.
    pub fn is_building(&self) -> bool {
        self.builder.is_running() || self.mesh.is_building() || self.cover.is_building()
    }

    /// The scene's navigation mesh.
    pub fn mesh(&self) -> &MeshState {
        &self.mesh
    }

    /// The covers of the mesh, and what the scene's enemies see.
    pub fn cover(&self) -> &CoverState {
        &self.cover
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
    pub fn live(&self, id: InstanceId) -> Option<&Live> {
        self.index_of(id).map(|i| &self.live[i])
    }

    /// All live instances, in the order of the scene.
    pub fn iter(&self) -> impl Iterator<Item = (InstanceId, &Live)> + '_ {
        self.ids.iter().copied().zip(&self.live)
    }

    /// Number of live instances.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no live instance.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The level's triangles as the original program links them, where the scene has a planner that searches them.
    pub fn original(&self) -> Option<&Arc<GroundGraph>> {
        self.level.as_ref().and_then(|l| l.original.as_ref())
    }

    /// The octree of the level's triangles, once there is a level.
    pub fn octree(&self) -> Option<&TriangleOctree> {
        self.level.as_ref().map(|l| &l.octree)
    }

    /// The level's triangles in world space; none without a level.
    pub fn triangles(&self) -> &[LevelTriangle] {
        self.level.as_ref().map_or(&[], |l| l.triangles())
    }

    /// The boxes of all live instances in world space, in the order of [`World::iter`].
    pub fn instance_boxes(&self) -> impl Iterator<Item = Aabb> + '_ {
        self.live.iter().zip(&self.bodies).map(|(live, body)| bounds_of(live, body))
    }

    /// Level triangles that instance `id` touches: what it stands on and the walls within its reach, as positions in
    /// [`World::triangles`].
    pub fn touching(&self, id: InstanceId, out: &mut Vec<u32>) {
        out.clear();
        let (Some(i), Some(level)) = (self.index_of(id), &self.level) else { return };
        super::walk::touching(level, &self.live[i], &self.bodies[i], out);
    }

    /// Path searches made so far.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// Takes the events that nobody has taken yet, oldest first.
    pub fn drain_events(&mut self) -> std::vec::Drain<'_, Event> {
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
        for ((id, live), body) in self.iter().zip(&self.bodies) {
            hash.add(id.to_bits());
            let m = &live.now;
            for v in [m.position, m.velocity] {
                v.to_array().iter().for_each(|x| hash.add(u64::from(x.to_bits())));
            }
            for x in [
                m.yaw_rad,
                body.controller.gait.phase,
                body.controller.gait.pace,
                body.controller.fade_progress(),
                body.fall_speed,
                body.pace.speed,
            ] {
                hash.add(u64::from(x.to_bits()));
            }
            hash.add(live.state as u64);
            hash.add(u64::from(body.heard.bits()) << 8 | u64::from(body.contact));
            if let Some(mind) = &body.mind {
                mind.fingerprint(|word| hash.add(word));
            }
            hash.add(u64::from(live.on_ground));
            hash.add(live.ground_triangle.map_or(u64::MAX, u64::from));
            hash.add(match &live.nav {
                NavStatus::Off => 0,
                NavStatus::Waiting => 1,
                NavStatus::Walking => 2,
                NavStatus::Arrived => 3,
                NavStatus::Failed(_) => 4,
            });
            hash.add(live.path.len() as u64);
            for p in &live.path {
                p.to_array().iter().for_each(|x| hash.add(u64::from(x.to_bits())));
            }
        }
        hash.value()
    }

    pub(super) fn index_of(&self, id: InstanceId) -> Option<usize> {
        let i = *self.by_slot.get(id.slot() as usize)? as usize;
        (self.ids.get(i) == Some(&id)).then_some(i)
    }
}

/// FNV-1a over 64-bit words, byte by byte.
#[derive(Clone, Copy, Debug)]
pub struct StateHash(u64);

impl Default for StateHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl StateHash {
    /// Continues a hash from its value.
    pub fn resume(value: u64) -> Self {
        Self(value)
    }

    /// The hash of what was added.
    pub fn value(self) -> u64 {
        self.0
    }

    /// Adds a word.
    pub fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
