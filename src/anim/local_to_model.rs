//! Forward kinematics: from local transforms to model-space matrices. The CPU twin of `shaders/anim/local_to_model.wgsl`.

use crate::asset::{Joint, Skeleton};
use crate::ids::NodeId;
use crate::math::Trs;
use glam::Mat4;

/// Model-space matrices of all nodes from their local transforms; parents stand before children.
pub fn local_to_model(skeleton: &Skeleton, locals: &[Trs], model_from_node: &mut [Mat4]) {
    for (i, local) in locals.iter().enumerate().take(model_from_node.len().min(skeleton.len())) {
        let local = local.to_mat4();
        model_from_node[i] = match skeleton.parents[i] {
            Some(NodeId(parent)) if (parent as usize) < i => model_from_node[parent as usize] * local,
            _ => local,
        };
    }
}

/// Skinning matrix of each joint: model space from mesh space. A joint on a node that does not exist gets the identity.
pub fn model_to_skin(joints: &[Joint], model_from_node: &[Mat4], model_from_mesh: &mut [Mat4]) {
    for (out, joint) in model_from_mesh.iter_mut().zip(joints) {
        *out = match model_from_node.get(joint.node.0 as usize) {
            Some(node) => *node * joint.node_from_mesh,
            None => Mat4::IDENTITY,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    fn chain() -> (Skeleton, [Trs; 3]) {
        let skeleton = Skeleton {
            names: vec![String::new(); 3],
            parents: vec![None, Some(NodeId(0)), Some(NodeId(1))],
            rest: vec![Trs::IDENTITY; 3],
        };
        let quarter = std::f32::consts::FRAC_PI_2;
        let turned = |rotation| Trs { translation: Vec3::X, rotation, scale: Vec3::ONE };
        let locals =
            [turned(Quat::from_rotation_y(quarter)), turned(Quat::from_rotation_x(quarter)), turned(Quat::IDENTITY)];
        (skeleton, locals)
    }

    #[test]
    fn turns_that_do_not_commute_multiply_from_the_root_down() {
        let (skeleton, locals) = chain();
        let mut m = [Mat4::IDENTITY; 3];
        local_to_model(&skeleton, &locals, &mut m);
        // Root: at x = 1, turned so that its x points along -z. The tip lies two steps along that.
        assert!(m[2].transform_point3(Vec3::ZERO).abs_diff_eq(Vec3::new(1.0, 0.0, -2.0), 1e-5));
        // Its y: turned to z about x, then z to x about y. The other order would give -y's place.
        assert!(m[2].transform_vector3(Vec3::Y).abs_diff_eq(Vec3::X, 1e-5));
    }

    #[test]
    fn the_bind_pose_leaves_vertices_where_they_are() {
        let (skeleton, locals) = chain();
        let mut m = [Mat4::IDENTITY; 3];
        local_to_model(&skeleton, &locals, &mut m);
        let joints: Vec<Joint> = (0..4)
            .map(|i| Joint { node: NodeId(i), node_from_mesh: m.get(i as usize).map_or(Mat4::IDENTITY, Mat4::inverse) })
            .collect();
        let mut skin = [Mat4::ZERO; 4];
        model_to_skin(&joints, &m, &mut skin);
        assert!(skin.iter().all(|s| s.abs_diff_eq(Mat4::IDENTITY, 1e-5)));
    }
}
