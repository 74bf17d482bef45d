//! The examples run as programs of their own, and say what they are for.

#![allow(clippy::unwrap_used, reason = "a test that cannot read an example has to fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Longest example, lines.
const MAX_LINES: usize = 60;

/// Examples, each with words of a line that it has to print.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("agent_radii", &["radius 0.3 m:", "to a wall", "radius 4.8 m: no path", "too narrow"]),
    ("bake_and_path", &["triangles became", "m over", "polygons:"]),
    ("crowd_through_door", &["60 agents of 0.6 m", "are through", "all arrived after"]),
    ("draw_frame", &["640 x 360 pixels by"]),
    ("exact_and_tactical", &["exact", "tactical, exposure  1.0", "are seen"]),
    ("jump_links", &["jumps found", "without links: no path", "Some(Placed) from"]),
    ("moving_obstacle", &["empty floor                  18.00 m", "no path: ", "1 polygon, as at first: true"]),
    ("own_planner", &["least climb", "m of climb"]),
    ("sliced_search", &["closed, best corridor", "found a path with"]),
    ("step_scene", &["characters on", "state hash after 600 steps:"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where cargo puts an example: `cargo test` builds all of them beside the tests.
fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let program =
        own.parent().unwrap().with_file_name("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        program.exists(),
        "{} is not built; `cargo build --examples` builds it, and so does `cargo test` without a choice of targets",
        program.display()
    );
    program
}

/// Runs an example in the package's folder and checks what it prints.
fn check(name: &str, arguments: &[&str]) {
    let done = Command::new(program(name)).args(arguments).current_dir(root()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{name}: {said}\n{}", String::from_utf8_lossy(&done.stderr));
    for words in EXAMPLES.iter().find(|e| e.0 == name).unwrap().1 {
        assert!(said.contains(words), "{name} does not print '{words}':\n{said}");
    }
}

macro_rules! examples {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), &[]);
        })*
    };
}

examples! {
    agent_radii bake_and_path crowd_through_door exact_and_tactical jump_links moving_obstacle own_planner sliced_search
    step_scene
}

#[test]
fn draw_frame() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frame.png");
    check("draw_frame", &[file.to_str().unwrap()]);
    let picture = image::open(file).unwrap().to_rgb8();
    let first = *picture.get_pixel(0, 0);
    assert!(picture.pixels().any(|pixel| *pixel != first), "the picture has one colour");
}

#[test]
fn every_example_is_short_run_and_in_the_readme() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut names = Vec::new();
    for entry in fs::read_dir(root().join("examples")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().count();
        assert!(lines <= MAX_LINES, "examples/{name}.rs has {lines} lines, at most {MAX_LINES}");
        assert!(!text.contains("unwrap()") && !text.contains("expect("), "examples/{name}.rs returns its errors");
        assert!(readme.contains(&format!("| [`{name}`](examples/{name}.rs) |")), "README.md does not list {name}");
        names.push(name);
    }
    names.sort_unstable();
    let run: Vec<&str> = EXAMPLES.iter().map(|example| example.0).collect();
    assert_eq!(names, run, "every example is run");
}
