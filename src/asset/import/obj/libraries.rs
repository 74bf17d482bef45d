//! The material libraries that an OBJ file names. A line may name several; Assimp takes the line for one name.

use crate::disk::folder_of;
use crate::disk::read::{self, ReadFault};
use memchr::{memchr, memmem, memrchr};
use std::ops::Range;
use std::path::Path;

/// What some programs write before text in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What begins a line that names libraries.
const KEY: &[u8] = b"mtllib";

/// The lines of an OBJ file that name material libraries.
#[derive(Clone, Debug, Default)]
pub struct Libraries(Vec<LibraryLine>);

#[derive(Clone, Debug)]
struct LibraryLine {
    /// The line in the text, with what ends it.
    bytes: Range<usize>,
    /// All of it where that is a file, else its words.
    names: Vec<LibraryName>,
}

#[derive(Clone, Debug)]
struct LibraryName {
    name: String,
    is_there: bool,
}

/// Whether a name is that of something in a folder or below. What is there and cannot be read is said when it is opened.
pub fn is_beside(folder: &Path) -> impl Fn(&str) -> bool {
    |name| !matches!(read::resolve_inside(folder, Path::new(name)), Err(ReadFault::Missing))
}

/// Whether a model file is an OBJ by its name.
pub fn is_obj(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj"))
}

/// Text without a mark before it.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

impl Libraries {
    /// Those of an OBJ file with these contents; lines are counted from behind a mark.
    pub fn of(path: &Path, contents: &[u8]) -> Self {
        Self::find(without_mark(contents), &is_beside(folder_of(path)))
    }

    /// Looks through a text once; `is_file` tells whether a name is one of a file.
    pub fn find(text: &[u8], is_file: &impl Fn(&str) -> bool) -> Self {
        let mut lines = Vec::new();
        for key in memmem::find_iter(text, KEY) {
            let begin = memrchr(b'\n', &text[..key]).map_or(0, |i| i + 1);
            let end = memchr(b'\n', &text[key..]).map_or(text.len(), |i| key + i + 1);
            let rest = &text[key + KEY.len()..end];
            if !text[begin..key].trim_ascii().is_empty() || !rest.first().is_some_and(u8::is_ascii_whitespace) {
                continue;
            }
            // A name that is no UTF-8 is left to Assimp.
            let Ok(whole) = std::str::from_utf8(rest) else { continue };
            let whole = whole.trim();
            let names = if is_file(whole) { vec![whole] } else { whole.split_whitespace().collect() };
            let names = names.into_iter().map(|name| LibraryName { name: name.into(), is_there: is_file(name) });
            lines.push(LibraryLine { bytes: begin..end, names: names.collect() });
        }
        Self(lines)
    }

    /// The names of all libraries.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all().map(|library| library.name.as_str())
    }

    fn all(&self) -> impl Iterator<Item = &LibraryName> {
        self.0.iter().flat_map(|line| &line.names)
    }

    /// The text that was looked through with a line of its own for each library; `None` where each has one.
    pub fn one_a_line(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut copied = 0;
        for line in self.0.iter().filter(|line| line.names.len() > 1) {
            out.extend_from_slice(&text[copied..line.bytes.start]);
            line.names.iter().for_each(|library| out.extend(format!("mtllib {}\n", library.name).bytes()));
            copied = line.bytes.end;
        }
        (copied > 0).then(|| {
            out.extend_from_slice(&text[copied..]);
            out
        })
    }

    /// Says which libraries of a model file are not there. In place of a single one Assimp looks for one with the
    /// model's name.
    pub fn missing(&self, model: &Path, is_file: &impl Fn(&str) -> bool) -> Vec<String> {
        let own = model.with_extension("mtl");
        if own.file_name().is_some_and(|name| is_file(&name.to_string_lossy())) {
            return Vec::new();
        }
        let missing = self.all().filter(|library| !library.is_there);
        let warning =
            |name: &str| format!("the material library {name:?} that it names is not there: materials are plain");
        missing.map(|library| warning(&library.name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_libraries_of_a_line_get_lines_of_their_own() {
        let split = |text: &str, files: &[&str]| {
            let libraries = Libraries::find(text.as_bytes(), &|name| files.contains(&name));
            libraries.one_a_line(text.as_bytes()).map(|b| String::from_utf8(b).unwrap())
        };
        assert_eq!(
            split("v 0 0 0\nmtllib a.mtl b.mtl\r\nf 1", &[]).unwrap(),
            "v 0 0 0\nmtllib a.mtl\nmtllib b.mtl\nf 1"
        );
        assert_eq!(split("  mtllib a mtllib", &[]).unwrap(), "mtllib a\nmtllib mtllib\n");
        assert_eq!(split("mtllib my house.mtl\n", &["my house.mtl"]), None);
        assert_eq!(split("mtllib a.mtl\nmtllibs a b\n# mtllib a b\nmtllib\n", &[]), None);
    }

    #[test]
    fn libraries_that_are_not_there_are_named() {
        let missing = |files: &[&str]| {
            let is_file = |name: &str| files.contains(&name);
            let libraries = Libraries::find(b"mtllib a.mtl b.mtl\n", &is_file);
            assert!(libraries.names().eq(["a.mtl", "b.mtl"]));
            libraries.missing(Path::new("x/yard.obj"), &is_file).len()
        };
        assert_eq!(
            (missing(&[]), missing(&["a.mtl"]), missing(&["a.mtl", "b.mtl"]), missing(&["yard.mtl"])),
            (2, 1, 0, 0)
        );
    }
}
