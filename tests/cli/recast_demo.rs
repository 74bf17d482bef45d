//! RecastDemo's scenes and test cases on the command line.

use super::program::{json, out_file, text, walkabout};
use std::fs;
use std::path::PathBuf;

/// A folder with a level, 20 m by 20 m, in its folder `Meshes`: flat, with a wall from the west that leaves 5 m.
fn yard(name: &str) -> PathBuf {
    let folder = out_file(name);
    fs::create_dir_all(folder.join("Meshes")).unwrap();
    let level = "v 0 0 0\nv 0 0 20\nv 20 0 20\nv 20 0 0\nv 0 0 10\nv 15 0 10\nv 15 3 10\nv 0 3 10\n\
        f 1 2 3\nf 1 3 4\nf 5 6 7\nf 5 7 8\n";
    fs::write(folder.join("Meshes/yard.obj"), level).unwrap();
    folder
}

const SET: &str = "f Meshes/yard.obj\n\
    s 0.3 0.2 2 0.6 0.9 45 8 20 12 1.3 6 6 1 0 0 0 0 0 0 0 0\n\
    c 2 0 8 2 0 12 0.6 1 5 8\n\
    v 4 4 -1 1\n15 0 0\n20 0 0\n20 0 3\n15 0 3\n";

#[test]
fn scenes_of_recast_demo_bake_convert_and_check() {
    let folder = yard("recast-demo-scene");
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    fs::write(at("yard.gset"), SET).unwrap();
    let path = |scene: &str, more: &[&str]| {
        let ask = ["path", scene, "--planner", "funnel", "--from", "1,0,8", "--to", "1,0,12", "--json"];
        json(&walkabout(&[&ask, more].concat()))["queries"][0].clone()
    };
    let found = path(&at("yard.gset"), &[]);
    assert!(found["length"].as_f64().unwrap() < 10.0 && found["links"][0].is_number(), "over the wall: {found}");
    let baked = json(&walkabout(&["bake", &at("yard.gset"), "--json"]));
    assert_eq!((&baked["links"], &baked["islands"]), (&1.into(), &1.into()), "{baked}");
    let areas = baked["settings"]["volumes"].as_array().unwrap();
    assert_eq!((areas.len(), &areas[0]["area"]), (1, &4.into()));
    // Converted, it is a scene like any other.
    assert!(walkabout(&["convert", &at("yard.gset"), &at("yard.acfg")]).status.success());
    let refused = walkabout(&["convert", &at("yard.gset"), &at("yard.navmesh")]);
    assert!(
        refused.status.code() == Some(2)
            && text(&refused.stderr).contains("`walkabout bake` makes its navigation mesh")
    );
    assert_eq!(path(&at("yard.acfg"), &[])["length"], found["length"]);
    let checked = walkabout(&["check", &at("yard.gset")]);
    assert!(checked.status.success() && text(&checked.stdout).contains("ok: "), "{}", text(&checked.stdout));
    // By its content, whatever its name.
    fs::write(at("yard.txt"), SET).unwrap();
    assert_eq!(path(&at("yard.txt"), &[])["length"], found["length"]);
    for (from, to, word) in [("v 4 4", "v 4 99", "line 4"), ("s 0.3", "s -0.3", "cell_size")] {
        fs::write(at("bad.gset"), SET.replace(from, to)).unwrap();
        let output = walkabout(&["bake", &at("bad.gset")]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains(word), "{}", text(&output.stderr));
    }
    fs::write(at("lost.gset"), "f nowhere.obj\n").unwrap();
    let output = walkabout(&["check", &at("lost.gset")]);
    assert!(text(&output.stdout).contains("nowhere.obj was found neither beside"), "{}", text(&output.stdout));
}

#[test]
fn test_cases_of_recast_demo_run() {
    let folder = yard("recast-demo-cases");
    let file = folder.join("cases.txt");
    let name = file.to_str().unwrap();
    let cases = "s Solo Mesh\nf yard.obj\npf 2 0 5  2 0 15  0x3 0x0\nrc 2 0 5  2 0 15  0xffef 0x10\nrc 18 0 5  18 0 15 0x1 0x0\n";
    fs::write(&file, cases).unwrap();
    let said = json(&walkabout(&["nav-test", name, "--json"]));
    let length = |i: usize| said["cases"][i]["length"].as_f64().unwrap();
    assert_eq!((&said["passed"], &said["failed"]), (&3.into(), &0.into()), "{said}");
    assert!(length(0) > 27.0 && length(0) < 32.0, "round the wall: {said}");
    assert!(length(1) > 3.0 && length(1) < 5.0 && said["cases"][1]["reason"].is_string(), "{said}");
    assert!((length(2) - 10.0).abs() < 0.1 && said["cases"][2]["reason"].is_null(), "{said}");
    // Nothing of the ground is water, and nothing is under the sky.
    fs::write(&file, format!("{cases}pf 2 0 5  2 0 15  0x2 0x0\npf 2 9 5  2 0 15  0x3 0x0\n")).unwrap();
    let output = walkabout(&["nav-test", name]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(printed.matches("the start is off the navigation mesh").count(), 2, "{printed}");
    assert!(printed.contains("ray 2: 4.") && printed.contains("a wall ends it"), "{printed}");
    // A ray begins on the ground, wherever over it its start lies.
    fs::write(&file, "s Solo Mesh\nf yard.obj\nrc 2 0 5  2 0 15  0xffef 0x10\nrc 2 3 5  2 3 15  0xffef 0x10\n")
        .unwrap();
    let said = json(&walkabout(&["nav-test", name, "--json"]));
    assert_eq!(said["cases"][0]["length"], said["cases"][1]["length"], "{said}");
    fs::write(&file, cases.replace("yard.obj", "nowhere.obj")).unwrap();
    let output = walkabout(&["nav-test", name]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("nowhere.obj was found neither beside"), "{}", text(&output.stderr));
}
