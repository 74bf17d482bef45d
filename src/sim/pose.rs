//! Poses as they are drawn, between the last two steps.

use super::STEP_SECS;
use super::instance::InstanceState;
use crate::anim::inertialization::InertiaAt;
use crate::anim::layer::PoseLayer;
use crate::anim::local_to_model::local_to_model;
use crate::anim::sample::{PoseOverride, sample_playback};
use crate::anim::{ClipAt, Playback};
use crate::asset::Model;
use crate::math::Trs;
use glam::Mat4;

/// Time that a clip never advances by in a step, seconds.
const MAX_ADVANCE_SECS: f32 = 0.3;

/// Model-space matrices of all nodes of a live instance as drawn between the last two steps.
pub fn model_from_node(model: &Model, instance: &InstanceState, overrides: &[PoseOverride], alpha: f32) -> Vec<Mat4> {
    let mut locals = vec![Trs::IDENTITY; model.skeleton.len()];
    sample_pose(model, instance, overrides, alpha, &mut locals);
    let mut out = vec![Mat4::IDENTITY; locals.len()];
    local_to_model(&model.skeleton, &locals, &mut out);
    out
}

/// Local transforms of all nodes of a live instance as drawn between the last two steps.
pub fn sample_pose(
    model: &Model,
    instance: &InstanceState,
    overrides: &[PoseOverride],
    alpha: f32,
    locals: &mut [Trs],
) {
    let playback = blend_playback(&instance.before.playback, &instance.now.playback, model, alpha);
    let inertia = inertia_at(instance, alpha);
    sample_playback(&model.skeleton, &model.clips, &playback, inertia, overrides, locals);
}

/// What is left of an instance's last transition, between the last two steps.
pub fn inertia_at(instance: &InstanceState, alpha: f32) -> Option<InertiaAt<'_>> {
    instance.inertia.as_deref().map(|inertia| inertia.at((alpha - 1.0) * STEP_SECS))
}

/// The pose between two steps. While the same clips play, their times and weights are interpolated, forwards through
/// the end of a loop; when a clip changes, the new state holds at once.
pub fn blend_playback(before: &Playback, now: &Playback, model: &Model, alpha: f32) -> Playback {
    let clip = |a: ClipAt, b: ClipAt| {
        let duration_secs = model.clips.get(b.clip.0 as usize).map_or(0.0, |c| c.duration_secs);
        ClipAt { clip: b.clip, time_secs: blend_time(a.time_secs, b.time_secs, duration_secs, alpha) }
    };
    let mix = |a: f32, b: f32| a + (b - a) * alpha;
    let same = |a: &[ClipAt; 2], b: &[ClipAt; 2]| a[0].clip == b[0].clip && a[1].clip == b[1].clip;
    let pair = |a: &[ClipAt; 2], b: &[ClipAt; 2]| [clip(a[0], b[0]), clip(a[1], b[1])];
    let mut out = *now;
    for (out, (a, b)) in out.head.iter_mut().zip(before.head.iter().zip(&now.head)) {
        if a.clip == b.clip {
            out.time_secs = mix(a.time_secs, b.time_secs);
        }
    }
    for (out, (a, b)) in out.layers.iter_mut().zip(before.layers.iter().zip(&now.layers)) {
        if a.clip == b.clip {
            let at = |layer: &PoseLayer| ClipAt { clip: layer.clip, time_secs: layer.time_secs };
            out.time_secs = clip(at(a), at(b)).time_secs;
            out.weight = mix(a.weight, b.weight);
        }
    }
    let fading = now.from_weight > 0.0;
    if !same(&before.clips, &now.clips) || (fading && !same(&before.from.clips, &now.from.clips)) {
        return out;
    }
    out.clips = pair(&before.clips, &now.clips);
    out.weight = mix(before.weight, now.weight);
    if fading {
        out.from.clips = pair(&before.from.clips, &now.from.clips);
        out.from.weight = mix(before.from.weight, now.from.weight);
        out.from_weight = mix(before.from_weight, now.from_weight);
    }
    out
}

/// A clip's time between two steps. A time that fell by more than half the clip's length went through its end; one
/// that fell by less was set back, one that rose by much was set forward, and the new time holds.
fn blend_time(before_secs: f32, now_secs: f32, duration_secs: f32, alpha: f32) -> f32 {
    let advance = now_secs - before_secs;
    let is_short = duration_secs <= 0.0 || advance <= duration_secs * 0.5;
    if (0.0..MAX_ADVANCE_SECS).contains(&advance) && is_short {
        return before_secs + advance * alpha;
    }
    if advance < 0.0 && duration_secs > 0.0 && -advance > duration_secs * 0.5 {
        let time = before_secs + (advance + duration_secs).max(0.0) * alpha;
        return if time >= duration_secs { (time - duration_secs).min(now_secs) } else { time };
    }
    now_secs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Clip;
    use crate::ids::ClipId;

    #[test]
    fn clip_times_never_run_backwards_through_a_loop() {
        let mut last = 0.95_f32;
        for i in 0..=10 {
            let time = blend_time(0.95, 0.05, 1.0, i as f32 / 10.0);
            assert!((0.0..=1.0).contains(&time));
            let forward = (time - last).rem_euclid(1.0);
            assert!(forward < 0.02, "{last} -> {time}");
            last = time;
        }
        assert_eq!(blend_time(0.5, 0.3, 1.0, 0.5), 0.3);
        assert_eq!(blend_time(0.2, 0.4, 1.0, 0.5), 0.3);
    }

    #[test]
    fn a_changed_clip_holds_at_once() {
        let model = Model { clips: vec![Clip { duration_secs: 1.0, ..Clip::default() }; 3], ..Model::default() };
        let play = |clip, time_secs, weight| Playback {
            clips: [ClipAt { clip: ClipId(clip), time_secs }, ClipAt { clip: ClipId(1), time_secs }],
            weight,
            ..Playback::default()
        };
        assert_eq!(blend_playback(&play(0, 0.1, 0.0), &play(2, 0.5, 1.0), &model, 0.5), play(2, 0.5, 1.0));
        let half = blend_playback(&play(0, 0.1, 0.0), &play(0, 0.2, 1.0), &model, 0.5);
        assert!((half.weight - 0.5).abs() < 1e-6 && (half.clips[1].time_secs - 0.15).abs() < 1e-6);
    }
}
