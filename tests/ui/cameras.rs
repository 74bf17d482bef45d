//! Cameras: made, removed and brought to places; the small picture of the one that is selected, and names that are
//! changed in the list.

use super::*;
use egui::accesskit::Role;

/// Two markers, and a second camera that is looked through.
fn two_cameras() -> (tempfile::TempDir, Window) {
    let (folder, mut window) = two_markers();
    click(&mut window, "Camera");
    click(&mut window, "➕ New");
    click(&mut window, "Cameras (2)");
    window.run_steps(30);
    (folder, window)
}

fn names(window: &Window) -> Vec<String> {
    window.state().app.scene().cameras.values().map(|camera| camera.name.clone()).collect()
}

/// The row of a camera or an instance in the list.
fn row<'a>(window: &'a Window, name: &'a str) -> egui_kittest::Node<'a> {
    window.get_by_role_and_label(Role::Button, name)
}

fn pick(window: &mut Window, name: &str) {
    row(window, name).click();
    window.run_steps(4);
}

/// Types a name into the field in the list.
fn type_name(window: &mut Window, text: &str, end: Key) {
    assert!(window.query_by_role_and_label(Role::TextInput, "New name").is_some(), "no name is being changed");
    window.event(egui::Event::Text(text.into()));
    window.run_steps(2);
    press(window, Modifiers::NONE, end);
    assert!(window.query_by_role_and_label(Role::TextInput, "New name").is_none());
}

fn double_click(window: &mut Window, label: &str) {
    let at = row(window, label).rect().center();
    quick_clicks(window, at, 2);
}

#[test]
fn the_selected_camera_has_a_preview_unless_it_is_active() {
    let (_folder, mut window) = two_cameras();
    let shown = |window: &Window, name: &str| window.query_by_label(&format!("Preview of {name}")).is_some();
    let eye = window.state().app.eye();
    pick(&mut window, "FreeCam");
    assert!(shown(&window, "FreeCam"));
    assert_eq!(window.state().app.eye(), eye, "the picture stays where it is");
    click(&mut window, "Hide preview");
    assert!(!shown(&window, "FreeCam"));
    click(&mut window, "View");
    click_containing(&mut window, "Camera preview");
    assert!(shown(&window, "FreeCam"));
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(!shown(&window, "FreeCam"), "Escape lets go of the camera");

    pick(&mut window, "FreeCam");
    let rect = window.get_by_label("Preview of FreeCam").rect();
    assert!(rect.width() > 100.0 && rect.right() < 1110.0 && rect.bottom() < 872.0, "{rect:?}");
    click(&mut window, "Look through FreeCam");
    assert!(!shown(&window, "FreeCam"), "it is the large picture now");
    window.run_steps(60);
    pick(&mut window, "Camera1");
    assert!(shown(&window, "Camera1"));
    press(&mut window, Modifiers::NONE, Key::F10);
    assert!(!shown(&window, "Camera1"), "nothing lies over the picture in view mode");
    press(&mut window, Modifiers::NONE, Key::F10);
    pick(&mut window, "marker 2");
    assert!(!shown(&window, "Camera1"), "something else is selected");
    // Every kind and projection has its picture.
    pick(&mut window, "Camera1");
    let mut before = "Stationary";
    for kind in ["First person", "Third person", "Stationary, following", "Free", "Stationary"] {
        // A choice that is made by a screen reader leaves the list open.
        if window.query_all_by_label(kind).next().is_none() {
            window.get_by_value(before).click_accesskit();
            window.run_steps(4);
        }
        window.get_all_by_label(kind).last().unwrap().click_accesskit();
        window.run_steps(6);
        assert_eq!(window.state().app.scene().cameras.values().nth(1).unwrap().kind.label(), kind);
        assert!(shown(&window, "Camera1"), "{kind}");
        before = kind;
    }
    window.get_by_label("Orthogonal").click_accesskit();
    window.run_steps(6);
    assert!(shown(&window, "Camera1"));
}

