//! Textures in folders beside the model's own, as collections name them that keep one folder for each format:
//! `../textures/leaf.png`.

use super::guard::files_of;
use super::read_file;
use super::uri::{beside, file_of};
use crate::disk::{InsideFolder, folder_of};
use memchr::memmem;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Longest name of a folder, bytes.
const MAX_NAME_BYTES: usize = 255;
/// Most folders beside a model.
const MAX_FOLDERS: usize = 16;

/// The folders beside its own that a model file names, with all links resolved: those that an import has to read.
pub fn folders_named(path: &Path) -> Vec<PathBuf> {
    let Ok(bytes) = read_file(path) else { return Vec::new() };
    let mut names = folders_in(&bytes);
    // Those of a glTF may be escaped, and those of an OBJ stand in its material libraries.
    let files = files_of(path, &bytes).into_iter().filter_map(|file| beside(&file.to_string_lossy()));
    names.extend(files.filter_map(|file| Some(file.iter().nth(1)?.to_str()?.to_owned())));
    let folder = InsideFolder::of(folder_of(path));
    names.iter().filter_map(|name| folder.sibling(OsStr::new(name))).take(MAX_FOLDERS).collect()
}

/// What stands behind `../` at the beginning of a name, in a file of any format.
fn folders_in(bytes: &[u8]) -> BTreeSet<String> {
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    let begins = |&at: &usize| at == 0 || !is_separator(&bytes[at - 1]) && bytes[at - 1] != b'.';
    let name = |at: usize| {
        let (_, rest) = bytes[at + 2..].split_first().filter(|&(first, _)| is_separator(first))?;
        let end = rest.iter().take(MAX_NAME_BYTES + 1).position(is_separator)?;
        let name = std::str::from_utf8(&rest[..end]).ok()?;
        (!name.chars().any(char::is_control)).then(|| file_of(name))
    };
    memmem::find_iter(bytes, "..").filter(begins).filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_found_in_files_of_any_format() {
        let text = b"\x13\0\0\0S..\\textures\\a.png <i>../my%20maps/a.png</i> ../../far/a ..a/ x/../no/a \"../b.png\"";
        let names: Vec<String> = folders_in(text).into_iter().collect();
        assert_eq!(names, ["..", "my maps", "textures"]);
    }
}
