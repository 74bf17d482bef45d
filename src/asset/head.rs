//! The head of a character: its joint, found by name, and where its eyes are.

use super::Model;
use crate::ids::NodeId;
use glam::Vec3;

/// How far before the joint of the head its eyes lie, as a share of the character's height.
const EYES_AHEAD: f32 = 0.07;
/// How far up from the joint to the crown its eyes lie, as a share.
const EYES_UP: f32 = 0.5;

/// The head of a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    /// Its joint.
    pub node: NodeId,
    /// Its eyes, from the joint: to the left, up and ahead, metres at scale 1.
    pub eyes: Vec3,
}

impl Head {
    /// The joint with the shortest name that holds the word: others end it, as `HeadTop_End`, or hang from it.
    pub fn of(model: &Model) -> Option<Self> {
        let names = model.skeleton.names.iter().enumerate();
        let heads = names.filter(|(_, name)| name.to_lowercase().contains("head"));
        let (at, _) = heads.min_by_key(|(at, name)| (name.len(), *at))?;
        let joint = model.skeleton.rest_model_from_node().get(at)?.w_axis.truncate();
        let (crown, height) = (model.rest_bounds.max.y - joint.y, model.rest_bounds.size().y);
        let eyes = Vec3::new(0.0, crown.max(0.0) * EYES_UP, height * EYES_AHEAD);
        eyes.is_finite().then_some(Self { node: NodeId(at as u32), eyes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Skeleton;
    use crate::math::{Aabb, Trs};

    #[test]
    fn the_head_is_found_by_its_name_and_has_eyes() {
        let at = |y: f32| Trs { translation: Vec3::Y * y, ..Trs::IDENTITY };
        let names = ["Hips", "mixamorig:HeadTop_End", "mixamorig:Head"].map(String::from).to_vec();
        let skeleton = Skeleton { names, parents: vec![None; 3], rest: vec![at(1.0), at(1.8), at(1.5)] };
        let rest_bounds = Aabb::from_points([Vec3::ZERO, Vec3::new(0.4, 1.8, 0.4)]);
        let head = Head::of(&Model { skeleton, rest_bounds, ..Model::default() }).unwrap();
        assert_eq!(head.node, NodeId(2));
        assert!(head.eyes.abs_diff_eq(Vec3::new(0.0, 0.15, 0.126), 1e-5), "{}", head.eyes);
        assert_eq!(Head::of(&Model::default()), None);
    }
}
