//! The user interface, driven by its labels: from a click or key to the change of the scene.

#![allow(clippy::unwrap_used, reason = "a test that cannot find its widget has to fail")]

mod animator;
mod assets;
mod baking;
mod bodies;
mod cameras;
mod compare;
mod doctor;
mod drags;
mod editing;
mod export;
mod files;
mod graphs;
mod instances;
mod layout;
mod live;
mod moving;
mod nav_tools;
mod palette;
mod panels;
mod picking;
mod send;
mod view_mode;
mod views;
mod welcome;
mod workbench;

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use std::path::{Path, PathBuf};
use std::time::Duration;
use walkabout::app::App;
use walkabout::app::recent::Recent;
use walkabout::app::window::{FrameHandler, FrameRequest};
use walkabout::debug::Layer;
use walkabout::ui::command::{COMMANDS, MENUS};

/// The application and what it wished for in its last frame.
struct Bench {
    app: App,
    wish: Option<FrameRequest>,
}

type Window = Harness<'static, Bench>;

/// A scene with two markers and a level, in a folder of its own.
fn scene_file(folder: &Path) -> PathBuf {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/props/marker.glb");
    let marker = assets.to_str().unwrap();
    let text = format!(
        "version: 9.0\n\
         settings:\n  selected-model: 0\n  selected-instance: 0\n  navigation-enabled: false\n\
         cameras:\n  - camera-name: FreeCam\n    position: [0, 2, 8]\n    view-azimuth: 0\n    view-elevation: 0\n    \
         camera-type: 0\n    camera-projection: 0\n    field-of-view: 60\n\
         models:\n  - model-name: marker\n    model-file: {marker}\n    is-nav-target: true\n\
         instances:\n  - model-file: marker\n    position: [0, 0, 0]\n    rotation: [0, 0, 0]\n    scale: 1\n  \
         - model-file: marker\n    position: [3, 0, 0]\n    rotation: [0, 0, 0]\n    scale: 1\n"
    );
    let path = folder.join("two.acfg");
    std::fs::write(&path, text).unwrap();
    path
}

/// The application in a window of the usual size; without a scene it starts empty.
fn window(scene: Option<&Path>) -> Window {
    let mut app = App::new(Recent::default());
    if let Some(scene) = scene {
        app.open_at_start(scene);
    }
    let mut window = Harness::builder().with_size([1440.0, 900.0]).build_ui_state(
        |ui: &mut egui::Ui, bench: &mut Bench| {
            bench.wish = Some(bench.app.update(ui, Duration::from_millis(16)));
        },
        Bench { app, wish: None },
    );
    window.run_steps(3);
    // Panels show what models hold once they are there, however slow the machine is.
    wait_for(&mut window, "the scene's models", |window| !window.state().app.is_importing());
    window
}

/// Clicks what has this label and lets the command take effect.
fn click(window: &mut Window, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(4);
}

fn click_containing(window: &mut Window, label: &str) {
    window.get_by_label_contains(label).click();
    window.run_steps(4);
}

/// Clicks an entry of a menu; buttons of the panels may have the same label.
fn click_in_menu(window: &mut Window, menu: &str, entry: &str) {
    click(window, menu);
    let left = window.get_by_label(menu).rect().left();
    let of_menu = |node: &egui_kittest::Node<'_>| (node.rect().left() - left).abs() < 20.0;
    window.get_all_by_label_contains(entry).find(of_menu).unwrap().click();
    window.run_steps(4);
}

fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(4);
}

fn two_markers() -> (tempfile::TempDir, Window) {
    let folder = tempfile::tempdir().unwrap();
    let window = window(Some(&scene_file(folder.path())));
    let errors: Vec<&str> = window.state().app.notices().all().iter().map(|n| n.text.as_str()).collect();
    assert_eq!(window.state().app.scene().instances.len(), 2, "{errors:?}");
    (folder, window)
}

/// What goes into the clipboard on an event.
fn copied(window: &mut Window, event: egui::Event) -> String {
    window.event(event);
    let mut text = None;
    for _ in 0..4 {
        window.step();
        let commands = &window.output().platform_output.commands;
        let said = |command: &egui::OutputCommand| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        };
        text = text.or(commands.iter().find_map(said));
    }
    text.expect("something was copied")
}

/// Where the instances start.
fn positions(window: &Window) -> Vec<glam::Vec3> {
    window.state().app.scene().instances.values().map(|i| i.position).collect()
}

