//! The tour of `docs/guide.md`, taken step by step: from an empty window to a saved scene, all undone, all done again,
//! saved, and opened again as it was. Its pictures are those of the guide.
//!
//! With `WALKABOUT_UPDATE_PICTURES=1` the pictures in `docs/pictures` are drawn anew; otherwise they are compared.

#![allow(clippy::unwrap_used, reason = "a test that cannot find its widget has to fail")]

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use image::RgbaImage;
use std::path::{Path, PathBuf};
use std::time::Duration;
use walkabout::app::App;
use walkabout::app::recent::Recent;
use walkabout::app::window::FrameHandler;
use walkabout::debug::Layer;
use walkabout::gpu::GpuContext;
use walkabout::gpu::readback::{read_texture, target};
use walkabout::scene::file;

const SIZE: [u32; 2] = [1200, 760];
/// Size to which pictures are brought before they are compared: what drivers do differently is gone then.
const COMPARED: [u32; 2] = [48, 30];
/// Mean difference of channels, of 255, up to which two pictures show the same.
const ALIKE: f64 = 14.0;

type Window = Harness<'static, App>;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn click(window: &mut Window, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(4);
}

fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(4);
}

fn choose(window: &mut Window, shown: &str, wanted: &str) {
    window.get_by_value(shown).click();
    window.run_steps(4);
    // The list lies over everything else that bears this name.
    window.get_all_by_label(wanted).last().unwrap().click();
    window.run_steps(4);
}

