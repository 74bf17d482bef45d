//! One of our own people on a level made of a profile: flat ground, slopes, stairs.

#[path = "own_models.rs"]
pub mod own_models;

use glam::{Mat4, Vec3};
use std::path::Path;
use std::sync::Arc;
use walkabout::anim::legs::Legs;
use walkabout::asset::{AssetStore, Mesh, Model, Skeleton, Vertex};
use walkabout::ids::{InstanceId, NodeId};
use walkabout::math::{Trs, triangle};
use walkabout::scene::instance::ModelRef;
use walkabout::scene::{Scene, SceneInstance, SceneLevel, SceneModel};
use walkabout::sim::{Steer, World};
use walkabout::vocab::MoveDirection;

/// Ground over `z`: what a level is built from, and what feet are held against.
pub struct Profile(Vec<[f32; 2]>);

impl Profile {
    /// Flat, then up at 30 degrees, flat, down again, flat.
    pub fn slopes() -> Self {
        let rise = 3.0 * 30.0_f32.to_radians().tan();
        Self(vec![[-8.0, 0.0], [2.0, 0.0], [5.0, rise], [9.0, rise], [12.0, 0.0], [22.0, 0.0]])
    }

    /// Up all along, a metre every two.
    pub fn hillside() -> Self {
        Self(vec![[-8.0, -4.0], [8.0, 4.0]])
    }

    /// Eight steps of 17 cm up and down again, 29 cm deep.
    pub fn stairs() -> Self {
        let mut points = vec![[-8.0, 0.0]];
        let mut z = 2.0;
        for (from, to) in (0..8).map(|i| (i, i + 1)).chain((0..8).rev().map(|i| (i + 1, i))) {
            if (from, to) == (8, 7) {
                z += 3.0;
            }
            points.push([z, from as f32 * 0.17]);
            points.push([z, to as f32 * 0.17]);
            z += 0.29;
        }
        points.push([z + 10.0, 0.0]);
        Self(points)
    }

    /// A beam along x, 30 cm wide and 3 m high.
    pub fn beam() -> Self {
        Self(vec![[-8.0, -3.0], [-0.15, -3.0], [-0.15, 0.0], [0.15, 0.0], [0.15, -3.0], [8.0, -3.0]])
    }

    pub fn flat() -> Self {
        Self(vec![[-8.0, 0.0], [40.0, 0.0]])
    }

    pub fn height(&self, z: f32) -> f32 {
        let over = self.0.windows(2).filter(|w| w[1][0] > w[0][0] && (w[0][0]..=w[1][0]).contains(&z));
        let heights = over.map(|w| w[0][1] + (w[1][1] - w[0][1]) * (z - w[0][0]) / (w[1][0] - w[0][0]));
        heights.fold(f32::NEG_INFINITY, f32::max)
    }

    fn model(&self) -> Model {
        let mut mesh = Mesh { node: NodeId(0), ..Mesh::default() };
        for w in self.0.windows(2) {
            let at = |x: f32, p: [f32; 2]| Vec3::new(x, p[1], p[0]);
            let corners = [at(-4.0, w[0]), at(-4.0, w[1]), at(4.0, w[1]), at(4.0, w[0])];
            let normal = triangle::normal(&[corners[0], corners[1], corners[2]]).unwrap();
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend(corners.map(|position| Vertex { position, normal, ..Vertex::default() }));
            mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
        }
        let skeleton = Skeleton { names: vec!["root".into()], parents: vec![None], rest: vec![Trs::IDENTITY] };
        let mut model = Model { skeleton, meshes: vec![mesh], ..Model::default() };
        model.rest_bounds = model.compute_rest_bounds();
        model
    }
}

pub struct Stage {
    pub scene: Scene,
    pub world: World,
    pub person: InstanceId,
    pub model: Arc<Model>,
    pub legs: Legs,
}

impl Stage {
    pub fn new(person: &str, profile: &Profile, feet: bool) -> Self {
        Self::with_entry(person, profile, feet, |_| {})
    }

    /// The same with a changed entry of the model.
    pub fn with_entry(person: &str, profile: &Profile, feet: bool, change: impl FnOnce(&mut SceneModel)) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut scene = walkabout::scene::file::load(&root.join("config/plaza.acfg")).unwrap().scene;
        let mut assets = AssetStore::with_importer(own_models::importer());
        assets.set_root(root);
        let (id, entry) = scene.models.iter().find(|(_, m)| m.name == person).unwrap();
        let mut entry: SceneModel = (**entry).clone();
        change(&mut entry);
        assets.request(&entry);
        assets.wait();
        let model = assets.by_file(&entry).unwrap().1.clone();
        let names = |chain: &[u32]| chain.iter().map(|n| model.skeleton.names[*n as usize].clone()).collect::<Vec<_>>();
        assert_eq!(names(&entry.left_foot_chain), ["foot_l", "lower_leg_l", "upper_leg_l"]);
        assert_eq!(names(&entry.right_foot_chain), ["foot_r", "lower_leg_r", "upper_leg_r"]);
        let legs = Legs::new(&model, &entry.left_foot_chain, &entry.right_foot_chain).unwrap();
        *scene.models.get_mut(id).unwrap() = Arc::new(entry);
        scene.instances = Default::default();
        scene.levels = Default::default();
        assets.insert("ground", profile.model());
        scene.levels.insert(Arc::new(SceneLevel { file: "ground".into(), ..SceneLevel::default() }));
        let instance = SceneInstance { model: ModelRef::Known(id), ..SceneInstance::default() };
        let person = scene.instances.insert(Arc::new(instance));
        let settings = Arc::make_mut(&mut scene.settings);
        settings.ik_enabled = feet;
        settings.gravity_enabled = true;
        settings.nav.max_step_height = 0.4;
        settings.nav.ground_slope_deg = 40.0;
        let mut world = World::default();
        world.reconcile(&scene, &assets);
        Self { scene, world, person, model, legs }
    }

    pub fn steer(&mut self, pace: f32, heading_rad: f32) {
        let steer = Steer { heading_rad, pace, direction: MoveDirection::Forward };
        self.world.orders_mut(self.person).unwrap().steer = Some(steer);
    }

    pub fn step(&mut self) {
        self.world.step(&self.scene);
    }

    /// World-space matrices of all nodes as drawn after the last step.
    pub fn posed(&self) -> Vec<Mat4> {
        self.world.drawn_pose(self.person).unwrap()
    }

    /// Under heel and ball of a foot as drawn, and whether the clip has it stand.
    pub fn foot(&self, posed: &[Mat4], leg: usize) -> ([Vec3; 2], bool) {
        let foot = &self.world.feet(self.person, posed).unwrap()[leg];
        (foot.sole, foot.planted)
    }
}
