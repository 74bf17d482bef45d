//! Mirrors clips: left and right of a body change places.
//!
//! Every node takes the rotation of its counterpart in model space, from a pose of reference, reflected in the plane
//! between left and right. So it works whatever the bones' own axes are. Counterparts are the human bones of the other
//! side, else nodes whose names differ in the side alone.

use super::human_bone::HumanBone;
use super::humanoid::{Humanoid, Rig, rotation_of};
use super::retarget::{key_times, pose};
use super::{Channel, Clip, Model, MorphTrack, Track};
use crate::ids::NodeId;
use glam::{Mat4, Quat, Vec3};
use std::collections::HashMap;

/// The clip with left and right in each other's place, for the skeleton of `model`. The plane between them is that of
/// the human `body`; without one it goes through the model's origin, with X across it.
pub(super) fn mirrored(model: &Model, body: Option<&Humanoid>, clip: &Clip) -> Clip {
    let rig = body.and_then(|body| Rig::of(model, body));
    let across = rig.as_ref().map_or(Vec3::X, |rig| rig.model_from_body * Vec3::X);
    let reference = rig.as_ref().map_or_else(|| model.skeleton.rest_model_from_node(), |rig| rig.matrices.clone());
    let counterparts = counterparts(model, body);
    let mirror = Mirror { model, clip, across, reference, counterparts };
    let times = key_times(clip, model.skeleton.len());
    let mut channels = mirror.channels();
    for &time in &times {
        mirror.add_keys(time, &mut channels);
    }
    let morphs = clip.morphs.iter().map(|morph| mirrored_morphs(model, morph)).collect();
    Clip { channels, morphs, ..clip.clone() }
}

struct Mirror<'a> {
    model: &'a Model,
    clip: &'a Clip,
    /// Unit vector across the plane, in model space.
    across: Vec3,
    /// Transforms of all nodes in the pose of reference, in model space.
    reference: Vec<Mat4>,
    counterparts: Vec<usize>,
}

impl Mirror<'_> {
    /// The channel that a node has in the clip.
    fn channel(&self, node: usize) -> Option<&Channel> {
        let at = self.clip.channels.binary_search_by_key(&NodeId(node as u32), |channel| channel.node).ok()?;
        self.clip.channels.get(at)
    }

    /// A channel without keys for each node whose counterpart has one.
    fn channels(&self) -> Vec<Channel> {
        let has = |node: &usize| self.channel(self.counterparts[*node]).is_some();
        let nodes = (0..self.counterparts.len()).filter(has);
        nodes.map(|node| Channel { node: NodeId(node as u32), ..Channel::default() }).collect()
    }

    /// Adds the keys of a time to channels in the order of their nodes.
    fn add_keys(&self, time: f32, channels: &mut [Channel]) {
        let from = pose(self.model, self.clip, time);
        let skeleton = &self.model.skeleton;
        let mut channels = channels.iter_mut().peekable();
        let mut to: Vec<Mat4> = Vec::with_capacity(from.len());
        for (node, rest) in skeleton.rest.iter().enumerate() {
            let parent = skeleton.parents[node].map_or(Mat4::IDENTITY, |parent| to[parent.0 as usize]);
            let Some(channel) = channels.next_if(|channel| channel.node.0 as usize == node) else {
                to.push(parent * rest.to_mat4());
                continue;
            };
            let other = self.counterparts[node];
            let moves = self.channel(other);
            let mut local = *rest;
            let turn = rotation_of(&from[other]) * rotation_of(&self.reference[other]).inverse();
            let turned = reflected_turn(turn, self.across) * rotation_of(&self.reference[node]);
            local.rotation = (rotation_of(&parent).inverse() * turned).normalize();
            push(&mut channel.rotation, time, local.rotation);
            if moves.is_some_and(|channel| !channel.translation.is_empty()) {
                let place = |m: &Mat4| m.w_axis.truncate();
                let moved = place(&from[other]) - place(&self.reference[other]);
                let place = place(&self.reference[node]) + reflected(moved, self.across);
                local.translation = parent.inverse().transform_point3(place);
                push(&mut channel.translation, time, local.translation);
            }
            if let Some(scale) = moves.map(|channel| &channel.scale).filter(|scale| !scale.is_empty()) {
                local.scale = scale.at(time, rest.scale);
                push(&mut channel.scale, time, local.scale);
            }
            to.push(parent * local.to_mat4());
        }
    }
}

fn push<T>(track: &mut Track<T>, time: f32, value: T) {
    track.times_secs.push(time);
    track.values.push(value);
}

/// A direction reflected in the plane with this unit normal.
fn reflected(direction: Vec3, normal: Vec3) -> Vec3 {
    direction - normal * (2.0 * direction.dot(normal))
}

/// A rotation as it is seen in a mirror with this unit normal: its axis is a pseudovector.
fn reflected_turn(turn: Quat, normal: Vec3) -> Quat {
    let axis = -reflected(turn.xyz(), normal);
    Quat::from_xyzw(axis.x, axis.y, axis.z, turn.w)
}

