//! Whole steps on small levels that are built in memory: what people may rely on when they walk.

use super::{EventKind, Live, NavStatus, STEP_SECS, World};
use crate::asset::{AssetStore, Clip, Mesh, Model, Skeleton, Vertex};
use crate::ids::{InstanceId, ModelId, NodeId};
use crate::math::{Trs, triangle};
use crate::scene::instance::ModelRef;
use crate::scene::{Scene, SceneInstance, SceneLevel, SceneModel};
use glam::Vec3;
use std::sync::Arc;

/// A scene with a level, people and things, and its world.
struct Stage {
    scene: Scene,
    assets: AssetStore,
    world: World,
    person: ModelId,
    marker: ModelId,
}

/// Full speed of the people on the stage, metres per second.
const SPEED: f32 = 1.5;

fn model(quads: &[[Vec3; 4]], clips: usize) -> Model {
    let mut mesh = Mesh::default();
    for corners in quads {
        let normal = triangle::normal(&[corners[0], corners[1], corners[2]]).unwrap_or(Vec3::Y);
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(corners.map(|position| Vertex { position, normal, ..Vertex::default() }));
        mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
    }
    let skeleton = Skeleton { names: vec!["root".into()], parents: vec![None], rest: vec![Trs::IDENTITY] };
    let clip = Clip { name: "stand".into(), duration_secs: 1.0, channels: Vec::new(), morphs: Vec::new() };
    mesh.node = NodeId(0);
    let mut model = Model { skeleton, meshes: vec![mesh], clips: vec![clip; clips], ..Model::default() };
    model.rest_bounds = model.compute_rest_bounds();
    model
}

/// A level piece by piece; all faces look outwards or up.
#[derive(Default)]
struct Plan(Vec<[Vec3; 4]>);

impl Plan {
    /// A floor from (`x0`, `z0`) to (`x1`, `z1`) that rises along x from `y0` to `y1`.
    fn ramp(mut self, [x0, x1]: [f32; 2], [y0, y1]: [f32; 2], [z0, z1]: [f32; 2]) -> Self {
        let p = Vec3::new;
        self.0.push([p(x0, y0, z0), p(x0, y0, z1), p(x1, y1, z1), p(x1, y1, z0)]);
        self
    }

    /// A level floor.
    fn floor(self, x: [f32; 2], y: f32, z: [f32; 2]) -> Self {
        self.ramp(x, [y, y], z)
    }

    /// A block that stands on something: four sides and a lid.
    fn block(mut self, [x0, x1]: [f32; 2], [y0, y1]: [f32; 2], [z0, z1]: [f32; 2]) -> Self {
        let ring = [(x0, z0), (x0, z1), (x1, z1), (x1, z0)];
        for i in 0..4 {
            let ((ax, az), (bx, bz)) = (ring[i], ring[(i + 1) % 4]);
            let p = Vec3::new;
            self.0.push([p(ax, y0, az), p(bx, y0, bz), p(bx, y1, bz), p(ax, y1, az)]);
        }
        self.floor([x0, x1], y1, [z0, z1])
    }
}

impl Stage {
    /// An empty stage on a level; people climb 0.4 m and walk on 40 degrees.
    fn new(plan: Plan) -> Self {
        let mut scene = Scene::default();
        let settings = Arc::make_mut(&mut scene.settings);
        settings.gravity_enabled = true;
        settings.nav.enabled = true;
        settings.nav.max_step_height = 0.4;
        settings.nav.ground_slope_deg = 40.0;
        let mut assets = AssetStore::default();
        let cube = Plan::default().block([-0.2, 0.2], [0.0, 1.0], [-0.2, 0.2]);
        assets.insert("level", model(&plan.0, 0));
        assets.insert("person", model(&cube.0, 2));
        assets.insert("marker", model(&cube.0, 0));
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

    fn add(&mut self, model: ModelId, at: Vec3, target: Option<InstanceId>) -> InstanceId {
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

    fn marker(&mut self, at: Vec3) -> InstanceId {
        self.add(self.marker, at, None)
    }

    fn walker(&mut self, at: Vec3, target: InstanceId) -> InstanceId {
        self.add(self.person, at, Some(target))
    }

    fn live(&self, id: InstanceId) -> &Live {
        self.world.live(id).unwrap()
    }

    fn at(&self, id: InstanceId) -> Vec3 {
        self.live(id).now.position
    }

    fn step(&mut self) {
        self.world.step(&self.scene, &self.assets);
    }

    fn run(&mut self, secs: f32) {
        (0..(secs / STEP_SECS).ceil() as u32).for_each(|_| self.step());
    }

    /// Steps until `id` has arrived, at most for `secs`; the seconds it took.
    fn until_arrived(&mut self, id: InstanceId, secs: f32) -> f32 {
        for step in 0..(secs / STEP_SECS) as u32 {
            if self.live(id).nav == NavStatus::Arrived {
                return step as f32 * STEP_SECS;
            }
            self.step();
        }
        panic!("{:?} at {} after {secs} s", self.live(id).nav, self.at(id));
    }

    fn count(&self, kind: EventKind) -> u64 {
        self.world.event_counts().find(|(k, _)| *k == kind).map_or(0, |(_, n)| n)
    }
}

/// A hall of 10 × 10 m that a wall along x at z = 0 parts, but for a gap from `gap[0]` to `gap[1]`.
fn parted_hall(gap: [f32; 2]) -> Plan {
    let wall = |plan: Plan, x: [f32; 2]| plan.block(x, [0.0, 2.5], [-0.15, 0.15]);
    wall(wall(Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]), [-5.0, gap[0]]), [gap[1], 5.0])
}

