//! A placed character or thing.

use super::clip_layer::ClipLayer;
use super::door::SceneDoor;
use crate::ids::{BehaviorId, InstanceId, ModelId};
use crate::math::Aabb;
use crate::vocab::FaceExpression;
use glam::{EulerRot, Mat4, Quat, Vec3};
use std::collections::BTreeMap;

/// Largest part of a thing's height below its origin that counts as a root or foundation, which is meant to be in the ground.
const MAX_ROOT_SHARE: f32 = 0.1;

/// Which model entry an instance shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelRef {
    /// An entry of the scene's model list.
    Known(ModelId),
    /// A name that is in no model list; kept, drawn as a box, saved again.
    Missing(String),
}

/// An instance as it is saved: the state in which it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneInstance {
    /// What people call it; empty for one that goes by its model and number.
    pub name: String,
    /// What it shows.
    pub model: ModelRef,
    /// Position of its model's origin in world space, metres.
    pub position: Vec3,
    /// Rotation in degrees about x, y, z; applied x first, then y, then z. Yaw is y; yaw 0 faces +Z.
    pub rotation_deg: Vec3,
    /// Uniform scale.
    pub scale: f32,
    /// Whether the model has Z up.
    pub swap_axes: bool,
    /// First and second clip, by position in the model file.
    pub clips: [u32; 2],
    /// Speed of the clips relative to the model's longest clip.
    pub clip_speed: f32,
    /// Weight of the second clip, 0…1.
    pub clip_blend: f32,
    /// Clips that play over these, in the order of their application.
    pub layers: Vec<ClipLayer>,
    /// Behaviour template.
    pub behavior: Option<BehaviorId>,
    /// Facial expression.
    pub face: FaceExpression,
    /// Its weight, 0…1.
    pub face_weight: f32,
    /// Weights of the other expressions shown with it, 0…1, in the order of [`FaceExpression`] without its first.
    pub face_more: [f32; 4],
    /// Weights of morph targets of its model by their names, 0…1, on top of the expressions.
    pub morphs: BTreeMap<String, f32>,
    /// Name of the material variant of its model in which it is drawn.
    pub material_variant: Option<String>,
    /// Head turn, -1 left … 1 right, as saved.
    pub head_left_right: f32,
    /// Head tilt, -1 up … 1 down, as saved.
    pub head_up_down: f32,
    /// How far away a neighbour may be that it looks at, metres; 0 looks at none.
    pub look_at_range: f32,
    /// Weight of the smile that it has for that one, 0…1.
    pub look_at_smile: f32,
    /// Whether it walks to its target.
    pub navigation: bool,
    /// Where it walks to.
    pub target: Option<InstanceId>,
    /// How it moves where it is a door or a button.
    pub door: Option<Box<SceneDoor>>,
    /// Keys of the file that this version does not know, with their values as YAML; saved again.
    pub extra: super::extra::Extra,
}

impl Default for SceneInstance {
    fn default() -> Self {
        Self {
            name: String::new(),
            model: ModelRef::Missing(String::new()),
            position: Vec3::ZERO,
            rotation_deg: Vec3::ZERO,
            scale: 1.0,
            swap_axes: false,
            clips: [0, 0],
            clip_speed: 1.0,
            clip_blend: 0.0,
            layers: Vec::new(),
            behavior: None,
            face: FaceExpression::None,
            face_weight: 0.0,
            face_more: [0.0; 4],
            morphs: BTreeMap::new(),
            material_variant: None,
            head_left_right: 0.0,
            head_up_down: 0.0,
            look_at_range: 0.0,
            look_at_smile: 0.0,
            navigation: false,
            target: None,
            door: None,
            extra: super::extra::Extra::new(),
        }
    }
}

impl SceneInstance {
    /// World space from model space at the saved position.
    pub fn world_from_model(&self) -> Mat4 {
        placement(self.position, self.rotation_deg, self.scale, self.swap_axes)
    }

    /// World space from model space where it stands at `position` and faces `yaw_rad`, at this scale: as it is in the
    /// world, and not as it was saved.
    pub fn standing_at(&self, position: Vec3, yaw_rad: f32, scale: f32) -> Mat4 {
        self.tilt().standing_at(position, yaw_rad, scale)
    }

