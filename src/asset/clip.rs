//! Animation clips: keyed node transforms and morph weights.

use crate::ids::NodeId;
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Keys of one property over time. Times ascend strictly; at least one key, or the track is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Track<T> {
    /// Key times in seconds from the start of the clip.
    pub times_secs: Vec<f32>,
    /// Key values, one per time.
    pub values: Vec<T>,
}

impl<T> Track<T> {
    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.times_secs.is_empty()
    }
}

/// The keyed properties of one node. An empty track leaves the rest value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Channel {
    /// The node.
    pub node: NodeId,
    /// Translations relative to the parent, metres.
    pub translation: Track<Vec3>,
    /// Unit rotations relative to the parent.
    pub rotation: Track<Quat>,
    /// Scales.
    pub scale: Track<Vec3>,
}

/// Keyed morph weights of one mesh.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MorphTrack {
    /// Index into [`super::Model::meshes`].
    pub mesh: u32,
    /// Weights of all morphs of that mesh at each key.
    pub weights: Track<Vec<f32>>,
}

/// One animation of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// Name in the file; may be empty.
    pub name: String,
    /// Length in seconds; at least the last key's time, never 0 for a clip with keys at different times.
    pub duration_secs: f32,
    /// Channels, sorted by node, at most one per node.
    pub channels: Vec<Channel>,
    /// Morph weights over time.
    pub morphs: Vec<MorphTrack>,
}
