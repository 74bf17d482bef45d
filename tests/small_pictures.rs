//! The small pictures beside the large one: what another camera sees, and what a model looks like by itself; and the
//! colours of what enemies see.

#![allow(clippy::unwrap_used, reason = "a test that cannot draw has to fail")]

use glam::{Mat4, Vec2, Vec3, Vec4};
use std::path::Path;
use std::sync::Arc;
use walkabout::asset::{AlphaMode, AssetStore, Image, Material, Mesh, Model, Skeleton, Vertex, import};
use walkabout::camera::{Lens, View};
use walkabout::debug::{DebugDraw, Depth, Layer};
use walkabout::gpu::GpuContext;
use walkabout::gpu::readback::{read_texture, target};
use walkabout::inspect::Inspector;
use walkabout::inspect::overlays::{self, OverlayContext};
use walkabout::math::{Aabb, Trs};
use walkabout::nav::planner::Planner;
use walkabout::render::thumbnail::{EDGE_PX, Thumbnail};
use walkabout::render::{FrameData, LevelDraw, Renderer};
use walkabout::scene::Selection;
use walkabout::scene::nav::MeshSource;

#[path = "common/halls.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod halls;

const SIZE: [u32; 2] = [160, 120];
const SMALL: [u32; 2] = [48, 36];

fn frame(store: &AssetStore, eye: Vec3, size_px: [u32; 2]) -> FrameData {
    let view = View::new(eye, Vec3::Y - eye, Lens::Perspective { fov_rad: 1.0 }, 4.0 / 3.0);
    let (asset, _) = store.by_file("marker").unwrap();
    let levels = vec![LevelDraw { asset, world_from_model: Mat4::from_scale(Vec3::splat(2.0)) }];
    FrameData { levels, ..FrameData::of_sky(size_px, &view) }
}

#[test]
fn the_picture_is_the_same_with_small_ones_beside_it() {
    let gpu = GpuContext::headless().unwrap();
    let mut renderer = Renderer::new(&gpu, Renderer::IMAGE_FORMAT).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/props/marker.glb");
    let model = import::import_file(&file).unwrap();
    let mut store = AssetStore::default();
    store.insert("marker", model.clone());
    let (large, small) = (frame(&store, Vec3::new(0.0, 2.0, 6.0), SIZE), frame(&store, Vec3::X * 3.0, SMALL));
    let before = renderer.render_to_image(&gpu, &store, &large).unwrap();

    renderer.draw_inset(&gpu, &store, &small).unwrap();
    let mut thumbnail = Thumbnail::draw(&mut renderer, &gpu, model).unwrap();
    let after = renderer.render_to_image(&gpu, &store, &large).unwrap();
    assert!(before.rgba == after.rgba, "the small pictures change the large one");

    // The small picture fills its part of a target and nothing else.
    let texture = target(&gpu.device, "picture", SIZE, Renderer::IMAGE_FORMAT);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let part = [100, 70, SMALL[0], SMALL[1]];
    renderer.show_inset(&mut encoder, &texture.create_view(&Default::default()), part);
    gpu.queue.submit([encoder.finish()]);
    let shown = read_texture(&gpu.device, &gpu.queue, &texture).unwrap();
    let pixel = |x: u32, y: u32| &shown[((y * SIZE[0] + x) * 4) as usize..][..3];
    let alone = renderer.render_to_image(&gpu, &store, &small).unwrap();
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let inside = (part[0]..part[0] + SMALL[0]).contains(&x) && (part[1]..part[1] + SMALL[1]).contains(&y);
            let expected = if inside {
                let at = ((y - part[1]) * SMALL[0] + x - part[0]) * 4;
                &alone.rgba[at as usize..][..3]
            } else {
                &[0; 3]
            };
            assert_eq!(pixel(x, y), expected, "at {x}, {y}");
        }
    }

    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let picture = thumbnail.collect(&gpu.device).expect("the thumbnail has arrived");
    assert_eq!((picture.width, picture.height), (EDGE_PX, EDGE_PX));
    let middle = &picture.rgba[((EDGE_PX / 2 * EDGE_PX + EDGE_PX / 2) * 4) as usize..][..3];
    let corner = &picture.rgba[(EDGE_PX * 4 + 4) as usize..][..3];
    assert_ne!(middle, corner, "the model stands in the middle, the sky is behind it");
}

