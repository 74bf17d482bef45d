//! The rules of the house: who imports whom, which crate lives where, headers, lengths, forbidden words.

#![allow(clippy::unwrap_used, reason = "a test that cannot read the sources has to fail")]

#[path = "house/cycles.rs"]
mod cycles;
#[path = "house/names.rs"]
mod names;
#[path = "house/sources.rs"]
mod parts;
#[path = "house/ratchet.rs"]
mod ratchet;
#[path = "house/shape.rs"]
mod shape;
#[path = "house/signatures.rs"]
mod signatures;

use parts::{code_lines, production, root, sources};
use std::collections::BTreeMap;
use std::fs;

/// Rooms with their floor. A room imports from lower floors only, plus what [`SIDE_DOORS`] names.
const FLOORS: &[(&str, u32)] = &[
    ("math", 0),
    ("prefetch", 0),
    ("background", 0),
    ("disk", 0),
    ("ids", 0),
    ("vocab", 0),
    ("input", 0),
    ("debug", 0),
    ("profile", 0),
    ("asset", 1),
    ("anim", 2),
    ("collide", 2),
    ("nav", 2),
    ("behavior", 2),
    ("camera", 2),
    ("sound", 2),
    ("scene", 3),
    ("sim", 4),
    ("inspect", 5),
    ("gpu", 1),
    ("render", 6),
    ("ui", 6),
    ("app", 7),
];

/// Rooms that do not see each other although their floors would allow it.
const WALLS: &[(&str, &[&str])] = &[
    ("gpu", &["asset", "anim", "collide", "nav", "behavior", "camera", "scene", "sim", "inspect"]),
    ("ui", &["gpu", "render"]),
    ("anim", &["gpu"]),
    ("collide", &["gpu"]),
    ("nav", &["gpu"]),
    ("behavior", &["gpu"]),
    ("camera", &["gpu"]),
    ("sound", &["gpu"]),
    ("scene", &["gpu"]),
    ("sim", &["gpu"]),
    ("inspect", &["gpu"]),
];

/// Outside crates and the only places that may name them.
const HOMES: &[(&str, &[&str])] = &[
    ("kira", &["src/sound/", "src/app/"]),
    ("wgpu", &["src/gpu/", "src/render/", "src/app/"]),
    ("egui", &["src/ui/", "src/app/"]),
    ("egui_wgpu", &["src/app/"]),
    ("egui_winit", &["src/app/"]),
    ("egui_dock", &["src/ui/"]),
    ("egui_snarl", &["src/ui/"]),
    ("egui_plot", &["src/ui/"]),
    ("egui_file_dialog", &["src/ui/", "src/app/"]),
    ("winit", &["src/app/"]),
    ("russimp", &["src/asset/import"]),
    ("serde_yaml", &["src/scene/file/"]),
    ("postcard", &["src/asset/"]),
    (
        "blake3",
        &["src/asset/", "src/nav/mesh/file.rs", "src/nav/query/polyanya/index_file.rs", "src/nav/bake/watershed.rs"],
    ),
    ("image", &["src/asset/", "src/render/", "src/app/"]),
    ("anyhow", &["src/app/", "src/main.rs"]),
    ("clap", &["src/app/", "src/main.rs"]),
    ("directories", &["src/asset/", "src/app/"]),
    ("tracing_subscriber", &["src/app/", "src/main.rs"]),
];

fn room_of(file: &str) -> Option<&str> {
    let rest = file.strip_prefix("src/")?;
    let first = rest.split('/').next()?;
    Some(first.strip_suffix(".rs").unwrap_or(first))
}

