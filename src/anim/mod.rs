//! Character animation on the CPU: the specification of what the compute shaders do.

pub mod animated_bounds;
pub mod animation_set;
pub mod animation_step;
pub mod clip_classification;
pub mod controller;
pub mod debug;
pub mod fabrik;
pub mod foot_contacts;
pub mod gait;
pub mod inertialization;
pub mod layer;
pub mod leg_solve;
pub mod legs;
pub mod local_to_model;
pub mod motion_database;
pub mod motion_matcher;
pub mod root_motion;
pub mod sample;
pub mod sample_times;
pub mod speed_curve;

use crate::ids::ClipId;

/// A clip at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClipAt {
    /// The clip; an index beyond the model's clips gives the rest pose.
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

impl From<ClipAt> for Blend {
    /// A clip alone.
    fn from(clip: ClipAt) -> Self {
        Self { clips: [clip; 2], weight: 0.0 }
    }
}

/// Everything that determines a pose: a blend of two clips, cross-faded over another blend, with additive head layers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Playback {
    /// First and second clip.
    pub clips: [ClipAt; 2],
    /// Weight of the second, 0…1.
    pub weight: f32,
    /// The blend that fades out.
    pub from: Blend,
    /// Weight of that blend, 0…1.
    pub from_weight: f32,
    /// Additive head layers: yaw, then pitch. Each adds the difference between its time and the start of its clip;
    /// nothing at time 0 or without such a clip.
    pub head: [ClipAt; 2],
    /// Layers over all of it, in the order of their application.
    pub layers: [layer::PoseLayer; layer::MAX_LAYERS],
}

impl Playback {
    /// A single blend without a fade.
    pub fn of(blend: Blend) -> Self {
        Self { clips: blend.clips, weight: blend.weight, ..Self::default() }
    }

    /// The clips of the body with their weights, which sum to 1; one that stands twice has two.
    pub fn weighted_clips(&self) -> [(ClipAt, f32); 4] {
        let of = |blend: Blend, share: f32| {
            [(blend.clips[0], share * (1.0 - blend.weight)), (blend.clips[1], share * blend.weight)]
        };
        let ([a, b], [c, d]) = (of(self.main(), 1.0 - self.from_weight), of(self.from, self.from_weight));
        [a, b, c, d]
    }

    /// The blend that is current or fades in.
    pub fn main(&self) -> Blend {
        Blend { clips: self.clips, weight: self.weight }
    }
}
