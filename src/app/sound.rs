//! Footsteps and music, for ears. Without a device, and in all commands without a window, nothing is heard.

use crate::camera::View;
use crate::sim::pose::Footfall;
use crate::ui::SoundSettings;
use glam::Vec3;
use kira::backend::{Backend, DefaultBackend};
use kira::sound::static_sound::{StaticSoundData, StaticSoundHandle};
use kira::{AudioManager, AudioManagerSettings, Decibels, Panning, Tween};
use std::io::Cursor;
use std::path::PathBuf;
use std::time::Duration;

/// Farthest step that is heard, metres.
const EARSHOT: f32 = 28.0;
/// Distance up to which a step is as loud as it gets, metres.
const NEAR: f32 = 2.5;
/// Most steps that begin at once: the nearest ones.
const AT_ONCE: usize = 6;
/// Time in which music comes and goes.
const FADE: Duration = Duration::from_millis(800);
const STEPS: [&[u8]; 4] = [
    include_bytes!("../../assets/sounds/step_1.wav"),
    include_bytes!("../../assets/sounds/step_2.wav"),
    include_bytes!("../../assets/sounds/step_3.wav"),
    include_bytes!("../../assets/sounds/step_4.wav"),
];
const MUSIC: &[u8] = include_bytes!("../../assets/sounds/music.wav");

/// What sounds in the window.
pub struct Sound<B: Backend = DefaultBackend> {
    settings: SoundSettings,
    store: Option<PathBuf>,
    device: Device<B>,
    steps: Vec<StaticSoundData>,
    music: Option<StaticSoundHandle>,
    count: usize,
}

/// The way to the loudspeakers.
enum Device<B: Backend> {
    /// Nothing was to be heard yet.
    Untried,
    /// There is none.
    Missing,
    Open(Box<AudioManager<B>>),
}

/// A step as it is heard.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Heard {
    /// Amplitude, 0…1.
    volume: f32,
    /// -1 left … 1 right.
    pan: f32,
}

impl<B: Backend<Settings: Default>> Sound<B> {
    /// With the settings that are kept in a folder; those of a file that is not there or unreadable are the default.
    /// Where no `device` can be, none is tried.
    pub fn load(folder: Option<PathBuf>, device: bool) -> Self {
        let store = folder.map(|folder| folder.join("sound.json"));
        let text = store.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
        let settings = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let device = if device { Device::Untried } else { Device::Missing };
        Self { settings, store, device, steps: Vec::new(), music: None, count: 0 }
    }

    /// What is to be heard.
    pub fn settings(&self) -> SoundSettings {
        self.settings
    }

    /// Whether sound was wanted and there is no device for it.
    pub fn is_missing(&self) -> bool {
        matches!(self.device, Device::Missing)
    }

    /// Changes what is to be heard, and keeps it for the next run.
    ///
    /// # Errors
    /// The settings could not be written; they hold for this run.
    pub fn set(&mut self, settings: SoundSettings) -> Result<(), std::io::Error> {
        self.settings = settings;
        self.play_music();
        let (Some(store), Ok(text)) = (&self.store, serde_json::to_string_pretty(&settings)) else { return Ok(()) };
        store.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(store, text)
    }

    /// Plays the footsteps of this moment as heard at the eye of `view`.
    pub fn hear(&mut self, footfalls: impl Iterator<Item = Footfall>, view: &View) {
        if !self.settings.footsteps || self.settings.volume <= 0.0 || self.is_missing() {
            return;
        }
        let heard = nearest(footfalls, view);
        if heard.is_empty() {
            return;
        }
        let volume = self.settings.volume;
        let Some(manager) = self.device.open() else { return };
        if self.steps.is_empty() {
            self.steps =
                STEPS.iter().filter_map(|bytes| StaticSoundData::from_cursor(Cursor::new(*bytes)).ok()).collect();
        }
        for step in heard {
            self.count = self.count.wrapping_add(1);
            let Some(sound) = self.steps.get(self.count % self.steps.len().max(1)) else { return };
            // No two steps sound alike.
            let rate = 0.92 + 0.16 * ((self.count * 7 % 16) as f64 / 16.0);
            let sound = sound.volume(decibels(step.volume * volume)).panning(Panning(step.pan)).playback_rate(rate);
            // More than the mixer holds are not missed.
            if manager.play(sound).is_err() {
                return;
            }
        }
    }

    /// Begins and ends the music as the settings say.
    pub fn play_music(&mut self) {
        let tween = Tween { duration: FADE, ..Tween::default() };
        let wanted = self.settings.music && self.settings.volume > 0.0;
        let volume = decibels(0.5 * self.settings.volume);
        match &mut self.music {
            Some(playing) if wanted => playing.set_volume(volume, tween),
            Some(playing) => {
                playing.stop(tween);
                self.music = None;
            }
            None if wanted => {
                let Some(manager) = self.device.open() else { return };
                let Ok(music) = StaticSoundData::from_cursor(Cursor::new(MUSIC)) else { return };
                self.music = manager.play(music.loop_region(..).volume(volume).fade_in_tween(tween)).ok();
            }
            None => {}
        }
    }
}

