//! The first minutes, by mouse and keys alone: look, bake, drag an obstacle, try paths by two planners,
//! a threat, a link and a crowd; all undone, all done again, saved and opened again. Each step is a picture. Beside it,
//! how few actions lead to a baked mesh, and from an empty window to people who walk around an obstacle.
//!
//! The way is taken in a window without a screen, and with `WALKABOUT_REAL_WINDOW=1` in a real one under Xvfb and openbox,
//! whose people walk in real time; otherwise that is reported as ignored. With `WALKABOUT_UPDATE_PICTURES=1` the pictures in
//! `docs/pictures` are drawn anew; otherwise they are compared.

#![allow(clippy::unwrap_used, reason = "a test that cannot find its widget has to fail")]

#[path = "common/hands.rs"]
mod hands;
#[path = "common/pictures.rs"]
mod pictures;
#[path = "common/screen.rs"]
mod screen;

use egui::{PointerButton, pos2};
use egui_kittest::kittest::Queryable;
use glam::{Vec3, Vec3Swizzles};
use hands::Hands;
use libtest_mimic::{Arguments, Trial};
use pictures::{compare, open, root, shot};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use walkabout::debug::Layer;
use walkabout::gpu::GpuContext;
use walkabout::nav::planner::Planner;
use walkabout::scene::{Scene, file};

/// Most clicks from the start to the first mesh that is baked and drawn.
const MAX_BAKE_CLICKS: usize = 3;
/// Most actions from an empty window to fifty people who walk around an obstacle.
const MAX_CROWD_ACTIONS: usize = 20;
/// People on their way at the end.
const PEOPLE: usize = 50;

fn main() {
    let lacking = hands::missing_programs();
    let wants_real = std::env::var_os("WALKABOUT_REAL_WINDOW").is_some();
    if wants_real && !lacking.is_empty() {
        eprintln!("no real window: {} is not installed", lacking.join(", "));
    }
    let has_real = wants_real && lacking.is_empty();
    let mut tests = Vec::new();
    for is_real in [true, false] {
        let test = |name: &str, way: fn(bool)| {
            let name = if is_real { format!("{name}_in_a_real_window") } else { name.to_owned() };
            Trial::test(name, move || {
                way(is_real);
                Ok(())
            })
            .with_ignored_flag(is_real && !has_real)
        };
        tests.extend([
            test("the_first_minutes_need_no_explanation", first_minutes),
            test("three_clicks_lead_to_a_baked_mesh", three_clicks),
            test("few_actions_lead_from_nothing_to_people_around_an_obstacle", people_around_an_obstacle),
        ]);
    }
    let mut arguments = Arguments::from_args();
    // Two windows at once would take each other's time.
    arguments.test_threads = Some(1);
    libtest_mimic::run(&arguments, tests).exit()
}

/// Keeps a picture of what is seen, or compares it.
fn show(hands: &mut Hands, gpu: &GpuContext, name: &str) {
    // What lies under the cursor would explain itself.
    hands.hover(pos2(600.0, 748.0));
    let taken = hands.picture(|window| shot(window, gpu));
    compare(&taken, name);
}

/// Hands on a scene; the real window works on a copy.
fn hands_on(path: &Path, is_real: bool, gpu: &GpuContext) -> Hands {
    let real = is_real.then(|| real_copy(path));
    if let Some(real) = &real {
        std::fs::copy(path, real).unwrap();
    }
    let folder = path.parent().unwrap();
    Hands::new(open(path, gpu), real.as_ref().map(|real| (folder, Some(real.as_path()))))
}

/// The file that the real window works on.
fn real_copy(path: &Path) -> PathBuf {
    path.with_extension("real.acfg")
}

/// Saves, and reads what the real window has written, else the other one.
fn save(hands: &mut Hands, path: &Path, is_real: bool) -> Scene {
    hands.save();
    file::load(&if is_real { real_copy(path) } else { path.to_owned() }).unwrap().scene
}

/// The courtyard in a file of its own.
fn courtyard(path: &Path) {
    let text = std::fs::read_to_string(root().join("config/courtyard.acfg")).unwrap();
    let assets = format!(": {}/assets/", root().display());
    std::fs::write(path, text.replace(": assets/", &assets)).unwrap();
}

/// Takes a tool of the workbench.
fn take(hands: &mut Hands, tool: &str) {
    hands.click(tool);
    assert!(hands.twin.query_all_by_label_contains("Esc: done").next().is_some(), "{tool} is not taken");
}

/// Looks at the scene from the side, from above, and over the walls.
fn look(hands: &mut Hands, gpu: &GpuContext) {
    show(hands, gpu, "first_1_start.jpg");
    hands.drag_px(PointerButton::Middle, pos2(600.0, 400.0), pos2(680.0, 430.0));
    hands.key("Home");
    hands.key("KP_7");
    show(hands, gpu, "first_2_top.jpg");
    hands.key("Home");
    show(hands, gpu, "first_3_home.jpg");
}

