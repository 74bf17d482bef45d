//! A body at rest: where its bones are, how they are turned, what is up and ahead.

use super::body::Humanoid;
use crate::asset::human_bone::{HumanBone, Limb, Side};
use crate::asset::{Mesh, Model};
use crate::ids::NodeId;
use crate::math::Aabb;
use glam::{Mat3, Mat4, Quat, Vec3};
use std::collections::BTreeSet;

/// Directions within this of an axis are meant to lie on it, radians.
const SNAP_RAD: f32 = 0.35;

/// A body in its pose of reference: the one that its mesh was bound in, or the one that its nodes rest in.
#[derive(Debug)]
pub struct Rig<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its bones.
    pub body: &'a Humanoid,
    /// Transform of each node in model space.
    pub matrices: Vec<Mat4>,
    /// Rotation of each node in model space.
    pub rotations: Vec<Quat>,
    /// Place of each node in model space, metres.
    pub places: Vec<Vec3>,
    /// From the character's axes (left, up, ahead) to model space.
    pub model_from_body: Quat,
    /// Length of the legs from the joints of the thighs to the ankles, metres.
    pub leg: f32,
    /// By how much the legs are longer than the ankles lie below those joints: in a pose of reference with legs apart,
    /// metres.
    pub leg_slack: f32,
}

impl<'a> Rig<'a> {
    /// Measures a body; `None` where its legs have no length.
    pub fn of(model: &'a Model, body: &'a Humanoid) -> Option<Self> {
        let matrices = reference(model);
        let rotations = matrices.iter().map(rotation_of).collect();
        let places: Vec<Vec3> = matrices.iter().map(|m| m.w_axis.truncate()).collect();
        let at = |bone| body.node(bone).map(|node| places[node.0 as usize]);
        let middle =
            |limb| Some((at(HumanBone::Limb(Side::Left, limb))? + at(HumanBone::Limb(Side::Right, limb))?) / 2.0);
        let (thighs, ankles) = (middle(Limb::UpperLeg)?, middle(Limb::Foot)?);
        let top = at(HumanBone::Head).or_else(|| at(body.top_of_back()?))?;
        let up = snapped((top - ankles).try_normalize()?);
        let across =
            at(HumanBone::Limb(Side::Left, Limb::UpperLeg))? - at(HumanBone::Limb(Side::Right, Limb::UpperLeg))?;
        let left = snapped(across.reject_from(up).try_normalize()?).reject_from(up).try_normalize()?;
        let along = |side: Side| {
            let joints = [Limb::UpperLeg, Limb::LowerLeg, Limb::Foot].map(|limb| at(HumanBone::Limb(side, limb)));
            let [thigh, knee, ankle] = joints;
            Some(thigh?.distance(knee?) + knee?.distance(ankle?))
        };
        let height = (thighs - ankles).dot(up);
        let leg = along(Side::Left).zip(along(Side::Right)).map_or(height, |(left, right)| (left + right) / 2.0);
        let model_from_body = Quat::from_mat3(&Mat3::from_cols(left, up, left.cross(up)));
        let is_sound = height > 1e-4 && leg.is_finite() && model_from_body.is_finite();
        let leg_slack = leg - height;
        is_sound.then_some(Self { model, body, matrices, rotations, places, model_from_body, leg, leg_slack })
    }

    /// Where a bone is.
    pub fn place(&self, bone: HumanBone) -> Option<Vec3> {
        Some(self.places[self.body.node(bone)?.0 as usize])
    }

    /// How a bone is turned.
    pub fn rotation(&self, bone: HumanBone) -> Option<Quat> {
        Some(self.rotations[self.body.node(bone)?.0 as usize])
    }

    /// The direction in which a bone of a limb points, in the character's axes; `None` of others.
    pub fn direction(&self, bone: HumanBone) -> Option<Vec3> {
        let along = self.place(bone.next_along()?)? - self.place(bone)?;
        Some(self.model_from_body.inverse() * along.try_normalize()?)
    }
}

/// The axis that a direction is near to, else itself.
fn snapped(direction: Vec3) -> Vec3 {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
    axes.into_iter().find(|axis| direction.angle_between(*axis) < SNAP_RAD).unwrap_or(direction)
}

/// The rotation in an affine matrix.
pub fn rotation_of(m: &Mat4) -> Quat {
    let (_, rotation, _) = m.to_scale_rotation_translation();
    if rotation.is_finite() { rotation.normalize() } else { Quat::IDENTITY }
}

/// A mesh that was bound to bones.
struct BoundMesh<'a> {
    mesh: &'a Mesh,
    /// The nodes with their inverse bind matrices, the nearest to the root first.
    joints: Vec<(NodeId, Mat4)>,
}

