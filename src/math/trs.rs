//! Translation, rotation, scale.

use glam::{Mat3, Mat4, Quat, Vec3};

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

    /// The nearest TRS of an affine matrix; shear is lost. A matrix that is not finite keeps its translation where finite
    /// and gets the identity for the rest.
    #[inline]
    pub fn from_mat4(m: &Mat4) -> Self {
        let determinant = m.determinant();
        let translation = m.w_axis.truncate();
        if !determinant.is_finite() || !m.is_finite() {
            let translation = if translation.is_finite() { translation } else { Vec3::ZERO };
            return Self { translation, ..Self::IDENTITY };
        }
        if determinant == 0.0 {
            return Self::flattening(m);
        }
        let (scale, rotation, translation) = m.to_scale_rotation_translation();
        Self { translation, rotation: rotation.normalize(), scale }
    }

    /// The nearest TRS of a finite matrix that flattens: the axes that are left tell the rotation.
    fn flattening(m: &Mat4) -> Self {
        let columns = [m.x_axis, m.y_axis, m.z_axis].map(|axis| axis.truncate());
        let mut by_length = [0, 1, 2];
        by_length.sort_by(|&a, &b| columns[b].length().total_cmp(&columns[a].length()));
        let [long, middle, short] = by_length;
        let first = columns[long].try_normalize().unwrap_or(Vec3::AXES[long]);
        let aside = columns[middle] - first * columns[middle].dot(first);
        // Where nothing of it is left, its own axis as far as it points aside, else any.
        let own = Vec3::AXES[middle] - first * Vec3::AXES[middle].dot(first);
        let second = aside.try_normalize().or_else(|| own.try_normalize()).unwrap_or(first.any_orthonormal_vector());
        let is_cyclic = (long + 1) % 3 == middle;
        let mut axes = [Vec3::ZERO; 3];
        axes[long] = first;
        axes[middle] = second;
        axes[short] = if is_cyclic { first.cross(second) } else { second.cross(first) };
        let scale = Vec3::from_array(std::array::from_fn(|i| columns[i].dot(axes[i])));
        let rotation = Quat::from_mat3(&Mat3::from_cols(axes[0], axes[1], axes[2])).normalize();
        Self { translation: m.w_axis.truncate(), rotation, scale }
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
        let nothing = Trs { translation: Vec3::ONE, scale: Vec3::ZERO, ..Trs::IDENTITY };
        assert_eq!(Trs::from_mat4(&nothing.to_mat4()), nothing);
        for scale in [Vec3::new(2.0, 0.0, 1.0), Vec3::new(0.0, 3.0, 0.0), Vec3::new(0.0, 0.0, -1.0), Vec3::splat(1e-20)]
        {
            let rotation = Quat::from_euler(glam::EulerRot::YXZ, 0.4, -0.9, 2.0);
            let flat = Trs { translation: Vec3::X, rotation, scale }.to_mat4();
            assert!(Trs::from_mat4(&flat).to_mat4().abs_diff_eq(flat, 1e-6), "{scale}: {:?}", Trs::from_mat4(&flat));
        }
        assert_eq!(Trs::from_mat4(&Mat4::from_cols_array(&[f32::NAN; 16])), Trs::IDENTITY);
    }
}
