//! The sources as text, without what could fake code.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the package.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, extension, out);
        } else if path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
    out.sort();
}

/// Path from the package root with forward slashes, and the text.
pub fn sources(folder: &str, extension: &str) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    files_below(&root().join(folder), extension, &mut paths);
    assert!(!paths.is_empty(), "no .{extension} files below {folder}");
    paths
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
            (name, fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// Whether a file of `src` holds only tests.
pub fn is_test(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    file.contains("/tests/") || name.ends_with("tests.rs") || name.starts_with("fixture")
}

/// The files of `src` without tests: neither their files nor their modules at the ends of others.
pub fn production() -> Vec<(String, String)> {
    let files = sources("src", "rs").into_iter().filter(|(file, _)| !is_test(file));
    files.map(|(file, text)| (file, without_tests(&text).to_owned())).collect()
}

/// A file's text up to its module of tests.
pub fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

/// Code with its line numbers, without line comments, which could hide or fake a path.
pub fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(i, line)| {
        let line = line.split("//").next().unwrap_or("");
        (!line.trim().is_empty()).then_some((i + 1, line))
    })
}

/// Code without line comments and attributes, as one text.
pub fn code(text: &str) -> String {
    let lines = code_lines(text).map(|(_, line)| line).filter(|line| !line.trim_start().starts_with("#["));
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a character may stand in an identifier.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Functions with their first line and length, by indentation: formatted code closes a function at the column
/// where it began.
pub fn functions(text: &str) -> Vec<(String, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let head = ["pub(crate) ", "pub(super) ", "pub ", "const ", "async ", "unsafe "]
            .iter()
            .fold(code, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
        let Some(rest) = head.strip_prefix("fn ") else { continue };
        let name = rest.chars().take_while(|c| is_word(*c)).collect();
        let indent = &line[..line.len() - code.len()];
        let close = format!("{indent}}}");
        if let Some(length) = lines[start..].iter().position(|l| *l == close) {
            found.push((name, start + 1, length + 1));
        }
    }
    found
}

#[test]
fn functions_and_tests_are_found() {
    let text = "//! x\nimpl A {\n    pub fn long(&self) {\n        a();\n    }\n}\n";
    assert_eq!(functions(text), [("long".to_owned(), 3, 3)]);
    assert_eq!(without_tests("a();\n#[cfg(test)]\nmod tests {\n}\n"), "a();");
    assert_eq!(code("#[must_use]\nlet a = 1; // crate::ui\n"), "let a = 1; ");
    assert!(is_test("src/nav/query/tests.rs") && is_test("src/sim/tests/behavior.rs") && !is_test("src/nav/query.rs"));
}
