//! The tracks of a folder and their order.

use super::EXTENSIONS;
use std::path::{Path, PathBuf};

/// Most tracks of a folder that are taken.
const MAX_TRACKS: usize = 10_000;

/// The sound files of a folder, by name; none where it cannot be read.
pub fn tracks_in(folder: &Path) -> Vec<PathBuf> {
    let is_sound = |path: &PathBuf| {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        EXTENSIONS.contains(&extension.as_str())
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut tracks: Vec<PathBuf> = entries.filter(is_sound).take(MAX_TRACKS).collect();
    tracks.sort();
    tracks
}

/// A list of tracks, one of which may be the current one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Playlist {
    tracks: Vec<PathBuf>,
    current: Option<usize>,
    /// State of the random choice.
    seed: u64,
}

impl Playlist {
    /// A list without a current track.
    pub fn new(tracks: Vec<PathBuf>) -> Self {
        Self { tracks, current: None, seed: 0x9e37_79b9_7f4a_7c15 }
    }

    /// All tracks.
    pub fn tracks(&self) -> &[PathBuf] {
        &self.tracks
    }

    /// The current track, by its place in the list.
    pub fn current(&self) -> Option<usize> {
        self.current
    }

    /// Makes a track the current one. Returns its place, `None` for one that is not in the list.
    pub fn set(&mut self, track: usize) -> Option<usize> {
        self.current = Some(track).filter(|track| *track < self.tracks.len());
        self.current
    }

    /// Goes on to the track `by` places further, around the end of the list.
    pub fn advance(&mut self, by: isize) -> Option<usize> {
        let count = self.tracks.len() as isize;
        if count == 0 {
            return None;
        }
        let next = match self.current {
            Some(current) => (current as isize + by).rem_euclid(count),
            None if by < 0 => count - 1,
            None => 0,
        };
        self.set(next as usize)
    }

    /// Goes on to any other track (xorshift64, Marsaglia 2003).
    pub fn random(&mut self) -> Option<usize> {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        let others = self.tracks.len().saturating_sub(usize::from(self.current.is_some()));
        if others == 0 {
            return self.advance(1);
        }
        let by = (self.seed % others as u64) as isize;
        self.advance(if self.current.is_some() { by + 1 } else { by })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sound_files_of_a_folder_are_its_tracks() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.ogg", "a.WAV", "c.txt", "d.mp3", "e.flac"] {
            std::fs::write(folder.path().join(name), b"").unwrap();
        }
        let names: Vec<_> = tracks_in(folder.path()).iter().map(|p| p.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["a.WAV", "b.ogg", "d.mp3", "e.flac"]);
        assert!(tracks_in(Path::new("no/such/folder")).is_empty());
    }

    #[test]
    fn tracks_follow_one_another_around_the_end() {
        let mut list = Playlist::new((0..3).map(|i| PathBuf::from(format!("{i}.ogg"))).collect());
        assert_eq!(
            [list.advance(1), list.advance(1), list.advance(1), list.advance(1)],
            [Some(0), Some(1), Some(2), Some(0)]
        );
        assert_eq!([list.advance(-1), list.set(1), list.set(3)], [Some(2), Some(1), None]);
        for _ in 0..20 {
            let before = list.current();
            let now = list.random();
            assert!(now.is_some() && now != before, "any other");
        }
        let mut empty = Playlist::new(Vec::new());
        assert_eq!((empty.advance(1), empty.random()), (None, None));
        let mut one = Playlist::new(vec!["a".into()]);
        assert_eq!((one.random(), one.random()), (Some(0), Some(0)));
    }
}
