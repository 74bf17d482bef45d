//! The panel of the models that can be put into the scene.

use super::*;

/// Two markers beside a folder with a model that is one and one that is none.
fn with_assets() -> (tempfile::TempDir, Window) {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config");
    let assets = folder.path().join("assets/deep/props");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::create_dir_all(&assets).unwrap();
    std::fs::write(assets.join("wall.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n").unwrap();
    std::fs::write(folder.path().join("assets/deep/ring.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n").unwrap();
    std::fs::write(assets.join("a_torn.glb"), "this is no model").unwrap();
    let mut window = window(Some(&scene_file(&config)));
    press(&mut window, Modifiers::NONE, Key::F12);
    (folder, window)
}

pub fn shows(window: &Window, label: &str) -> bool {
    window.query_by_label(label).is_some()
}

fn count(window: &Window) -> (usize, usize) {
    (window.state().app.scene().models.len(), window.state().app.scene().instances.len())
}

#[test]
fn models_are_found_searched_and_put_into_the_scene() {
    let (_folder, mut window) = with_assets();
    wait_for(&mut window, "the files", |window| shows(window, "Model wall") && shows(window, "Model a_torn"));
    assert!(shows(&window, "Model ada"), "those of the program are there too");
    wait_for(&mut window, "the reason why one cannot be read", |window| {
        window.query_all_by_label_contains("⚠").next().is_some()
    });

    window.get_by_role_and_label(egui::accesskit::Role::TextInput, "Search models").focus();
    window.run_steps(2);
    window.event(egui::Event::Text("wal".into()));
    window.run_steps(3);
    assert!(shows(&window, "Model wall") && !shows(&window, "Model a_torn") && !shows(&window, "Model ada"));
    assert_eq!(count(&window), (1, 2));

    let at = window.get_by_label("Model wall").rect().center();
    quick_clicks(&mut window, at, 2);
    assert_eq!(count(&window), (2, 3), "a double click adds the model and one of it");

    window.get_by_label("Model wall").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(count(&window), (2, 4), "Return does the same by the keyboard");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(count(&window), (2, 3));

    // A second one by a drag to the left of the middle of the picture.
    let wanted = glam::Vec3::new(-2.0, 0.0, 0.0);
    let to = window.state().app.seen_at(wanted).unwrap();
    let to = egui::pos2(to.x, to.y);
    window.event(button(at, true));
    window.run_steps(2);
    for share in [0.1, 0.5, 1.0] {
        window.event(egui::Event::PointerMoved(at.lerp(to, share)));
        window.run_steps(2);
    }
    window.event(button(to, false));
    window.run_steps(4);
    assert_eq!(count(&window), (2, 4), "the model is there already");
    let placed = *positions(&window).last().unwrap();
    assert!(placed.distance(wanted) < 0.05, "{placed}");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(count(&window), (2, 3), "one step");
}

#[test]
fn it_is_asked_what_a_file_is_that_looks_like_a_level() {
    let (_folder, mut window) = with_assets();
    wait_for(&mut window, "the files", |window| shows(window, "Model ring"));
    let at = window.get_by_label("Model ring").rect().center();
    quick_clicks(&mut window, at, 2);
    assert_eq!(count(&window), (1, 2));
    click(&mut window, "Add as level");
    assert_eq!(window.state().app.scene().levels.len(), 1);
}

#[test]
fn a_model_of_another_unit_is_mended_by_one_click() {
    let (folder, mut window) = two_markers();
    let tower = folder.path().join("tower.obj");
    std::fs::write(&tower, "v 900 0 0\nv 1150 0 0\nv 1150 250 0\nf 1 2 3\n").unwrap();
    window.state_mut().app.file_dropped(tower);
    window.run_steps(4);
    click(&mut window, "Add as model");
    wait_for(&mut window, "the notice", |window| window.query_by_label_contains("100 times too large").is_some());
    // A notice is laid out in its first frame, and in its place from the second on.
    window.run_steps(2);
    assert!(shows(
        &window,
        "tower looks 100 times too large: it measures 250 m and stands 900 m away from its origin."
    ));
    let last = |window: &Window| window.state().app.scene().instances.values().last().unwrap().as_ref().clone();
    let before = last(&window);
    click(&mut window, "Scale by 0.01, bring it near");
    let after = last(&window);
    assert_eq!(after.scale, 0.01);
    let middle = after.world_from_model().transform_point3(glam::Vec3::new(1025.0, 0.0, 0.0));
    assert!(middle.distance(before.position) < 0.01, "{middle} for {}", before.position);
    assert!(!shows(&window, "Scale by 0.01, bring it near"), "what is mended is not offered again");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(last(&window), before, "one step");
}
