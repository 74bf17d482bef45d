//! A camera of the scene.

use crate::camera::direction;
use crate::ids::InstanceId;
use crate::vocab::{CameraKind, Projection};
use glam::Vec3;

/// A camera as it is saved.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneCamera {
    /// Unique name.
    pub name: String,
    /// Kind.
    pub kind: CameraKind,
    /// Position in world space, metres.
    pub position: Vec3,
    /// Azimuth in degrees: 0 looks along -Z, 90 along +X.
    pub azimuth_deg: f32,
    /// Elevation in degrees, -89…89, up positive.
    pub elevation_deg: f32,
    /// Projection.
    pub projection: Projection,
    /// Vertical field of view in degrees.
    pub fov_deg: f32,
    /// Half height of the orthogonal view, metres.
    pub ortho_scale: f32,
    /// The instance it belongs to.
    pub target: Option<InstanceId>,
    /// First person: whether the view turns with the bone.
    pub first_person_lock: bool,
    /// First person: node of the model.
    pub first_person_bone: u32,
    /// First person: offset in the bone's space, metres.
    pub first_person_offset: Vec3,
    /// Third person: distance, metres.
    pub third_person_distance: f32,
    /// Third person: extra height, metres.
    pub third_person_height: f32,
    /// Stationary, following: height of the point looked at above the target's origin, metres.
    pub follow_height: f32,
    /// How it moves by itself.
    pub motion: super::camera_motion::CameraMotion,
    /// Keys of the file that this version does not know, with their values as YAML; saved again.
    pub extra: super::extra::Extra,
}

impl Default for SceneCamera {
    fn default() -> Self {
        Self {
            name: "FreeCam".into(),
            kind: CameraKind::Free,
            position: Vec3::new(5.0, 5.0, 5.0),
            azimuth_deg: 310.0,
            elevation_deg: -15.0,
            projection: Projection::Perspective,
            fov_deg: 60.0,
            ortho_scale: 20.0,
            target: None,
            first_person_lock: false,
            first_person_bone: 0,
            first_person_offset: Vec3::ZERO,
            third_person_distance: 5.0,
            third_person_height: 0.0,
            follow_height: 1.0,
            motion: super::camera_motion::CameraMotion::default(),
            extra: super::extra::Extra::new(),
        }
    }
}

impl SceneCamera {
    /// Unit view direction in world space: (sin az cos el, sin el, -cos az cos el).
    pub fn direction(&self) -> Vec3 {
        direction(self.azimuth_deg.to_radians(), self.elevation_deg.to_radians())
    }

    /// The projection that it shows where it `follows` an instance, or none: those in first and third person follow in
    /// perspective.
    pub fn shown_projection(&self, follows: bool) -> Projection {
        match self.kind {
            CameraKind::FirstPerson | CameraKind::ThirdPerson if follows => Projection::Perspective,
            _ => self.projection,
        }
    }
}
