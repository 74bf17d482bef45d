//! The command `doctor` on files of meshes.

use super::program::{out_file, text, walkabout};
use serde_json::{Value, json as value};

/// Writes a file and gives its name.
fn written(name: &str, contents: &str) -> String {
    let file = out_file(name);
    std::fs::write(&file, contents).unwrap();
    file.to_str().unwrap().to_owned()
}

/// What the doctor says of a file, as JSON.
fn said(file: &str, options: &[&str]) -> Value {
    let output = walkabout(&[&["doctor", file, "--json"][..], options].concat());
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let count = said["count"].as_u64().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(count > 0)), "{}", text(&output.stderr));
    said
}

/// A mesh of squares with these corners of least x and z, sizes and heights.
fn squares(name: &str, list: &[[f64; 4]]) -> String {
    let vertices: Vec<[f64; 3]> = list
        .iter()
        .flat_map(|&[x, z, size, y]| [[x, y, z], [x, y, z + size], [x + size, y, z + size], [x + size, y, z]])
        .collect();
    let polygons: Vec<[usize; 4]> = (0..list.len()).map(|i| [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]).collect();
    written(name, &value!({ "verts": vertices, "polys": polygons }).to_string())
}

#[test]
fn links_off_the_mesh_of_another_program_are_findings() {
    let link = |name: &str, [start, end]: [&str; 2]| {
        format!(
            "[node name=\"{name}\" type=\"NavigationLink3D\" parent=\".\"]\nstart_position = Vector3({start})\n\
             end_position = Vector3({end})\n\n"
        )
    };
    let scene = format!(
        "[gd_scene load_steps=2 format=3]\n\n[sub_resource type=\"NavigationMesh\" id=\"a\"]\n\
         vertices = PackedVector3Array(0, 0, 0, 9, 0, 0, 9, 0, 9, 0, 0, 9)\npolygons = [PackedInt32Array(3, 2, 1, 0)]\n\n\
         [node name=\"World\" type=\"Node3D\"]\n\n[node name=\"A\" type=\"NavigationRegion3D\" parent=\".\"]\n\
         navigation_mesh = SubResource(\"a\")\n\n{}{}{}",
        link("Far", ["1, 0, 1", "30, 0, 1"]),
        link("Good", ["1, 0, 1", "8, 0, 8"]),
        link("High", ["2, 3, 2", "8, 0, 1"])
    );
    let file = written("doctor-links.tscn", &scene);
    let findings = said(&file, &[])["findings"].as_array().unwrap().clone();
    let kinds: Vec<&Value> = findings.iter().map(|finding| &finding["fault"]).collect();
    assert_eq!(kinds, ["link-off-mesh"; 2], "{findings:?}");
    let causes: Vec<&str> = findings.iter().filter_map(|finding| finding["cause"].as_str()).collect();
    assert!(causes.contains(&"Nothing of the mesh is within 1 m of the end of link 1."), "{causes:?}");
    let high = "Nothing of the mesh is within 1 m of the start of link 3; the nearest ground is 3.00 m away.";
    assert!(causes.contains(&high), "{causes:?}");
}

#[test]
fn models_are_examined_as_meshes_with_their_axes() {
    // Up is z.
    let model = "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 8 0 0\nv 8 4 0\nf 1 2 3 4\nf 2 5 6 3\n";
    let file = written("doctor-as-mesh.obj", model);
    assert_eq!(said(&file, &["--as-mesh", "--axes", "x,z,-y"])["count"], 0);
    let ask = |scale: &str| {
        let ends = ["--from", "0.5,0,-0.5", "--to", "7.5,0,-3.5"];
        walkabout(&[&["doctor", &file, "--as-mesh", "--axes", "x,z,-y", "--scale", scale][..], &ends].concat())
    };
    assert_eq!(ask("1").status.code(), Some(0));
    let small = ask("0.1");
    assert!(text(&small.stdout).contains("Nothing of the mesh is within 2 m of the goal."), "{small:?}");
    // Axes that lay a mesh on its side, which stands in its file, are not what helps.
    let upright = written("doctor-upright.obj", "v 0 0 0\nv 0 0 4\nv 4 0 4\nv 4 0 0\nf 1 2 3 4\n");
    let laid = said(&upright, &["--as-mesh", "--axes", "x,z,-y"])["findings"][0]["remedy"].to_string();
    assert!(laid.contains("other axes than x,z,-y, as --axes x,y,z or"), "{laid}");
    let level = walkabout(&["doctor", &file, "--axes", "x,z,-y"]);
    assert_eq!(level.status.code(), Some(2));
    assert!(text(&level.stderr).contains("--axes is for the file of a mesh"), "{}", text(&level.stderr));
}