#[test]
fn every_command_stands_in_its_menu() {
    let mut window = window(None);
    for &menu in MENUS {
        click(&mut window, menu);
        for row in COMMANDS.iter().filter(|row| row.menu == menu) {
            let found = window.query_all_by_label_contains(row.label).count();
            assert!(found > 0, "{} is not in the menu {menu}", row.label);
        }
        press(&mut window, Modifiers::NONE, Key::Escape);
    }
}

#[test]
fn an_overlay_switch_switches_its_overlay() {
    let mut window = window(None);
    assert!(!window.state().app.shows_overlay(Layer::LevelWireframe));
    click(&mut window, "Wireframe");
    assert!(window.state().app.shows_overlay(Layer::LevelWireframe));
    click(&mut window, "Wireframe");
    assert!(!window.state().app.shows_overlay(Layer::LevelWireframe));
}

#[test]
fn keys_run_commands_but_not_while_typing() {
    let (_folder, mut window) = two_markers();
    let playing = window.state().app.is_playing();
    press(&mut window, Modifiers::NONE, Key::Space);
    assert_ne!(window.state().app.is_playing(), playing);
    press(&mut window, Modifiers::NONE, Key::F1);
    assert!(window.query_by_label("Fly, or turn the wheel, four times faster.").is_some());
    press(&mut window, Modifiers::NONE, Key::F1);
    assert!(window.query_by_label("Fly, or turn the wheel, four times faster.").is_none());

    let held = window.state().app.is_playing();
    // The first field is that of the outliner.
    let field = egui::accesskit::Role::TextInput;
    window.get_all_by_role(field).next().unwrap().click();
    window.run_steps(2);
    window.get_all_by_role(field).next().unwrap().type_text("2 ");
    press(&mut window, Modifiers::NONE, Key::Space);
    assert_eq!(window.state().app.is_playing(), held, "a space in a search must not start the simulation");
    assert!(window.query_by_label("marker 1").is_none(), "the search does not filter");
    assert!(window.query_by_label("marker 2").is_some());
}

#[test]
fn view_mode_watches_the_selected_instance_without_panels() {
    let (_folder, mut window) = two_markers();
    let edit = |window: &Window| {
        window.query_by_label("Overlays").is_some()
            && window.query_by_label_contains("brings the panels back").is_none()
    };
    let start = window.state().app.eye().unwrap();
    click(&mut window, "marker 2");
    assert!(edit(&window));
    press(&mut window, Modifiers::NONE, Key::F10);
    assert!(!edit(&window) && window.query_by_label("File").is_none());
    assert!(window.query_by_label_contains("F10").is_some(), "nothing says how to come back");
    window.run_steps(60);
    let eye = window.state().app.eye().unwrap();
    assert!((eye.x - 3.0).abs() < 0.5 && eye != start, "the camera watches from {eye}");

    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(edit(&window), "Escape leads back");
    assert!(window.state().app.selection().instance.is_some(), "and does no more than that");
    window.run_steps(60);
    assert_eq!(window.state().app.eye(), Some(start));
    press(&mut window, Modifiers::NONE, Key::F10);
    press(&mut window, Modifiers::NONE, Key::F10);
    assert!(edit(&window), "so does F10");
    click(&mut window, "Edit mode");
    click_containing(&mut window, "brings the panels back");
    assert!(edit(&window), "and so does the status bar");
}

#[test]
fn a_window_in_which_nothing_moves_asks_for_no_frames() {
    let (_folder, mut window) = two_markers();
    if window.state().app.is_playing() {
        press(&mut window, Modifiers::NONE, Key::Space);
    }
    click(&mut window, "marker 1");
    let after = |window: &mut Window| {
        window.run_steps(400);
        window.state().wish.as_ref().unwrap().repaint_after
    };
    assert_eq!(after(&mut window), None, "in edit mode");
    press(&mut window, Modifiers::NONE, Key::F10);
    assert_eq!(after(&mut window), None, "in view mode");
    press(&mut window, Modifiers::NONE, Key::F10);
    assert_eq!(after(&mut window), None, "back in edit mode");
    press(&mut window, Modifiers::COMMAND, Key::O);
    assert_eq!(after(&mut window), None, "with a file dialog");
}