/// Bakes for an agent of a preset, and places an obstacle.
fn bake_and_block(hands: &mut Hands, gpu: &GpuContext) {
    // The paths of those who walk would lie over everything.
    hands.click("Paths");
    hands.click("Navigation");
    let is_shown = |hands: &Hands, name: &&str| hands.twin.query_by_value(name).is_some();
    let chosen = ["Person", "Custom"].into_iter().find(|name| is_shown(hands, name)).unwrap();
    hands.choose(chosen, "RecastDemo");
    hands.settle();
    hands.choose("RecastDemo", "Person");
    hands.click("Bake");
    hands.settle();
    show(hands, gpu, "first_4_bake.jpg");
    // From above, what is clicked is the ground.
    hands.key("KP_7");
    take(hands, "Obstacle");
    hands.click_at(Vec3::new(1.0, 0.0, 2.0));
    hands.drag(Vec3::new(1.0, 0.0, 2.0), Vec3::new(3.0, 0.0, 4.5));
    hands.settle();
    assert_eq!(hands.twin.state().scene().nav.obstacles.len(), 1);
    show(hands, gpu, "first_5_obstacle.jpg");
}

/// Tries a path by two planners, and by one that hides from a threat.
fn try_paths(hands: &mut Hands, gpu: &GpuContext) {
    take(hands, "Path");
    hands.click_at(Vec3::new(-1.0, 0.0, 4.5));
    hands.click_at(Vec3::new(7.0, 0.0, 4.5));
    if hands.twin.state().scene().nav.probe.beside.is_none() {
        hands.click("Compare with");
    }
    hands.settle();
    let found: Vec<_> = hands.twin.state().inspector().query().results().iter().map(|r| r.reason.clone()).collect();
    assert_eq!(found, [None, None], "both planners find a path");
    show(hands, gpu, "first_6_path.jpg");
    take(hands, "Threat");
    hands.click_at(Vec3::new(3.0, 0.0, 7.0));
    hands.settle();
    let planner = hands.twin.state().scene().nav.probe.planner.label();
    hands.choose(planner, Planner::Tactical.label());
    assert_eq!(hands.twin.state().scene().nav.probe.planner, Planner::Tactical);
    hands.settle();
    show(hands, gpu, "first_7_threat.jpg");
}

/// Joins two places by a link, and sends a crowd on its way.
fn link_and_crowd(hands: &mut Hands, gpu: &GpuContext) {
    take(hands, "Link");
    hands.click_at(Vec3::new(0.0, 0.0, 4.0));
    hands.click_at(Vec3::new(0.0, 0.0, 7.0));
    hands.settle();
    assert_eq!(hands.twin.state().scene().nav.bake.placed_links.len(), 1);
    show(hands, gpu, "first_8_link.jpg");
    take(hands, "Crowd");
    hands.click_at(Vec3::new(1.0, 0.0, -1.0));
    hands.click_at(Vec3::new(7.0, 0.0, 4.0));
    hands.key("k");
    hands.play_secs(3.0);
    hands.key("k");
    assert_eq!(hands.twin.state().scene().nav.crowds.len(), 1);
    let counts = hands.twin.state().inspector().crowd().counts();
    assert_eq!((counts.agents, counts.failed), (20, 0));
    show(hands, gpu, "first_9_crowd.jpg");
    hands.key("Escape");
}

/// Undoes all, does it again, and saves.
fn undo_and_save(hands: &mut Hands, path: &Path, before: &Scene, is_real: bool) {
    let (done, _) = hands.twin.state().steps();
    let built = hands.twin.state().scene().clone();
    for _ in 0..done {
        hands.key("ctrl+z");
    }
    assert_eq!(hands.twin.state().scene().nav, before.nav, "all is undone");
    for _ in 0..done {
        hands.key("ctrl+y");
    }
    assert_eq!(*hands.twin.state().scene(), built, "and done again");
    let saved = save(hands, path, is_real);
    assert_eq!(saved.nav.obstacles.len(), built.nav.obstacles.len());
    assert_eq!(saved.nav.probe.planner, built.nav.probe.planner);
    // What was clicked in the real window lies where it was clicked in the other one.
    let near = |a: Vec3, b: Vec3| assert!(a.distance(b) < 0.05, "{a} and {b}");
    near(saved.nav.obstacles[0].shape.base(), built.nav.obstacles[0].shape.base());
    near(saved.nav.probe.start.unwrap(), built.nav.probe.start.unwrap());
    near(saved.nav.probe.end.unwrap(), built.nav.probe.end.unwrap());
    near(saved.nav.threats[0], built.nav.threats[0]);
    near(saved.nav.crowds[0].to, built.nav.crowds[0].to);
    near(saved.nav.bake.placed_links[0].end.as_vec3(), built.nav.bake.placed_links[0].end.as_vec3());
}

