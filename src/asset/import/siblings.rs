//! Textures in folders beside the model's own, as collections name them that keep one folder for each format:
//! `../textures/leaf.png`, or by the whole path on the machine that made them, `C:\art\textures\leaf.png`. Folders that are
//! called `textures` or `materials` are searched whether they are named or not.

use super::guard::files_of;
use super::limits;
use super::obj::libraries::texts_of;
use super::read_file;
use super::uri::{beside, file_of};
use crate::disk::{InsideFolder, folder_of, has_extension};
use memchr::memmem;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Longest name of a folder, bytes.
const MAX_NAME_BYTES: usize = 255;
/// Most folders beside a model.
const MAX_FOLDERS: usize = 16;

/// The folders beside its own that a model file names, and those of pictures, with all links resolved: those that an import has
/// to read.
pub fn folders_named(path: &Path) -> Vec<PathBuf> {
    let Ok(bytes) = read_file(path) else { return Vec::new() };
    let mut names = folders_in(&bytes);
    // Those of a glTF may be escaped, and those of an OBJ stand in its material libraries.
    let folder = InsideFolder::of(folder_of(path));
    let files = files_of(path, &bytes);
    names.extend(files.iter().filter_map(|file| {
        let file = beside(&file.to_string_lossy())?;
        Some(file.iter().nth(1)?.to_str()?.to_owned())
    }));
    let libraries = files.iter().filter(|file| has_extension(path, &["obj"]) && has_extension(file, &["mtl"]));
    let texts = texts_of(&folder, libraries.map(PathBuf::as_path), limits::SIDE_TEXT_BYTES);
    let around: HashSet<String> = folder.siblings().collect();
    names.extend(texts.iter().chain([&bytes]).flat_map(|text| passed_folders(text, &around)).cloned());
    let named = names.iter().filter_map(|name| folder.sibling(OsStr::new(name)));
    folder.picture_folders().chain(named).take(MAX_FOLDERS).collect()
}

/// Those of the folders through which paths in a file of any format lead. The file is read once, however many folders there are.
fn passed_folders<'a>(bytes: &[u8], folders: &'a HashSet<String>) -> BTreeSet<&'a String> {
    let separators = || memchr::memchr2_iter(b'/', b'\\', bytes);
    let between = separators().zip(separators().skip(1)).map(|(before, after)| &bytes[before + 1..after]);
    let short = between.filter(|name| name.len() <= MAX_NAME_BYTES);
    short.filter_map(|name| folders.get(std::str::from_utf8(name).ok()?)).collect()
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
        let text = b"RelativeFilename C:\\art\\my maps\\a.png textures";
        let known = ["my maps", "art", "textures", "maps"].map(String::from).into();
        assert_eq!(passed_folders(text, &known), BTreeSet::from([&"art".to_owned(), &"my maps".to_owned()]));
    }
}
