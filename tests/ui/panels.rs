//! Every panel and section: what a control changes, and that it is undone; and what each of them shows, by label.

use super::*;
use egui::accesskit::Role;
use egui_kittest::kittest::NodeT;
use std::collections::BTreeSet;
use walkabout::anim::inertialization::Transition;
use walkabout::collide::triangle_tree::TriangleTreeKind;
use walkabout::scene::Scene;
use walkabout::scene::level::LevelPresence;
use walkabout::ui::dock::PANELS;

/// A window with a level that can be walked on, and the panels of the scene.
fn furnished() -> (tempfile::TempDir, Window) {
    let (folder, mut window) = ground_window();
    press(&mut window, Modifiers::NONE, Key::F7);
    (folder, window)
}

/// Opens a section of the scene; overlays below it may have a group of the same name.
pub fn open(window: &mut Window, section: &str) {
    let all = window.get_all_by_role_and_label(Role::Button, section);
    all.min_by(|a, b| a.rect().top().total_cmp(&b.rect().top())).unwrap().click_accesskit();
}

fn scene(window: &Window) -> Scene {
    window.state().app.scene().clone()
}

pub fn switch(window: &mut Window, label: &str) {
    window.get_by_role_and_label(Role::CheckBox, label).click_accesskit();
    window.run_steps(4);
}

pub fn press_button(window: &mut Window, label: &str) {
    window.get_by_role_and_label(Role::Button, label).click_accesskit();
    window.run_steps(4);
}

/// Opens a section, does something in it, and sees that the scene becomes as wanted and comes back.
pub fn changes(window: &mut Window, section: &str, change: impl Fn(&mut Window), wanted: impl Fn(&Scene) -> bool) {
    let before = scene(window);
    assert!(!wanted(&before), "{section}: it is so already");
    change(window);
    assert!(wanted(&scene(window)), "{section}: nothing has changed");
    press(window, Modifiers::COMMAND, Key::Z);
    assert!(scene(window) == before, "{section}: Undo brings back what was");
}

#[test]
fn every_section_of_the_scene_changes_what_it_says() {
    let (_folder, mut window) = furnished();
    changes(&mut window, "Navigation", |w| switch(w, "Characters walk"), |s| s.settings.nav.enabled);
    changes(&mut window, "Navigation", |w| type_number(w, "Slope", "33"), |s| s.settings.nav.ground_slope_deg == 33.0);
    changes(&mut window, "Navigation", |w| type_number(w, "Step", "0.7"), |s| s.settings.nav.max_step_height == 0.7);
    changes(&mut window, "Navigation", |w| switch(w, "Feet on the ground"), |s| s.settings.ik_enabled);
    switch(&mut window, "Feet on the ground");
    changes(&mut window, "Navigation", |w| switch(w, "Legs on the device"), |s| s.settings.ik_on_device);
    changes(
        &mut window,
        "Navigation",
        |w| switch(w, "Inertial transitions"),
        |s| s.settings.transition == Transition::Inertial,
    );
    press(&mut window, Modifiers::COMMAND, Key::Z);
    for section in ["Interaction", "Level", "Environment"] {
        open(&mut window, section);
        window.run_steps(6);
    }
    changes(
        &mut window,
        "Interaction",
        |w| switch(w, "Characters interact"),
        |s| s.settings.interaction_enabled != walkabout::scene::Settings::default().interaction_enabled,
    );
    changes(&mut window, "Interaction", |w| type_number(w, "Reach", "7"), |s| s.settings.interaction_max_range == 7.0);
    let level = |scene: &Scene| scene.levels.values().next().cloned().unwrap();
    changes(&mut window, "Level", |w| switch(w, "Z is up in the file"), move |s| level(s).swap_axes);
    let never = |window: &mut Window| {
        window.get_by_role_and_label(Role::ComboBox, "Is there").click_accesskit();
        window.run_steps(4);
        window.get_all_by_label("Never").last().unwrap().click_accesskit();
        window.run_steps(4);
    };
    changes(&mut window, "Level", never, move |s| level(s).presence == LevelPresence::Never);
    let tree = |window: &mut Window| {
        window.get_by_role_and_label(Role::ComboBox, "Search tree").click_accesskit();
        window.run_steps(4);
        window.get_all_by_label("Bounding volumes").last().unwrap().click_accesskit();
        window.run_steps(4);
    };
    changes(&mut window, "Level", tree, |s| s.settings.tree_kind == TriangleTreeKind::Bvh);
    press_button(&mut window, "Compare trees");
    let costs = |window: &Window| window.query_all_by_label_contains("a query").count();
    wait_for(&mut window, "the costs", |window| costs(window) == 2);
    assert!(window.query_by_label("Units of the file").is_none(), "only FBX files name units that may be left out");
    changes(
        &mut window,
        "Environment",
        |w| type_number(w, "Fog", "0.02"),
        |s| (s.settings.environment.fog_density - 0.02).abs() < 1e-6,
    );
    changes(&mut window, "Environment", |w| switch(w, "Sky"), |s| s.settings.environment.sky_enabled);
    changes(
        &mut window,
        "Environment",
        |w| press_button(w, "Evening"),
        |s| s.settings.environment.light_east_west_deg == 150.0 && s.settings.environment.light_intensity == 0.75,
    );
    changes(&mut window, "Environment", |w| switch(w, "Clock"), |s| s.settings.environment.day_enabled);
}