/// Runs frames until all models are read and the ground is built.
fn settle(window: &mut Window) {
    for _ in 0..3000 {
        window.run_steps(1);
        if !window.state().is_importing() && !window.state().world().is_building() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    window.run_steps(3);
}

/// What the window shows: the scene, and the interface over it.
fn picture(window: &mut Window, gpu: &GpuContext) -> RgbaImage {
    let texture = target(&gpu.device, "window", SIZE, wgpu::TextureFormat::Rgba8Unorm);
    let view = texture.create_view(&Default::default());
    for _ in 0..3 {
        window.run_steps(1);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        window.state_mut().draw(gpu, &mut encoder, &view, SIZE);
        gpu.queue.submit([encoder.finish()]);
        window.state_mut().presented(gpu);
    }
    let scene = read_texture(&gpu.device, &gpu.queue, &texture).unwrap();
    let mut picture = RgbaImage::from_raw(SIZE[0], SIZE[1], scene).unwrap();
    let interface = window.render().unwrap();
    // The harness fills its ground; where nothing else was drawn, the scene is seen.
    let ground = window.ctx.global_style().visuals.panel_fill.to_array();
    for (below, above) in picture.pixels_mut().zip(interface.pixels()) {
        if below.0[3] == 0 || above.0 != ground {
            below.0 = above.0;
        }
    }
    picture
}

/// Draws the picture of the guide anew, or compares it.
fn show(window: &mut Window, gpu: &GpuContext, name: &str) {
    // The harness draws a cursor where the last click was, over what is to be read.
    window.remove_cursor();
    let taken = image::DynamicImage::from(picture(window, gpu)).to_rgb8();
    let file = root().join("docs/pictures").join(name);
    if std::env::var_os("WALKABOUT_UPDATE_PICTURES").is_some() {
        let small = image::imageops::resize(&taken, 960, 608, image::imageops::FilterType::CatmullRom);
        let out = std::fs::File::create(&file).unwrap();
        image::codecs::jpeg::JpegEncoder::new_with_quality(out, 82).encode_image(&small).unwrap();
    }
    let kept = image::open(&file).unwrap_or_else(|e| panic!("{name}: {e}; WALKABOUT_UPDATE_PICTURES=1 draws it"));
    let tiny = |picture: &image::RgbImage| {
        image::imageops::resize(picture, COMPARED[0], COMPARED[1], image::imageops::FilterType::Triangle)
    };
    let (kept, taken) = (tiny(&kept.to_rgb8()), tiny(&taken));
    let sum: u64 = kept.as_raw().iter().zip(taken.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    let mean = sum as f64 / kept.as_raw().len() as f64;
    assert!(mean < ALIKE, "{name} shows something else ({mean:.1}); WALKABOUT_UPDATE_PICTURES=1 draws it anew");
}

/// Activates what has this label, wherever it lies in its panel.
fn reach(window: &mut Window, label: &str) {
    window.get_all_by_label(label).next().unwrap().click_accesskit();
    window.run_steps(4);
}

/// Looks at the panels that open on demand, with one of the people selected; adds a camera.
fn panels(window: &mut Window, gpu: &GpuContext) {
    press(window, Modifiers::NONE, Key::F12);
    for _ in 0..40 {
        // One portrait after the other is drawn and read back.
        picture(window, gpu);
        std::thread::sleep(Duration::from_millis(2));
    }
    show(window, gpu, "guide_assets.jpg");
    press(window, Modifiers::NONE, Key::F12);

    reach(window, "ada 9");
    press(window, Modifiers::NONE, Key::F);
    window.run_steps(60);
    press(window, Modifiers::NONE, Key::F3);
    show(window, gpu, "guide_animation.jpg");
    press(window, Modifiers::NONE, Key::F3);
    press(window, Modifiers::NONE, Key::F9);
    show(window, gpu, "guide_profiler.jpg");
    press(window, Modifiers::NONE, Key::F9);
    press(window, Modifiers::NONE, Key::Home);
    window.run_steps(60);

    reach(window, "Camera");
    reach(window, "➕ New");
    reach(window, "Camera");
    reach(window, "Cameras (2)");
    reach(window, "FreeCam");
    show(window, gpu, "guide_camera.jpg");
    press(window, Modifiers::NONE, Key::Escape);
    press(window, Modifiers::NONE, Key::Escape);
    reach(window, "Cameras (2)");

    press(window, Modifiers::COMMAND, Key::E);
    window.get_by_label("Export folder").focus();
    window.run_steps(2);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text("pictures".into()));
    window.run_steps(2);
    show(window, gpu, "guide_export.jpg");
    press(window, Modifiers::NONE, Key::Escape);
    press(window, Modifiers::NONE, Key::Escape);
}

/// Lets the model that was added last be walked to.
fn make_target(window: &mut Window) {
    // The panel may be too small for all of it.
    window.get_by_label("Model").click_accesskit();
    window.run_steps(4);
    let is_target = |window: &Window| window.state().scene().models.values().last().is_some_and(|m| m.is_nav_target);
    if !is_target(window) {
        // What has no clips may be taken for a target already.
        window.get_by_label("Can be walked to").click_accesskit();
        window.run_steps(4);
    }
    assert!(is_target(window));
}

/// A paused window on an empty scene that is written to `path`.
fn open_empty_scene(path: &Path, gpu: &GpuContext) -> Window {
    let start = "version: 10.0\nsettings:\n  navigation-enabled: true\n  skybox-enabled: true\n  light-source-angle-east-west: 58.25\n  light-source-angle-north-south: 116.2\n  light-source-color: [1, 0.93, 0.82]\n  level-collision-ground-slope: 40\n  level-collision-max-stairstep-height: 0.4\n  gravity-enabled: true\ncameras:\n  - camera-name: FreeCam\n    position: [0, 8, 12]\n    view-azimuth: 30\n    view-elevation: -40\n";
    std::fs::write(path, start).unwrap();
    let mut app = App::new(Recent::default());
    app.start(gpu, wgpu::TextureFormat::Rgba8Unorm);
    app.open_at_start(path);
    let size = [SIZE[0] as f32, SIZE[1] as f32];
    let mut window = Harness::builder()
        .with_size(size)
        .wgpu()
        .build_ui_state(|ui: &mut egui::Ui, app: &mut App| drop(app.update(ui, Duration::from_millis(16))), app);
    walkabout::ui::theme::install(&window.ctx);
    // The scene is put below the finished interface, where a shadow would hide it.
    window.ctx.all_styles_mut(|style| {
        (style.visuals.window_shadow, style.visuals.popup_shadow) = (egui::Shadow::NONE, egui::Shadow::NONE);
    });
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::K);
    assert!(!window.state().is_playing());
    window
}

