//! The documents name what the program knows.

#![allow(clippy::unwrap_used, reason = "a test that cannot read a document has to fail")]

#[path = "documents/requirements.rs"]
mod requirements;

use std::fs;
use std::path::Path;

fn text(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// Keys of the serde structs of scene files: field names in kebab case, or what they are renamed to.
fn scene_keys(source: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let mut renamed: Option<String> = None;
    for line in source.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("#[serde(rename = \"") {
            renamed = rest.split('"').next().map(str::to_owned);
        } else if let Some(field) = line.strip_prefix("pub ").and_then(|rest| rest.split_once(": ")) {
            let key = renamed.take().unwrap_or_else(|| field.0.replace('_', "-"));
            keys.push(key);
        }
    }
    // Flattened: their keys stand among the others. Functions are no keys.
    keys.retain(|key| !["unknown", "motion"].contains(&key.as_str()) && !key.contains(' '));
    keys
}

#[test]
fn every_scene_key_is_described() {
    let mut keys = scene_keys(&text("src/scene/file/v9.rs"));
    for part in ["camera_motion", "clip_layer", "zones", "door"] {
        keys.extend(scene_keys(&text(&format!("src/scene/{part}.rs"))));
    }
    assert!(keys.len() > 110, "only {} keys found", keys.len());
    let document = text("docs/scene-format.md");
    let missing: Vec<&String> = keys.iter().filter(|key| !document.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/scene-format.md does not describe {missing:?}");
}

/// The sources of a folder of `src`, one after the other.
fn sources(folder: &str) -> String {
    let mut out = String::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                out += &fs::read_to_string(entry).unwrap();
            }
        }
    }
    out
}

/// What stands between two marks in a line.
fn between<'a>(line: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    line.split(mark).skip(1).step_by(2)
}

#[test]
fn the_comparison_with_the_original_names_what_is_there() {
    let document = text("docs/original.md");
    let mut shown = sources("src/ui");
    for file in ["inspect/overlays", "behavior/kind", "vocab", "anim/speed_curve", "camera/rail", "scene/door"] {
        shown += &text(&format!("src/{file}.rs"));
    }
    let (keys, readme) = (text("docs/scene-format.md") + &text("docs/behavior.md"), text("README.md"));
    let rows: Vec<&str> = document.lines().filter(|line| line.starts_with("| ")).collect();
    assert!(rows.len() > 60, "{} rows", rows.len());
    for row in rows {
        // The first column speaks of the original.
        let ours = row.split_once(" | ").map_or("", |(_, ours)| ours);
        for code in between(ours, "`") {
            let is_known = match code.strip_prefix("walkabout ") {
                Some(command) => readme.contains(&format!("walkabout {command} ")),
                None => keys.contains(&format!("`{code}")),
            };
            assert!(is_known, "docs/original.md names `{code}`");
        }
        for label in between(&ours.replace('`', ""), "*") {
            let is_shown = shown.contains(&format!("\"{label}\"")) || shown.contains(&format!(" {label}\""));
            assert!(is_shown, "docs/original.md names *{label}*, which nothing shows");
        }
    }
    for link in document.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(link).exists(), "it links to {link}");
    }
}

#[test]
fn every_picture_stands_in_a_document() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|file| file.unwrap().path());
    let guides: String = docs.filter(|file| file.is_file()).map(|file| fs::read_to_string(file).unwrap()).collect();
    let documents = text("README.md") + &guides;
    for picture in fs::read_dir(root.join("docs/pictures")).unwrap().map(|file| file.unwrap().file_name()) {
        let name = picture.to_string_lossy();
        assert!(documents.contains(&format!("pictures/{name})")), "no document shows {name}");
    }
}

#[test]
fn the_readme_shows_pictures_that_exist_and_names_every_command() {
    let readme = text("README.md");
    for link in readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        if !link.starts_with("http") {
            assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(link).exists(), "README.md links to {link}");
        }
    }
    let navigation = ["ground", "path", "bake", "nav-query", "nav-test"];
    for command in ["render", "simulate", "check", "convert", "import", "bench"].into_iter().chain(navigation) {
        assert!(readme.contains(&format!("walkabout {command} ")), "README.md does not show {command}");
    }
}
