//! Sounds of files, decoded beside the frame.

use super::error::SoundError;
use crate::disk::read;
use kira::sound::static_sound::StaticSoundData;
use std::collections::HashMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

/// Largest sound file that is decoded whole, bytes.
const MAX_BYTES: u64 = 64 << 20;

enum BankEntry {
    Loading(Receiver<Result<StaticSoundData, SoundError>>),
    Ready(Box<StaticSoundData>),
    Failed,
}

/// Decoded sounds by file.
#[derive(Default)]
pub struct Bank {
    entries: HashMap<PathBuf, BankEntry>,
    /// Why files could not be read, until they are asked for.
    failures: Vec<SoundError>,
    /// Whether a sound is waited for: without a device there is no frame to hold up.
    pub waits: bool,
}

fn decode(path: PathBuf) -> Result<StaticSoundData, SoundError> {
    let bytes = match read(&path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(source) => return Err(SoundError::Unreadable { path, source }),
    };
    StaticSoundData::from_cursor(Cursor::new(bytes)).map_err(|source| SoundError::Undecodable { path, source })
}

impl Bank {
    /// The sound of a file, once it is decoded. Asking begins to decode it.
    pub fn get(&mut self, path: &Path) -> Option<StaticSoundData> {
        let entry = self.entries.entry(path.to_path_buf()).or_insert_with(|| {
            let (send, receive) = channel();
            let path = path.to_path_buf();
            // The bank may have been cleared; the sound is of no use then.
            std::thread::spawn(move || drop(send.send(decode(path))));
            BankEntry::Loading(receive)
        });
        if let BankEntry::Loading(receive) = entry {
            let result = if self.waits { receive.recv().ok() } else { receive.try_recv().ok() };
            match result? {
                Ok(sound) => *entry = BankEntry::Ready(Box::new(sound)),
                Err(error) => {
                    self.failures.push(error);
                    *entry = BankEntry::Failed;
                }
            }
        }
        match entry {
            BankEntry::Ready(sound) => Some((**sound).clone()),
            _ => None,
        }
    }

    /// Forgets all sounds, so that they are read again.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Why files could not be read, since the last call.
    pub fn take_failures(&mut self) -> Vec<SoundError> {
        std::mem::take(&mut self.failures)
    }
}
