//! The first minutes with a sample scene, by mouse and keys: look, bake, place an obstacle, try paths by two planners, a
//! threat, a link and a crowd; all undone, all done again, saved and opened again. Each step is a picture.
//!
//! With `WALKABOUT_UPDATE_PICTURES=1` the pictures in `docs/pictures` are drawn anew; otherwise they are compared.

#![allow(clippy::unwrap_used, reason = "a test that cannot find its widget has to fail")]

#[path = "common/pictures.rs"]
mod pictures;

use egui::{Key, Modifiers, PointerButton, Pos2};
use egui_kittest::kittest::Queryable;
use glam::Vec3;
use pictures::{Window, choose, click, open, press, root, settle, show};
use std::path::Path;
use walkabout::gpu::GpuContext;
use walkabout::nav::planner::Planner;
use walkabout::scene::{Scene, file};
use walkabout::ui::command::numpad_key;

/// The courtyard in a file of its own, with nobody on the way yet.
fn courtyard(path: &Path) {
    let text = std::fs::read_to_string(root().join("config/courtyard.acfg")).unwrap();
    let assets = format!(": {}/assets/", root().display());
    std::fs::write(path, text.replace(": assets/", &assets)).unwrap();
}

/// Moves the cursor, presses the button, moves on and lets go.
fn drag(window: &mut Window, button: PointerButton, from: Pos2, to: Pos2) {
    let event = |pos, pressed| egui::Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
    window.event(egui::Event::PointerMoved(from));
    window.run_steps(2);
    window.event(event(from, true));
    window.run_steps(2);
    for share in [0.3, 0.6, 1.0] {
        window.event(egui::Event::PointerMoved(from + (to - from) * share));
        window.run_steps(2);
    }
    window.event(event(to, false));
    window.run_steps(4);
}

/// Where in the window a place of the scene is seen.
fn at(window: &Window, place: Vec3) -> Pos2 {
    let at = window.state().seen_at(place).expect("the place is in the picture");
    egui::pos2(at.x, at.y)
}

fn click_at(window: &mut Window, place: Vec3) {
    let at = at(window, place);
    drag(window, PointerButton::Primary, at, at);
}

fn drag_to(window: &mut Window, from: Vec3, to: Vec3) {
    let (from, to) = (at(window, from), at(window, to));
    drag(window, PointerButton::Primary, from, to);
}

/// Takes a tool of the workbench, wherever its button lies.
fn take(window: &mut Window, tool: &str) {
    window.get_all_by_label(tool).next().unwrap().click_accesskit();
    window.run_steps(4);
    assert!(window.query_all_by_label_contains("Esc: done").next().is_some(), "{tool} is not taken");
}

/// Looks at the scene from the side, from above, and over the walls.
fn look(window: &mut Window, gpu: &GpuContext) {
    show(window, gpu, "first_1_start.jpg");
    drag(window, PointerButton::Middle, egui::pos2(600.0, 400.0), egui::pos2(680.0, 430.0));
    press(window, Modifiers::NONE, numpad_key(7).unwrap());
    window.run_steps(60);
    press(window, Modifiers::NONE, Key::Home);
    window.run_steps(60);
    press(window, Modifiers::NONE, numpad_key(7).unwrap());
    window.run_steps(60);
    show(window, gpu, "first_2_top.jpg");
    press(window, Modifiers::NONE, Key::Home);
    window.run_steps(60);
    show(window, gpu, "first_3_home.jpg");
}

/// Bakes for an agent of a preset, and places an obstacle.
fn bake_and_block(window: &mut Window, gpu: &GpuContext) {
    // The paths of those who walk would lie over everything.
    click(window, "Paths");
    press(window, Modifiers::NONE, Key::F7);
    let chosen = ["Person", "Custom"].into_iter().find(|name| window.query_by_value(name).is_some()).unwrap();
    choose(window, chosen, "RecastDemo");
    settle(window);
    choose(window, "RecastDemo", "Person");
    click(window, "Bake");
    settle(window);
    show(window, gpu, "first_4_bake.jpg");
    // From above, what is clicked is the ground.
    press(window, Modifiers::NONE, numpad_key(7).unwrap());
    window.run_steps(60);
    take(window, "Obstacle");
    click_at(window, Vec3::new(1.0, 0.0, 2.0));
    drag_to(window, Vec3::new(1.0, 0.0, 2.0), Vec3::new(3.0, 0.0, 4.5));
    settle(window);
    assert_eq!(window.state().scene().nav.obstacles.len(), 1);
    show(window, gpu, "first_5_obstacle.jpg");
}

