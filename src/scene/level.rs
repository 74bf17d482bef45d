//! A level entry of the scene.

use crate::asset::{ClipSources, ModelFile, NodeTransforms};
use crate::vocab::labelled;
use glam::{Mat4, Vec3};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

labelled! {
    /// When a level is there: to be seen, to be walked on, in the way.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum LevelPresence: label {
        /// At all times.
        #[default]
        Always = "Always",
        /// At no time: it is switched off.
        Never = "Never",
        /// While a character is within its reach.
        Near = "While someone is near",
        /// Once a button has used it, until it is used again.
        OnceUsed = "Once it is used",
        /// Until a button uses it, and again when it is used again.
        UntilUsed = "Until it is used",
    }
}

impl LevelPresence {
    /// Whether buttons let it come and go.
    pub fn is_used(self) -> bool {
        matches!(self, Self::OnceUsed | Self::UntilUsed)
    }
}

/// A model file placed as level geometry.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneLevel {
    /// Name for people.
    pub name: String,
    /// Path relative to the folder above `config/`, with forward slashes.
    pub file: String,
    /// Position in world space, metres.
    pub position: Vec3,
    /// Rotation in degrees about x, y, z; applied x first, then y, then z.
    pub rotation_deg: Vec3,
    /// Uniform scale.
    pub scale: f32,
    /// Whether the file has Z up.
    pub swap_axes: bool,
    /// Whether units and axes count that an FBX file names.
    pub file_units: bool,
    /// When it is there.
    pub presence: LevelPresence,
    /// How near a character has to be for that, metres from its box.
    pub presence_reach: f32,
    /// Keys of the file that this version does not know, with their values as YAML; saved again.
    pub extra: super::extra::Extra,
}

impl Default for SceneLevel {
    fn default() -> Self {
        Self {
            name: String::new(),
            file: String::new(),
            position: Vec3::ZERO,
            rotation_deg: Vec3::ZERO,
            scale: 1.0,
            swap_axes: false,
            file_units: true,
            presence: LevelPresence::Always,
            presence_reach: 20.0,
            extra: super::extra::Extra::new(),
        }
    }
}

impl<'a> From<&'a SceneLevel> for ModelFile<'a> {
    fn from(level: &'a SceneLevel) -> Self {
        Self { file: &level.file, transforms: level.transforms(), clips: ClipSources::NONE }
    }
}

impl<'a> From<&'a Arc<SceneLevel>> for ModelFile<'a> {
    fn from(level: &'a Arc<SceneLevel>) -> Self {
        Self::from(&**level)
    }
}

impl SceneLevel {
    /// Which transforms of its file count. Files of other formats than FBX are the same either way, and loaded once.
    pub fn transforms(&self) -> NodeTransforms {
        if names_units(&self.file) && !self.file_units { NodeTransforms::Unconverted } else { NodeTransforms::All }
    }

    /// World space from the model space of the level's file.
    pub fn world_from_model(&self) -> Mat4 {
        super::instance::placement(self.position, self.rotation_deg, self.scale, self.swap_axes)
    }
}

/// Whether a file is of a format that names units and axes which the original program does not apply: FBX.
pub fn names_units(file: &str) -> bool {
    file.rsplit('.').next().is_some_and(|end| end.eq_ignore_ascii_case("fbx"))
}
