//! The command `path`: planners, areas, threats, links, files of pairs.

use super::program::{json, out_file, path_json, text, walkabout, write_corner_mesh};

#[test]
fn every_planner_finds_its_way_round_a_corner() {
    let mesh = write_corner_mesh("corner.mesh.json");
    let ask = |more: &[&str]| {
        let ends = ["path", &mesh, "--from", "0.5,0,1.5", "--to", "2.5,0,3.5", "--json"];
        path_json(&walkabout(&[&ends, more].concat()))
    };
    let shortest = 2.0 * (1.5_f64 * 1.5 + 0.5 * 0.5).sqrt();
    for planner in ["edge-midpoints", "funnel", "exact", "exact-index", "tactical"] {
        let report = ask(&["--planner", planner]);
        let query = &report["queries"][0];
        let length = query["length_2d"].as_f64().unwrap();
        assert!(query["reason"].is_null() && length >= shortest - 1e-4, "{planner}: {query}");
        // Two planners go from edge to edge; the others pull their line tight.
        let loose = ["edge-midpoints", "tactical"].contains(&planner);
        assert!(length <= shortest + if loose { 3.0 } else { 1e-4 }, "{planner}: {query}");
        assert_eq!(query["polygons"], serde_json::json!([0, 1, 2]), "{planner}");
    }
    let moved = ask(&["--planner", "exact", "--offset", "5000,0,-5000"]);
    assert!(moved["queries"][0]["reason"].as_str().is_some_and(|r| r.contains("off the mesh")));
    let wide = ask(&["--radius", "0.4"]);
    assert!(wide["queries"][0]["length_2d"].as_f64().unwrap() > shortest + 0.05, "no room is kept");
    let exact = ask(&["--radius", "0.4", "--planner", "exact"]);
    let length = |report: &serde_json::Value| report["queries"][0]["length_2d"].as_f64().unwrap();
    // Two tangents of a circle around the corner, which start and end see under this angle, and the arc between them.
    let (far, radius) = (shortest / 2.0, f64::from(0.4_f32));
    let angle = 2.0 * std::f64::consts::PI - (-1.5 / (far * far)).acos();
    let expected = 2.0 * (far * far - radius * radius).sqrt() + radius * (angle - 2.0 * (radius / far).acos());
    assert!((length(&exact) - expected).abs() < 1e-5, "{exact}, not {expected}");
    assert!(length(&exact) <= length(&wide) + 1e-3, "{exact} for {wide}");
    let tight = ask(&["--radius", "1.5"]);
    assert!(!tight["queries"][0]["reason"].is_null(), "too wide for the corridor");
    let barred = ask(&["--filter", "1/2"]);
    assert_eq!(barred["queries"][0]["polygons"], serde_json::json!([0, 1]), "the last polygon is left out");
}

