//! Layers of clips over an instance's animation.

use crate::anim::layer::LayerKind;
use serde::{Deserialize, Serialize};

/// A clip that plays over the other animation, on a part of the skeleton.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClipLayer {
    /// Clip by position in the model file.
    pub clip: u32,
    /// How it changes what is below it.
    pub kind: LayerKind,
    /// Name of the joint at which it starts; empty for the whole skeleton.
    pub joint: String,
    /// Its weight, 0…1.
    pub weight: f32,
    /// Its speed: 1 plays the clip as it was made, below 0 backwards, 0 holds its end.
    pub speed: f32,
}

impl Default for ClipLayer {
    fn default() -> Self {
        Self { clip: 0, kind: LayerKind::Additive, joint: String::new(), weight: 1.0, speed: 1.0 }
    }
}