/// For each node the one that has its place on the other side: itself in the middle, or where there is none.
fn counterparts(model: &Model, body: Option<&Humanoid>) -> Vec<usize> {
    let mut out = numbers_of_other_sides(model.skeleton.names.iter().map(String::as_str));
    for (bone, node) in body.into_iter().flat_map(Humanoid::bones) {
        let other = match bone {
            HumanBone::Limb(side, limb) => Some(HumanBone::Limb(side.other(), limb)),
            HumanBone::Finger(side, finger, phalanx) => Some(HumanBone::Finger(side.other(), finger, phalanx)),
            _ => None,
        };
        let other = other.and_then(|bone| body?.node(bone)).unwrap_or(node);
        out[node.0 as usize] = other.0 as usize;
    }
    out
}

/// For each name the number of the first that tells the other side: its own in the middle, or where there is none.
fn numbers_of_other_sides<'a>(names: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let names: Vec<String> = names.map(str::to_lowercase).collect();
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (number, name) in names.iter().enumerate() {
        by_name.entry(name).or_insert(number);
    }
    let other = |(number, name): (usize, &String)| {
        other_sides(name).iter().find_map(|other| by_name.get(other.as_str()).copied()).unwrap_or(number)
    };
    names.iter().enumerate().map(other).collect()
}

/// Spellings, in small letters, that a name may have on the other side; none where it tells no side.
fn other_sides(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let mut out = Vec::new();
    for (one, other) in [("left", "right"), ("right", "left")] {
        if name.contains(one) {
            out.push(name.replacen(one, other, 1));
        }
    }
    // A side that is a letter stands at an end or between marks.
    let letters: Vec<char> = name.chars().collect();
    for (i, &letter) in letters.iter().enumerate() {
        let other = match letter {
            'l' => 'r',
            'r' => 'l',
            _ => continue,
        };
        let is_apart = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_none_or(|c| !c.is_alphabetic());
        if is_apart(i.checked_sub(1)) && is_apart(Some(i + 1)) {
            let mut letters = letters.clone();
            letters[i] = other;
            out.push(letters.into_iter().collect());
        }
    }
    out
}

/// Weights of morph targets with those of the other side in each other's place.
fn mirrored_morphs(model: &Model, track: &MorphTrack) -> MorphTrack {
    let morphs = model.meshes.get(track.mesh as usize).map_or(&[][..], |mesh| &mesh.morphs);
    // Once for all keys.
    let others = numbers_of_other_sides(morphs.iter().map(|morph| morph.name.as_str()));
    let other = |i: usize| others.get(i).copied().unwrap_or(i);
    let swapped = |weights: &Vec<f32>| -> Vec<f32> {
        (0..weights.len()).map(|i| weights.get(other(i)).copied().unwrap_or(0.0)).collect()
    };
    let weights = Track {
        times_secs: track.weights.times_secs.clone(),
        values: track.weights.values.iter().map(swapped).collect(),
    };
    MorphTrack { mesh: track.mesh, weights }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Mesh, Morph};

    #[test]
    fn names_tell_their_other_side() {
        let has = |name: &str, other: &str| assert!(other_sides(name).contains(&other.to_owned()), "{name} {other}");
        has("mixamorig:LeftUpLeg", "mixamorig:rightupleg");
        has("hand.R", "hand.l");
        has("L_Toe0", "r_toe0");
        has("Bip01 R Thigh", "bip01 l thigh");
        assert_eq!(other_sides("Spine"), Vec::<String>::new());
        assert_eq!(other_sides("Collar"), Vec::<String>::new());
    }

    #[test]
    fn morph_targets_change_sides() {
        let morph = |name: &str| Morph { name: name.into(), ..Morph::default() };
        let mesh = Mesh { morphs: ["smileLeft", "jawOpen", "smileRight"].map(morph).into(), ..Mesh::default() };
        let model = Model { meshes: vec![mesh], ..Model::default() };
        let weights = Track { times_secs: vec![0.0], values: vec![vec![0.1, 0.2, 0.3, 0.4]] };
        let mirrored = mirrored_morphs(&model, &MorphTrack { mesh: 0, weights });
        assert_eq!(mirrored.weights.values, [[0.3, 0.2, 0.1, 0.4]], "and what has no target stays");
    }

    #[test]
    fn a_turn_in_a_mirror_goes_the_other_way() {
        let turned = reflected_turn(Quat::from_rotation_y(0.4), Vec3::X);
        assert!(turned.angle_between(Quat::from_rotation_y(-0.4)) < 1e-4);
        let nod = reflected_turn(Quat::from_rotation_x(0.4), Vec3::X);
        assert!(nod.angle_between(Quat::from_rotation_x(0.4)) < 1e-4);
        let point = Vec3::new(0.3, -0.2, 0.7);
        let turn = Quat::from_euler(glam::EulerRot::XYZ, 0.4, -0.9, 1.3);
        let there = reflected(turn * point, Vec3::X);
        assert!((reflected_turn(turn, Vec3::X) * reflected(point, Vec3::X)).abs_diff_eq(there, 1e-6));
    }
}