#[test]
fn what_differs_from_its_default_can_be_set_back() {
    let (_folder, mut window) = furnished();
    let usual = walkabout::scene::Settings::of_new_scene();
    type_number(&mut window, "Slope", "33");
    assert!(window.query_by_label("Reset Step").is_some(), "this file has the original's");
    window.get_by_label("Reset Slope").click_accesskit();
    window.run_steps(4);
    assert_eq!(scene(&window).settings.nav.ground_slope_deg, usual.nav.ground_slope_deg);
    assert!(window.query_by_label("Reset Slope").is_none(), "there is nothing to set back");
    open(&mut window, "Level");
    window.run_steps(6);
    window.get_all_by_role_and_label(Role::SpinButton, "Rotation").next().unwrap().click_accesskit();
    window.run_steps(3);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text("90".into()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    let level = |window: &Window| scene(window).levels.values().next().cloned().unwrap();
    assert_eq!(level(&window).rotation_deg, glam::Vec3::X * 90.0);
    window.get_by_label("Reset Rotation").click_accesskit();
    window.run_steps(4);
    assert_eq!(level(&window).rotation_deg, glam::Vec3::ZERO);
}

#[test]
fn switches_and_choices_are_set_back_to_their_defaults() {
    let (_folder, mut window) = furnished();
    let usual = walkabout::scene::Settings::of_new_scene();
    let back = |window: &mut Window, label: &str| {
        window.get_by_label(&format!("Reset {label}")).click_accesskit();
        window.run_steps(4);
        assert!(window.query_by_label(&format!("Reset {label}")).is_none(), "{label} has nothing to be set back to");
    };
    for (label, of) in [("Characters walk", 0), ("Gravity", 1)] {
        let now = |window: &Window| [scene(window).settings.nav.enabled, scene(window).settings.gravity_enabled][of];
        let default = [usual.nav.enabled, usual.gravity_enabled][of];
        if now(&window) == default {
            assert!(window.query_by_label(&format!("Reset {label}")).is_none());
            switch(&mut window, label);
        }
        assert_ne!(now(&window), default);
        back(&mut window, label);
        assert_eq!(now(&window), default, "{label}");
    }
    let modes = walkabout::vocab::CollisionMode::ALL;
    let other = modes.iter().find(|mode| **mode != usual.collision_mode).unwrap();
    if scene(&window).settings.collision_mode == usual.collision_mode {
        window.get_by_role_and_label(Role::ComboBox, "Collisions").click_accesskit();
        window.run_steps(4);
        window.get_all_by_label(other.label()).last().unwrap().click_accesskit();
        window.run_steps(4);
    }
    assert_ne!(scene(&window).settings.collision_mode, usual.collision_mode);
    back(&mut window, "Collisions");
    assert_eq!(scene(&window).settings.collision_mode, usual.collision_mode);
}

#[test]
fn how_an_instance_looks_is_changed_and_undone() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 2");
    open(&mut window, "Looks");
    window.run_steps(6);
    let second = |scene: &Scene| scene.instances.values().nth(1).cloned().unwrap();
    changes(&mut window, "Looks", |w| type_number(w, "Head turn", "-0.5"), |s| second(s).head_left_right == -0.5);
    changes(&mut window, "Looks", |w| type_number(w, "Face weight", "0.7"), |s| second(s).face_weight == 0.7);
    changes(&mut window, "Looks", |w| switch(w, "Z is up in the model"), |s| second(s).swap_axes);
    let choose = |window: &mut Window| {
        window.get_by_role_and_label(Role::ComboBox, "Face").click_accesskit();
        window.run_steps(4);
        window.get_all_by_label("Happy").last().unwrap().click_accesskit();
        window.run_steps(4);
    };
    changes(&mut window, "Looks", choose, |s| second(s).face_weight == 1.0);
}

