//! The user interface, driven by its labels: from a click or key to the change of the scene.

#![allow(clippy::unwrap_used, reason = "a test that cannot find its widget has to fail")]

mod assets;
mod cameras;
mod drags;
mod editing;
mod export;
mod panels;

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use std::path::{Path, PathBuf};
use std::time::Duration;
use walkabout::app::App;
use walkabout::app::recent::Recent;
use walkabout::app::shell::{Frames, Wish};
use walkabout::ui::command::{COMMANDS, MENUS};

/// The application and what it wished for in its last frame.
struct Bench {
    app: App,
    wish: Option<Wish>,
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
    assert!(!window.state().app.shows_overlay("wireframe"));
    click(&mut window, "Wireframe");
    assert!(window.state().app.shows_overlay("wireframe"));
    click(&mut window, "Wireframe");
    assert!(!window.state().app.shows_overlay("wireframe"));
}

#[test]
fn edits_are_undone_and_redone_by_name() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 2");
    assert_eq!(window.state().app.selection().instance, window.state().app.scene().instances.at(1));
    press(&mut window, Modifiers::COMMAND, Key::D);
    assert_eq!(window.state().app.scene().instances.len(), 3);
    assert!(window.state().app.is_dirty());
    click(&mut window, "Edit");
    click_containing(&mut window, "Undo duplicate marker 2");
    assert_eq!(window.state().app.scene().instances.len(), 2);
    assert!(!window.state().app.is_dirty(), "undoing everything leaves nothing to save");
    click(&mut window, "Edit");
    click_containing(&mut window, "Redo duplicate marker 2");
    assert_eq!(window.state().app.scene().instances.len(), 3);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z);
    assert_eq!(window.state().app.scene().instances.len(), 3);
}

#[test]
fn the_inspector_changes_the_selected_instance_alone() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 1");
    click(&mut window, "Walks to its target");
    let on: Vec<bool> = window.state().app.scene().instances.values().map(|i| i.navigation).collect();
    assert_eq!(on, [true, false]);
    click(&mut window, "Delete");
    assert_eq!(window.state().app.scene().instances.len(), 1);
    assert_eq!(window.state().app.selection().instance, None);
}

#[test]
fn a_model_becomes_a_target_gets_an_instance_and_is_removed_with_all() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "Model");
    let is_target =
        |window: &Window| window.state().app.scene().models.values().next().is_some_and(|m| m.is_nav_target);
    assert!(is_target(&window));
    click(&mut window, "Can be walked to");
    assert!(!is_target(&window));
    click(&mut window, "➕ Instance");
    assert_eq!(window.state().app.scene().instances.len(), 3);
    click(&mut window, "✖ Remove");
    assert!(window.state().app.scene().models.is_empty() && window.state().app.scene().instances.is_empty());
    for _ in 0..3 {
        press(&mut window, Modifiers::COMMAND, Key::Z);
    }
    assert!(is_target(&window) && window.state().app.scene().instances.len() == 2);
    assert!(!window.state().app.is_dirty());
}

#[test]
fn cameras_are_made_of_the_view_and_removed_but_not_the_first() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "Camera");
    click(&mut window, "➕ New");
    let names = |window: &Window| -> Vec<String> {
        window.state().app.scene().cameras.values().map(|camera| camera.name.clone()).collect()
    };
    assert_eq!(names(&window), ["FreeCam", "Camera1"]);
    let eye = window.state().app.eye().unwrap();
    let made = window.state().app.scene().cameras.values().last().unwrap().position;
    assert!(made.distance(eye) < 1e-3, "{made} {eye}");
    click(&mut window, "✖ Remove");
    assert_eq!(names(&window), ["FreeCam"]);
    window.run_steps(3);
    assert_eq!(window.state().app.eye(), Some(eye), "the view stays where it is");
}