/// Adds a level, a target and people who walk.
fn build_scene(window: &mut Window) {
    for (model, label) in [
        ("assets/levels/courtyard.fbx", "Add as level"),
        ("assets/props/marker.glb", "Add as model"),
        ("assets/people/ada.glb", "Add as model"),
    ] {
        window.state_mut().file_dropped(root().join(model));
        window.run_steps(4);
        click(window, label);
        settle(window);
        if model.contains("marker") {
            make_target(window);
        }
    }
    press(window, Modifiers::NONE, Key::Home);
    window.run_steps(40);
    press(window, Modifiers::COMMAND, Key::M);
    let ada = walkabout::ui::names::without_extension("ada.glb").to_owned();
    if window.query_all_by_value("marker").next().is_some() {
        choose(window, "marker", &ada);
    }
    click(window, "Walk to random targets");
    click(window, "Create 50");
    press(window, Modifiers::COMMAND, Key::M);
    assert_eq!(window.state().scene().instances.len(), 52);
    let walking = window.state().scene().instances.values().filter(|i| i.navigation && i.target.is_some()).count();
    assert!(walking >= 50, "{walking} are to walk");
    if !window.state().shows_overlay(Layer::NavPath) {
        click(window, "Paths");
    }
    press(window, Modifiers::NONE, Key::K);
    settle(window);
    window.run_steps(120);
    press(window, Modifiers::NONE, Key::K);
    let on_their_way = window.state().world().iter().filter(|(_, live)| !live.path.is_empty()).count();
    assert!(on_their_way > 25, "{on_their_way} walk");
    press(window, Modifiers::NONE, Key::Escape);
    press(window, Modifiers::NONE, Key::Escape);
    click(window, "Model");
}

/// Undoes all and does it again, saves the scene and opens it.
fn undo_redo_save_and_open(window: &mut Window, path: &Path) {
    let (done, all) = window.state().steps();
    assert!(done == all && done >= 7, "{done} of {all}");
    let built = window.state().scene().clone();
    for _ in 0..done {
        press(window, Modifiers::COMMAND, Key::Z);
    }
    assert!(!window.state().is_dirty() && window.state().scene().instances.is_empty());
    for _ in 0..done {
        press(window, Modifiers::COMMAND, Key::Y);
    }
    assert_eq!(*window.state().scene(), built);
    press(window, Modifiers::COMMAND, Key::S);
    assert!(!window.state().is_dirty());
    let again = file::load(path).unwrap();
    assert_eq!((again.scene.instances.len(), again.scene.behaviors.len(), again.scene.levels.len()), (52, 1, 1));
    let places = |scene: &walkabout::scene::Scene| -> Vec<_> {
        scene.instances.values().map(|i| (i.position, i.rotation_deg, i.navigation)).collect()
    };
    assert_eq!(places(&again.scene), places(&built));
    let saved = std::fs::read_to_string(path).unwrap();
    assert_eq!(file::to_string(&again.scene, &again.selection), saved, "opened and saved again, it stays as it is");
}

#[test]
fn the_tour_of_the_guide_leads_to_a_scene_that_opens_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tour.acfg");
    let gpu = GpuContext::headless().unwrap();
    let mut window = open_empty_scene(&path, &gpu);
    show(&mut window, &gpu, "guide_empty.jpg");
    build_scene(&mut window);
    show(&mut window, &gpu, "guide_crowd.jpg");

    panels(&mut window, &gpu);

    // A behaviour.
    press(&mut window, Modifiers::NONE, Key::F6);
    click(&mut window, "➕ New");
    show(&mut window, &gpu, "guide_behavior.jpg");
    click(&mut window, "More");
    click(&mut window, "Comment");
    press(&mut window, Modifiers::NONE, Key::F6);

    undo_redo_save_and_open(&mut window, &path);
}
