//! Sun and sky of a frame, and the shadow cascades fitted to its view.

use super::frame::CameraFrame;
use super::types::MAX_CASCADES;
use crate::asset::SkyPicture;
use crate::math::{Aabb, Frustum};
use crate::scene::Environment;
use glam::{Mat4, Vec2, Vec3, Vec4};
use std::ops::Range;

/// Radiance of a white light of intensity 1.
const SUN_RADIANCE: f32 = 3.0;
/// Factor on the light at night, for dark adaptation.
const NIGHT_GAIN: f32 = 3.0;
/// Luminance (ITU-R BT.709) of colour times intensity below which it is night, and from which it is day.
const NIGHT_LUMINANCE: f32 = 0.05;
const DAY_LUMINANCE: f32 = 0.3;
/// Ambient light from a white picture of the sky, under white light of intensity 1.
const PICTURE_RADIANCE: f32 = 1.6;
const LUMINANCE: Vec3 = Vec3::new(0.2126, 0.7152, 0.0722);

/// Distance from a cascade's sphere towards the sun within which casters are included, metres.
const CASTER_REACH: f32 = 160.0;
/// Distance beyond a cascade's sphere, away from the sun, within which receivers look their shadows up in it, metres.
const RECEIVER_REACH: f32 = 160.0;
/// Part of a shadow map at its edges in which receivers may look their shadows up in the next map: shaders read up to 0.005, and a filter's
/// reach aside.
const HELD_MARGIN: f32 = 0.02;

/// Light of a frame. Colours are linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Unit direction to the sun, or to the moon at night.
    pub to_sun: Vec3,
    /// 0 night … 1 day.
    pub daylight: f32,
    /// Radiance of the sun or moon.
    pub sun: Vec3,
    /// Ambient light from above.
    pub sky: Vec3,
    /// Ambient light from below.
    pub ground: Vec3,
    /// Colour in which fog is shown: a quarter of colour × intensity of the light. The plain background has twice that.
    pub fog: Vec3,
}

impl Light {
    /// The light of an environment. Values that are not finite count as 0.
    pub fn new(environment: &Environment) -> Self {
        let in_range = |x: f32| if x.is_finite() { x.clamp(0.0, 4.0) } else { 0.0 };
        let to_sun = environment.to_light();
        let intensity = in_range(environment.light_intensity);
        let color = Vec3::from(environment.light_color.map(in_range));
        let light = color * intensity;
        let day = smoothstep(NIGHT_LUMINANCE, DAY_LUMINANCE, light.dot(LUMINANCE)) * smoothstep(-0.12, 0.1, to_sun.y);
        let above_horizon = smoothstep(-0.06, 0.06, to_sun.y);
        let sun = light * (SUN_RADIANCE * above_horizon * (1.0 + NIGHT_GAIN * (1.0 - day)));
        // The sky takes up strong colours of the light in part.
        let brightest = color.max_element().max(1e-6);
        let saturation = 1.0 - color.min_element() / brightest;
        let tint = Vec3::ONE.lerp(color / brightest, 0.5 * smoothstep(0.3, 0.9, saturation));
        let by_day = 0.25 + 0.75 * intensity;
        let by_night = 0.15 + 0.6 * intensity.min(1.0);
        let mixed = |night: Vec3, at_day: Vec3| (night * by_night).lerp(at_day * tint * by_day, day);
        Self {
            to_sun,
            daylight: day * intensity.clamp(0.15, 1.0),
            sun,
            sky: mixed(Vec3::new(0.3, 0.42, 0.75), Vec3::new(0.62, 0.78, 1.05)),
            ground: mixed(Vec3::new(0.2, 0.22, 0.3), Vec3::new(0.42, 0.36, 0.29)) + sun * 0.02,
            fog: light * 0.25,
        }
    }

    /// This light with the ambient term taken from a sky picture, tinted by the light's colour.
    pub fn under(self, sky: &SkyPicture) -> Self {
        let light = self.fog * 4.0;
        let ground = sky.below * light * PICTURE_RADIANCE + self.sun * 0.02;
        Self { sky: sky.above * light * PICTURE_RADIANCE, ground, ..self }
    }
}

/// Cubic ease over a range.
fn smoothstep(from: f32, to: f32, x: f32) -> f32 {
    crate::math::smoothstep((x - from) / (to - from))
}

