//! Views along the axes, orthographic ones, and the gestures that orbit and shift the view.

use super::*;
use glam::Vec3;
use walkabout::ui::command::numpad_key;

/// Eye and direction once the flight has ended.
fn settled(window: &mut Window) -> (Vec3, Vec3) {
    window.run_steps(60);
    let view = window.state().app.view().unwrap();
    (view.position, view.direction)
}

#[test]
fn a_level_that_is_opened_is_seen_whole() {
    let folder = tempfile::tempdir().unwrap();
    let level = folder.path().join("far.obj");
    std::fs::write(&level, "v 900 0 400\nv 900 0 460\nv 960 0 460\nv 960 5 400\nf 1 2 3 4\n").unwrap();
    let mut window = window(Some(&level));
    wait_for(&mut window, "the level", |window| !window.state().app.world().triangles().is_empty());
    settled(&mut window);
    let app = &window.state().app;
    for corner in [[900.0, 0.0, 400.0], [900.0, 0.0, 460.0], [960.0, 0.0, 460.0], [960.0, 5.0, 400.0]] {
        let seen = app.seen_at(Vec3::from(corner)).unwrap();
        assert!((0.0..1440.0).contains(&seen.x) && (0.0..900.0).contains(&seen.y), "{corner:?} at {seen}");
    }
}

#[test]
fn a_level_of_two_kilometres_is_seen_whole_and_without_fog() {
    let folder = tempfile::tempdir().unwrap();
    let level = folder.path().join("land.obj");
    std::fs::write(&level, "v 0 0 0\nv 0 40 2000\nv 2000 0 2000\nv 2000 90 0\nf 1 2 3 4\n").unwrap();
    let mut window = window(Some(&level));
    wait_for(&mut window, "the level", |window| !window.state().app.world().triangles().is_empty());
    let (eye, ahead) = settled(&mut window);
    let corners = [[0.0, 0.0, 0.0], [0.0, 40.0, 2000.0], [2000.0, 0.0, 2000.0], [2000.0, 90.0, 0.0]].map(Vec3::from);
    assert!(sees_all(&window, &corners), "from {eye} along {ahead}");
    let farthest = corners.map(|corner| corner.distance(eye)).into_iter().fold(0.0, f32::max);
    assert!(farthest < 4.0 * 2000.0, "it fills the picture: {farthest} m");
    let app = &window.state().app;
    assert!(app.view().unwrap().far > farthest && app.scene().settings.environment.fog_density == 0.0);
}

#[test]
fn a_level_that_is_added_to_another_is_selected_and_seen() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, x: u32| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("v {x} 0 0\nv {x} 0 9\nv {0} 0 9\nv {0} 0 0\nf 1 2 3 4\n", x + 9)).unwrap();
        path
    };
    let (near, far) = (write("near.obj", 0), write("far.obj", 500));
    let mut window = window(Some(&near));
    wait_for(&mut window, "the level", |window| !window.state().app.world().triangles().is_empty());
    settled(&mut window);
    window.state_mut().app.file_dropped(far);
    window.run_steps(4);
    click(&mut window, "Add as level");
    wait_for(&mut window, "its triangles", |window| window.state().app.world().triangles().len() > 2);
    settled(&mut window);
    let corners = [[500.0, 0.0, 0.0], [509.0, 0.0, 9.0]].map(Vec3::from);
    assert!(sees_all(&window, &corners), "the camera goes there");
    let app = &window.state().app;
    assert_eq!(app.selection().level, app.scene().levels.at(1));
    numpad(&mut window, Modifiers::NONE, 7);
    press(&mut window, Modifiers::NONE, Key::Home);
    let (away, _) = settled(&mut window);
    press(&mut window, Modifiers::NONE, Key::F);
    let (eye, _) = settled(&mut window);
    assert!(eye.distance(corners[0]) < 0.5 * away.distance(corners[0]) && sees_all(&window, &corners), "{eye}");
}

#[test]
fn all_that_are_selected_come_into_the_picture() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::COMMAND, Key::A);
    press(&mut window, Modifiers::NONE, Key::F);
    let (eye, ahead) = settled(&mut window);
    let middle = Vec3::new(1.5, eye.y, 0.0) - eye;
    let ahead = ahead.with_y(0.0).normalize();
    assert!(middle.normalize().dot(ahead) > 0.999, "{eye} along {ahead}");
    assert!(sees_all(&window, &[Vec3::ZERO, Vec3::X * 3.0]));
}

fn numpad(window: &mut Window, modifiers: Modifiers, digit: u32) -> Vec3 {
    press(window, modifiers, numpad_key(digit).unwrap());
    settled(window).1
}

#[test]
fn the_number_pad_looks_along_the_axes() {
    let (_folder, mut window) = two_markers();
    let (none, ctrl) = (Modifiers::NONE, Modifiers::COMMAND);
    for (modifiers, digit, wanted) in [
        (none, 1, Vec3::NEG_Z),
        (ctrl, 1, Vec3::Z),
        (none, 3, Vec3::NEG_X),
        (ctrl, 3, Vec3::X),
        (none, 7, Vec3::NEG_Y),
        (ctrl, 7, Vec3::Y),
    ] {
        let seen = numpad(&mut window, modifiers, digit);
        assert!(seen.abs_diff_eq(wanted, 0.01), "{digit}: {seen}");
    }
}