/// Tries a path by two planners, and by one that hides from a threat.
fn try_paths(window: &mut Window, gpu: &GpuContext) {
    take(window, "Path");
    click_at(window, Vec3::new(-1.0, 0.0, 6.0));
    click_at(window, Vec3::new(7.0, 0.0, 3.0));
    if window.state().scene().nav.probe.beside.is_none() {
        let rows = window.get_by_label("Compare with").rect();
        let switches = window.get_all_by_role(egui::accesskit::Role::CheckBox);
        let beside = switches.min_by(|a, b| {
            let off = |node: &egui_kittest::Node<'_>| (node.rect().center().y - rows.center().y).abs();
            off(a).total_cmp(&off(b))
        });
        beside.unwrap().click_accesskit();
        window.run_steps(4);
    }
    settle(window);
    let found: Vec<_> = window.state().inspector().query().results().iter().map(|r| r.reason.clone()).collect();
    assert_eq!(found, [None, None], "both planners find a path");
    show(window, gpu, "first_6_path.jpg");
    take(window, "Threat");
    click_at(window, Vec3::new(3.0, 0.0, 7.0));
    // The list of planners may be scrolled out of sight.
    let planner = window.state().scene().nav.probe.planner.label();
    window.get_by_value(planner).click_accesskit();
    window.run_steps(4);
    window.get_all_by_label(Planner::Tactical.label()).last().unwrap().click_accesskit();
    window.run_steps(4);
    press(window, Modifiers::NONE, Key::Escape);
    assert_eq!(window.state().scene().nav.probe.planner, Planner::Tactical);
    settle(window);
    show(window, gpu, "first_7_threat.jpg");
}

/// Joins two places by a link, and sends a crowd on its way.
fn link_and_crowd(window: &mut Window, gpu: &GpuContext) {
    take(window, "Link");
    click_at(window, Vec3::new(0.0, 0.0, 4.0));
    click_at(window, Vec3::new(0.0, 0.0, 7.0));
    settle(window);
    assert_eq!(window.state().scene().nav.bake.placed_links.len(), 1);
    show(window, gpu, "first_8_link.jpg");
    take(window, "Crowd");
    click_at(window, Vec3::new(1.0, 0.0, -1.0));
    click_at(window, Vec3::new(7.0, 0.0, 4.0));
    press(window, Modifiers::NONE, Key::K);
    window.run_steps(180);
    press(window, Modifiers::NONE, Key::K);
    assert_eq!(window.state().scene().nav.crowds.len(), 1);
    let counts = window.state().inspector().crowd().counts();
    assert_eq!((counts.agents, counts.failed), (20, 0));
    show(window, gpu, "first_9_crowd.jpg");
    press(window, Modifiers::NONE, Key::Escape);
}

/// Undoes all, does it again, saves, and opens the file.
fn undo_save_and_reopen(window: &mut Window, path: &Path, before: &Scene, gpu: &GpuContext) {
    let (done, _) = window.state().steps();
    let built = window.state().scene().clone();
    for _ in 0..done {
        press(window, Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(window.state().scene().nav, before.nav, "all is undone");
    for _ in 0..done {
        press(window, Modifiers::COMMAND, Key::Y);
    }
    assert_eq!(*window.state().scene(), built, "and done again");
    press(window, Modifiers::COMMAND, Key::S);
    assert!(!window.state().is_dirty());
    let saved = file::load(path).unwrap().scene;
    assert_eq!(saved.nav, built.nav);
    let mut again = open(path, gpu);
    settle(&mut again);
    if again.state().is_playing() {
        press(&mut again, Modifiers::NONE, Key::K);
    }
    press(&mut again, Modifiers::NONE, Key::Home);
    again.run_steps(60);
    show(&mut again, gpu, "first_10_again.jpg");
}

#[test]
fn the_first_minutes_need_no_explanation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("courtyard.acfg");
    courtyard(&path);
    let gpu = GpuContext::headless().unwrap();
    let mut window = open(&path, &gpu);
    settle(&mut window);
    if window.state().is_playing() {
        press(&mut window, Modifiers::NONE, Key::K);
    }
    let before = window.state().scene().clone();
    look(&mut window, &gpu);
    bake_and_block(&mut window, &gpu);
    try_paths(&mut window, &gpu);
    link_and_crowd(&mut window, &gpu);
    undo_save_and_reopen(&mut window, &path, &before, &gpu);
}