/// One shadow map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cascade {
    /// Texture space (x right, y down, depth from the sun, all 0…1) from places relative to the eye.
    pub texture_from_relative: Mat4,
    /// Width of a texel, metres.
    pub texel: f32,
}

impl Cascade {
    /// The same map for boxes of another space.
    pub fn in_space(&self, relative_from_space: &Mat4) -> Self {
        Self { texture_from_relative: self.texture_from_relative * *relative_from_space, ..*self }
    }

    /// Whether all that something in this box may shade looks its shadow up here or in a cascade before: along the rays of the sun all of it
    /// lies inside of the map.
    pub fn holds_shadows_of(&self, bounds: &Aabb) -> bool {
        let Aabb { min, max } = bounds.transformed(&self.texture_from_relative);
        min.z > 0.0
            && min.truncate().cmpgt(Vec2::splat(HELD_MARGIN)).all()
            && max.truncate().cmplt(Vec2::splat(1.0 - HELD_MARGIN)).all()
    }

    /// Its view frustum, relative to the eye.
    pub fn frustum(&self) -> Frustum {
        let clip_from_texture = Mat4::from_cols(
            Vec4::new(2.0, 0.0, 0.0, 0.0),
            Vec4::new(0.0, -2.0, 0.0, 0.0),
            Vec4::new(0.0, 0.0, 1.0, 0.0),
            Vec4::new(-1.0, 1.0, 0.0, 1.0),
        );
        Frustum::from_clip(&(clip_from_texture * self.texture_from_relative))
    }
}

/// Where shadows fall: what casts none into the picture is left out of the shadow maps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowFall {
    /// Way of the light along a metre of its rays, in the space of the boxes.
    from_sun: Vec3,
    /// Gradient of the height, per unit of that space.
    up: Vec3,
    /// Height of the lowest place that shadows fall on, metres.
    floor: f32,
}

impl ShadowFall {
    /// Shadows of a sun in this direction (a unit vector), on nothing that lies below the `floor`, in metres; negative infinity where that is
    /// not known.
    pub fn new(to_sun: Vec3, floor: f32) -> Self {
        Self { from_sun: -to_sun, up: Vec3::Y, floor }
    }

    /// The same in another space, for boxes given there.
    pub fn in_space(&self, fall_from_space: &Mat4) -> Self {
        let up = fall_from_space.transpose().transform_vector3(self.up);
        let from_sun = fall_from_space.inverse().transform_vector3(self.from_sun);
        Self { from_sun, up, floor: self.floor - self.up.dot(fall_from_space.w_axis.truncate()) }
    }

    /// A box around a caster and all that its shadow may fall on.
    pub fn shaded_by(&self, caster: &Aabb) -> Aabb {
        let highest = Vec3::select(self.up.cmpge(Vec3::ZERO), caster.max, caster.min);
        let (drop, per_metre) = (self.up.dot(highest) - self.floor, -self.up.dot(self.from_sun));
        let length = if per_metre > 0.0 { (drop / per_metre).clamp(0.0, CASTER_REACH) } else { CASTER_REACH };
        let way = self.from_sun * length;
        caster.union(&Aabb::new(caster.min + way, caster.max + way))
    }
}

/// The depths in front of the eye plane between which shadows matter: up to `distance` metres, and where levels, given by
/// their boxes in world space, begin farther away, up to four times as far. In perspective nothing of them is nearer than
/// the start, nor much is nearer than `open_depth`; an orthographic view sees all of a level at one scale, so that all of
/// it has shadows.
pub fn shadow_depths(
    camera: &CameraFrame,
    distance: f32,
    open_depth: f32,
    levels: impl Iterator<Item = Aabb>,
) -> Range<f32> {
    let seen = levels.filter_map(|level| seen_depths(camera, &level));
    let seen = seen.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
    match seen {
        Some(seen) if camera.is_perspective() => {
            // By powers of two, so that shadows keep their grain while the camera moves a little.
            let open = if open_depth >= 1.0 { open_depth.log2().floor().exp2() } else { 0.0 };
            let start = seen.start.max(open);
            let end = seen.end.min(start * 4.0);
            if end > distance { start..end } else { 0.0..distance }
        }
        Some(seen) => seen.start.min(-distance)..seen.end.max(distance),
        None if camera.is_perspective() => 0.0..distance,
        None => -distance..distance,
    }
}

