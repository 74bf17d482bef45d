//! Pictures of a small built-in scene and of Walkabout's own scenes equal the ones that are kept, within a stated
//! tolerance.
//!
//! The kept pictures were drawn by Mesa's software driver, which is what the tests run on everywhere. Another version of
//! it may round differently: up to [`MEAN_MOST`] of 255 on average and [`FAR_SHARE`] of the pixels by more than
//! [`FAR`] are allowed. `UPDATE_GOLDEN=1` writes the pictures anew; look at them before keeping them.

#![allow(clippy::unwrap_used, reason = "a test that cannot draw has to fail")]

use glam::{Mat4, Quat, Vec2, Vec3};
use image::GenericImageView as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use walkabout::asset::{AlphaMode, AssetStore, Image, Material, Mesh, Model, Morph, Skeleton, SkyPicture, Vertex};
use walkabout::camera::{Lens, View};
use walkabout::debug::{DebugDraw, Depth, Layer, shapes};
use walkabout::gpu::GpuContext;
use walkabout::ids::NodeId;
use walkabout::math::{Aabb, Trs};
use walkabout::render::frame::static_instance;
use walkabout::render::frame::{InstanceDraw, ModelDraws};
use walkabout::render::named_morphs::NamedMorphs;
use walkabout::render::{FrameData, LevelDraw, Quality, Renderer, cube};
use walkabout::scene::Environment;
use walkabout::vocab::DayPreset;

const SIZE: [u32; 2] = [320, 180];
const MEAN_MOST: f64 = 2.0;
const FAR: u8 = 24;
const FAR_SHARE: f64 = 0.005;

/// A floor with three boxes of different colours on it.
fn model() -> Model {
    let mut model = Model {
        name: "boxes".into(),
        skeleton: Skeleton { names: vec!["root".into()], parents: vec![None], rest: vec![Trs::IDENTITY] },
        ..Model::default()
    };
    let boxes = [
        (Vec3::new(0.0, -0.5, 0.0), Vec3::new(12.0, 0.5, 12.0), [0.55, 0.52, 0.48, 1.0]),
        (Vec3::new(-3.0, 1.0, 0.0), Vec3::new(1.0, 1.0, 1.0), [0.75, 0.2, 0.12, 1.0]),
        (Vec3::new(0.0, 1.5, -2.0), Vec3::new(0.7, 1.5, 0.7), [0.2, 0.45, 0.3, 1.0]),
        (Vec3::new(3.0, 0.5, 1.0), Vec3::new(1.5, 0.5, 0.8), [0.2, 0.3, 0.7, 1.0]),
    ];
    for (i, (center, half, base_color)) in boxes.into_iter().enumerate() {
        model.materials.push(Material { base_color, ..Material::default() });
        let mut mesh = cuboid(center, half);
        mesh.material = i as u32;
        model.meshes.push(mesh);
    }
    model.rest_bounds = model.compute_rest_bounds();
    model
}

fn cuboid(center: Vec3, half: Vec3) -> Mesh {
    let mut mesh = Mesh { node: NodeId(0), ..Mesh::default() };
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
        let turn = Quat::from_rotation_arc(Vec3::Z, normal);
        let first = mesh.vertices.len() as u32;
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let position = center + turn * Vec3::new(x, y, 1.0) * half;
            mesh.vertices.push(Vertex { position, normal, uv: Vec2::new(x, y), color: [255; 4] });
        }
        mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
    }
    mesh
}