#[test]
fn agents_that_cannot_be_are_refused_before_anything_is_read() {
    for option in ["--radius", "--step", "--slope"] {
        let output = walkabout(&["doctor", "there-is-none.glb", option, "1000"]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(&format!("{option} is 1000")), "{}", text(&output.stderr));
    }
}

#[test]
fn a_ply_that_ends_within_its_header_is_refused_at_once() {
    let file = written("doctor-cut.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x");
    let output = walkabout(&["doctor", &file]);
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("its PLY header has no line `end_header`"), "{said}");
}

#[test]
fn small_islands_are_counted_where_they_are_passed_over() {
    let file = squares("doctor-small.json", &[[0.0, 0.0, 9.0, 0.0], [9.5, 0.0, 1.0, 0.0], [9.5, 4.0, 0.5, 0.3]]);
    let wide = said(&file, &[]);
    assert_eq!((&wide["count"], wide["findings"].as_array().map(Vec::len)), (&value!(0), Some(0)), "{wide}");
    let note = "2 islands of 1.25 m² in all, the first at (10.00, 0.00, 0.50), are passed over: smaller than 1.44 m², \
                the square of the agent's width.";
    assert_eq!(wide["note"], note);
    let output = walkabout(&["doctor", &file]);
    assert!(text(&output.stdout).starts_with(&format!("Note: {note}\n")), "{}", text(&output.stdout));
    // Of an agent that is narrower nothing is passed over.
    let narrow = said(&file, &["--radius", "0.2"]);
    assert_eq!((&narrow["note"], &narrow["count"]), (&Value::Null, &value!(1)), "{narrow}");
    assert!(narrow["findings"][0]["cause"].as_str().unwrap().starts_with("2 places are alike: "), "{narrow}");
}

#[test]
fn of_very_many_findings_a_thousand_are_listed() {
    // Pairs of squares, far from each other.
    let seams = 1104;
    let pair = |i: usize| [0.0, 1.01].map(|x| [(i % 40) as f64 * 30.0 + x, (i / 40) as f64 * 30.0, 1.0, 0.0]);
    let list: Vec<[f64; 4]> = (0..seams).flat_map(pair).collect();
    let file = squares("doctor-seams.json", &list);
    let said = said(&file, &[]);
    let findings = said["findings"].as_array().unwrap();
    assert_eq!((&said["count"], findings.len()), (&value!(seams), 1001));
    assert!(findings[..1000].iter().all(|f| f["fault"] == "open-seam" && f["unlisted"] == 0));
    assert_eq!(findings[1000]["unlisted"], seams - 1000);
    let output = walkabout(&["doctor", &file]);
    let lines = text(&output.stdout);
    let more = format!("Open seam: {} more of this kind are not listed.", seams - 1000);
    assert!(lines.lines().any(|line| line == more), "{}", &lines[lines.len() - 400..]);
    assert!(lines.contains(&format!(": {seams} findings, ")), "{}", &lines[lines.len() - 400..]);
}

#[test]
fn the_radius_counts_where_a_way_on_a_mesh_is_asked_for() {
    // Two halls and a corridor of 0.4 m, made for agents of 0.6 m.
    let mesh = value!({
        "verts": [[0, 0, 0], [8, 0, 0], [8, 0, 3.8], [8, 0, 4.2], [8, 0, 8], [0, 0, 8], [10, 0, 3.8], [10, 0, 4.2],
            [10, 0, 0], [18, 0, 0], [18, 0, 8], [10, 0, 8]],
        "polys": [[0, 1, 2, 3, 4, 5], [2, 6, 7, 3], [8, 9, 10, 11, 7, 6]]
    });
    let file = written("doctor-door.json", &mesh.to_string());
    let ask = |radius: &str| walkabout(&["doctor", &file, "--radius", radius, "--from", "1,0,1", "--to", "17,0,2"]);
    assert_eq!(ask("0.6").status.code(), Some(0));
    let wide = ask("1");
    let said = text(&wide.stdout);
    assert_eq!(wide.status.code(), Some(1), "{said}");
    let cause = "A passage is 1.60 m wide, as a mesh for a radius of 0.6 m tells; an agent needs 2.00 m.";
    assert!(said.starts_with(cause), "{said}");
    assert_eq!(said.lines().count(), 2, "one thing is between: {said}");
}

