//! One name, one type; and errors that are types.

use super::parts::{code, is_word, production, sources};
use super::ratchet;
use std::collections::{BTreeMap, BTreeSet};

/// Longest name of a test, characters.
const MAX_TEST_NAME: usize = 60;

/// Names of the types that a text defines.
fn types(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in code(text).lines() {
        let line = line.trim_start();
        let line =
            ["pub(crate) ", "pub(super) ", "pub "].iter().fold(line, |l, word| l.strip_prefix(word).unwrap_or(l));
        let kinds = ["struct ", "enum ", "trait ", "union "];
        if let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) {
            found.push(rest.chars().take_while(|c| is_word(*c)).collect());
        }
    }
    found
}

/// Names that stand for more than one type.
fn shared_names(files: &[(String, String)]) -> BTreeSet<String> {
    let mut count: BTreeMap<String, u32> = BTreeMap::new();
    for name in files.iter().flat_map(|(_, text)| types(text)) {
        *count.entry(name).or_default() += 1;
    }
    count.retain(|name, count| *count > 1 && !name.is_empty());
    count.into_keys().collect()
}

#[test]
fn a_name_stands_for_one_type() {
    ratchet::check("shared_type_names", "a name stands for one type", &shared_names(&production()));
}

/// Names of the tests of a text.
fn tests(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[test]") {
            is_test = true;
        } else if let Some(rest) = line.strip_prefix("fn ") {
            found.extend(rest.split('(').next().filter(|_| is_test));
            is_test = false;
        }
    }
    found
}

#[test]
fn names_of_tests_are_short() {
    let mut long = BTreeSet::new();
    for (_, text) in ["src", "tests"].into_iter().flat_map(|folder| sources(folder, "rs")) {
        long.extend(tests(&text).into_iter().filter(|name| name.len() > MAX_TEST_NAME).map(str::to_owned));
    }
    ratchet::check("long_test_names", &format!("the name of a test has at most {MAX_TEST_NAME} characters"), &long);
}

/// The functions that say `Result<_, String>`, in their heads or bodies; none for what stands before the first.
fn text_errors(text: &str) -> BTreeSet<String> {
    let (mut found, mut function) = (BTreeSet::new(), "none".to_owned());
    for line in code(text).lines() {
        if let Some((before, rest)) = line.split_once("fn ")
            && before.chars().all(|c| is_word(c) || c.is_whitespace() || c == '(' || c == ')')
        {
            function = rest.chars().take_while(|c| is_word(*c)).collect();
        }
        if line.contains("Result<") && line.contains(", String>") {
            found.insert(function.clone());
        }
    }
    found
}

#[test]
fn errors_are_types() {
    let mut found = BTreeSet::new();
    for (file, text) in production() {
        found.extend(text_errors(&text).into_iter().map(|function| format!("{file} fn {function}")));
    }
    ratchet::check("text_errors", "an error is a type, not a String", &found);
}

#[test]
fn shared_names_and_text_errors_are_found() {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let files =
        [file("a.rs", "pub struct One;\nenum Two {}\n"), file("b.rs", "pub(super) trait One {}\n// struct Two\n")];
    assert_eq!(shared_names(&files).into_iter().collect::<Vec<_>>(), ["One"]);
    assert_eq!(tests("#[test]\n/// What.\nfn a() {\nfn b() {"), ["a"]);
    let found =
        text_errors("    pub(super) fn a() -> Result<(u8, u8), String> {\nfn b() -> Result<(), Error>\nlet f = 1;");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a"]);
}