fn frame(store: &AssetStore, overlay: Option<Depth>) -> FrameData {
    let view = View::new(
        Vec3::new(6.0, 5.0, 9.0),
        Vec3::new(-0.6, -0.45, -1.0),
        Lens::Perspective { fov_rad: 0.9 },
        SIZE[0] as f32 / SIZE[1] as f32,
    );
    let mut debug = DebugDraw::wanting([Layer::LevelBox]);
    if overlay.is_some() {
        let bounds = Aabb::new(Vec3::new(-4.1, -0.1, -3.1), Vec3::new(4.6, 3.2, 2.1));
        shapes::aabb(&mut debug, Layer::LevelBox, &bounds, [1.0, 0.8, 0.1, 1.0]);
    }
    let level = |(name, place): (&str, Vec3)| {
        Some(LevelDraw { asset: store.find(name)?, world_from_model: Mat4::from_translation(place) })
    };
    FrameData {
        levels: [("boxes", Vec3::ZERO), ("cube", Vec3::new(0.0, 0.5, 3.0))].into_iter().filter_map(level).collect(),
        debug,
        layer_depth: overlay.map(|depth| (Layer::LevelBox, depth)).into_iter().collect(),
        ..FrameData::of_sky(SIZE, &view)
    }
}

fn boxes() -> AssetStore {
    let mut store = AssetStore::default();
    store.insert("boxes", model());
    // In the colour and with the glow of what stands in for a missing model.
    let mut cube = cube::model();
    let color = [0.9, 0.5, 0.9];
    (cube.materials[0].base_color, cube.materials[0].emissive) =
        ([color[0], color[1], color[2], 1.0], color.map(|c| c * 0.25));
    store.insert("cube", cube);
    store
}

fn draw(overlay: Option<Depth>) -> image::RgbaImage {
    let store = boxes();
    draw_frame(&store, &frame(&store, overlay))
}

fn draw_frame(store: &AssetStore, frame: &FrameData) -> image::RgbaImage {
    let gpu = GpuContext::headless().unwrap_or_else(|e| panic!("{e}"));
    draw_by(&gpu, Quality::Software, store, frame)
}

fn draw_by(gpu: &GpuContext, quality: Quality, store: &AssetStore, frame: &FrameData) -> image::RgbaImage {
    let mut renderer = Renderer::with_quality(gpu, Renderer::IMAGE_FORMAT, quality).unwrap();
    let picture = renderer.render_to_image(gpu, store, frame).unwrap();
    assert_eq!(gpu.take_errors(), Vec::<String>::new());
    image::RgbaImage::from_raw(picture.width, picture.height, picture.rgba).unwrap()
}

/// Mean difference of a channel, and the share of pixels that differ by more than [`FAR`].
fn difference(a: &image::RgbaImage, b: &image::RgbaImage) -> (f64, f64) {
    assert_eq!(a.dimensions(), b.dimensions());
    let (mut sum, mut far) = (0_u64, 0_u64);
    for (x, y) in a.pixels().zip(b.pixels()) {
        let apart = [0, 1, 2].map(|c| x.0[c].abs_diff(y.0[c]));
        sum += apart.iter().map(|&d| u64::from(d)).sum::<u64>();
        far += u64::from(apart.into_iter().max() > Some(FAR));
    }
    let pixels = f64::from(a.width() * a.height());
    (sum as f64 / (pixels * 3.0), far as f64 / pixels)
}

fn matches(a: &image::RgbaImage, b: &image::RgbaImage) -> bool {
    let (mean, far) = difference(a, b);
    mean <= MEAN_MOST && far <= FAR_SHARE
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn check(name: &str, picture: &image::RgbaImage) {
    let path = golden(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        picture.save(&path).unwrap();
    }
    let kept = image::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())).to_rgba8();
    if !matches(picture, &kept) {
        let actual = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        picture.save(&actual).unwrap();
        let (mean, far) = difference(picture, &kept);
        panic!("{name} differs: mean {mean:.2}, far {:.2} %. Drawn: {}", far * 100.0, actual.display());
    }
}

