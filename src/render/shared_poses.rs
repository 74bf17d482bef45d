//! Poses that small characters share: one is computed for all that play nearly the same.

use super::types::PoseJob;
use crate::anim::layer::PoseLayer;
use crate::anim::{ClipAt, Playback};
use foldhash::HashMap;
use std::hash::BuildHasher;

/// Height in the picture up to which characters share poses, pixels.
pub const MAX_SHARED_PX: f32 = 48.0;
/// Steps of time, a second, of characters of [`MAX_SHARED_PX`]; half as many for each halving of their size.
const STEPS_PER_SEC: f32 = 30.0;
/// Fewest steps of time a second.
const MIN_STEPS_PER_SEC: f32 = 7.5;
/// Steps of a weight from 0 to 1.
const WEIGHT_STEPS: f32 = 4.0;

/// A pose in whole steps of time and weight.
#[derive(Clone, Copy, Debug)]
pub struct SharedPose {
    /// What computes it, but for where its skin matrices begin.
    pub job: PoseJob,
}

impl SharedPose {
    /// The pose of a character of this height in pixels. Of two blends the stronger one is played, and the head is not turned.
    pub fn of(playback: &Playback, size_px: f32) -> Self {
        let halvings = (MAX_SHARED_PX / size_px.max(1.0)).log2().floor().max(0.0);
        let per_sec = (STEPS_PER_SEC * (-halvings).exp2()).max(MIN_STEPS_PER_SEC);
        let time = |secs: f32| (secs * per_sec).round() / per_sec;
        let weight = |weight: f32| (weight * WEIGHT_STEPS).round() / WEIGHT_STEPS;
        let blend = if playback.from_weight > 0.5 { playback.from } else { playback.main() };
        let mut shared = Playback::of(blend);
        shared.weight = weight(shared.weight);
        // A clip that does not count is the same for all.
        let [first, second] = shared.clips;
        let clip = |clip: ClipAt, counts: bool| {
            if counts { ClipAt { time_secs: time(clip.time_secs), ..clip } } else { ClipAt::default() }
        };
        shared.clips = [clip(first, shared.weight < 1.0), clip(second, shared.weight > 0.0)];
        shared.layers = playback.layers;
        for layer in &mut shared.layers {
            *layer = match weight(layer.weight) {
                0.0 => PoseLayer::default(),
                weight => PoseLayer { weight, time_secs: time(layer.time_secs), ..*layer },
            };
        }
        Self { job: PoseJob::new(&shared, 0, [0; 2]) }
    }

    /// A hash of 64 bits. Poses with the same one are taken for equal: for a hash that spreads evenly, a character has the pose of another in one
    /// of 10¹¹ pictures of ten thousand.
    pub fn number(&self) -> u64 {
        foldhash::fast::FixedState::with_seed(0).hash_one(bytemuck::bytes_of(&self.job))
    }
}

/// The shared poses of one model in a frame.
#[derive(Debug, Default)]
pub struct SharedPoses {
    /// Where the skin matrices of a pose begin, by its number.
    known: HashMap<u64, u32>,
}

impl SharedPoses {
    /// Where the skin matrices of a pose begin: those of an earlier one with this `number`, or new ones, whose job is appended and
    /// whose `joints` are added to the `count` of all matrices.
    pub fn first_skin(
        &mut self,
        number: u64,
        job: impl FnOnce() -> PoseJob,
        jobs: &mut Vec<PoseJob>,
        (count, joints): (&mut u32, u32),
    ) -> u32 {
        *self.known.entry(number).or_insert_with(|| {
            let first_skin = *count;
            jobs.push(PoseJob { first_skin, ..job() });
            *count += joints;
            first_skin
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Blend;
    use crate::ids::ClipId;

    fn walking(time_secs: f32) -> Playback {
        let at = |clip, time_secs| ClipAt { clip: ClipId(clip), time_secs };
        Playback::of(Blend { clips: [at(2, time_secs), at(3, time_secs)], weight: 0.0 })
    }

    #[test]
    fn nearly_equal_playbacks_share_a_pose() {
        let (mut jobs, mut count, mut shared) = (Vec::new(), 0, SharedPoses::default());
        let mut first = |time_secs, size_px| {
            let pose = SharedPose::of(&walking(time_secs), size_px);
            shared.first_skin(pose.number(), || pose.job, &mut jobs, (&mut count, 9))
        };
        assert_eq!([first(1.0, 40.0), first(1.01, 40.0), first(1.1, 40.0), first(1.0, 40.0)], [0, 0, 9, 0]);
        // Smaller ones move in larger steps.
        assert_eq!([first(1.2, 10.0), first(1.25, 10.0)], [18, 18]);
        assert_eq!((jobs.len(), count), (3, 27));
        assert_eq!(jobs[1].first_skin, 9);
    }

    #[test]
    fn a_fade_shows_the_stronger_blend() {
        let fading = |from_weight| Playback { from: walking(0.5).main(), from_weight, ..walking(2.0) };
        let times = |from_weight| SharedPose::of(&fading(from_weight), 40.0).job.times_secs[0];
        assert_eq!([times(0.2), times(0.8)], [2.0, 0.5]);
    }
}