#[test]
fn meshes_that_are_refused_elsewhere_are_findings() {
    let corners = [[0, 0, 0], [4, 0, 0], [4, 0, 4], [0, 0, 4], [8, 0, 0], [8, 0, 4]];
    let polygons = value!([[0, 1, 2, 3], [1, 4, 5, 2]]);
    let far = value!([[0, 0, 0], [4, 0, 0], [4, 0, 4], [0, 0, 4], [8, 0, 0], [8, 0, 4], [0, 0, 9e7]]);
    let upright = value!([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]]);
    let listed = |neis: Value| value!({ "verts": corners, "polys": polygons, "neis": neis });
    let one_sided = "Polygon 0 names polygon 1 as neighbour, which does not share that edge with it";
    let damaged = [
        ("one-sided", listed(value!([[-1, 1, -1, -1], [-1, -1, -1, -1]])), one_sided),
        ("wrong", listed(value!([[1, -1, -1, -1], [-1, -1, -1, -1]])), one_sided),
        ("count", listed(value!([[-1, 1], [-1, -1, -1, 0]])), "Polygon 0 lists 2 neighbours for 4 edges"),
        (
            "far",
            value!({ "verts": far, "polys": [[0, 1, 2, 3], [1, 4, 5, 2], [3, 2, 6]] }),
            "Vertex 6 lies over 1000000 m from the others",
        ),
        ("none", value!({ "verts": corners, "polys": [] }), "has no polygon"),
        ("upright", value!({ "verts": upright, "polys": [[0, 1, 2, 3]] }), "the mesh lies on its side"),
    ];
    for (name, mesh, cause) in damaged {
        let file = written(&format!("doctor-{name}.json"), &mesh.to_string());
        let said = said(&file, &[]);
        let causes: Vec<&str> =
            said["findings"].as_array().unwrap().iter().filter_map(|f| f["cause"].as_str()).collect();
        assert!(causes.iter().any(|said| said.contains(cause)), "{name}: {causes:?}");
        assert!(causes.len() <= 2, "{name}: {causes:?}");
        let output = walkabout(&["convert", &file, out_file("doctor-refused.navmesh").to_str().unwrap()]);
        assert!(!output.status.success(), "{name} is refused elsewhere");
    }
    let unused = written("doctor-unused.json", &value!({ "verts": far, "polys": polygons }).to_string());
    assert_eq!(said(&unused, &[])["count"], 0, "what no polygon uses decides nothing");
    let good = written("doctor-listed.json", &listed(value!([[-1, 1, -1, -1], [-1, -1, -1, 0]])).to_string());
    assert_eq!(said(&good, &[])["count"], 0);
}

#[test]
fn agents_that_cannot_be_are_told_by_their_options() {
    let level = "assets/levels/plaza.glb";
    let ends = ["--from", "0,0,0", "--to", "1,0,1"];
    for arguments in
        [&["doctor", level, "--height", "0.1"][..], &[&["doctor", level, "--height", "0.1"][..], &ends].concat()]
    {
        let output = walkabout(arguments);
        let said = text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && said.contains("--step is 0.9; give a number from 0 to 0.09"),
            "{said}"
        );
    }
}

#[test]
fn levels_without_ground_are_findings() {
    let floor = "v 0 0 0\nv 9 0 0\nv 9 0 9\nv 0 0 9\nf 1 2 3 4\n";
    let down = said(&written("doctor-down.obj", floor), &[]);
    let cause = down["findings"][0]["cause"].as_str().unwrap();
    assert_eq!(
        (&down["findings"][0]["fault"], cause.starts_with("All ground faces down")),
        (&value!("no-ground"), true)
    );
}