/// A box with these heights of its upper side above the usual one, as targets that raise it.
fn risen_box(targets: &[f32], risen: f32) -> AssetStore {
    let mut mesh = cuboid(Vec3::new(0.0, 0.5, 0.0), Vec3::splat(0.5));
    let upper: Vec<bool> = mesh.vertices.iter().map(|v| v.position.y > 0.5).collect();
    let raised = |by: f32| upper.iter().map(|&is_upper| Vec3::Y * if is_upper { by } else { 0.0 }).collect();
    mesh.morphs = (0..)
        .zip(targets)
        .map(|(i, &by)| Morph { name: format!("rise {i}"), positions: raised(by), normals: Vec::new() })
        .collect();
    for (vertex, shift) in mesh.vertices.iter_mut().zip::<Vec<Vec3>>(raised(risen)) {
        vertex.position += shift;
    }
    // Its vertices come before those that are moved, in the same buffers.
    let beside = cuboid(Vec3::new(2.0, 0.5, 0.0), Vec3::splat(0.5));
    let mut model = Model { meshes: vec![beside, mesh], ..model() };
    model.rest_bounds = model.compute_rest_bounds();
    let mut store = AssetStore::default();
    store.insert("box", model);
    store
}

#[test]
fn targets_beyond_the_fourth_are_shown_by_name() {
    let targets = [0.1, 0.2, 0.3, 0.4, 0.5, 2.0, 0.25];
    let picture = |store: &AssetStore, wanted: &[(&str, f32)]| {
        let (asset, model) = store.by_file("box").unwrap();
        let wanted = wanted.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect();
        let instance =
            InstanceDraw { morphs: NamedMorphs::of(&model.morph_names(), &wanted), ..static_instance(Mat4::IDENTITY) };
        let models = vec![ModelDraws { asset, instances: vec![instance] }];
        draw_frame(store, &FrameData { levels: Vec::new(), models, ..frame(&boxes(), None) })
    };
    let named = picture(&risen_box(&targets, 0.0), &[("rise 5", 1.0), ("rise 6", 1.0), ("unknown", 1.0)]);
    let modelled = picture(&risen_box(&targets, 2.25), &[]);
    assert!(matches(&named, &modelled), "{:?}", difference(&named, &modelled));
    let low = picture(&risen_box(&targets, 0.0), &[]);
    assert!(!matches(&named, &low), "the targets change nothing");
}

#[test]
fn instances_of_one_model_are_drawn_in_their_material_variants() {
    let colored = |base_color| Material { base_color, ..Material::default() };
    let red = [0.8, 0.0, 0.0, 1.0];
    let green = [0.0, 0.8, 0.0, 1.0];
    let store = |own, in_variant: &[[f32; 4]]| {
        let mut mesh = cuboid(Vec3::new(0.0, 0.5, 0.0), Vec3::splat(0.5));
        mesh.material = 0;
        mesh.variant_materials = (1..).zip(in_variant).map(|(i, _)| i).collect();
        let materials = [own].iter().chain(in_variant).map(|color| colored(*color)).collect();
        let names = in_variant.iter().map(|color| format!("{color:?}")).collect();
        let mut model = Model { meshes: vec![mesh], materials, material_variants: names, ..model() };
        model.rest_bounds = model.compute_rest_bounds();
        let mut store = AssetStore::default();
        store.insert("box", model);
        store
    };
    let picture = |store: &AssetStore, variants: [u32; 2]| {
        let (asset, _) = store.by_file("box").unwrap();
        let side = |x: f32, material_variant| InstanceDraw {
            material_variant,
            ..static_instance(Mat4::from_translation(Vec3::X * x))
        };
        let instances = vec![side(-1.0, variants[0]), side(1.0, variants[1])];
        let models = vec![ModelDraws { asset, instances }];
        draw_frame(store, &FrameData { levels: Vec::new(), models, ..frame(&boxes(), None) })
    };
    let both = store(red, &[green, red]);
    assert!(matches(&picture(&both, [0, 0]), &picture(&store(red, &[]), [0, 0])));
    assert!(matches(&picture(&both, [1, 1]), &picture(&store(green, &[]), [0, 0])));
    assert!(matches(&picture(&both, [0, 1]), &picture(&both, [2, 1])), "in one draw or in two");
    assert!(!matches(&picture(&both, [0, 1]), &picture(&both, [1, 0])), "each has its own");
    assert!(matches(&picture(&both, [0, 9]), &picture(&both, [0, 0])), "a variant that the model has not");
}

