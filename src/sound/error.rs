//! Why a sound is not heard.

use kira::sound::FromFileError;
use std::path::PathBuf;

/// A sound or a track that cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum SoundError {
    /// The system does not give the file.
    #[error("Sound not loaded: {source}. Choose another file. File: {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The file is larger than a sound that is decoded whole may be.
    #[error("Sound not loaded: its size of {bytes} bytes is over the limit of {max}. Choose a shorter one. File: {}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        max: u64,
    },
    /// The file is in no format that is read.
    #[error("Sound not loaded: {source}. Choose a WAV, OGG, MP3 or FLAC file. File: {}", path.display())]
    Undecodable {
        /// The file.
        path: PathBuf,
        /// The decoder's reason.
        source: FromFileError,
    },
    /// As many sounds play as the mixer holds.
    #[error("Track not played: the mixer is full. Stop other sounds and play it again.")]
    Full,
}