#[test]
fn the_palette_finds_commands_overlays_and_tools() {
    let (_folder, mut window) = two_markers();
    let type_in = |window: &mut Window, text: &str| {
        press(window, Modifiers::COMMAND, Key::P);
        window.event(egui::Event::Text(text.into()));
        window.run_steps(2);
    };
    type_in(&mut window, "skel");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.state().app.shows_overlay("skeleton"));
    click(&mut window, "marker 1");
    type_in(&mut window, "edit dup");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().app.scene().instances.len(), 3);
    type_in(&mut window, "zzz");
    assert!(window.query_by_label("Nothing has such a name.").is_some());
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("Nothing has such a name.").is_none());
    assert!(window.state().app.selection().instance.is_some(), "Escape closes the palette and does no more");
    type_in(&mut window, "tool obst");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_by_label_contains("place an obstacle").is_some());
}

#[test]
fn unsaved_changes_are_asked_about() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "Characters walk");
    press(&mut window, Modifiers::COMMAND, Key::Q);
    assert!(window.query_by_label("Save the changes first?").is_some());
    click(&mut window, "Cancel");
    assert!(window.query_by_label("Save the changes first?").is_none());
    assert!(!window.state().wish.as_ref().unwrap().exit);
    press(&mut window, Modifiers::COMMAND, Key::Q);
    click(&mut window, "Discard");
    assert!(window.state().wish.as_ref().unwrap().exit);
}

#[test]
fn questions_are_answered_from_the_keyboard() {
    let (folder, mut window) = two_markers();
    click(&mut window, "Characters walk");
    press(&mut window, Modifiers::COMMAND, Key::Q);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("Save the changes first?").is_none());
    assert!(window.state().app.is_dirty() && !window.state().wish.as_ref().unwrap().exit, "Escape stays");

    press(&mut window, Modifiers::COMMAND, Key::Q);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.state().wish.as_ref().unwrap().exit, "Enter saves and goes on");
    let saved = walkabout::scene::file::load(&folder.path().join("two.acfg")).unwrap();
    assert!(saved.scene.settings.nav.enabled);
}

#[test]
fn tab_moves_to_another_answer() {
    let (folder, mut window) = two_markers();
    let before = std::fs::read(folder.path().join("two.acfg")).unwrap();
    click(&mut window, "Characters walk");
    press(&mut window, Modifiers::COMMAND, Key::Q);
    press(&mut window, Modifiers::NONE, Key::Tab);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.state().wish.as_ref().unwrap().exit, "the second answer is to discard");
    assert_eq!(std::fs::read(folder.path().join("two.acfg")).unwrap(), before);
}

#[test]
fn the_file_dialog_answers_to_enter_and_escape() {
    let (folder, mut window) = two_markers();
    click(&mut window, "Characters walk");
    let instances = window.state().app.scene().instances.len();
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::S);
    assert!(window.query_by_label("Save the scene").is_some());
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("Save the scene").is_none());
    assert!(window.state().app.is_dirty());
    assert_eq!(window.state().app.scene().instances.len(), instances);

    std::fs::remove_file(folder.path().join("two.acfg")).unwrap();
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::S);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_by_label("Save the scene").is_none());
    assert!(!window.state().app.is_dirty(), "Enter saves under the name that stands there");
    assert!(folder.path().join("two.acfg").exists());
}

#[test]
fn quitting_is_forgotten_when_the_save_before_it_failed() {
    let (folder, mut window) = two_markers();
    click(&mut window, "Characters walk");
    std::fs::remove_dir_all(folder.path()).unwrap();
    press(&mut window, Modifiers::COMMAND, Key::Q);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.state().app.is_dirty() && !window.state().wish.as_ref().unwrap().exit);
    std::fs::create_dir_all(folder.path()).unwrap();
    press(&mut window, Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::S);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(!window.state().app.is_dirty());
    assert!(!window.state().wish.as_ref().unwrap().exit, "saving later must not quit");
}

