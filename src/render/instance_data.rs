//! What the device draws of an instance, in 64 bytes: tens of thousands of them are uploaded each frame. The twin of
//! `shaders/shared/placement.wgsl`.

use super::frame::InstanceDraw;
use super::types::{InstanceData, OUTLINE_SHIFT};
use glam::{Mat3, Mat4, Quat, Vec3};

impl InstanceData {
    /// An instance as it stands relative to the eye. Its transform is a rotation with one scale along all axes, below 0 where it mirrors:
    /// of others, the scale along Y counts.
    pub fn new(instance: &InstanceDraw, eye: Vec3, first_skin: u32, outline_kind: u32) -> Self {
        let (scale, rotation) = scale_and_rotation(&instance.world_from_model);
        Self {
            position: (instance.world_from_model.w_axis.truncate() - eye).to_array(),
            scale,
            rotation: rotation.to_array(),
            pick: instance.pick | outline_kind << OUTLINE_SHIFT,
            first_skin,
            tint: unorm_bytes(instance.tint),
            face: unorm_bytes(instance.face),
            named_targets: instance.morphs.target_words(),
            named_weights: instance.morphs.weight_words(),
        }
    }

    /// Places relative to the eye from model space.
    pub fn relative_from_model(&self) -> Mat4 {
        let (rotation, position) = (Quat::from_array(self.rotation), Vec3::from(self.position));
        Mat4::from_scale_rotation_translation(Vec3::splat(self.scale), rotation, position)
    }
}

fn scale_and_rotation(world_from_model: &Mat4) -> (f32, Quat) {
    let axes = Mat3::from_mat4(*world_from_model);
    // What mirrors one axis is a half turn about it and the mirroring of all three.
    let scale = axes.y_axis.length().copysign(axes.determinant());
    let rotation = Quat::from_mat3(&(axes * scale.recip())).normalize();
    (scale, if rotation.is_finite() { rotation } else { Quat::IDENTITY })
}

/// Numbers from 0 to 1 in steps of 1/255, the first in the lowest byte.
fn unorm_bytes(values: [f32; 4]) -> u32 {
    u32::from_le_bytes(values.map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::frame::static_instance;

    #[test]
    fn instances_stand_where_their_matrices_put_them() {
        let turns = [Quat::IDENTITY, Quat::from_rotation_y(std::f32::consts::PI), Quat::from_xyzw(0.5, -0.5, 0.1, 0.7)];
        for turn in turns {
            for scale in [1.0, 0.01, 250.0, -2.0] {
                let place = Vec3::new(50_000.0, 12.5, -60_000.0);
                let m = Mat4::from_scale_rotation_translation(Vec3::splat(scale), turn.normalize(), place);
                let eye = Vec3::new(49_990.0, 2.0, -60_007.0);
                let data = InstanceData::new(&static_instance(m), eye, 0, 0);
                let wanted = Mat4 { w_axis: m.w_axis - eye.extend(0.0), ..m };
                let found = data.relative_from_model();
                assert!(found.abs_diff_eq(wanted, 1e-6 * scale.abs()), "{turn}, {scale}: {found} for {wanted}");
            }
        }
        // Mirrored along one axis.
        let mirror = Mat4::from_scale(Vec3::new(-3.0, 3.0, 3.0));
        let data = InstanceData::new(&static_instance(mirror), Vec3::ZERO, 0, 0);
        assert!(data.scale == -3.0 && data.relative_from_model().abs_diff_eq(mirror, 1e-5), "{data:?}");
        // A large level that is not turned keeps each vertex.
        let level = InstanceData::new(&static_instance(Mat4::from_translation(Vec3::X)), Vec3::ZERO, 0, 0);
        assert_eq!((level.scale, level.rotation), (1.0, [0.0, 0.0, 0.0, 1.0]));
        let flat = InstanceData::new(&static_instance(Mat4::ZERO), Vec3::ZERO, 0, 0);
        assert!(flat.relative_from_model().is_finite() && flat.scale == 0.0);
    }

    #[test]
    fn an_instance_takes_sixty_four_bytes() {
        assert_eq!(size_of::<InstanceData>(), 64);
        let draw = InstanceDraw { tint: [0.0, 1.0, 0.5, f32::NAN], pick: 5, ..static_instance(Mat4::IDENTITY) };
        let data = InstanceData::new(&draw, Vec3::ZERO, 7, 2);
        assert_eq!((data.tint, data.face), (0x0080_ff00, 0));
        assert_eq!((data.pick, data.first_skin), (5 | 2 << OUTLINE_SHIFT, 7));
    }
}
