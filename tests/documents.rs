//! The documents name what the program knows.

#![allow(clippy::unwrap_used, reason = "a test that cannot read a document has to fail")]

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

/// Names of test functions that begin with the id of a requirement, such as `d_02_` or `tp_7_`, in a source folder.
fn tests_of_requirements(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests_of_requirements(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            let names = source.lines().filter_map(|l| l.trim().strip_prefix("fn ")).filter_map(|l| l.split('(').next());
            found.extend(names.filter(|name| requirement(name).is_some()).map(str::to_owned));
        }
    }
}

/// The requirement that a test's name begins with.
fn requirement(name: &str) -> Option<(String, u32)> {
    let (kind, rest) = name.split_once('_')?;
    let number = rest.split('_').next()?.parse().ok()?;
    ["b", "d", "e", "n", "r", "tp", "z"].contains(&kind).then(|| (kind.to_uppercase(), number))
}

#[test]
fn every_navigation_requirement_has_a_row_and_every_test_of_one_is_in_it() {
    let document = text("docs/navigation.md");
    let row = |kind: &str, number: u32| document.lines().find(|l| l.starts_with(&format!("| {kind}-{number} |")));
    for (kind, count) in [("B", 9), ("D", 11), ("E", 5), ("N", 10), ("R", 9), ("TP", 18), ("Z", 6)] {
        for number in 1..=count {
            assert!(row(kind, number).is_some(), "docs/navigation.md has no row for {kind}-{number}");
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = Vec::new();
    tests_of_requirements(&root.join("src"), &mut tests);
    tests_of_requirements(&root.join("tests"), &mut tests);
    assert!(tests.len() > 40, "only {} tests of requirements found", tests.len());
    for test in tests {
        let (kind, number) = requirement(&test).unwrap();
        let named = row(&kind, number).is_some_and(|row| row.contains(&format!("`{test}`")));
        assert!(named, "the row {kind}-{number} of docs/navigation.md does not name the test {test}");
    }
    for name in document.lines().filter(|l| l.starts_with("| ")).flat_map(|l| l.split('`').skip(1).step_by(2)) {
        if requirement(name).is_some() {
            let known = |folder: &str| {
                let mut all = Vec::new();
                tests_of_requirements(&root.join(folder), &mut all);
                all.iter().any(|t| t == name)
            };
            assert!(known("src") || known("tests"), "docs/navigation.md names {name}, which is no test");
        }
    }
}
