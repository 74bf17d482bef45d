//! Public signatures stay readable: few parameters, and names in place of large tuples.

use super::parts::{code, is_word, production};
use super::ratchet;
use std::collections::BTreeSet;

const MAX_PARAMETERS: usize = 6;
const MAX_TUPLE: usize = 2;

/// A public function: its name, and its parameters and answer as text.
struct Signature {
    name: String,
    parameters: String,
    answer: String,
}

/// The place of the bracket that closes the one at `open`.
fn closing(text: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.iter().enumerate().skip(open) {
        match c {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// All public functions of a text.
fn signatures(text: &str) -> Vec<Signature> {
    let code = code(text);
    let mut found = Vec::new();
    for head in ["pub fn ", "pub const fn ", "pub unsafe fn "] {
        for (at, _) in code.match_indices(head) {
            let rest = &code[at + head.len()..];
            let name: String = rest.chars().take_while(|c| is_word(*c)).collect();
            let after = past_generics(rest, name.len());
            if rest.as_bytes().get(after) != Some(&b'(') {
                continue;
            }
            let Some(close) = closing(rest.as_bytes(), after) else { continue };
            let answer = rest[close + 1..].split(['{', ';']).next().unwrap_or_default();
            let parameters = rest[after + 1..close].to_owned();
            found.push(Signature { name, parameters, answer: answer.to_owned() });
        }
    }
    found
}

/// Where the parameters begin: behind the generic ones at `at`, if there are some.
fn past_generics(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'<') {
        return at;
    }
    let mut depth = 0;
    for i in at..bytes.len() {
        match bytes[i] {
            b'<' => depth += 1,
            b'>' if bytes[i - 1] != b'-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i + 1;
        }
    }
    at
}

/// The parts of a list that commas outside of brackets separate; one after the last comma counts if it is not empty.
fn parts(list: &str) -> usize {
    let (mut depth, mut count, mut is_empty, mut before) = (0, 0, true, ' ');
    for c in list.chars() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if before != '-' && before != '=' => depth -= 1,
            ',' if depth == 0 => {
                count += usize::from(!is_empty);
                is_empty = true;
                before = c;
                continue;
            }
            _ => {}
        }
        is_empty &= c.is_whitespace();
        before = c;
    }
    count + usize::from(!is_empty)
}

/// The largest tuple in a text of types and patterns; the parameters of functions and closures are none.
fn largest_tuple(text: &str) -> usize {
    let opens = text.match_indices('(').filter(|(at, _)| !text[..*at].ends_with(is_word));
    let inside = |at: usize| closing(text.as_bytes(), at).map(|close| parts(&text[at + 1..close]));
    opens.filter_map(|(at, _)| inside(at)).max().unwrap_or(0)
}

impl Signature {
    /// Parameters besides `self`.
    fn count(&self) -> usize {
        let first = self.parameters.split(',').next().unwrap_or_default();
        let is_self = first.split(|c| !is_word(c)).any(|word| word == "self");
        parts(&self.parameters) - usize::from(is_self)
    }
}

#[test]
fn public_functions_have_few_parameters_and_no_large_tuples() {
    let (mut many, mut tuples) = (BTreeSet::new(), BTreeSet::new());
    for (file, text) in production() {
        for signature in signatures(&text) {
            let entry = format!("{file} fn {}", signature.name);
            if signature.count() > MAX_PARAMETERS {
                many.insert(entry.clone());
            }
            if largest_tuple(&signature.parameters).max(largest_tuple(&signature.answer)) > MAX_TUPLE {
                tuples.insert(entry);
            }
        }
    }
    ratchet::check("many_parameters", &format!("a public function has at most {MAX_PARAMETERS} parameters"), &many);
    ratchet::check("large_tuples", &format!("a tuple in a public signature has at most {MAX_TUPLE} parts"), &tuples);
}

#[test]
fn parameters_and_tuples_are_counted() {
    let one = |text: &str| signatures(text).remove(0);
    let plain = one("pub fn f<T: Fn(u8) -> u8>(&mut self, a: Vec<(u8, T)>, b: u8,) -> Option<(u8, u8, u8)> {");
    assert_eq!((plain.name.as_str(), plain.count()), ("f", 2));
    assert_eq!((largest_tuple(&plain.parameters), largest_tuple(&plain.answer)), (2, 3));
    let many = one("pub const fn g(\n    a: A, b: B, c: C, d: D, e: E, f: F, g: impl Fn(u8, u8, u8),\n) {");
    assert_eq!((many.count(), largest_tuple(&many.parameters)), (7, 0));
    assert_eq!(one("pub fn h((a, b, c): (A, B, C)) {").count(), 1);
    assert_eq!(largest_tuple("(a, b, c): (A, B, C)"), 3);
    assert!(signatures("fn private(a: u8) {}").is_empty());
}
