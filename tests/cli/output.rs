//! What goes to standard output, alone, and how names of files stand in it.

use super::program::{json, out_file, program, text, walkabout, write_corner_mesh};
use std::process::Stdio;

/// A number of four bytes, the lowest first, in the head of a file.
fn number_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

#[test]
fn a_file_on_standard_output_is_nothing_but_the_file() {
    let [sound, picture] = ["cli-output.wav", "cli-output.png"].map(out_file);
    let small = ["render", "config/arena.acfg", "--size", "64x36", "--seconds", "0.1"];
    let drawn = walkabout(&[&small[..], &["--out", "-", "--sound", sound.to_str().unwrap()]].concat());
    let said = text(&drawn.stderr);
    assert!(drawn.stdout.starts_with(b"\x89PNG") && image::load_from_memory(&drawn.stdout).is_ok(), "{said}");
    assert!(said.contains("of sound") && said.contains("64 x 36 pixels"), "{said}");
    let heard = walkabout(&[&small[..], &["--sound", "-", "--out", picture.to_str().unwrap()]].concat());
    assert!(heard.stdout.starts_with(b"RIFF"), "{}", text(&heard.stderr));
    assert_eq!(heard.stdout.len(), number_at(&heard.stdout, 4) + 8, "what follows the samples is no sound");
    let recorded = walkabout(&["simulate", "config/arena.acfg", "--seconds", "0.1", "--record", "-"]);
    assert!(recorded.stdout.starts_with(b"glTF"), "{}", text(&recorded.stderr));
    assert_eq!(recorded.stdout.len(), number_at(&recorded.stdout, 8), "what follows the chunks is no model");
    assert!(text(&recorded.stderr).contains("6 steps"), "{}", text(&recorded.stderr));
}

#[test]
fn a_sound_that_is_not_heard_is_said() {
    let [scene, sound] = ["cli-unheard.acfg", "cli-unheard.wav"].map(out_file);
    let places = "[{file: gone.ogg, position: [0, 0, 0], reach: 500, volume: 1}]";
    std::fs::write(&scene, format!("version: 9.0\nwalkabout: {{sounds: {{places: {places}}}}}\n")).unwrap();
    let (scene, sound) = (scene.to_str().unwrap(), sound.to_str().unwrap());
    let rendered = walkabout(&["render", scene, "--sound", sound, "--seconds", "0.1"]);
    let said = text(&rendered.stderr);
    assert!(rendered.status.success() && said.contains("Sound not loaded") && said.contains("gone.ogg"), "{said}");
    assert_eq!(said.matches("gone.ogg").count(), 1, "once, however long the recording is: {said}");
}

#[test]
fn who_reads_no_standard_error_gets_the_answer() {
    let [scene, recording] = ["cli-unread.acfg", "cli-unread.glb"].map(out_file);
    let level = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/levels/arena.obj");
    std::fs::write(&scene, format!("version: 9.0\nlevels: [{{level-name: arena, level-file: {level}}}]\n")).unwrap();
    let (scene, recording) = (scene.to_str().unwrap(), recording.to_str().unwrap());
    let run = ["simulate", scene, "--seconds", "0.1", "--json", "--record", recording];
    let mut child = program().args(run).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(json(&child.wait_with_output().unwrap())["steps"], 6);
}

#[test]
fn json_and_a_file_do_not_share_standard_output() {
    let mesh = write_corner_mesh("cli-output.json");
    for arguments in [
        &["index", mesh.as_str(), "--out", "-", "--json"][..],
        &["simulate", "config/arena.acfg", "--record", "-", "--json"],
        &["bench", "--gpu", "--plot", "-", "--json"],
    ] {
        let refused = walkabout(arguments);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(refused.stdout.is_empty() && said.contains("both write to standard output"), "{arguments:?}: {said}");
    }
}