#[test]
fn a_broken_scene_leaves_the_open_one_and_says_so() {
    let (folder, mut window) = two_markers();
    let broken = folder.path().join("broken.acfg");
    std::fs::write(&broken, "version: 9.0\ninstances: 7\n").unwrap();
    window.state_mut().app.file_dropped(broken);
    window.run_steps(4);
    assert_eq!(window.state().app.scene().instances.len(), 2);
    assert!(window.query_by_label_contains("broken.acfg").is_some(), "the notice is not on screen");
    window.state_mut().app.file_dropped(folder.path().join("two.acfg"));
    window.run_steps(4);
    assert_eq!(window.state().app.scene().instances.len(), 2);
}

#[test]
fn a_dropped_model_asks_what_it_is() {
    let mut window = window(None);
    let marker = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/props/marker.glb");
    window.state_mut().app.file_dropped(marker.clone());
    window.run_steps(4);
    click(&mut window, "Add as model");
    assert_eq!(window.state().app.scene().models.len(), 1);
    assert_eq!(window.state().app.scene().instances.len(), 1);
    window.state_mut().app.file_dropped(marker);
    window.run_steps(4);
    click(&mut window, "Add as level");
    assert_eq!(window.state().app.scene().levels.len(), 1);
}

#[test]
fn keys_run_commands_but_not_while_typing() {
    let (_folder, mut window) = two_markers();
    let playing = window.state().app.is_playing();
    press(&mut window, Modifiers::NONE, Key::Space);
    assert_ne!(window.state().app.is_playing(), playing);
    press(&mut window, Modifiers::NONE, Key::F1);
    assert!(window.query_by_label("Fly five times faster.").is_some());
    press(&mut window, Modifiers::NONE, Key::F1);
    assert!(window.query_by_label("Fly five times faster.").is_none());

    let held = window.state().app.is_playing();
    window.get_by_role(egui::accesskit::Role::TextInput).click();
    window.run_steps(2);
    window.get_by_role(egui::accesskit::Role::TextInput).type_text("2 ");
    press(&mut window, Modifiers::NONE, Key::Space);
    assert_eq!(window.state().app.is_playing(), held, "a space in a search must not start the simulation");
    assert!(window.query_by_label("marker 1").is_none(), "the search does not filter");
    assert!(window.query_by_label("marker 2").is_some());
}