#[test]
fn a_scene_far_from_the_origin_looks_as_at_it() {
    let gpu = GpuContext::headless().unwrap();
    let mut renderer = Renderer::new(&gpu, Renderer::IMAGE_FORMAT).unwrap();
    let mut store = AssetStore::default();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/props/marker.glb");
    let asset = store.insert("marker", import::import_file(&file).unwrap());
    let mut picture = |origin: Vec3| {
        // A few centimetres wide and seen from half a metre, so that millimetres are pixels; single precision holds the eye's place.
        let eye = Vec3::new(0.0, 0.25, 0.5);
        let view = View::new(origin + eye, -eye, Lens::Perspective { fov_rad: 0.3 }, 4.0 / 3.0);
        let world_from_model = Mat4::from_translation(origin) * Mat4::from_scale(Vec3::splat(0.05));
        let mut debug = DebugDraw::wanting([Layer::NavPath]);
        debug.line(Layer::NavPath, origin - Vec3::X * 0.125, origin + Vec3::X * 0.125, [1.0, 0.2, 0.1, 1.0]);
        let levels = vec![LevelDraw { asset, world_from_model }];
        let mut frame = FrameData { levels, debug, ..FrameData::of_sky(SIZE, &view) };
        // Shadows lie in whole texels of the world, and therefore a little otherwise at each place.
        frame.environment.light_intensity = 0.0;
        renderer.render_to_image(&gpu, &store, &frame).unwrap()
    };
    let (near, far) = (picture(Vec3::ZERO), picture(Vec3::new(50_000.0, 0.0, -60_000.0)));
    let differs = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 8);
    let others = near.rgba.chunks(4).zip(far.rgba.chunks(4)).filter(differs).count();
    let background = near.rgba[..4].to_vec();
    let shown =
        near.rgba.chunks(4).filter(|pixel| pixel.iter().zip(&background).any(|(a, b)| a.abs_diff(*b) > 20)).count();
    assert!(shown > 150, "the model and the line fill a part of the picture: {shown} pixels");
    assert!(others < 30, "{others} pixels differ");
}

/// A wall of 2 m that looks towards +Z, with a texel of a normal map all over it.
fn wall_with_normals(texel: [u8; 3]) -> Model {
    let corner = |x: f32, y: f32| Vertex {
        position: Vec3::new(x, y, 0.0),
        normal: Vec3::Z,
        uv: Vec2::new(0.5 + 0.5 * x, 0.5 - 0.5 * y),
        color: [255; 4],
    };
    let vertices = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let [r, g, b] = texel;
    let image = Image { name: "normals".into(), width: 2, height: 2, rgba: [r, g, b, 255].repeat(4) };
    Model {
        name: "wall".into(),
        skeleton: Skeleton { names: vec!["wall".into()], parents: vec![None], rest: vec![Trs::IDENTITY] },
        rest_bounds: Aabb::from_points(vertices.iter().map(|v| v.position)),
        meshes: vec![Mesh { vertices, indices: vec![0, 1, 2, 0, 2, 3], ..Mesh::default() }],
        materials: vec![Material { normal_image: Some(0), ..Material::default() }],
        images: vec![Arc::new(image)],
        ..Model::default()
    }
}