/// A picture of boxes with these materials, in their order; `image` is that of all of them that name one.
fn picture_of(boxes_of: &[(Vec3, Vec3, Material)], image: Option<Image>) -> image::RgbaImage {
    let mut model = Model { meshes: Vec::new(), materials: Vec::new(), ..model() };
    for (i, (center, half, material)) in boxes_of.iter().enumerate() {
        model.meshes.push(Mesh { material: i as u32, ..cuboid(*center, *half) });
        model.materials.push(material.clone());
    }
    model.images.extend(image.map(Arc::new));
    model.rest_bounds = model.compute_rest_bounds();
    let mut store = AssetStore::default();
    store.insert("boxes", model);
    draw_frame(&store, &frame(&store, None))
}

/// The brightest value of a channel near the middle of a picture.
fn middle(picture: &image::RgbaImage) -> [u8; 3] {
    let pixel = picture.get_pixel(SIZE[0] / 2, SIZE[1] / 2).0;
    [pixel[0], pixel[1], pixel[2]]
}

#[test]
fn panes_show_what_is_behind_them_in_any_order() {
    let colored = |base_color, alpha| Material { base_color, alpha, ..Material::default() };
    let toward = Vec3::new(-0.6, -0.45, -1.0).normalize();
    let at = |distance: f32| Vec3::new(6.0, 5.0, 9.0) + toward * distance;
    let wall = (at(12.0), Vec3::splat(2.0), colored([0.8, 0.0, 0.0, 1.0], AlphaMode::Opaque));
    let pane = |distance, color: [f32; 3]| {
        let [r, g, b] = color;
        (at(distance), Vec3::new(1.0, 1.0, 0.01), colored([r, g, b, 0.5], AlphaMode::Blended))
    };
    let (near, far) = (pane(5.0, [0.0, 0.0, 0.8]), pane(8.0, [0.0, 0.8, 0.0]));
    let both = picture_of(&[wall.clone(), near.clone(), far.clone()], None);
    let turned = picture_of(&[far.clone(), near.clone(), wall.clone()], None);
    assert!(difference(&both, &turned).0 < 0.01, "the farthest first, however they are stored");
    let [wall_alone, with_far, all] =
        [vec![wall.clone()], vec![wall.clone(), far], vec![wall, near]].map(|boxes| middle(&picture_of(&boxes, None)));
    assert!(with_far[0] < wall_alone[0] && with_far[0] > 30 && with_far[1] > wall_alone[1] + 30, "{with_far:?}");
    assert!(all[0] > 30 && all[2] > wall_alone[2] + 30, "{all:?}");
    let middle = middle(&both);
    assert!(middle[2] > middle[1] && middle[1] > wall_alone[1], "the nearer pane covers the other: {middle:?}");
}

#[test]
fn textures_say_which_parts_shine_and_are_of_metal() {
    // Half of it nothing, half of it all.
    let texels = (0..64).flat_map(|x| if x < 32 { [0, 0, 0, 255] } else { [255; 4] });
    let image = || Image { name: "a".into(), width: 64, height: 1, rgba: texels.clone().collect() };
    let box_of = |material| [(Vec3::new(0.0, 1.0, 0.0), Vec3::splat(2.0), material)];
    let dark = Material { base_color: [0.0, 0.0, 0.0, 1.0], emissive: [0.0, 1.0, 0.0], ..Material::default() };
    let green = |picture: &image::RgbaImage| picture.pixels().filter(|p| p.0[1] > 120 && p.0[0] < 90).count();
    let whole = green(&picture_of(&box_of(dark.clone()), None));
    let half = green(&picture_of(&box_of(Material { emissive_image: Some(0), ..dark.clone() }), Some(image())));
    assert!(half > whole / 4 && half < whole * 3 / 4, "{half} of {whole} pixels");
    let metal = Material { metallic: 1.0, roughness: 1.0, ..Material::default() };
    let plain = picture_of(&box_of(metal.clone()), None);
    let textured = picture_of(&box_of(Material { surface_image: Some(0), ..metal }), Some(image()));
    assert!(!matches(&plain, &textured), "half of it is no metal, and smooth");
}

