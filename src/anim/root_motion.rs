//! Root motion: the movement over the ground that a clip has in its root joint, for a character to move by.

use crate::asset::root_track::RootTrack;
use crate::asset::{Clip, Model, Skeleton, Track};
use glam::{Mat3, Vec3, Vec3Swizzles};

/// Least way over the ground that counts, metres.
const MIN_WAY: f32 = 0.01;

/// The movement of a clip over the ground.
#[derive(Clone, Debug, PartialEq)]
pub enum RootMotion {
    /// In the pose of its root joint.
    InPose(RootJoint),
    /// Taken out of the clip.
    TakenOut(RootTrack),
}

/// The movement of a clip's root joint over the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct RootJoint {
    /// The root joint: the first whose clip moves it over the ground.
    node: u32,
    track: Track<Vec3>,
    /// Directions in model space from those in the space of the joint's parent, at rest.
    model_from_parent: Mat3,
    /// Up in the space of the parent.
    up: Vec3,
}

/// A shift of one joint's local translation that takes its root motion out of a pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RootShift {
    /// The joint.
    pub node: u32,
    /// Shift in the space of its parent.
    pub shift: Vec3,
    /// The same shift in model space.
    pub in_model: Vec3,
}

impl RootMotion {
    /// The root motion of a clip of a model; `None` where nothing moves over the ground.
    pub fn new(model: &Model, clip: usize) -> Option<Self> {
        match model.root_track(clip) {
            Some(track) => Some(Self::TakenOut(track.clone())),
            None => RootJoint::new(&model.skeleton, model.clips.get(clip)?).map(Self::InPose),
        }
    }

    /// Way over the ground between two times, in the space of the character as it is turned at the first.
    pub fn way_between(&self, from_secs: f32, to_secs: f32) -> Vec3 {
        match self {
            Self::InPose(joint) => joint.way_between(from_secs, to_secs),
            Self::TakenOut(track) => track.at(from_secs).local_point(track.at(to_secs).at).extend(0.0).xzy(),
        }
    }

    /// Turn about the vertical between two times, radians, to the left above 0.
    pub fn turn_between(&self, from_secs: f32, to_secs: f32) -> f32 {
        match self {
            Self::InPose(_) => 0.0,
            Self::TakenOut(track) => track.at(to_secs).yaw_rad - track.at(from_secs).yaw_rad,
        }
    }

    /// What takes the way from the clip's start to a time out of a pose, where the clip has this weight.
    pub fn shift(&self, time_secs: f32, weight: f32) -> RootShift {
        match self {
            Self::InPose(joint) => joint.shift(time_secs, weight),
            Self::TakenOut(_) => RootShift::default(),
        }
    }
}

impl RootJoint {
    /// The first joint of a clip that moves over the ground; `None` where there is none.
    fn new(skeleton: &Skeleton, clip: &Clip) -> Option<Self> {
        clip.full_channels().iter().filter(|channel| channel.translation.values.len() > 1).find_map(|channel| {
            let node = channel.node.0;
            let parent = (*skeleton.parents.get(node as usize)?).map(|parent| parent.0 as usize);
            let places = skeleton.rest_model_from_node();
            let parent = parent.and_then(|parent| places.get(parent));
            let model_from_parent = parent.map_or(Mat3::IDENTITY, |m| Mat3::from_mat4(*m));
            let up = model_from_parent.inverse() * Vec3::Y;
            let track = channel.translation.clone();
            let motion = Self { node, track, model_from_parent, up: up.normalize_or_zero() };
            let way = |value: &Vec3| motion.over_ground(*value - motion.track.values[0]);
            let moves = motion.track.values.iter().any(|value| (model_from_parent * way(value)).length() > MIN_WAY);
            (moves && up.is_finite()).then_some(motion)
        })
    }

    /// The part of a direction in the space of the parent that goes over the ground.
    fn over_ground(&self, direction: Vec3) -> Vec3 {
        direction - self.up * direction.dot(self.up)
    }

    /// Way over the ground from the clip's start to a time, in the space of the parent.
    fn way(&self, time_secs: f32) -> Vec3 {
        let start = self.track.values.first().copied().unwrap_or_default();
        self.over_ground(self.track.at(time_secs, start) - start)
    }

    /// Way over the ground between two times, in model space.
    fn way_between(&self, from_secs: f32, to_secs: f32) -> Vec3 {
        self.model_from_parent * (self.way(to_secs) - self.way(from_secs))
    }

    /// What takes the way from the clip's start to a time out of a pose, where the clip has this weight.
    fn shift(&self, time_secs: f32, weight: f32) -> RootShift {
        let shift = self.way(time_secs) * -weight;
        RootShift { node: self.node, shift, in_model: self.model_from_parent * shift }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Channel;
    use crate::ids::NodeId;
    use crate::math::Trs;
    use glam::Quat;
    use std::f32::consts::FRAC_PI_2;

    fn clip(node: u32, to: Vec3) -> Clip {
        let translation = Track { times_secs: vec![0.0, 2.0], values: vec![Vec3::ONE, Vec3::ONE + to] };
        let channel = Channel { node: NodeId(node), translation, ..Channel::default() };
        Clip { duration_secs: 2.0, channels: vec![channel], ..Clip::default() }
    }

    #[test]
    fn the_way_over_the_ground_is_that_of_the_root_joint() {
        // The joint hangs on one that has Z up, as models of some programs have.
        let rest = vec![Trs { rotation: Quat::from_rotation_x(-FRAC_PI_2), ..Trs::IDENTITY }, Trs::IDENTITY];
        let skeleton = Skeleton { names: vec![String::new(); 2], parents: vec![None, Some(NodeId(0))], rest };
        let motion = RootJoint::new(&skeleton, &clip(1, Vec3::new(3.0, -4.0, 5.0))).unwrap();
        // Up is Z there: the jump stays in the pose, and -Y goes ahead.
        assert!(motion.way_between(0.0, 1.0).abs_diff_eq(Vec3::new(1.5, 0.0, 2.0), 1e-5));
        let shift = motion.shift(2.0, 0.5);
        assert_eq!(shift.node, 1);
        assert!(shift.shift.abs_diff_eq(Vec3::new(-1.5, 2.0, 0.0), 1e-5));
        assert!(shift.in_model.abs_diff_eq(Vec3::new(-1.5, 0.0, -2.0), 1e-5));
        assert_eq!(RootJoint::new(&skeleton, &clip(1, Vec3::Z * 5.0)), None, "it only jumps");
        assert_eq!(RootJoint::new(&skeleton, &clip(7, Vec3::X)), None);
    }
}
