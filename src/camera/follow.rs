//! Cameras that belong to a character: first person, third person, and a fixed one that looks at it.

use super::angles::direction;
use crate::math::angle::direction_of_yaw;
use glam::{Mat4, Vec3};

/// The character that a camera belongs to, as it is drawn in this frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// Its origin, between the feet, in world space.
    pub position: Vec3,
    /// Its heading about +Y in radians; 0 faces +Z.
    pub yaw_rad: f32,
}

/// Settings of a third-person camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThirdPerson {
    /// Distance behind the character, metres.
    pub distance: f32,
    /// Height added to the eye and the point looked at, metres.
    pub height: f32,
}

impl ThirdPerson {
    /// Eye and view direction: behind the character, as far up as back, looking at it.
    pub fn eye(&self, target: &Target) -> (Vec3, Vec3) {
        let back = -direction_of_yaw(target.yaw_rad);
        let looked_at = target.position + Vec3::Y * self.height;
        let eye = looked_at + (back + Vec3::Y) * self.distance * std::f32::consts::FRAC_1_SQRT_2;
        (eye, looked_at - eye)
    }
}

/// Settings of a first-person camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstPerson {
    /// Offset in the bone's space, metres.
    pub offset: Vec3,
    /// Whether the view turns with the bone; else azimuth and elevation are the camera's own.
    pub locked: bool,
    /// Own azimuth, radians.
    pub azimuth_rad: f32,
    /// Own elevation, radians.
    pub elevation_rad: f32,
}

impl FirstPerson {
    /// Eye and view direction from the bone's matrix: world space from bone space, looking along its +Z when locked.
    pub fn eye(&self, world_from_bone: &Mat4) -> (Vec3, Vec3) {
        let eye = world_from_bone.transform_point3(self.offset);
        let view = if self.locked {
            world_from_bone.transform_vector3(Vec3::Z)
        } else {
            direction(self.azimuth_rad, self.elevation_rad)
        };
        (eye, view)
    }
}

/// View direction of a fixed camera at `eye` that looks at a character, `height` metres above its origin.
pub fn look_at(eye: Vec3, target: &Target, height: f32) -> Vec3 {
    target.position + Vec3::Y * height - eye
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Target = Target { position: Vec3::new(1.0, 0.0, 2.0), yaw_rad: 0.0 };

    #[test]
    fn third_person_stands_behind_and_looks_down_45_degrees() {
        let (eye, view) = ThirdPerson { distance: 5.0, height: 1.0 }.eye(&TARGET);
        assert!(eye.z < TARGET.position.z, "facing +Z, behind is -Z");
        assert!((eye.distance(TARGET.position + Vec3::Y) - 5.0).abs() < 1e-5);
        let view = view.normalize();
        assert!((view.y + std::f32::consts::FRAC_1_SQRT_2).abs() < 1e-5 && view.z > 0.0);
    }

    #[test]
    fn first_person_turns_with_the_bone_only_when_locked() {
        let bone = Mat4::from_rotation_translation(glam::Quat::from_rotation_y(1.0), Vec3::Y * 1.7);
        let mut camera = FirstPerson { offset: Vec3::Z * 0.1, locked: true, azimuth_rad: 0.0, elevation_rad: 0.0 };
        let (eye, view) = camera.eye(&bone);
        assert!(view.abs_diff_eq(direction_of_yaw(1.0), 1e-5));
        assert!((eye.y - 1.7).abs() < 1e-6);
        camera.locked = false;
        assert!(camera.eye(&bone).1.abs_diff_eq(Vec3::NEG_Z, 1e-6));
    }

    #[test]
    fn following_cameras_look_at_their_target() {
        let view = look_at(Vec3::new(1.0, 5.0, 2.0), &TARGET, 1.0);
        assert_eq!(view, Vec3::NEG_Y * 4.0);
    }
}