#[test]
fn boxes_in_daylight_look_as_they_did() {
    check("boxes.png", &draw(None));
}

#[cfg(target_os = "linux")]
#[test]
fn the_same_is_drawn_over_opengl() {
    let backends = Some(walkabout::gpu::choice::backend_by_name("gl").unwrap());
    let choice = walkabout::gpu::choice::GpuChoice { backends, adapter: None };
    let gpu = match GpuContext::headless_with(&choice, &Default::default()) {
        Ok(gpu) => gpu,
        // NVIDIA's driver opens no more than the version that wgpu asks for.
        Err(walkabout::gpu::GpuError::TooWeak { short, .. }) => return assert_eq!(short, "OpenGL is 3.3, 4.3 needed"),
        Err(error) => panic!("{error} (Debian: apt-get install libegl1)"),
    };
    assert!(gpu.adapter_name().ends_with("(Gl)"), "{}", gpu.adapter_name());
    let store = boxes();
    let frame = frame(&store, Some(Depth::Tested));
    check("overlay_tested.png", &draw_by(&gpu, Quality::Software, &store, &frame));
    let [low, ultra] = [Quality::Low, Quality::Ultra].map(|quality| draw_by(&gpu, quality, &store, &frame));
    assert_eq!(difference(&low, &ultra), (0.0, 0.0), "more than one sample per pixel is not drawn there");
}

/// The sRGB bytes of a linear colour.
fn srgb(linear: Vec3) -> [i32; 3] {
    linear.to_array().map(|v| (walkabout::math::color::srgb_from_linear(v) * 255.0).round() as i32)
}

/// Whether a pixel has a colour, but for rounding on the way.
fn has_color(pixel: &image::Rgba<u8>, wanted: [i32; 3]) -> bool {
    (0..3).all(|c| (i32::from(pixel.0[c]) - wanted[c]).abs() <= 4)
}

/// A lit floor from above with the edge of a wall's shadow on it, turned out of the rows of picture and shadow map.
fn shadow_of_a_wall(elevation_deg: f32) -> image::RgbaImage {
    let mut wall = cuboid(Vec3::new(-3.0, 0.75, 0.0), Vec3::new(0.5, 0.75, 9.0));
    for vertex in &mut wall.vertices {
        let turn = Quat::from_rotation_y(0.12);
        (vertex.position, vertex.normal) = (turn * vertex.position, turn * vertex.normal);
    }
    let mut model = model();
    model.meshes.truncate(1);
    model.meshes.push(wall);
    model.rest_bounds = model.compute_rest_bounds();
    let mut store = AssetStore::default();
    store.insert("boxes", model);
    // Towards the sun, which stands beyond the wall; its shadow ends a little beside the middle of the picture.
    let to_sun = Vec3::new(-elevation_deg.to_radians().cos(), elevation_deg.to_radians().sin(), 0.05).normalize();
    let ends_at = -2.5 + 1.5 / elevation_deg.to_radians().tan();
    let eye = Vec3::new(ends_at, 22.0, 0.0);
    let lens = Lens::Perspective { fov_rad: 0.08 };
    let mut scene = frame(&store, None);
    scene.camera = (&View::new(eye, Vec3::new(0.0, -1.0, -1e-3), lens, 16.0 / 9.0)).into();
    let [east_west, north_south] = Environment::angles_deg(to_sun);
    (scene.environment.light_east_west_deg, scene.environment.light_north_south_deg) = (east_west, north_south);
    draw_frame(&store, &scene)
}

