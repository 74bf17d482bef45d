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
    keys.retain(|key| key != "unknown");
    keys
}

#[test]
fn every_scene_key_is_described() {
    let keys = scene_keys(&text("src/scene/file/v9.rs"));
    assert!(keys.len() > 80, "only {} keys found", keys.len());
    let document = text("docs/scene-format.md");
    let missing: Vec<&String> = keys.iter().filter(|key| !document.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/scene-format.md does not describe {missing:?}");
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