impl<B: Backend<Settings: Default>> Device<B> {
    /// The mixer; tried once.
    fn open(&mut self) -> Option<&mut AudioManager<B>> {
        if matches!(self, Self::Untried) {
            *self = match AudioManager::new(AudioManagerSettings::default()) {
                Ok(manager) => Self::Open(Box::new(manager)),
                _ => Self::Missing,
            };
        }
        match self {
            Self::Open(manager) => Some(manager),
            _ => None,
        }
    }
}

/// Whether there may be a sound device. Linux's sound library complains aloud where there is none, so it is not asked
/// when neither the kernel nor a sound server offers one.
pub fn may_have_device() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).unwrap_or_default();
    let places = [PathBuf::from("/dev/snd"), runtime.join("pipewire-0"), runtime.join("pulse/native")];
    std::env::var_os("PULSE_SERVER").is_some() || places.iter().any(|place| place.exists())
}

fn decibels(amplitude: f32) -> Decibels {
    Decibels(20.0 * amplitude.clamp(1e-4, 1.0).log10())
}

/// The nearest steps in earshot, the nearest first.
fn nearest(footfalls: impl Iterator<Item = Footfall>, view: &View) -> Vec<Heard> {
    let right = view.view_from_world.row(0).truncate().normalize_or(Vec3::X);
    let mut near: Vec<(f32, Heard)> = footfalls
        .filter_map(|step| {
            let way = step.position - view.position;
            let distance = way.length();
            (distance < EARSHOT).then(|| {
                let fade = 1.0 - distance / EARSHOT;
                let volume = (NEAR / distance.max(NEAR)) * fade * (0.35 + 0.2 * step.speed).min(1.0);
                let pan = right.dot(way) / distance.max(1.0);
                (distance, Heard { volume, pan: 0.8 * pan.clamp(-1.0, 1.0) })
            })
        })
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    near.into_iter().take(AT_ONCE).map(|(_, heard)| heard).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Lens;
    use kira::backend::mock::MockBackend;

    fn view() -> View {
        View::new(Vec3::new(5.0, 1.7, 0.0), Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, 1.5)
    }

    fn step(x: f32, z: f32) -> Footfall {
        Footfall { position: Vec3::new(x, 0.0, z), speed: 1.4 }
    }

    #[test]
    fn near_steps_are_loud_and_come_from_their_side() {
        let heard = nearest([step(9.0, -4.0), step(5.0, -2.0), step(500.0, 0.0)].into_iter(), &view());
        assert_eq!(heard.len(), 2, "one is out of earshot");
        assert!(heard[0].volume > 1.5 * heard[1].volume && heard[1].volume > 0.0, "{heard:?}");
        assert!(heard[0].pan.abs() < 1e-3 && heard[1].pan > 0.3, "{heard:?}");
        let crowd = (0..200).map(|i| step(5.0, -0.1 * i as f32));
        assert_eq!(nearest(crowd, &view()).len(), AT_ONCE);
    }

    #[test]
    fn sounds_play_as_the_settings_say_and_settings_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let playing = |sound: &mut Sound<MockBackend>| match &mut sound.device {
            Device::Open(manager) => Some(manager.main_track().num_sounds()),
            _ => None,
        };
        let mut sound = Sound::<MockBackend>::load(Some(folder.path().into()), true);
        assert_eq!(sound.settings(), SoundSettings::default());
        sound.set(SoundSettings { footsteps: false, music: false, volume: 0.4 }).unwrap();
        sound.hear([step(5.0, -1.0)].into_iter(), &view());
        assert_eq!(playing(&mut sound), None, "the device is opened when there is something to hear");
        sound.set(SoundSettings { footsteps: true, music: false, volume: 0.4 }).unwrap();
        sound.hear([step(5.0, -1.0), step(6.0, -1.0)].into_iter(), &view());
        assert_eq!(playing(&mut sound), Some(2));
        let last = SoundSettings { footsteps: false, music: true, volume: 0.7 };
        sound.set(last).unwrap();
        assert_eq!(playing(&mut sound), Some(3));
        assert!(!sound.is_missing());
        let mut deaf = Sound::<MockBackend>::load(Some(folder.path().into()), false);
        deaf.play_music();
        assert!(deaf.is_missing() && playing(&mut deaf).is_none());
        assert_eq!(Sound::<MockBackend>::load(Some(folder.path().into()), true).settings(), last);
        std::fs::write(folder.path().join("sound.json"), "{").unwrap();
        assert_eq!(Sound::<MockBackend>::load(Some(folder.path().into()), true).settings(), SoundSettings::default());
    }
}