/// Rooms that `line` names by `crate::room` or inside `use crate::{…}`.
fn rooms_named(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find("crate::") {
        let before = rest[..at].chars().last();
        rest = &rest[at + "crate::".len()..];
        if before == Some('$') {
            continue;
        }
        if let Some(list) = rest.strip_prefix('{') {
            let list = list.split('}').next().unwrap_or("");
            found.extend(list.split(',').map(|item| item.trim().split("::").next().unwrap_or("").to_owned()));
        } else {
            found.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    found.retain(|name| FLOORS.iter().any(|(room, _)| room == name));
    found
}

#[test]
fn tp_14_the_tactical_search_has_no_triangles_to_cast_rays_at() {
    let files = production().into_iter().filter(|(file, _)| file.starts_with("src/nav/tactical"));
    let mut count = 0;
    for (file, text) in files {
        for (line_number, line) in code_lines(&text) {
            let is_of_rays =
                ["math::ray", "Ray {", "TriangleTree", "LevelTriangle"].iter().any(|name| line.contains(name));
            assert!(!is_of_rays, "{file}:{line_number}: {line}");
        }
        count += 1;
    }
    assert!(count > 10, "{count} files");
}

#[test]
fn rooms_import_only_from_floors_below() {
    let floors: BTreeMap<&str, u32> = FLOORS.iter().copied().collect();
    let mut faults = Vec::new();
    for (file, text) in sources("src", "rs") {
        let Some(room) = room_of(&file).filter(|room| !["lib", "main"].contains(room)) else { continue };
        let Some(&floor) = floors.get(room) else {
            faults.push(format!("{file}: room '{room}' is not in the floor plan"));
            continue;
        };
        let walls = WALLS.iter().find(|(r, _)| *r == room).map_or(&[][..], |(_, w)| *w);
        for (line_number, line) in code_lines(&text) {
            for other in rooms_named(line) {
                let allowed = other == room
                    || (floor == 0 && floors[other.as_str()] == 0)
                    || (floors[other.as_str()] < floor && !walls.contains(&other.as_str()));
                if !allowed {
                    faults.push(format!("{file}:{line_number}: '{room}' must not import '{other}'"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn names_crate(line: &str, name: &str) -> bool {
    let needle = format!("{name}::");
    line.match_indices(&needle)
        .any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'))
        || line.trim_start().starts_with(&format!("use {name};"))
}

#[test]
fn each_outside_crate_has_one_home() {
    let mut faults = Vec::new();
    for (file, text) in sources("src", "rs") {
        for (line_number, line) in code_lines(&text) {
            for (name, homes) in HOMES {
                if names_crate(line, name) && !homes.iter().any(|home| file.starts_with(home)) {
                    faults.push(format!("{file}:{line_number}: '{name}' is at home in {homes:?} only"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn files_are_opened_by_the_room_that_bounds_them() {
    const OPENERS: &[&str] = &["fs::read(", "fs::read_to_string(", "File::open(", "image::open(", "Data::from_file("];
    // Locks and folders.
    const OPEN_OTHERS: &[&str] = &["src/app/recovery.rs"];
    let mut faults = Vec::new();
    for (file, text) in parts::production() {
        if file.starts_with("src/disk/") || OPEN_OTHERS.contains(&file.as_str()) {
            continue;
        }
        for (line_number, line) in code_lines(&text) {
            faults.extend(OPENERS.iter().filter(|o| line.contains(**o)).map(|o| format!("{file}:{line_number}: {o}")));
        }
    }
    for (file, text) in parts::production().iter().filter(|(file, _)| !file.starts_with("src/disk/")) {
        const WRITERS: &[&str] = &["fs::write(", "fs::rename(", "OpenOptions", "save_buffer"];
        for (line_number, line) in code_lines(text) {
            faults.extend(WRITERS.iter().filter(|w| line.contains(**w)).map(|w| format!("{file}:{line_number}: {w}")));
        }
    }
    assert!(faults.is_empty(), "read and write files through crate::disk:\n{}", faults.join("\n"));
}

#[test]
fn every_file_says_what_it_is() {
    let mut faults = Vec::new();
    for folder in ["src", "tests", "benches", "examples"] {
        for (file, text) in sources(folder, "rs") {
            if !text.starts_with("//! ") {
                faults.push(format!("{file}: begins without a //! header"));
            }
        }
    }
    for (file, text) in sources("shaders", "wgsl") {
        if !text.starts_with("// ") {
            faults.push(format!("{file}: begins without a // header"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn nothing_is_left_open() {
    // Spelled in two parts so that this file does not accuse itself.
    let forbidden = [("to", "do!("), ("unimple", "mented!("), ("db", "g!("), ("TO", "DO"), ("FIX", "ME"), ("XX", "X")];
    let mut faults = Vec::new();
    for (folder, extension) in
        [("src", "rs"), ("tests", "rs"), ("benches", "rs"), ("examples", "rs"), ("shaders", "wgsl")]
    {
        for (file, text) in sources(folder, extension) {
            for (i, line) in text.lines().enumerate() {
                for (a, b) in forbidden {
                    if line.contains(&format!("{a}{b}")) {
                        faults.push(format!("{file}:{}: {a}{b}", i + 1));
                    }
                }
                if line.trim_start().starts_with("#[ignore") {
                    faults.push(format!("{file}:{}: an ignored test", i + 1));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_dependency_is_justified() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert!(architecture.lines().count() <= 150, "ARCHITECTURE.md has more than 150 lines");
    let mut in_dependencies = false;
    let mut missing = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line.contains("dependencies");
        } else if in_dependencies
            && let Some((name, _)) = line.split_once(" = ")
            && !architecture.contains(&format!("`{name}`"))
        {
            missing.push(name.to_owned());
        }
    }
    assert!(missing.is_empty(), "ARCHITECTURE.md does not say why these are needed: {missing:?}");
}

#[test]
fn the_checks_can_fail() {
    assert_eq!(rooms_named("use crate::{sim::World, math::Aabb};"), ["sim", "math"]);
    assert_eq!(rooms_named("let x = crate::render::Renderer::new();"), ["render"]);
    assert!(names_crate("let d: wgpu::Device;", "wgpu"));
    assert!(!names_crate("use egui_wgpu::Renderer;", "wgpu"));
    assert!(names_crate("use winit;", "winit"));
}
