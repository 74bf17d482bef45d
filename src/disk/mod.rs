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

use std::path::{Path, PathBuf};

/// The folder that a file lies in; empty for a bare name, which lies in the current folder.
pub fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new("."))
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
