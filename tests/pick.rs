//! Who is drawn at a pixel, as the device and as a ray say, and the lines around silhouettes: people as they are posed,
//! hidden by walls and by each other.

#![allow(clippy::unwrap_used, reason = "a test that cannot draw has to fail")]

use glam::{Mat4, Vec2, Vec3};
use std::collections::BTreeMap;
use std::sync::Arc;
use walkabout::anim::{Blend, ClipAt, Playback};
use walkabout::app::pick::{PickScene, instance_at};
use walkabout::asset::{AssetStore, Channel, Clip, Joint, Mesh, Model, Skeleton, SkinVertex, Track};
use walkabout::camera::{Lens, View};
use walkabout::debug::DebugDraw;
use walkabout::gpu::GpuContext;
use walkabout::ids::{ClipId, InstanceId, NodeId};
use walkabout::math::Trs;
use walkabout::render::draw_lists::MAX_OUTLINED;
use walkabout::render::frame::Outlines;
use walkabout::render::quality::Quality;
use walkabout::render::{FrameData, FrameView, Picked, Renderer, cube, extract, pick_number};
use walkabout::scene::instance::ModelRef;
use walkabout::scene::{Scene, SceneInstance, SceneLevel, SceneModel};
use walkabout::sim::{Preview, World};

