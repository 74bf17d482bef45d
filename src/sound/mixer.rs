//! The mixer: the device, the music, and the sounds of the world.

use super::bank::Bank;
use super::decibels;
use super::error::SoundError;
use super::listener::Listener;
use super::music::{Music, MusicStatus};
use super::offline::Offline;
use super::playlist::tracks_in;
use super::settings::{MusicCommand, SoundSettings};
use super::steps::{Footstep, GroundMaterial, StepSounds, nearest};
use glam::Vec3;
use kira::backend::{Backend, DefaultBackend};
use kira::sound::static_sound::StaticSoundHandle;
use kira::track::TrackHandle;
use kira::{AudioManager, AudioManagerSettings, Panning, Tween};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time over which the sound of a place follows the listener.
const FOLLOW: Duration = Duration::from_millis(80);

/// A sound that is to be heard once.
#[derive(Clone, Debug, PartialEq)]
pub struct SoundAt {
    /// Its file.
    pub file: PathBuf,
    /// Where, world space.
    pub position: Vec3,
    /// Amplitude there, 0…1.
    pub volume: f32,
}

/// A sound that repeats at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedSound {
    /// Its file.
    pub file: PathBuf,
    /// Where, world space.
    pub position: Vec3,
    /// How far away it is heard, metres.
    pub reach: f32,
    /// Amplitude at the place, 0…1.
    pub volume: f32,
}

/// The way to the loudspeakers.
enum Device<B: Backend> {
    /// None may be tried.
    Off,
    /// Nothing was to be heard yet.
    Untried,
    /// There was none.
    Missing,
    Open(Box<AudioManager<B>>),
}

impl<B: Backend<Settings: Default>> Device<B> {
    /// The mixer of the device; tried once until it is looked for again.
    fn open(&mut self) -> Option<&mut AudioManager<B>> {
        if matches!(self, Self::Untried) {
            *self = match AudioManager::new(AudioManagerSettings::default()) {
                Ok(manager) => Self::Open(Box::new(manager)),
                Err(_) => Self::Missing,
            };
        }
        match self {
            Self::Open(manager) => Some(manager),
            _ => None,
        }
    }
}

/// Plays what is to be heard.
pub struct Mixer<B: Backend = DefaultBackend> {
    settings: SoundSettings,
    device: Device<B>,
    music: Music,
    folder: Option<PathBuf>,
    bank: Bank,
    steps: StepSounds,
    /// Tracks of the grounds, each with its filter.
    grounds: HashMap<GroundMaterial, TrackHandle>,
    places: Vec<(PlacedSound, StaticSoundHandle)>,
}

impl<B: Backend<Settings: Default>> Mixer<B> {
    /// A mixer; where no `device` can be, none is tried.
    pub fn new(settings: SoundSettings, device: bool) -> Self {
        let mut mixer = Self {
            settings,
            device: if device { Device::Untried } else { Device::Off },
            music: Music::default(),
            folder: None,
            bank: Bank::default(),
            steps: StepSounds::default(),
            grounds: HashMap::new(),
            places: Vec::new(),
        };
        mixer.set(settings);
        mixer
    }

    /// What is to be heard.
    pub fn settings(&self) -> SoundSettings {
        self.settings
    }

    /// Whether sound was wanted and there is no device for it.
    pub fn is_missing(&self) -> bool {
        matches!(self.device, Device::Off | Device::Missing)
    }

    /// Lets a device that was missing be looked for again: one may have been plugged in.
    fn look_again(&mut self) {
        if matches!(self.device, Device::Missing) {
            self.device = Device::Untried;
        }
    }

    /// Changes what is to be heard. Where something is switched on, a missing device is looked for again.
    pub fn set(&mut self, settings: SoundSettings) {
        let switches = |of: &SoundSettings| [of.footsteps, of.effects, of.music];
        if switches(&settings).into_iter().zip(switches(&self.settings)).any(|(is, was)| is && !was) {
            self.look_again();
        }
        self.settings = settings;
        self.music.set_volume(settings.music_volume);
        match (settings.music, self.music.is_wanted()) {
            (true, false) => self.music.run(MusicCommand::Play),
            (false, true) => self.music.run(MusicCommand::Stop),
            _ => {}
        }
    }

    /// Takes the tracks of a folder.
    pub fn set_folder(&mut self, folder: &Path) {
        if self.folder.as_deref() != Some(folder) {
            self.folder = Some(folder.to_path_buf());
            self.music.set_tracks(tracks_in(folder));
        }
    }

    /// Plays a track over and over in place of the folder's, until there is none.
    pub fn set_interlude(&mut self, track: Option<PathBuf>) {
        self.music.set_interlude(track);
    }

    /// Carries out what is asked of the music. Where it is to play, a missing device is looked for again.
    pub fn run(&mut self, command: MusicCommand) {
        if matches!(command, MusicCommand::Play | MusicCommand::Track(_)) {
            self.look_again();
        }
        if command == MusicCommand::Reload {
            self.bank.clear();
            if let Some(folder) = self.folder.take() {
                self.set_folder(&folder);
            }
        }
        self.music.run(command);
        self.settings.music = self.music.is_wanted();
    }

    /// How the music stands.
    pub fn music(&self) -> MusicStatus {
        self.music.status()
    }

    /// Why files could not be played, since the last call.
    pub fn take_failures(&mut self) -> Vec<SoundError> {
        let mut failures = self.music.take_failures();
        failures.append(&mut self.bank.take_failures());
        failures
    }

    /// Reads a sound again, which has changed on disk; until it is read, and where it cannot be, it stays as it was.
    pub fn reload(&mut self, file: &Path) {
        self.bank.reload(file);
    }

