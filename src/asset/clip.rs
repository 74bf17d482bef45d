//! Animation clips: keyed node transforms and morph weights.

use super::packed_clip::PackedClip;
use super::track::{Channel, Track};
use crate::ids::NodeId;
use crate::math::Trs;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

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
    /// Channels, sorted by node, at most one per node; none where they are packed.
    pub channels: Vec<Channel>,
    /// Morph weights over time.
    pub morphs: Vec<MorphTrack>,
    /// The channels of a compressed clip.
    #[serde(skip)]
    pub packed: Option<PackedClip>,
}

impl Clip {
    /// Whether it has a channel for a node.
    pub fn moves(&self, node: NodeId) -> bool {
        match &self.packed {
            Some(packed) => packed.moves(node),
            None => self.channel(node).is_some(),
        }
    }

    /// The local transform of a node at a time, given its rest; `None` without a channel for it.
    pub fn local_at(&self, node: NodeId, time_secs: f32, rest: &Trs) -> Option<Trs> {
        match &self.packed {
            Some(packed) => packed.local_at(node, time_secs, rest),
            None => self.channel(node).map(|channel| channel.at(time_secs, rest)),
        }
    }

    /// Time between two keys where all keys of these nodes lie at multiples of it, as in files that have a key for each
    /// frame, seconds. Of a compressed clip all keys count.
    pub fn key_spacing_secs(&self, nodes: &[u32], max_error: f32) -> Option<f32> {
        let mut times: Vec<f32> = match &self.packed {
            Some(packed) => packed.key_times_secs().to_vec(),
            None => {
                let channels = nodes.iter().filter_map(|node| self.channel(NodeId(*node)));
                channels.flat_map(Channel::times_secs).flatten().copied().collect()
            }
        };
        times.retain(|time| *time > 0.0);
        let spacing = times.iter().copied().reduce(f32::min)?;
        let gaps = (self.duration_secs / spacing).round();
        let is_even = |time: &f32| {
            let at = time / self.duration_secs * gaps;
            (at - at.round()).abs() < max_error
        };
        (gaps >= 1.0 && times.iter().all(is_even)).then(|| self.duration_secs / gaps)
    }

    /// The channels with all numbers in full: of a compressed clip as it plays.
    pub fn full_channels(&self) -> Cow<'_, [Channel]> {
        match &self.packed {
            Some(packed) => packed.channels().into(),
            None => Cow::Borrowed(&self.channels),
        }
    }

    fn channel(&self, node: NodeId) -> Option<&Channel> {
        self.channels.binary_search_by_key(&node, |channel| channel.node).ok().map(|i| &self.channels[i])
    }
}

/// What compression made of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompressedClip {
    /// Keys of all tracks before.
    pub keys_before: usize,
    /// Keys of all tracks.
    pub keys: usize,
    /// Memory of keys and times before, bytes.
    pub bytes_before: usize,
    /// Memory of keys and times, bytes.
    pub bytes: usize,
    /// Largest error of a point near a joint at any key time, millimetres.
    pub error_mm: f32,
}
