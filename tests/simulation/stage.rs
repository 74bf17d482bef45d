//! Small levels built in memory piece by piece, and a stage of people and things on them.

use super::halls::{Hall, block, model};
use glam::Vec3;
use std::sync::Arc;
use walkabout::asset::{AssetStore, Channel, Track};
use walkabout::ids::{InstanceId, ModelId, NodeId};
use walkabout::scene::instance::ModelRef;
use walkabout::scene::{ActionClip, ClipSpeed, Scene, SceneInstance, SceneNav};
use walkabout::sim::{EventKind, InstanceState, NavStatus, STEP_SECS, World};
use walkabout::vocab::MoveState;

/// A scene with a level, people and things, and its world.
pub struct Stage {
    pub scene: Scene,
    pub assets: AssetStore,
    pub world: World,
    pub person: ModelId,
    pub marker: ModelId,
}

/// A level piece by piece; all faces look outwards or up.
#[derive(Default)]
pub struct Plan(pub Vec<[Vec3; 4]>);

impl Plan {
    /// A floor from (`x0`, `z0`) to (`x1`, `z1`) that rises along x from `y0` to `y1`.
    pub fn ramp(mut self, [x0, x1]: [f32; 2], [y0, y1]: [f32; 2], [z0, z1]: [f32; 2]) -> Self {
        let p = Vec3::new;
        self.0.push([p(x0, y0, z0), p(x0, y0, z1), p(x1, y1, z1), p(x1, y1, z0)]);
        self
    }

    /// A level floor.
    pub fn floor(self, x: [f32; 2], y: f32, z: [f32; 2]) -> Self {
        self.ramp(x, [y, y], z)
    }

    /// A block that stands on something: four sides and a lid.
    pub fn block(mut self, x: [f32; 2], y: [f32; 2], z: [f32; 2]) -> Self {
        self.0.extend(block(x, y, z));
        self
    }
}

impl Stage {
    /// An empty stage on a level; people climb 0.4 m and walk on 40 degrees.
    pub fn new(plan: Plan) -> Self {
        let nav = SceneNav::default();
        let mut hall = Hall::new(&plan.0, nav.mesh.clone(), nav.planner);
        hall.scene.nav = Arc::new(nav);
        Arc::make_mut(&mut hall.scene.settings).nav.ground_slope_deg = 40.0;
        let Hall { scene, assets, world, person, marker } = hall;
        Self { scene, assets, world, person, marker }
    }

    pub fn add(&mut self, model: ModelId, at: Vec3, target: Option<InstanceId>) -> InstanceId {
        let id = self.scene.instances.insert(Arc::new(SceneInstance {
            model: ModelRef::Known(model),
            position: at,
            navigation: target.is_some(),
            target,
            ..SceneInstance::default()
        }));
        self.world.reconcile(&self.scene, &self.assets);
        id
    }

    pub fn marker(&mut self, at: Vec3) -> InstanceId {
        self.add(self.marker, at, None)
    }

    pub fn walker(&mut self, at: Vec3, target: InstanceId) -> InstanceId {
        self.add(self.person, at, Some(target))
    }

    /// Moves an instance in the scene, as a person would.
    pub fn move_to(&mut self, id: InstanceId, at: Vec3) {
        Arc::make_mut(self.scene.instances.get_mut(id).unwrap()).position = at;
        self.world.reconcile(&self.scene, &self.assets);
    }

    pub fn live(&self, id: InstanceId) -> &InstanceState {
        self.world.live(id).unwrap()
    }

    pub fn at(&self, id: InstanceId) -> Vec3 {
        self.live(id).now.position
    }

    pub fn step(&mut self) {
        self.world.advance(&self.scene, &self.assets);
    }

    pub fn run(&mut self, secs: f32) {
        (0..(secs / STEP_SECS).ceil() as u32).for_each(|_| self.step());
    }

    /// Steps until `id` has arrived, at most for `secs`; the seconds it took.
    pub fn until_arrived(&mut self, id: InstanceId, secs: f32) -> f32 {
        for step in 0..(secs / STEP_SECS) as u32 {
            if self.live(id).nav == NavStatus::Arrived {
                return step as f32 * STEP_SECS;
            }
            self.step();
        }
        panic!("{:?} at {} after {secs} s", self.live(id).nav, self.at(id));
    }

    pub fn count(&self, kind: EventKind) -> u64 {
        self.world.event_counts().find(|(k, _)| *k == kind).map_or(0, |(_, n)| n)
    }
}

/// A hall of 10 × 10 m that a wall along x at z = 0 parts, but for a gap from `gap[0]` to `gap[1]`.
pub fn parted_hall(gap: [f32; 2]) -> Plan {
    let wall = |plan: Plan, x: [f32; 2]| plan.block(x, [0.0, 2.5], [-0.15, 0.15]);
    wall(wall(Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]), [-5.0, gap[0]]), [gap[1], 5.0])
}

/// A stage whose people punch for a second while their root joint goes 2 m ahead and 1 m up.
pub fn punching(root_motion: bool, plan: Plan) -> Stage {
    let mut stage = Stage::new(plan);
    let mut person = model(&Plan::default().block([-0.2, 0.2], [0.0, 1.0], [-0.2, 0.2]).0, 2);
    let translation = Track { times_secs: vec![0.0, 1.0], values: vec![Vec3::ZERO, Vec3::new(0.0, 1.0, 2.0)] };
    person.clips[1].channels = vec![Channel { node: NodeId(0), translation, ..Channel::default() }];
    stage.assets.insert("person", person);
    let entry = Arc::make_mut(stage.scene.models.get_mut(stage.person).unwrap());
    let clip = ClipSpeed { clip: 1, speed: 1.0 };
    entry.actions = vec![ActionClip { state: MoveState::Punch, clip, curve: Default::default(), root_motion }];
    entry.allowed_orders = vec![(MoveState::Idle, MoveState::Punch)];
    stage
}