/// The steps that texels of a shadow map make in an edge are lost in its softness: seen against the line through the edge they
/// reach, from one side to the other, over less than two thirds of the way on which the light rises.
#[test]
fn edges_of_shadows_are_softer_than_their_steps() {
    let drawn = shadow_of_a_wall(45.0);
    let bright = |x: u32, y: u32| f64::from(drawn.get_pixel(x, y).0[1]);
    // Farther to the left lies the wall.
    const LEFT: u32 = 60;
    let (dark, lit) = (bright(LEFT, 90), bright(SIZE[0] - 4, 90));
    assert!(lit > dark + 40.0, "a shadow on the left, light on the right: {dark} {lit}");
    // Where a row passes a share of the light.
    let passes = |share: f64, y: u32| {
        let level = dark + (lit - dark) * share;
        let x = (LEFT + 1..SIZE[0]).find(|&x| bright(x, y) > level).unwrap();
        f64::from(x) - (bright(x, y) - level) / (bright(x, y) - bright(x - 1, y))
    };
    let rows = || 10..SIZE[1] - 10;
    let points: Vec<(f64, f64)> = rows().map(|y| (f64::from(y), passes(0.5, y))).collect();
    let count = points.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (y_mean, x_mean) = (mean(&|p| p.0), mean(&|p| p.1));
    let slope = mean(&|p| (p.0 - y_mean) * (p.1 - x_mean)) / mean(&|p| (p.0 - y_mean).powi(2));
    assert!(slope.abs() > 0.03, "the edge is turned: {slope}");
    let aside = || points.iter().map(|p| p.1 - x_mean - slope * (p.0 - y_mean));
    let steps = aside().fold(f64::MIN, f64::max) - aside().fold(f64::MAX, f64::min);
    let soft = rows().map(|y| passes(0.9, y) - passes(0.1, y)).sum::<f64>() / count;
    assert!(steps < 0.667 * soft, "steps of {steps:.2} pixels in an edge of {soft:.2}");
}

/// Ground that nothing shades is lit evenly, however low the sun stands.
#[test]
fn lit_ground_has_no_specks() {
    for elevation_deg in [8.0, 15.0, 30.0] {
        let drawn = shadow_of_a_wall(elevation_deg);
        let lit = drawn.view(SIZE[0] * 3 / 4, 0, SIZE[0] / 4, SIZE[1]).to_image();
        let values = || lit.pixels().map(|pixel| pixel.0[1]);
        let (low, high) = (values().min().unwrap(), values().max().unwrap());
        assert!(high - low <= 4, "{low} to {high} where the sun stands at {elevation_deg}°");
    }
}

#[test]
fn fog_and_background_have_their_shares_of_the_light() {
    let store = boxes();
    let mut foggy = frame(&store, None);
    foggy.environment = Environment { fog_density: 0.0, ..Environment::default() };
    foggy.environment.apply_preset(DayPreset::Noon);
    let light = Vec3::from(foggy.environment.light_color) * foggy.environment.light_intensity;
    let clear = draw_frame(&store, &foggy);
    assert!(has_color(clear.get_pixel(2, 2), srgb(light * 0.5)), "{:?}", clear.get_pixel(2, 2));
    foggy.environment.fog_density = 1.0;
    let hidden = draw_frame(&store, &foggy);
    let floor = hidden.get_pixel(SIZE[0] / 2, SIZE[1] - 10);
    assert!(has_color(floor, srgb(light * 0.25)), "{floor:?}");
    // A share of 1 - exp(-(0.05 * distance)²): little of what is near, more of what is far.
    foggy.environment.fog_density = 0.05;
    let thin = draw_frame(&store, &foggy);
    let change = |y: u32| {
        let (a, b) = (clear.get_pixel(SIZE[0] / 2, y), thin.get_pixel(SIZE[0] / 2, y));
        (0..3).map(|c| a.0[c].abs_diff(b.0[c])).max().unwrap()
    };
    assert!(change(SIZE[1] - 5) > 0 && change(SIZE[1] - 5) < change(70), "{} {}", change(SIZE[1] - 5), change(70));
}