#[test]
fn the_camera_comes_to_the_target_of_what_is_selected() {
    let (_folder, mut window) = two_markers();
    let eye = |window: &Window| window.state().app.eye().unwrap();
    let start = eye(&window);
    click(&mut window, "marker 1");
    click(&mut window, "Centre");
    window.run_steps(60);
    assert_eq!(eye(&window), start, "without a target there is nowhere to go");
    window.get_by_value("none").click();
    window.run_steps(4);
    window.get_all_by_label("marker 2").last().unwrap().click();
    window.run_steps(4);
    let (walker, target) = {
        let instances = &window.state().app.scene().instances;
        (instances.at(0).unwrap(), instances.at(1).unwrap())
    };
    assert_eq!(window.state().app.scene().instances.get(walker).unwrap().target, Some(target));
    click(&mut window, "Centre");
    window.run_steps(60);
    let before_target = eye(&window);
    assert!((before_target.x - 3.0).abs() < 0.2, "the second marker stands at x = 3, the camera at {before_target}");
    press(&mut window, Modifiers::NONE, Key::F);
    window.run_steps(60);
    assert!(eye(&window).x.abs() < 0.2, "the first marker stands at x = 0");
    press(&mut window, Modifiers::SHIFT, Key::F);
    window.run_steps(60);
    assert!((eye(&window) - before_target).length() < 0.2);
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
fn saving_goes_to_the_same_file_and_leaves_nothing_dirty() {
    let (folder, mut window) = two_markers();
    click(&mut window, "Characters walk");
    assert!(window.state().wish.as_ref().unwrap().title.starts_with("two.acfg*"));
    press(&mut window, Modifiers::COMMAND, Key::S);
    assert!(!window.state().app.is_dirty());
    let again = walkabout::scene::file::load(&folder.path().join("two.acfg")).unwrap();
    assert!(again.scene.settings.nav.enabled);
    press(&mut window, Modifiers::COMMAND, Key::Q);
    assert!(window.state().wish.as_ref().unwrap().exit, "nothing is lost, so nothing is asked");
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

/// A scene with a square of ground, ten metres wide, and a baked mesh on it, once it is there.
fn ground_window() -> (tempfile::TempDir, Window) {
    let folder = tempfile::tempdir().unwrap();
    let level = folder.path().join("square.obj");
    std::fs::write(&level, "v -5 0 -5\nv -5 0 5\nv 5 0 5\nv 5 0 -5\nf 1 2 3 4\n").unwrap();
    let text = format!(
        "version: 9.0\nsettings:\n  navigation-enabled: false\n\
         cameras:\n  - camera-name: FreeCam\n    position: [0, 9, 6]\n    view-azimuth: 0\n    view-elevation: -58\n    \
         camera-type: 0\n    camera-projection: 0\n    field-of-view: 60\n\
         levels:\n  - level-name: square\n    level-file: {}\n    position: [0, 0, 0]\n    rotation: [0, 0, 0]\n    \
         scale: 1\n    swap-axes: false\n\
         walkabout:\n  navigation:\n    mesh: baked\n",
        level.display()
    );
    let path = folder.path().join("square.acfg");
    std::fs::write(&path, text).unwrap();
    let mut window = window(Some(&path));
    for _ in 0..2000 {
        if window.state().app.world().mesh().built().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
        window.run_steps(1);
    }
    assert!(window.state().app.world().mesh().built().is_some(), "{:?}", window.state().app.world().mesh().error());
    press(&mut window, Modifiers::NONE, Key::F7);
    (folder, window)
}

fn click_at(window: &mut Window, x: f32, y: f32) {
    drag(window, [x, y], [x, y]);
}

/// Clicks so fast that it counts as a double click when it is done twice.
fn quick_clicks(window: &mut Window, at: egui::Pos2, times: usize) {
    window.event(egui::Event::PointerMoved(at));
    window.run_steps(3);
    for pressed in [true, false].repeat(times) {
        let button = egui::PointerButton::Primary;
        let event = egui::Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE };
        window.input_mut().events.push(event);
    }
    window.run_steps(4);
}

/// Presses the button at one place of the window and lets it go at another.
fn drag(window: &mut Window, from: [f32; 2], to: [f32; 2]) {
    let button = |pos: [f32; 2], pressed| egui::Event::PointerButton {
        pos: pos.into(),
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(egui::Event::PointerMoved(from.into()));
    window.run_steps(2);
    window.event(button(from, true));
    window.run_steps(2);
    for share in [0.3_f32, 0.6, 1.0] {
        let at = [0, 1].map(|k| from[k] + (to[k] - from[k]) * share);
        window.event(egui::Event::PointerMoved(at.into()));
        window.run_steps(2);
    }
    window.event(button(to, false));
    window.run_steps(4);
}

#[test]
fn z_4_the_path_tool_tries_a_path_and_its_ends_are_undone_one_by_one() {
    let (_folder, mut window) = ground_window();
    let probe = |window: &Window| window.state().app.scene().nav.probe.clone();
    click(&mut window, "Path");
    assert!(window.state().app.shows_overlay("tried-path"), "the tool shows what it finds");
    assert!(window.query_all_by_label_contains("Shift+click").count() > 0, "nothing says what a click does");
    click_at(&mut window, 600.0, 450.0);
    assert!(probe(&window).start.is_some() && probe(&window).end.is_none());
    drag(&mut window, [700.0, 450.0], [800.0, 500.0]);
    let end = probe(&window).end.unwrap();
    assert!(end.y.abs() < 1e-3 && end.x > probe(&window).start.unwrap().x, "{end}");
    let length = window.state().app.world().probe().results()[0].length;
    assert!(length > 0.5, "{length}");
    let straight = f64::from(probe(&window).start.unwrap().distance(end));
    assert!((length - straight).abs() < 0.3, "on open ground the path is straight: {length}, {straight}");
    assert!(window.query_by_label("funnel").is_some(), "the table of results is not shown");

    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(probe(&window).end.is_none() && probe(&window).start.is_some(), "a drag is one step");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(probe(&window).start.is_none());
    press(&mut window, Modifiers::COMMAND, Key::Y);
    press(&mut window, Modifiers::COMMAND, Key::Y);
    assert_eq!(probe(&window).end, Some(end));
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_all_by_label_contains("Shift+click").count() == 0, "Escape leaves the tool");
}

#[test]
fn obstacles_are_placed_dragged_and_removed_and_cut_the_mesh() {
    let (_folder, mut window) = ground_window();
    let bases = |window: &Window| -> Vec<f32> {
        window.state().app.scene().nav.obstacles.iter().map(|o| o.shape.base().x).collect()
    };
    let polygons = |window: &Window| window.state().app.world().mesh().current().unwrap().len();
    let before = polygons(&window);
    click(&mut window, "Obstacle");
    click_at(&mut window, 620.0, 450.0);
    assert_eq!(bases(&window).len(), 1);
    assert!(polygons(&window) > before, "the obstacle does not lie on the mesh");
    let first = bases(&window)[0];
    drag(&mut window, [620.0, 447.0], [760.0, 447.0]);
    assert_eq!(bases(&window).len(), 1, "what lies under the cursor is moved");
    assert!(bases(&window)[0] > first + 0.5, "{first} {:?}", bases(&window));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(bases(&window), [first], "a drag is one step");
    press(&mut window, Modifiers::COMMAND, Key::Y);
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert_eq!((bases(&window).len(), polygons(&window)), (0, before));
    assert_eq!(window.state().app.selection().instance, None, "with a tool clicks select nothing");
}

#[test]
fn every_tool_can_be_chosen_and_the_workbench_is_not_cut_off() {
    let (_folder, mut window) = ground_window();
    for label in ["Raycast", "Wall distance", "Random", "Threat", "Volume", "Link", "Seed", "Crowd"] {
        click(&mut window, label);
        assert!(window.query_all_by_label_contains("Esc: done.").count() > 0, "{label} is not chosen");
        // While the level is being built anew there is nothing to click on.
        for _ in 0..2000 {
            if !window.state().app.world().is_building() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
            window.run_steps(1);
        }
        click_at(&mut window, 600.0, 450.0);
        click_at(&mut window, 740.0, 480.0);
        let errors: Vec<_> = window.state().app.notices().all().iter().map(|n| n.text.clone()).collect();
        assert!(errors.is_empty(), "{label}: {errors:?}");
    }
    let nav = window.state().app.scene().nav.clone();
    let counts = [nav.threats.len(), nav.bake.volumes.len(), nav.bake.placed_links.len(), nav.bake.seeds.len()];
    assert_eq!(counts, [2, 2, 1, 2]);
    assert_eq!((nav.crowds.len(), nav.probe.random), (1, 100));
    for section in ["Bake settings", "Search step by step", "Shown in the picture"] {
        click(&mut window, section);
        click(&mut window, section);
    }
}

/// Leaves unsaved work behind, as a program does that ends without a word.
fn leave_unsaved(scene: &Path, kept: &Path) {
    let mut left = window(Some(scene));
    left.state_mut().app.keep_unsaved_in(kept.to_path_buf());
    click(&mut left, "marker 2");
    press(&mut left, Modifiers::COMMAND, Key::D);
    for _ in 0..700 {
        left.step();
    }
}

#[test]
fn unsaved_work_is_offered_restored_undone_or_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, kept) = (scene_file(folder.path()), folder.path().join("kept"));
    leave_unsaved(&scene, &kept);
    let mut window = window(None);
    window.state_mut().app.keep_unsaved_in(kept.clone());
    window.run_steps(3);
    click(&mut window, "Later");
    click(&mut window, "File");
    click_containing(&mut window, "Restore unsaved work");
    click(&mut window, "Restore");
    let app = &window.state().app;
    assert_eq!((app.scene().instances.len(), app.is_dirty()), (3, true));
    assert!(window.state().wish.as_ref().unwrap().title.starts_with("two.acfg*"), "it keeps its place");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!((window.state().app.scene().instances.len(), window.state().app.is_dirty()), (2, false));
    assert_eq!(std::fs::read_dir(&kept).unwrap().count(), 0, "nothing is unsaved, nothing is kept");

    leave_unsaved(&scene, &kept);
    window.state_mut().app.keep_unsaved_in(kept.clone());
    window.run_steps(3);
    click(&mut window, "Delete");
    assert_eq!(std::fs::read_dir(&kept).unwrap().count(), 0);
}

