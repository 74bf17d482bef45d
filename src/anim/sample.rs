//! Clip sampling: the local transform of every node at a time. The CPU twin of `shaders/anim/sample.wgsl`.

use super::inertialization::InertiaAt;
use super::layer::{LayerKind, PoseLayer};
use super::{Blend, ClipAt, Playback};
use crate::asset::{Clip, Skeleton};
use crate::ids::NodeId;
use crate::math::Trs;
use glam::{Quat, Vec3};

/// A change to the local transform of one node, applied after all clips and layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseOverride {
    /// The node.
    pub node: u32,
    /// Multiplied onto the local rotation from the right.
    pub rotation: Quat,
    /// Added to the local translation.
    pub translation: Vec3,
}

/// Local transform of a node in one clip: the rest pose where the clip has no channel for it.
fn sample_node(skeleton: &Skeleton, clip: Option<&Clip>, time_secs: f32, node: usize) -> Trs {
    let Some(rest) = skeleton.rest.get(node) else { return Trs::IDENTITY };
    clip.and_then(|clip| clip.local_at(NodeId(node as u32), time_secs, rest)).unwrap_or(*rest)
}

/// Local transforms of all nodes in one clip.
pub fn sample_clip(skeleton: &Skeleton, clip: Option<&Clip>, time_secs: f32, out: &mut [Trs]) {
    for (node, out) in out.iter_mut().enumerate().take(skeleton.len()) {
        *out = sample_node(skeleton, clip, time_secs, node);
    }
}

/// Local transform of a node in two blended clips. Weights are clamped to 0…1; NaN counts as 0.
fn sample_blend(skeleton: &Skeleton, clips: &[Clip], blend: &Blend, node: usize) -> Trs {
    let at = |i: usize| {
        let at = blend.clips[i];
        sample_node(skeleton, clips.get(at.clip.0 as usize), at.time_secs, node)
    };
    let weight = clamped_weight(blend.weight);
    let first = at(0);
    if weight > 0.0 { first.blend(&at(1), weight) } else { first }
}

/// Additive layer of a head clip for a node: its transforms at the clip's start and at the given time. `None` when the
/// clip does not affect the node.
fn head_layer(skeleton: &Skeleton, clips: &[Clip], at: &ClipAt, node: usize) -> Option<(Trs, Trs)> {
    let clip = clips.get(at.clip.0 as usize).filter(|_| at.time_secs > 0.0)?;
    if !clip.moves(NodeId(node as u32)) {
        return None;
    }
    let sampled = |time_secs| sample_node(skeleton, Some(clip), time_secs, node);
    Some((sampled(0.0), sampled(at.time_secs)))
}

/// Local transform of a node in a playback.
///
/// Head layers are differences of a clip to its own start. The yaw applies in the parent's space, `yaw · pose`, the
/// pitch in the node's own space, `pose · pitch`, so that a turned head pitches about its own axis and does not roll.
fn sample_posed(
    skeleton: &Skeleton,
    clips: &[Clip],
    playback: &Playback,
    inertia: Option<InertiaAt<'_>>,
    node: usize,
) -> Trs {
    let mut out = sample_blend(skeleton, clips, &playback.main(), node);
    let from_weight = clamped_weight(playback.from_weight);
    if from_weight > 0.0 {
        out = out.blend(&sample_blend(skeleton, clips, &playback.from, node), from_weight);
    }
    if let Some(inertia) = inertia {
        inertia.node(node).apply(&mut out);
    }
    let [turn, tilt] = &playback.head;
    if let Some((start, now)) = head_layer(skeleton, clips, turn, node) {
        out.rotation = now.rotation * start.rotation.inverse() * out.rotation;
        out.translation += now.translation - start.translation;
    }
    if let Some((start, now)) = head_layer(skeleton, clips, tilt, node) {
        out.rotation = out.rotation * start.rotation.inverse() * now.rotation;
        out.translation += now.translation - start.translation;
    }
    playback.layers.iter().fold(out, |out, layer| apply_layer(layer, skeleton, clips, node, out))
}

