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

/// A sound that is decoded on another thread.
type Decoding = Receiver<Result<StaticSoundData, SoundError>>;

enum BankEntry {
    Loading(Decoding),
    Ready(Box<StaticSoundData>),
    Failed,
}

/// Decoded sounds by file.
#[derive(Default)]
pub struct Bank {
    entries: HashMap<PathBuf, BankEntry>,
    /// Sounds that are read again.
    renewing: Vec<(PathBuf, Decoding)>,
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

/// Decodes on another thread.
fn start_decoding(path: &Path) -> Decoding {
    let (send, receive) = channel();
    let path = path.to_path_buf();
    // The bank may have been cleared; the sound is of no use then.
    std::thread::spawn(move || drop(send.send(decode(path))));
    receive
}

impl Bank {
    /// The sound of a file, once it is decoded. Asking begins to decode it.
    pub fn get(&mut self, path: &Path) -> Option<StaticSoundData> {
        let entry = self.entries.entry(path.to_path_buf());
        let entry = entry.or_insert_with(|| BankEntry::Loading(start_decoding(path)));
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

    /// Reads a sound again, if it was read; it stays as it is until the new one is decoded, and where that fails.
    pub fn reload(&mut self, path: &Path) {
        match self.entries.get(path) {
            Some(BankEntry::Ready(_)) => self.renewing.push((path.to_path_buf(), start_decoding(path))),
            _ => drop(self.entries.remove(path)),
        }
    }

    /// Takes what is decoded of the sounds that are read again: the files whose sound is another one now.
    pub fn take_renewed(&mut self) -> Vec<PathBuf> {
        let mut renewed = Vec::new();
        let mut left = Vec::new();
        for (path, decoding) in std::mem::take(&mut self.renewing) {
            let result = if self.waits { decoding.recv().ok() } else { decoding.try_recv().ok() };
            match result {
                Some(Ok(sound)) => {
                    self.entries.insert(path.clone(), BankEntry::Ready(Box::new(sound)));
                    renewed.push(path);
                }
                Some(Err(error)) => self.failures.push(error),
                None => left.push((path, decoding)),
            }
        }
        self.renewing = left;
        renewed
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