#[test]
fn who_only_looked_around_is_offered_nothing_after_a_crash_and_who_edited_gets_back_how_it_was_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, kept) = (scene_file(folder.path()), folder.path().join("kept"));
    let look_around = |window: &mut Window| {
        window.key_down(Key::W);
        window.run_steps(20);
        window.key_up(Key::W);
        window.run_steps(20);
        click(window, "Wireframe");
        window.run_steps(700);
    };
    {
        let mut left = window(Some(&scene));
        left.state_mut().app.keep_unsaved_in(kept.clone());
        let before = left.state().app.eye().unwrap();
        look_around(&mut left);
        assert!(left.state().app.eye().unwrap().distance(before) > 0.5, "it flew");
        assert!(!left.state().app.is_dirty());
    }
    let mut next = window(None);
    next.state_mut().app.keep_unsaved_in(kept.clone());
    next.run_steps(300);
    assert!(next.query_by_label("Restore").is_none(), "nothing was lost");
    drop(next);

    let eye = {
        let mut left = window(Some(&scene));
        left.state_mut().app.keep_unsaved_in(kept.clone());
        press(&mut left, Modifiers::COMMAND, Key::A);
        press(&mut left, Modifiers::COMMAND, Key::D);
        look_around(&mut left);
        left.state().app.eye().unwrap()
    };
    let mut next = window(None);
    next.state_mut().app.keep_unsaved_in(kept);
    next.run_steps(3);
    assert!(!next.state().app.shows_overlay("wireframe"));
    click(&mut next, "Restore");
    let app = &next.state().app;
    assert_eq!((app.scene().instances.len(), app.shows_overlay("wireframe")), (4, true));
    assert!(app.eye().unwrap().distance(eye) < 1e-3, "{:?} {eye}", app.eye());
}