const SIZE: [u32; 2] = [320, 200];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

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
    gpu: GpuContext,
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
        Self::of(Quality::Software)
    }

    fn of(quality: Quality) -> (Self, [InstanceId; 5]) {
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
        assert!(world.triangle_tree().is_some());
        let gpu = GpuContext::headless().unwrap();
        let renderer = Renderer::with_quality(&gpu, Renderer::IMAGE_FORMAT, quality).unwrap();
        let aspect = SIZE[0] as f32 / SIZE[1] as f32;
        let view = View::new(Vec3::new(0.0, 1.2, 0.0), Vec3::NEG_Z, Lens::Perspective { fov_rad: 0.9 }, aspect);
        (Self { gpu, renderer, scene, world, assets, view }, people)
    }

    /// Somebody shows the start of a clip; the rest pose where there is none.
    fn show(&mut self, id: InstanceId, clip: u32) {
        let at = ClipAt { clip: ClipId(clip), time_secs: 0.0 };
        let shows = Playback::of(Blend { clips: [at; 2], weight: 0.0 });
        self.world.preview(Some(Preview { id, shows, ghost: None }));
    }

    fn frame(&self) -> FrameData {
        let view = FrameView { camera: (&self.view).into(), size_px: SIZE, alpha: 1.0 };
        extract(&self.scene, &self.world, &self.assets, view, DebugDraw::default())
    }

    /// What is drawn at a pixel.
    fn asked(&mut self, frame: &mut FrameData, at_px: [u32; 2]) -> Picked {
        frame.pick = Some(at_px);
        // A picture is waited for; with it the answer is there.
        self.renderer.render_to_image(&self.gpu, &self.assets, frame).unwrap();
        assert!(!self.renderer.is_picking());
        self.renderer.take_picked().unwrap()
    }

    /// What a line changes in the picture: pixels by their place from the top left, and how much of it (0…1, its green)
    /// each has.
    fn lines(&mut self, kinds: &[(InstanceId, u8)], width_px: f32) -> BTreeMap<[u32; 2], f32> {
        let mut frame = self.frame();
        let mut draw = |frame: &FrameData| self.renderer.render_to_image(&self.gpu, &self.assets, frame).unwrap();
        let plain = draw(&frame);
        let most = kinds.iter().map(|(id, _)| pick_number(*id) as usize).max().unwrap_or(0);
        let mut of = vec![0; most + 1];
        kinds.iter().for_each(|(id, kind)| of[pick_number(*id) as usize] = *kind);
        frame.outlines = Outlines { kinds: of, colors: [GREEN, RED, RED], width_px };
        let with = draw(&frame);
        let changed = plain.rgba.chunks_exact(4).zip(with.rgba.chunks_exact(4)).enumerate();
        let changed = changed.filter(|(_, (a, b))| a != b).map(|(i, (a, b))| {
            let share = (f32::from(b[1]) - f32::from(a[1])) / (255.0 - f32::from(a[1])).max(1.0);
            ([i as u32 % SIZE[0], i as u32 / SIZE[0]], share)
        });
        changed.collect()
    }

    /// The pixel at which a place in the world is seen.
    fn px(&self, place: Vec3) -> [u32; 2] {
        self.view.project(place, Vec2::new(SIZE[0] as f32, SIZE[1] as f32)).unwrap().as_uvec2().to_array()
    }

    /// Who is drawn at a place in the world.
    fn at(&mut self, place: Vec3) -> Option<InstanceId> {
        let px = self.px(place);
        let number = self.asked(&mut self.frame(), px).at;
        self.scene.instances.ids().find(|id| pick_number(*id) == number)
    }

    /// Who is met by the ray through the middle of a pixel.
    fn met(&self, [x, y]: [u32; 2]) -> Option<InstanceId> {
        let stage = PickScene { scene: &self.scene, world: &self.world, assets: &self.assets, alpha: 1.0 };
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

/// What lies around a pixel in a row: those changed to its left and right, from it outwards, until `most` pixels away.
fn to_both_sides(lines: &BTreeMap<[u32; 2], f32>, [x, y]: [u32; 2], most: u32) -> [Vec<u32>; 2] {
    let changed = |x: &u32| lines.contains_key(&[*x, y]);
    [(x - most..=x).rev().filter(changed).collect(), (x..=x + most).filter(changed).collect()]
}

#[test]
fn a_line_lies_around_silhouettes_and_not_inside() {
    for quality in [Quality::Software, Quality::High] {
        let (mut stand, [alone, ..]) = Stand::of(quality);
        stand.show(alone, 9);
        assert!(stand.lines(&[], 2.0).is_empty() && stand.lines(&[(alone, 0)], 2.0).is_empty());
        let lines = stand.lines(&[(alone, 1)], 2.0);
        let chest = stand.px(PLACES[0] + Vec3::Y * 1.2);
        let [left, right] = to_both_sides(&lines, chest, 45);
        assert_eq!((left.len(), right.len()), (2, 6), "{quality:?}: right of the body, and on both sides of the arm");
        // The body is 0.6 metres wide, the arm 0.3 and 0.4 metres beside it.
        let body = right[0] - left[0] - 1;
        let (gap, arm) = (right[2] - right[1], right[4] - right[3] - 1);
        assert!((body as f32 / arm as f32 - 2.0).abs() < 0.4, "{body} {arm} pixels");
        assert!(gap > 3, "the sky between them stays as it is: {right:?}");
        for x in [left[0], right[0]] {
            assert!(lines[&[x, chest[1]]] > 0.8, "{quality:?}: it is opaque");
        }
        let wide = stand.lines(&[(alone, 1)], 4.0).len() as f32 / lines.len() as f32;
        assert!((1.6..2.4).contains(&wide), "{quality:?}: twice as wide on a dense display: {wide}");
        stand.show(alone, 0);
        let up = stand.lines(&[(alone, 1)], 2.0);
        assert!(to_both_sides(&up, chest, 45)[1].len() == 2, "the arm is up");
        assert_eq!(stand.gpu.take_errors(), Vec::<String>::new());
    }
}

#[test]
fn outlines_fade_behind_walls_and_part_overlapping_instances() {
    for quality in [Quality::Software, Quality::High] {
        let (mut stand, [alone, front, behind, walled, missing]) = Stand::of(quality);
        people_rest(&mut stand, &[alone, front, behind, walled]);
        let lines = stand.lines(&[(walled, 1)], 2.0);
        let chest = stand.px(PLACES[3] + Vec3::Y * 1.2);
        let [left, right] = to_both_sides(&lines, chest, 20);
        assert!(lines[&[left[0], chest[1]]] > 0.8, "{quality:?}: the wall ends there");
        let share = lines[&[right[0], chest[1]]];
        assert!((0.1..0.5).contains(&share), "{quality:?}: seen through the wall, faintly: {share}");

        let both = stand.lines(&[(front, 1), (behind, 2)], 2.0);
        let one = stand.lines(&[(front, 1)], 2.0);
        let chest = stand.px(PLACES[1] + Vec3::Y * 1.2);
        let [_, right] = to_both_sides(&one, chest, 14);
        assert!(right.len() >= 2, "{right:?}");
        for x in &right[..2] {
            let at = [*x, chest[1]];
            assert_eq!(both.get(&at), one.get(&at), "{quality:?}: the nearer one's line lies over the other one");
        }
        // The line of another kind has another colour: it takes green away.
        assert!(both.values().any(|share| *share < 0.0) && one.values().all(|share| *share > -0.01));
        let boxed = stand.lines(&[(missing, 1)], 2.0);
        assert!(!boxed.is_empty(), "boxes in place of models have one, too");
    }
}

/// Everybody shows the rest pose.
fn people_rest(stand: &mut Stand, people: &[InstanceId]) {
    for id in people {
        stand.show(*id, 9);
    }
}

#[test]
fn only_the_largest_have_lines_when_many_are_selected() {
    let (mut stand, _) = Stand::new();
    let model = stand.scene.instances.values().next().unwrap().model.clone();
    let many: Vec<InstanceId> = (0..2 * MAX_OUTLINED)
        .map(|i| {
            let position = Vec3::new((i % 32) as f32 - 16.0, 0.0, -20.0 - (i / 32) as f32);
            let instance = SceneInstance { position, model: model.clone(), ..SceneInstance::default() };
            stand.scene.instances.insert(Arc::new(instance))
        })
        .collect();
    stand.world.reconcile(&stand.scene, &stand.assets);
    let kinds: Vec<_> = many.iter().map(|id| (*id, 1)).collect();
    let some: Vec<_> = kinds[..64].to_vec();
    let (all, near) = (stand.lines(&kinds, 2.0), stand.lines(&some, 2.0));
    assert!(near.len() > 200 && all.len() > near.len(), "{} {}", near.len(), all.len());
    let far: Vec<_> = kinds[2 * MAX_OUTLINED - 32..].to_vec();
    assert!(!stand.lines(&far, 2.0).is_empty(), "they have lines when they alone are selected");
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
fn rays_hit_the_pose_and_boxes_of_small_instances() {
    let (mut stand, [alone, ..]) = Stand::new();
    let chest = PLACES[0] + Vec3::Y * 1.2;
    let (arm, gap) = (chest + Vec3::X * 0.85, chest + Vec3::X * 0.5);
    let eye = stand.view.position;
    let through = gap + (gap - eye).normalize() * 3.0;
    let behind = SceneInstance { position: through.with_y(0.0), ..SceneInstance::default() };
    let behind = stand.scene.instances.insert(Arc::new(behind));
    stand.world.reconcile(&stand.scene, &stand.assets);
    let met = |stand: &mut Stand, eye: Vec3, to: Vec3| {
        stand.view = View::new(eye, to - eye, Lens::Perspective { fov_rad: 0.9 }, 1.6);
        stand.met([SIZE[0] / 2, SIZE[1] / 2])
    };
    stand.show(alone, 9);
    assert_eq!(met(&mut stand, eye, arm), Some(alone));
    assert_eq!(met(&mut stand, eye, gap), Some(behind), "through the gap");
    stand.show(alone, 0);
    assert_eq!(met(&mut stand, eye, arm + Vec3::Y * 1.2), Some(alone), "the arm is up");
    assert_eq!(met(&mut stand, eye, arm + Vec3::Y * 9.0), None, "out of all reach of the box");
    let far = chest + Vec3::Z * 90.0;
    assert_eq!(met(&mut stand, far, gap), Some(alone), "it is too small from there to be met exactly");
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
