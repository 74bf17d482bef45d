//! Drags in the picture: what is typed meanwhile, and Escape.

use super::*;
use glam::Vec3;

fn go(window: &mut Window, to: egui::Pos2) {
    window.event(egui::Event::PointerMoved(to));
    window.run_steps(2);
}

/// Where a place in the world is seen in the window.
fn seen(window: &Window, at: Vec3) -> egui::Pos2 {
    let at = window.state().app.seen_at(at).unwrap();
    egui::pos2(at.x, at.y)
}

/// Presses the button on the X arrow of the first marker, which is selected, and drags it to the right.
fn take_arrow(window: &mut Window) -> egui::Pos2 {
    click(window, "marker 1");
    let at = seen(window, Vec3::X * 0.8);
    go(window, at);
    window.event(button(at, true));
    window.run_steps(2);
    go(window, at + egui::vec2(40.0, 0.0));
    go(window, at + egui::vec2(80.0, 0.0));
    at + egui::vec2(80.0, 0.0)
}

#[test]
fn escape_takes_a_drag_back_as_if_it_had_never_been() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 2");
    press(&mut window, Modifiers::COMMAND, Key::D);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    let (before, steps) = (positions(&window), window.state().app.steps());
    assert_eq!(steps, (0, 1), "one step can be done again");
    let at = take_arrow(&mut window);
    assert!(positions(&window)[0].x > 0.2, "{:?}", positions(&window));
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!((positions(&window), window.state().app.steps()), (before.clone(), steps));
    assert!(window.state().app.selection().instance.is_some(), "what was selected stays so");
    go(&mut window, at + egui::vec2(60.0, 0.0));
    assert_eq!(positions(&window), before, "the handle is let go though the button is down");
    window.event(button(at, false));
    window.run_steps(3);
    assert_eq!((positions(&window), window.state().app.steps()), (before.clone(), steps));
    assert!(!window.state().app.is_dirty());
    press(&mut window, Modifiers::COMMAND, Key::Y);
    assert_eq!(positions(&window).len(), 3, "what was undone before can still be done again");

    press(&mut window, Modifiers::COMMAND, Key::Z);
    let at = take_arrow(&mut window);
    window.event(button(at, false));
    window.run_steps(3);
    assert!(positions(&window)[0].x > 0.2, "the next drag counts again");
    assert_eq!(window.state().app.steps(), (1, 1));
}

#[test]
fn typed_numbers_count_for_squares_and_the_diamond() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 1");
    let length = window.state().app.eye().unwrap().length() * 0.14;
    // Inside the square across Z, and on the diamond.
    for (at, typed, expected) in [
        (Vec3::new(0.37, 0.52, 0.0), "1.5 -2", Vec3::new(1.5, -2.0, 0.0)),
        (Vec3::splat(0.42), "-1 0 2", Vec3::new(-1.0, 0.0, 2.0)),
    ] {
        let at = seen(&window, at * length);
        go(&mut window, at);
        window.event(button(at, true));
        window.run_steps(2);
        go(&mut window, at + egui::vec2(30.0, 20.0));
        window.event(egui::Event::Text(typed.into()));
        window.run_steps(2);
        go(&mut window, at + egui::vec2(32.0, 22.0));
        window.event(button(at, false));
        window.run_steps(3);
        assert!(positions(&window)[0].abs_diff_eq(expected, 1e-4), "{typed}: {:?}", positions(&window));
        press(&mut window, Modifiers::COMMAND, Key::Z);
        assert_eq!(positions(&window)[0], Vec3::ZERO, "one step");
    }
}