#[test]
fn the_gizmo_looks_along_axes_and_orbits() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "Look from above");
    assert!(settled(&mut window).1.abs_diff_eq(Vec3::NEG_Y, 0.01));
    assert!(window.state().app.selection().instance.is_none(), "a click on the gizmo is none into the scene");
    // From above, the end of Y lies over that of -Y in the middle of the gizmo.
    let at = window.get_by_label("Look from the right").rect().center();
    let middle = window.get_by_label("Look from above").rect().center();
    let between = middle + (at - middle) * 0.5;
    drag(&mut window, [between.x, between.y], [between.x - 80.0, between.y - 60.0]);
    let seen = settled(&mut window).1;
    assert!(seen.y > -0.999 && seen.x.abs() > 0.01, "a drag orbits: {seen}");
    press(&mut window, Modifiers::NONE, Key::F10);
    assert!(window.query_by_label("Look from above").is_none(), "view mode has none");
}

#[test]
fn orthographic_views_zoom_and_turn_back() {
    let (_folder, mut window) = two_markers();
    let is_orthographic = |window: &Window| {
        window.query_by_label("Orthographic view").is_some() && window.state().app.view().unwrap().near < 0.0
    };
    let before = settled(&mut window);
    assert!(!is_orthographic(&window));
    click(&mut window, "Orthographic view");
    assert!(is_orthographic(&window));
    let steps = window.state().app.steps();
    press(&mut window, Modifiers::NONE, numpad_key(5).unwrap());
    assert!(!is_orthographic(&window));
    let after = settled(&mut window);
    assert!(after.0.distance(before.0) < 0.01 && after.1.abs_diff_eq(before.1, 1e-4), "{before:?} became {after:?}");
    assert_eq!(window.state().app.steps(), steps, "views are no steps");
}

#[test]
fn the_middle_button_and_o_orbit_and_shift() {
    let (_folder, mut window) = two_markers();
    let middle = |pos: egui::Pos2, pressed| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Middle,
        pressed,
        modifiers: Modifiers::NONE,
    };
    let start = settled(&mut window);
    let (from, to) = (egui::pos2(620.0, 450.0), egui::pos2(720.0, 480.0));
    window.event(egui::Event::PointerMoved(from));
    window.run_steps(2);
    window.event(middle(from, true));
    window.run_steps(2);
    window.event(egui::Event::PointerMoved(to));
    window.run_steps(2);
    window.event(middle(to, false));
    let orbited = settled(&mut window);
    assert!(orbited.1.distance(start.1) > 0.1 && orbited.0.distance(start.0) > 0.5, "{start:?} {orbited:?}");

    window.key_down(Key::O);
    drag(&mut window, [620.0, 450.0], [700.0, 450.0]);
    window.key_up(Key::O);
    let again = settled(&mut window);
    assert!(again.1.distance(orbited.1) > 0.1, "{orbited:?} {again:?}");
    assert!(window.state().app.selection().instance.is_none(), "nothing was selected by it");

    window.event(egui::Event::ModifiersChanged(Modifiers::SHIFT));
    window.key_down(Key::O);
    drag(&mut window, [620.0, 450.0], [700.0, 450.0]);
    window.key_up(Key::O);
    window.event(egui::Event::ModifiersChanged(Modifiers::NONE));
    let shifted = settled(&mut window);
    assert!(shifted.0.distance(again.0) > 0.3 && shifted.1.abs_diff_eq(again.1, 1e-4), "{again:?} {shifted:?}");
}

#[test]
fn show_all_looks_into_a_yard_from_above() {
    let (_folder, mut window) = ground_window();
    press(&mut window, Modifiers::NONE, Key::Home);
    let (eye, seen) = settled(&mut window);
    assert!((seen.y + 0.707).abs() < 0.01 && (seen.x.abs() - seen.z.abs()).abs() < 0.01, "{seen}");
    assert!((5.0..25.0).contains(&eye.length()), "{eye}");
}

#[test]
fn views_along_axes_keep_what_was_framed_in_the_middle() {
    let (_folder, mut window) = ground_window();
    press(&mut window, Modifiers::NONE, Key::Home);
    settled(&mut window);
    for digit in [1, 7, 3, 7] {
        let ahead = numpad(&mut window, Modifiers::NONE, digit);
        let (eye, _) = settled(&mut window);
        let level = window.state().app.world().triangle_tree().unwrap().bounds();
        let aside = (level.center() - eye) - ahead * (level.center() - eye).dot(ahead);
        assert!(aside.length() < 0.02 * level.size().length(), "{digit}: the level lies {aside} beside the middle");
    }
}

