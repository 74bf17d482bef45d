//! Sun and sky of a frame, and the shadow cascades fitted to its view.

use super::frame::CameraFrame;
use super::types::MAX_CASCADES;
use crate::math::Frustum;
use crate::scene::Environment;
use glam::{Mat4, Vec3, Vec4};

/// Radiance of a sun of intensity 1 at noon.
const SUN_RADIANCE: f32 = 3.0;

/// Radiance of the moon, which stands opposite of a sun below the horizon, at this height.
const MOON_RADIANCE: Vec3 = Vec3::new(0.26, 0.33, 0.5);
const MOON_ELEVATION_RAD: f32 = 0.6;

/// How far behind a cascade's sphere, towards the sun, things still cast shadows into it, metres.
const CASTER_REACH: f32 = 160.0;

/// Light of a frame. Colours are linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Unit direction to the sun, at night to the moon.
    pub to_sun: Vec3,
    /// 0 night … 1 day.
    pub daylight: f32,
    /// Radiance of the sun or moon.
    pub sun: Vec3,
    /// Ambient light from above.
    pub sky: Vec3,
    /// Ambient light from below.
    pub ground: Vec3,
}

impl Light {
    /// The light of an environment. East is +X, north is -Z. Values that are no numbers count as 0.
    pub fn new(environment: &Environment) -> Self {
        let finite = |x: f32| if x.is_finite() { x } else { 0.0 };
        let turn = finite(environment.light_east_west_deg).to_radians();
        let elevation = finite(environment.light_north_south_deg).to_radians();
        let to_sun = Vec3::new(turn.cos() * elevation.cos(), elevation.sin(), -turn.sin() * elevation.cos())
            .normalize_or(Vec3::Y);
        let intensity = finite(environment.light_intensity).clamp(0.0, 4.0);
        let daylight = smoothstep(-0.12, 0.18, to_sun.y);
        let low = 1.0 - smoothstep(0.02, 0.4, to_sun.y);
        let warmth = Vec3::ONE.lerp(Vec3::new(1.0, 0.62, 0.34), low);
        let above_horizon = smoothstep(-0.06, 0.06, to_sun.y);
        let color = Vec3::from(environment.light_color.map(|c| finite(c).clamp(0.0, 4.0)));
        let sun = color * warmth * (SUN_RADIANCE * intensity * above_horizon);
        let strength = (0.25 + 0.75 * intensity) * (0.06 + 0.94 * daylight);
        // The moon comes when nothing of the sun is left.
        let night = 1.0 - smoothstep(-0.2, -0.1, to_sun.y);
        if night > 0.0 {
            let (up, ahead) = MOON_ELEVATION_RAD.sin_cos();
            return Self {
                to_sun: Vec3::new(-turn.cos() * ahead, up, turn.sin() * ahead),
                daylight: 0.0,
                sun: MOON_RADIANCE * (intensity * night),
                sky: Vec3::new(0.3, 0.42, 0.75) * (strength * (1.0 + 2.5 * night)),
                ground: Vec3::new(0.2, 0.22, 0.3) * (strength * (1.0 + 2.5 * night)),
            };
        }
        Self {
            to_sun,
            daylight: daylight * intensity.clamp(0.15, 1.0),
            sun,
            sky: Vec3::new(0.62, 0.78, 1.05) * strength,
            ground: Vec3::new(0.42, 0.36, 0.29) * strength + sun * 0.02,
        }
    }
}

fn smoothstep(from: f32, to: f32, x: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// One shadow map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cascade {
    /// Texture space (x right, y down, depth from the sun, all 0…1) from world space.
    pub texture_from_world: Mat4,
    /// Width of a texel, metres.
    pub texel: f32,
}