/// Applies a layer to a node's local transform.
fn apply_layer(layer: &PoseLayer, skeleton: &Skeleton, clips: &[Clip], node: usize, pose: Trs) -> Trs {
    let weight = clamped_weight(layer.weight);
    let [first, end] = layer.nodes.map(|i| i as usize);
    let Some(clip) = clips.get(layer.clip.0 as usize) else { return pose };
    if weight <= 0.0 || !(first..end).contains(&node) {
        return pose;
    }
    let now = sample_node(skeleton, Some(clip), layer.time_secs, node);
    if layer.kind == LayerKind::Override {
        return pose.blend(&now, weight);
    }
    let start = sample_node(skeleton, Some(clip), 0.0, node);
    let turn = start.rotation.inverse() * now.rotation;
    Trs {
        translation: pose.translation + (now.translation - start.translation) * weight,
        rotation: pose.rotation * Quat::IDENTITY.slerp(turn, weight),
        scale: pose.scale,
    }
}

/// Clamps a weight to 0…1; NaN counts as 0.
pub(super) fn clamped_weight(weight: f32) -> f32 {
    if weight.is_nan() { 0.0 } else { weight.clamp(0.0, 1.0) }
}

/// Local transforms of all nodes of a playback, with what is left of a transition, and `overrides` applied last.
pub fn sample_playback(
    skeleton: &Skeleton,
    clips: &[Clip],
    playback: &Playback,
    inertia: Option<InertiaAt<'_>>,
    overrides: &[PoseOverride],
    out: &mut [Trs],
) {
    for (node, out) in out.iter_mut().enumerate().take(skeleton.len()) {
        *out = sample_posed(skeleton, clips, playback, inertia, node);
    }
    for change in overrides {
        if let Some(out) = out.get_mut(change.node as usize) {
            out.rotation *= change.rotation;
            out.translation += change.translation;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::ClipAt;
    use crate::anim::layer::nodes_below;
    use crate::asset::{Channel, Track};
    use crate::ids::ClipId;
    use std::f32::consts::FRAC_PI_2;

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
            None,
            &[],
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
            None,
            &[],
            &mut out,
        );
        assert_eq!(out.as_slice(), skeleton.rest.as_slice());
    }

    #[test]
    fn heads_turn_before_the_pose_and_tilt_behind_it() {
        let clip = |rotations: [Quat; 2]| Clip {
            duration_secs: 1.0,
            channels: vec![Channel {
                node: NodeId(1),
                rotation: Track { times_secs: vec![0.0, 1.0], values: rotations.to_vec() },
                ..Channel::default()
            }],
            ..Clip::default()
        };
        // None of these commutes with another, and neither layer starts at rest.
        let pose = Quat::from_euler(glam::EulerRot::XYZ, 0.5, -0.3, 0.8);
        let (start_turn, start_tilt) = (Quat::from_rotation_z(0.4), Quat::from_rotation_y(-0.7));
        let (turn, tilt) = (Quat::from_rotation_y(1.1), Quat::from_rotation_x(-0.6));
        let clips = [clip([pose; 2]), clip([start_turn, turn * start_turn]), clip([start_tilt, start_tilt * tilt])];
        let skeleton = skeleton(2);
        let sampled = |head: [f32; 2]| {
            let at = |clip, time_secs| ClipAt { clip: ClipId(clip), time_secs };
            let playback = Playback { head: [at(1, head[0]), at(2, head[1])], ..Playback::default() };
            sample_posed(&skeleton, &clips, &playback, None, 1).rotation
        };
        let is = |a: Quat, b: Quat| a.angle_between(b) < 2e-3;
        assert!(is(sampled([0.0, 0.0]), pose));
        assert!(is(sampled([1.0, 0.0]), turn * pose));
        assert!(is(sampled([0.0, 1.0]), pose * tilt));
        assert!(is(sampled([1.0, 1.0]), turn * pose * tilt));
        for other in
            [tilt * pose * turn, turn * tilt * pose, pose * turn * tilt, pose * tilt * turn, tilt * turn * pose]
        {
            assert!(!is(sampled([1.0, 1.0]), other));
        }
        // A head that is turned looks down as far as one that is not, and does not roll.
        let clips = [clip([Quat::IDENTITY; 2]), clip([Quat::IDENTITY, turn]), clip([Quat::IDENTITY, tilt])];
        let at = |clip| ClipAt { clip: ClipId(clip), time_secs: 1.0 };
        let both = sample_posed(&skeleton, &clips, &Playback { head: [at(1), at(2)], ..Playback::default() }, None, 1);
        assert!(((both.rotation * Vec3::Z).y - (tilt * Vec3::Z).y).abs() < 1e-4);
        assert!((both.rotation * Vec3::X).y.abs() < 1e-4);
    }

    #[test]
    fn what_is_left_fades_and_changes_come_last() {
        let turn = |angle| Clip {
            channels: vec![Channel {
                node: NodeId(0),
                rotation: Track { times_secs: vec![0.0], values: vec![Quat::from_rotation_y(angle)] },
                ..Channel::default()
            }],
            ..Clip::default()
        };
        let clips = [turn(0.0), turn(1.0)];
        let at = |clip| ClipAt { clip: ClipId(clip), time_secs: 0.0 };
        let from = Blend { clips: [at(1); 2], weight: 0.0 };
        let playback = Playback { clips: [at(0); 2], from, from_weight: 0.25, ..Playback::default() };
        let change = PoseOverride { node: 0, rotation: Quat::from_rotation_x(0.5), translation: Vec3::Y };
        let mut out = [Trs::IDENTITY; 1];
        sample_playback(&skeleton(1), &clips, &playback, None, &[change, PoseOverride { node: 9, ..change }], &mut out);
        let expected = Quat::from_rotation_y(0.25) * Quat::from_rotation_x(0.5);
        assert!(out[0].rotation.angle_between(expected) < 2e-3);
        assert_eq!(out[0].translation, Vec3::X + Vec3::Y);
    }

    /// A root with two arms of two nodes each: 0; 1, 2; 3, 4.
    fn two_arms() -> Skeleton {
        let parents = [None, Some(0), Some(1), Some(0), Some(3)];
        Skeleton {
            names: vec![String::new(); 5],
            parents: parents.map(|p| p.map(NodeId)).to_vec(),
            rest: vec![Trs::IDENTITY; 5],
        }
    }

    /// A clip that turns all nodes about Y from one angle to another within a second.
    fn turning(from: f32, to: f32) -> Clip {
        let rotation = Track { times_secs: vec![0.0, 1.0], values: [from, to].map(Quat::from_rotation_y).to_vec() };
        let channel = |node| Channel { node: NodeId(node), rotation: rotation.clone(), ..Channel::default() };
        Clip { duration_secs: 1.0, channels: (0..5).map(channel).collect(), ..Clip::default() }
    }

    fn layer(clip: u32, weight: f32, kind: LayerKind, nodes: [u32; 2]) -> PoseLayer {
        PoseLayer { clip: ClipId(clip), time_secs: 1.0, weight, kind, nodes }
    }

    #[test]
    fn a_mask_holds_a_node_and_what_hangs_on_it() {
        let skeleton = two_arms();
        assert_eq!([0, 1, 2, 3, 4].map(|node| nodes_below(&skeleton, node)), [[0, 5], [1, 3], [2, 3], [3, 5], [4, 5]]);
        assert_eq!(nodes_below(&skeleton, 9), [9, 10], "one that is not there has none but itself");
    }

    #[test]
    fn layers_change_their_part_one_after_the_other() {
        let skeleton = two_arms();
        let clips = [turning(0.5, 0.5), turning(1.0, 1.4), turning(0.0, -0.2)];
        let yaw = |layers: &[PoseLayer], node| {
            let mut playback = Playback::default();
            playback.layers[..layers.len()].copy_from_slice(layers);
            let q = sample_posed(&skeleton, &clips, &playback, None, node).rotation;
            2.0 * q.y.atan2(q.w)
        };
        let is = |a: f32, b: f32| assert!((a - b).abs() < 1e-3, "{a} instead of {b}");
        let arm = layer(1, 1.0, LayerKind::Additive, [1, 3]);
        [0.5, 0.9, 0.9, 0.5].into_iter().enumerate().for_each(|(node, wanted)| is(yaw(&[arm], node), wanted));
        is(yaw(&[PoseLayer { weight: 0.5, ..arm }], 1), 0.7);
        let more = layer(2, 1.0, LayerKind::Additive, [0, 5]);
        is(yaw(&[arm, more], 2), 0.7);
        is(yaw(&[arm, more], 4), 0.3);
        let over = layer(1, 1.0, LayerKind::Override, [3, 5]);
        is(yaw(&[over], 3), 1.4);
        is(yaw(&[over, more], 3), 1.2);
        is(yaw(&[layer(1, f32::NAN, LayerKind::Override, [0, 5])], 0), 0.5);
        is(yaw(&[layer(9, 1.0, LayerKind::Override, [0, 5])], 0), 0.5);
    }
}
