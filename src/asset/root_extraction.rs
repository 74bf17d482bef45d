//! Root extraction: takes the way and the turns of a body over the ground out of a clip, so that the clip plays on the
//! spot and a root track tells where it would have gone.
//!
//! The root is the place of the hips on the ground with the direction in which they face, both smoothed, so that sway and
//! twist of every step stay in the pose.

use super::human_bone::HumanBone;
use super::humanoid::{Humanoid, Rig, rotation_of};
use super::retarget::{key_times, pose};
use super::root_track::{RootPlace, RootTrack};
use super::{Channel, Clip, Model, Track};
use crate::ids::NodeId;
use crate::math::plan::to_plan;
use crate::math::{Trs, angle};
use glam::{Mat4, Quat, Vec2, Vec3, Vec3Swizzles};
use std::collections::HashSet;

/// Standard deviation of the smoothing of places, seconds.
const PLACE_SIGMA_SECS: f32 = 0.12;
/// Standard deviation of the smoothing of headings, seconds.
const HEADING_SIGMA_SECS: f32 = 0.25;
/// Least way over the ground from its start to its end of a clip that travels, as a share of the length of the legs.
const MIN_WAY_SHARE: f32 = 0.3;
/// Least distance from its start of a clip that travels and comes back, as a share of the length of the legs: hips move
/// when a body bends or rolls on the spot, too.
const MIN_REACH_SHARE: f32 = 1.2;
/// Least turn from its start to its end of a clip that turns, radians.
const MIN_TURN_RAD: f32 = 0.5;
/// Least turn of a clip that turns and turns back, radians.
const MIN_SWING_RAD: f32 = 1.5;

/// Takes the root motion out of all clips of a body that travel or turn. Their tracks are kept in
/// [`Model::root_tracks`], with those that are there; clips on the spot stay as they are. Does nothing to a body whose legs have no length, or that
/// does not stand upright along Y.
pub fn take_out_roots(model: &mut Model, body: &Humanoid) {
    let Some(rig) = Rig::of(model, body).filter(|rig| (rig.model_from_body * Vec3::Y).y > 0.9) else { return };
    let extracted: Vec<Option<(Clip, RootTrack)>> = model.clips.iter().map(|clip| take_out_root(&rig, clip)).collect();
    let mut tracks = std::mem::take(&mut model.root_tracks);
    tracks.resize(extracted.len(), None);
    for ((clip, track), extracted) in model.clips.iter_mut().zip(&mut tracks).zip(extracted) {
        if let Some((on_the_spot, root)) = extracted {
            (*clip, *track) = (on_the_spot, Some(root));
        }
    }
    model.root_tracks = tracks;
}

/// The clip on the spot and what was taken out of it; `None` where it neither travels nor turns.
pub(super) fn take_out_root(rig: &Rig<'_>, clip: &Clip) -> Option<(Clip, RootTrack)> {
    let hips = rig.body.node(HumanBone::Hips)?;
    let times = key_times(clip, rig.model.skeleton.len());
    let poses: Vec<Vec<Mat4>> = times.iter().map(|&time| pose(rig.model, clip, time)).collect();
    // By the axis across the hips, which stays level when a body bends or rolls over.
    let (i, left) = (hips.0 as usize, rig.model_from_body * Vec3::X);
    let rest_turn = rig.rotations[i].inverse();
    let mut yaws: Vec<f32> = Vec::with_capacity(poses.len());
    for pose in &poses {
        let across = rotation_of(&pose[i]) * rest_turn * left;
        let yaw = (-across.z).atan2(across.x);
        yaws.push(yaws.last().map_or(yaw, |last| last + angle::shortest_turn_rad(*last, yaw)));
    }
    let places: Vec<Vec2> = poses.iter().map(|pose| to_plan(pose[i].w_axis.truncate())).collect();
    let gap_secs = clip.duration_secs / (times.len().max(2) - 1) as f32;
    let places = smoothed(&places, PLACE_SIGMA_SECS / gap_secs);
    let yaws = smoothed(&yaws, HEADING_SIGMA_SECS / gap_secs);
    let (start, turned) = (places[0], |yaw: &f32| (yaw - yaws[0]).abs());
    let travels = places.last().is_some_and(|end| end.distance(start) > MIN_WAY_SHARE * rig.leg)
        || places.iter().any(|at| at.distance(start) > MIN_REACH_SHARE * rig.leg);
    let turns =
        yaws.last().is_some_and(|yaw| turned(yaw) > MIN_TURN_RAD) || yaws.iter().any(|yaw| turned(yaw) > MIN_SWING_RAD);
    if !travels && !turns {
        return None;
    }
    // On the spot, hips stay above their place at rest.
    let rest = to_plan(rig.places[i]);
    let keys: Vec<RootPlace> = places
        .iter()
        .zip(&yaws)
        .map(|(at, &yaw_rad)| {
            let rest = to_plan(Quat::from_rotation_y(yaw_rad) * rest.extend(0.0).xzy());
            RootPlace { at: *at - rest, yaw_rad }
        })
        .collect();
    let track = RootTrack::new(keys, clip.duration_secs);
    Some((Clip { channels: moved(rig.model, clip, &poses, &times, &track), ..clip.clone() }, track))
}

