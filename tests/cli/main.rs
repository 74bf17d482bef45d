//! The command line as a user types it.

#![allow(clippy::unwrap_used, reason = "a test that cannot run the program has to fail")]

mod bench;
mod check;
mod diff;
mod doctor;
#[path = "../common/glb.rs"]
mod glb;
mod output;
mod path;
mod program;
mod recast_demo;
mod record;
mod refusals;
mod render;
mod watch;

use program::{json, out_file, path_json, program, text, walkabout, write_corner_mesh};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The headless commands.
const COMMANDS: &[&str] = &[
    "render",
    "simulate",
    "ground",
    "path",
    "check",
    "convert",
    "import",
    "bench",
    "bake",
    "index",
    "nav-query",
    "nav-test",
    "diff",
];

#[test]
fn help_teaches_every_command() {
    let output = walkabout(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let help = text(&output.stdout);
    for &command in COMMANDS {
        assert!(help.contains(&format!("\n  {command} ")), "--help does not list {command}:\n{help}");
        let output = walkabout(&[command, "--help"]);
        assert_eq!(output.status.code(), Some(0), "{command} --help");
        let help = text(&output.stdout);
        assert!(help.contains("Usage: walkabout") && help.len() > 200, "{command} --help teaches little:\n{help}");
    }
}

#[test]
fn wrong_usage_is_code_2_and_says_how_it_is_right() {
    for arguments in [
        &["--no-such-option"][..],
        &["render"],
        &["path", "assets/levels/plaza.glb", "--from", "1,2"],
        &["render", "config/plaza.acfg", "--out", "x.png", "--size", "0x9"],
        // They say nothing of sound.
        &["render", "config/plaza.acfg", "--sound", "x.wav", "--size", "64x36"],
        &["render", "config/plaza.acfg", "--sound", "x.wav", "--overlay", "ground"],
        &["simulate", "config/plaza.acfg", "--seconds", "many"],
        &["rendr", "config/plaza.acfg"],
        &["path", "plaza.navmesh"],
    ] {
        let output = walkabout(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{arguments:?} wrote to standard output");
        assert!(text(&output.stderr).contains("--help"), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn wrong_usage_names_what_was_meant() {
    for (arguments, says) in [
        (&["rendr", "config/plaza.acfg"][..], "there is no command and no file 'rendr'"),
        (&["path", "plaza.navmesh"], "--from <X,Y,Z>|--pairs <FILE>"),
        (&["doctor", "plaza.navmesh", "--radius", "-1"], "--radius is -1; give a number"),
        (&["path", "plaza.navmesh", "--from", "0,0,0", "--to", "1,0,0", "--scale", "-1"], "--scale is -1"),
        (&["diff", "a.navmesh", "b.navmesh", "--max-lost", "nan"], "--max-lost is NaN; give a number"),
        (&["diff", "a.navmesh", "b.navmesh", "--max-longer", "-1"], "--max-longer is -1; give a number"),
    ] {
        let output = walkabout(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_missing_file_is_code_1_and_is_named() {
    let missing = "config/there-is-none.acfg";
    for arguments in [
        &[missing][..],
        &["render", missing, "--out", "never.png"],
        &["simulate", missing, "--seconds", "1", "--json"],
        &["ground", missing, "--json"],
        &["path", missing, "--from", "0,0,0", "--to", "1,0,0", "--json"],
        &["check", missing],
        &["convert", missing, "never.acfg"],
        &["import", "assets/there-is-none.glb", "--json"],
        &["bench", missing, "--json"],
    ] {
        let output = walkabout(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", text(&output.stderr));
        let said = text(&output.stderr) + &text(&output.stdout);
        assert!(said.contains("there-is-none"), "{arguments:?} does not name the file: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    }
}

#[test]
fn without_a_display_one_sentence_names_the_headless_commands() {
    let output = walkabout(&["config/plaza.acfg"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("no display") && said.contains("walkabout render"), "{said}");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
}

#[test]
fn a_mesh_goes_to_standard_output_but_over_no_device() {
    let bake = |out: &str| walkabout(&["bake", "assets/levels/plaza.glb", "--out", out]);
    let printed = bake("-");
    assert!(printed.status.success() && printed.stdout.starts_with(b"WALKNAV\n"), "{}", text(&printed.stderr));
    let both = walkabout(&["bake", "assets/levels/plaza.glb", "--out", "-", "--json"]);
    assert_eq!(both.status.code(), Some(2), "{}", text(&both.stderr));
    #[cfg(unix)]
    {
        let link = out_file("link-to-null.navmesh");
        std::fs::remove_file(&link).unwrap_or_default();
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        let refused = bake(link.to_str().unwrap());
        assert_eq!(refused.status.code(), Some(1));
        assert!(text(&refused.stderr).contains("it is a device"), "{}", text(&refused.stderr));
        assert!(link.is_symlink());
    }
}

#[test]
fn no_command_writes_over_what_it_reads() {
    let scene = out_file("written-over.acfg");
    std::fs::copy("config/arena.acfg", &scene).unwrap();
    let (before, name) = (std::fs::read(&scene).unwrap(), scene.to_str().unwrap());
    let model = out_file("written-over.fbx");
    std::fs::write(&model, "a model").unwrap();
    for arguments in [
        &["bake", name, "--out", name][..],
        &["index", name, "--out", name],
        &["simulate", name, "--record", name],
        &["render", name, "--out", name],
        &["convert", name, model.to_str().unwrap()],
    ] {
        let refused = walkabout(arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains("give a name that ends in ."), "{}", text(&refused.stderr));
    }
    assert!(std::fs::read(&scene).unwrap() == before && std::fs::read(&model).unwrap() == b"a model");
}

#[test]
fn bake_saves_a_mesh_and_speaks_json() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plaza.navmesh");
    let file = out.to_str().unwrap();
    let baked = json(&walkabout(&["bake", "assets/levels/plaza.glb", "--cell-size", "0.25", "--out", file, "--json"]));
    assert!(baked["polygons"].as_u64().unwrap() > 3 && baked["area_m2"].as_f64().unwrap() > 100.0);
    let steps = baked["steps"].as_array().unwrap();
    assert!(steps.len() >= 7 && steps.iter().all(|s| s["step"].is_string() && s["ms"].as_f64().unwrap() >= 0.0));
    assert_eq!(baked["settings"]["cell_size"], 0.25);
    // A scene is baked by its own settings.
    let own = json(&walkabout(&["bake", "config/arena.acfg", "--json"]));
    let length = |key: &str| own["settings"][key].as_f64().unwrap() as f32;
    assert_eq!((length("agent_radius"), length("agent_climb")), (0.32, 0.4));
    let mesh = walkabout::nav::mesh::NavMesh::load(&out).unwrap();
    assert_eq!(mesh.len() as u64, baked["polygons"].as_u64().unwrap());
    let list = out_file("list.json");
    std::fs::write(&list, "[]").unwrap();
    for (arguments, says, code) in [
        (&["--cell-size=-1"][..], "--cell-size is -1; give a number from 0.001 to 1000", 2),
        (&["--agent-radius", "-1"], "--agent-radius is -1", 2),
        (&["--slope", "-1"], "--slope is -1; give degrees", 2),
        (&["--threads", "0"], "--threads is 0", 2),
        (&["--threads", "257"], "--threads 257 is more than 256", 2),
        (&["--agent-radius", "36"], "nothing on this level is walkable", 1),
        (&["--settings", "Cargo.toml"], "settings not read", 1),
        (&["--settings", list.to_str().unwrap()], "holds no JSON object", 1),
        (&["--out", "/no/such/folder/x.navmesh"], "there is no folder /no/such/folder", 1),
    ] {
        let output = walkabout(&[&["bake", "assets/levels/plaza.glb"], arguments].concat());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(says), "{arguments:?}: {error}");
    }
}

#[test]
fn ground_and_path_speak_json() {
    let level = "assets/levels/plaza.glb";
    let ground = json(&walkabout(&["ground", level, "--slope", "45", "--step", "0.4", "--json"]));
    assert!(ground["triangles"].as_u64().unwrap() > 100);
    let first = &ground["ground"][0];
    assert!(first["index"].is_u64() && first["points"].is_array() && first["neighbors"].is_array());
    let path = path_json(&walkabout(&["path", level, "--from", "0,0.5,0", "--to", "1,0.5,1", "--json"]));
    assert_eq!(path["queries"].as_array().unwrap().len(), 1);
    assert!(path["mean_us"].is_number() && path["p99_us"].is_number());
}

#[test]
fn a_mesh_answers_single_questions() {
    let mesh = write_corner_mesh("asked.mesh.json");
    let ask = |question: &str, more: &[&str]| {
        let asked = ["nav-query", question, &mesh, "--json"];
        json(&walkabout(&[&asked, more].concat()))
    };
    assert_eq!(ask("nearest", &["--at", "3,0.5,3"])["polygon"], 2);
    let ray = ask("raycast", &["--at", "1,0,1", "--to", "9,0,1"]);
    assert!((ray["share"].as_f64().unwrap() - 0.375).abs() < 1e-5 && ray["free"] == false, "{ray}");
    let wall = ask("wall-distance", &["--at", "1,0,0.25"]);
    assert!((wall["distance"].as_f64().unwrap() - 0.25).abs() < 1e-5, "{wall}");
    let walk = ask("surface-walk", &["--at", "1,0,1", "--to", "3,0,9"]);
    assert_eq!(walk["point"], serde_json::json!([3.0, 0.0, 4.0]), "as near as walls allow: {walk}");
    let places = |seed: &str| ask("random", &["--count", "50", "--seed", seed])["places"].clone();
    assert_eq!(places("3"), places("3"));
    assert_ne!(places("3"), places("4"));
    for radius in [&["--radius", "2"][..], &["--at", "1,0,1", "--radius", "inf"]] {
        let refused = walkabout(&[&["nav-query", "random", mesh.as_str()], radius].concat());
        assert_eq!(refused.status.code(), Some(2), "{radius:?}: {}", text(&refused.stdout));
    }
    let refused: [(&[&str], &str); 6] = [
        (&["raycast", "--at", "1,0,1"], "--to"),
        (&["nearest"], "--at"),
        (&["nearest", "--at", "1,0,1", "--to", "2,0,1"], "--to"),
        (&["raycast", "--at", "1,0,1", "--to", "2,0,1", "--radius", "3"], "--radius"),
        (&["wall-distance", "--at", "1,0,1", "--count", "5"], "--count"),
        (&["surface-walk", "--at", "1,0,1", "--to", "2,0,1", "--seed", "5"], "--seed"),
    ];
    for (more, word) in refused {
        let output = walkabout(&[&["nav-query"][..], more, &[mesh.as_str()]].concat());
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(word), "{more:?}: {said}");
    }
}

#[test]
fn recorded_cases_pass_or_fail_with_a_reason() {
    let mesh = write_corner_mesh("cases.mesh.json");
    let file = out_file("cli-cases.yaml");
    let case = |name: &str, planner: &str, to: &str, expect: &str| {
        format!(
            "- {{name: {name}, mesh: '{mesh}', planner: {planner}, from: [1, 0, 1], to: {to}, expect: {{{expect}}}}}\n"
        )
    };
    let good = case("round", "exact", "[3, 0, 3]", "found: true, length: 2.8284")
        + &case("off", "funnel", "[900, 0, 3]", "found: false, reason: off the navigation mesh");
    std::fs::write(&file, &good).unwrap();
    let name = file.to_str().unwrap();
    let said = json(&walkabout(&["nav-test", name, "--json"]));
    assert_eq!((&said["passed"], &said["failed"]), (&serde_json::json!(2), &serde_json::json!(0)), "{said}");
    let bad = case("long", "exact", "[3, 0, 3]", "found: true, length: 2.5, tolerance: 0.1");
    std::fs::write(&file, good + &bad).unwrap();
    let output = walkabout(&["nav-test", name]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    let line = printed.lines().find(|l| l.starts_with("FAIL")).unwrap();
    assert!(line.contains("long") && line.contains("2.8284") && line.contains(name), "{line}");
    assert!(printed.contains("2 of 3 passed"));
    std::fs::write(&file, "scenes: 3\n").unwrap();
    let output = walkabout(&["nav-test", name]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("list of maps"), "{}", text(&output.stderr));
}

#[test]
fn simulate_is_repeatable() {
    let run = |threads: &str| {
        json(&walkabout(&[
            "simulate",
            "config/plaza.acfg",
            "--seconds",
            "2",
            "--seed",
            "7",
            "--threads",
            threads,
            "--json",
        ]))
    };
    let (one, two) = (run("1"), run("2"));
    assert_eq!(one["steps"].as_u64(), Some(120));
    assert_eq!(one["hash"], two["hash"], "the state depends on the number of threads");
    assert!(one["instances"].as_array().unwrap().len() >= 20);
    assert!(one["step_ms"]["p99"].is_number());
}

#[test]
fn import_says_what_is_in_a_model() {
    let report = json(&walkabout(&["import", "assets/levels/plaza.glb", "--json"]));
    assert!(report["triangles"].as_u64().unwrap() > 100);
    for key in ["nodes", "meshes", "bones", "clips", "morphs", "textures"] {
        assert!(!report[key].is_null(), "{key} is missing");
    }
}

#[test]
fn render_writes_a_picture_that_is_not_empty() {
    let out = out_file("cli-render.png");
    let output = walkabout(&["render", "config/plaza.acfg", "--out", out.to_str().unwrap(), "--size", "160x90"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let picture = image::open(&out).unwrap().to_rgb8();
    assert_eq!(picture.dimensions(), (160, 90));
    let first = *picture.get_pixel(0, 0);
    assert!(picture.pixels().any(|pixel| *pixel != first), "the picture is one colour");
}

#[test]
fn convert_carries_meshes_to_detour_and_back() {
    let [own, set, lossy] =
        ["cli-yard.navmesh", "cli-yard.bin", "cli-yard.obj"].map(|name| out_file(name).to_str().unwrap().to_owned());
    let run = |arguments: &[&str], code| {
        let output = walkabout(arguments);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        output
    };
    run(&["bake", "assets/levels/courtyard.fbx", "--out", &own], 0);
    run(&["convert", &own, &set, "--agent", "1.8,0.3,0.4"], 0);
    let length = |mesh: &str| {
        let found = json(&run(&["path", mesh, "--from", "-6,0,-6", "--to", "6,0,6", "--json"], 0));
        found["queries"][0]["length"].as_f64().unwrap()
    };
    let (before, after) = (length(&own), length(&set));
    assert!(before > 10.0 && (before - after).abs() < 1e-2, "{before} {after}");
    let lost = text(&run(&["convert", &set, &lossy], 0).stderr);
    assert!(lost.contains("The height detail is left out"), "{lost}");
    // The model serves as a mesh again: where it is asked for, with other axes and units.
    let turned = out_file("cli-yard-turned.navmesh").to_str().unwrap().to_owned();
    run(&["convert", &lossy, &turned, "--axes", "-x,y,-z", "--scale", "0.5"], 0);
    let ask = ["--from", "3,0,3", "--to", "-3,0,-3", "--json"];
    let half = json(&run(&[&["path", &turned], &ask[..]].concat(), 0));
    let again = [&["path", &lossy, "--as-mesh", "--axes", "-x,y,-z", "--scale", "0.5"], &ask[..]].concat();
    for found in [half, json(&run(&again, 0))] {
        let found = found["queries"][0]["length"].as_f64().unwrap();
        assert!((2.0 * found - before).abs() < 0.05, "{found} {before}");
    }
    let level = text(&run(&["ground", &lossy, "--as-mesh"], 2).stderr);
    assert!(level.contains("unexpected argument '--as-mesh'"), "{level}");
    let tiny = text(&run(&["convert", &own, &set, "--scale", "1e-30"], 2).stderr);
    assert!(tiny.contains("0.000001 to 1000000"), "{tiny}");
    let refused = text(&run(&["convert", &set, "cli-yard.fbx"], 2).stderr);
    assert!(refused.contains("none of the endings"), "{refused}");
}

#[test]
fn convert_writes_a_scene_that_check_accepts() {
    let out = out_file("cli-converted.acfg");
    let out = out.to_str().unwrap();
    let converted = walkabout(&["convert", "config/plaza.acfg", out]);
    assert_eq!(converted.status.code(), Some(0), "{}", text(&converted.stderr));
    let checked = walkabout(&["check", "config/plaza.acfg"]);
    assert_eq!(checked.status.code(), Some(0), "{}{}", text(&checked.stdout), text(&checked.stderr));
    assert!(!text(&checked.stdout).contains("cannot reach"), "{}", text(&checked.stdout));
    let broken = out_file("cli-broken.acfg");
    std::fs::write(&broken, "version: 8.0\ninstances:\n  - position: [1, 2]\n").unwrap();
    let checked = walkabout(&["check", broken.to_str().unwrap()]);
    assert_eq!(checked.status.code(), Some(1), "a broken scene passes the check");
}

#[test]
fn errors_name_what_was_typed_and_what_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("typed.acfg");
    let text_of_scene = "version: 9.0\nlevels: [{level-name: a, level-file: gone.glb}]\n\
        walkabout: {navigation: {mesh: triangles, planner: funnel}}\n";
    std::fs::write(&scene, text_of_scene).unwrap();
    let scene = scene.to_str().unwrap();
    let commands: [&[&str]; 8] = [
        &["ground", scene],
        &["path", scene, "--from", "0,0,0", "--to", "1,0,0"],
        &["bake", scene],
        &["doctor", scene],
        &["index", scene],
        &["nav-query", "nearest", scene, "--at", "0,0,0"],
        &["diff", scene, scene],
        &["check", scene],
    ];
    for command in commands {
        let output = walkabout(command);
        let said = text(&output.stderr) + &text(&output.stdout);
        assert!(!output.status.success(), "{command:?}: {said}");
        assert!(said.contains("typed.acfg") && said.contains("gone.glb"), "{command:?}: {said}");
    }
}

#[test]
fn errors_about_files_of_another_kind_stay_short() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("long.json");
    std::fs::write(&long, format!("[\"{}\"]", "no settings ".repeat(10_000))).unwrap();
    let plain = folder.path().join("plain.acfg");
    std::fs::write(&plain, "v 1 2 3\n".repeat(10_000)).unwrap();
    let [long, plain] = [&long, &plain].map(|path| path.to_str().unwrap());
    let commands: [&[&str]; 7] = [
        &["nav-test", plain],
        &["nav-test", long],
        &["simulate", plain],
        &["check", plain],
        &["bake", "assets/levels/arena.obj", "--settings", long],
        &["path", "assets/levels/arena.obj", "--pairs", long],
        &["doctor", long],
    ];
    for command in commands {
        let output = walkabout(command);
        let said = text(&output.stderr) + &text(&output.stdout);
        assert!(!output.status.success() && said.len() < 1500, "{command:?}: {} bytes", said.len());
        assert!(said.contains("long.json") || said.contains("plain.acfg"), "{command:?}: {said}");
    }
}

/// Two squares of ground with a gap between, and a scene of people and markers on and beside them.
fn write_scene_of_two_islands(folder: &Path) -> PathBuf {
    for sub in ["config", "assets"] {
        std::fs::create_dir_all(folder.join(sub)).unwrap();
    }
    let square = |x: f32| format!("v {x} 0 -5\nv {x} 0 5\nv {} 0 5\nv {} 0 -5\n", x + 10.0, x + 10.0);
    let obj = format!("{}{}f 1 2 3 4\nf 5 6 7 8\n", square(0.0), square(20.0));
    std::fs::write(folder.join("assets/islands.obj"), obj).unwrap();
    for (from, to) in [("people/ada.glb", "ada.glb"), ("props/marker.glb", "marker.glb")] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(from);
        std::fs::copy(from, folder.join("assets").join(to)).unwrap();
    }
    let mut scene = String::from(
        "version: 9.0\nsettings:\n  gravity-enabled: true\nlevels:\n  - level-name: islands.obj\n    \
         level-file: assets/islands.obj\n    position: [0, 0, 0]\n    rotation: [0, 0, 0]\n    scale: 1\n    \
         swap-axes: false\nmodels:\n",
    );
    for (name, is_target) in [("ada.glb", false), ("marker.glb", true)] {
        scene += &format!("  - model-name: {name}\n    model-file: assets/{name}\n    is-nav-target: {is_target}\n");
    }
    scene += "instances:\n";
    let instances = [
        ("marker.glb", [8.0, 0.0, 0.0], -1),
        ("marker.glb", [25.0, 0.0, 0.0], -1),
        ("marker.glb", [15.0, 0.0, 0.0], -1),
        ("ada.glb", [2.0, 0.0, 0.0], 1),
        ("ada.glb", [2.0, 3.0, 2.0], 2),
        ("ada.glb", [4.0, 0.0, 0.0], 3),
        ("ada.glb", [-30.0, 0.0, 0.0], 1),
    ];
    for (model, [x, y, z], target) in instances {
        scene += &format!(
            "  - model-file: {model}\n    position: [{x}, {y}, {z}]\n    rotation: [0, 0, 0]\n    scale: 1\n    \
             swap-axes: false\n    1st-anim-clip-number: 0\n    2nd-anim-clip-number: 0\n    anim-clip-speed: 1\n    \
             anim-blend-factor: 0\n    enable-navigation: {}\n    path-target-instance: {target}\n",
            target > 0
        );
    }
    let path = folder.join("config/islands.acfg");
    std::fs::write(&path, scene).unwrap();
    path
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for arguments in
        [&["ground", "assets/levels/plaza.glb", "--json"][..], &["bake", "assets/levels/plaza.glb", "--out", "-"]]
    {
        let mut child = program().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(!text(&output.stderr).contains("panicked"), "{}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
}

#[test]
fn bench_prints_all_its_figures() {
    let report = json(&walkabout(&["bench", "config/plaza.acfg", "--instances", "50", "--json"]));
    for key in ["start_ms", "import_ms", "octree_ms", "ground_ms", "path_us", "step_ms", "frame_ms"] {
        assert!(!report[key].is_null(), "{key} is missing: {report}");
    }
    let marks = std::fs::read_to_string("config/plaza.acfg").unwrap().matches("model-file: marker.glb").count();
    assert_eq!(report["instances"], 50 + marks, "characters are counted, marks of targets stay");
    assert_eq!(report["characters"], 50);
    assert_eq!((&report["paths_found"], &report["path_planner"]), (&200.into(), &"exact".into()), "{report}");
}

#[test]
fn bench_measures_how_characters_move() {
    let report = json(&walkabout(&["bench", "config/courtyard.acfg", "--motion", "--seconds", "8", "--json"]));
    let motion = &report[0];
    assert_eq!(motion["overlaps"], 0, "{report}");
    for key in ["planted_drift_cm_per_sec", "off_ground_cm", "transition_acceleration"] {
        assert!(motion[key]["mean"].as_f64().is_some_and(|mean| mean > 0.0), "{key}: {report}");
    }
}

/// Commands that the README shows for paths, baking and queries, without the program's name; files that they write go
/// into `folder`.
fn shown_navigation_commands(folder: &Path) -> Vec<Vec<String>> {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let names = ["path", "bake", "nav-query"];
    let mine = readme.lines().filter_map(|line| line.strip_prefix("walkabout "));
    let split = |line: &str| -> Vec<String> {
        let mesh = folder.join("plaza.navmesh");
        line.split_whitespace().map(|word| word.replace("plaza.navmesh", mesh.to_str().unwrap())).collect()
    };
    mine.map(split).filter(|words| names.contains(&words[0].as_str())).collect()
}

#[test]
fn the_commands_of_the_readme_find_what_they_ask_for() {
    let folder = tempfile::tempdir().unwrap();
    let commands = shown_navigation_commands(folder.path());
    assert!(commands.len() >= 4, "{commands:?}");
    for words in commands {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = walkabout(&words);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", text(&output.stderr));
        if words[0] == "path" {
            let said = json(&output);
            assert!(said["queries"][0]["reason"].is_null(), "{words:?}: {said}");
        }
    }
}

#[test]
fn wrong_usage_ends_with_2_and_names_the_option() {
    for words in [
        &["render", "config/courtyard.acfg", "--out", "x.png", "--overlay", "nope"][..],
        &["render", "config/courtyard.acfg", "--out", "x.png", "--seconds", "nan"],
        &["render", "config/courtyard.acfg", "--out", "x.jpg"],
        &["simulate", "config/courtyard.acfg", "--threads", "100000"],
        &["simulate", "config/courtyard.acfg", "--seconds", "-1"],
        &["ground", "assets/levels/arena.obj", "--scale", "0"],
        &["bench", "config/courtyard.acfg", "--instances", "0"],
        &["bench", "config/courtyard.acfg", "--motion", "--seconds", "0"],
        &["bench", "config/courtyard.acfg", "--steps", "5", "--motion"],
    ] {
        let output = walkabout(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output.stderr));
        let last = words[words.len() - 1].trim_start_matches('-');
        let said = text(&output.stderr).to_lowercase();
        assert!(said.contains(last), "{words:?}: {said}");
    }
    assert!(!Path::new(env!("CARGO_MANIFEST_DIR")).join("x.png").exists());
}

#[test]
fn why_a_scene_has_no_path_is_told_by_all_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let level = "v -5 0 -5\nv -5 0 5\nv 0 0 5\nv 0 0 -5\nv 0 Y -5\nv 0 Y 5\nv 5 Y 5\nv 5 Y -5\nf 1 2 3 4\nf 4 3 6 5\nf 5 6 7 8\n";
    std::fs::write(folder.path().join("flat.obj"), level.replace('Y', "0")).unwrap();
    std::fs::write(folder.path().join("step.obj"), level.replace('Y', "0.52")).unwrap();
    // What a bake leaves of the level with the step.
    let mesh = r#"{"verts": [[-4.7,0,-4.7],[-0.3,0,-4.7],[-0.3,0,4.7],[-4.7,0,4.7],
        [0.3,0.52,-4.7],[4.7,0.52,-4.7],[4.7,0.52,4.7],[0.3,0.52,4.7]], "polys": [[0,1,2,3],[4,5,6,7]]}"#;
    std::fs::write(folder.path().join("step.json"), mesh).unwrap();
    let ask = |level: &str, navigation: &str| {
        let scene = folder.path().join("scene.acfg");
        let file = |name: &str| folder.path().join(name).display().to_string();
        let written = format!(
            "version: 9.0\nlevels:\n  - level-name: level\n    level-file: {}\n    position: [0, 0, 0]\n    \
             rotation: [0, 0, 0]\n    scale: 1\n    swap-axes: false\nwalkabout:\n  navigation:\n    {}\n",
            file(level),
            navigation.replace("step.json", &file("step.json"))
        );
        std::fs::write(&scene, written).unwrap();
        let output =
            walkabout(&["doctor", scene.to_str().unwrap(), "--from", "-3,0,0", "--to", "3,0.26,0", "--step", "0.4"]);
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let wall = "obstacles: [{shape: {box: {base: [1, 0, 0], size: [1, 2, 12], yaw_deg: 0}}}]";
    let (code, said) = ask("flat.obj", &format!("mesh: baked\n    {wall}"));
    assert!(code == Some(1) && said.contains("Obstacle 1 closes the way."), "{said}");
    let (code, said) = ask("flat.obj", "mesh: baked");
    assert!(code == Some(0) && said.contains("There is a way"), "{said}");
    // Of a mesh that comes from a file the level tells what parts it.
    let (code, said) = ask("step.obj", "mesh: {file: step.json}");
    let both =
        "A step of 0.52 m parts the ground; an agent climbs 0.40 m. On the mesh: The ground ends 0.60 m from the rest";
    assert!(code == Some(1) && said.starts_with(both), "{said}");
    let (code, said) = ask("flat.obj", "mesh: {file: step.json}");
    assert!(code == Some(1) && said.starts_with("The level has a way, its mesh has none; bake it anew."), "{said}");
}
