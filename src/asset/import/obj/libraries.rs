//! The material libraries that an OBJ file names. A line may name several; Assimp takes the line for one name.

use crate::disk::read::{self, ReadFault};
use std::path::Path;

/// What begins a line that names libraries.
const KEY: &[u8] = b"mtllib";

/// The names on a line: all of it where that is a file, else its words. `None` of other lines.
fn names_on<'a>(line: &'a [u8], is_file: &impl Fn(&str) -> bool) -> Option<Vec<&'a str>> {
    let rest = line.trim_ascii_start().strip_prefix(KEY)?;
    if !rest.first()?.is_ascii_whitespace() {
        return None;
    }
    // A name that is no UTF-8 is left to Assimp.
    let whole = std::str::from_utf8(rest).ok()?.trim();
    Some(if is_file(whole) { vec![whole] } else { whole.split_whitespace().collect() })
}

/// Whether a name is that of something in a folder or below. What is there and cannot be read is said when it is opened.
pub fn is_beside(folder: &Path) -> impl Fn(&str) -> bool {
    |name| !matches!(read::resolve_inside(folder, Path::new(name)), Err(ReadFault::Missing))
}

/// The names of all libraries that a file names.
pub fn names<'a>(text: &'a [u8], is_file: &impl Fn(&str) -> bool) -> Vec<&'a str> {
    text.split(|&b| b == b'\n').filter_map(|line| names_on(line, is_file)).flatten().collect()
}

/// The file with a line of its own for each library; `None` where each has one.
pub fn one_a_line(text: &[u8], is_file: &impl Fn(&str) -> bool) -> Option<Vec<u8>> {
    let several = |line: &[u8]| names_on(line, is_file).is_some_and(|names| names.len() > 1);
    if !text.split(|&b| b == b'\n').any(several) {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() + 64);
    for line in text.split_inclusive(|&b| b == b'\n') {
        match names_on(line, is_file).filter(|names| names.len() > 1) {
            Some(names) => names.iter().for_each(|name| out.extend(format!("mtllib {name}\n").bytes())),
            None => out.extend_from_slice(line),
        }
    }
    Some(out)
}

/// Says which libraries are not there. In place of a single one Assimp looks for one with the model's name.
pub fn missing(text: &[u8], model: &Path, is_file: &impl Fn(&str) -> bool) -> Vec<String> {
    let own = model.with_extension("mtl");
    let has_own = own.file_name().is_some_and(|name| is_file(&name.to_string_lossy()));
    let names = names(text, is_file);
    names
        .into_iter()
        .filter(|name| !has_own && !is_file(name))
        .map(|name| format!("the material library {name:?} that it names is not there: materials are plain"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_libraries_of_a_line_get_lines_of_their_own() {
        let split = |text: &str, files: &[&str]| {
            one_a_line(text.as_bytes(), &|name| files.contains(&name)).map(|b| String::from_utf8(b).unwrap())
        };
        assert_eq!(
            split("v 0 0 0\nmtllib a.mtl b.mtl\r\nf 1", &[]).unwrap(),
            "v 0 0 0\nmtllib a.mtl\nmtllib b.mtl\nf 1"
        );
        assert_eq!(split("mtllib my house.mtl\n", &["my house.mtl"]), None);
        assert_eq!(split("mtllib a.mtl\nmtllibs a b\nmtllib\n", &[]), None);
    }

    #[test]
    fn libraries_that_are_not_there_are_named() {
        let missing = |files: &[&str]| {
            missing(b"mtllib a.mtl b.mtl\n", Path::new("x/yard.obj"), &|name| files.contains(&name)).len()
        };
        assert_eq!(
            (missing(&[]), missing(&["a.mtl"]), missing(&["a.mtl", "b.mtl"]), missing(&["yard.mtl"])),
            (2, 1, 0, 0)
        );
    }
}
