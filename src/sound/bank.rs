//! Sounds of files, decoded beside the frame.

use super::decoding::Decoding;
use super::error::SoundError;
use crate::disk::read;
use kira::sound::static_sound::StaticSoundData;
use std::collections::HashMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// Largest sound file that is decoded whole, bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Polls for which a sound that is not asked for stays in memory: five minutes of frames.
const KEPT_POLLS: u32 = 18_000;

enum BankEntry {
    Loading(Decoding<StaticSoundData>),
    Ready(Box<StaticSoundData>),
    Failed,
}

struct BankSlot {
    entry: BankEntry,
    /// Number of the poll before which it was asked for last.
    asked: u32,
}

/// Decoded sounds by file.
#[derive(Default)]
pub struct Bank {
    entries: HashMap<PathBuf, BankSlot>,
    polls: u32,
    /// Sounds that are read again, each file once.
    renewing: Vec<(PathBuf, Decoding<StaticSoundData>)>,
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
    match StaticSoundData::from_cursor(Cursor::new(bytes)) {
        Ok(sound) if sound.frames.is_empty() => Err(SoundError::Empty { path }),
        Ok(sound) => Ok(sound),
        Err(source) => Err(SoundError::Undecodable { path, source }),
    }
}

/// Decodes on another thread.
fn start_decoding(path: &Path) -> Decoding<StaticSoundData> {
    let file = path.to_path_buf();
    Decoding::start(path.to_path_buf(), move || decode(file))
}

impl Bank {
    /// The sound of a file, once it is decoded. Asking begins to decode it.
    pub fn get(&mut self, path: &Path) -> Option<StaticSoundData> {
        let slot = self.entries.entry(path.to_path_buf());
        let slot = slot.or_insert_with(|| BankSlot { entry: BankEntry::Loading(start_decoding(path)), asked: 0 });
        slot.asked = self.polls;
        let entry = &mut slot.entry;
        if let BankEntry::Loading(decoding) = entry {
            match decoding.take(self.waits)? {
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

    /// Notes that a sound is still heard, so that it is not forgotten.
    pub fn keep(&mut self, path: &Path) {
        if let Some(slot) = self.entries.get_mut(path) {
            slot.asked = self.polls;
        }
    }

    /// Reads a sound again, if it was read; it stays as it is until the new one is decoded, and where that fails.
    pub fn reload(&mut self, path: &Path) {
        match self.entries.get(path).map(|slot| &slot.entry) {
            Some(BankEntry::Ready(_)) => {
                // What an earlier change began to read is out of date.
                self.renewing.retain(|(file, _)| file != path);
                self.renewing.push((path.to_path_buf(), start_decoding(path)));
            }
            _ => drop(self.entries.remove(path)),
        }
    }

    /// Takes what is decoded of the sounds that are read again: the files whose sound is another one now. To be called often:
    /// sounds that were not asked for during [`KEPT_POLLS`] calls are forgotten.
    pub fn take_renewed(&mut self) -> Vec<PathBuf> {
        self.polls = self.polls.wrapping_add(1);
        let polls = self.polls;
        self.entries.retain(|_, slot| polls.wrapping_sub(slot.asked) <= KEPT_POLLS);
        let mut renewed = Vec::new();
        let mut left = Vec::new();
        for (path, decoding) in std::mem::take(&mut self.renewing) {
            match decoding.take(self.waits) {
                Some(Ok(sound)) => {
                    self.entries
                        .insert(path.clone(), BankSlot { entry: BankEntry::Ready(Box::new(sound)), asked: polls });
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
        self.renewing.iter_mut().for_each(|(file, decoding)| *decoding = start_decoding(file));
    }

    /// Why files could not be read, since the last call.
    pub fn take_failures(&mut self) -> Vec<SoundError> {
        std::mem::take(&mut self.failures)
    }
}

#[cfg(test)]
mod tests {
    use super::super::offline::{SAMPLE_RATE, write_wav};
    use super::*;
    use std::time::Duration;

    /// Writes silence.
    fn write_silence(file: &Path, secs: usize) {
        write_wav(file, &vec![0.0; secs * SAMPLE_RATE as usize * 2]).unwrap();
    }

    #[test]
    fn of_two_changes_of_a_sound_the_later_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.wav");
        let mut bank = Bank { waits: true, ..Bank::default() };
        write_silence(&file, 1);
        assert!(bank.get(&file).is_some());
        write_silence(&file, 2);
        bank.reload(&file);
        bank.reload(&file);
        assert_eq!(
            bank.take_renewed(),
            std::slice::from_ref(&file),
            "only what the last change began to read is taken"
        );
        assert_eq!(bank.get(&file).unwrap().duration(), Duration::from_secs(2));
        assert!(bank.take_renewed().is_empty() && bank.take_failures().is_empty());
    }

    #[test]
    fn sounds_that_are_not_asked_for_any_more_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let [asked, other] = ["a.wav", "b.wav"].map(|name| folder.path().join(name));
        let mut bank = Bank { waits: true, ..Bank::default() };
        for file in [&asked, &other] {
            write_silence(file, 1);
            assert!(bank.get(file).is_some());
        }
        for _ in 0..=KEPT_POLLS {
            bank.take_renewed();
            bank.get(&asked);
        }
        assert_eq!(bank.entries.keys().collect::<Vec<_>>(), [&asked], "those of a scene that was closed");
    }

    #[test]
    fn a_sound_without_samples_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.wav");
        write_silence(&file, 0);
        let mut bank = Bank { waits: true, ..Bank::default() };
        assert!(bank.get(&file).is_none(), "the mixer would look for its end without end");
        assert_eq!(bank.take_failures().len(), 1);
    }

    #[test]
    fn a_sound_whose_decoder_breaks_down_is_given_up() {
        let file = PathBuf::from("a.wav");
        let broken = || Decoding::start(PathBuf::from("a.wav"), || panic!("a broken decoder"));
        let mut bank = Bank { waits: true, ..Bank::default() };
        bank.entries.insert(file.clone(), BankSlot { entry: BankEntry::Loading(broken()), asked: 0 });
        assert!(bank.get(&file).is_none() && matches!(bank.entries[&file].entry, BankEntry::Failed));
        bank.renewing.push((file, broken()));
        assert!(bank.take_renewed().is_empty() && bank.renewing.is_empty());
        assert_eq!(bank.take_failures().len(), 2);
    }
}