#[test]
fn the_keys_mean_the_camera_that_was_selected_last() {
    let (_folder, mut window) = two_cameras();
    pick(&mut window, "marker 2");
    pick(&mut window, "Camera1");
    assert!(window.query_by_label_contains("Nothing is selected").is_none());
    assert!(window.query_by_label("Look through").is_none(), "it is looked through already");
    press(&mut window, Modifiers::COMMAND, Key::D);
    assert_eq!(names(&window), ["FreeCam", "Camera1", "Camera2"]);
    assert!(window.query_by_label("Preview of Camera2").is_some(), "the copy is selected");
    let cameras = &window.state().app.scene().cameras;
    let [first, copy] = [1, 2].map(|i| cameras.values().nth(i).unwrap().clone());
    assert_eq!((first.position, first.kind, first.fov_deg), (copy.position, copy.kind, copy.fov_deg));
    window.event(egui::Event::Cut);
    window.run_steps(4);
    assert_eq!((names(&window).len(), positions(&window).len()), (3, 2), "a camera is not cut, nor anything else");
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert_eq!(names(&window), ["FreeCam", "Camera1"]);
    assert_eq!(positions(&window).len(), 2, "the instance that was selected before stays");
    pick(&mut window, "FreeCam");
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert_eq!(names(&window), ["FreeCam", "Camera1"]);
    assert!(window.state().app.notices().all().last().unwrap().text.contains("cannot be deleted"));
    pick(&mut window, "marker 2");
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert_eq!(positions(&window).len(), 1);
}

#[test]
fn the_list_of_cameras_stays_open_where_one_is_added() {
    let (_folder, mut window) = two_cameras();
    pick(&mut window, "Camera1");
    press(&mut window, Modifiers::COMMAND, Key::D);
    window.run_steps(30);
    assert!(window.query_by_label("Cameras (3)").is_some());
    assert!(window.query_by_role_and_label(Role::Button, "Camera2").is_some(), "its row is there");
}

#[test]
fn cameras_and_instances_are_renamed_in_the_list() {
    let (_folder, mut window) = two_cameras();
    pick(&mut window, "FreeCam");
    press(&mut window, Modifiers::NONE, Key::F2);
    type_name(&mut window, "Above", Key::Enter);
    assert_eq!(names(&window), ["Above", "Camera1"]);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(names(&window), ["FreeCam", "Camera1"]);
    double_click(&mut window, "Camera1");
    type_name(&mut window, "Below", Key::Escape);
    assert_eq!(names(&window), ["FreeCam", "Camera1"], "Escape leaves all as it was");
    double_click(&mut window, "Camera1");
    type_name(&mut window, "FreeCam", Key::Enter);
    assert_eq!(names(&window), ["FreeCam", "Camera1"], "two cameras of one name could not be told apart in a file");
    assert!(!window.state().app.notices().all().is_empty(), "and that is said");
    press(&mut window, Modifiers::NONE, Key::Escape);

    pick(&mut window, "marker 2");
    press(&mut window, Modifiers::NONE, Key::F2);
    type_name(&mut window, "Well", Key::Enter);
    let name = |window: &Window| window.state().app.scene().instances.values().nth(1).unwrap().name.clone();
    assert_eq!(name(&window), "Well");
    double_click(&mut window, "Well");
    type_name(&mut window, "Gate", Key::Enter);
    assert_eq!(name(&window), "Gate");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(name(&window), "");
    // On a slow machine a word comes in the frame of the key: it is the name, and no commands.
    let plays = window.state().app.is_playing();
    let key =
        |key| egui::Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers: Modifiers::NONE };
    let text = |text: &str| egui::Event::Text(text.into());
    let at_once = [key(Key::F2), key(Key::B), text("B"), key(Key::Space), text(" "), text("1")];
    window.input_mut().events.extend(at_once);
    window.step();
    window.input_mut().events.push(text("2"));
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!((name(&window).as_str(), window.state().app.is_playing()), ("B 12", plays));
}