/// A triangle with so many morph targets, as glTF in a folder.
fn write_face(folder: &Path, targets: usize) -> PathBuf {
    let corners = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let bytes: Vec<u8> = corners.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(folder.join("face.bin"), &bytes).unwrap();
    let names: Vec<String> = (0..targets).map(|i| format!("target {i}")).collect();
    let json = serde_json::json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"extras": {"targetNames": names}, "primitives": [{
            "attributes": {"POSITION": 0}, "targets": vec![serde_json::json!({"POSITION": 0}); targets],
        }]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
        "bufferViews": [{"buffer": 0, "byteLength": bytes.len()}],
        "buffers": [{"uri": "face.bin", "byteLength": bytes.len()}]
    });
    let file = folder.join("face.gltf");
    std::fs::write(&file, json.to_string()).unwrap();
    file
}

#[test]
fn morph_targets_are_weighed_by_name_and_undone() {
    let folder = tempfile::tempdir().unwrap();
    let face = write_face(folder.path(), 6);
    let scene = scene_file(folder.path());
    let marker = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/props/marker.glb");
    let text = std::fs::read_to_string(&scene).unwrap();
    std::fs::write(&scene, text.replace(marker.to_str().unwrap(), face.to_str().unwrap())).unwrap();
    let mut window = window(Some(&scene));
    click(&mut window, "marker 2");
    open(&mut window, "Looks");
    window.run_steps(6);
    window.get_by_label("Morph targets (6)").click_accesskit();
    window.run_steps(6);
    let weight = |scene: &Scene| scene.instances.values().nth(1).unwrap().morphs.get("target 5").copied();
    changes(&mut window, "Looks", |w| type_number(w, "target 5", "0.5"), |s| weight(s) == Some(0.5));
}

#[test]
fn changes_without_a_pointer_are_undone_one_by_one() {
    let (_folder, mut window) = furnished();
    let walks = |window: &Window| scene(window).settings.nav.enabled;
    let (first, steps) = (walks(&window), window.state().app.steps().0);
    switch(&mut window, "Characters walk");
    switch(&mut window, "Characters walk");
    switch(&mut window, "Characters walk");
    assert_eq!(window.state().app.steps().0, steps + 3, "each click is a step");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(walks(&window), first);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_ne!(walks(&window), first);
    // Two numbers that are typed into one field, one after the other.
    type_number(&mut window, "Slope", "33");
    type_number(&mut window, "Slope", "34");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(scene(&window).settings.nav.ground_slope_deg, 33.0);
}

#[test]
fn the_history_goes_to_any_step_and_the_log_is_emptied() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::COMMAND, Key::A);
    press(&mut window, Modifiers::COMMAND, Key::D);
    press(&mut window, Modifiers::COMMAND, Key::D);
    assert_eq!(window.state().app.scene().instances.len(), 6);
    press(&mut window, Modifiers::NONE, Key::F4);
    click(&mut window, "The beginning");
    assert_eq!((window.state().app.scene().instances.len(), window.state().app.steps()), (2, (0, 2)));
    window.get_all_by_label_contains("duplicate").last().unwrap().click();
    window.run_steps(4);
    assert_eq!((window.state().app.scene().instances.len(), window.state().app.steps()), (6, (2, 2)));

    window.state_mut().app.open_at_start(Path::new("/nowhere.acfg"));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::F8);
    assert!(window.query_all_by_label_contains("nowhere.acfg").count() > 1, "in the log and over the picture");
    click(&mut window, "Clear");
    assert!(window.query_by_label_contains("nowhere.acfg").is_none());
}