fn positions(window: &Window) -> Vec<glam::Vec3> {
    window.state().app.scene().instances.values().map(|i| i.position).collect()
}

#[test]
fn many_are_created_in_one_step_and_are_selected_then() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::COMMAND, Key::M);
    window.get_by_value("Scattered on the ground").click();
    window.run_steps(4);
    click(&mut window, "In a grid");
    click(&mut window, "Create 50");
    assert_eq!(window.state().app.scene().instances.len(), 52);
    assert_eq!(window.state().app.selected().len(), 50);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(window.state().app.scene().instances.len(), 2);

    window.get_by_value("In a grid").click();
    window.run_steps(4);
    click(&mut window, "Scattered on the ground");
    click(&mut window, "Create 50");
    assert_eq!(window.state().app.scene().instances.len(), 2, "there is no ground");
    assert!(window.state().app.notices().all().last().unwrap().text.contains("no ground"));
}

#[test]
fn what_is_copied_is_pasted_here_and_elsewhere() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 2");
    window.event(egui::Event::Copy);
    let mut text = None;
    for _ in 0..4 {
        window.step();
        let said = window.output().platform_output.commands.iter();
        text = text.or(said
            .filter_map(|c| if let egui::OutputCommand::CopyText(t) = c { Some(t.clone()) } else { None })
            .next());
    }
    let text = text.expect("something was copied");
    window.event(egui::Event::Paste(text.clone()));
    window.run_steps(4);
    assert_eq!(positions(&window)[2], glam::Vec3::X * 4.0, "beside what it was copied from");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(positions(&window).len(), 2);

    let mut other = self::window(None);
    other.event(egui::Event::Paste(text));
    other.run_steps(4);
    let scene = other.state().app.scene();
    assert_eq!((scene.models.len(), scene.instances.len()), (1, 1));
    assert_eq!(positions(&other), [glam::Vec3::X * 3.0]);
    other.event(egui::Event::Paste("nonsense".into()));
    other.run_steps(4);
    assert!(other.state().app.notices().all().last().unwrap().text.contains("Nothing was pasted"));
}

