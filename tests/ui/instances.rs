//! Instances: one and several, edited, copied, created by the dozen.

use super::*;

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
fn models_become_targets_get_instances_and_are_removed() {
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
fn many_are_created_in_one_step_and_are_selected_then() {
    let (_folder, mut window) = two_markers();
    press(&mut window, Modifiers::COMMAND, Key::M);
    assert!(window.query_by_value("marker").is_some(), "of the model of the scene");
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
    let text = copied(&mut window, egui::Event::Copy);
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
fn a_marquee_adds_with_shift_and_removes_with_ctrl() {
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
fn an_instance_is_stopped_put_to_zero_and_highlighted_or_not() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 2");
    let first = |window: &Window| positions(window)[1];
    click(&mut window, "All to zero");
    assert_eq!(first(&window), glam::Vec3::ZERO);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(first(&window), glam::Vec3::X * 3.0);
    let highlights = |window: &Window| window.state().app.scene().settings.highlight_selection;
    assert!(highlights(&window));
    click(&mut window, "Highlight");
    assert!(!highlights(&window));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(highlights(&window));
    let steps = window.state().app.steps().0;
    click(&mut window, "Stop");
    assert_eq!(window.state().app.steps().0, steps, "what happens is no step");
}

/// A cube of two metres whose origin is in its middle, beside a square of ground.
fn crate_on_ground() -> (tempfile::TempDir, Window) {
    let (folder, mut window) = ground_window();
    let cube = folder.path().join("crate.obj");
    let corners = ["-1 -1 -1", "1 -1 -1", "1 1 -1", "-1 1 -1", "-1 -1 1", "1 -1 1", "1 1 1", "-1 1 1"];
    let faces = ["1 4 3 2", "5 6 7 8", "1 2 6 5", "4 8 7 3", "1 5 8 4", "2 3 7 6"];
    let lines = corners.iter().map(|v| format!("v {v}\n")).chain(faces.iter().map(|f| format!("f {f}\n")));
    std::fs::write(&cube, lines.collect::<String>()).unwrap();
    window.state_mut().app.file_dropped(cube);
    window.run_steps(4);
    click(&mut window, "Add as model");
    // It stands where it belongs once its size is known.
    wait_for(&mut window, "the crate on the ground", |window| positions(window).iter().all(|at| at.y > 0.3));
    (folder, window)
}

#[test]
fn things_with_their_origin_in_the_middle_stand_on_the_ground() {
    let (_folder, mut window) = crate_on_ground();
    // A baked mesh lies up to a cell above its ground.
    let stands = |window: &Window| positions(window).iter().all(|at| (at.y - 1.0).abs() < 0.15);
    assert!(stands(&window), "{:?}", positions(&window));
    assert_eq!(window.state().app.steps().0, 1, "the model, and the crate where it stands");
    let lives =
        |window: &Window| window.state().app.world().iter().map(|(_, live)| live.now.position.y).collect::<Vec<_>>();
    window.run_steps(60);
    assert!(lives(&window).iter().all(|y| (y - 1.0).abs() < 1e-3), "{:?}", lives(&window));

    window.state_mut().app.drag_selected(glam::Vec3::Y * 3.0);
    window.run_steps(4);
    press(&mut window, Modifiers::NONE, Key::G);
    assert!(stands(&window), "{:?}", positions(&window));
    press(&mut window, Modifiers::COMMAND, Key::M);
    window.get_by_value("Scattered on the ground").click();
    window.run_steps(4);
    click(&mut window, "In a grid");
    click(&mut window, "Create 50");
    assert_eq!(positions(&window).len(), 51);
    assert!(stands(&window), "{:?}", positions(&window));
    window.run_steps(30);
    assert!(lives(&window).iter().all(|y| (y - 1.0).abs() < 1e-3), "{:?}", lives(&window));
}

#[test]
fn names_have_no_spaces_at_their_ends() {
    let (_folder, mut window) = two_markers();
    click(&mut window, "marker 1");
    let name = |window: &Window| window.state().app.scene().instances.values().next().unwrap().name.clone();
    let steps = window.state().app.steps().0;
    window.get_by_role_and_label(egui::accesskit::Role::TextInput, "Name").click();
    window.run_steps(4);
    for (typed, becomes) in [(" ", ""), ("old", "old"), (" ", "old"), ("post", "old post"), (" ", "old post")] {
        window.event(egui::Event::Text(typed.into()));
        window.run_steps(4);
        assert_eq!(name(&window), becomes);
    }
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().app.steps().0, steps + 1);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(name(&window), "", "one step");
}
