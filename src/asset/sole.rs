//! The sole of a foot: where it touches the ground.

use super::Model;
use crate::ids::NodeId;
use glam::{Mat4, Vec3};

/// Height above the lowest vertex up to which vertices belong to the sole, as a fraction of the leg's length.
const SOLE_SHARE: f32 = 0.025;
/// Where the ball of a foot without toes lies, as a share of the way from the ankle to its tip.
const BALL_SHARE: f32 = 0.7;

impl Model {
    /// Contact points of heel and ball, in the space of the foot, from the vertices skinned to it in a pose in which it
    /// stands; `matrices` place all nodes in that pose. `up` is a unit vector, `leg` the leg's length.
    pub fn sole(&self, foot: NodeId, matrices: &[Mat4], up: Vec3, leg: f32) -> [Vec3; 2] {
        let matrix = matrices[foot.0 as usize];
        let origin = matrix.w_axis.truncate();
        let is_on_foot: Vec<bool> = self.joints.iter().map(|j| self.skeleton.is_below(j.node, foot)).collect();
        let mut points: Vec<Vec3> = Vec::new();
        for mesh in &self.meshes {
            for (vertex, skin) in mesh.vertices.iter().zip(&mesh.skin) {
                if is_on_foot.get(skin.joints[0] as usize).copied().unwrap_or(false) {
                    points.push(self.skinned_point(skin, vertex.position, matrices));
                }
            }
        }
        let low = points.iter().map(|p| p.dot(up)).fold(f32::INFINITY, f32::min);
        // Without vertices: as high above the ground as above the model's origin.
        let low = if low.is_finite() { low } else { 0.0_f32.min(origin.dot(up)) };
        let flat = |p: Vec3| p - up * p.dot(up);
        let toes = self.skeleton.first_child(foot).and_then(|toes| matrices.get(toes.0 as usize));
        let toes = toes.map(|toes| flat(toes.w_axis.truncate() - origin)).filter(|d| d.length() > 0.05 * leg);
        let mean = points.iter().fold(Vec3::ZERO, |sum, p| sum + flat(*p - origin)) / points.len().max(1) as f32;
        let ahead = toes.unwrap_or(mean).normalize_or_zero();
        let along = points.iter().filter(|p| p.dot(up) < low + SOLE_SHARE * leg).map(|p| (*p - origin).dot(ahead));
        let (heel, tip) = along.fold((0.0_f32, 0.0_f32), |(a, b), x| (a.min(x), b.max(x)));
        let ball = toes.map_or(tip * BALL_SHARE, |toes| toes.length());
        let under = flat(origin) + up * low;
        let node_from_model = matrix.inverse();
        [heel, ball].map(|x| node_from_model.transform_point3(under + ahead * x))
    }
}