#[test]
fn the_middle_button_moves_turns_and_scales_what_is_selected() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 1");
    let middle = |pos, pressed, modifiers| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Middle,
        pressed,
        modifiers,
    };
    let middle_drag = |window: &mut Window, modifiers: Modifiers, ends: bool| {
        let at = egui::pos2(600.0, 500.0);
        go(window, at);
        window.event(egui::Event::ModifiersChanged(modifiers));
        window.event(middle(at, true, modifiers));
        window.run_steps(2);
        go(window, at + egui::vec2(30.0, -20.0));
        go(window, at + egui::vec2(60.0, -40.0));
        if ends {
            window.event(middle(at + egui::vec2(60.0, -40.0), false, modifiers));
        }
        window.event(egui::Event::ModifiersChanged(Modifiers::NONE));
        window.run_steps(3);
    };
    let first = |window: &Window| (**window.state().app.scene().instances.values().next().unwrap()).clone();
    let start = first(&window);
    middle_drag(&mut window, Modifiers::NONE, true);
    let moved = first(&window).position;
    assert!(moved.x > 0.2 && moved.z < -0.1 && moved.y == 0.0, "over the ground: {moved}");
    assert_eq!(window.state().app.steps(), (1, 1), "one step");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    middle_drag(&mut window, Modifiers::SHIFT, true);
    assert!(first(&window).position.y > 0.1 && first(&window).position.x == 0.0, "up");
    press(&mut window, Modifiers::COMMAND, Key::Z);

    press(&mut window, Modifiers::NONE, Key::Num2);
    middle_drag(&mut window, Modifiers::SHIFT, true);
    assert!((first(&window).rotation_deg.y - 30.0).abs() < 1e-3, "{}", first(&window).rotation_deg);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::NONE, Key::Num3);
    middle_drag(&mut window, Modifiers::NONE, true);
    assert!(first(&window).scale > 1.2, "{}", first(&window).scale);
    press(&mut window, Modifiers::COMMAND, Key::Z);

    press(&mut window, Modifiers::NONE, Key::Num1);
    middle_drag(&mut window, Modifiers::NONE, false);
    assert_ne!(first(&window), start);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(first(&window), start, "Escape takes it back");
    go(&mut window, egui::pos2(300.0, 300.0));
    assert_eq!(first(&window), start, "though the button is down");
}

#[test]
fn escape_takes_back_what_a_tool_drags() {
    let (_folder, mut window) = ground_window();
    let bases = |window: &Window| -> Vec<Vec3> {
        window.state().app.scene().nav.obstacles.iter().map(|o| o.shape.base()).collect()
    };
    click(&mut window, "Obstacle");
    click_at(&mut window, 620.0, 450.0);
    let (before, steps) = (bases(&window), window.state().app.steps());
    let from = egui::pos2(620.0, 447.0);
    go(&mut window, from);
    window.event(button(from, true));
    window.run_steps(2);
    go(&mut window, from + egui::vec2(60.0, 0.0));
    assert_ne!(bases(&window), before);
    press(&mut window, Modifiers::NONE, Key::Escape);
    window.event(button(from, false));
    window.run_steps(3);
    assert_eq!((bases(&window), window.state().app.steps()), (before, steps));
}

#[test]
fn a_tool_lets_go_beside_the_level_too() {
    let (_folder, mut window) = ground_window();
    let nav = |window: &Window| window.state().app.scene().nav.clone();
    let places = [Vec3::ZERO, Vec3::new(3.0, 0.0, 1.0), Vec3::NEG_Z * 7.0];
    let [middle, aside, beside] = places.map(|at| {
        let at = seen(&window, at);
        [at.x, at.y]
    });
    click(&mut window, "Obstacle");
    click_at(&mut window, middle[0], middle[1]);
    drag(&mut window, middle, beside);
    let before = nav(&window);
    assert_eq!(before.obstacles.len(), 1);
    assert!(before.obstacles[0].shape.base().z < -1.0, "it was dragged as far as there is ground");
    drag(&mut window, beside, aside);
    assert_eq!(nav(&window), before, "a drag that begins on nothing drags nothing");

    click(&mut window, "Block");
    drag(&mut window, aside, beside);
    let before = nav(&window);
    assert!(!before.barred_cells.is_empty());
    drag(&mut window, beside, middle);
    assert_eq!(nav(&window), before, "and paints nothing");
}
