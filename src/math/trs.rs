//! Translation, rotation, scale.

use glam::{Mat4, Quat, Vec3};

/// A transform applied as scale, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Trs {
    /// Translation in the parent's space, metres.
    pub translation: Vec3,
    /// Unit rotation.
    pub rotation: Quat,
    /// Scale along the local axes; negative components mirror.
    pub scale: Vec3,
}

impl Default for Trs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Trs {
    /// Leaves every point where it is.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// The nearest TRS of an affine matrix; shear is lost. A matrix that cannot be decomposed (zero or
    /// non-finite scale) keeps its translation where finite and gets the identity for the rest.
    #[inline]
    pub fn from_mat4(m: &Mat4) -> Self {
        let determinant = m.determinant();
        let translation = m.w_axis.truncate();
        if !determinant.is_finite() || determinant == 0.0 || !m.is_finite() {
            let translation = if translation.is_finite() { translation } else { Vec3::ZERO };
            return Self { translation, ..Self::IDENTITY };
        }
        let (scale, rotation, translation) = m.to_scale_rotation_translation();
        Self { translation, rotation: rotation.normalize(), scale }
    }

    /// The matrix of this transform.
    #[inline]
    pub fn to_mat4(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Blend of two transforms: linear for translation and scale, shortest-arc spherical for rotation.
    #[inline]
    pub fn blend(&self, other: &Self, weight: f32) -> Self {
        Self {
            translation: self.translation.lerp(other.translation, weight),
            rotation: self.rotation.slerp(other.rotation, weight),
            scale: self.scale.lerp(other.scale, weight),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_round_trip_with_mirrored_scale() {
        let trs = Trs {
            translation: Vec3::new(1.0, 2.0, 3.0),
            rotation: Quat::from_euler(glam::EulerRot::YXZ, 0.4, -0.9, 2.0),
            scale: Vec3::new(-2.0, 0.5, 3.0),
        };
        let m = trs.to_mat4();
        assert!(Trs::from_mat4(&m).to_mat4().abs_diff_eq(m, 1e-5));
    }

    #[test]
    fn singular_matrices_do_not_poison() {
        let t = Trs::from_mat4(&Mat4::from_scale(Vec3::ZERO));
        assert_eq!(t, Trs::IDENTITY);
        assert_eq!(Trs::from_mat4(&Mat4::from_cols_array(&[f32::NAN; 16])), Trs::IDENTITY);
    }
}