#[test]
fn help_lists_every_command_and_the_status_bar_what_goes_on() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::NONE, Key::F1);
    for row in COMMANDS {
        assert!(window.query_all_by_label_contains(row.label).next().is_some(), "help does not know {}", row.label);
    }
    press(&mut window, Modifiers::NONE, Key::F1);
    assert!(window.query_by_label("2 instances").is_some() && window.query_by_label("Edit mode").is_some());
    assert!(window.query_by_label("FreeCam").is_some(), "the camera");
    press(&mut window, Modifiers::NONE, Key::K);
    assert!(window.query_by_label_contains("Paused").is_some());
}

#[test]
fn the_map_brings_the_camera_to_a_place() {
    let (_folder, mut window) = furnished();
    press(&mut window, Modifiers::NONE, Key::F5);
    window.run_steps(4);
    let before = window.state().app.eye().unwrap();
    let at = window.get_by_label("Map of the ground").rect().center() + egui::vec2(30.0, 10.0);
    quick_clicks(&mut window, at, 1);
    window.run_steps(60);
    assert!(window.state().app.eye().unwrap().distance(before) > 0.1, "{before}");
}

/// What stands in the window, with numbers left out: they change from run to run.
fn shown(window: &Window) -> BTreeSet<String> {
    let all = window.query_all(egui_kittest::kittest::by().predicate(|_| true));
    let label = |node: egui_kittest::Node<'_>| {
        let node = node.accesskit_node();
        let label = node.label().or_else(|| node.value()).filter(|label| !label.trim().is_empty())?;
        let mut text = String::new();
        for c in label.trim().chars() {
            let c = if c.is_ascii_digit() { '#' } else { c };
            if !(c == '#' && text.ends_with('#')) {
                text.push(if c == '\n' { ' ' } else { c });
            }
        }
        Some(format!("{:?} {text}", node.role()))
    };
    // Times differ in what they are of, too: their names are written small. Model files come and go.
    let varies = |text: &String| {
        let (role, name) = text.split_once(' ').unwrap_or((text, ""));
        let words = ["span", " ms", "fps", "tmp", "MiB", "⚠", "Model ", "sound device"];
        role == "TextRun" || name.starts_with(char::is_lowercase) || words.iter().any(|word| name.contains(word))
    };
    all.filter_map(label).filter(|text| !varies(text)).collect()
}

/// The keys that open and close the panels that are not there at first.
pub const KEYS: &[(&str, Modifiers, Key)] = &[
    ("workbench", Modifiers::NONE, Key::F7),
    ("timers", Modifiers::NONE, Key::F9),
    ("log", Modifiers::NONE, Key::F8),
    ("history", Modifiers::NONE, Key::F4),
    ("doctor", Modifiers::SHIFT, Key::F7),
    ("differences", Modifiers::SHIFT, Key::F8),
    ("map", Modifiers::NONE, Key::F5),
    ("behavior", Modifiers::NONE, Key::F6),
    ("animation", Modifiers::NONE, Key::F3),
    ("assets", Modifiers::NONE, Key::F12),
];

