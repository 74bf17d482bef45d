//! View mode: the captured mouse and the keys steer the selected character. The wheel sets cameras.

use super::editing::person;
use super::*;
use glam::Vec3;
use std::f32::consts::FRAC_PI_2;
use walkabout::sim::Pose;

fn now(window: &Window) -> Pose {
    window.state().app.world().iter().next().unwrap().1.now
}

fn captures(window: &Window) -> bool {
    window.state().wish.as_ref().unwrap().captures_cursor
}

fn mouse(window: &mut Window, x: f32, y: f32) {
    window.event(egui::Event::MouseMoved(egui::vec2(x, y)));
    window.run_steps(90);
}

#[test]
fn the_mouse_turns_the_character_until_escape() {
    let (_folder, mut window) = person();
    assert!(!captures(&window));
    press(&mut window, Modifiers::NONE, Key::F10);
    assert!(captures(&window));
    let eye = |window: &Window| window.state().app.eye().unwrap() - now(window).position;
    mouse(&mut window, -900.0, 0.0);
    assert!((now(&window).yaw_rad - FRAC_PI_2).abs() < 0.05, "{}", now(&window).yaw_rad);
    assert_eq!(now(&window).position, Vec3::ZERO, "it turns where it stands");
    assert!(eye(&window).x < -1.0 && eye(&window).z.abs() < 0.3, "the camera is behind it: {}", eye(&window));
    let low = eye(&window).y;
    mouse(&mut window, 0.0, 200.0);
    assert!(eye(&window).y > low + 0.3, "travel down looks down");

    window.key_down(Key::W);
    window.run_steps(60);
    window.key_up(Key::W);
    window.run_steps(30);
    let there = now(&window).position;
    assert!(there.x > 0.5 && there.z.abs() < 0.1, "W goes where it faces: {there}");
    window.key_down(Key::D);
    window.run_steps(60);
    window.key_up(Key::D);
    window.run_steps(30);
    assert!(now(&window).position.z > 0.5, "D goes to its right: {}", now(&window).position);
    assert!((now(&window).yaw_rad - FRAC_PI_2).abs() < 0.05);

    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(!captures(&window) && window.query_by_label("Overlays").is_some());
    mouse(&mut window, 500.0, 0.0);
    assert!((now(&window).yaw_rad - FRAC_PI_2).abs() < 0.05, "the mouse is free again");
}

#[test]
fn a_window_that_is_not_used_gives_the_cursor_back() {
    let (_folder, mut window) = person();
    press(&mut window, Modifiers::NONE, Key::F10);
    window.event(egui::Event::WindowFocused(false));
    window.input_mut().focused = false;
    window.run_steps(2);
    assert!(!captures(&window));
    window.input_mut().focused = true;
    window.run_steps(2);
    assert!(captures(&window));
}

#[test]
fn keys_held_as_the_window_loses_the_focus_are_let_go_of() {
    let (_folder, mut window) = person();
    press(&mut window, Modifiers::NONE, Key::F10);
    window.key_down(Key::W);
    window.run_steps(60);
    assert!(now(&window).velocity.length() > 0.5);
    window.event(egui::Event::WindowFocused(false));
    window.input_mut().focused = false;
    window.run_steps(90);
    assert_eq!(now(&window).velocity.length(), 0.0, "where the key is let go of is not heard");
}

/// Turns the wheel over the picture and waits until it counts as resting.
fn wheel(window: &mut Window, lines: f32, modifiers: Modifiers) {
    window.event(egui::Event::PointerMoved(egui::pos2(700.0, 400.0)));
    window.event(egui::Event::ModifiersChanged(modifiers));
    let delta = egui::vec2(0.0, lines);
    let (unit, phase) = (egui::MouseWheelUnit::Line, egui::TouchPhase::Move);
    window.event(egui::Event::MouseWheel { unit, delta, modifiers, phase });
    window.run_steps(60);
    window.event(egui::Event::ModifiersChanged(Modifiers::NONE));
    window.run_steps(2);
}

#[test]
fn the_wheel_sets_the_camera_in_one_step() {
    for (projection, lens) in [("0\n    field-of-view: 60", 60.0), ("1\n    ortho-scale: 20", 20.0)] {
        let folder = tempfile::tempdir().unwrap();
        let scene = scene_file(folder.path());
        let text = std::fs::read_to_string(&scene).unwrap();
        std::fs::write(&scene, text.replace("0\n    field-of-view: 60", projection)).unwrap();
        let mut window = window(Some(&scene));
        let value = |window: &Window| {
            let camera = window.state().app.scene().cameras.values().next().unwrap().clone();
            if lens == 60.0 { camera.fov_deg } else { camera.ortho_scale }
        };
        let steps = |window: &Window| window.state().app.steps().0;
        assert_eq!((value(&window), steps(&window)), (lens, 0));
        wheel(&mut window, 1.0, Modifiers::NONE);
        let (slow, saved) = (value(&window), window.state().app.is_dirty());
        assert!(slow < lens && saved && steps(&window) == 1, "{slow} after {} steps", steps(&window));
        wheel(&mut window, 1.0, Modifiers::SHIFT);
        let fast = value(&window);
        let rate = (slow / fast).ln() / (lens / slow).ln();
        assert!((rate - 4.0).abs() < 0.2 && steps(&window) == 2, "{rate} times as fast, {} steps", steps(&window));
        press(&mut window, Modifiers::COMMAND, Key::Z);
        assert!((value(&window) - slow).abs() < 1e-4);
        press(&mut window, Modifiers::COMMAND, Key::Z);
        assert_eq!((value(&window), window.state().app.is_dirty()), (lens, false));
    }
}

#[test]
fn a_panel_that_is_asked_for_ends_view_mode() {
    let (_folder, mut window) = two_markers();
    for what in ["it opens", "it stays, as it was not on screen"] {
        press(&mut window, Modifiers::NONE, Key::F10);
        assert!(window.query_by_label("Overlays").is_none());
        press(&mut window, Modifiers::NONE, Key::F4);
        assert!(
            window.query_by_label("Overlays").is_some() && window.query_by_label("The beginning").is_some(),
            "{what}"
        );
    }
}
