//! The uniforms that all passes of a frame share.

use super::frame::FrameData;
use super::lamps::FrameLamps;
use super::light::{Cascade, Light};
use super::types::{FrameUniforms, MAX_CASCADES};
use glam::{Mat4, Vec3, Vec4};

/// Computes the uniforms of a frame. `cascades` beyond [`MAX_CASCADES`] are left out.
pub fn frame_uniforms(frame: &FrameData, light: &Light, cascades: &[Cascade], lamps: &FrameLamps) -> FrameUniforms {
    let camera = &frame.camera;
    // Reversed depth, 1 near and 0 far: with floating-point depth this distributes precision evenly.
    let reversed = Mat4::from_cols(Vec4::X, Vec4::Y, Vec4::NEG_Z, Vec4::new(0.0, 0.0, 1.0, 1.0));
    let clip_from_world = reversed * camera.clip_from_view * camera.view_from_world;
    // The view without its translation: coordinates of kilometres would leave no digits for the pixels of a near plane.
    let view_from_relative = Mat4 { w_axis: Vec4::W, ..camera.view_from_world };
    let relative_from_clip = (reversed * camera.clip_from_view * view_from_relative).inverse();
    let mut shadow_from_world = [Mat4::IDENTITY.to_cols_array_2d(); MAX_CASCADES];
    let mut shadow_texel = [0.0; 4];
    for (i, cascade) in cascades.iter().take(MAX_CASCADES).enumerate() {
        shadow_from_world[i] = cascade.texture_from_world.to_cols_array_2d();
        shadow_texel[i] = cascade.texel;
    }
    shadow_texel[3] = cascades.len().min(MAX_CASCADES) as f32;
    let perspective = camera.is_perspective();
    let density = frame.environment.fog_density;
    let density = if density.is_finite() && perspective { density.clamp(0.0, 1.0) } else { 0.0 };
    let view_direction = camera.view_from_world.inverse().transform_vector3(Vec3::NEG_Z).normalize_or(Vec3::NEG_Z);
    let [width, height] = frame.size_px.map(|v| v as f32);
    // Overlays come nearer by a fraction of their distance, or by five centimetres.
    let overlay_bias = if perspective { [1.003, 0.0] } else { [1.0, 0.05 / (camera.far - camera.near)] };
    FrameUniforms {
        clip_from_world: clip_from_world.to_cols_array_2d(),
        relative_from_clip: relative_from_clip.to_cols_array_2d(),
        shadow_from_world,
        eye: camera.position.extend(f32::from(u8::from(perspective))).to_array(),
        sun_direction: light.to_sun.extend(light.daylight).to_array(),
        sun_color: light.sun.extend(f32::from(u8::from(frame.environment.sky_enabled))).to_array(),
        ambient_sky: light.sky.extend(0.0).to_array(),
        ambient_ground: light.ground.extend(lamps.night).to_array(),
        shadow_texel,
        size_px: [width, height, 1.0 / width, 1.0 / height],
        view_direction: view_direction.extend(0.0).to_array(),
        fog: light.fog.extend(density).to_array(),
        overlay_bias: [overlay_bias[0], overlay_bias[1], 0.0, 0.0],
        lamp_grid_place: lamps.grid_place,
        lamps: lamps.lamps,
        lamp_grid: lamps.grid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Lens, View};
    use crate::render::types::LAMPS_PER_CELL;

    #[test]
    fn depth_is_one_near_and_zero_far() {
        let view = View::new(Vec3::ZERO, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, 1.5);
        let frame = FrameData::of_sky([300, 200], &view);
        let dark = FrameLamps::new(LAMPS_PER_CELL, std::iter::empty(), Vec3::ZERO, 1.0);
        let values = frame_uniforms(&frame, &Light::new(&frame.environment), &[], &dark);
        let clip = Mat4::from_cols_array_2d(&values.clip_from_world);
        assert!((clip.project_point3(Vec3::NEG_Z * view.near).z - 1.0).abs() < 1e-3);
        assert!(clip.project_point3(Vec3::NEG_Z * 1e6).z.abs() < 1e-3);
        assert_eq!(values.shadow_texel[3], 0.0);
    }

    #[test]
    fn kilometres_from_the_origin_directions_stay_precise() {
        let eye = Vec3::new(10_000.0, 20.0, -9_000.0);
        for lens in [Lens::Perspective { fov_rad: 1.0 }, Lens::Orthogonal { half_height: 20.0 }] {
            let frame = FrameData::of_sky([300, 200], &View::new(eye, Vec3::new(0.3, -0.1, -1.0), lens, 1.5));
            let dark = FrameLamps::new(LAMPS_PER_CELL, std::iter::empty(), Vec3::ZERO, 1.0);
            let values = frame_uniforms(&frame, &Light::new(&frame.environment), &[], &dark);
            let relative = Mat4::from_cols_array_2d(&values.relative_from_clip);
            for (x, y) in [(0.0, 0.0), (-1.0, 1.0), (0.7, -0.4)] {
                // As in `shaders/shared/dome.wgsl`.
                let [near, deep] = [1.0, 0.5].map(|depth| relative.project_point3(Vec3::new(x, y, depth)));
                let (seen, wanted) = ((deep - near).normalize(), frame.camera.ray(x, y).direction.normalize());
                assert!(seen.abs_diff_eq(wanted, 1e-4), "{lens:?}: {seen} instead of {wanted}");
            }
        }
    }
}