/// `tests/ui/structure.txt` holds what every panel shows; `UPDATE_STRUCTURE=1` writes it anew: look at the difference.
#[test]
fn every_panel_shows_what_it_is_known_to_show() {
    let (_folder, mut window) = furnished();
    for section in ["Model", "Interaction", "Level", "Environment", "Sound", "Camera"] {
        open(&mut window, section);
        window.run_steps(4);
    }
    let usual = shown(&window);
    let mut text = format!("# at first\n{}\n", usual.iter().cloned().collect::<Vec<_>>().join("\n"));
    let at_first = ["view", "outliner", "inspector", "overlays"];
    for (_, name, title, _) in PANELS.iter().filter(|row| !at_first.contains(&row.1)) {
        let (_, with, key) = KEYS.iter().find(|row| row.0 == *name).expect("every panel has its key here");
        press(&mut window, *with, *key);
        wait_for(&mut window, "the doctor", |w| !w.state().app.inspector().doctor().is_busy());
        window.run_steps(8);
        if *name == "assets" {
            wait_for(&mut window, "the models", |w| super::assets::shows(w, "Model ada"));
        }
        let more: Vec<String> = shown(&window).difference(&usual).cloned().collect();
        assert!(more.len() > 1, "the panel {title} shows nothing");
        text += &format!("\n# {name}\n{}\n", more.join("\n"));
        press(&mut window, *with, *key);
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/structure.txt");
    if std::env::var_os("UPDATE_STRUCTURE").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap();
    for (known, now) in known.lines().zip(text.lines()) {
        assert_eq!(known, now);
    }
    assert_eq!(known.lines().count(), text.lines().count());
}

#[test]
fn what_does_not_fit_stays_as_typed_beside_its_range() {
    let (_folder, mut window) = furnished();
    let slope = |window: &Window| scene(window).settings.nav.ground_slope_deg;
    let before = slope(&window);
    let field = |window: &Window| window.get_by_role_and_label(Role::SpinButton, "Slope").value().unwrap();
    type_number(&mut window, "Slope", "-1");
    assert_eq!(slope(&window), before, "a slope below zero is none");
    assert!(field(&window).starts_with("-1"), "{}", field(&window));
    assert_eq!(window.state().app.steps().0, 0, "nothing has changed");
    let range = |window: &Window| window.query_by_label("0 to 90°").is_some();
    assert!(range(&window), "the range does not stand beside it");
    type_number(&mut window, "Slope", "33,5°");
    assert_eq!((slope(&window), range(&window)), (33.5, false));
    type_number(&mut window, "Slope", "steep");
    assert!(range(&window) && field(&window).starts_with("steep"));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!((slope(&window), range(&window)), (before, false), "what changes the value mends the field");
    type_number(&mut window, "Slope", "400");
    window.get_by_role_and_label(Role::SpinButton, "Slope").click_accesskit();
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(!range(&window) && !field(&window).starts_with("400"), "Escape gives the value back");
}

#[test]
fn of_two_slopes_it_is_said_which_one_holds() {
    let (_folder, mut window) = furnished();
    let says = |window: &Window, text: &str| window.query_all_by_label_contains(text).next().is_some();
    assert!(says(&window, "On the mesh its agent counts: slope 45°, step 0.40 m."));
    type_number(&mut window, "Slope", "33");
    assert!(says(&window, "On the mesh its agent counts: step 0.40 m."), "the smaller slope is its own");
    press(&mut window, Modifiers::NONE, Key::F7);
    window.run_steps(4);
    assert!(says(&window, "no slopes above 33°"), "the workbench does not say that it holds there, too");
}

#[test]
fn what_is_lit_in_the_list_is_what_is_selected() {
    let (_folder, mut window) = furnished();
    let nothing = |window: &Window| window.query_by_label_contains("Nothing is selected").is_some();
    assert!(nothing(&window));
    click(&mut window, "square");
    assert!(!nothing(&window) && window.query_by_label_contains("A level.").is_some());
    let eye = |window: &Window| window.state().app.eye().unwrap();
    let before = eye(&window);
    click(&mut window, "Show");
    window.run_steps(60);
    assert!(eye(&window).distance(before) > 0.1, "the camera stays at {before}");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(nothing(&window) && window.state().app.selection().level.is_none());
}

#[test]
fn lists_answer_to_arrow_keys_and_return() {
    let (_folder, mut window) = furnished();
    open(&mut window, "Level");
    window.run_steps(6);
    let kind = |window: &Window| scene(window).levels.values().next().unwrap().presence;
    let all = LevelPresence::ALL;
    let first = all.iter().position(|one| *one == kind(&window)).unwrap();
    let list = |window: &mut Window| {
        window.get_by_role_and_label(Role::ComboBox, "Is there").click_accesskit();
        window.run_steps(4);
    };
    list(&mut window);
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(kind(&window), all[first], "Escape closes the list and takes nothing");
    list(&mut window);
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(kind(&window), all[first + 1]);
    assert!(!egui::Popup::is_any_open(&window.ctx), "the list stays open");
    list(&mut window);
    press(&mut window, Modifiers::NONE, Key::ArrowUp);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(kind(&window), all[first]);
}

#[test]
fn levels_of_fbx_files_have_their_units_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = ground_scene(folder.path(), [5.0, 5.0]);
    let text = std::fs::read_to_string(&path).unwrap().replace("square.obj", "square.fbx");
    std::fs::write(&path, text).unwrap();
    let mut window = window(Some(&path));
    open(&mut window, "Level");
    window.run_steps(4);
    let units = |scene: &Scene| scene.levels.values().next().unwrap().file_units;
    let before = units(window.state().app.scene());
    changes(&mut window, "Level", |w| switch(w, "Units of the file"), move |s| units(s) != before);
}
