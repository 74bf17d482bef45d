//! Debug drawing of skeletons, and of the ways that motion matching compares.

use super::motion_database::Trajectory;
use crate::asset::Skeleton;
use crate::debug::{Color, DebugDraw, Layer, shapes};
use glam::{Mat4, Vec2, Vec3, Vec3Swizzles};

/// Bones.
const BONE: Color = [1.0, 0.95, 0.6, 1.0];

/// A line from each node to its parent. `model_from_node` holds one matrix per node.
pub fn skeleton(d: &mut DebugDraw, skeleton: &Skeleton, world_from_model: &Mat4, model_from_node: &[Mat4]) {
    let at = |node: usize| -> Option<Vec3> {
        Some(world_from_model.transform_point3(model_from_node.get(node)?.w_axis.truncate()))
    };
    for (node, parent) in skeleton.parents.iter().enumerate() {
        // The root of the file is not a bone: a line to it would run from the feet to the hips.
        if let Some(parent) = parent.filter(|p| p.0 != 0)
            && let (Some(a), Some(b)) = (at(parent.0 as usize), at(node))
        {
            d.line(Layer::Skeleton, a, b, BONE);
        }
    }
}

/// Hip, knee and ankle of a leg.
const LEG: Color = [0.3, 0.8, 1.0, 1.0];

/// A line along the nodes of a leg, and a small cross at each joint. `model_from_node` holds one matrix per node.
pub fn legs(d: &mut DebugDraw, chain: &[u32], world_from_model: &Mat4, model_from_node: &[Mat4]) {
    let place = |node: &u32| Some(model_from_node.get(*node as usize)?.w_axis.truncate());
    let joints: Vec<Vec3> = chain.iter().filter_map(place).map(|p| world_from_model.transform_point3(p)).collect();
    let length: f32 = joints.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    for pair in joints.windows(2) {
        d.line(Layer::Legs, pair[0], pair[1], LEG);
    }
    for joint in joints {
        for axis in Vec3::AXES {
            d.line(Layer::Legs, joint - axis * length * 0.03, joint + axis * length * 0.03, LEG);
        }
    }
}

/// Where a character is about to go.
pub const WANTED_WAY: Color = [1.0, 0.85, 0.2, 1.0];
/// Where the frame that plays would lead.
pub const MATCHED_WAY: Color = [0.35, 1.0, 0.45, 1.0];
/// Height of trajectories over the ground, metres.
const WAY_HEIGHT: f32 = 0.03;
/// Length of the arrows of their directions, metres.
const WAY_ARROW: f32 = 0.22;

/// A line through the places of a trajectory, and an arrow at each in the direction in which the root faces.
pub fn trajectory(d: &mut DebugDraw, world_from_root: &Mat4, way: &Trajectory, color: Color) {
    let place = |at: Vec2| world_from_root.transform_point3(at.extend(WAY_HEIGHT).xzy());
    let places: Vec<Vec3> = std::iter::once(Vec2::ZERO).chain(way.places).map(place).collect();
    shapes::path(d, Layer::MotionTrajectories, &places, color);
    for (at, direction) in way.places.iter().zip(&way.directions) {
        shapes::arrow(d, Layer::MotionTrajectories, place(*at), place(*at + *direction * WAY_ARROW), color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::math::Trs;

    #[test]
    fn bones_run_from_parent_to_child_in_world_space() {
        let step = Trs { translation: Vec3::Y, ..Trs::IDENTITY };
        let bones = Skeleton {
            names: ["root", "hips", "spine"].map(String::from).into(),
            parents: vec![None, Some(NodeId(0)), Some(NodeId(1))],
            rest: vec![step; 3],
        };
        let mut d = DebugDraw::wanting([Layer::Skeleton]);
        let world = Mat4::from_translation(Vec3::X * 10.0);
        skeleton(&mut d, &bones, &world, &bones.rest_model_from_node());
        assert_eq!(d.lines.len(), 1);
        assert_eq!(d.lines[0].ends, [Vec3::new(10.0, 2.0, 0.0), Vec3::new(10.0, 3.0, 0.0)]);
        skeleton(&mut d, &bones, &world, &[]);
        assert_eq!(d.lines.len(), 1, "missing matrices draw nothing");
    }

    #[test]
    fn legs_run_along_their_chain_with_a_cross_at_each_joint() {
        let places = [Vec3::Y * 2.0, Vec3::Y, Vec3::ZERO].map(Mat4::from_translation);
        let mut d = DebugDraw::wanting([Layer::Legs]);
        legs(&mut d, &[0, 1, 2], &Mat4::from_translation(Vec3::X), &places);
        assert_eq!(d.lines.len(), 2 + 3 * 3);
        assert_eq!(d.lines[0].ends, [Vec3::new(1.0, 2.0, 0.0), Vec3::new(1.0, 1.0, 0.0)]);
    }
}
