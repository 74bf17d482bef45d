//! Locomotion blending: idle, walk and run blended by pace.
//!
//! All clips of a gait share one phase, so that the feet of two blended clips stay synchronized. A scene's clip speeds
//! count in turns of the model's longest clip: a clip is stretched to that length and plays
//! `speed / longest_secs` times a second.

use super::{Blend, ClipAt};
use crate::ids::ClipId;

/// Pace, relative to full walking speed, from which on only the walk plays. Below it the walk is blended with the idle
/// clip, above it only its rate changes.
const FULL_WEIGHT_PACE: f32 = 0.6;

/// Largest change of the blended pace, in full walking speeds per second, so that no clip pops in or out.
const PACE_CHANGE_PER_SEC: f32 = 5.0;
/// Paces below this are standing.
const MIN_PACE: f32 = 1e-3;
/// Rate of the critically damped spring by which a smooth pace follows, per second.
const PACE_RATE: f32 = 15.0;

/// One clip of a gait.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GaitClip {
    /// The clip.
    pub clip: ClipId,
    /// Its speed at the pace it is made for, relative to the model's longest clip.
    pub speed: f32,
    /// Its length in seconds.
    pub duration_secs: f32,
}

/// The clips of one direction of movement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gait {
    /// Standing (pace 0).
    pub idle: GaitClip,
    /// Walking (pace 1).
    pub walk: GaitClip,
    /// Running (pace 2).
    pub run: GaitClip,
    /// Length of the model's longest clip in seconds; with 0 or less the clips stand still.
    pub longest_secs: f32,
    /// Constant weight between idle and walk, for a model without a gait.
    pub fixed: Option<f32>,
}

/// Phase and pace of a character's gait.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GaitState {
    /// Position within all clips, 0…1 (1 excluded).
    pub phase: f32,
    /// Smoothed pace: 0 stands, 1 walks at full speed, 2 runs.
    pub pace: f32,
    /// Its change per second, where it follows smoothly.
    pub pace_change: f32,
}

impl GaitState {
    /// Advances by `dt_secs` at a pace (speed relative to full walking speed) and returns the blend.
    ///
    /// The weight of the walking clip grows with the pace up to [`FULL_WEIGHT_PACE`]; its rate is such that
    /// weight × rate fits the ground speed at every pace, so that feet do not slide.
    pub fn advance(&mut self, gait: &Gait, pace: f32, dt_secs: f32) -> Blend {
        let wanted = if pace.is_finite() { pace.clamp(0.0, 2.0) } else { 0.0 };
        let most = PACE_CHANGE_PER_SEC * dt_secs;
        self.pace += (wanted - self.pace).clamp(-most, most);
        self.pace_change = 0.0;
        self.advance_phase(gait, dt_secs)
    }

    /// The same with a pace that follows without jumps in its change: legs take up and lose speed smoothly.
    /// `rate` is that of the clips over what fits the pace.
    pub fn advance_smoothly(&mut self, gait: &Gait, [pace, rate]: [f32; 2], dt_secs: f32) -> Blend {
        let wanted = if pace.is_finite() { pace.clamp(0.0, 2.0) } else { 0.0 };
        let pull = PACE_RATE * PACE_RATE * (wanted - self.pace) - 2.0 * PACE_RATE * self.pace_change;
        // Half the critical step at most, so that it stays stable.
        let dt = dt_secs.min(0.5 / PACE_RATE);
        self.pace_change += pull * dt;
        self.pace = (self.pace + self.pace_change * dt).clamp(0.0, 2.0);
        if wanted == 0.0 && self.pace < MIN_PACE {
            (self.pace, self.pace_change) = (0.0, 0.0);
        }
        self.advance_phase(gait, dt_secs * rate)
    }

    fn advance_phase(&mut self, gait: &Gait, dt_secs: f32) -> Blend {
        let speed = blend_at(gait, self.pace).speed;
        if gait.longest_secs > 0.0 {
            let phase = (self.phase + dt_secs * speed / gait.longest_secs).rem_euclid(1.0);
            // The remainder of a tiny negative number rounds up to 1.
            self.phase = if phase < 1.0 { phase } else { 0.0 };
        }
        self.blend(gait)
    }

    /// The blend of a gait at the present phase and pace.
    pub fn blend(&self, gait: &Gait) -> Blend {
        let PaceBlend { clips, weight, .. } = blend_at(gait, self.pace);
        let at = |clip: GaitClip| ClipAt { clip: clip.clip, time_secs: self.phase * clip.duration_secs };
        Blend { clips: clips.map(at), weight }
    }
}

/// The two clips that a pace blends.
struct PaceBlend {
    clips: [GaitClip; 2],
    /// Weight of the second.
    weight: f32,
    /// Playback speed of both.
    speed: f32,
}

