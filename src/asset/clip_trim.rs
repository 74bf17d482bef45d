//! Trims clips, and closes their loops.

use super::{Channel, Clip, MorphTrack, Skeleton, Track};
use crate::math::smoothstep;
use glam::{Quat, Vec3};

/// Keys per second that a track gets where its loop is closed.
const LOOP_KEYS_PER_SEC: f32 = 30.0;

/// The part of a clip between two of its times, which become its start and its end. The first is less than the second.
pub(super) fn trimmed(clip: &Clip, [start_secs, end_secs]: [f32; 2]) -> Clip {
    let span = [start_secs, end_secs];
    let channel = |channel: &Channel| Channel {
        node: channel.node,
        translation: part(&channel.translation, span, |time| channel.translation.at(time, Vec3::ZERO)),
        rotation: part(&channel.rotation, span, |time| channel.rotation.at(time, Quat::IDENTITY)),
        scale: part(&channel.scale, span, |time| channel.scale.at(time, Vec3::ONE)),
    };
    let morph = |morph: &MorphTrack| MorphTrack {
        mesh: morph.mesh,
        weights: part(&morph.weights, span, |time| morph.weights.at(time)),
    };
    Clip {
        name: clip.name.clone(),
        duration_secs: end_secs - start_secs,
        channels: clip.channels.iter().map(channel).collect(),
        morphs: clip.morphs.iter().map(morph).collect(),
        packed: None,
    }
}

/// The keys of a track between two times, with one at each of these.
fn part<T: Clone>(track: &Track<T>, [start, end]: [f32; 2], at: impl Fn(f32) -> T) -> Track<T> {
    let mut out = Track { times_secs: Vec::new(), values: Vec::new() };
    if track.is_empty() {
        return out;
    }
    let mut push = |time: f32, value: T| {
        out.times_secs.push(time - start);
        out.values.push(value);
    };
    push(start, at(start));
    if track.times_secs.len() > 1 {
        for (&time, value) in track.times_secs.iter().zip(&track.values) {
            if time > start && time < end {
                push(time, value.clone());
            }
        }
        push(end, at(end));
    }
    out
}

/// Changes the last `blend_secs` of a clip so that it ends in the pose in which it starts. The way over the ground of its
/// uppermost moving node stays, so that a clip that travels goes on to travel.
pub(super) fn close_loop(skeleton: &Skeleton, clip: &mut Clip, blend_secs: f32) {
    let (end, blend) = (clip.duration_secs, blend_secs.min(clip.duration_secs));
    if blend <= 0.0 {
        return;
    }
    let traveller = clip.channels.iter().find(|channel| channel.translation.values.len() > 1).map(|c| c.node);
    let model_from_node = skeleton.rest_model_from_node();
    // 0 before the part that is changed, 1 at the end, without a jump in speed at its start.
    let share = |time: f32| smoothstep((time - (end - blend)) / blend);
    for channel in &mut clip.channels {
        let parent = skeleton.parents.get(channel.node.0 as usize).copied().flatten();
        let parent = parent.and_then(|parent| model_from_node.get(parent.0 as usize));
        let up = parent.map_or(Vec3::Y, |matrix| matrix.inverse().transform_vector3(Vec3::Y)).normalize_or_zero();
        if let [first, .., last] = channel.translation.values[..] {
            let gap = first - last;
            let gap = if traveller == Some(channel.node) { up * gap.dot(up) } else { gap };
            let track = channel.translation.clone();
            channel.translation = denser(&track, [end - blend, end], |time| track.at(time, first) + gap * share(time));
        }
        if let [first, .., last] = channel.rotation.values[..] {
            let gap = last.inverse() * first;
            let gap = if gap.w < 0.0 { -gap } else { gap };
            let track = channel.rotation.clone();
            let closed = |time: f32| (track.at(time, first) * Quat::IDENTITY.slerp(gap, share(time))).normalize();
            channel.rotation = denser(&track, [end - blend, end], closed);
        }
        if let [first, .., last] = channel.scale.values[..] {
            let track = channel.scale.clone();
            let closed = |time: f32| track.at(time, first) + (first - last) * share(time);
            channel.scale = denser(&track, [end - blend, end], closed);
        }
    }
}