/// The depths between which a box may be seen; `None` where it lies behind the eye or nowhere.
fn seen_depths(camera: &CameraFrame, aabb: &Aabb) -> Option<Range<f32>> {
    if aabb.is_empty() {
        return None;
    }
    let first = if camera.is_perspective() { 0.0 } else { camera.near };
    let places = [(0.0, 0.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
    let rays = places.map(|(x, y)| camera.ray(x, y).aabb_interval(aabb));
    let depths: Vec<f32> = if rays.iter().all(Option::is_some) {
        rays.iter().flatten().flat_map(|(enter, leave)| [first + enter, first + leave]).collect()
    } else {
        aabb.corners().iter().map(|&corner| -camera.view_from_world.transform_point3(corner).z).collect()
    };
    let (start, end) = depths.iter().fold((f32::INFINITY, first), |(low, high), &d| (low.min(d), high.max(d)));
    (start < end).then(|| start.max(first)..end.min(camera.far))
}

/// Fits shadow maps of `map_px` texels to the view, the last ending where `depths` do. Each holds the bounding sphere of
/// its part of the view and moves in whole texels, so that shadows do not swim when the camera moves or turns.
pub fn fit_cascades(camera: &CameraFrame, to_sun: Vec3, count: usize, depths: Range<f32>, map_px: u32) -> Vec<Cascade> {
    if !camera.is_perspective() {
        let (center, radius) = slice_sphere(camera, camera.near.max(depths.start), camera.far.min(depths.end));
        return vec![fit_sphere(camera.position, (center, radius), to_sun, map_px)];
    }
    let count = count.clamp(1, MAX_CASCADES);
    let end = depths.end.min(camera.far);
    // Each cascade reaches about three times as far as the one before, or less where nothing is near.
    let nearer = (depths.start / end).max(0.3_f32.powi(count as i32)).powf(1.0 / count as f32);
    let reach = |i: usize| end * nearer.powi((count - i) as i32);
    (0..count)
        .map(|i| {
            let from = if i == 0 { camera.near } else { reach(i).max(camera.near) };
            let (center, radius) = slice_sphere(camera, from, reach(i + 1).max(from + 0.1));
            fit_sphere(camera.position, (center, radius), to_sun, map_px)
        })
        .collect()
}

/// A sphere around the part of the view between two distances from the eye plane; its centre is relative to the eye.
fn slice_sphere(camera: &CameraFrame, from: f32, to: f32) -> (Vec3, f32) {
    let half = camera.half_size().length();
    let at = |depth: f32| if camera.is_perspective() { half * depth } else { half };
    let (near_half, far_half, long) = (at(from), at(to), (to - from).max(1e-3));
    // The point on the axis that is equally far from near and far corners, if it lies between them.
    let along = ((long * long + far_half * far_half - near_half * near_half) / (2.0 * long)).clamp(0.0, long);
    let center = camera.view_from_relative().inverse().transform_vector3(Vec3::NEG_Z * (from + along));
    let radius = near_half.hypot(along).max(far_half.hypot(long - along));
    (center, if radius.is_finite() { radius } else { 50.0 })
}

/// A shadow map of a sphere, whose centre is relative to the eye.
fn fit_sphere(eye: Vec3, (center, radius): (Vec3, f32), to_sun: Vec3, map_px: u32) -> Cascade {
    // Rounded up, so that noise in the radius does not change the texels.
    let radius = (radius * 8.0).ceil() / 8.0 + 0.125;
    let texel = 2.0 * radius / map_px as f32;
    let side = if to_sun.y.abs() > 0.99 { Vec3::Z } else { Vec3::Y };
    let right = side.cross(to_sun).normalize();
    let up = to_sun.cross(right);
    // Snapped in world space, told relative to the eye; in double precision, as texels are small against the way to the origin.
    let snapped = |axis: Vec3| {
        let (axis, texel) = (axis.as_dvec3(), f64::from(texel));
        let at_eye = eye.as_dvec3().dot(axis);
        let in_world = ((at_eye + center.as_dvec3().dot(axis)) / texel).round() * texel;
        (in_world - at_eye) as f32
    };
    let (x, y, z) = (snapped(right), snapped(up), snapped(to_sun));
    let (near, far) = (z + radius + CASTER_REACH, z - radius - RECEIVER_REACH);
    let (sx, sz) = (0.5 / radius, -1.0 / (near - far));
    let rows =
        [(right * sx).extend(0.5 - x * sx), (up * -sx).extend(0.5 + y * sx), (to_sun * sz).extend(-near * sz), Vec4::W];
    Cascade { texture_from_relative: Mat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose(), texel }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Lens, View};
    use crate::vocab::DayPreset;

    fn camera(position: Vec3, direction: Vec3) -> CameraFrame {
        (&View::new(position, direction, Lens::Perspective { fov_rad: 1.0 }, 1.6)).into()
    }

    #[test]
    fn what_is_seen_lies_in_a_cascade() {
        let camera = camera(Vec3::new(3.0, 2.0, 8.0), Vec3::new(0.3, -0.2, -1.0));
        let to_sun = Vec3::new(0.5, 0.7, 0.2).normalize();
        let cascades = fit_cascades(&camera, to_sun, 3, 0.0..90.0, 1024);
        let world_from_view = camera.view_from_world.inverse();
        for distance in [0.5, 3.0, 12.0, 40.0, 85.0] {
            let point = world_from_view.transform_point3(Vec3::new(0.2, -0.1, -1.0) * distance);
            let inside = cascades.iter().any(|c| {
                let p = c.texture_from_relative.transform_point3(point - camera.position);
                p.cmpgt(Vec3::ZERO).all() && p.cmplt(Vec3::ONE).all()
            });
            assert!(inside, "nothing holds the point at {distance} m");
        }
        assert!(cascades[0].texel < cascades[1].texel && cascades[1].texel < cascades[2].texel);
    }

    #[test]
    fn shadows_fall_along_the_light_down_to_the_floor() {
        let to_sun = Vec3::new(3.0, 4.0, 0.0) / 5.0;
        let caster = Aabb::new(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 6.0, 1.0));
        let on = |floor| ShadowFall::new(to_sun, floor).shaded_by(&caster);
        // From a height of 8 m above the floor it is 6 m aside.
        let shaded = on(-2.0);
        assert!(shaded.min.abs_diff_eq(Vec3::new(-7.0, -8.0, -1.0), 1e-5) && shaded.max == caster.max, "{shaded:?}");
        assert_eq!(on(7.0), caster, "all of it lies below");
        assert!((on(f32::NEG_INFINITY).min.x - (-1.0 - 0.6 * CASTER_REACH)).abs() < 1e-3);
        assert!(ShadowFall::new(Vec3::X, 0.0).shaded_by(&caster).min.x < -CASTER_REACH, "the sun is at the horizon");
        // In a space of half the size, turned and moved, it is the same place.
        let turn = glam::Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
        let fall_from_space = Mat4::from_scale_rotation_translation(Vec3::splat(2.0), turn, Vec3::new(5.0, 1.0, 2.0));
        let there = ShadowFall::new(to_sun, -2.0).in_space(&fall_from_space);
        let shaded_there = there.shaded_by(&caster.transformed(&fall_from_space.inverse()));
        let back = shaded_there.transformed(&fall_from_space);
        assert!(back.min.abs_diff_eq(shaded.min, 1e-4) && back.max.abs_diff_eq(shaded.max, 1e-4), "{back:?}");
    }

    #[test]
    fn shadows_follow_a_level_that_is_seen_from_afar() {
        let side = 10_000.0;
        let level = Aabb::new(Vec3::new(-side, 0.0, -side) * 0.5, Vec3::new(side, 200.0, side) * 0.5);
        let eye = Vec3::new(0.0, 6000.0, 9000.0);
        let above = camera(eye, -eye);
        let depths = shadow_depths(&above, 160.0, 0.0, [level].into_iter());
        assert!((3000.0..eye.length()).contains(&depths.start) && depths.end > 12_000.0, "{depths:?}");
        let cascades = fit_cascades(&above, Vec3::new(0.5, 0.7, 0.2).normalize(), 3, depths, 2048);
        for point in [Vec3::ZERO, Vec3::new(0.0, 0.0, side * 0.5), Vec3::new(side * 0.2, 0.0, -side * 0.5)] {
            let texel = cascades.iter().find_map(|c| {
                let p = c.texture_from_relative.transform_point3(point - eye);
                (p.cmpgt(Vec3::ZERO).all() && p.cmplt(Vec3::ONE).all()).then_some(c.texel)
            });
            assert!(texel.is_some_and(|texel| texel < 20.0), "{point}: {texel:?}");
        }
        // On the ground, and before a level that is near, nothing changes.
        let inside = camera(Vec3::new(0.0, 2.0, 10.0), Vec3::NEG_Z);
        assert_eq!(shadow_depths(&inside, 160.0, 9.0, [level].into_iter()), 0.0..160.0);
        assert_eq!(shadow_depths(&inside, 160.0, 300.0, [level].into_iter()), 256.0..1024.0, "high over the ground");
        assert_eq!(shadow_depths(&above, 160.0, 0.0, [Aabb::EMPTY].into_iter()), 0.0..160.0);
    }

    #[test]
    fn an_orthographic_view_has_shadows_where_it_sees_the_level() {
        let level = Aabb::new(Vec3::new(-5000.0, 0.0, -5000.0), Vec3::new(5000.0, 20.0, 5000.0));
        let eye = Vec3::splat(4000.0);
        let view = |half_height| View::new(eye, -eye, Lens::Orthogonal { half_height }, 1.6);
        let depths = |half_height| shadow_depths(&(&view(half_height)).into(), 160.0, 0.0, [level].into_iter());
        let (whole, part) = (depths(5000.0), depths(20.0));
        assert!(whole.end > 10_000.0, "{whole:?}");
        assert!((6800.0..7100.0).contains(&part.end), "only where the picture is: {part:?}");
    }

    #[test]
    fn shadows_move_in_whole_texels() {
        let to_sun = Vec3::new(0.5, 0.7, 0.2).normalize();
        let far = Vec3::new(50_000.0, 0.0, -60_000.0);
        let at = |origin: Vec3, x: f32| {
            let eye = origin + Vec3::new(x, 2.0, 8.0);
            let c = fit_cascades(&camera(eye, Vec3::NEG_Z), to_sun, 1, 0.0..60.0, 1024)[0];
            (c.texture_from_relative.transform_point3(origin - eye) * 1024.0, c.texel)
        };
        for origin in [Vec3::ZERO, far] {
            let (a, texel_a) = at(origin, 0.0);
            let (b, texel_b) = at(origin, 0.337);
            assert_eq!(texel_a, texel_b);
            let off = ((b - a) - (b - a).round()).abs();
            assert!(off.x < 0.02 && off.y < 0.02, "{origin}: {off}");
        }
    }

    #[test]
    fn nearer_to_the_sun_is_less_deep() {
        let c = fit_sphere(Vec3::ZERO, (Vec3::ZERO, 10.0), Vec3::Y, 256);
        let depth = |y: f32| c.texture_from_relative.transform_point3(Vec3::Y * y).z;
        assert!(depth(5.0) < depth(-5.0));
        assert!(depth(150.0) > 0.0 && depth(-10.0) <= 1.0);
    }

    #[test]
    fn strange_environments_give_finite_light() {
        let environment =
            Environment { light_east_west_deg: f32::NAN, light_intensity: f32::INFINITY, ..Environment::default() };
        let light = Light::new(&environment);
        assert!(light.sun.is_finite() && light.to_sun.is_normalized());
    }

    #[test]
    fn light_of_midnight_is_dim_and_blue_and_comes_from_above() {
        let mut environment = Environment::default();
        environment.apply_preset(DayPreset::Midnight);
        let night = Light::new(&environment);
        assert_eq!(night.daylight, 0.0);
        assert!(night.to_sun.y > 0.9 && night.sun.max_element() < 0.3 * SUN_RADIANCE, "{night:?}");
        assert!(night.sun.z > 1.5 * night.sun.x && night.sky.z > night.sky.x, "{night:?}");
        let noon = {
            environment.apply_preset(DayPreset::Noon);
            Light::new(&environment)
        };
        assert!(noon.daylight > 0.9 && noon.sky.x > 4.0 * night.sky.x, "{noon:?}");
        assert!(noon.fog.distance(Vec3::new(0.24, 0.2088, 0.18)) < 1e-5, "{}", noon.fog);
    }

    #[test]
    fn the_day_has_no_jump() {
        let clock = Environment { day_enabled: true, day_minutes_per_sec: 1.0, ..Environment::default() };
        let at = |minute: i32| Light::new(&clock.at(f64::from(minute)));
        for minute in 0..1440 {
            let (a, b) = (at(minute), at(minute + 1));
            for (a, b) in [(a.sun, b.sun), (a.sky, b.sky), (a.ground, b.ground), (a.fog, b.fog)] {
                assert!((a - b).abs().max_element() < 0.1, "at minute {minute}: {a} {b}");
            }
            assert!(a.to_sun.dot(b.to_sun) > 0.999, "at minute {minute}");
        }
    }
}
