//! The state of everything that moves, derived from a scene.

use crate::anim::Playback;
use crate::asset::AssetStore;
use crate::ids::InstanceId;
use crate::scene::Scene;
use crate::vocab::MoveState;
use glam::Vec3;
use std::collections::BTreeMap;

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
    /// Length of the way ahead, metres.
    pub distance_left: Option<f32>,
}

/// Everything that moves, by instance.
#[derive(Clone, Debug, Default)]
pub struct World {
    live: BTreeMap<InstanceId, Live>,
    steps: u64,
}

impl World {
    /// Brings the world in line with a scene that was loaded, edited or got new assets: live instances appear at
    /// their saved place, removed ones vanish, changed ones take over what changed.
    pub fn reconcile(&mut self, scene: &Scene, assets: &AssetStore) {
        let _ = assets;
        self.live.retain(|id, _| scene.instances.contains(*id));
        for (id, instance) in scene.instances.iter() {
            self.live.entry(id).or_insert_with(|| {
                let motion = Motion {
                    position: instance.position,
                    yaw_rad: instance.rotation_deg.y.to_radians(),
                    ..Motion::default()
                };
                Live { now: motion, before: motion, ..Live::default() }
            });
        }
    }

    /// Advances by [`super::STEP_SECS`].
    pub fn step(&mut self, scene: &Scene, assets: &AssetStore) {
        let _ = (scene, assets);
        self.steps += 1;
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// A live instance.
    pub fn live(&self, id: InstanceId) -> Option<&Live> {
        self.live.get(&id)
    }

    /// All live instances, by id.
    pub fn iter(&self) -> impl Iterator<Item = (InstanceId, &Live)> + '_ {
        self.live.iter().map(|(id, live)| (*id, live))
    }
}