#[test]
fn normal_maps_tilt_surfaces_to_the_side_that_they_name() {
    let gpu = GpuContext::headless().unwrap();
    let mut renderer = Renderer::new(&gpu, Renderer::IMAGE_FORMAT).unwrap();
    let mut brightness = |texel: [u8; 3], light_east_west_deg: f32| {
        let mut store = AssetStore::default();
        let asset = store.insert("wall", wall_with_normals(texel));
        let view = View::new(Vec3::Z * 3.0, -Vec3::Z, Lens::Perspective { fov_rad: 0.5 }, 4.0 / 3.0);
        let levels = vec![LevelDraw { asset, world_from_model: Mat4::IDENTITY }];
        let mut frame = FrameData { levels, ..FrameData::of_sky(SIZE, &view) };
        (frame.environment.light_east_west_deg, frame.environment.light_north_south_deg) = (light_east_west_deg, 50.0);
        let light = frame.environment.to_light();
        let picture = renderer.render_to_image(&gpu, &store, &frame).unwrap();
        let middle = &picture.rgba[((SIZE[1] / 2 * SIZE[0] + SIZE[0] / 2) * 4) as usize..][..3];
        (middle.iter().map(|&channel| i32::from(channel)).sum::<i32>(), light)
    };
    let (right, left, up, down) = ([218, 128, 218], [38, 128, 218], [128, 218, 218], [128, 38, 218]);
    for degrees in [40.0, 140.0] {
        let ((to_right, light), (to_left, _)) = (brightness(right, degrees), brightness(left, degrees));
        assert!(
            light.x.abs() > 0.3 && light.y > 0.2 && light.z > 0.2,
            "the light shines on the wall from a side: {light}"
        );
        assert!(
            (to_right - to_left) as f32 * light.x.signum() > 60.0,
            "{light}: {to_right} to the right, {to_left} to the left"
        );
        let ((upwards, _), (downwards, _)) = (brightness(up, degrees), brightness(down, degrees));
        assert!(upwards - downwards > 60, "{light}: {upwards} upwards, {downwards} downwards");
    }
}

/// A box of 2 m of red glass in front, towards +Z, and green glass behind, without the other sides. Its back faces are drawn, too.
fn glass_box(front_first: bool) -> Model {
    let side = |z: f32, color: [u8; 4]| {
        let corner =
            move |x: f32, y: f32| Vertex { position: Vec3::new(x, y, z), normal: Vec3::Z * z, uv: Vec2::ZERO, color };
        [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]
    };
    let vertices = [side(1.0, [255, 0, 0, 255]), side(-1.0, [0, 255, 0, 255])].concat();
    let (front, back) = ([0, 1, 2, 0, 2, 3], [4, 6, 5, 4, 7, 6]);
    let indices = if front_first { [front, back] } else { [back, front] }.concat();
    let glass = Material {
        base_color: [1.0, 1.0, 1.0, 0.7],
        alpha: AlphaMode::Blended,
        double_sided: true,
        ..Material::default()
    };
    Model {
        name: "glass".into(),
        skeleton: Skeleton { names: vec!["glass".into()], parents: vec![None], rest: vec![Trs::IDENTITY] },
        rest_bounds: Aabb::from_points(vertices.iter().map(|v| v.position)),
        meshes: vec![Mesh { vertices, indices, ..Mesh::default() }],
        materials: vec![glass],
        ..Model::default()
    }
}

#[test]
fn the_near_side_of_a_glass_body_covers_the_far_side() {
    let gpu = GpuContext::headless().unwrap();
    let mut renderer = Renderer::new(&gpu, Renderer::IMAGE_FORMAT).unwrap();
    let mut middle = |front_first: bool, world_from_model: Mat4, eye_z: f32| {
        let mut store = AssetStore::default();
        let asset = store.insert("glass", glass_box(front_first));
        let eye = Vec3::Z * eye_z;
        let view = View::new(eye, -eye, Lens::Perspective { fov_rad: 0.5 }, 4.0 / 3.0);
        let levels = vec![LevelDraw { asset, world_from_model }];
        let frame = FrameData { levels, ..FrameData::of_sky(SIZE, &view) };
        let picture = renderer.render_to_image(&gpu, &store, &frame).unwrap();
        let at = ((SIZE[1] / 2 * SIZE[0] + SIZE[0] / 2) * 4) as usize;
        [0, 1].map(|channel| i32::from(picture.rgba[at + channel]))
    };
    let mirrored = Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    for (place, eye_z, near) in [(Mat4::IDENTITY, 6.0, 0), (Mat4::IDENTITY, -6.0, 1), (mirrored, 6.0, 0)] {
        let [one, other] = [true, false].map(|front_first| middle(front_first, place, eye_z));
        assert!(one[near] > one[1 - near], "from {eye_z}: {one:?}");
        assert_eq!(one, other, "from {eye_z}, whatever the order of the triangles");
    }
}