impl<'a> BoundMesh<'a> {
    /// `None` where the mesh has no bones; what carries it is a joint all the same, but was not bound.
    fn of(model: &'a Model, mesh: &'a Mesh, depths: &[u32]) -> Option<Self> {
        let used: BTreeSet<u16> = mesh
            .skin
            .iter()
            .flat_map(|skin| skin.joints.into_iter().zip(skin.weights))
            .filter_map(|(joint, weight)| (weight > 0.0).then_some(joint))
            .collect();
        let used = used.into_iter().filter_map(|joint| model.joints.get(joint as usize));
        let bound = used.filter(|j| j.node_from_mesh != Mat4::IDENTITY && (j.node.0 as usize) < depths.len());
        let mut joints: Vec<(NodeId, Mat4)> = bound.map(|j| (j.node, j.node_from_mesh)).collect();
        joints.sort_by_key(|(node, _)| depths[node.0 as usize]);
        (!joints.is_empty()).then_some(Self { mesh, joints })
    }

    /// Whether the nodes rest as they were when the mesh was bound.
    fn is_at_rest(&self, rest: &[Mat4]) -> bool {
        let moved = |(node, bind): &(NodeId, Mat4)| rest[node.0 as usize] * *bind;
        let first = moved(&self.joints[0]);
        let near = 1e-3 * first.x_axis.length().max(1e-6);
        self.joints.iter().map(moved).all(|other| other.abs_diff_eq(first, near))
    }

    /// The space of the mesh against the model's where some of its nodes are placed; each mesh may have its own.
    fn space(&self, placed: &[Option<Mat4>]) -> Option<Mat4> {
        self.joints.iter().find_map(|(node, bind)| Some(placed[node.0 as usize]? * *bind))
    }
}

/// Matrices of all nodes in the pose of reference. A file may have been saved in the middle of a clip, so that its nodes
/// rest in any pose; the pose in which its meshes were bound is the modeller's, with straight limbs.
fn reference(model: &Model) -> Vec<Mat4> {
    let skeleton = &model.skeleton;
    let (rest, depths) = (skeleton.rest_model_from_node(), skeleton.depths());
    let mut meshes: Vec<BoundMesh<'_>> =
        model.meshes.iter().filter_map(|mesh| BoundMesh::of(model, mesh, &depths)).collect();
    // The one with the most bones is the body, others are clothes and things.
    meshes.sort_by_key(|mesh| std::cmp::Reverse(mesh.joints.len()));
    let Some((node, bind)) = meshes.first().map(|mesh| mesh.joints[0]) else { return rest };
    if meshes.iter().all(|mesh| mesh.is_at_rest(&rest)) {
        return rest;
    }
    let posed = rest[node.0 as usize] * bind;
    let (scale, turn, _) = posed.to_scale_rotation_translation();
    // Poses turn the joint nearest to the root least: its space stands by right angles.
    let upright = rounded(turn);
    if !upright.is_finite() || !scale.is_finite() || scale.min_element() <= 0.0 {
        return rest;
    }
    let body = Mat4::from_scale_rotation_translation(scale, upright, Vec3::ZERO);
    let mut placed: Vec<Option<Mat4>> = vec![None; rest.len()];
    let mut bounds = Aabb::EMPTY;
    for bound in &meshes {
        let space = bound.space(&placed).unwrap_or(body);
        let vertices = bound.mesh.vertices.iter().map(|v| space.transform_point3(v.position));
        bounds = bounds.union(&Aabb::from_points(vertices));
        for (node, bind) in &bound.joints {
            let matrix = space * bind.inverse();
            if matrix.is_finite() {
                placed[node.0 as usize].get_or_insert(matrix);
            }
        }
    }
    // On the ground, with that joint above the origin.
    let at = placed[node.0 as usize].map_or(Vec3::ZERO, |matrix| matrix.w_axis.truncate());
    let shift = Mat4::from_translation(-at.with_y(if bounds.is_empty() { at.y } else { bounds.min.y }));
    let mut out = rest.clone();
    for i in 0..out.len() {
        out[i] = match (placed[i], skeleton.parents[i]) {
            (Some(matrix), _) => shift * matrix,
            // What skins nothing keeps its place at what it hangs from.
            (None, Some(parent)) => out[parent.0 as usize] * skeleton.rest[i].to_mat4(),
            (None, None) => out[i],
        };
    }
    out
}

/// The rotation by right angles that is nearest to one.
fn rounded(turn: Quat) -> Quat {
    let nearest = |v: Vec3| {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
        axes.max_by(|a, b| a.dot(v).total_cmp(&b.dot(v))).unwrap_or(v)
    };
    let (x, y) = (nearest(turn * Vec3::X), nearest(turn * Vec3::Y));
    if x.dot(y).abs() > 0.5 { turn } else { Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))) }
}