/// Elsewhere file systems take no such names.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_unicode_are_shown_in_json() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().unwrap();
    let named = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
    let (mesh, cases) = (named(b"yard \xff.json"), named(b"yard \xff.yaml"));
    let known = write_corner_mesh("cli-no-unicode.json");
    std::fs::copy(&known, &mesh).unwrap();
    let case = "planner: exact, from: [1, 0, 1], to: [3, 0, 3], expect: {found: true}";
    std::fs::write(&cases, format!("- {{name: round, mesh: '{known}', {case}}}\n")).unwrap();
    let (none, ends): (&[&str], &[&str]) = (&[], &["--from", "1,0,1", "--to", "3,0,3"]);
    for (command, files, more) in [
        ("check", vec![&mesh], none),
        ("doctor", vec![&mesh], none),
        ("doctor", vec![&mesh], ends),
        ("diff", vec![&mesh, &mesh], none),
        ("nav-test", vec![&cases], none),
    ] {
        let output = program().arg(command).args(files).args(more).arg("--json").output().unwrap();
        let said = serde_json::from_slice::<serde_json::Value>(&output.stdout);
        let said = said.unwrap_or_else(|_| panic!("{command}: {}", text(&output.stderr))).to_string();
        assert!(said.contains("yard \u{fffd}."), "{command}: {said}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_told_before_the_work() {
    for arguments in [
        &["simulate", "config/arena.acfg", "--seconds", "86400", "--record", "no/such/yard.glb", "--fps", "1"][..],
        &["render", "config/arena.acfg", "--seconds", "3600", "--out", "no/such/yard.png"],
        &["render", "config/arena.acfg", "--seconds", "3600", "--sound", "no/such/yard.wav"],
        &["convert", "config/arena.acfg", "no/such/yard.acfg"],
        &["bench", "--gpu", "--plot", "no/such/times.png"],
        &["bench", "--paths", "config", "--csv", "no/such/times.csv"],
    ] {
        let refused = walkabout(arguments);
        let said = text(&refused.stderr);
        assert!(
            refused.status.code() == Some(1) && said.contains("there is no folder no/such;"),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn a_folder_that_takes_no_manual_is_named() {
    let file = out_file("cli-no-folder");
    std::fs::write(&file, "a file").unwrap();
    let refused = walkabout(&["man", "--out", file.to_str().unwrap()]);
    let said = text(&refused.stderr);
    assert!(refused.status.code() == Some(1) && said.contains("cli-no-folder"), "{said}");
}

#[test]
fn a_bake_takes_the_settings_that_one_has_printed() {
    let [whole, settings] = ["cli-report.json", "cli-settings.json"].map(out_file);
    let bake = |more: &[&str]| walkabout(&[&["bake", "assets/levels/arena.obj", "--json"], more].concat());
    let report = json(&bake(&["--cell-size", "0.25"]));
    std::fs::write(&whole, report.to_string()).unwrap();
    std::fs::write(&settings, report["settings"].to_string()).unwrap();
    for file in [&whole, &settings] {
        assert_eq!(json(&bake(&["--settings", file.to_str().unwrap()]))["settings"], report["settings"], "{file:?}");
    }
    std::fs::write(&settings, "{\"cell_sise\": 0.25}").unwrap();
    let said = text(&bake(&["--settings", settings.to_str().unwrap()]).stderr);
    assert!(said.contains("unknown field `cell_sise`"), "{said}");
}

#[test]
fn a_bake_of_nothing_says_for_whom() {
    let level = out_file("too-narrow.obj");
    std::fs::write(&level, "v 0 0 0\nv 0 0 2\nv 2 0 2\nv 2 0 0\nf 1 2 3 4\n").unwrap();
    let refused = walkabout(&["bake", level.to_str().unwrap(), "--agent-radius", "3"]);
    let said = text(&refused.stderr);
    let parts = ["too-narrow.obj", "3.00 m radius", "--agent-radius", "walkabout doctor"];
    assert!(refused.status.code() == Some(1) && parts.iter().all(|part| said.contains(part)), "{said}");
    // Another agent is no remedy for the rest.
    let fine = ["--cell-size", "0.01", "--cell-height", "0.01", "--agent-radius", "0.3"];
    for (options, cause) in [(&["--seed", "900,0,900"][..], "seed 1 has no polygon"), (&fine, "use larger cells")] {
        let refused = walkabout(&[&["bake", "assets/levels/plaza.glb"], options].concat());
        let said = text(&refused.stderr);
        assert!(refused.status.code() == Some(1) && said.contains(cause) && said.contains("plaza.glb"), "{said}");
        assert!(!said.contains("--agent-radius"), "{said}");
    }
}

#[test]
fn options_out_of_range_are_not_laid_to_the_file_of_settings() {
    let settings = out_file("cli-ranges.json");
    let name = settings.to_str().unwrap();
    let bake = |written: &str, more: &[&str]| {
        std::fs::write(&settings, written).unwrap();
        let refused = walkabout(&[&["bake", "assets/levels/arena.obj", "--settings", name], more].concat());
        (refused.status.code(), text(&refused.stderr))
    };
    let (code, said) = bake("{}", &["--agent-radius", "-1"]);
    assert!(code == Some(2) && said.contains("--agent-radius is -1; give a number") && !said.contains(name), "{said}");
    let (code, said) = bake("{\"agent_radius\": -1}", &[]);
    assert!(code == Some(1) && said.contains("'agent_radius' is -1") && said.contains(name), "{said}");
}
