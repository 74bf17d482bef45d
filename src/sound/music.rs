//! Music: one track after the other, each fading in while the one before fades out.

use super::decibels;
use super::decoding::Decoding;
use super::error::SoundError;
use super::playlist::Playlist;
use super::settings::MusicCommand;
use crate::disk::read::open;
use kira::backend::Backend;
use kira::sound::static_sound::{StaticSoundData, StaticSoundHandle};
use kira::sound::streaming::{StreamingSoundData, StreamingSoundHandle};
use kira::sound::{FromFileError, PlaybackState};
use kira::{AudioManager, Easing, Tween};
use std::collections::BTreeSet;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Time over which tracks fade in, out and into each other, seconds; of short tracks a quarter of their length.
pub const FADE_SECS: f64 = 1.5;
/// The piece that is played where there are no tracks.
const BUILT_IN: &[u8] = include_bytes!("../../assets/sounds/music.wav");
/// Largest track that is played, bytes.
const MAX_TRACK_BYTES: u64 = 1 << 30;

/// How the music stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MusicStatus {
    /// Names of the tracks.
    pub tracks: Arc<[String]>,
    /// The track that plays or is held, by its place in the list.
    pub current: Option<usize>,
    /// Whether something plays.
    pub is_playing: bool,
    /// Place in the track, seconds.
    pub position_secs: f64,
    /// Its length, seconds.
    pub duration_secs: f64,
}

enum Data {
    Whole(StaticSoundData),
    Streamed(StreamingSoundData<FromFileError>),
}

impl Data {
    fn duration_secs(&self) -> f64 {
        let duration = match self {
            Self::Whole(data) => data.duration(),
            Self::Streamed(data) => data.duration(),
        };
        duration.as_secs_f64()
    }
}

enum MusicHandle {
    Whole(StaticSoundHandle),
    Streamed(StreamingSoundHandle<FromFileError>),
}

/// Calls the same method of either kind.
macro_rules! either {
    ($handle:expr, $inner:ident => $call:expr) => {
        match $handle {
            MusicHandle::Whole($inner) => $call,
            MusicHandle::Streamed($inner) => $call,
        }
    };
}

struct Playing {
    handle: MusicHandle,
    /// Its file; empty for the built-in piece.
    path: PathBuf,
    duration_secs: f64,
}

impl Playing {
    fn fade_secs(&self) -> f64 {
        FADE_SECS.min(self.duration_secs * 0.25)
    }

    fn position(&self) -> f64 {
        either!(&self.handle, h => h.position())
    }

    /// Whether the next track is to begin: this one is about to end, or has ended.
    fn is_ending(&self) -> bool {
        let state = either!(&self.handle, h => h.state());
        state == PlaybackState::Stopped
            || (state.is_advancing() && self.position() >= self.duration_secs - self.fade_secs())
    }

    /// Why it broke off, once: of a damaged file the beginning may be played.
    fn take_error(&mut self) -> Option<SoundError> {
        match &mut self.handle {
            MusicHandle::Whole(_) => None,
            MusicHandle::Streamed(handle) => {
                handle.pop_error().map(|source| SoundError::Undecodable { path: self.path.clone(), source })
            }
        }
    }

    fn pause(&mut self, secs: f64) {
        either!(&mut self.handle, h => h.pause(tween(secs)));
    }

    fn stop(mut self) {
        let fade = Tween { easing: FADE_OUT, ..tween(self.fade_secs()) };
        either!(&mut self.handle, h => h.stop(fade));
    }
}

/// The music.
#[derive(Default)]
pub struct Music {
    playlist: Playlist,
    /// Names of its tracks: they are asked for in every frame.
    names: Arc<[String]>,
    playing: Option<Playing>,
    loading: Option<Decoding<Data>>,
    /// Whether there is to be music; a held track counts.
    wanted: bool,
    /// Whether it is held, also a track that is still to begin; until the user lets it go on.
    paused: bool,
    volume: f32,
    /// A track that is played over and over in place of the list.
    interlude: Option<PathBuf>,
    /// Whether it could not be read, so that the list is played all the same.
    interlude_failed: bool,
    /// Tracks that could not be read: they are passed over until something is asked of the music.
    broken: BTreeSet<PathBuf>,
    failures: Vec<SoundError>,
    /// Whether tracks are waited for and decoded whole: without a device nothing is held up, and every run is the same.
    pub waits: bool,
}

fn tween(secs: f64) -> Tween {
    Tween { duration: Duration::from_secs_f64(secs.max(0.0)), ..Tween::default() }
}