#[test]
fn a_picture_is_the_sky_and_lights_the_scene() {
    let mut store = boxes();
    let (red, green) = ([200, 20, 20, 255], [20, 200, 20, 255]);
    let rgba = (0..64 * 32).flat_map(|i| if i % 64 < 32 { red } else { green }).collect();
    let picture = Image { name: "halves".into(), width: 64, height: 32, rgba };
    store.insert_sky("halves.png", SkyPicture::from_image(picture, Path::new("halves.png")).unwrap());
    let view = View::new(Vec3::new(0.0, 30.0, 9.0), Vec3::NEG_Z, Lens::Perspective { fov_rad: 0.9 }, 16.0 / 9.0);
    let mut scene = FrameData { camera: (&view).into(), ..frame(&store, None) };
    scene.environment = Environment { sky_enabled: true, sky_picture: "halves.png".into(), ..Environment::default() };
    let drawn = draw_frame(&store, &scene);
    for (x, color) in [(20, red), (SIZE[0] - 20, green)] {
        let pixel = drawn.get_pixel(x, 20);
        assert!(has_color(pixel, [color[0], color[1], color[2]].map(i32::from)), "west is red, east green: {pixel:?}");
    }
    let lit = |sky_picture: &str| {
        let mut lit = frame(&store, None);
        lit.environment = Environment { sky_picture: sky_picture.into(), ..scene.environment.clone() };
        draw_frame(&store, &lit).get_pixel(SIZE[0] / 2, SIZE[1] - 10).0
    };
    let (own, by_picture) = (lit(""), lit("halves.png"));
    assert!(by_picture[2] + 20 < own[2], "without blue in the picture: {own:?} {by_picture:?}");
}

#[test]
fn overlays_show_as_their_depth_says() {
    let without = draw(None);
    let pictures = [Depth::Tested, Depth::Dimmed, Depth::OnTop].map(|depth| draw(Some(depth)));
    check("overlay_tested.png", &pictures[0]);
    check("overlay_dimmed.png", &pictures[1]);
    check("overlay_on_top.png", &pictures[2]);
    let changed = pictures.each_ref().map(|p| difference(p, &without).0);
    assert!(changed[0] > 0.0 && changed[0] < changed[1] && changed[1] < changed[2], "{changed:?}");
}

/// What `walkabout render` draws of one of Walkabout's own scenes as it is saved.
fn rendered(scene: &str, camera: &str, overlays: &[&str]) -> image::RgbaImage {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("picture.png");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_walkabout"));
    command.arg("render").arg(root.join("config").join(scene)).arg("--out").arg(&out);
    command.args(["--size", "480x270", "--camera", camera, "--quality", "software"]);
    command.args(overlays.iter().flat_map(|name| ["--overlay", name]));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    image::open(&out).unwrap().to_rgba8()
}

#[test]
fn people_in_a_town_look_as_they_did() {
    check("plaza_square.png", &rendered("plaza.acfg", "FreeCam", &[]));
}

/// Requirement: B-9
#[test]
fn a_courtyard_with_overlays_looks_as_it_did() {
    let overlays = ["skeleton", "instance-boxes", "ground"];
    check("courtyard_overlays.png", &rendered("courtyard.acfg", "FreeCam", &overlays));
}

#[test]
fn a_broken_picture_is_noticed() {
    let whole = image::open(golden("boxes.png")).unwrap().to_rgba8();
    let mut holed = whole.clone();
    for pixel in holed.pixels_mut().take(1000) {
        pixel.0 = [255, 0, 255, 255];
    }
    assert!(!matches(&whole, &holed));
    let mut dark = whole.clone();
    dark.pixels_mut().for_each(|p| (0..3).for_each(|c| p.0[c] = p.0[c].saturating_sub(3)));
    assert!(!matches(&whole, &dark));
    let mut noisy = whole.clone();
    noisy.pixels_mut().step_by(2).for_each(|p| p.0[0] = p.0[0].saturating_add(2));
    assert!(matches(&whole, &noisy), "rounding must be forgiven");
}
