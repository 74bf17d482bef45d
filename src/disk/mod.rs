//! Files: the one reader and the one writer of all that a user or another file can name, and the
//! watch for their changes.

pub mod base64;
pub mod excerpt;
pub mod inside;
pub mod memory;
pub mod read;
pub mod watch;
pub mod write;

pub use inside::{InsideFolder, PICTURE_FOLDERS, read_inside};
pub use read::{ReadFault, read, read_text};
pub use write::{WriteFault, write};

use std::fs::read_dir;
use std::path::{Path, PathBuf};

/// The folder that a file lies in; empty for a bare name, which lies in the current folder.
pub fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new("."))
}

/// The name of a file with its extension; empty where the path ends in none.
pub fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The name of a file without its extension.
pub fn stem_of(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether a name ends in one of these extensions, whatever the case of its letters.
pub fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|own| extensions.iter().any(|one| own.eq_ignore_ascii_case(one)))
}

/// The path under which something is written that was asked for by a name: one of these extensions ends it, and the first of them is
/// added where none does, so that a dot inside of a name stays.
pub fn with_one_of(path: PathBuf, extensions: &[&str]) -> PathBuf {
    match extensions.first() {
        Some(first) if !has_extension(&path, extensions) => path.with_added_extension(first),
        _ => path,
    }
}

/// A path as files name it: with forward slashes on systems that know others. Elsewhere a backslash is a letter of a name. What is not
/// UTF-8 in it is lost, with a warning: text cannot hold it.
pub fn with_slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if path.to_str().is_none() {
        tracing::warn!(
            "A name is not UTF-8, so that a scene cannot hold it: its file will not be found. Rename it. File: {text}"
        );
    }
    if std::path::MAIN_SEPARATOR == '\\' { text.replace('\\', "/") } else { text.into_owned() }
}

/// The absolute form of a path, without following links; the path itself where the working folder is unknown.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The files below some folders: down to a depth, and among so many entries. What lies in hidden folders is left out.
pub fn files_below(folders: impl IntoIterator<Item = PathBuf>, deepest: u32, max_entries: usize) -> Vec<PathBuf> {
    let (mut files, mut left) = (Vec::new(), max_entries);
    let mut open: Vec<(PathBuf, u32)> = folders.into_iter().map(|folder| (folder, 0)).collect();
    while let Some((folder, depth)) = open.pop() {
        for entry in read_dir(&folder).into_iter().flatten().flatten().take(left) {
            left -= 1;
            match entry.file_type() {
                Ok(kind) if !kind.is_dir() => files.push(entry.path()),
                Ok(_) if depth < deepest && !entry.file_name().to_string_lossy().starts_with('.') => {
                    open.push((entry.path(), depth + 1));
                }
                _ => {}
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_told_in_letters_of_any_case() {
        let ends = |name: &str| has_extension(Path::new(name), &["obj", "glb"]);
        assert!(ends("a.obj") && ends("a/b.c.GLB") && !ends("a.ob") && !ends("obj") && !ends("a.obj/b") && !ends(""));
    }

    #[test]
    fn files_are_found_down_to_a_depth_and_a_number() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "deep/b", "deep/deeper/c", ".hidden/d"] {
            let file = folder.path().join(name);
            std::fs::create_dir_all(folder_of(&file)).unwrap();
            std::fs::write(file, "").unwrap();
        }
        let found = |deepest, entries| files_below([folder.path().to_path_buf()], deepest, entries).len();
        assert_eq!((found(2, 100), found(1, 100), found(0, 100)), (3, 2, 1));
        assert_eq!((found(2, 0), found(9, 1) <= 1), (0, true), "so many entries");
    }
}