impl Cascade {
    /// What it sees.
    pub fn frustum(&self) -> Frustum {
        let clip_from_texture = Mat4::from_cols(
            Vec4::new(2.0, 0.0, 0.0, 0.0),
            Vec4::new(0.0, -2.0, 0.0, 0.0),
            Vec4::new(0.0, 0.0, 1.0, 0.0),
            Vec4::new(-1.0, 1.0, 0.0, 1.0),
        );
        Frustum::from_clip(&(clip_from_texture * self.texture_from_world))
    }
}

/// Fits shadow maps of `map_px` texels to the view, the last ending `distance` metres from the eye. Each holds the
/// bounding sphere of its part of the view and moves in whole texels, so that shadows do not swim when the camera
/// moves or turns.
pub fn fit_cascades(camera: &CameraFrame, to_sun: Vec3, count: usize, distance: f32, map_px: u32) -> Vec<Cascade> {
    let count = count.clamp(1, MAX_CASCADES);
    let perspective = camera.near > 0.0;
    let (start, end) = if perspective {
        (camera.near, distance.min(camera.far))
    } else {
        (camera.near.max(-distance), camera.far.min(distance))
    };
    let count = if perspective { count } else { 1 };
    (0..count)
        .map(|i| {
            // Each cascade reaches about three times as far as the one before.
            let reach = |i: usize| end * 0.3_f32.powi((count - i) as i32);
            let from = if i == 0 { start } else { reach(i).max(start) };
            let (center, radius) = slice_sphere(camera, from, reach(i + 1).max(from + 0.1));
            fit_sphere(center, radius, to_sun, map_px)
        })
        .collect()
}

/// A sphere around the part of the view between two distances from the eye plane.
fn slice_sphere(camera: &CameraFrame, from: f32, to: f32) -> (Vec3, f32) {
    let world_from_clip = (camera.clip_from_view * camera.view_from_world).inverse();
    let depth = camera.far - camera.near;
    let mut corners = [Vec3::ZERO; 8];
    for (i, corner) in corners.iter_mut().enumerate() {
        let x = if i & 1 == 0 { -1.0 } else { 1.0 };
        let y = if i & 2 == 0 { -1.0 } else { 1.0 };
        let near = world_from_clip.project_point3(Vec3::new(x, y, 0.0));
        let far = world_from_clip.project_point3(Vec3::new(x, y, 1.0));
        let at = if i & 4 == 0 { from } else { to };
        *corner = near.lerp(far, (at - camera.near) / depth);
    }
    let near_middle = (corners[0] + corners[3]) * 0.5;
    let far_middle = (corners[4] + corners[7]) * 0.5;
    let axis = (far_middle - near_middle).normalize_or(Vec3::NEG_Z);
    let (near_half, far_half) = ((corners[0] - near_middle).length(), (corners[7] - far_middle).length());
    let long = (far_middle - near_middle).length().max(1e-3);
    // The point on the axis that is equally far from near and far corners, if it lies between them.
    let along = ((long * long + far_half * far_half - near_half * near_half) / (2.0 * long)).clamp(0.0, long);
    let center = near_middle + axis * along;
    let radius = corners.iter().map(|c| c.distance(center)).fold(0.0, f32::max);
    (center, if radius.is_finite() { radius } else { 50.0 })
}

