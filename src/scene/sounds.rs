//! Sounds that a scene names: the folder of its music, sounds of actions, of grounds and of places.

use super::extra::Extra;
use crate::vocab::MoveState;
use glam::Vec3;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The folder whose tracks are played where a scene names none.
pub const USUAL_MUSIC_FOLDER: &str = "assets/music";

/// What sounds in a scene, in files named like models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct SceneSounds {
    /// Folder whose sound files are the tracks; empty for [`USUAL_MUSIC_FOLDER`].
    pub music_folder: String,
    /// What is heard when an action begins.
    pub actions: Vec<ActionSound>,
    /// Steps on grounds.
    pub grounds: Vec<GroundSound>,
    /// What repeats at places.
    pub places: Vec<PlaceSound>,
    /// Keys that this version does not know, with their values as YAML; saved again.
    #[serde(skip)]
    pub extra: Extra,
}

/// The sound of an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ActionSound {
    /// The action, in files by its number.
    #[serde(serialize_with = "write_state", deserialize_with = "read_state")]
    pub state: MoveState,
    /// The sound.
    pub file: String,
}

/// The sound of steps on a ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GroundSound {
    /// Part of the name of the ground's material or of its texture, in any case.
    pub material: String,
    /// The sound.
    pub file: String,
}

/// A sound that repeats at a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PlaceSound {
    /// Where, world space.
    pub position: Vec3,
    /// How far away it is heard, metres.
    #[serde(default = "usual_reach")]
    pub reach: f32,
    /// Amplitude at the place, 0…1.
    #[serde(default = "usual_volume")]
    pub volume: f32,
    /// The sound.
    pub file: String,
}

fn usual_reach() -> f32 {
    12.0
}

fn usual_volume() -> f32 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn write_state<S: Serializer>(state: &MoveState, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(state.to_file())
}

fn read_state<'de, D: Deserializer<'de>>(deserializer: D) -> Result<MoveState, D::Error> {
    let number = i64::deserialize(deserializer)?;
    MoveState::from_file(number).ok_or_else(|| serde::de::Error::custom(format!("no state {number}; use 0 to 10")))
}

impl SceneSounds {
    /// The folder whose tracks are played.
    pub fn folder(&self) -> &str {
        if self.music_folder.is_empty() { USUAL_MUSIC_FOLDER } else { &self.music_folder }
    }

    /// All sound files that it names.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let actions = self.actions.iter().map(|one| one.file.as_str());
        let grounds = self.grounds.iter().map(|one| one.file.as_str());
        actions.chain(grounds).chain(self.places.iter().map(|one| one.file.as_str()))
    }

    /// The sound of steps on a ground, by the names of its material and texture.
    pub fn of_ground(&self, names: &str) -> Option<&GroundSound> {
        let names = names.to_lowercase();
        self.grounds.iter().find(|one| !one.material.is_empty() && names.contains(&one.material.to_lowercase()))
    }
}
