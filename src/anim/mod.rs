//! Character animation on the CPU: the specification of what the compute shaders do.

pub mod action;
pub mod debug;
pub mod envelope;
pub mod frames;
pub mod guess;
pub mod ik;
pub mod legs;
pub mod pose;
pub mod sample;
pub mod stance;
pub mod state;

use crate::ids::ClipId;

/// A clip at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClipAt {
    /// The clip; one that the model does not have gives the rest pose.
    pub clip: ClipId,
    /// Seconds from its start.
    pub time_secs: f32,
}

/// Two clips and the weight between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Blend {
    /// First and second clip.
    pub clips: [ClipAt; 2],
    /// Weight of the second, 0…1.
    pub weight: f32,
}

/// What a character's pose is made of: a blend of two clips, faded in over another one, and turns of the head laid
/// on top.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Playback {
    /// First and second clip.
    pub clips: [ClipAt; 2],
    /// Weight of the second, 0…1.
    pub weight: f32,
    /// What is being left.
    pub from: Blend,
    /// Its weight, 0…1: 0 shows only the first two clips.
    pub from_weight: f32,
    /// Head layers: turn to the side, then tilt. Their difference to the clip's own start is laid on the pose; at
    /// time 0, or without such a clip, nothing is.
    pub head: [ClipAt; 2],
}

impl Playback {
    /// One blend alone.
    pub fn of(blend: Blend) -> Self {
        Self { clips: blend.clips, weight: blend.weight, ..Self::default() }
    }

    /// The blend that is shown, or faded in.
    pub fn main(&self) -> Blend {
        Blend { clips: self.clips, weight: self.weight }
    }
}