/// Three by three cells of two metres; the one in the middle is area 7.
fn write_field(name: &str) -> String {
    let vertices: Vec<[u32; 3]> = (0..16).map(|i| [i % 4 * 2, 0, i / 4 * 2]).collect();
    let polygons: Vec<[u32; 4]> = (0..9).map(|i| i % 3 + i / 3 * 4).map(|v| [v, v + 1, v + 5, v + 4]).collect();
    let mesh = serde_json::json!({"verts": vertices, "polys": polygons, "areas": [0, 0, 0, 0, 7, 0, 0, 0, 0]});
    let file = out_file(name);
    std::fs::write(&file, mesh.to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn d_06_tp_11_area_costs_and_marks_from_options_or_scene() {
    let mesh = write_field("field.mesh.json");
    let scene = out_file("field.acfg");
    let say = |more: &str| {
        let text = format!("walkabout: {{navigation: {{mesh: {{file: {mesh:?}}}{more}}}}}\nversion: 10.0\n");
        std::fs::write(&scene, text).unwrap();
    };
    let ask = |input: &str, planner: &str, more: &[&str]| {
        let ends = ["path", input, "--planner", planner, "--from", "1,0,3", "--to", "5,0,3", "--json"];
        let query = json(&walkabout(&[&ends, more].concat()))["queries"][0].clone();
        let length = query["length"].as_f64().unwrap();
        assert!(query["reason"].is_null() && ((length - 4.0).abs() < 1e-3 || length > 4.5), "{planner}: {query}");
        length > 4.5
    };
    let goes_round = |planner: &str, more: &[&str]| ask(&mesh, planner, more);
    for planner in ["edge-midpoints", "funnel", "tactical"] {
        assert!(!goes_round(planner, &[]), "{planner}");
        assert!(goes_round(planner, &["--area-cost", "7=9"]), "{planner}");
        assert!(!goes_round(planner, &["--area-cost", "6=9"]), "{planner}");
    }
    assert!(goes_round("tactical", &["--area-marks", "7=slow,vulnerable", "--weight", "slow=9"]));
    assert!(!goes_round("tactical", &["--area-marks", "7=slow", "--weight", "slow=1"]));
    assert!(!goes_round("funnel", &["--area-marks", "7=slow", "--weight", "slow=9"]), "marks are for the tactical one");
    assert!(goes_round("tactical", &["--area-marks", "7=amphibious"]));
    assert!(!goes_round("tactical", &["--area-marks", "7=amphibious", "--weight", "amphibious=1"]));
    let scene_path = scene.to_str().unwrap().to_owned();
    let in_scene = |planner: &str, more: &[&str]| ask(&scene_path, planner, more);
    say("");
    assert!(!in_scene("funnel", &[]));
    say(", areas: [{area: 7, cost: 9}]");
    assert!(in_scene("funnel", &[]) && in_scene("tactical", &[]));
    assert!(!in_scene("funnel", &["--area-cost", "7=1"]), "what is typed counts");
    say(", areas: [{area: 7, marks: [slow]}], weights: {slow: 9}");
    assert!(in_scene("tactical", &[]) && !in_scene("funnel", &[]));
    assert!(!in_scene("tactical", &["--area-marks", "7="]), "no marks are typed");
    say(", obstacles: [{shape: {box: {base: [3, 0, 3], size: [0.5, 2, 0.5], yaw_deg: 0}}}]");
    let around =
        json(&walkabout(&["path", &scene_path, "--planner", "exact", "--from", "1,0,3", "--to", "5,0,3", "--json"]));
    assert!(around["queries"][0]["length"].as_f64().unwrap() > 4.01, "a scene's obstacles are in the way: {around}");
}

#[test]
fn what_is_typed_about_areas_is_checked() {
    let mesh = write_field("field_checked.mesh.json");
    for (option, value, word) in [
        ("--area-cost", "7", "AREA=VALUE"),
        ("--area-cost", "64=2", "0 to 63"),
        ("--area-cost", "7=dear", "number"),
        ("--area-cost", "7=0.5", "cost of an area"),
        ("--area-cost", "7=nan", "cost of an area"),
        ("--area-marks", "7=wet", "amphibious"),
        ("--weight", "slow=0.1", "slow"),
        ("--weight", "wet=2", "concealment"),
    ] {
        let output = walkabout(&["path", &mesh, "--from", "1,0,3", "--to", "5,0,3", option, value]);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(word), "{option} {value}: {said}");
    }
    let said = text(&walkabout(&["path", &mesh, "--from", "1,0,3", "--to", "5,0,3", "--bias", "nan"]).stderr);
    assert!(said.contains("bias") && !said.contains("--area-cost"), "no option is named that was not typed: {said}");
}

#[test]
fn options_of_meshes_are_refused_over_triangles() {
    let level = "assets/levels/arena.obj";
    let ends = ["path", level, "--planner", "centers", "--from", "-10,0,-10", "--to", "10,0,10"];
    for more in [
        &["--offset", "1,0,0"][..],
        &["--radius", "0.4"],
        &["--filter", "1"],
        &["--smooth", "arcs"],
        &["--area-cost", "7=2"],
        &["--along-surface"],
        &["--enemy", "0,0,0"],
        &["--index", "none.index"],
    ] {
        let refused = walkabout(&[&ends, more].concat());
        let said = text(&refused.stderr);
        assert!(refused.status.code() == Some(2) && said.contains(more[0]), "{more:?}: {said}");
    }
    let usual = walkabout(&[&ends[..], &["--offset", "0,0,0", "--radius", "0"]].concat());
    assert_eq!(usual.status.code(), Some(0), "{}", text(&usual.stderr));
}

#[test]
fn options_of_other_planners_are_refused_on_meshes() {
    let mesh = write_field("field_of_planners.mesh.json");
    let ends = ["path", &mesh, "--from", "1,0,3", "--to", "5,0,3", "--planner"];
    let refused: [(&str, &[&str]); 9] = [
        ("funnel", &["--search", "dijkstra"]),
        ("funnel", &["--along-surface"]),
        ("tactical", &["--heuristic", "manhattan"]),
        ("exact", &["--heights"]),
        ("exact", &["--ducked"]),
        ("funnel", &["--bias", "2"]),
        ("edge-midpoints", &["--excessive-ratio", "9"]),
        ("funnel", &["--enemy", "0,0,0"]),
        ("exact", &["--index", "none.index"]),
    ];
    for (planner, more) in refused {
        let output = walkabout(&[&ends[..], &[planner], more].concat());
        let said = text(&output.stderr);
        let names_all = said.contains(more[0]) && said.contains(&format!("not for '{planner}'"));
        assert!(output.status.code() == Some(2) && names_all, "{planner} {more:?}: {said}");
    }
    let said = text(&walkabout(&[&ends[..], &["exact", "--smooth", "arcs"]].concat()).stderr);
    assert!(said.contains("--smooth") && said.contains("give --json, too"), "{said}");
}

#[test]
fn the_levels_of_a_scene_keep_their_sizes() {
    let scene = "config/courtyard.acfg";
    let ends = ["--from", "0,0,0", "--to", "1,0,0"];
    for command in [
        vec!["ground", scene],
        [&["path", scene], &ends[..]].concat(),
        [&["path", scene, "--planner", "centers"], &ends[..]].concat(),
    ] {
        let refused = walkabout(&[&command[..], &["--scale", "2"]].concat());
        let said = text(&refused.stderr);
        assert!(refused.status.code() == Some(2) && said.contains("--scale is for levels"), "{command:?}: {said}");
    }
}

#[test]
fn queries_of_a_file_that_cannot_be_asked_are_named() {
    let (mesh, pairs) = (write_corner_mesh("cli-asked.mesh.json"), out_file("cli-asked-pairs.json"));
    let points = "{\"start\": [1, 0, 1], \"end\": [3, 0, 3]}";
    std::fs::write(&pairs, format!("[{points}, {{\"start\": 7, \"target\": [3, 0, 3]}}]")).unwrap();
    let file = pairs.to_str().unwrap();
    for command in [vec!["path", &mesh], vec!["diff", &mesh, &mesh]] {
        let refused = walkabout(&[&command[..], &["--pairs", file]].concat());
        let said = text(&refused.stderr);
        let is_told = said.contains("query 2 names triangle 7 of a level; give points") && said.contains(file);
        assert!(refused.status.code() == Some(1) && is_told, "{command:?}: {said}");
    }
    std::fs::write(&pairs, "[{\"start\": 7000, \"target\": 0}]").unwrap();
    let refused = walkabout(&["path", "assets/levels/arena.obj", "--pairs", file]);
    let said = text(&refused.stderr);
    assert!(
        said.contains("query 1 names triangle 7000; the level's triangles are 0 to") && said.contains(file),
        "{said}"
    );
}

#[test]
fn tp_10_a_tactical_search_that_strays_is_called_so() {
    let mesh = write_corner_mesh("strays.mesh.json");
    let ends = ["path", &mesh, "--from", "0.5,0,1.5", "--to", "2.5,0,3.5", "--planner"];
    let ask = |more: &[&str]| walkabout(&[&ends, more].concat());
    let query = |more: &[&str]| json(&ask(&[more, &["--json"]].concat()))["queries"][0].clone();
    let usual = query(&["tactical"]);
    let ratio = usual["expanded_ratio"].as_f64().unwrap();
    assert!(ratio > 0.0 && ratio < 40.0 && usual["excessive"] == false, "{usual}");
    let strict = query(&["tactical", "--excessive-ratio", &(ratio * 0.9).to_string()]);
    assert!(strict["excessive"] == true && strict["points"] == usual["points"], "{strict}");
    let lines = |more: &[&str]| String::from_utf8(ask(more).stdout).unwrap();
    assert!(lines(&["tactical", "--excessive-ratio", "0"]).contains("warning: the search expanded"));
    assert!(!lines(&["tactical"]).contains("warning"));
    assert!(query(&["funnel"]).get("excessive").is_none());
    assert_eq!(ask(&["tactical", "--excessive-ratio", "NaN"]).status.code(), Some(2));
}

#[test]
fn searches_of_triangles_are_compared() {
    let level = "assets/levels/arena.obj";
    let ends = ["path", level, "--planner", "centers", "--from", "-10,0,-10", "--to", "10,0,10", "--json"];
    let ask = |more: &[&str]| json(&walkabout(&[&ends, more].concat()))["queries"][0].clone();
    let number = |query: &serde_json::Value, key: &str| query[key].as_f64().unwrap();
    let (usual, blind) = (ask(&[]), ask(&["--search", "dijkstra"]));
    assert!((number(&usual, "length") - number(&blind, "length")).abs() < 1e-3, "{usual}");
    assert!(number(&blind, "expanded") > number(&usual, "expanded"));
    let fewest = ask(&["--search", "breadth-first"]);
    assert!(fewest["triangles"].as_array().unwrap().len() <= usual["triangles"].as_array().unwrap().len());
    for more in [["--search", "greedy"], ["--search", "depth-first"], ["--heuristic", "manhattan"]] {
        assert!(number(&ask(&more), "length") >= number(&usual, "length") - 1e-3, "{more:?}");
    }
    let refused = walkabout(&[&ends[..], &["--search", "quick"]].concat());
    assert!(text(&refused.stderr).contains("breadth-first"), "{}", text(&refused.stderr));
}

#[test]
fn e_1_paths_are_printed_as_arcs_and_splines() {
    let mesh = write_corner_mesh("smooth.mesh.json");
    let ends = ["path", &mesh, "--planner", "exact", "--from", "0.5,0,1.5", "--to", "2.5,0,3.5", "--json"];
    let ask = |more: &[&str]| walkabout(&[&ends, more].concat());
    let plain = json(&ask(&[]))["queries"][0].clone();
    assert!(plain["smooth"].is_null() && plain["points"].as_array().unwrap().len() == 3);
    for kind in ["arcs", "spline"] {
        let query = json(&ask(&["--smooth", kind, "--smooth-by", "0.2"]))["queries"][0].clone();
        assert_eq!(query["points"], plain["points"], "{kind}");
        let line = query["smooth"].as_array().unwrap();
        assert!(line.len() > 5, "{kind}: {line:?}");
        assert_eq!(
            (&line[0], line.last()),
            (&plain["points"][0], plain["points"].as_array().unwrap().last()),
            "{kind}"
        );
    }
    let wrong = ask(&["--smooth", "spline", "--smooth-by", "0"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("--smooth-by 0 must be more than 0"));
}

#[test]
fn tp_16_galleries_hide_from_below_where_heights_count() {
    // A hall of ten by ten metres, and a gallery three metres over all of it.
    let floor = |y: u32| [[0, y, 0], [10, y, 0], [10, y, 10], [0, y, 10]];
    let vertices = [floor(0), floor(3)].concat();
    let mesh = serde_json::json!({"verts": vertices, "polys": [[0, 1, 2, 3], [4, 5, 6, 7]]});
    let file = out_file("gallery.mesh.json");
    std::fs::write(&file, mesh.to_string()).unwrap();
    let mesh = file.to_str().unwrap().to_owned();
    let scene = out_file("gallery.acfg");
    let text = format!(
        "walkabout: {{navigation: {{mesh: {{file: {mesh:?}}}, threats: [[5, 0, 2]], sight: {{heights: true}}}}}}\nversion: 9.0\n"
    );
    std::fs::write(&scene, text).unwrap();
    let ask = |input: &str, height: &str, more: &[&str]| {
        let (from, to) = (format!("1,{height},5"), format!("9,{height},5"));
        let ends = ["path", input, "--planner", "tactical", "--from", &from, "--to", &to, "--json"];
        json(&walkabout(&[&ends, more].concat()))["queries"][0]["exposed_length"].as_f64().unwrap()
    };
    let enemy = ["--enemy", "5,0,2"];
    let with_heights = ["--enemy", "5,0,2", "--heights"];
    assert!(ask(&mesh, "3", &enemy) > 7.9, "from above nothing is in between");
    assert!(ask(&mesh, "3", &with_heights) < 1e-3, "the gallery's floor is");
    assert!(ask(&mesh, "0", &with_heights) > 7.9, "on his own floor he sees all");
    assert!(ask(scene.to_str().unwrap(), "3", &[]) < 1e-3, "a scene says so itself");
    assert!(ask(scene.to_str().unwrap(), "0", &[]) > 7.9);
    assert!(ask(scene.to_str().unwrap(), "5003", &["--offset", "0,5000,0"]) < 1e-3, "enemies move with their mesh");
}

/// Two strips with a chasm between them, which a link with flag 2 leads over at x = 3.5, and another back at x = 0.5.
fn write_chasm(name: &str) -> String {
    use walkabout::nav::mesh::off_mesh::{LinkKind, PlacedLink};
    use walkabout::nav::mesh::{MeshFile, RawMesh, RawPolygon};
    let rows = [0.0, 2.0, 3.0, 5.0];
    let vertices = rows.iter().flat_map(|&z| [glam::DVec3::new(0.0, 0.0, z), glam::DVec3::new(4.0, 0.0, z)]).collect();
    let polygons = vec![RawPolygon::new([0, 1, 3, 2]), RawPolygon::new([4, 5, 7, 6])];
    let link = |x: f64, from: f64, to: f64, flags: u16| PlacedLink {
        start: glam::DVec3::new(x, 0.0, from),
        end: glam::DVec3::new(x, 0.0, to),
        kind: LinkKind::Jump,
        both_ways: false,
        reach: 0.2,
        area: 0,
        flags,
    };
    let links = vec![link(3.5, 1.9, 3.1, 2), link(0.5, 3.1, 1.9, 1)];
    let file = out_file(name);
    MeshFile { mesh: RawMesh { vertices, polygons }, detail: None, links, values: None }.save(&file).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn d_05_n_07_paths_take_links_that_the_filter_passes() {
    let mesh = write_chasm("chasm.navmesh");
    let ask = |ends: [&str; 2], more: &[&str]| {
        let ends = ["path", &mesh, "--from", ends[0], "--to", ends[1], "--json"];
        path_json(&walkabout(&[&ends, more].concat()))["queries"][0].clone()
    };
    let over = ["0.5,0,1", "0.5,0,4"];
    for planner in ["edge-midpoints", "funnel", "exact", "exact-index", "tactical"] {
        let there = ask(over, &["--planner", planner]);
        assert!(there["reason"].is_null(), "{planner}: {there}");
        assert_eq!(there["links"].as_array().map(Vec::len), Some(1), "{planner}: {there}");
        let at = there["links"][0].as_u64().unwrap() as usize;
        let z = |i: usize| there["points"][i][2].as_f64().unwrap();
        assert!((z(at) - 1.9).abs() < 1e-3 && (z(at + 1) - 3.1).abs() < 1e-3, "{planner}: {there}");
        assert_eq!(there["polygons"], serde_json::json!([0, 1]), "{planner}");
        let length = 2.0 * (3.0_f64.powi(2) + 0.9 * 0.9).sqrt() + 1.2;
        assert!((there["length_2d"].as_f64().unwrap() - length).abs() < 1.5, "{planner}: {there}");
        let back = ask([over[1], over[0]], &["--planner", planner]);
        assert!((back["length_2d"].as_f64().unwrap() - 3.0).abs() < 1e-3, "{planner}: {back}");
        let barred = ask(over, &["--planner", planner, "--filter", "1/2"]);
        assert!(barred["reason"].is_string() && barred["links"] == serde_json::json!([]), "{planner}: {barred}");
    }
}

#[test]
fn levels_whose_flat_triangles_face_down_are_told() {
    let level = out_file("down.obj");
    // A square that faces down, and a steep pyramid whose base does.
    for faces in ["f 1 2 3 4\n", "f 1 2 3 4\nf 2 1 5\nf 3 2 5\nf 4 3 5\nf 1 4 5\n"] {
        std::fs::write(&level, format!("v 0 0 0\nv 4 0 0\nv 4 0 4\nv 0 0 4\nv 2 9 2\n{faces}")).unwrap();
        let file = level.to_str().unwrap();
        let refused = walkabout(&["path", file, "--from", "1,0,1", "--to", "3,0,3", "--slope", "45"]);
        let error = text(&refused.stderr);
        let says = ["16.0 m² of such face down", "recalculate normals", "larger --slope"];
        assert!(refused.status.code() == Some(1) && says.iter().all(|part| error.contains(part)), "{faces}: {error}");
    }
}

#[test]
fn pairs_files_move_with_their_mesh() {
    let mesh = write_corner_mesh("moved.mesh.json");
    let pairs = out_file("moved.pairs.json");
    let text = r#"[{"start": [0.5,0,1.5], "end": [2.5,0,3.5], "start_poly": 0, "end_poly": 2, "more": 1}]"#;
    std::fs::write(&pairs, text).unwrap();
    let ask = |offset: &str| {
        let pairs = pairs.to_str().unwrap();
        json(&walkabout(&["path", &mesh, "--planner", "exact", "--pairs", pairs, "--offset", offset, "--json"]))
    };
    let lengths = ["0,0,0", "50000,0,-50000"].map(|o| ask(o)["queries"][0]["length_2d"].as_f64().unwrap());
    assert!((lengths[0] - lengths[1]).abs() < 1e-5, "{lengths:?}");
    assert_eq!(ask("50000,0,-50000")["queries"][0]["points"][1], serde_json::json!([50002.0, 0.0, -49998.0]));
    // What is wrong with a pair is said in the words of the file.
    std::fs::write(&pairs, r#"[{"start": [0, 0, 0], "end": [1, 0]}]"#).unwrap();
    let error = super::program::text(&walkabout(&["path", &mesh, "--pairs", pairs.to_str().unwrap()]).stderr);
    assert!(error.contains("moved.pairs.json") && error.contains("neither a point [x, y, z]"), "{error}");
}

#[test]
fn queries_off_the_mesh_make_no_planner_faster() {
    let (mesh, pairs) = (write_corner_mesh("timed.mesh.json"), out_file("timed.pairs.json"));
    std::fs::write(&pairs, r#"[{"from": [0.5,0,1.5], "to": [2.5,0,3.5]}, {"from": [900,0,0], "to": [1,0,1]}]"#)
        .unwrap();
    let said = json(&walkabout(&["path", &mesh, "--pairs", pairs.to_str().unwrap(), "--json"]));
    let asked = &said["queries"][0]["micros"];
    assert!(said["queries"][1]["reason"].is_string() && said["found"] == 1, "{said}");
    assert_eq!((&said["mean_us"], &said["p50_us"], &said["p99_us"]), (asked, asked, asked), "{said}");
}

#[test]
fn an_index_is_saved_and_read_for_its_own_mesh_alone() {
    let (mesh, file) = (write_corner_mesh("indexed_corner.json"), out_file("corner.index"));
    let index = file.to_str().unwrap().to_owned();
    let built = walkabout(&["index", &mesh, "--out", &index]);
    assert_eq!(built.status.code(), Some(0), "{}", text(&built.stderr));
    assert!(text(&built.stdout).contains("corner.index: 1 corners"), "{}", text(&built.stdout));
    let ask = |extra: &[&str]| {
        let ends = ["path", &mesh, "--from", "0.5,0,1.5", "--to", "2.5,0,3.5", "--json"];
        walkabout(&[&ends[..], extra].concat())
    };
    let (read, searched) = (ask(&["--planner", "exact-index", "--index", &index]), ask(&["--planner", "exact"]));
    assert_eq!(json(&read)["queries"][0]["points"], json(&searched)["queries"][0]["points"]);
    assert_eq!(json(&read)["found"], 1, "{}", text(&read.stderr));
    let other = ask(&["--planner", "exact", "--index", &index]);
    assert_eq!(other.status.code(), Some(2));
    std::fs::write(&index, b"WALKIDX").unwrap();
    let damaged = ask(&["--planner", "exact-index", "--index", &index]);
    assert_eq!(damaged.status.code(), Some(1));
    let said = text(&damaged.stderr);
    assert!(said.contains("corner.index") && said.contains("walkabout index"), "{said}");
    let small = walkabout(&["index", &mesh, "--mb", "0"]);
    assert_eq!(small.status.code(), Some(2));
}

/// Two squares side by side and one that touches them at a corner, as the public path benchmarks write meshes.
const BENCHMARK_MESH: &str = "mesh\n2\n6 2\n0 0 2 0 -1\n1 0 3 0 -1 1\n2 0 2 1 -1\n2 1 2 1 -1\n1 1 3 1 -1 0\n0 1 2 0 -1\n\
    4 0 1 4 5 -1 -1 1 -1\n4 1 2 3 4 0 -1 -1 -1\n";

#[test]
fn public_benchmarks_are_read_and_measured() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, contents: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, contents).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let mesh = write("squares.mesh", BENCHMARK_MESH);
    let pairs = write("squares.csv", "0.5,0.5,1.5,0.5,1\n0.25,0.5,1.75,0.5,1.6\n");
    let scenario = write("squares.scen", "version 1\n0\tsquares.map\t2\t1\t0.5\t0.5\t1.5\t0.5\t7\n");
    let said = json(&walkabout(&["path", &mesh, "--pairs", &pairs, "--planner", "exact", "--json"]));
    assert_eq!((&said["found"], &said["differ"]), (&2.into(), &1.into()), "{said}");
    let said = json(&walkabout(&["path", &mesh, "--pairs", &scenario, "--planner", "exact", "--json"]));
    assert_eq!(said["queries"][0]["length_2d"], 1.0, "{said}");
    assert!(said["differ"].is_null());
    let said = json(&walkabout(&["bench", "--paths", folder.path().to_str().unwrap(), "--json"]));
    assert_eq!((&said[0]["map"], &said[0]["queries"]), (&"squares".into(), &2.into()), "{said}");
    assert_eq!((&said[0]["exact"]["differ"], &said[0]["index"]["differ"]), (&1.into(), &1.into()), "{said}");
    let rows = text(&walkabout(&["bench", "--paths", folder.path().to_str().unwrap(), "--csv"]).stdout);
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!((rows.len(), rows[0][4], rows[2][4]), (3, "planner", "exact-index"), "{rows:?}");
    assert!(
        rows.iter().all(|row| row.len() == rows[0].len())
            && (rows[1][0], rows[1][1], rows[1][3]) == ("squares", "2", "2"),
        "{rows:?}"
    );
    let many = write("many.pairs", &"0.5,0.5,1.5,0.75\n0.25,0.5,1.75,0.5\n".repeat(50));
    let lengths = [&[][..], &["--threads", "3"]].map(|more| {
        let said =
            json(&walkabout(&[&["path", &mesh, "--pairs", &many, "--planner", "exact", "--json"], more].concat()));
        let of = |query: &serde_json::Value| (query["length"].clone(), query["points"].clone());
        said["queries"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    });
    assert!(lengths[0].len() == 100 && lengths[0] == lengths[1], "the same answers on several threads");
    let broken = write("broken.mesh", "mesh 2 1 1 0 0 2 0");
    let refused = walkabout(&["path", &broken, "--from", "0,0,0", "--to", "1,0,0"]);
    let text = text(&refused.stderr);
    assert!(refused.status.code() == Some(1) && text.contains("broken.mesh") && text.contains("vertex 0"), "{text}");
    let wrong = write("wrong.csv", "1 2 3 4\nx y\n");
    let refused = walkabout(&["path", &mesh, "--pairs", &wrong]);
    let text = super::program::text(&refused.stderr);
    assert!(refused.status.code() == Some(1) && text.contains("wrong.csv") && text.contains("line 2"), "{text}");
}

#[test]
fn maps_whose_endings_are_capitals_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("SQUARES.MESH"), BENCHMARK_MESH).unwrap();
    std::fs::write(folder.path().join("SQUARES.csv"), "0.5,0.5,1.5,0.5,1\n").unwrap();
    let said = json(&walkabout(&["bench", "--paths", folder.path().to_str().unwrap(), "--json"]));
    assert_eq!(said[0]["map"], "SQUARES", "{said}");
}

#[test]
fn a_level_that_is_a_mesh_alone_names_what_takes_it() {
    let level = out_file("mesh-alone.obj");
    std::fs::write(&level, "o navmesh\nv 0 0 0\nv 0 0 4\nv 4 0 4\nv 4 0 0\nf 1 2 3 4\n").unwrap();
    let file = level.to_str().unwrap();
    let said = text(&walkabout(&["ground", file]).stderr);
    assert!(said.contains("`path` and `doctor` take it with --as-mesh"), "{said}");
    for command in ["path", "doctor"] {
        let taken = walkabout(&[command, file, "--as-mesh", "--from", "1,0,1", "--to", "3,0,3"]);
        assert_eq!(taken.status.code(), Some(0), "{command}: {}", text(&taken.stderr));
    }
}

#[test]
fn recorded_cases_measure_as_they_were_recorded() {
    let file = out_file("cli-measured.yaml");
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/config/courtyard.acfg");
    let case = |along_surface: bool, length: f64| {
        format!(
            "- {{name: up, scene: '{scene}', planner: exact, along-surface: {along_surface}, from: [4.24, 0.05, -5.97], \
             to: [8.42, 1, 6.75], expect: {{found: true, length: {length}}}}}\n"
        )
    };
    // Over stairs: whatever the scene's test path measures.
    std::fs::write(&file, case(false, 14.8015) + &case(true, 15.0149)).unwrap();
    let said = json(&walkabout(&["nav-test", file.to_str().unwrap(), "--json"]));
    assert_eq!(said["passed"], 2, "{said}");
}
