//! Reading clips: the local transform of every node at a moment. The twin of `shaders/anim/sample.wgsl`.

use super::Playback;
use crate::asset::{Channel, Clip, Skeleton, Track};
use crate::math::Trs;
use glam::{Quat, Vec3};

/// Index of the last key at or before `time_secs`, and the share of the way to the next key. Clamped at both ends;
/// `None` without keys. A time that is no number counts as 0.
pub fn find_key(times_secs: &[f32], time_secs: f32) -> Option<(usize, f32)> {
    let time = if time_secs.is_nan() { 0.0 } else { time_secs };
    let last = times_secs.len().checked_sub(1)?;
    let after = times_secs.partition_point(|&t| t <= time);
    if after == 0 {
        return Some((0, 0.0));
    }
    if after > last {
        return Some((last, 0.0));
    }
    let (from, to) = (times_secs[after - 1], times_secs[after]);
    Some((after - 1, (time - from) / (to - from)))
}

/// A track of vectors at a moment, linear between keys; `rest` without keys.
pub fn sample_vec3(track: &Track<Vec3>, time_secs: f32, rest: Vec3) -> Vec3 {
    match find_key(&track.times_secs, time_secs) {
        Some((i, 0.0)) => track.values[i],
        Some((i, share)) => track.values[i].lerp(track.values[i + 1], share),
        None => rest,
    }
}

/// A track of rotations at a moment, spherical along the shorter arc; `rest` without keys.
pub fn sample_quat(track: &Track<Quat>, time_secs: f32, rest: Quat) -> Quat {
    match find_key(&track.times_secs, time_secs) {
        Some((i, 0.0)) => track.values[i],
        Some((i, share)) => track.values[i].slerp(track.values[i + 1], share),
        None => rest,
    }
}

/// A channel at a moment.
pub fn sample_channel(channel: &Channel, time_secs: f32, rest: &Trs) -> Trs {
    Trs {
        translation: sample_vec3(&channel.translation, time_secs, rest.translation),
        rotation: sample_quat(&channel.rotation, time_secs, rest.rotation),
        scale: sample_vec3(&channel.scale, time_secs, rest.scale),
    }
}

/// Local transforms of all nodes: the rest pose where the clip has no channel.
pub fn sample_clip(skeleton: &Skeleton, clip: Option<&Clip>, time_secs: f32, out: &mut [Trs]) {
    for (out, rest) in out.iter_mut().zip(&skeleton.rest) {
        *out = *rest;
    }
    for channel in clip.map(|c| c.channels.as_slice()).unwrap_or_default() {
        let node = channel.node.0 as usize;
        if let (Some(out), Some(rest)) = (out.get_mut(node), skeleton.rest.get(node)) {
            *out = sample_channel(channel, time_secs, rest);
        }
    }
}

/// Local transforms of all nodes for two blended clips. Weights outside 0…1 are clamped, one that is no number
/// counts as 0.
pub fn sample_playback(skeleton: &Skeleton, clips: &[Clip], playback: &Playback, out: &mut [Trs]) {
    let weight = if playback.weight.is_nan() { 0.0 } else { playback.weight.clamp(0.0, 1.0) };
    let [first, second] = playback.clips.map(|at| (clips.get(at.clip.0 as usize), at.time_secs));
    sample_clip(skeleton, first.0, first.1, out);
    if weight > 0.0 {
        let mut other = vec![Trs::IDENTITY; out.len()];
        sample_clip(skeleton, second.0, second.1, &mut other);
        for (out, other) in out.iter_mut().zip(&other) {
            *out = out.blend(other, weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::ClipAt;
    use crate::ids::{ClipId, NodeId};
    use std::f32::consts::FRAC_PI_2;

    #[test]
    fn keys_are_found_and_clamped() {
        let times = [0.0, 1.0, 3.0];
        assert_eq!(find_key(&times, -1.0), Some((0, 0.0)));
        assert_eq!(find_key(&times, 0.25), Some((0, 0.25)));
        assert_eq!(find_key(&times, 1.0), Some((1, 0.0)));
        assert_eq!(find_key(&times, 2.0), Some((1, 0.5)));
        assert_eq!(find_key(&times, 9.0), Some((2, 0.0)));
        assert_eq!(find_key(&times, f32::NAN), Some((0, 0.0)));
        assert_eq!(find_key(&[0.5], 0.1), Some((0, 0.0)));
        assert_eq!(find_key(&[], 0.0), None);
    }

    #[test]
    fn rotations_take_the_shorter_arc() {
        let track = Track { times_secs: vec![0.0, 1.0], values: vec![Quat::IDENTITY, -Quat::from_rotation_y(1.0)] };
        let half = sample_quat(&track, 0.5, Quat::IDENTITY);
        assert!(half.angle_between(Quat::from_rotation_y(0.5)) < 1e-3);
    }

    fn skeleton(nodes: usize) -> Skeleton {
        Skeleton {
            names: vec![String::new(); nodes],
            parents: (0..nodes).map(|i| i.checked_sub(1).map(|p| NodeId(p as u32))).collect(),
            rest: vec![Trs { translation: Vec3::X, ..Trs::IDENTITY }; nodes],
        }
    }

    #[test]
    fn nodes_without_a_channel_rest_and_clips_blend_by_weight() {
        let turn = |axis| Clip {
            channels: vec![Channel {
                node: NodeId(1),
                rotation: Track { times_secs: vec![0.0], values: vec![Quat::from_axis_angle(axis, FRAC_PI_2)] },
                ..Channel::default()
            }],
            ..Clip::default()
        };
        let skeleton = skeleton(2);
        let clips = [turn(Vec3::X), turn(Vec3::Y)];
        let mut out = [Trs::IDENTITY; 2];
        let at = |clip| ClipAt { clip: ClipId(clip), time_secs: 0.3 };
        sample_playback(
            &skeleton,
            &clips,
            &Playback { clips: [at(0), at(1)], weight: 0.5, ..Playback::default() },
            &mut out,
        );
        assert_eq!(out[0], skeleton.rest[0]);
        assert_eq!(out[1].translation, Vec3::X);
        let x = Quat::from_rotation_x(FRAC_PI_2);
        let y = Quat::from_rotation_y(FRAC_PI_2);
        assert!(out[1].rotation.angle_between(x.slerp(y, 0.5)) < 1e-3);
        // A clip that does not exist gives the rest pose.
        sample_playback(
            &skeleton,
            &clips,
            &Playback { clips: [at(7), at(1)], weight: f32::NAN, ..Playback::default() },
            &mut out,
        );
        assert_eq!(out.as_slice(), skeleton.rest.as_slice());
    }
}