#[test]
fn several_are_selected_moved_lined_up_and_deleted_together() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 1");
    window.get_by_label("marker 2").click_modifiers(Modifiers::SHIFT);
    window.run_steps(4);
    assert_eq!(window.state().app.selected().len(), 2);
    click(&mut window, "Line up along Z");
    assert_eq!(positions(&window), [glam::Vec3::X * 3.0; 2]);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(positions(&window)[0], glam::Vec3::ZERO);

    press(&mut window, Modifiers::COMMAND, Key::A);
    press(&mut window, Modifiers::COMMAND, Key::D);
    assert_eq!((positions(&window).len(), window.state().app.selected().len()), (4, 2));
    window.get_by_label("marker 3").click_modifiers(Modifiers::COMMAND);
    window.run_steps(4);
    assert_eq!(window.state().app.selected(), [window.state().app.scene().instances.at(3).unwrap()]);

    press(&mut window, Modifiers::COMMAND, Key::A);
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert!(positions(&window).is_empty());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(positions(&window).len(), 4, "one step");
}

#[test]
fn a_box_selects_those_inside_with_shift_and_takes_them_out_with_ctrl() {
    let (_folder, mut window) = two_markers();
    let drag = |window: &mut Window, modifiers: Modifiers, from: [f32; 2], to: [f32; 2]| {
        let [from, to] = [from, to].map(egui::Pos2::from);
        window.event(egui::Event::ModifiersChanged(modifiers));
        let button =
            |pos, pressed| egui::Event::PointerButton { pos, button: egui::PointerButton::Primary, pressed, modifiers };
        for event in [
            egui::Event::PointerMoved(from),
            button(from, true),
            egui::Event::PointerMoved(from.lerp(to, 0.5)),
            egui::Event::PointerMoved(to),
            button(to, false),
        ] {
            window.event(event);
            window.step();
        }
        window.event(egui::Event::ModifiersChanged(Modifiers::NONE));
        window.run_steps(3);
    };
    // The picture lies between the panels; the markers stand in its middle and to the right of it.
    let (left, right) = ([280.0, 100.0], [1090.0, 850.0]);
    drag(&mut window, Modifiers::SHIFT, left, right);
    assert_eq!(window.state().app.selected().len(), 2);
    drag(&mut window, Modifiers::COMMAND, [800.0, 100.0], right);
    assert_eq!(window.state().app.selected(), [window.state().app.scene().instances.at(0).unwrap()]);
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
    click(&mut window, "View");
    click_containing(&mut window, "Reset layout");
    assert!(window.query_by_label_contains("notices").is_none());
    assert!(window.query_by_label("Selection").is_some());
}
