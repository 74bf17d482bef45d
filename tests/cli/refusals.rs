//! What the program says of slips of the pen, and of what a file does not have.

use super::program::{out_file, text, walkabout, write_corner_mesh};

#[test]
fn a_misspelt_command_is_called_so_whatever_follows() {
    for arguments in [&["rendr"][..], &["rendr", "--json"], &["rendr", "config/plaza.acfg", "--out", "x.png"]] {
        let refused = walkabout(arguments);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("rendr") && said.contains("command") && !said.contains("-- --json"), "{said}");
    }
}

#[test]
fn numbers_below_zero_are_named_by_their_options() {
    for arguments in [
        &["simulate", "config/arena.acfg", "--seed", "-1"][..],
        &["bake", "assets/levels/arena.obj", "--threads", "-1"],
        &["bake", "assets/levels/arena.obj", "--tile", "-8"],
        &["diff", "a.navmesh", "b.navmesh", "--max-polygons", "-1"],
        &["nav-query", "random", "a.navmesh", "--count", "-1"],
        &["bench", "config/arena.acfg", "--steps", "-1"],
    ] {
        let refused = walkabout(arguments);
        let (said, option) = (text(&refused.stderr), arguments[arguments.len() - 2]);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(&format!("for '{option}")) && !said.contains("use '--"), "{arguments:?}: {said}");
    }
}

#[test]
fn a_camera_that_a_scene_lacks_is_a_matter_of_the_scene() {
    let refused = walkabout(&["render", "config/courtyard.acfg", "--out", "x.png", "--camera", "nope"]);
    let said = text(&refused.stderr);
    let is_told = said.contains("no camera 'nope'. It has: ") && said.contains("courtyard.acfg");
    assert!(refused.status.code() == Some(1) && is_told, "{said}");
}

#[test]
fn pictures_larger_than_the_device_allows_are_refused_at_once() {
    let refused = walkabout(&["bench", "config/arena.acfg", "--gpu", "--size", "999999x9"]);
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && said.contains("larger than this device's limit"), "{said}");
    assert!(!said.contains("Validation Error"), "{said}");
}

#[test]
fn the_manual_goes_to_no_standard_output() {
    let refused = walkabout(&["man", "--out", "-"]);
    let said = text(&refused.stderr);
    assert!(refused.status.code() == Some(2) && said.contains("--out - is no folder"), "{said}");
}

#[test]
fn warnings_of_files_are_sentences_that_name_them_once() {
    let scene = out_file("cli-newer.acfg");
    let models = "models: [{model-name: a, model-file: gone.glb}]";
    std::fs::write(&scene, format!("version: 99\n{models}\n")).unwrap();
    let checked = walkabout(&["check", scene.to_str().unwrap()]);
    let said = text(&checked.stdout);
    let newer = said.lines().find(|line| line.contains("newer")).unwrap();
    assert!(newer.contains("not used. File: ") && newer.ends_with("cli-newer.acfg"), "{newer}");
    let gone = said.lines().find(|line| line.contains("gone.glb")).unwrap();
    assert!(gone.matches("File: ").count() == 1 && gone.contains(" In: "), "{gone}");
}

#[test]
fn a_level_of_a_sample_scene_is_not_too_large() {
    let checked = walkabout(&["check", "assets/levels/plaza.glb"]);
    assert_eq!(text(&checked.stdout).trim(), "ok: assets/levels/plaza.glb");
}

#[test]
fn a_model_is_no_scene_and_no_broken_one() {
    for model in ["assets/levels/plaza.glb", "assets/levels/arena.obj"] {
        for command in ["simulate", "bench"] {
            let refused = walkabout(&[command, model]);
            let said = text(&refused.stderr);
            let is_told = said.contains("a model or a level, no scene") && said.contains(model);
            assert!(refused.status.code() == Some(1) && is_told, "{command} {model}: {said}");
        }
    }
    let empty = out_file("cli-empty.acfg");
    std::fs::write(&empty, "").unwrap();
    let said = text(&walkabout(&["simulate", empty.to_str().unwrap()]).stderr);
    assert!(said.contains("add a line 'version: 10.0'"), "{said}");
}

#[test]
fn the_rows_of_a_benchmark_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("yard.map");
    std::fs::write(&map, "type octile\nheight 1\nwidth 3\nmap\n...\n").unwrap();
    std::fs::write(map.with_extension("scen"), "version 1\n0\tyard.map\t3\t1\t0\t0\t2\t0\t2\n").unwrap();
    let rows = folder.path().join("rows.csv");
    let measured = walkabout(&["bench", "--paths", folder.path().to_str().unwrap(), "--csv", rows.to_str().unwrap()]);
    let said = text(&measured.stdout);
    assert!(measured.status.success() && said.contains("rows.csv: 1 map"), "{said}{}", text(&measured.stderr));
    assert!(std::fs::read_to_string(&rows).unwrap().starts_with("map,polygons"));
}

#[test]
fn what_a_conversion_reports_is_what_was_read() {
    let (mesh, out) = (write_corner_mesh("cli-counted.mesh.json"), out_file("cli-counted.obj"));
    let converted = walkabout(&["convert", &mesh, out.to_str().unwrap()]);
    let said = text(&converted.stdout);
    assert!(said.contains("cli-counted.obj: read from ") && said.contains("3 polygons, 1 island"), "{said}");
}

#[test]
fn the_example_of_overlays_shows_them() {
    let help = text(&walkabout(&["render", "--help"]).stdout);
    let example = help.lines().find(|line| line.contains("--overlay paths")).unwrap();
    let out = out_file("cli-example.png");
    let words = example.split_whitespace().skip(1);
    let words: Vec<&str> = words.map(|word| if word == "yard.png" { out.to_str().unwrap() } else { word }).collect();
    let drawn = walkabout(&words);
    let said = text(&drawn.stderr);
    assert!(drawn.status.success() && !said.contains("shows nothing"), "{words:?}: {said}");
}