/// Whether the picture shows all of these places.
pub fn sees_all(window: &Window, places: &[Vec3]) -> bool {
    let view = window.state().app.view().unwrap();
    let is_inside = |at: glam::Vec2| at.cmpge(glam::Vec2::ZERO).all() && at.cmple(glam::Vec2::ONE).all();
    places.iter().all(|place| view.project(*place, glam::Vec2::ONE).is_some_and(is_inside))
}

/// A hall of 40 m by 30 m with walls, doorways and stairs, as a file says it.
fn hall(place: impl Fn(Vec3) -> Vec3) -> String {
    let mut text = String::new();
    let mut count = 0;
    let mut quad = |a: Vec3, u: Vec3, v: Vec3| {
        for p in [a, a + u, a + u + v, a + v].map(&place) {
            text += &format!("v {} {} {}\n", p.x, p.y, p.z);
        }
        text += &format!("f {} {} {} {}\n", count + 1, count + 2, count + 3, count + 4);
        count += 4;
    };
    let (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z);
    quad(Vec3::ZERO, z * 30.0, x * 40.0);
    quad(Vec3::ZERO, x * 40.0, y * 3.0);
    quad(z * 30.0 + x * 40.0, x * -40.0, y * 3.0);
    quad(z * 30.0, z * -30.0, y * 3.0);
    quad(x * 40.0, z * 30.0, y * 3.0);
    for wall in 1..8 {
        let at = x * 5.0 * wall as f32;
        quad(at, z * 12.0, y * 3.0);
        quad(at + z * 12.0 + y * 2.1, z * 1.2, y * 0.9);
    }
    for step in 0..6 {
        let at = x * (20.0 + 0.3 * step as f32) + y * 0.17 * step as f32 + z * 20.0;
        quad(at, z * 4.0, y * 0.17);
        quad(at + y * 0.17, z * 4.0, x * 0.3);
    }
    text
}

/// A window on a level file, once it offers this mend.
fn offered(folder: &Path, text: &str, offer: &str) -> Window {
    let level = folder.join("yard.obj");
    std::fs::write(&level, text).unwrap();
    let mut window = window(Some(&level));
    wait_for(&mut window, "the notice", |window| window.query_by_label(offer).is_some());
    // A notice is laid out in its first frame, and in its place from the second on.
    window.run_steps(2);
    window
}

fn level_of(window: &Window) -> walkabout::scene::SceneLevel {
    window.state().app.scene().levels.values().next().unwrap().as_ref().clone()
}

#[test]
fn a_level_in_centimetres_is_mended_by_one_click_and_framed() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = offered(folder.path(), &hall(|p| p * 100.0), "Scale by 0.01");
    assert!(window.query_by_label_contains("it looks 100 times too large, as if it were in centimetres").is_some());
    click(&mut window, "Scale by 0.01");
    assert_eq!(level_of(&window).scale, 0.01);
    let (eye, _) = settled(&mut window);
    let corners = [[0.0, 0.0], [0.0, 30.0], [40.0, 30.0], [40.0, 0.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    assert!(sees_all(&window, &corners) && eye.length() < 200.0, "it is framed as it is now: {eye}");
    assert!(window.query_by_label("Scale by 0.01").is_none(), "what is mended is not offered again");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(level_of(&window).scale, 1.0, "undone as one step");
}

#[test]
fn a_level_on_its_side_is_stood_up_by_one_click() {
    let folder = tempfile::tempdir().unwrap();
    let lying = |p: Vec3| Vec3::new(p.x, -p.z, p.y);
    let mut window = offered(folder.path(), &hall(lying), "Stand it up");
    click(&mut window, "Stand it up");
    assert!(level_of(&window).swap_axes);
    settled(&mut window);
    let corners = [[0.0, 0.0], [40.0, 0.0], [40.0, 30.0], [0.0, 30.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    assert!(sees_all(&window, &corners));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(!level_of(&window).swap_axes);
}

#[test]
fn a_level_in_centimetres_on_its_side_is_mended_in_one_step() {
    let folder = tempfile::tempdir().unwrap();
    let text = hall(|p| Vec3::new(p.x, -p.z, p.y) * 100.0);
    let mut window = offered(folder.path(), &text, "Scale by 0.01, stand it up");
    click(&mut window, "Scale by 0.01, stand it up");
    let level = level_of(&window);
    assert_eq!((level.scale, level.swap_axes), (0.01, true));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    let level = level_of(&window);
    assert_eq!((level.scale, level.swap_axes), (1.0, false));
}

#[test]
fn what_is_framed_is_seen_whole_in_a_narrow_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(Some(&ground_scene(folder.path(), [12.0, 12.0])));
    wait_for(&mut window, "the level", |window| !window.state().app.world().triangles().is_empty());
    window.set_size(egui::vec2(720.0, 900.0));
    window.run_steps(6);
    press(&mut window, Modifiers::NONE, Key::Home);
    settled(&mut window);
    let corners = [[-12.0, -12.0], [-12.0, 12.0], [12.0, 12.0], [12.0, -12.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    assert!(sees_all(&window, &corners));
}