/// Fades go by decibels: eased so that two that cross are both loud in the middle.
const FADE_IN: Easing = Easing::OutPowi(3);
const FADE_OUT: Easing = Easing::InPowi(3);

fn read(track: Option<PathBuf>, whole: bool) -> Result<Data, SoundError> {
    let Some(path) = track else {
        let built_in = StaticSoundData::from_cursor(Cursor::new(BUILT_IN));
        return built_in.map(Data::Whole).map_err(|source| SoundError::Undecodable { path: PathBuf::new(), source });
    };
    let (file, _) = match open(&path, MAX_TRACK_BYTES) {
        Ok(opened) => opened,
        Err(source) => return Err(SoundError::Unreadable { path, source }),
    };
    let data = if whole {
        StaticSoundData::from_media_source(file).map(Data::Whole)
    } else {
        StreamingSoundData::from_media_source(file).map(Data::Streamed)
    };
    match data {
        Ok(data) if data.duration_secs() <= 0.0 => Err(SoundError::Empty { path }),
        Ok(data) => Ok(data),
        Err(source) => Err(SoundError::Undecodable { path, source }),
    }
}

impl Music {
    /// Takes another list of tracks; what plays goes on where it is in the new list too, else fades out for its first.
    pub fn set_tracks(&mut self, tracks: Vec<PathBuf>) {
        if tracks == self.playlist.tracks() {
            return;
        }
        let before = self.playlist.current().and_then(|i| self.playlist.tracks().get(i)).cloned();
        let name = |path: &PathBuf| path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        self.names = tracks.iter().map(name).collect();
        self.playlist = Playlist::new(tracks);
        self.broken.clear();
        let kept = before.and_then(|path| self.playlist.tracks().iter().position(|track| *track == path));
        match kept {
            Some(track) => {
                self.playlist.set(track);
            }
            None if self.playing.is_some() || self.loading.is_some() => {
                let first = self.playlist.advance(1);
                self.begin(first);
            }
            None => {}
        }
    }

    /// Plays a track over and over in place of the list, until there is none; then the list goes on with its track.
    pub fn set_interlude(&mut self, track: Option<PathBuf>) {
        if self.interlude == track {
            return;
        }
        self.interlude_failed = track.as_ref().is_some_and(|track| self.broken.contains(track));
        self.interlude = track;
        if self.wanted {
            self.begin(self.playlist.current());
        }
    }

    /// Sets the amplitude, 0…1.
    pub fn set_volume(&mut self, volume: f32) {
        self.volume = volume;
        if let Some(playing) = &mut self.playing {
            either!(&mut playing.handle, h => h.set_volume(decibels(volume), tween(0.2)));
        }
    }

    /// Carries out what was asked for.
    pub fn run(&mut self, command: MusicCommand) {
        // Tracks that could not be read before may be readable now.
        self.broken.clear();
        match command {
            MusicCommand::Track(track) => {
                if let Some(track) = self.playlist.set(track) {
                    self.paused = false;
                    self.begin(Some(track));
                }
            }
            MusicCommand::Next => self.skip(|list| list.advance(1)),
            MusicCommand::Previous => self.skip(|list| list.advance(-1)),
            MusicCommand::Random => self.skip(Playlist::random),
            MusicCommand::Play => self.play(),
            MusicCommand::Pause => {
                self.paused = true;
                if let Some(playing) = &mut self.playing {
                    playing.pause(0.3);
                }
            }
            MusicCommand::Stop => self.stop(),
            MusicCommand::Seek(secs) => {
                if let Some(playing) = self.playing.as_mut().filter(|_| secs.is_finite()) {
                    let secs = secs.clamp(0.0, playing.duration_secs.max(0.0));
                    either!(&mut playing.handle, h => h.seek_to(secs));
                }
            }
            MusicCommand::Reload => {
                if let Some(track) = self.playlist.current().filter(|_| self.playing.is_some()) {
                    self.begin(Some(track));
                }
            }
        }
    }

    fn play(&mut self) {
        (self.wanted, self.paused) = (true, false);
        match &mut self.playing {
            Some(playing) => either!(&mut playing.handle, h => h.resume(tween(0.3))),
            None if self.loading.is_none() => {
                let track = self.playlist.current().or_else(|| self.playlist.advance(1));
                self.begin(track);
            }
            None => {}
        }
    }

    fn stop(&mut self) {
        self.wanted = false;
        self.loading = None;
        if let Some(playing) = self.playing.take() {
            playing.stop();
        }
    }

