//! The uniforms that all passes of a frame share.

use super::frame::FrameData;
use super::lamps::FrameLamps;
use super::light::{Cascade, Light};
use super::types::{FrameUniforms, LampData, MAX_CASCADES};
use glam::{Mat4, Vec3, Vec4};

/// Computes the uniforms of a frame. `cascades` beyond [`MAX_CASCADES`] are left out.
pub fn frame_uniforms(frame: &FrameData, light: &Light, cascades: &[Cascade], lamps: &FrameLamps) -> FrameUniforms {
    let camera = &frame.camera;
    // Reversed depth, 1 near and 0 far: with floating-point depth this distributes precision evenly.
    let reversed = Mat4::from_cols(Vec4::X, Vec4::Y, Vec4::NEG_Z, Vec4::new(0.0, 0.0, 1.0, 1.0));
    let clip_from_relative = reversed * camera.clip_from_relative();
    let mut shadow_from_relative = [Mat4::IDENTITY.to_cols_array_2d(); MAX_CASCADES];
    let mut shadow_texel = [0.0; 4];
    for (i, cascade) in cascades.iter().take(MAX_CASCADES).enumerate() {
        shadow_from_relative[i] = cascade.texture_from_relative.to_cols_array_2d();
        shadow_texel[i] = cascade.texel;
    }
    shadow_texel[3] = cascades.len().min(MAX_CASCADES) as f32;
    let perspective = camera.is_perspective();
    let density = frame.environment.fog_density;
    let density = if density.is_finite() && perspective { density.clamp(0.0, 1.0) } else { 0.0 };
    let view_direction = camera.view_from_relative().inverse().transform_vector3(Vec3::NEG_Z).normalize_or(Vec3::NEG_Z);
    let eye = camera.position;
    let [grid_x, grid_z, cells_per_metre, per_cell] = lamps.grid_place;
    let [width, height] = frame.size_px.map(|v| v as f32);
    // Overlays come nearer by a fraction of their distance, or by five centimetres.
    let overlay_bias = if perspective { [1.003, 0.0] } else { [1.0, 0.05 / (camera.far - camera.near)] };
    FrameUniforms {
        clip_from_relative: clip_from_relative.to_cols_array_2d(),
        relative_from_clip: clip_from_relative.inverse().to_cols_array_2d(),
        shadow_from_relative,
        sun_direction: light.to_sun.extend(light.daylight).to_array(),
        sun_color: light.sun.extend(f32::from(u8::from(frame.environment.sky_enabled))).to_array(),
        ambient_sky: light.sky.extend(0.0).to_array(),
        ambient_ground: light.ground.extend(lamps.night).to_array(),
        shadow_texel,
        size_px: [width, height, 1.0 / width, 1.0 / height],
        view_direction: view_direction.extend(f32::from(u8::from(perspective))).to_array(),
        fog: light.fog.extend(density).to_array(),
        overlay_bias: [overlay_bias[0], overlay_bias[1], 0.0, 0.0],
        lamp_grid_place: [grid_x - eye.x, grid_z - eye.z, cells_per_metre, per_cell],
        lamps: lamps
            .lamps
            .map(|lamp| LampData { place: (Vec4::from(lamp.place) - eye.extend(0.0)).to_array(), ..lamp }),
        lamp_grid: lamps.grid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Lens, View};
    use crate::render::frame::CameraFrame;
    use crate::render::lamps::{Lamp, lamp_focus};
    use crate::render::light::fit_cascades;
    use crate::render::types::LAMPS_PER_CELL;
    use crate::vocab::DayPreset;

    #[test]
    fn depth_is_one_near_and_zero_far() {
        let view = View::new(Vec3::ZERO, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, 1.5);
        let frame = FrameData::of_sky([300, 200], &view);
        let dark = FrameLamps::new(LAMPS_PER_CELL, std::iter::empty(), Vec3::ZERO, 1.0);
        let values = frame_uniforms(&frame, &Light::new(&frame.environment), &[], &dark);
        let clip = Mat4::from_cols_array_2d(&values.clip_from_relative);
        assert!((clip.project_point3(Vec3::NEG_Z * view.near).z - 1.0).abs() < 1e-3);
        assert!(clip.project_point3(Vec3::NEG_Z * 1e6).z.abs() < 1e-3);
        assert_eq!(values.shadow_texel[3], 0.0);
    }

    #[test]
    fn far_from_the_origin_places_fall_on_the_same_pixels() {
        let direction = Vec3::new(0.3, -0.1, -1.0);
        let lamps = [Lamp { position: Vec3::new(3.0, 2.0, -9.0), color: Vec3::ONE }];
        let from_origin = Vec3::new(1.25, 2.5, 4.0);
        let at = |origin: Vec3| {
            let eye = origin + from_origin;
            let lens = Lens::Perspective { fov_rad: 1.0 };
            let mut frame = FrameData::of_sky([300, 200], &View::new(eye, direction, lens, 1.5));
            frame.environment.apply_preset(DayPreset::Midnight);
            let light = Light::new(&frame.environment);
            let placed = [(lamps.as_slice(), Mat4::from_translation(origin))].into_iter();
            let lamps = FrameLamps::new(LAMPS_PER_CELL, placed, lamp_focus(&frame.camera), light.daylight);
            let cascades = fit_cascades(&frame.camera, light.to_sun, 3, 0.0..90.0, 1024);
            (frame_uniforms(&frame, &light, &cascades, &lamps), frame.camera)
        };
        let place = Vec3::new(2.5, 1.0, -6.0);
        // Single precision holds quarters of a metre there: the scene is the same, only elsewhere.
        let away = Vec3::new(50_000.0, 0.0, -60_000.0);
        let (near, far) = (at(Vec3::ZERO), at(away));
        let seen = |(values, camera): &(FrameUniforms, CameraFrame), origin: Vec3| {
            let relative = (origin + place) - camera.position;
            Mat4::from_cols_array_2d(&values.clip_from_relative).project_point3(relative)
        };
        let (a, b) = (seen(&near, Vec3::ZERO), seen(&far, away));
        assert!(a.abs_diff_eq(b, 1e-6), "{a} and {b}");
        assert!(near.0.lamps[0].color[0] > 0.0 && near.0.lamps[0].place == far.0.lamps[0].place);
        // Shadow maps move in whole texels of the world, so that a cascade may lie up to a texel aside.
        for cascade in 0..3 {
            let [a, b] = [&near.0, &far.0].map(|values| {
                let texture = Mat4::from_cols_array_2d(&values.shadow_from_relative[cascade]);
                texture.transform_point3(place - from_origin)
            });
            assert!((a - b).abs().truncate().max_element() <= 1.01 / 1024.0, "cascade {cascade}: {a} and {b}");
        }
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