#[test]
fn a_camera_is_renamed_where_its_list_was_closed() {
    let (_folder, mut window) = two_cameras();
    pick(&mut window, "Camera1");
    click(&mut window, "Cameras (2)");
    window.run_steps(30);
    assert!(window.query_by_role_and_label(Role::Button, "Camera1").is_none(), "the list is closed");
    press(&mut window, Modifiers::NONE, Key::F2);
    window.run_steps(30);
    type_name(&mut window, "Above", Key::Enter);
    assert_eq!(names(&window), ["FreeCam", "Above"]);
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

/// Types a number into the first field of this label.
fn type_first(window: &mut Window, label: &str, number: &str) {
    window.get_all_by_role_and_label(Role::SpinButton, label).next().unwrap().click_accesskit();
    window.run_steps(3);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text(number.into()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
}

#[test]
fn the_picture_follows_the_settings_of_its_camera_and_undo_too() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "Camera");
    let eye = |window: &Window| window.state().app.eye().unwrap();
    let start = eye(&window);
    type_first(&mut window, "Stands at", "1.5");
    assert_eq!(eye(&window), start.with_x(1.5));
    let width = |window: &Window| {
        let [a, b] = [0.0, 3.0].map(|x| window.state().app.seen_at(glam::Vec3::X * x).unwrap().x);
        b - a
    };
    let before = width(&window);
    type_first(&mut window, "Field of view", "30");
    assert!(width(&window) > before * 1.5, "{before} {}", width(&window));
    let zero = window.state().app.seen_at(glam::Vec3::ZERO).unwrap().x;
    type_first(&mut window, "Azimuth", "10");
    assert!(window.state().app.seen_at(glam::Vec3::ZERO).unwrap().x < zero, "what it looked at goes to the left");
    for _ in 0..3 {
        press(&mut window, Modifiers::COMMAND, Key::Z);
    }
    assert!(eye(&window).distance(start) < 1e-4, "{}", eye(&window));
    assert!((width(&window) - before).abs() < 1.0, "{before} {}", width(&window));
}

#[test]
fn every_kind_of_camera_has_its_settings() {
    let (_folder, mut window) = two_cameras();
    click(&mut window, "marker 2");
    pick(&mut window, "Camera1");
    let camera = |window: &Window| window.state().app.scene().cameras.values().nth(1).cloned().unwrap();
    let mut before = "Stationary";
    for kind in ["First person", "Stationary, following", "Third person"] {
        if window.query_all_by_label(kind).next().is_none() {
            window.get_by_value(before).click_accesskit();
            window.run_steps(4);
        }
        window.get_all_by_label(kind).last().unwrap().click_accesskit();
        window.run_steps(6);
        if camera(&window).target.is_none() {
            window.get_by_label("Use selected").click_accesskit();
            window.run_steps(4);
        }
        match kind {
            "First person" => {
                window.get_by_label("Turns with the bone").click_accesskit();
                type_first(&mut window, "Offset", "0.25");
                assert!(camera(&window).first_person_lock);
                assert_eq!(camera(&window).first_person_offset, glam::Vec3::X * 0.25);
            }
            "Third person" => {
                type_first(&mut window, "Distance", "3");
                assert_eq!(camera(&window).third_person_distance, 3.0);
            }
            _ => {
                type_first(&mut window, "Looks at", "0.5");
                assert_eq!(camera(&window).follow_height, 0.5);
            }
        }
        before = kind;
    }
    window.get_by_label("Select").click_accesskit();
    window.run_steps(4);
    assert_eq!(window.state().app.selection().instance, camera(&window).target);
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
    let sent = window.state().app.scene().instances.get(walker).unwrap();
    assert!(sent.target == Some(target) && sent.navigation, "a character with a target walks there");
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
fn a_new_camera_follows_what_is_selected() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 2");
    window.get_all_by_label("Camera").next().unwrap().click_accesskit();
    window.run_steps(4);
    window.get_all_by_label("➕ New").next().unwrap().click_accesskit();
    window.run_steps(4);
    let scene = window.state().app.scene();
    let made = scene.cameras.values().last().unwrap();
    assert_eq!(made.kind.label(), "Third person");
    assert_eq!(made.target, scene.instances.at(1));
    assert!((0.0..360.0).contains(&made.azimuth_deg));
}

#[test]
fn what_is_added_is_selected_in_place_of_the_camera() {
    let (_folder, mut window) = two_cameras();
    pick(&mut window, "marker 2");
    let text = copied(&mut window, egui::Event::Copy);
    pick(&mut window, "Camera1");
    window.event(egui::Event::Paste(text));
    window.run_steps(4);
    assert_eq!(positions(&window).len(), 3);
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert_eq!((names(&window).len(), positions(&window).len()), (2, 2), "Del means what was pasted");
}
