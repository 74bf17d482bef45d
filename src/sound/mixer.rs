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
    /// Nothing was to be heard yet.
    Untried,
    /// There is none.
    Missing,
    Open(Box<AudioManager<B>>),
}

impl<B: Backend<Settings: Default>> Device<B> {
    /// The mixer of the device; tried once.
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
            device: if device { Device::Untried } else { Device::Missing },
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
        matches!(self.device, Device::Missing)
    }

    /// Changes what is to be heard.
    pub fn set(&mut self, settings: SoundSettings) {
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

    /// Carries out what is asked of the music.
    pub fn run(&mut self, command: MusicCommand) {
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
            let Some((sound, volume)) = self.steps.next(step, own) else { return };
            let amplitude = heard.volume * volume * self.settings.effects_volume;
            let sound = sound.volume(decibels(amplitude)).panning(Panning(heard.pan));
            if !self.grounds.contains_key(&step.ground)
                && let Ok(track) = manager.add_sub_track(step.ground.track())
            {
                self.grounds.insert(step.ground, track);
            }
            // More than the mixer holds are not missed.
            if let Some(track) = self.grounds.get_mut(&step.ground)
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
        self.places.retain_mut(|(place, handle)| {
            let stays = wanted && places.contains(place) && listener.hear_within(place.position, place.reach).is_some();
            if !stays {
                handle.stop(follow);
            }
            stays
        });
        if !wanted {
            return;
        }
        for place in places {
            let Some(heard) = listener.hear_within(place.position, place.reach) else { continue };
            let amplitude = decibels(heard.volume * place.volume * self.settings.effects_volume);
            if let Some((_, handle)) = self.places.iter_mut().find(|(playing, _)| playing == place) {
                handle.set_volume(amplitude, follow);
                handle.set_panning(Panning(heard.pan), follow);
                continue;
            }
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
mod tests {
    use super::super::music::FADE_SECS;
    use super::super::offline::{SAMPLE_RATE, write_wav};
    use super::*;

    const SECOND: usize = SAMPLE_RATE as usize;

    fn listener() -> Listener {
        Listener { position: Vec3::Y * 1.7, right: Vec3::X }
    }

    fn silent() -> SoundSettings {
        SoundSettings { footsteps: true, effects: true, music: false, effects_volume: 1.0, music_volume: 1.0 }
    }

    /// A tone of a frequency.
    fn write_tone(path: &Path, hz: f32, secs: f32) {
        let moments = (secs * SAMPLE_RATE as f32) as usize;
        let tone = |i: usize| 0.5 * (i as f32 / SAMPLE_RATE as f32 * hz * std::f32::consts::TAU).sin();
        let samples: Vec<f32> = (0..moments).flat_map(|i| [tone(i); 2]).collect();
        write_wav(path, &samples).unwrap();
    }

    /// Loudness (root mean square) of each tenth of a second.
    fn tenths(samples: &[f32]) -> Vec<f32> {
        let loudness = |part: &[f32]| (part.iter().map(|s| s * s).sum::<f32>() / part.len() as f32).sqrt();
        samples.chunks(SECOND / 10 * 2).map(loudness).collect()
    }

    /// How much of a frequency is in the left channel (Goertzel).
    fn strength(samples: &[f32], hz: f32) -> f32 {
        let (mut re, mut im) = (0.0, 0.0);
        for (i, sample) in samples.iter().step_by(2).enumerate() {
            let angle = std::f32::consts::TAU * hz * i as f32 / SAMPLE_RATE as f32;
            (re, im) = (re + sample * angle.cos(), im + sample * angle.sin());
        }
        re.hypot(im) / (samples.len() as f32 * 0.5)
    }

    fn step(x: f32, ground: GroundMaterial) -> Footstep {
        Footstep { position: Vec3::new(x, 0.0, -1.0), speed: 1.4, ground, file: None }
    }

    #[test]
    fn a_step_is_heard_when_the_foot_falls_and_from_its_side() {
        let mut mixer = Mixer::<Offline>::offline(silent());
        let mut out = Vec::new();
        mixer.render(SECOND / 2, &mut out);
        assert!(out.iter().all(|s| *s == 0.0), "nothing is heard yet");
        mixer.play_steps(&[step(6.0, GroundMaterial::Hard)], &listener());
        mixer.render(SECOND / 2, &mut out);
        let loud = tenths(&out);
        assert!(loud[4] == 0.0 && loud[5] > 1e-3, "{loud:?}");
        let side = |channel: usize| out.iter().skip(channel).step_by(2).map(|s| s * s).sum::<f32>();
        assert!(side(1) > 1.5 * side(0), "it comes from the right");
    }

    #[test]
    fn grounds_sound_unlike_each_other() {
        let bright = |ground: GroundMaterial| {
            let mut mixer = Mixer::<Offline>::offline(silent());
            let mut out = Vec::new();
            mixer.play_steps(&[step(0.0, ground)], &listener());
            mixer.render(SECOND / 2, &mut out);
            let left: Vec<f32> = out.iter().step_by(2).copied().collect();
            let change: f32 = left.windows(2).map(|p| (p[1] - p[0]).powi(2)).sum();
            change / left.iter().map(|s| s * s).sum::<f32>()
        };
        let [hard, soft, metal] = [GroundMaterial::Hard, GroundMaterial::Soft, GroundMaterial::Metal].map(bright);
        assert!(soft < 0.5 * hard && metal > 1.2 * hard, "soft {soft}, hard {hard}, metal {metal}");
    }

    #[test]
    fn tracks_fade_in_follow_one_another_and_fade_out() {
        let folder = tempfile::tempdir().unwrap();
        let (low, high) = (300.0, 900.0);
        write_tone(&folder.path().join("1.wav"), low, 8.0);
        write_tone(&folder.path().join("2.wav"), high, 8.0);
        let mut mixer = Mixer::<Offline>::offline(silent());
        mixer.set_folder(folder.path());
        mixer.set(SoundSettings { music: true, ..silent() });
        let mut out = Vec::new();
        let render = |mixer: &mut Mixer<Offline>, out: &mut Vec<f32>, secs: f64| {
            for _ in 0..(secs * 60.0).round() as usize {
                mixer.render(SECOND / 60, out);
            }
        };
        render(&mut mixer, &mut out, 10.0);
        assert_eq!((mixer.music().current, mixer.music().is_playing), (Some(1), true));
        let loud = tenths(&out);
        assert!(loud[0] < 0.3 * loud[30] && loud[7] < loud[20] && loud[20] > 0.3, "it fades in: {loud:?}");
        let at = |secs: f64| &out[(secs * SECOND as f64) as usize * 2..][..SECOND / 5 * 2];
        assert!(strength(at(4.0), low) > 0.2 && strength(at(4.0), high) < 0.01);
        let cross = 8.0 - FADE_SECS * 0.5;
        assert!(strength(at(cross), low) > 0.01 && strength(at(cross), high) > 0.01, "both are heard");
        assert!(strength(at(9.0), high) > 0.2 && strength(at(9.0), low) < 0.01);
        mixer.run(MusicCommand::Stop);
        let from = out.len();
        render(&mut mixer, &mut out, 3.0);
        let loud = tenths(&out[from..]);
        assert!(loud[0] > 0.2 && loud[7] < loud[0] && loud[25] < 1e-4, "it fades out: {loud:?}");
        assert!(!mixer.settings().music);
    }

    #[test]
    fn an_interlude_takes_the_place_of_the_tracks_and_goes_again() {
        let folder = tempfile::tempdir().unwrap();
        let (low, high) = (300.0, 900.0);
        write_tone(&folder.path().join("1.wav"), low, 20.0);
        let zone = folder.path().join("zone.flac.wav");
        let mut mixer = Mixer::<Offline>::offline(silent());
        mixer.set_folder(folder.path());
        write_tone(&zone, high, 3.0);
        mixer.set(SoundSettings { music: true, ..silent() });
        let heard = |mixer: &mut Mixer<Offline>, secs: usize| {
            let mut out = Vec::new();
            for _ in 0..secs * 60 {
                mixer.render(SECOND / 60, &mut out);
            }
            let last = &out[out.len() - SECOND / 2 * 2..];
            [low, high].map(|hz| strength(last, hz) > 0.1)
        };
        assert_eq!(heard(&mut mixer, 3), [true, false]);
        mixer.set_interlude(Some(zone));
        assert_eq!(heard(&mut mixer, 7), [false, true], "it is played again and again");
        mixer.set_interlude(Some(folder.path().join("gone.wav")));
        assert_eq!(heard(&mut mixer, 4), [true, false], "the list is played where it cannot be read");
        assert_eq!(mixer.take_failures().len(), 1);
        mixer.set_interlude(None);
        assert_eq!(heard(&mut mixer, 3), [true, false]);
    }

    #[test]
    fn music_is_held_sought_and_skipped() {
        let folder = tempfile::tempdir().unwrap();
        for (name, hz) in [("1.wav", 300.0), ("2.wav", 900.0)] {
            write_tone(&folder.path().join(name), hz, 20.0);
        }
        std::fs::write(folder.path().join("0.ogg"), b"no sound").unwrap();
        let mut mixer = Mixer::<Offline>::offline(silent());
        mixer.set_folder(folder.path());
        let mut out = Vec::new();
        mixer.run(MusicCommand::Play);
        mixer.render(SECOND, &mut out);
        // The first cannot be read, so that the second plays.
        mixer.render(SECOND, &mut out);
        assert_eq!(mixer.music().current, Some(1));
        assert!(mixer.take_failures().iter().any(|error| error.to_string().contains("0.ogg")));
        mixer.run(MusicCommand::Seek(10.0));
        mixer.render(SECOND, &mut out);
        mixer.render(SECOND / 60, &mut out);
        assert!((mixer.music().position_secs - 11.0).abs() < 0.2, "{:?}", mixer.music());
        mixer.run(MusicCommand::Pause);
        mixer.render(SECOND, &mut out);
        let from = out.len();
        mixer.render(SECOND / 2, &mut out);
        assert!(tenths(&out[from..]).iter().all(|loud| *loud == 0.0), "it is held");
        mixer.run(MusicCommand::Play);
        mixer.run(MusicCommand::Next);
        mixer.render(2 * SECOND, &mut out);
        let from = out.len();
        mixer.render(SECOND, &mut out);
        assert!(strength(&out[from..], 900.0) > 0.2, "the other track plays");
        assert_eq!(mixer.music().current, Some(2));
        mixer.run(MusicCommand::Previous);
        mixer.run(MusicCommand::Random);
        mixer.run(MusicCommand::Track(7));
        mixer.run(MusicCommand::Reload);
        mixer.render(SECOND, &mut out);
        assert!(mixer.music().is_playing);
    }

    #[test]
    fn places_are_heard_within_their_reach() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("fountain.wav");
        write_tone(&file, 400.0, 0.5);
        let place = PlacedSound { file: file.clone(), position: Vec3::X * 4.0, reach: 10.0, volume: 1.0 };
        let mut mixer = Mixer::<Offline>::offline(silent());
        let mut heard_from = |x: f32| {
            let mut out = Vec::new();
            let listener = Listener { position: Vec3::X * x, right: Vec3::X };
            for _ in 0..30 {
                mixer.play_places(std::slice::from_ref(&place), &listener);
                mixer.render(SECOND / 60, &mut out);
            }
            tenths(&out).last().copied().unwrap_or_default()
        };
        let (near, far, gone) = (heard_from(3.0), heard_from(-2.0), heard_from(-30.0));
        assert!(near > 2.0 * far && far > 1e-3 && gone == 0.0, "{near} {far} {gone}");
        let mut mixer = Mixer::<Offline>::offline(silent());
        let mut out = Vec::new();
        mixer.play_at(&[SoundAt { file, position: Vec3::X, volume: 1.0 }], &listener());
        mixer.render(SECOND, &mut out);
        let loud = tenths(&out);
        assert!(loud[1] > 0.05 && loud[8] == 0.0, "once: {loud:?}");
    }

    #[test]
    fn a_sound_that_changes_is_heard_anew() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("fountain.wav");
        write_tone(&file, 400.0, 5.0);
        let place = PlacedSound { file: file.clone(), position: Vec3::X, reach: 10.0, volume: 1.0 };
        let mut mixer = Mixer::<Offline>::offline(silent());
        let heard = |mixer: &mut Mixer<Offline>| {
            let mut out = Vec::new();
            mixer.poll_files();
            for _ in 0..30 {
                mixer.play_places(std::slice::from_ref(&place), &listener());
                mixer.render(SECOND / 60, &mut out);
            }
            let last = &out[out.len() / 2..];
            [400.0, 900.0].map(|hertz| strength(last, hertz) > 0.05)
        };
        assert_eq!(heard(&mut mixer), [true, false]);
        write_tone(&file, 900.0, 5.0);
        mixer.reload(&file);
        assert_eq!(heard(&mut mixer), [false, true]);
        std::fs::write(&file, "noise").unwrap();
        mixer.reload(&file);
        assert_eq!(heard(&mut mixer), [false, true], "a broken file leaves what was there");
        assert_eq!(mixer.take_failures().len(), 1);
        write_tone(&file, 400.0, 5.0);
        mixer.reload(&file);
        assert_eq!(heard(&mut mixer), [true, false]);
    }

    #[test]
    fn without_a_device_nothing_happens() {
        let mut mixer = Mixer::<Offline>::new(SoundSettings { music: true, ..silent() }, false);
        mixer.play_steps(&[step(0.0, GroundMaterial::Hard)], &listener());
        mixer.run(MusicCommand::Next);
        mixer.poll();
        let mut out = Vec::new();
        mixer.render(100, &mut out);
        assert!(mixer.is_missing() && out.is_empty());
    }
}
