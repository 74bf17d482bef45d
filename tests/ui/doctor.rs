//! The doctor's panel: findings, the way there, and what mends them.

use super::*;
use walkabout::nav::doctor::FaultKind;

/// A window on a square that a step of half a metre cuts into two halves.
fn stepped_window() -> (tempfile::TempDir, Window) {
    window_on("0.5", "")
}

/// A square whose eastern half lies so high.
fn stepped_level(height: &str) -> String {
    format!(
        "v -5 0 -5\nv -5 0 5\nv 0 0 5\nv 0 0 -5\nv 0 {height} -5\nv 0 {height} 5\nv 5 {height} 5\nv 5 {height} -5\n\
         f 1 2 3 4\nf 4 3 6 5\nf 5 6 7 8\n"
    )
}

/// A window on a square whose eastern half lies so high, with a test path over its middle and something placed.
fn window_on(height: &str, placed: &str) -> (tempfile::TempDir, Window) {
    window_of(&stepped_level(height), height, placed)
}

/// The same, on such a level.
fn window_of(level: &str, height: &str, placed: &str) -> (tempfile::TempDir, Window) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("step.obj"), level).unwrap();
    let text = format!(
        "version: 9.0\nsettings:\n  navigation-enabled: false\n\
         levels:\n  - level-name: step\n    level-file: {}\n    position: [0, 0, 0]\n    rotation: [0, 0, 0]\n    \
         scale: 1\n    swap-axes: false\nwalkabout:\n  navigation:\n    mesh: baked\n    \
         probe: {{start: [-3, 0, 0], end: [3, {height}, 0]}}\n{placed}",
        folder.path().join("step.obj").display()
    );
    let path = folder.path().join("step.acfg");
    std::fs::write(&path, text).unwrap();
    let mut window = window(Some(&path));
    wait_for(&mut window, "the mesh", |window| window.state().app.world().mesh().built().is_some());
    (folder, window)
}

fn faults(window: &Window) -> Option<Vec<FaultKind>> {
    let doctor = window.state().app.inspector().doctor();
    let diagnosis = doctor.diagnosis().filter(|_| !doctor.is_busy())?;
    assert_eq!(diagnosis.error, None);
    Some(diagnosis.findings.iter().map(|f| f.fault).collect())
}

#[test]
fn the_doctor_finds_a_step_leads_there_and_mends_it() {
    let (_folder, mut window) = stepped_window();
    press(&mut window, Modifiers::SHIFT, Key::F7);
    wait_for(&mut window, "the findings", |window| faults(window).is_some());
    window.run_steps(2);
    assert_eq!(faults(&window), Some(vec![FaultKind::StepTooHigh]));
    let marks = |window: &Window| window.state().app.shows_overlay(Layer::Findings);
    assert!(marks(&window));
    press(&mut window, Modifiers::SHIFT, Key::F7);
    assert!(!marks(&window), "the marks go with the panel");
    press(&mut window, Modifiers::SHIFT, Key::F7);
    assert!(marks(&window) && faults(&window).is_some(), "and come with it, without another examination");
    assert!(window.query_by_label_contains("A step of 0.50 m parts the ground").is_some());
    assert!(window.query_by_label_contains("at (").is_some(), "its place");
    let eye = |window: &Window| window.state().app.eye();
    let before = eye(&window);
    click(&mut window, "Step too high");
    assert_eq!(window.state().app.inspector().doctor().selected(), Some(0));
    assert_ne!(eye(&window), before, "the camera goes there");
    let climb = |window: &Window| window.state().app.scene().bake_settings().agent_climb;
    let usual = climb(&window);
    click(&mut window, "Climb 0.55 m");
    assert_eq!(climb(&window), 0.55);
    wait_for(&mut window, "the findings", |window| faults(window).is_some());
    window.run_steps(2);
    assert_eq!(faults(&window), Some(Vec::new()));
    assert!(window.query_by_label("Nothing found.").is_some());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(climb(&window), usual, "undone as one step");
    let old = "The scene has changed since: examine it again.";
    wait_for(&mut window, "the word that the findings are old", |window| {
        window.state().app.inspector().doctor().is_outdated()
    });
    window.run_steps(2);
    assert!(window.query_by_label(old).is_some());
    click(&mut window, "Examine");
    wait_for(&mut window, "the findings", |window| faults(window).is_some());
    window.run_steps(2);
    assert_eq!(faults(&window), Some(vec![FaultKind::StepTooHigh]));
    assert!(window.query_by_label(old).is_none());
}

#[test]
fn a_finding_under_a_roof_is_shown_from_below_it() {
    let roofed = stepped_level("0.5") + "v -5 4 -5\nv -5 4 5\nv 5 4 5\nv 5 4 -5\nf 9 10 11 12\n";
    let (_folder, mut window) = window_of(&roofed, "0.5", "");
    press(&mut window, Modifiers::NONE, Key::Home);
    window.run_steps(60);
    let eye = |window: &Window| window.state().app.eye().unwrap();
    assert!(eye(&window).y > 4.0, "all is seen from above: {}", eye(&window));
    press(&mut window, Modifiers::SHIFT, Key::F7);
    wait_for(&mut window, "the findings", |window| faults(window).is_some());
    window.run_steps(2);
    click(&mut window, "Step too high");
    window.run_steps(60);
    assert!(eye(&window).y < 4.0, "the roof lies before it: {}", eye(&window));
}