/// A track with other values between two times, where it gets keys at a steady rate besides its own.
fn denser<T: Copy>(track: &Track<T>, [start, end]: [f32; 2], at: impl Fn(f32) -> T) -> Track<T> {
    let count = ((end - start) * LOOP_KEYS_PER_SEC).ceil().max(1.0) as usize;
    let steady = (0..=count).map(|i| start + (end - start) * i as f32 / count as f32);
    let own = |time: &f32| *time > start && *time < end;
    let mut inside: Vec<f32> = steady.chain(track.times_secs.iter().copied().filter(own)).collect();
    inside.sort_by(f32::total_cmp);
    let before = track.times_secs.partition_point(|time| *time < start);
    let mut out = Track { times_secs: track.times_secs[..before].to_vec(), values: track.values[..before].to_vec() };
    for time in inside {
        if out.times_secs.last().is_none_or(|last| time > *last + 1e-5) {
            out.times_secs.push(time);
            out.values.push(at(time));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::math::Trs;

    fn travelling() -> Clip {
        let translation = Track {
            times_secs: vec![0.0, 1.0, 2.0],
            values: vec![Vec3::ZERO, Vec3::new(0.0, 0.2, 1.0), Vec3::Z * 2.0],
        };
        let rotation = Track { times_secs: vec![0.0, 2.0], values: vec![Quat::IDENTITY, Quat::from_rotation_x(0.6)] };
        let root = Channel { node: NodeId(0), translation, ..Channel::default() };
        let knee = Channel { node: NodeId(1), rotation, ..Channel::default() };
        Clip { name: "walk".to_owned(), duration_secs: 2.0, channels: vec![root, knee], ..Clip::default() }
    }

    #[test]
    fn a_part_of_a_clip_begins_and_ends_where_it_was_cut() {
        let clip = trimmed(&travelling(), [0.5, 1.5]);
        assert_eq!(clip.duration_secs, 1.0);
        let [root, knee] = &clip.channels[..] else { panic!("two channels") };
        assert_eq!(root.translation.times_secs, [0.0, 0.5, 1.0]);
        assert!(root.translation.values[0].abs_diff_eq(Vec3::new(0.0, 0.1, 0.5), 1e-6));
        assert!(root.translation.values[2].abs_diff_eq(Vec3::new(0.0, 0.1, 1.5), 1e-6));
        let angles = knee.rotation.values.iter().map(|q| q.to_euler(glam::EulerRot::XYZ).0);
        assert!(angles.zip([0.15, 0.45]).all(|(a, b)| (a - b).abs() < 1e-4));
        let whole = trimmed(&travelling(), [0.0, 2.0]);
        assert_eq!(whole, travelling());
    }

    #[test]
    fn a_closed_loop_ends_as_it_starts_and_goes_on_to_travel() {
        let skeleton = Skeleton {
            names: vec![String::new(); 2],
            parents: vec![None, Some(NodeId(0))],
            rest: vec![Trs::IDENTITY; 2],
        };
        let (before, mut clip) = (travelling(), travelling());
        clip.channels[0].translation.values[2].y = 0.3;
        close_loop(&skeleton, &mut clip, 0.5);
        let [root, knee] = &clip.channels[..] else { panic!("two channels") };
        assert!(
            root.translation.at(2.0, Vec3::ZERO).abs_diff_eq(Vec3::Z * 2.0, 1e-5),
            "its height closes, its way stays"
        );
        assert!(knee.rotation.at(2.0, Quat::IDENTITY).angle_between(Quat::IDENTITY) < 1e-3);
        for time in [0.0, 0.7, 1.4] {
            let was = before.channels[1].rotation.at(time, Quat::IDENTITY);
            assert!(knee.rotation.at(time, Quat::IDENTITY).angle_between(was) < 1e-3, "before the blend at {time}");
        }
        assert!(knee.rotation.times_secs.windows(2).all(|pair| pair[0] < pair[1]));
        // The speed has no jump: from hundredth to hundredth of a second it changes by less than 0.6 radians a second.
        let speeds: Vec<f32> = (0..100)
            .map(|i| 1.0 + i as f32 * 0.01)
            .map(|time| {
                let at = |time: f32| knee.rotation.at(time, Quat::IDENTITY).to_euler(glam::EulerRot::XYZ).0;
                (at(time + 0.01) - at(time)) / 0.01
            })
            .collect();
        assert!(speeds.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.6), "{speeds:?}");
    }
}
