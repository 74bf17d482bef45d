//! Lengths of files and functions, and equal names in both languages.

use super::parts::{functions, sources};
use super::ratchet;
use std::collections::BTreeSet;

const MAX_LINES: usize = 600;
const MAX_FUNCTION_LINES: usize = 80;
const MAX_MAIN_LINES: usize = 80;
/// Longest file and function that the lists may hold.
const MAX_LISTED_LINES: usize = 800;
const MAX_LISTED_FUNCTION_LINES: usize = 100;

/// All sources with the folders that they lie in.
fn all() -> Vec<(String, String)> {
    let folders = [("src", "rs"), ("tests", "rs"), ("benches", "rs"), ("examples", "rs"), ("shaders", "wgsl")];
    folders.iter().flat_map(|(folder, extension)| sources(folder, extension)).collect()
}

#[test]
fn files_stay_short() {
    let mut long = BTreeSet::new();
    for (file, text) in all() {
        let lines = text.lines().count();
        assert!(lines <= MAX_LISTED_LINES, "{file}: {lines} lines, at most {MAX_LISTED_LINES} even if listed");
        if lines > if file == "src/main.rs" { MAX_MAIN_LINES } else { MAX_LINES } {
            long.insert(file);
        }
    }
    ratchet::check("long_files", &format!("a file has at most {MAX_LINES} lines"), &long);
}

#[test]
fn functions_stay_short() {
    let mut long = BTreeSet::new();
    for (file, text) in all() {
        for (name, line, length) in functions(&text) {
            let most = MAX_LISTED_FUNCTION_LINES;
            assert!(length <= most, "{file}:{line}: fn {name} has {length} lines, at most {most} even if listed");
            if length > MAX_FUNCTION_LINES {
                long.insert(format!("{file} fn {name}"));
            }
        }
    }
    ratchet::check("long_functions", &format!("a function has at most {MAX_FUNCTION_LINES} lines"), &long);
}

/// The shaders that no Rust file of the drawing room has the name of.
fn lonely_shaders(shaders: &[String], render: &[String]) -> BTreeSet<String> {
    let stem = |file: &String| file.rsplit('/').next().and_then(|name| name.split('.').next()).map(str::to_owned);
    let rust: BTreeSet<String> = render.iter().filter_map(stem).collect();
    let drawn = shaders.iter().filter(|file| !file.contains("/shared/"));
    drawn.filter(|&file| !stem(file).is_some_and(|stem| rust.contains(&stem))).cloned().collect()
}

#[test]
fn stems_are_equal_in_both_languages() {
    let names = |folder, extension| sources(folder, extension).into_iter().map(|(file, _)| file).collect::<Vec<_>>();
    let lonely = lonely_shaders(&names("shaders", "wgsl"), &names("src/render", "rs"));
    ratchet::check("lonely_shaders", "a shader and the Rust file of its pass have the same stem", &lonely);
}

#[test]
fn lonely_shaders_are_found() {
    let files = |list: &[&str]| list.iter().map(|f| (*f).to_owned()).collect::<Vec<String>>();
    let shaders = files(&["shaders/a.wgsl", "shaders/b.wgsl", "shaders/shared/c.wgsl"]);
    let lonely = lonely_shaders(&shaders, &files(&["src/render/a.rs", "src/render/pass/d.rs"]));
    assert_eq!(lonely.into_iter().collect::<Vec<_>>(), ["shaders/b.wgsl"]);
}
