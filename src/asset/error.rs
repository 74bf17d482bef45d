//! What can go wrong with a model file or a picture.

use std::path::PathBuf;
use thiserror::Error;

/// Why a model could not be loaded. Every message ends with the path.
#[derive(Clone, Debug, Error, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum AssetError {
    /// The file cannot be opened or read.
    #[error("Model not loaded: the file cannot be read ({reason}). Check that it exists and may be read. File: {path}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// The extension is not one of those that are imported.
    #[error("Model not loaded: {said}. Use one of: {supported}. File: {path}", said = unknown_format(extension), path = path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its extension.
        extension: String,
        /// Known extensions.
        supported: String,
    },
    /// The importer refused the contents.
    #[error("Model not loaded: {reason}. Export the model again or repair it. File: {path}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with which element.
        reason: String,
    },
    /// The importer crashed on the file.
    #[error("Model not loaded: the importer crashed on it ({reason}). The file is damaged; export it again. File: {path}", path = path.display())]
    Crashed {
        /// The file.
        path: PathBuf,
        /// How the process ended.
        reason: String,
    },
    /// The importer took longer than allowed.
    #[error("Model not loaded: importing took more than {limit_secs} s and was stopped. Split or simplify the model. File: {path}", path = path.display())]
    TimedOut {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit_secs: u32,
    },
    /// The model is larger than allowed.
    #[error("Model not loaded: {what} ({value}) is over the limit of {limit}. Split or simplify the model. File: {path}", path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What is too large.
        what: String,
        /// How large it is.
        value: u64,
        /// What is allowed.
        limit: u64,
    },
    /// A picture of the sky cannot be used.
    #[error("Sky picture not loaded: {reason}. Choose a PNG, JPEG, BMP or TGA file that is twice as wide as high, or a cross of a cube's sides, four by three or three by four. File: {path}", path = path.display())]
    Picture {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The import process could not be started or spoken to.
    #[error("Model not loaded: the import process failed ({reason}). Try again; if it persists, reinstall Walkabout. File: {path}", path = path.display())]
    Worker {
        /// The file.
        path: PathBuf,
        /// What failed.
        reason: String,
    },
}

fn unknown_format(extension: &str) -> String {
    match extension {
        "" => "its name has no ending, which tells the format".to_owned(),
        extension => format!("the format {extension:?} is not supported"),
    }
}