/// A scene whose mesh is baked from a flat level that reaches so far from the origin in x and z.
fn ground_scene(folder: &Path, [x, z]: [f32; 2]) -> PathBuf {
    let level = folder.join("square.obj");
    let corners = format!("v -{x} 0 -{z}\nv -{x} 0 {z}\nv {x} 0 {z}\nv {x} 0 -{z}\nf 1 2 3 4\n");
    std::fs::write(&level, corners).unwrap();
    let text = format!(
        "version: 9.0\nsettings:\n  navigation-enabled: false\n\
         cameras:\n  - camera-name: FreeCam\n    position: [0, 9, 6]\n    view-azimuth: 0\n    view-elevation: -58\n    \
         camera-type: 0\n    camera-projection: 0\n    field-of-view: 60\n\
         levels:\n  - level-name: square\n    level-file: {}\n    position: [0, 0, 0]\n    rotation: [0, 0, 0]\n    \
         scale: 1\n    swap-axes: false\n\
         walkabout:\n  navigation:\n    mesh: baked\n",
        level.display()
    );
    let path = folder.join("square.acfg");
    std::fs::write(&path, text).unwrap();
    path
}

/// A scene with a square of ground, ten metres wide, and a baked mesh on it, once it is there.
fn ground_window() -> (tempfile::TempDir, Window) {
    let folder = tempfile::tempdir().unwrap();
    let path = ground_scene(folder.path(), [5.0, 5.0]);
    let mut window = window(Some(&path));
    wait_for(&mut window, "the mesh", |window| {
        let mesh = window.state().app.world().mesh();
        assert!(mesh.error().is_none(), "{:?}", mesh.error());
        mesh.built().is_some()
    });
    press(&mut window, Modifiers::NONE, Key::F7);
    (folder, window)
}

/// Press or release of the left button.
fn button(pos: egui::Pos2, pressed: bool) -> egui::Event {
    egui::Event::PointerButton { pos, button: egui::PointerButton::Primary, pressed, modifiers: Modifiers::NONE }
}

/// Runs frames until something that is done beside them is there. Patient: other programs may have the processor.
fn wait_for(window: &mut Window, what: &str, found: impl Fn(&Window) -> bool) {
    let begin = std::time::Instant::now();
    loop {
        window.run_steps(1);
        if found(window) {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(120), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn click_at(window: &mut Window, x: f32, y: f32) {
    drag(window, [x, y], [x, y]);
}

/// Clicks so fast that it counts as a double click when it is done twice.
fn quick_clicks(window: &mut Window, at: egui::Pos2, times: usize) {
    window.event(egui::Event::PointerMoved(at));
    window.run_steps(3);
    for pressed in [true, false].repeat(times) {
        window.input_mut().events.push(button(at, pressed));
    }
    window.run_steps(4);
}

/// Presses the button at one place of the window and lets it go at another.
fn drag(window: &mut Window, from: [f32; 2], to: [f32; 2]) {
    window.event(egui::Event::PointerMoved(from.into()));
    window.run_steps(2);
    window.event(button(from.into(), true));
    window.run_steps(2);
    for share in [0.3_f32, 0.6, 1.0] {
        let at = [0, 1].map(|k| from[k] + (to[k] - from[k]) * share);
        window.event(egui::Event::PointerMoved(at.into()));
        window.run_steps(2);
    }
    window.event(button(to.into(), false));
    window.run_steps(4);
}

#[test]
fn panels_open_as_tabs_and_go_back_where_they_were() {
    let mut window = window(None);
    press(&mut window, Modifiers::NONE, Key::F9);
    assert!(window.query_all_by_label("Most").count() == 2, "the tables of times");
    press(&mut window, Modifiers::NONE, Key::F8);
    assert!(window.query_all_by_label("Most").next().is_none() && window.query_by_label_contains("notices").is_some());
    press(&mut window, Modifiers::NONE, Key::F7);
    assert!(window.query_by_label("Wireframe").is_some(), "the overlays stay beside the workbench");
    click(&mut window, "Panels");
    click_containing(&mut window, "Reset layout");
    assert!(window.query_by_label_contains("notices").is_none());
    assert!(window.query_by_label("Selection").is_some());
}

/// Types a number into a field that is found by its label, wherever it lies in its panel.
fn type_number(window: &mut Window, label: &str, number: &str) {
    window.get_by_role_and_label(egui::accesskit::Role::SpinButton, label).click_accesskit();
    window.run_steps(3);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text(number.into()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
}
