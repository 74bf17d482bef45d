//! The tour of `docs/guide.md`, taken step by step: from an empty window to a saved scene, all undone, all done again,
//! saved, and opened again as it was. Its pictures are those of the guide.
//!
//! With `WALKABOUT_UPDATE_PICTURES=1` the pictures in `docs/pictures` are drawn anew; otherwise they are compared.

#![allow(clippy::unwrap_used, reason = "a test that cannot find its widget has to fail")]

#[path = "common/original_reader.rs"]
mod original_reader;
#[path = "common/pictures.rs"]
mod pictures;

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use pictures::{Window, choose, click, open, picture, press, reach, root, settle, show};
use std::path::Path;
use std::time::Duration;
use walkabout::app::window::FrameHandler;
use walkabout::debug::Layer;
use walkabout::gpu::GpuContext;
use walkabout::scene::file;

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
    let start = "version: 10.0\nsettings:\n  navigation-enabled: true\n  skybox-enabled: true\n  light-source-angle-east-west: 58.25\n  light-source-angle-north-south: 116.2\n  light-source-color: [1, 0.93, 0.82]\n  level-collision-ground-slope: 40\n  level-collision-max-stairstep-height: 0.4\n  gravity-enabled: true\ncameras:\n  - camera-name: FreeCam\n    position: [0, 8, 6]\n    view-azimuth: 30\n    view-elevation: -40\n";
    std::fs::write(path, start).unwrap();
    let mut window = open(path, gpu);
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
        // It comes from outside of the window.
        window.event(egui::Event::PointerGone);
        window.run_steps(2);
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
    // Only then play: how many frames the ground takes depends on the machine, how far people walk must not.
    settle(window);
    press(window, Modifiers::NONE, Key::K);
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
    original_reader::assert_readable(&saved);
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