fn blend_at(gait: &Gait, pace: f32) -> PaceBlend {
    let mix = |a: f32, b: f32, w: f32| a + (b - a) * w;
    if let Some(weight) = gait.fixed {
        return PaceBlend { clips: [gait.idle, gait.walk], weight, speed: gait.idle.speed };
    }
    if pace <= 1.0 {
        let weight = (pace / FULL_WEIGHT_PACE).min(1.0);
        let rate = if weight > 0.0 { pace / weight } else { FULL_WEIGHT_PACE };
        PaceBlend { clips: [gait.idle, gait.walk], weight, speed: mix(gait.idle.speed, gait.walk.speed * rate, weight) }
    } else {
        let weight = pace - 1.0;
        PaceBlend { clips: [gait.walk, gait.run], weight, speed: mix(gait.walk.speed, gait.run.speed, weight) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f32 = 1.0 / 60.0;

    fn gait() -> Gait {
        let clip = |n, speed, duration_secs| GaitClip { clip: ClipId(n), speed, duration_secs };
        Gait {
            idle: clip(0, 1.0, 2.0),
            walk: clip(1, 4.0, 1.1),
            run: clip(2, 5.0, 0.8),
            longest_secs: 4.0,
            fixed: None,
        }
    }

    /// Weight of each of the three clips in a playback.
    fn weights(playback: &Blend) -> [f32; 3] {
        let mut out = [0.0; 3];
        out[playback.clips[0].clip.0 as usize] += 1.0 - playback.weight;
        out[playback.clips[1].clip.0 as usize] += playback.weight;
        out
    }

    #[test]
    fn from_standing_to_running_and_back_nothing_pops() {
        let gait = gait();
        let mut state = GaitState::default();
        let mut last = state.advance(&gait, 0.0, DT);
        let mut last_phase = state.phase;
        let mut seen = [false; 3];
        for i in 0..600 {
            let pace = if i < 300 { 2.0 } else { 0.0 };
            let now = state.advance(&gait, pace, DT);
            let (a, b) = (weights(&last), weights(&now));
            assert!((b.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            for k in 0..3 {
                assert!((a[k] - b[k]).abs() < 0.15, "step {i}: weight of clip {k} jumps from {} to {}", a[k], b[k]);
                seen[k] |= b[k] > 0.99;
            }
            let advance = (state.phase - last_phase).rem_euclid(1.0);
            assert!((0.0..0.05).contains(&advance), "step {i}: the phase jumps by {advance}");
            (last, last_phase) = (now, state.phase);
        }
        assert_eq!(seen, [true; 3]);
    }

    #[test]
    fn both_clips_share_the_phase() {
        let gait = gait();
        let mut state = GaitState::default();
        for _ in 0..100 {
            let p = state.advance(&gait, 0.4, DT);
            let phases = [p.clips[0].time_secs / 2.0, p.clips[1].time_secs / 1.1];
            assert!((phases[0] - phases[1]).abs() < 1e-5);
        }
    }

    #[test]
    fn feet_keep_up_with_the_ground() {
        let gait = gait();
        for pace in [0.05_f32, 0.3, 0.6, 0.8, 1.0] {
            let weight = blend_at(&gait, pace).weight;
            let walk_rate = pace / weight;
            assert!((weight * walk_rate - pace).abs() < 1e-6);
            assert!(walk_rate <= 1.0 + 1e-6);
        }
        let mut state = GaitState { phase: 0.0, pace: 1.0, ..GaitState::default() };
        state.advance(&gait, 1.0, DT);
        assert!((state.phase - DT * 4.0 / 4.0).abs() < 1e-6, "full pace plays the walk at its own speed");
    }

    #[test]
    fn a_smooth_pace_neither_jumps_in_its_change_nor_overshoots() {
        let (gait, mut state) = (gait(), GaitState::default());
        let mut last = [0.0, 0.0];
        for i in 0..180 {
            let wanted = if i < 90 { 1.0 } else { 0.0 };
            state.advance_smoothly(&gait, [wanted, 1.0], DT);
            let change = state.pace - last[0];
            assert!((change - last[1]).abs() < 0.07 && state.pace < 1.01, "step {i}: {change} after {}", last[1]);
            last = [state.pace, change];
            assert!(i != 60 || state.pace > 0.98, "{}", state.pace);
        }
        assert_eq!(state.pace, 0.0);
    }

    #[test]
    fn odd_clips_and_paces_stay_finite() {
        let mut still = Gait { longest_secs: 0.0, ..gait() };
        let mut state = GaitState::default();
        assert_eq!(state.advance(&still, f32::NAN, DT).clips[0].time_secs, 0.0);
        still.longest_secs = 1e-3;
        still.walk.speed = -7.0;
        for _ in 0..50 {
            let p = state.advance(&still, 1.0, DT);
            assert!(p.clips.iter().all(|c| c.time_secs.is_finite()) && (0.0..1.0).contains(&state.phase));
        }
    }
}