/// A window with the doctor on a level that is to be scaled by 100, and the folder of its scene.
fn window_with_a_mend() -> (tempfile::TempDir, Window) {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(Some(&ground_scene(folder.path(), [0.1, 0.1])));
    wait_for(&mut window, "the level", |window| !window.state().app.world().triangles().is_empty());
    press(&mut window, Modifiers::SHIFT, Key::F7);
    wait_for(&mut window, "the mend", |window| window.query_by_label("Scale by 100").is_some());
    window.run_steps(4);
    (folder, window)
}

#[test]
fn a_level_that_the_doctor_scales_is_framed() {
    let (_folder, mut window) = window_with_a_mend();
    click(&mut window, "Scale by 100");
    assert_eq!(window.state().app.scene().levels.values().next().unwrap().scale, 100.0);
    window.run_steps(60);
    let corners = [[-10.0, -10.0], [10.0, -10.0], [10.0, 10.0], [-10.0, 10.0]];
    let corners = corners.map(|[x, z]| glam::Vec3::new(x, 0.0, z));
    assert!(super::views::sees_all(&window, &corners));
}

#[test]
fn a_mend_that_is_clicked_twice_is_made_once() {
    let (_folder, mut window) = window_with_a_mend();
    let at = window.get_by_label("Scale by 100").rect().center();
    window.event(egui::Event::PointerMoved(at));
    window.run_steps(2);
    // The second click comes while the level is examined again.
    for pressed in [true, false, true, false] {
        window.event(button(at, pressed));
        window.run_steps(1);
    }
    window.run_steps(4);
    let scales: Vec<f32> = window.state().app.scene().levels.values().map(|level| level.scale).collect();
    assert_eq!((scales, window.state().app.steps()), (vec![100.0], (1, 1)));
}

#[test]
fn the_doctor_says_why_a_character_has_no_way() {
    let markers = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/props/marker.glb");
    let people = editing::ada().replace(
        "instances:\n",
        &format!(
            "  - model-name: marker\n    model-file: {}\n    is-nav-target: true\ninstances:\n",
            markers.display()
        ),
    );
    let target = "    enable-navigation: true\n    path-target-instance: 2\n  - model-file: marker\n    \
                  position: [3, 0.5, 0]\n    rotation: [0, 0, 0]\n    scale: 1\n";
    let people = people.replace("position: [0, 0, 0]", "position: [-3, 0, 0]") + target;
    let (folder, window) = window_on("0.5", "");
    let path = folder.path().join("step.acfg");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("navigation-enabled: false", "navigation-enabled: true\n  selected-instance: 1");
    drop(window);
    std::fs::write(&path, text + &people).unwrap();
    let mut window = self::window(Some(&path));
    wait_for(&mut window, "the failed path", |window| {
        let live = window.state().app.world().iter().next();
        live.is_some_and(|(_, live)| matches!(live.nav, walkabout::sim::NavStatus::Failed(_)))
    });
    window.run_steps(4);
    window.get_by_label("Why?").scroll_to_me();
    window.run_steps(8);
    click(&mut window, "Why?");
    wait_for(&mut window, "the answer", |window| faults(window).is_some());
    window.run_steps(2);
    assert!(window.query_by_label("Why is there no path?").is_some());
    assert!(faults(&window).unwrap().contains(&FaultKind::StepTooHigh), "{:?}", faults(&window));
}

/// Asks why the test path has no way.
fn ask_why(window: &mut Window) {
    press(window, Modifiers::NONE, Key::F7);
    click(window, "Path");
    window.get_by_label("Why?").scroll_to_me();
    window.run_steps(8);
    click(window, "Why?");
    wait_for(window, "the answer", |window| faults(window).is_some());
    window.run_steps(2);
}

#[test]
fn the_doctor_says_why_the_test_path_has_no_way() {
    let (_folder, mut window) = stepped_window();
    ask_why(&mut window);
    assert_eq!(faults(&window), Some(vec![FaultKind::StepTooHigh]));
    assert!(window.query_by_label("Why is there no path?").is_some());
    click(&mut window, "Examine");
    wait_for(&mut window, "the findings", |window| faults(window).is_some());
    window.run_steps(2);
    assert!(window.query_by_label("Why is there no path?").is_none(), "another question");
}

#[test]
fn a_mend_of_an_answer_asks_the_same_again() {
    let (_folder, mut window) = stepped_window();
    ask_why(&mut window);
    click(&mut window, "Climb 0.55 m");
    wait_for(&mut window, "the new answer", |window| faults(window).is_some_and(|faults| faults.is_empty()));
    window.run_steps(2);
    assert!(window.query_by_label("Why is there no path?").is_some());
    assert!(window.query_by_label_contains("There is a way").is_some());
}

#[test]
fn the_doctor_names_the_obstacle_that_closes_the_way() {
    let wall = "    obstacles:\n      - shape: {box: {base: [-4, 0, -4], size: [1, 1, 1], yaw_deg: 0}}\n      \
                - shape: {box: {base: [1, 0, 0], size: [1, 2, 12], yaw_deg: 0}}\n";
    let (_folder, mut window) = window_on("0.1", wall);
    ask_why(&mut window);
    assert_eq!(faults(&window), Some(vec![FaultKind::Barred]));
    assert!(window.query_all_by_label_contains("Obstacle 2 closes the way.").next().is_some());
}
