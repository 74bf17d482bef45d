//! Steps: which sound a foot makes on which ground at which pace.

use super::listener::{Heard, Listener};
use crate::vocab::parts_of_name;
use glam::Vec3;
use kira::effect::filter::{FilterBuilder, FilterMode};
use kira::sound::static_sound::StaticSoundData;
use kira::track::TrackBuilder;
use std::io::Cursor;
use std::path::PathBuf;

/// Most steps that begin at once: the nearest ones.
pub const AT_ONCE: usize = 6;

/// What the ground is made of, as far as it can be heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GroundMaterial {
    /// Stone, tiles, asphalt, and what is not known.
    #[default]
    Hard,
    /// Grass, earth, sand, snow, carpet.
    Soft,
    /// Planks.
    Wood,
    /// Metal.
    Metal,
    /// Water and mud.
    Wet,
}

/// Words in names of materials and textures, and the ground they tell of.
const NAMES: &[(GroundMaterial, &[&str])] = &[
    (
        GroundMaterial::Wood,
        &["wood", "hardwood", "plywood", "wooden", "plank", "board", "floorboard", "parquet", "timber"],
    ),
    (GroundMaterial::Metal, &["metal", "sheetmetal", "iron", "steel", "grate", "grating", "grid"]),
    (GroundMaterial::Wet, &["water", "mud", "muddy", "puddle", "swamp"]),
    (
        GroundMaterial::Soft,
        &["grass", "sand", "sandy", "earth", "dirt", "soil", "snow", "carpet", "lawn", "leaf", "leaves", "moss"],
    ),
];
/// What follows such a word in one that is put together.
const ENDINGS: &[&str] =
    &["", "s", "es", "floor", "ground", "field", "tile", "tiles", "plate", "plates", "plank", "planks", "path"];

impl GroundMaterial {
    /// All grounds.
    pub const ALL: [Self; 5] = [Self::Hard, Self::Soft, Self::Wood, Self::Metal, Self::Wet];

    /// The ground of a material, by its name or that of its texture.
    pub fn of_name(name: &str) -> Self {
        let words = parts_of_name(name);
        let is_named = |known: &&str| {
            let is_known = |word: &String| word.strip_prefix(known).is_some_and(|end| ENDINGS.contains(&end));
            words.iter().any(is_known)
        };
        let known = NAMES.iter().find(|(_, known)| known.iter().any(is_named));
        known.map_or(Self::Hard, |(ground, _)| *ground)
    }

    /// How the steps of stone sound on it: playback rate, amplitude, and the filter with its cutoff, Hz.
    fn timbre(self) -> (f64, f32, Option<(FilterMode, f64)>) {
        match self {
            Self::Hard => (1.0, 1.0, None),
            Self::Soft => (0.8, 0.7, Some((FilterMode::LowPass, 700.0))),
            Self::Wood => (0.72, 1.0, Some((FilterMode::LowPass, 2200.0))),
            Self::Metal => (1.45, 0.9, Some((FilterMode::HighPass, 900.0))),
            Self::Wet => (1.2, 0.8, Some((FilterMode::BandPass, 1500.0))),
        }
    }

    /// The mixer's track of its steps.
    pub fn track(self) -> TrackBuilder {
        let track = TrackBuilder::new().sound_capacity(32);
        match self.timbre().2 {
            Some((mode, cutoff)) => track.with_effect(FilterBuilder::new().mode(mode).cutoff(cutoff)),
            None => track,
        }
    }
}

/// A foot that comes down.
#[derive(Clone, Debug, PartialEq)]
pub struct Footstep {
    /// World space.
    pub position: Vec3,
    /// Speed of the character, metres per second.
    pub speed: f32,
    /// What it comes down on.
    pub ground: GroundMaterial,
    /// The sound of that ground where it has one of its own.
    pub file: Option<PathBuf>,
}

