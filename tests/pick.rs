//! Who is drawn at a pixel, as the device says: people as they are posed, hidden by walls and by each other.

#![allow(clippy::unwrap_used, reason = "a test that cannot draw has to fail")]

use glam::{Mat4, Vec2, Vec3};
use std::sync::Arc;
use walkabout::anim::{Blend, ClipAt, Playback};
use walkabout::app::pick::{Stage, instance_at};
use walkabout::asset::{AssetStore, Channel, Clip, Joint, Mesh, Model, Skeleton, SkinVertex, Track};
use walkabout::camera::{Lens, View};
use walkabout::debug::DebugDraw;
use walkabout::gpu::Context;
use walkabout::ids::{ClipId, InstanceId, NodeId};
use walkabout::math::Trs;
use walkabout::render::frame::pick_number;
use walkabout::render::{FrameData, Picked, Renderer, cube, extract};
use walkabout::scene::instance::ModelRef;
use walkabout::scene::{Scene, SceneInstance, SceneLevel, SceneModel};
use walkabout::sim::{Preview, World};

const SIZE: [u32; 2] = [320, 200];

/// A box that hangs from a joint.
fn block(joint: u16, from: Vec3, size: Vec3) -> Mesh {
    let mut mesh = cube::model().meshes.remove(0);
    for vertex in &mut mesh.vertices {
        vertex.position = from + vertex.position * size;
    }
    mesh.skin = vec![SkinVertex { joints: [joint, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0] }; mesh.vertices.len()];
    mesh
}

/// A body with an arm beside it, 0.4 metres apart; the one clip lifts the arm by two metres.
fn person() -> Model {
    let lift = Track { times_secs: vec![0.0], values: vec![Vec3::Y * 2.0] };
    let channel = Channel { node: NodeId(1), translation: lift, ..Channel::default() };
    let mut model = Model {
        skeleton: Skeleton {
            names: vec!["body".into(), "arm".into()],
            parents: vec![None, Some(NodeId(0))],
            rest: vec![Trs::IDENTITY; 2],
        },
        joints: [0, 1].map(|node| Joint { node: NodeId(node), node_from_mesh: Mat4::IDENTITY }).to_vec(),
        clips: vec![Clip { name: "lift".into(), duration_secs: 1.0, channels: vec![channel], ..Clip::default() }],
        meshes: vec![
            block(0, Vec3::new(-0.3, 0.0, -0.2), Vec3::new(0.6, 1.8, 0.4)),
            block(1, Vec3::new(0.7, 0.0, -0.2), Vec3::new(0.3, 1.8, 0.4)),
        ],
        materials: cube::model().materials,
        ..Model::default()
    };
    model.rest_bounds = model.compute_rest_bounds();
    model
}

/// People and a wall before one of them, the device, and what draws there.
struct Stand {
    gpu: Context,
    renderer: Renderer,
    scene: Scene,
    world: World,
    assets: AssetStore,
    view: View,
}

/// In the scene: somebody alone on the left, two behind each other in the middle, on the right somebody behind a wall, and
/// one whose model is missing.
const PLACES: [Vec3; 5] = [
    Vec3::new(-3.0, 0.0, -6.0),
    Vec3::new(0.0, 0.0, -6.0),
    Vec3::new(0.2, 0.0, -8.0),
    Vec3::new(3.0, 0.0, -8.0),
    Vec3::new(-6.5, 0.0, -9.5),
];

impl Stand {
    fn new() -> (Self, [InstanceId; 5]) {
        let mut scene = Scene::default();
        let file = SceneModel { name: "person".into(), file: "person.glb".into(), ..SceneModel::default() };
        let model = ModelRef::Known(scene.models.insert(Arc::new(file)));
        let missing = ModelRef::Missing(String::new());
        // A slot that was used before: numbers are not positions.
        let gone = scene.instances.insert(Arc::new(SceneInstance::default()));
        let people = PLACES.map(|position| {
            let model = if position == PLACES[4] { missing.clone() } else { model.clone() };
            scene.instances.insert(Arc::new(SceneInstance { position, model, ..SceneInstance::default() }))
        });
        scene.instances.remove(gone);
        let wall = SceneLevel {
            file: "wall.glb".into(),
            position: Vec3::new(2.5, -1.0, -7.0),
            scale: 0.8,
            ..Default::default()
        };
        scene.levels.insert(Arc::new(wall));
        let (mut world, mut assets) = (World::default(), AssetStore::default());
        assets.insert("person.glb", person());
        let mut wall = block(0, Vec3::ZERO, Vec3::new(3.0, 5.0, 0.2));
        wall.skin.clear();
        let mut wall = Model { meshes: vec![wall], ..cube::model() };
        wall.rest_bounds = wall.compute_rest_bounds();
        assets.insert("wall.glb", wall);
        world.reconcile(&scene, &assets);
        assert!(world.octree().is_some());
        let gpu = Context::headless().unwrap();
        let renderer = Renderer::new(&gpu, Renderer::IMAGE_FORMAT).unwrap();
        let aspect = SIZE[0] as f32 / SIZE[1] as f32;
        let view = View::new(Vec3::new(0.0, 1.2, 0.0), Vec3::NEG_Z, Lens::Perspective { fov_rad: 0.9 }, aspect);
        (Self { gpu, renderer, scene, world, assets, view }, people)
    }