    /// How its model is turned besides where it faces.
    pub fn tilt(&self) -> Tilt {
        Tilt { around_x_deg: self.rotation_deg.x, around_z_deg: self.rotation_deg.z, swap_axes: self.swap_axes }
    }

    /// The model entry, unless it is missing.
    pub fn model_id(&self) -> Option<ModelId> {
        match self.model {
            ModelRef::Known(id) => Some(id),
            ModelRef::Missing(_) => None,
        }
    }
}

/// How a model is turned besides where its instance faces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tilt {
    /// About +X, degrees.
    pub around_x_deg: f32,
    /// About +Z, degrees.
    pub around_z_deg: f32,
    /// Whether the model has +Z up.
    pub swap_axes: bool,
}

impl Tilt {
    /// Whether an instance stands upright.
    pub fn is_upright(&self) -> bool {
        self.around_x_deg == 0.0 && self.around_z_deg == 0.0
    }

    /// Height of the origin over the ground on which a thing of these bounds, in model space, stands with its lowest point at
    /// this heading and scale, metres. 0 where its origin is its base: what reaches a little below that, as roots and
    /// foundations do, is meant to be in the ground.
    pub fn origin_height(&self, bounds: &Aabb, yaw_rad: f32, scale: f32) -> f32 {
        if bounds.is_empty() {
            return 0.0;
        }
        let placed = bounds.transformed(&self.standing_at(Vec3::ZERO, yaw_rad, scale));
        let depth = -placed.min.y;
        if depth.is_finite() && depth > MAX_ROOT_SHARE * placed.size().y { depth } else { 0.0 }
    }

    /// World space from model space for an instance at `position` that faces `yaw_rad`, at this scale.
    pub fn standing_at(&self, position: Vec3, yaw_rad: f32, scale: f32) -> Mat4 {
        placement(
            position,
            Vec3::new(self.around_x_deg, yaw_rad.to_degrees(), self.around_z_deg),
            scale,
            self.swap_axes,
        )
    }
}

/// Translation · rotation · axis swap · scale: the order of the original's files.
pub fn placement(position: Vec3, rotation_deg: Vec3, scale: f32, swap_axes: bool) -> Mat4 {
    let r = rotation_deg * (std::f32::consts::PI / 180.0);
    let mut rotation = Quat::from_euler(EulerRot::ZYX, r.z, r.y, r.x);
    if swap_axes {
        rotation *= Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    }
    Mat4::from_scale_rotation_translation(Vec3::splat(scale), rotation, position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x_turns_before_y_before_z() {
        let m = placement(Vec3::ZERO, Vec3::new(90.0, 90.0, 0.0), 2.0, false);
        assert!(m.transform_point3(Vec3::Y).abs_diff_eq(Vec3::X * 2.0, 1e-5));
        let swapped = placement(Vec3::ZERO, Vec3::ZERO, 1.0, true);
        assert!(swapped.transform_point3(Vec3::Z).abs_diff_eq(Vec3::Y, 1e-5));
    }

    #[test]
    fn things_stand_with_their_lowest_point_on_the_ground() {
        let upright = Tilt::default();
        let bounds = |low: f32, high: f32| Aabb::new(Vec3::new(-0.5, low, -0.5), Vec3::new(0.5, high, 0.5));
        assert_eq!(upright.origin_height(&bounds(-1.0, 1.0), 0.0, 2.0), 2.0, "the origin in the middle");
        assert_eq!(upright.origin_height(&bounds(0.0, 2.0), 0.0, 1.0), 0.0, "the origin at the base");
        assert_eq!(upright.origin_height(&bounds(0.3, 2.0), 0.0, 1.0), 0.0, "what hovers goes on hovering");
        assert_eq!(upright.origin_height(&bounds(-0.2, 4.0), 0.0, 1.0), 0.0, "roots are in the ground");
        let on_its_side = Tilt { around_x_deg: 90.0, ..Tilt::default() };
        assert!((on_its_side.origin_height(&bounds(0.0, 3.0), 0.0, 1.0) - 0.5).abs() < 1e-5, "a barrel on its side");
        assert_eq!(upright.origin_height(&Aabb::EMPTY, 0.0, 1.0), 0.0);
    }
}
