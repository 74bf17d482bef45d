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
    /// The text is not YAML of the expected form.
    #[error("Scene not loaded: {reason}. Mend that line and load again; the open scene is kept. File: {path}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        reason: String,
    },
    /// An element holds what no scene may hold.
    #[error("Scene not loaded: {element} {reason}. The open scene is kept. File: {path}", path = path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The element: "instance 14".
        element: String,
        /// What is wrong with it.
        reason: String,
    },
}