    fn skip(&mut self, choose: impl FnOnce(&mut Playlist) -> Option<usize>) {
        let track = choose(&mut self.playlist);
        self.paused = false;
        self.begin(track);
    }

    /// Begins to read a track, or the built-in piece; the one that plays goes on until it is there. Where the music is
    /// held, the new track is held too.
    fn begin(&mut self, track: Option<usize>) {
        let listed = || track.and_then(|track| self.playlist.tracks().get(track)).cloned();
        let path = self.interlude.clone().filter(|_| !self.interlude_failed).or_else(listed);
        let whole = self.waits;
        let decoding = Decoding::start(path.clone().unwrap_or_default(), move || read(path, whole));
        (self.loading, self.wanted) = (Some(decoding), true);
    }

    /// To be called often: starts what has been read, and goes on to the next track.
    pub fn poll<B: Backend>(&mut self, manager: &mut AudioManager<B>) {
        let broke_off = self.playing.as_mut().and_then(|playing| Some((playing.take_error()?, playing.path.clone())));
        if let Some((error, path)) = broke_off {
            self.give_up(path, error);
        } else if !self.paused
            && self.wanted
            && self.loading.is_none()
            && self.playing.as_ref().is_some_and(Playing::is_ending)
        {
            self.go_on();
        }
        let Some(loading) = &self.loading else { return };
        let Some(read) = loading.take(self.waits) else { return };
        let path = loading.path().to_path_buf();
        self.loading = None;
        match read.and_then(|data| start(data, path.clone(), self.volume, manager)) {
            Ok(mut playing) => {
                if self.paused {
                    playing.pause(0.0);
                }
                if let Some(before) = self.playing.replace(playing) {
                    before.stop();
                }
            }
            Err(error) => self.give_up(path, error),
        }
    }

    /// Goes on without a track that cannot be played.
    fn give_up(&mut self, path: PathBuf, error: SoundError) {
        self.failures.push(error);
        let of_interlude =
            self.interlude.as_ref() == Some(&path) && !std::mem::replace(&mut self.interlude_failed, true);
        self.broken.insert(path);
        // Where it broke off near its end, what follows is on its way already.
        if !self.wanted || self.loading.is_some() {
            return;
        }
        if of_interlude { self.begin(self.playlist.current()) } else { self.go_on() }
    }

    /// Begins what comes next: the interlude again, or the next track that is not broken. Where all are, it is quiet.
    fn go_on(&mut self) {
        if self.interlude.is_some() && !self.interlude_failed {
            return self.begin(self.playlist.current());
        }
        let count = self.playlist.tracks().len();
        if count == 0 && !self.broken.contains(Path::new("")) {
            return self.begin(None);
        }
        for _ in 0..count {
            let next = self.playlist.advance(1);
            let track = next.and_then(|track| self.playlist.tracks().get(track));
            if track.is_some_and(|track| !self.broken.contains(track)) {
                return self.begin(next);
            }
        }
        self.stop();
    }

    /// How it stands.
    pub fn status(&self) -> MusicStatus {
        MusicStatus {
            tracks: Arc::clone(&self.names),
            current: self.playlist.current().filter(|_| self.wanted),
            is_playing: self.wanted && !self.paused,
            position_secs: self.playing.as_ref().map_or(0.0, Playing::position),
            duration_secs: self.playing.as_ref().map_or(0.0, |playing| playing.duration_secs),
        }
    }

    /// Whether there is to be music.
    pub fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// Why tracks could not be played, since the last call.
    pub fn take_failures(&mut self) -> Vec<SoundError> {
        std::mem::take(&mut self.failures)
    }
}

fn start<B: Backend>(
    data: Data,
    path: PathBuf,
    volume: f32,
    manager: &mut AudioManager<B>,
) -> Result<Playing, SoundError> {
    let duration_secs = data.duration_secs();
    let fade = Tween { easing: FADE_IN, ..tween(FADE_SECS.min(duration_secs * 0.25)) };
    let handle = match data {
        Data::Whole(data) => {
            let data = data.volume(decibels(volume)).fade_in_tween(fade);
            MusicHandle::Whole(manager.play(data).map_err(|_| SoundError::Full)?)
        }
        Data::Streamed(data) => {
            let data = data.volume(decibels(volume)).fade_in_tween(fade);
            MusicHandle::Streamed(manager.play(data).map_err(|_| SoundError::Full)?)
        }
    };
    Ok(Playing { handle, path, duration_secs })
}