#[test]
fn a_gap_that_the_ground_leads_through_is_passed_however_narrow() {
    for width in [0.16, 0.3, 0.5, 0.62, 0.8] {
        let mut stage = Stage::new(parted_hall([1.0, 1.0 + width]));
        let target = stage.marker(Vec3::new(3.0, 0.0, 3.0));
        let walker = stage.walker(Vec3::new(-3.0, 0.0, -3.0), target);
        let secs = stage.until_arrived(walker, 15.0);
        assert!(secs > 4.0, "nobody passes the wall: {secs} s through {width} m");
        assert_eq!(stage.count(EventKind::Stuck), 0, "through {width} m");
    }
}

#[test]
fn corners_are_rounded_without_brushing_along_walls() {
    // A slalom: walls from both sides, each a little beyond the middle.
    let mut plan = Plan::default().floor([-3.0, 3.0], 0.0, [-1.0, 13.0]);
    for i in 0..4 {
        let x = if i % 2 == 0 { [-3.0, 0.6] } else { [-0.6, 3.0] };
        plan = plan.block(x, [0.0, 2.0], [i as f32 * 3.0 + 1.5, i as f32 * 3.0 + 1.6]);
    }
    let mut stage = Stage::new(plan);
    let target = stage.marker(Vec3::new(0.0, 0.0, 12.5));
    let walker = stage.walker(Vec3::new(0.0, 0.0, -0.5), target);
    for _ in 0..900 {
        stage.step();
        assert!(stage.world.bodies[1].girth.share() > 0.8, "nobody has to squeeze through");
    }
    stage.run(1.0);
    assert_eq!(stage.live(walker).nav, NavStatus::Arrived);
    assert!(stage.count(EventKind::Wall) <= 4, "more than one touch a corner");
}

/// Reconciles until the level that is being built beside is taken in.
fn settle(stage: &mut Stage) {
    let begun = std::time::Instant::now();
    while stage.world.is_building() {
        assert!(begun.elapsed().as_secs() < 60, "the level never came");
        std::thread::yield_now();
        stage.world.reconcile(&stage.scene, &stage.assets);
    }
}

#[test]
fn a_level_built_beside_is_the_same_and_nobody_falls_meanwhile() {
    let plan = || Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]);
    let mut here = Stage::new(plan());
    let mut beside = Stage::new(plan());
    beside.world = World::in_background();
    let [a, b] = [&mut here, &mut beside].map(|stage| {
        let target = stage.marker(Vec3::new(4.0, 0.0, 4.0));
        stage.walker(Vec3::ZERO, target)
    });
    assert!(beside.world.is_building() && beside.world.ground().is_none());
    settle(&mut beside);
    let nodes = |stage: &Stage| stage.world.ground().map(|ground| ground.len());
    assert_eq!(nodes(&here), nodes(&beside));
    assert!(here.until_arrived(a, 20.0) > 0.0 && beside.until_arrived(b, 20.0) > 0.0);
    assert!(here.at(a).distance(beside.at(b)) < 1e-3);

    // Other settings of the ground: the old one serves until the new one is there.
    Arc::make_mut(&mut beside.scene.settings).nav.ground_slope_deg = 30.0;
    beside.world.reconcile(&beside.scene, &beside.assets);
    assert!(beside.world.is_building() && beside.world.ground().is_some());
    settle(&mut beside);

    // Asked for and taken back before it was there.
    Arc::make_mut(&mut beside.scene.settings).nav.ground_slope_deg = 50.0;
    beside.world.reconcile(&beside.scene, &beside.assets);
    Arc::make_mut(&mut beside.scene.settings).nav.ground_slope_deg = 30.0;
    beside.world.reconcile(&beside.scene, &beside.assets);
    assert!(!beside.world.is_building());
}