    /// Somebody shows the start of a clip; the rest pose where there is none.
    fn show(&mut self, id: InstanceId, clip: u32) {
        let at = ClipAt { clip: ClipId(clip), time_secs: 0.0 };
        self.world.preview(Some(Preview { id, shows: Playback::of(Blend { clips: [at; 2], weight: 0.0 }) }));
    }

    fn frame(&self) -> FrameData {
        extract(&self.scene, &self.world, &self.assets, (&self.view).into(), 1.0, SIZE, DebugDraw::default())
    }

    /// What is drawn at a pixel.
    fn asked(&mut self, frame: &mut FrameData, at_px: [u32; 2]) -> Picked {
        frame.pick = Some(at_px);
        // A picture is waited for; with it the answer is there.
        self.renderer.render_to_image(&self.gpu, &self.assets, frame).unwrap();
        assert!(!self.renderer.is_picking());
        self.renderer.take_picked().unwrap()
    }

    /// Who is drawn at a place in the world.
    fn at(&mut self, place: Vec3) -> Option<InstanceId> {
        let px = self.view.project(place, Vec2::new(SIZE[0] as f32, SIZE[1] as f32)).unwrap();
        let number = self.asked(&mut self.frame(), px.as_uvec2().to_array()).at;
        self.scene.instances.ids().find(|id| pick_number(*id) == number)
    }

    /// Who is met by the ray through the middle of a pixel.
    fn met(&self, [x, y]: [u32; 2]) -> Option<InstanceId> {
        let stage = Stage { scene: &self.scene, world: &self.world, assets: &self.assets, alpha: 1.0 };
        let at = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        instance_at(&stage, &self.view, at, Vec2::new(SIZE[0] as f32, SIZE[1] as f32))
    }
}

#[test]
fn who_is_drawn_at_a_pixel_is_picked() {
    let (mut stand, [alone, front, _, _, missing]) = Stand::new();
    stand.show(alone, 9);
    let chest = Vec3::Y * 1.2;
    assert_eq!(stand.at(PLACES[0] + chest), Some(alone));
    assert_eq!(stand.at(PLACES[0] + chest + Vec3::X * 0.85), Some(alone), "the arm");
    assert_eq!(stand.at(PLACES[0] + chest + Vec3::X * 0.5), None, "between arm and body");
    assert_eq!(stand.at(PLACES[1] + chest), Some(front), "the nearer of two");
    assert_eq!(stand.at(PLACES[3] + chest), None, "behind a wall");
    assert_eq!(stand.at(PLACES[4] + chest), Some(missing), "the box in place of a model");
    stand.show(alone, 0);
    assert_eq!(stand.at(PLACES[0] + chest + Vec3::X * 0.85), None, "the arm is up");
    assert_eq!(stand.at(PLACES[0] + chest + Vec3::new(0.85, 1.2, 0.0)), Some(alone));
    assert_eq!(stand.gpu.take_errors(), Vec::<String>::new());
}

#[test]
fn the_device_and_the_ray_agree() {
    let (mut stand, people) = Stand::new();
    stand.show(people[1], 0);
    let mut frame = stand.frame();
    let (mut same, mut all, mut seen) = (0, 0, std::collections::BTreeSet::new());
    for y in (4..SIZE[1]).step_by(12) {
        for x in (3..SIZE[0]).step_by(9) {
            let number = stand.asked(&mut frame, [x, y]).at;
            let met = stand.met([x, y]);
            seen.extend(met);
            all += 1;
            same += usize::from(met.map_or(0, pick_number) == number);
        }
    }
    assert!(seen.len() >= 4, "{seen:?}");
    assert!(same * 100 >= all * 99, "{same} of {all} pixels");
}

#[test]
fn an_answer_is_asked_for_once_and_arrives_without_waiting() {
    let (mut stand, people) = Stand::new();
    let mut frame = stand.frame();
    let target = walkabout::gpu::readback::target(&stand.gpu.device, "picture", SIZE, Renderer::IMAGE_FORMAT);
    let view = target.create_view(&Default::default());
    let px = stand.view.project(PLACES[1] + Vec3::Y, Vec2::new(SIZE[0] as f32, SIZE[1] as f32)).unwrap();
    frame.pick = Some(px.as_uvec2().to_array());
    let (device, queue) = (&stand.gpu.device, &stand.gpu.queue);
    let mut answers = Vec::new();
    for _ in 0..3 {
        stand.renderer.upload(device, queue, &stand.assets, &frame).unwrap();
        let mut encoder = device.create_command_encoder(&Default::default());
        stand.renderer.draw(&mut encoder, &view, [0, 0, SIZE[0], SIZE[1]]);
        queue.submit([encoder.finish()]);
        stand.renderer.collect(device);
        frame.pick = None;
        // Stands for the time that passes between frames.
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        answers.extend(stand.renderer.take_picked());
    }
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0].at, pick_number(people[1]));
    assert!(!stand.renderer.is_picking());
}