#[test]
fn what_is_found_is_said_where_a_scene_has_no_mesh() {
    // A yard with walls in inches: it has more cells than can be baked.
    let (far, high) = (2000, 120);
    let corners = [[0, 0], [0, far], [far, far], [far, 0]];
    let vertices = [0, high].into_iter().flat_map(|y| corners.map(|[x, z]| format!("v {x} {y} {z}\n")));
    let faces = "f 1 2 3 4\nf 1 4 8 5\nf 4 3 7 8\nf 3 2 6 7\nf 2 1 5 6\n";
    written("doctor-inches.obj", &(vertices.collect::<String>() + faces));
    let scene = "version: 10.0\nlevels: [{level-name: yard, level-file: doctor-inches.obj}]\n\
                 walkabout: {navigation: {mesh: baked}}\n";
    let scene = written("doctor-inches.acfg", scene);
    let said = said(&scene, &[]);
    assert_eq!(said["findings"][0]["fault"], "units", "{said}");
    assert!(said["error"].as_str().unwrap().contains("more than can be baked"), "{said}");
    assert_eq!(walkabout(&["doctor", &scene]).status.code(), Some(1));
}

#[test]
fn files_that_are_no_mesh_are_refused_with_the_true_reason() {
    let noise: Vec<u8> = (0..900u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let file = out_file("doctor-noise.bin");
    std::fs::write(&file, noise).unwrap();
    let file = file.to_str().unwrap();
    let mesh = squares("doctor-good.json", &[[0.0, 0.0, 9.0, 0.0]]);
    let good = out_file("doctor-good.bin");
    let good = good.to_str().unwrap();
    assert!(walkabout(&["convert", &mesh, good]).status.success());
    let unknown = "no navigation mesh that this program reads begins so";
    let (out, picture) = (out_file("doctor-noise.obj"), out_file("doctor-noise.png"));
    for arguments in [
        &["convert", file, out.to_str().unwrap()][..],
        &["doctor", file],
        &["bake", file],
        &["check", file],
        &["render", file, "--out", picture.to_str().unwrap()],
    ] {
        let output = walkabout(arguments);
        assert!(
            !output.status.success()
                && [&output.stderr, &output.stdout].iter().any(|said| text(said).contains(unknown)),
            "{arguments:?}: {output:?}"
        );
    }
    let bake = walkabout(&["bake", good]);
    assert!(text(&bake.stderr).contains("the file is a navigation mesh"), "{bake:?}");
    let scene = out_file("doctor-good.acfg");
    std::fs::copy(good, &scene).unwrap();
    let render = walkabout(&["simulate", scene.to_str().unwrap()]);
    assert!(text(&render.stderr).contains("navigation mesh"), "{render:?}");
    let check = walkabout(&["check", good]);
    assert_eq!(check.status.code(), Some(0), "{check:?}");
    // The name does not count.
    assert!(walkabout(&["convert", scene.to_str().unwrap(), out.to_str().unwrap()]).status.success());
    // What a format does not hold is said to be lost; our own holds all.
    let lost = walkabout(&["convert", good, out.to_str().unwrap()]);
    assert!(text(&lost.stderr).contains("The agents that it was made for"), "{lost:?}");
    let own = out_file("doctor-good.navmesh");
    let kept = walkabout(&["convert", good, own.to_str().unwrap()]);
    assert!(!text(&kept.stderr).contains("left out"), "{kept:?}");
}

#[test]
fn a_damaged_mesh_of_a_scene_is_examined_as_it_lies_there() {
    let mesh = value!({ "verts": [[0, 0, 0], [4, 0, 0], [4, 0, 4], [0, 0, 4]], "polys": [[0, 1, 2, 3], [0, 1, 9999]] });
    written("doctor-damaged.json", &mesh.to_string());
    let text = "version: 10.0\nwalkabout:\n  navigation:\n    mesh: {file: doctor-damaged.json}\n";
    let scene = written("doctor-damaged.acfg", text);
    let said = said(&scene, &[]);
    let findings = said["findings"].as_array().unwrap();
    let is_told = |finding: &Value| finding["cause"].as_str().unwrap().contains("names a vertex that is not there");
    assert!(findings.iter().any(is_told), "{said}");
}
