//! The navigation mesh compared with another one, or with itself as it was.

use super::*;
use walkabout::inspect::mesh_compare::DifferenceKind;

/// A mesh of eight squares in a row, without one of them.
fn row(without: u32) -> String {
    let vertices: Vec<[u32; 3]> = (0..9).flat_map(|x| [[x, 0, 0], [x, 0, 1]]).collect();
    let square = |i: u32| [2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1];
    let polygons: Vec<[u32; 4]> = (0..8).filter(|&i| i != without).map(square).collect();
    serde_json::json!({ "verts": vertices, "polys": polygons }).to_string()
}

/// A window on a scene whose mesh is seven of eight squares in a row; all are in another file.
fn yard() -> (tempfile::TempDir, Window) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("whole.json"), row(99)).unwrap();
    std::fs::write(folder.path().join("cut.json"), row(5)).unwrap();
    let path = folder.path().join("yard.acfg");
    let text =
        "version: 10.0\nwalkabout:\n  navigation: {mesh: {file: cut.json}}\ncameras:\n  - camera-name: FreeCam\n";
    std::fs::write(&path, text).unwrap();
    let mut window = window(Some(&path));
    wait_for(&mut window, "the mesh", |window| window.state().app.world().mesh().built().is_some());
    (folder, window)
}

fn kinds(window: &Window) -> Option<Vec<DifferenceKind>> {
    let compare = window.state().app.inspector().mesh_compare();
    let result = compare.result().filter(|_| !compare.is_busy())?;
    Some(result.unwrap().differences.iter().map(|difference| difference.kind).collect())
}

#[test]
fn a_mesh_compared_with_a_file_shows_what_a_change_did() {
    let (folder, mut window) = yard();
    press(&mut window, Modifiers::SHIFT, Key::F8);
    assert!(window.query_by_label("Keep this mesh").is_some());
    window.state_mut().app.compare_with(&folder.path().join("whole.json"));
    wait_for(&mut window, "the differences", |window| kinds(window).is_some());
    window.run_steps(3);
    let found = kinds(&window).unwrap();
    for kind in [DifferenceKind::Split, DifferenceKind::Impossible, DifferenceKind::Went] {
        assert!(found.contains(&kind), "{kind:?}: {found:?}");
    }
    assert!(found.is_sorted(), "{found:?}");
    assert!(
        window.query_by_label_contains("7 polygons are the same, 1 went, 0 came. 1.00 m² of ground are lost").is_some()
    );
    assert!(window.query_by_label_contains("An island fell into parts of 5.0 m², 2.0 m².").is_some());
    assert!(!window.state().app.is_dirty(), "it is no change of the scene");
    // By click and by key.
    let eye = |window: &Window| window.state().app.eye();
    let before = eye(&window);
    click(&mut window, "Island split");
    let selected = |window: &Window| window.state().app.inspector().mesh_compare().selected();
    assert!(selected(&window) == Some(0) && eye(&window) != before, "the camera goes there");
    press(&mut window, Modifiers::NONE, Key::PageDown);
    assert_eq!(selected(&window), Some(1));
    press(&mut window, Modifiers::NONE, Key::PageUp);
    press(&mut window, Modifiers::NONE, Key::PageUp);
    assert_eq!(selected(&window), Some(found.len() - 1));
    let colors = |window: &Window| window.state().app.shows_overlay(Layer::MeshDifferences);
    assert!(colors(&window));
    press(&mut window, Modifiers::SHIFT, Key::F8);
    assert!(!colors(&window), "the colours go with the panel");
    press(&mut window, Modifiers::SHIFT, Key::F8);
    assert!(colors(&window), "and come with it");
    click(&mut window, "Forget");
    assert_eq!(kinds(&window), None);
    // What cannot be read is said, and nothing else happens.
    window.state_mut().app.compare_with(&folder.path().join("nowhere.bin"));
    wait_for(&mut window, "an answer", |w| w.state().app.inspector().mesh_compare().result().is_some());
    window.run_steps(2);
    assert!(window.query_all_by_label_contains("there is no such file").next().is_some());
}

#[test]
fn a_mesh_that_is_kept_is_compared_with_what_becomes_of_it() {
    let (folder, mut window) = yard();
    press(&mut window, Modifiers::SHIFT, Key::F8);
    click(&mut window, "Keep this mesh");
    wait_for(&mut window, "the differences", |window| kinds(window).is_some());
    assert_eq!(kinds(&window), Some(Vec::new()), "it is the same as yet");
    window.state_mut().app.file_dropped(folder.path().join("whole.json"));
    wait_for(&mut window, "the differences", |window| kinds(window).is_some_and(|kinds| !kinds.is_empty()));
    window.run_steps(2);
    let found = kinds(&window).unwrap();
    assert!(found.contains(&DifferenceKind::Joined) && found.contains(&DifferenceKind::Possible), "{found:?}");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    wait_for(&mut window, "the mesh as it was", |window| kinds(window).is_some_and(|kinds| kinds.is_empty()));
}