    /// How long the sound of a file lasts, once it is decoded.
    #[cfg(test)]
    pub fn duration(&mut self, file: &Path) -> Option<Duration> {
        self.bank.get(file).map(|sound| sound.duration())
    }

    /// To be called often: takes the sounds that are read again. Those that repeat at a place begin anew.
    pub fn poll_files(&mut self) {
        for file in self.bank.take_renewed() {
            self.places.retain_mut(|(place, handle)| {
                let stays = place.file != file;
                if !stays {
                    handle.stop(Tween::default());
                }
                stays
            });
        }
    }

    /// To be called often, also while nothing moves: keeps the music going.
    pub fn poll(&mut self) {
        if !self.music.is_wanted() {
            return;
        }
        if let Some(manager) = self.device.open() {
            self.music.poll(manager);
        }
    }

    fn hears_effects(&self, wanted: bool) -> bool {
        wanted && self.settings.effects_volume > 0.0 && !self.is_missing()
    }

    /// Plays the steps of a moment.
    pub fn play_steps(&mut self, steps: &[Footstep], listener: &Listener) {
        if !self.hears_effects(self.settings.footsteps) {
            return;
        }
        let heard = nearest(steps, listener);
        if heard.is_empty() {
            return;
        }
        let Some(manager) = self.device.open() else { return };
        for (step, heard) in heard {
            let own = step.file.as_deref().and_then(|file| self.bank.get(file));
            // A sound of the ground's own is heard as it is.
            let ground = if own.is_some() { GroundMaterial::Hard } else { step.ground };
            let Some((sound, volume)) = self.steps.next(step, own) else { return };
            let amplitude = heard.volume * volume * self.settings.effects_volume;
            let sound = sound.volume(decibels(amplitude)).panning(Panning(heard.pan));
            if !self.grounds.contains_key(&ground)
                && let Ok(track) = manager.add_sub_track(ground.track())
            {
                self.grounds.insert(ground, track);
            }
            // More than the mixer holds are not missed.
            if let Some(track) = self.grounds.get_mut(&ground)
                && track.play(sound).is_err()
            {
                return;
            }
        }
    }

    /// Plays sounds once, where they come from.
    pub fn play_at(&mut self, sounds: &[SoundAt], listener: &Listener) {
        if !self.hears_effects(self.settings.effects) {
            return;
        }
        for one in sounds {
            let (Some(heard), Some(sound)) = (listener.hear(one.position), self.bank.get(&one.file)) else { continue };
            let Some(manager) = self.device.open() else { return };
            let amplitude = decibels(heard.volume * one.volume * self.settings.effects_volume);
            // More than the mixer holds are not missed.
            drop(manager.play(sound.volume(amplitude).panning(Panning(heard.pan))));
        }
    }

    /// Reads files before they are needed.
    pub fn prepare<'a>(&mut self, files: impl Iterator<Item = &'a Path>) {
        if !self.is_missing() {
            files.for_each(|file| drop(self.bank.get(file)));
        }
    }

    /// Keeps the sounds of places going that the listener is near enough to hear.
    pub fn play_places(&mut self, places: &[PlacedSound], listener: &Listener) {
        let follow = Tween { duration: FOLLOW, ..Tween::default() };
        let wanted = self.hears_effects(self.settings.effects);
        let heard = |place: &&PlacedSound| wanted && listener.hear_within(place.position, place.reach).is_some();
        let mut playing = std::mem::take(&mut self.places);
        let mut new = Vec::new();
        for place in places.iter().filter(heard) {
            match playing.iter().position(|(known, _)| known == place) {
                Some(i) => self.places.push(playing.swap_remove(i)),
                None => new.push(place),
            }
        }
        // One that was moved, or whose reach or loudness was changed, goes on where it is in its file.
        new.retain(|place| {
            let Some(i) = playing.iter().position(|(known, _)| known.file == place.file) else { return true };
            let (known, handle) = playing.swap_remove(i);
            let PlacedSound { position, reach, volume, .. } = **place;
            self.places.push((PlacedSound { position, reach, volume, ..known }, handle));
            false
        });
        playing.iter_mut().for_each(|(_, handle)| handle.stop(follow));
        for (place, handle) in &mut self.places {
            let Some(heard) = listener.hear_within(place.position, place.reach) else { continue };
            let amplitude = decibels(heard.volume * place.volume * self.settings.effects_volume);
            handle.set_volume(amplitude, follow);
            handle.set_panning(Panning(heard.pan), follow);
            self.bank.keep(&place.file);
        }
        for place in new {
            let Some(heard) = listener.hear_within(place.position, place.reach) else { continue };
            let amplitude = decibels(heard.volume * place.volume * self.settings.effects_volume);
            let Some(sound) = self.bank.get(&place.file) else { continue };
            let Some(manager) = self.device.open() else { return };
            let sound = sound.loop_region(..).volume(amplitude).panning(Panning(heard.pan)).fade_in_tween(follow);
            if let Ok(handle) = manager.play(sound) {
                self.places.push((place.clone(), handle));
            }
        }
    }
}

impl Mixer<Offline> {
    /// A mixer that renders: it waits for files, so that every run gives the same samples.
    pub fn offline(settings: SoundSettings) -> Self {
        let mut mixer = Self::new(settings, true);
        (mixer.bank.waits, mixer.music.waits) = (true, true);
        mixer
    }

    /// Appends so many moments of what is heard.
    pub fn render(&mut self, moments: usize, out: &mut Vec<f32>) {
        self.poll();
        if let Some(manager) = self.device.open() {
            manager.backend_mut().render(moments, out);
        }
    }
}

#[cfg(test)]
mod tests;
