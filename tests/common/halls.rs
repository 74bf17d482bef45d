//! Small levels built in memory, with characters that walk on them.

use glam::Vec3;
use std::sync::Arc;
use walkabout::anim::speed_curve::SpeedCurve;
use walkabout::asset::{AssetStore, Clip, Mesh, Model, Skeleton, Vertex};
use walkabout::ids::{InstanceId, ModelId, NodeId};
use walkabout::math::Trs;
use walkabout::nav::planner::Planner;
use walkabout::scene::instance::ModelRef;
use walkabout::scene::nav::MeshSource;
use walkabout::scene::{ActionClip, ClipSpeed, Scene, SceneInstance, SceneLevel, SceneModel, SceneNav};
use walkabout::sim::{EventKind, InstanceState, NavStatus, STEP_SECS, World};
use walkabout::vocab::MoveState;

/// Full speed of the people, metres per second.
pub const SPEED: f32 = 1.5;

/// A scene with a level and people, and its world.
pub struct Hall {
    pub scene: Scene,
    pub assets: AssetStore,
    pub world: World,
    /// The model of the people.
    pub person: ModelId,
    /// The model of what they walk to.
    pub marker: ModelId,
}

/// A model of these quads with so many clips of a second.
pub fn model(quads: &[[Vec3; 4]], clips: usize) -> Model {
    let mut mesh = Mesh { node: NodeId(0), ..Mesh::default() };
    for corners in quads {
        let first = mesh.vertices.len() as u32;
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
        mesh.vertices.extend(corners.map(|position| Vertex { position, normal, ..Vertex::default() }));
        mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
    }
    let skeleton = Skeleton { names: vec!["root".into()], parents: vec![None], rest: vec![Trs::IDENTITY] };
    let clip = Clip { name: "stand".into(), duration_secs: 1.0, channels: Vec::new(), ..Clip::default() };
    let mut model = Model { skeleton, meshes: vec![mesh], clips: vec![clip; clips], ..Model::default() };
    model.rest_bounds = model.compute_rest_bounds();
    model
}

/// A level floor.
pub fn floor([x0, x1]: [f32; 2], y: f32, [z0, z1]: [f32; 2]) -> [Vec3; 4] {
    [(x0, z0), (x0, z1), (x1, z1), (x1, z0)].map(|(x, z)| Vec3::new(x, y, z))
}

/// The sides of a block that stands on something, and its lid.
pub fn block([x0, x1]: [f32; 2], [y0, y1]: [f32; 2], [z0, z1]: [f32; 2]) -> Vec<[Vec3; 4]> {
    let ring = [(x0, z0), (x0, z1), (x1, z1), (x1, z0)];
    let side = |i: usize| {
        let ((ax, az), (bx, bz)) = (ring[i], ring[(i + 1) % 4]);
        let p = Vec3::new;
        [p(ax, y0, az), p(bx, y0, bz), p(bx, y1, bz), p(ax, y1, az)]
    };
    (0..4).map(side).chain([floor([x0, x1], y1, [z0, z1])]).collect()
}

impl Hall {
    /// Characters on a level of these quads that walk by `planner` over a mesh from `source`.
    pub fn new(quads: &[[Vec3; 4]], source: MeshSource, planner: Planner) -> Self {
        let mut scene = Scene::default();
        let settings = Arc::make_mut(&mut scene.settings);
        settings.gravity_enabled = true;
        settings.nav.enabled = true;
        settings.nav.max_step_height = 0.4;
        let nav = Arc::make_mut(&mut scene.nav);
        (nav.mesh, nav.planner) = (source, planner);
        nav.bake.cell_size = 0.2;
        let mut assets = AssetStore::default();
        let cube = block([-0.2, 0.2], [0.0, 1.0], [-0.2, 0.2]);
        assets.insert("level", model(quads, 0));
        assets.insert("person", model(&cube, 2));
        assets.insert("marker", model(&cube, 0));
        let entry = |file: &str| SceneModel {
            name: file.into(),
            file: file.into(),
            is_nav_target: true,
            forward_speed_factor: SPEED,
            ..SceneModel::default()
        };
        scene.levels.insert(Arc::new(SceneLevel { file: "level".into(), ..SceneLevel::default() }));
        let [person, marker] = ["person", "marker"].map(|file| scene.models.insert(Arc::new(entry(file))));
        Self { scene, assets, world: World::default(), person, marker }
    }

    /// Gives the people clips for these actions, each two seconds long, that may begin in this state.
    pub fn teach(&mut self, actions: &[(MoveState, MoveState)]) {
        let entry = Arc::make_mut(self.scene.models.get_mut(self.person).unwrap());
        for &(from, to) in actions {
            entry.actions.push(ActionClip {
                state: to,
                clip: ClipSpeed { clip: 1, speed: 0.5 },
                curve: SpeedCurve::Even,
                root_motion: false,
            });
            entry.allowed_orders.push((from, to));
        }
    }

    /// What the scene says about navigation.
    pub fn nav(&mut self) -> &mut SceneNav {
        Arc::make_mut(&mut self.scene.nav)
    }

    fn add(&mut self, model: ModelId, position: Vec3, target: Option<InstanceId>) -> InstanceId {
        let model = ModelRef::Known(model);
        let navigation = target.is_some();
        let instance = SceneInstance { model, position, navigation, target, ..SceneInstance::default() };
        self.scene.instances.insert(Arc::new(instance))
    }

    /// Something to walk to.
    pub fn marker(&mut self, at: Vec3) -> InstanceId {
        self.add(self.marker, at, None)
    }

    /// A character that walks to it.
    pub fn walker(&mut self, at: Vec3, target: InstanceId) -> InstanceId {
        self.add(self.person, at, Some(target))
    }

    /// A character that stands.
    pub fn idler(&mut self, at: Vec3) -> InstanceId {
        self.add(self.person, at, None)
    }

    /// Takes in what was changed in the scene.
    pub fn reconcile(&mut self) {
        self.world.reconcile(&self.scene, &self.assets);
        assert!(self.world.mesh().error().is_none(), "{:?}", self.world.mesh().error());
    }

    /// Moves an instance in the scene, as a person would.
    pub fn move_to(&mut self, id: InstanceId, at: Vec3) {
        Arc::make_mut(self.scene.instances.get_mut(id).unwrap()).position = at;
        self.reconcile();
    }

    pub fn live(&self, id: InstanceId) -> &InstanceState {
        self.world.live(id).unwrap()
    }

    pub fn at(&self, id: InstanceId) -> Vec3 {
        self.live(id).now.position
    }

    pub fn step(&mut self) {
        self.world.step(&self.scene);
    }

    /// Steps until `id` has arrived, at most for `secs`, and calls `watch` after each step; the seconds it took.
    pub fn until_arrived(&mut self, id: InstanceId, secs: f32, mut watch: impl FnMut(&mut Self)) -> f32 {
        for step in 0..(secs / STEP_SECS) as u32 {
            if self.live(id).nav == NavStatus::Arrived {
                return step as f32 * STEP_SECS;
            }
            self.step();
            watch(self);
        }
        panic!("{:?} at {} after {secs} s", self.live(id).nav, self.at(id));
    }

    pub fn count(&self, kind: EventKind) -> u64 {
        self.world.event_counts().find(|(k, _)| *k == kind).map_or(0, |(_, n)| n)
    }
}
