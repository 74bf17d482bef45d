//! What can go wrong with a scene file.

use std::path::PathBuf;
use thiserror::Error;

/// Why a scene was not loaded or saved. Every message ends with the path.
#[derive(Debug, Error)]
pub enum SceneError {
    /// The file cannot be read.
    #[error("Scene not loaded: the file cannot be read ({reason}). Check that it exists and may be read. File: {path}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// The file is larger than any scene.
    #[error("Scene not loaded: the file is larger than {limit} bytes, the most that a scene may have. Choose a scene file (.acfg). File: {path}", path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit, bytes.
        limit: u64,
    },
    /// The file holds something else than a scene.
    #[error("Scene not loaded: the file is a navigation mesh, no scene; `walkabout path`, `doctor`, `diff` and `convert` take one. \
             File: {path}", path = .0.display())]
    Mesh(PathBuf),
    /// The file holds a model or a level instead of a scene.
    #[error("Scene not loaded: the file is a model or a level, no scene; name a scene (.acfg) that has it. `walkabout render`, `path` \
             and `bake` take it by itself. File: {path}", path = .0.display())]
    Model(PathBuf),
    /// The text is not YAML of the expected form.
    #[error("Scene not loaded: {reason}. Mend that line and load again. File: {path}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        reason: String,
    },
    /// An element holds what no scene may hold.
    #[error("Scene not loaded: {element} {reason}. Mend it and load again. File: {path}", path = path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The element, and its line where that is known: "instance 14 (line 212)".
        element: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The scene holds what could not be loaded again.
    #[error("Scene not saved: {element} {reason}. Mend it and save again; the file is as it was. File: {path}", path = path.display())]
    Unsavable {
        /// The file.
        path: PathBuf,
        /// The element.
        element: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file system said no.
    #[error("Scene not saved: {step} failed ({reason}). Check the folder's permissions and free space, or save elsewhere; the file is as it was. File: {path}", path = path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What was being done.
        step: &'static str,
        /// The system's words.
        reason: String,
    },
}