/// The channels of a clip with those of the uppermost nodes that move taken back to where the root is at rest. Nodes above
/// them keep still, so that no two nodes move against each other.
fn moved(model: &Model, clip: &Clip, poses: &[Vec<Mat4>], times: &[f32], track: &RootTrack) -> Vec<Channel> {
    let parents = &model.skeleton.parents;
    let movers: HashSet<NodeId> =
        clip.channels.iter().filter(|channel| moves(channel)).map(|channel| channel.node).collect();
    let is_uppermost = |node: &NodeId| model.skeleton.ancestors(*node).skip(1).all(|above| !movers.contains(&above));
    let mut channels = clip.channels.clone();
    for channel in channels.iter_mut().filter(|channel| moves(channel) && is_uppermost(&channel.node)) {
        let node = channel.node.0 as usize;
        let above = parents[node].map(|parent| parent.0 as usize);
        let locals = poses.iter().zip(times).map(|(pose, &time)| {
            let parent = above.map_or(Mat4::IDENTITY, |above| pose[above]);
            let back = Trs::from_mat4(&(parent.inverse() * track.at(time).to_mat4().inverse() * pose[node]));
            (back.translation, back.rotation.normalize())
        });
        let (translations, rotations) = locals.unzip();
        channel.translation = Track { times_secs: times.to_vec(), values: translations };
        channel.rotation = Track { times_secs: times.to_vec(), values: rotations };
    }
    channels
}

/// Whether the values of a channel change.
fn moves(channel: &Channel) -> bool {
    let turns = channel.rotation.values.iter().any(|q| q.angle_between(channel.rotation.values[0]) > 1e-3);
    let shifts = &channel.translation.values;
    let reach = shifts.first().map_or(0.0, |first| 1e-3 * first.length().max(1e-2));
    turns || shifts.iter().any(|at| at.distance(shifts[0]) > reach)
}

/// Values smoothed by a Gaussian whose standard deviation is `sigma` keys. Beyond its ends the sequence is continued by
/// its own reflection through the end, so that steady changes stay steady.
fn smoothed<T>(values: &[T], sigma: f32) -> Vec<T>
where
    T: Copy + std::ops::Add<Output = T> + std::ops::Sub<Output = T> + std::ops::Mul<f32, Output = T>,
{
    let last = values.len() as isize - 1;
    let reach = (3.0 * sigma).ceil().clamp(0.0, last.max(0) as f32) as isize;
    let at = |i: isize| match i {
        i if i < 0 => values[0] * 2.0 - values[(-i).min(last) as usize],
        i if i > last => values[last as usize] * 2.0 - values[(2 * last - i).max(0) as usize],
        i => values[i as usize],
    };
    let weight = |offset: isize| (-0.5 * (offset as f32 / sigma.max(1e-6)).powi(2)).exp();
    let total: f32 = (-reach..=reach).map(weight).sum();
    (0..values.len() as isize)
        .map(|i| {
            let others = (1..=reach).fold(values[i as usize] * weight(0), |sum, offset| {
                sum + (at(i - offset) + at(i + offset)) * weight(offset)
            });
            others * (1.0 / total)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoothing_keeps_what_is_steady_and_takes_sway() {
        let steady: Vec<f32> = (0..60).map(|i| 0.5 * i as f32).collect();
        let close = |a: &[f32], b: &[f32], by: f32| a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() < by));
        close(&smoothed(&steady, 4.0), &steady, 1e-3);
        let swaying: Vec<f32> = steady.iter().enumerate().map(|(i, v)| v + (i as f32 * 1.2).sin()).collect();
        close(&smoothed(&swaying, 4.0)[15..45], &steady[15..45], 0.1);
        assert_eq!(smoothed(&[3.0_f32], 4.0), [3.0]);
    }
}
