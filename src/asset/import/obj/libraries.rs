//! The material libraries that an OBJ file names. A line may name several; Assimp takes the line for one name.

use crate::disk::read::without_mark;
use crate::disk::{InsideFolder, ReadFault, folder_of};
use memchr::{memchr, memmem, memrchr};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

/// Most libraries of a file that are said to be missing.
const MAX_WARNINGS: usize = 16;

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
    let folder = InsideFolder::of(folder);
    move |name| !matches!(folder.resolve(Path::new(name)), Err(ReadFault::Missing))
}

/// The texts of material libraries in a folder or below, in the order of their names. A file may name any number, so that together
/// they may take no more than `most` bytes; what is no readable file there is said when it is imported.
pub fn texts_of<'a>(folder: &InsideFolder, names: impl IntoIterator<Item = &'a Path>, most: u64) -> Vec<Vec<u8>> {
    let mut left = most;
    let mut texts = Vec::new();
    for name in names {
        if let Ok(text) = folder.read(name, left) {
            left -= text.len() as u64;
            texts.push(text);
        }
    }
    texts
}

impl Libraries {
    /// Those of an OBJ file with these contents; lines are counted from behind a mark.
    pub fn of(path: &Path, contents: &[u8]) -> Self {
        Self::find(without_mark(contents), &is_beside(folder_of(path)))
    }

    /// Looks through a text once; `is_file` tells whether a name is one of a file.
    pub fn find(text: &[u8], is_file: &impl Fn(&str) -> bool) -> Self {
        let mut lines = Vec::new();
        // A file may name one library as often as it has objects.
        let mut known: HashMap<&str, bool> = HashMap::new();
        let mut is_there = |name| *known.entry(name).or_insert_with(|| is_file(name));
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
            let names: Vec<&str> = if is_there(whole) { vec![whole] } else { whole.split_whitespace().collect() };
            let names = names.into_iter().map(|name| LibraryName { name: name.into(), is_there: is_there(name) });
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

    /// The text that was looked through with a line of its own for each library, at the first place that names it; `None`
    /// where it is so.
    pub fn one_a_line(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut copied = 0;
        let mut named = HashSet::new();
        for line in &self.0 {
            let new: Vec<&str> =
                line.names.iter().map(|library| library.name.as_str()).filter(|name| named.insert(*name)).collect();
            if line.names.len() < 2 && new.len() == line.names.len() {
                continue;
            }
            out.extend_from_slice(&text[copied..line.bytes.start]);
            new.iter().for_each(|name| out.extend(format!("mtllib {name}\n").bytes()));
            copied = line.bytes.end;
        }
        (copied > 0).then(|| {
            out.extend_from_slice(&text[copied..]);
            out
        })
    }

    /// Says which libraries of a model file are not there or lie elsewhere. In place of a single one Assimp looks for one
    /// with the model's name.
    pub fn missing(&self, model: &Path, is_file: &impl Fn(&str) -> bool) -> Vec<String> {
        let mut said = HashSet::new();
        let all: Vec<&LibraryName> = self.all().filter(|library| said.insert(library.name.as_str())).collect();
        // Of those whose names lead out of the folder otherwise, Assimp's own search tells.
        let is_absolute = |name: &str| Path::new(name).is_absolute() || name.starts_with(['/', '\\']);
        let far = all.iter().filter(|library| is_absolute(&library.name)).map(|library| {
            let name = &library.name;
            format!("the material library {name:?} that it names lies outside the model's folder: materials are plain")
        });
        let own = model.with_extension("mtl");
        let has_own = own.file_name().is_some_and(|name| is_file(&name.to_string_lossy()));
        let missing = all.iter().filter(|library| !library.is_there && !is_absolute(&library.name) && !has_own);
        let missing = missing.map(|library| {
            let name = &library.name;
            format!("the material library {name:?} that it names is not there: materials are plain")
        });
        let mut warnings: Vec<String> = far.chain(missing).collect();
        if let Some(more) = warnings.len().checked_sub(MAX_WARNINGS).filter(|&more| more > 0) {
            warnings.truncate(MAX_WARNINGS);
            warnings.push(format!("{more} more material libraries that it names are not there"));
        }
        warnings
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
        assert_eq!(split("mtllib a\nf 1\nmtllib b a\nmtllib b\n", &[]).unwrap(), "mtllib a\nf 1\nmtllib b\n");
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

    #[test]
    fn libraries_are_read_up_to_so_many_bytes_of_all() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("a.mtl", "newmtl a"), ("b.mtl", "newmtl b"), ("c.mtl", "c")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let read = |most| {
            let names = ["a.mtl", "./a.mtl", "b.mtl", "gone.mtl", "c.mtl"].map(Path::new);
            texts_of(&InsideFolder::of(folder.path()), names, most).concat()
        };
        assert_eq!(read(9), b"newmtl ac");
        assert_eq!(read(100), b"newmtl anewmtl anewmtl bc");
    }

    #[test]
    fn a_library_is_looked_for_once_and_said_once() {
        let asked = std::cell::Cell::new(0);
        let is_file = |_: &str| {
            asked.set(asked.get() + 1);
            false
        };
        let libraries = Libraries::find("mtllib a.mtl\n".repeat(1000).as_bytes(), &is_file);
        assert_eq!(asked.get(), 1);
        assert_eq!(libraries.missing(Path::new("x.obj"), &|_| false).len(), 1);
        let text: String = (0..100).map(|i| format!("mtllib {i}.mtl\n")).collect();
        let warnings = Libraries::find(text.as_bytes(), &|_| false).missing(Path::new("x.obj"), &|_| false);
        assert_eq!(warnings.len(), MAX_WARNINGS + 1);
        assert_eq!(warnings[MAX_WARNINGS], "84 more material libraries that it names are not there");
        let far = Libraries::find(b"mtllib /etc/passwd\n", &|_| true);
        assert!(far.missing(Path::new("x.obj"), &|_| true)[0].contains("outside the model's folder"));
    }
}