/// The nearest steps in earshot, the nearest first.
pub fn nearest<'a>(steps: &'a [Footstep], listener: &Listener) -> Vec<(&'a Footstep, Heard)> {
    let mut near: Vec<(&Footstep, Heard)> = steps
        .iter()
        .filter_map(|step| {
            let heard = listener.hear(step.position)?;
            // A faster step is a harder one.
            Some((step, Heard { volume: heard.volume * (0.35 + 0.2 * step.speed).min(1.0), ..heard }))
        })
        .collect();
    near.sort_by(|a, b| a.1.distance.total_cmp(&b.1.distance));
    near.truncate(AT_ONCE);
    near
}

/// The built-in steps on stone.
#[derive(Default)]
pub struct StepSounds {
    sounds: Vec<StaticSoundData>,
    count: usize,
}

const STEPS: [&[u8]; 4] = [
    include_bytes!("../../assets/sounds/step_1.wav"),
    include_bytes!("../../assets/sounds/step_2.wav"),
    include_bytes!("../../assets/sounds/step_3.wav"),
    include_bytes!("../../assets/sounds/step_4.wav"),
];

impl StepSounds {
    /// The next sound on a ground, or of its own, with its amplitude and rate.
    pub fn next(&mut self, step: &Footstep, own: Option<StaticSoundData>) -> Option<(StaticSoundData, f32)> {
        if self.sounds.is_empty() {
            self.sounds =
                STEPS.iter().filter_map(|bytes| StaticSoundData::from_cursor(Cursor::new(*bytes)).ok()).collect();
        }
        self.count = self.count.wrapping_add(1);
        // No two steps sound alike, and fast ones are higher.
        let varied = 0.92 + 0.16 * ((self.count * 7 % 16) as f64 / 16.0);
        let pace = 0.95 + 0.04 * f64::from(step.speed.clamp(0.0, 6.0));
        match own {
            Some(sound) => Some((sound.playback_rate(varied * pace), 1.0)),
            None => {
                let (rate, volume, _) = step.ground.timbre();
                let sound = self.sounds.get(self.count % self.sounds.len().max(1))?;
                Some((sound.playback_rate(rate * varied * pace), volume))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(x: f32, z: f32) -> Footstep {
        Footstep { position: Vec3::new(x, 0.0, z), speed: 1.4, ground: GroundMaterial::Hard, file: None }
    }

    #[test]
    fn grounds_are_told_by_names() {
        for (name, ground) in [
            ("M_Wood_Planks.001", GroundMaterial::Wood),
            ("GrassTile", GroundMaterial::Soft),
            ("rusty_iron", GroundMaterial::Metal),
            ("Water", GroundMaterial::Wet),
            ("de_dust_wall", GroundMaterial::Hard),
            ("WOODFLOOR2", GroundMaterial::Wood),
            ("T_MetalPlates_d", GroundMaterial::Metal),
            ("environment_sandstone", GroundMaterial::Hard),
            ("Billboard", GroundMaterial::Hard),
            ("", GroundMaterial::Hard),
        ] {
            assert_eq!(GroundMaterial::of_name(name), ground, "{name}");
        }
    }

    #[test]
    fn the_nearest_steps_are_heard_and_fast_ones_are_louder() {
        let listener = Listener { position: Vec3::new(5.0, 1.7, 0.0), right: Vec3::X };
        let crowd: Vec<Footstep> = (0..200).map(|i| step(5.0, -0.1 * i as f32)).collect();
        let heard = nearest(&crowd, &listener);
        assert_eq!(heard.len(), AT_ONCE);
        assert!(heard.windows(2).all(|pair| pair[0].1.distance <= pair[1].1.distance));
        let runs = [Footstep { speed: 3.0, ..step(5.0, -1.0) }];
        assert!(nearest(&runs, &listener)[0].1.volume > 1.2 * nearest(&[step(5.0, -1.0)], &listener)[0].1.volume);
    }
}