#[test]
fn tp_18_exposed_parts_of_a_path_are_red_the_rest_green() {
    // The path leads along z = 4. Who stands at (0, -5) does not see what lies behind the block, who stands at (-5, -5)
    // does, but does not see what lies right of it.
    let mut quads = vec![halls::floor([-10.0, 10.0], 0.0, [-8.0, 8.0])];
    quads.extend(halls::block([-1.0, 1.0], [0.0, 3.0], [-1.0, 0.0]));
    let mut hall = halls::Hall::new(&quads, MeshSource::Baked, Planner::Tactical);
    // Whatever is seen of it, the path stays straight.
    hall.nav().bias = 0.0;
    let probe = &mut hall.nav().probe;
    (probe.start, probe.end) = (Some(Vec3::new(-7.0, 0.0, 4.0)), Some(Vec3::new(7.0, 0.0, 4.0)));
    let gpu = GpuContext::headless().unwrap();
    let mut renderer = Renderer::new(&gpu, Renderer::IMAGE_FORMAT).unwrap();
    let size = [320, 256];
    let lens = Lens::Orthogonal { half_height: 8.0 };
    let view = View::new(Vec3::Y * 20.0, Vec3::NEG_Y, lens, size[0] as f32 / size[1] as f32);
    let enemies = [Vec3::new(0.0, 0.0, -5.0), Vec3::new(-5.0, 0.0, -5.0)];
    for (threats, seen) in
        [(&enemies[..1], [true, false, true]), (&enemies[1..], [true, true, false]), (&enemies, [true; 3])]
    {
        hall.nav().threats = threats.to_vec();
        hall.world.reconcile(&hall.scene, &hall.assets);
        let selection = Selection::default();
        let (world, scene, assets) = (&hall.world, &hall.scene, &hall.assets);
        let mut debug = DebugDraw::default();
        let mut inspector = Inspector::default();
        inspector.reconcile(world, scene);
        let context = OverlayContext { world, inspector: &inspector, scene, assets, selection: &selection };
        overlays::draw([Layer::Exposure], &context, &mut debug);
        let level = LevelDraw { asset: assets.by_file("level").unwrap().0, world_from_model: Mat4::IDENTITY };
        let layer_depth = vec![(Layer::Exposure, Depth::OnTop)];
        let frame = FrameData { levels: vec![level], debug, layer_depth, ..FrameData::of_sky(size, &view) };
        let picture = renderer.render_to_image(&gpu, assets, &frame).unwrap();
        for (x, is_seen) in [-5.0, 0.0, 5.0].into_iter().zip(seen) {
            let at: Vec4 = view.clip_from_view * view.view_from_world * Vec4::new(x, 0.2, 4.0, 1.0);
            let [column, row] = [at.x / at.w, -at.y / at.w].map(|share| share * 0.5 + 0.5);
            let [column, row] = [(column * size[0] as f32) as usize, (row * size[1] as f32) as usize];
            // A line as wide as a pixel may lie between two rows: the one that shows more of it counts.
            let colors = [row - 1, row, row + 1].map(|row| {
                let pixel = row * size[0] as usize + column;
                [0, 1].map(|channel| i32::from(picture.rgba[4 * pixel + channel]))
            });
            let [red, green] = colors.into_iter().max_by_key(|[red, green]| (red - green).abs()).unwrap();
            assert!(if is_seen { red > green + 60 } else { green > red + 60 }, "{threats:?}: {red} {green} at x = {x}");
        }
    }
}
