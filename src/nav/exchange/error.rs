//! Why a file of another program is not read or written.

use thiserror::Error;

use crate::disk::{ReadFault, WriteFault};
use crate::nav::mesh::{FileError, JsonError, MeshError, PolyanyaFileError};

/// Why a navigation mesh of another program is refused.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ExchangeError {
    #[error("no navigation mesh that this program reads begins so; `walkabout convert --help` lists the formats")]
    Unknown,
    #[error("{format} of version {found} is not read, only {read}; save it again by a program of that version")]
    Version { format: &'static str, found: u32, read: &'static str },
    #[error("{what} {index} is cut short or out of range; copy the file again or save it anew")]
    Element { what: &'static str, index: usize },
    #[error("{0}")]
    Text(String),
    #[error("{count} {what} are more than {limit}; split the mesh")]
    TooMany { what: &'static str, count: usize, limit: usize },
    #[error("the file holds no polygon to walk on")]
    Empty,
    #[error("the file cannot be read: {0}")]
    Read(#[from] ReadFault),
    #[error("{0}")]
    Mesh(#[from] MeshError),
    #[error("{0}")]
    File(#[from] FileError),
    #[error("{0}")]
    Json(#[from] JsonError),
    #[error("{0}")]
    Polyanya(#[from] PolyanyaFileError),
    #[error("the name has none of the endings {0}; give it one")]
    Ending(String),
    #[error("the file ends as {0} does, but is no text; choose a mesh")]
    NotText(&'static str),
    #[error("{0}")]
    Write(#[from] WriteFault),
}

impl ExchangeError {
    /// An element that is cut short or out of range.
    pub(super) fn element(what: &'static str, index: usize) -> Self {
        Self::Element { what, index }
    }
}