fn first_minutes(is_real: bool) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("courtyard.acfg");
    courtyard(&path);
    let gpu = GpuContext::headless().unwrap();
    let mut hands = hands_on(&path, is_real, &gpu);
    hands.key("k");
    assert!(!hands.twin.state().is_playing());
    let before = hands.twin.state().scene().clone();
    look(&mut hands, &gpu);
    bake_and_block(&mut hands, &gpu);
    try_paths(&mut hands, &gpu);
    link_and_crowd(&mut hands, &gpu);
    undo_and_save(&mut hands, &path, &before, is_real);
    drop(hands);
    let mut again = hands_on(&path, is_real, &gpu);
    again.key("k");
    again.key("Home");
    again.settle();
    show(&mut again, &gpu, "first_10_again.jpg");
}

/// From the welcome window to a mesh.
fn three_clicks(is_real: bool) {
    let folder = tempfile::tempdir().unwrap();
    let gpu = GpuContext::headless().unwrap();
    let mut twin = open(&root().join("config/plaza.acfg"), &gpu);
    // A start without a scene shows it over the default one.
    pictures::press(&mut twin, egui::Modifiers::COMMAND, egui::Key::P);
    twin.event(egui::Event::Text("Welcome".into()));
    twin.run_steps(4);
    pictures::press(&mut twin, egui::Modifiers::NONE, egui::Key::Enter);
    assert!(twin.query_by_label("Welcome to Walkabout").is_some());
    let mut hands = Hands::new(twin, is_real.then_some((folder.path(), None)));
    show(&mut hands, &gpu, "first_0_welcome.jpg");
    hands.take_actions();
    hands.click("Courtyard");
    hands.settle();
    hands.click("Navigation");
    hands.click("Bake");
    let clicks = hands.take_actions();
    hands.settle();
    let app = hands.twin.state();
    assert!(app.shows_overlay(Layer::NavMesh) && app.world().mesh().built().is_some(), "the mesh is drawn");
    assert!(clicks <= MAX_BAKE_CLICKS, "{clicks} clicks");
}

/// From an empty scene to fifty people who walk around an obstacle that was dragged.
fn people_around_an_obstacle(is_real: bool) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.acfg");
    std::fs::write(&path, EMPTY).unwrap();
    let gpu = GpuContext::headless().unwrap();
    let mut hands = hands_on(&path, is_real, &gpu);
    // A new scene waits; this one is a file, so that it can be saved without a dialog.
    hands.key("k");
    hands.take_actions();
    for file in ["levels/courtyard.fbx", "props/marker.glb", "people/ada.glb"] {
        hands.key("ctrl+p");
        hands.type_text(&asset(file));
        hands.key("Return");
        hands.settle();
    }
    for wish in ["Can be walked to: marker".to_owned(), format!("Create {PEOPLE} of ada")] {
        hands.key("ctrl+p");
        hands.type_text(&wish);
        hands.key("Return");
    }
    hands.settle();
    hands.key("KP_7");
    hands.click("Navigation");
    take(&mut hands, "Obstacle");
    let free = [[1.0, 2.0], [3.0, 4.5], [0.0, 4.0], [4.0, 0.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    let is_seen = |at: &Vec3| hands.twin.state().seen_at(*at).is_some_and(|px| (260.0..860.0).contains(&px.x));
    let from = free.into_iter().find(is_seen).expect("the ground is in the picture");
    let to = from + Vec3::new(0.6, 0.0, 0.6);
    hands.drag(from, to);
    hands.settle();
    hands.key("k");
    let actions = hands.take_actions();
    hands.play_secs(3.0);
    let app = hands.twin.state();
    let walking = app.world().iter().filter(|(_, live)| !live.path.is_empty()).count();
    assert!(actions <= MAX_CROWD_ACTIONS, "{actions} actions");
    assert!(walking > PEOPLE / 2, "{walking} of {PEOPLE} walk");
    let obstacles = &app.scene().nav.obstacles;
    assert_eq!(obstacles.len(), 1);
    assert!(obstacles[0].shape.base().xz().distance(to.xz()) < 0.3, "it was dragged: {:?}", obstacles[0]);
    hands.key("k");
    let saved = save(&mut hands, &path, is_real);
    assert_eq!((saved.nav.obstacles.len(), saved.levels.len()), (1, 1));
    assert_eq!(saved.instances.values().filter(|instance| instance.navigation).count(), PEOPLE);
    let people = saved.instances.values().filter(|instance| instance.navigation);
    let dresses: BTreeSet<_> = people.map(|one| one.material_variant.clone()).collect();
    assert_eq!(dresses.len(), 8, "they take all variants of their model: {dresses:?}");
    show(&mut hands, &gpu, "first_11_people.jpg");
}

/// A model of the program.
fn asset(file: &str) -> String {
    let path: PathBuf = root().join("assets").join(file);
    path.to_str().unwrap().to_owned()
}

/// A scene without anything in it.
const EMPTY: &str = "version: 10.0\nsettings:\n  navigation-enabled: true\n  skybox-enabled: true\n  gravity-enabled: true\n  \
    level-collision-ground-slope: 40\n  level-collision-max-stairstep-height: 0.4\n\
    cameras:\n  - camera-name: FreeCam\n    position: [0, 8, 6]\n    view-azimuth: 30\n    view-elevation: -40\n";