fn fit_sphere(center: Vec3, radius: f32, to_sun: Vec3, map_px: u32) -> Cascade {
    // Rounded up, so that noise in the radius does not change the texels.
    let radius = (radius * 8.0).ceil() / 8.0 + 0.125;
    let texel = 2.0 * radius / map_px as f32;
    let side = if to_sun.y.abs() > 0.99 { Vec3::Z } else { Vec3::Y };
    let right = side.cross(to_sun).normalize();
    let up = to_sun.cross(right);
    let snap = |x: f32| (x / texel).round() * texel;
    let (x, y, z) = (snap(center.dot(right)), snap(center.dot(up)), snap(center.dot(to_sun)));
    let (near, far) = (z + radius + CASTER_REACH, z - radius);
    let (sx, sz) = (0.5 / radius, -1.0 / (near - far));
    let rows =
        [(right * sx).extend(0.5 - x * sx), (up * -sx).extend(0.5 + y * sx), (to_sun * sz).extend(-near * sz), Vec4::W];
    Cascade { texture_from_world: Mat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose(), texel }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Lens, View};

    fn camera(position: Vec3, direction: Vec3) -> CameraFrame {
        (&View::new(position, direction, Lens::Perspective { fov_rad: 1.0 }, 1.6)).into()
    }

    #[test]
    fn what_is_seen_lies_in_a_cascade() {
        let camera = camera(Vec3::new(3.0, 2.0, 8.0), Vec3::new(0.3, -0.2, -1.0));
        let to_sun = Vec3::new(0.5, 0.7, 0.2).normalize();
        let cascades = fit_cascades(&camera, to_sun, 3, 90.0, 1024);
        let world_from_view = camera.view_from_world.inverse();
        for distance in [0.5, 3.0, 12.0, 40.0, 85.0] {
            let point = world_from_view.transform_point3(Vec3::new(0.2, -0.1, -1.0) * distance);
            let inside = cascades.iter().any(|c| {
                let p = c.texture_from_world.transform_point3(point);
                p.cmpgt(Vec3::ZERO).all() && p.cmplt(Vec3::ONE).all()
            });
            assert!(inside, "nothing holds the point at {distance} m");
        }
        assert!(cascades[0].texel < cascades[1].texel && cascades[1].texel < cascades[2].texel);
    }

    #[test]
    fn shadows_move_in_whole_texels() {
        let to_sun = Vec3::new(0.5, 0.7, 0.2).normalize();
        let at = |x: f32| {
            let c = fit_cascades(&camera(Vec3::new(x, 2.0, 8.0), Vec3::NEG_Z), to_sun, 1, 60.0, 1024)[0];
            (c.texture_from_world.transform_point3(Vec3::ZERO) * 1024.0, c.texel)
        };
        let (a, texel_a) = at(0.0);
        let (b, texel_b) = at(0.337);
        assert_eq!(texel_a, texel_b);
        let moved = b - a;
        assert!((moved.x - moved.x.round()).abs() < 0.02 && (moved.y - moved.y.round()).abs() < 0.02, "{moved}");
    }

    #[test]
    fn nearer_to_the_sun_is_less_deep() {
        let c = fit_sphere(Vec3::ZERO, 10.0, Vec3::Y, 256);
        let depth = |y: f32| c.texture_from_world.transform_point3(Vec3::Y * y).z;
        assert!(depth(5.0) < depth(-5.0));
        assert!(depth(150.0) > 0.0 && depth(-10.0) <= 1.0);
    }

    #[test]
    fn strange_environments_give_finite_light() {
        let environment =
            Environment { light_east_west_deg: f32::NAN, light_intensity: f32::INFINITY, ..Environment::default() };
        let light = Light::new(&environment);
        assert!(light.sun.is_finite() && light.to_sun.is_normalized());
        let night = Light::new(&Environment { light_north_south_deg: -40.0, ..Environment::default() });
        assert_eq!(night.daylight, 0.0);
        assert!(night.to_sun.y > 0.3 && night.sun.max_element() < 0.2 * SUN_RADIANCE, "the moon shines from above");
    }

    #[test]
    fn dusk_has_no_jump() {
        let at = |deg: f32| Light::new(&Environment { light_north_south_deg: deg, ..Environment::default() });
        for i in 0..400 {
            let (a, b) = (at(i as f32 * 0.1 - 20.0), at(i as f32 * 0.1 - 19.9));
            for (a, b) in [(a.sun, b.sun), (a.sky, b.sky), (a.ground, b.ground)] {
                assert!((a - b).abs().max_element() < 0.08, "at {} degrees: {a} {b}", i as f32 * 0.1 - 20.0);
            }
            // The light changes its side only while there is none.
            assert!(a.to_sun.dot(b.to_sun) > 0.99 || a.sun.max(b.sun).max_element() < 0.01);
        }
    }
}
