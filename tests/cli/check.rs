//! The command `check`: what it names of a scene.

use super::program::{json, out_file, walkabout};
use super::write_scene_of_two_islands;

#[test]
fn check_names_what_path_would_refuse() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("scene.acfg");
    let said = |text: &str| {
        std::fs::write(&scene, text).unwrap();
        let output = walkabout(&["check", scene.to_str().unwrap(), "--json"]);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let list = |key: &str| report["files"][0][key].to_string();
        assert_eq!(output.status.success(), list("errors") == "[]", "errors are told by the exit code, too");
        (list("errors"), list("warnings"))
    };
    let (errors, _) = said("version: 9.0\nwalkabout: {navigation: {mesh: {file: gone.navmesh}}}\n");
    assert!(errors.contains("mesh not loaded") && errors.contains("gone.navmesh"), "{errors}");
    let (errors, _) = said("version: 9.0\nwalkabout: {navigation: {mesh: baked}}\n");
    assert!(errors.contains("no level to make a mesh from"), "{errors}");
    let (errors, _) = said("version: 9.0\nlevels: [{level-name: a, level-file: gone.glb}]\n");
    assert!(errors.contains("gone.glb"), "{errors}");
    let (errors, warnings) = said("version: 9.0\nwalkabout: {sky-picture: gone.png}\n");
    assert!(errors == "[]" && warnings.contains("gone.png"), "{errors} {warnings}");
    let (errors, warnings) = said("version: 9.0\nwalkabout: {overlays: [paths, glow]}\n");
    assert!(errors == "[]" && warnings.contains("'glow'") && !warnings.contains("'paths'"), "{errors} {warnings}");
}

#[test]
fn a_faulty_behavior_hides_no_missing_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("scene.acfg");
    let text = "version: 9.0\nnode-trees:\n  - node-tree-name: idle\n    editor-settings: \"\"\n    nodes: \
                [{node-type: 3, node-id: 1}]\nwalkabout: {navigation: {mesh: {file: gone.navmesh}}}\n";
    std::fs::write(&scene, text).unwrap();
    let output = walkabout(&["check", scene.to_str().unwrap(), "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let errors = report["files"][0]["errors"].to_string();
    assert!(errors.contains("neither a root nor an event") && errors.contains("gone.navmesh"), "{errors}");
}

#[test]
fn check_names_targets_that_cannot_be_reached() {
    let scene = write_scene_of_two_islands(&out_file("cli-islands"));
    let report = json(&walkabout(&["check", scene.to_str().unwrap(), "--json"]));
    let warnings: Vec<&str> =
        report["files"][0]["warnings"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    assert_eq!(warnings.len(), 3, "{warnings:#?}");
    for (warning, (walker, target, why)) in warnings.iter().zip([
        ("instance 5 (ada.glb", "instance 2 (marker.glb", "no way connects"),
        ("instance 6 (ada.glb", "instance 3 (marker.glb", "target is not on walkable ground"),
        ("instance 7 (ada.glb", "instance 1 (marker.glb", "start is not on walkable ground"),
    ]) {
        for part in [walker, target, why] {
            assert!(warning.contains(part), "{warning:?} does not say {part:?}");
        }
    }
}

#[test]
fn check_names_what_motion_matching_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let (root, scene) = (env!("CARGO_MANIFEST_DIR"), folder.path().join("one.acfg"));
    let said = |file: &str, more: &str| {
        let text = format!(
            "version: 9.0\nmodels:\n  - model-name: one\n    model-file: {root}/assets/{file}\n    motion-matching: true\n{more}"
        );
        std::fs::write(&scene, text).unwrap();
        json(&walkabout(&["check", scene.to_str().unwrap(), "--json"]))["files"][0]["warnings"].to_string()
    };
    let legs = "    left-foot-ik-chain: [37, 36, 35]\n    right-foot-ik-chain: [41, 40, 39]\n    bone-numbers: nodes\n";
    let whole = said("people/ada.glb", legs);
    assert!(!whole.contains("motion matching"), "{whole}");
    assert!(said("people/ada.glb", "").contains("needs foot chains"));
    let without = said("people/ada.glb", &format!("{legs}    motion-matching-clips: [0, 99]\n"));
    assert!(without.contains("no clip 99 for motion matching"), "{without}");
    assert!(said("props/marker.glb", "").contains("by motion matching: the names of its nodes tell no human body"));
}

#[test]
fn check_names_what_edits_events_and_curves_lack() {
    let folder = tempfile::tempdir().unwrap();
    let (root, scene) = (env!("CARGO_MANIFEST_DIR"), folder.path().join("one.acfg"));
    let text = format!(
        "version: 9.0\nmodels:\n  - model-name: one\n    model-file: {root}/assets/people/ada.glb\n    clip-edits: [{{clip: 77, mirror: true}}]\n    \
         clip-events: [{{clip: 1, time: 0.5}}, {{clip: 98, time: 0}}, {{clip: 1, time: 60}}, {{clip: 0, time: 0, kind: sound}}, \
         {{clip: 0, time: 0, kind: sound, file: gone.ogg}}]\n    clip-curves: [{{clip: 99, morph: smile}}, {{clip: 0, morph: tail}}]\n"
    );
    std::fs::write(&scene, text).unwrap();
    let report = json(&walkabout(&["check", scene.to_str().unwrap(), "--json"]));
    let said = report["files"][0]["warnings"].as_array().unwrap();
    let parts = [
        "The sound \"gone.ogg\" is not there",
        "edits no clip 77",
        "no clip 98 for an event",
        "an event at 60 s never comes",
        "the sound at 0 s of clip 0 has no file",
        "no clip 99 for a curve",
        "no morph target \"tail\"",
    ];
    for part in parts {
        let count = said.iter().filter(|warning| warning.as_str().unwrap().contains(part)).count();
        assert_eq!(count, 1, "{part}: {said:?}");
    }
    assert_eq!(said.len(), parts.len(), "{said:?}");
}
