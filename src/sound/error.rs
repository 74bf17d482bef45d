//! Why a sound is not heard.

use crate::disk::ReadFault;
use kira::sound::FromFileError;
use std::path::PathBuf;

/// A sound or a track that cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum SoundError {
    /// The file is not there, none that is read, or too large.
    #[error("Sound not loaded: {source}. Choose another file. File: {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: ReadFault,
    },
    /// The file is in no format that is read.
    #[error("Sound not loaded: {source}. Choose a WAV, OGG, MP3 or FLAC file. File: {}", path.display())]
    Undecodable {
        /// The file.
        path: PathBuf,
        /// The decoder's reason.
        source: FromFileError,
    },
    /// The file has a head and no samples: it would repeat without end within no time.
    #[error("Sound not loaded: it has no samples. Choose another file. File: {}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The decoder broke down.
    #[error("Sound not loaded: its decoder broke down. Choose another file. File: {}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
    },
    /// As many sounds play as the mixer holds.
    #[error("Track not played: the mixer is full. Stop other sounds and play it again.")]
    Full,
}
