//! The command `diff`.

use super::program::{json, out_file, text, walkabout};
use serde_json::{Value, json as value};

/// A field of four by four squares of two metres, without those in `holes`, whose polygons come in `order`.
fn field(name: &str, holes: &[u32], order: impl Fn(u32) -> u32) -> String {
    let vertices: Vec<[u32; 3]> = (0..25).map(|i| [i % 5 * 2, 0, i / 5 * 2]).collect();
    let cells = (0..16).map(order).filter(|i| !holes.contains(i));
    let polygons: Vec<[u32; 4]> = cells.map(|i| i % 4 + i / 4 * 5).map(|v| [v, v + 1, v + 6, v + 5]).collect();
    let file = out_file(name);
    std::fs::write(&file, value!({ "verts": vertices, "polys": polygons }).to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

fn count(list: &Value) -> usize {
    list.as_array().unwrap().len()
}

#[test]
fn equal_meshes_differ_in_nothing_whatever_their_order() {
    let (a, b) = (field("diff-a.json", &[], |i| i), field("diff-b.json", &[], |i| 15 - i));
    let said = json(&walkabout(&[
        "diff",
        &a,
        &b,
        "--json",
        "--max-polygons",
        "0",
        "--max-lost",
        "0",
        "--max-gained",
        "0",
        "--max-islands",
        "0",
        "--max-impossible",
        "0",
        "--max-longer",
        "0",
        "--max-shorter",
        "0",
    ]));
    assert_eq!((&said["same"], count(&said["went"]), count(&said["came"])), (&16.into(), 0, 0), "{said}");
    assert_eq!((&said["paths"]["tried"], &said["paths"]["same"]), (&200.into(), &200.into()), "{said}");
}

#[test]
fn files_with_other_axes_and_units_are_compared_in_metres() {
    let (a, b) = (out_file("diff-a.obj"), out_file("diff-b.obj"));
    // A floor in centimetres with z up, once of one square and once of two.
    let begin = "v 0 0 0\nv 400 0 0\nv 400 400 0\nv 0 400 0\nv 800 0 0\nv 800 400 0\nf 1 2 3 4\n";
    std::fs::write(&a, begin).unwrap();
    std::fs::write(&b, format!("{begin}f 2 5 6 3\n")).unwrap();
    let files = [a.to_str().unwrap(), b.to_str().unwrap()];
    let common = [&["diff"], &files[..], &["--as-mesh", "--axes", "x,z,-y", "--scale", "0.01", "--json"]].concat();
    let said = json(&walkabout(&common));
    assert_eq!((&said["same"], count(&said["came"])), (&1.into(), 1), "{said}");
    assert!((said["gained_m2"].as_f64().unwrap() - 16.0).abs() < 1e-3, "{said}");
    // The polygons of a file that is a model by itself are checked as a mesh: a triangle that stands on edge is none.
    let checked = [&["check"], &files[..], &["--as-mesh", "--axes", "x,z,-y"]].concat();
    assert_eq!(walkabout(&checked).status.code(), Some(0));
    assert_eq!(walkabout(&[&["check"], &files[..], &["--as-mesh"]].concat()).status.code(), Some(1));
    let picture = out_file("diff.png");
    let scene = ["render", "config/courtyard.acfg", "--axes", "x,z,-y", "--out", picture.to_str().unwrap()];
    for command in [&scene[..], &["check", "config/courtyard.acfg", "--scale", "2"]] {
        let refused = walkabout(command);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(text(&refused.stderr).contains("for navigation meshes"), "{refused:?}");
    }
}

#[test]
fn a_wall_splits_an_island_and_ends_paths() {
    let whole = field("diff-whole.json", &[], |i| i);
    let gate = field("diff-gate.json", &[4, 5, 6], |i| i);
    let split = field("diff-split.json", &[4, 5, 6, 7], |i| i);
    let said = json(&walkabout(&["diff", &whole, &split, "--json"]));
    assert_eq!((count(&said["went"]), &said["lost_m2"], &said["gained_m2"]), (4, &16.0.into(), &0.0.into()), "{said}");
    let parts = &said["islands"]["split"][0];
    assert_eq!((count(parts), &parts[0]["area_m2"], &parts[1]["area_m2"]), (2, &32.0.into(), &16.0.into()), "{said}");
    let changed = said["paths"]["changed"].as_array().unwrap();
    assert!(changed.iter().any(|path| path["fate"] == "impossible" && path["reason"].is_string()), "{said}");
    // The other way round, what was split is joined.
    let back = json(&walkabout(&["diff", &split, &whole, "--json"]));
    assert_eq!((count(&back["islands"]["joined"]), count(&back["islands"]["split"])), (1, 0), "{back}");
    let longer = json(&walkabout(&["diff", &whole, &gate, "--json"]));
    let longest = &longer["paths"]["changed"][0];
    assert!(longer["paths"]["changed"].as_array().unwrap().iter().any(|p| p["fate"] == "longer"), "{longest}");
    assert_eq!(longer["islands"]["split"], value!([]));
}

#[test]
fn past_a_limit_the_exit_code_is_1_and_says_which() {
    let whole = field("diff-limit-a.json", &[], |i| i);
    let gate = field("diff-limit-b.json", &[4, 5, 6], |i| i);
    let pairs = out_file("diff-pairs.json");
    std::fs::write(&pairs, r#"[{"from": [1, 0, 1], "to": [1, 0, 7]}]"#).unwrap();
    let run = |more: &[&str]| {
        let ask = ["diff", &whole, &gate, "--pairs", pairs.to_str().unwrap()];
        let output = walkabout(&[&ask, more].concat());
        (output.status.code(), text(&output.stdout))
    };
    let (code, said) = run(&[]);
    assert!(code == Some(0) && said.contains("1 paths tried: 0 the same, 1 longer"), "{said}");
    assert!(said.contains("6.00 m became"), "{said}");
    assert_eq!(run(&["--max-longer", "1000", "--max-lost", "12.5", "--max-impossible", "0"]).0, Some(0));
    let (code, said) = run(&["--max-longer", "10", "--max-lost", "1"]);
    assert_eq!((code, said.matches("FAIL").count()), (Some(1), 2), "{said}");
    assert!(said.contains("12 square metres of ground are lost, 1 may"), "{said}");
    for random in ["--samples", "--seed"] {
        let (code, _) = run(&[random, "7"]);
        assert_eq!(code, Some(2), "{random} says nothing where the pairs are given");
    }
    for wrong in [&["--planner", "centers"][..], &["--bake", "--agent-radius", "0.2"]] {
        let (code, said) = run(wrong);
        assert_eq!(code, Some(2), "{wrong:?}: {said}");
    }
}

#[test]
fn levels_are_baked_for_the_agents_that_are_given() {
    // Two floors, and a passage of 0.8 m between them.
    let level = |name: &str, width: f32| {
        let half = width / 2.0;
        let quads = [[0.0, 0.0, 8.0, 8.0], [8.0, 4.0 - half, 10.0, 4.0 + half], [10.0, 0.0, 18.0, 8.0]];
        let corner = |[x, z]: [f32; 2]| format!("v {x} 0 {z}\n");
        let corners: String =
            quads.iter().flat_map(|&[a, b, c, d]| [[a, b], [a, d], [c, d], [c, b]]).map(corner).collect();
        let file = out_file(name);
        std::fs::write(&file, corners + "f 1 2 3 4\nf 5 6 7 8\nf 9 10 11 12\n").unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (wide, narrow) = (level("diff-wide.obj", 2.4), level("diff-narrow.obj", 0.8));
    let run = |more: &[&str]| {
        let ask = ["diff", &wide, &narrow, "--bake", "--max-islands", "0"];
        walkabout(&[&ask, more].concat())
    };
    assert_eq!(run(&[]).status.code(), Some(1), "agents of 0.6 m do not get over");
    let thin = run(&["--agent-radius", "0.2", "--cell-size", "0.1", "--agent-climb", "0.4", "--slope", "40"]);
    assert_eq!(thin.status.code(), Some(0), "{}", text(&thin.stdout));
    let unbaked = walkabout(&["diff", &wide, &narrow, "--agent-radius", "0.2"]);
    assert_eq!(unbaked.status.code(), Some(2), "{}", text(&unbaked.stderr));
}
