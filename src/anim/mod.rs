//! Character animation on the CPU: the specification of what the compute shaders do.

pub mod debug;
pub mod pose;
pub mod sample;
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

/// What a character's pose is made of: two clips and the weight between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Playback {
    /// First and second clip.
    pub clips: [ClipAt; 2],
    /// Weight of the second, 0…1.
    pub weight: f32,
}
