//! The free camera: flies where a person steers it.

use super::angles::{MAX_ELEVATION_RAD, direction};
use super::projection::Lens;
use crate::input::Input;
use crate::math::angle::wrap_rad;
use glam::{Quat, Vec3};

/// Flight speed in metres per second.
pub const FLY_SPEED: f32 = 4.0;
/// Flight speed factor while Shift is held.
pub const FAST_FACTOR: f32 = 4.0;
/// Turn per pixel of mouse travel, radians.
pub const LOOK_RAD_PER_PX: f32 = 0.15 * std::f32::consts::PI / 180.0;
/// Narrowest and widest vertical field of view that the wheel sets, degrees.
pub const WHEEL_FOV_DEG: (f32, f32) = (10.0, 100.0);
/// What a notch of the wheel leaves of a field of view.
pub const FOV_PER_NOTCH: f32 = 0.93;
/// What a notch of the wheel leaves of a scale or distance.
pub const SIZE_PER_NOTCH: f32 = 0.9;
/// Least and greatest distance of the eye from the point that it turns about, and half height of an orthographic view,
/// metres. The greatest is the largest half height that a [`View`](super::View) shows.
const NEAREST: f32 = 0.3;
const FARTHEST: f32 = 1e5;
/// Time in which flight reaches its speed, seconds: short enough to feel direct, long enough not to jerk.
const SETTLE_SECS: f32 = 0.08;

/// A camera without a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeCamera {
    /// Eye in world space.
    pub position: Vec3,
    /// Azimuth in radians; 0 looks along -Z, a quarter turn along +X.
    pub azimuth_rad: f32,
    /// Elevation in radians, upwards positive.
    pub elevation_rad: f32,
    /// Vertical field of view in radians.
    pub fov_rad: f32,
    /// Current velocity in metres per second.
    pub velocity: Vec3,
    /// Half the height of what an orthographic view shows, metres; `None` in perspective.
    pub half_height: Option<f32>,
}

impl Default for FreeCamera {
    fn default() -> Self {
        Self {
            position: Vec3::new(0.0, 2.0, 8.0),
            azimuth_rad: 0.0,
            elevation_rad: 0.0,
            fov_rad: 1.0,
            velocity: Vec3::ZERO,
            half_height: None,
        }
    }
}

impl FreeCamera {
    /// Moves and turns as asked during `dt_secs`. Returns whether anything changed, flight that fades out included.
    pub fn update(&mut self, input: &Input, dt_secs: f32) -> bool {
        let before = *self;
        self.azimuth_rad = wrap_rad(self.azimuth_rad + input.look_px.x * LOOK_RAD_PER_PX);
        self.elevation_rad =
            (self.elevation_rad - input.look_px.y * LOOK_RAD_PER_PX).clamp(-MAX_ELEVATION_RAD, MAX_ELEVATION_RAD);
        if input.wheel_notches != 0.0 {
            let (narrow, wide) = (WHEEL_FOV_DEG.0.to_radians(), WHEEL_FOV_DEG.1.to_radians());
            match &mut self.half_height {
                Some(half) => *half = (*half * SIZE_PER_NOTCH.powf(input.wheel_notches)).clamp(NEAREST, FARTHEST),
                None => self.fov_rad = (self.fov_rad * FOV_PER_NOTCH.powf(input.wheel_notches)).clamp(narrow, wide),
            }
        }
        let dt = if dt_secs.is_finite() { dt_secs.clamp(0.0, 0.25) } else { 0.0 };
        let wanted = self.wanted_velocity(input);
        let settle = 1.0 - (-dt / SETTLE_SECS).exp();
        self.velocity += (wanted - self.velocity) * settle;
        if wanted == Vec3::ZERO && self.velocity.length_squared() < 1e-4 {
            self.velocity = Vec3::ZERO;
        }
        self.position += self.velocity * dt;
        if let Some(half) = &mut self.half_height {
            // Without perspective, what is flown towards grows only when less is shown.
            let ahead = self.velocity.dot(direction(self.azimuth_rad, self.elevation_rad)) * dt;
            *half = (*half - ahead * 0.5).clamp(NEAREST, FARTHEST);
        }
        *self != before
    }

    fn wanted_velocity(&self, input: &Input) -> Vec3 {
        let forward = direction(self.azimuth_rad, self.elevation_rad);
        let right = direction(self.azimuth_rad + std::f32::consts::FRAC_PI_2, 0.0);
        let wish = right * input.fly.x + Vec3::Y * input.fly.y + forward * input.fly.z;
        let speed = if input.fast { FLY_SPEED * FAST_FACTOR } else { FLY_SPEED };
        wish.clamp_length_max(1.0) * speed
    }

    /// Goes round a point by the mouse's travel, and nearer by notches; the point keeps its place in the picture.
    pub fn orbit(&mut self, around: Vec3, travel_px: glam::Vec2, notches: f32) {
        let elevation_rad =
            (self.elevation_rad - travel_px.y * LOOK_RAD_PER_PX).clamp(-MAX_ELEVATION_RAD, MAX_ELEVATION_RAD);
        let right = |azimuth_rad: f32| direction(azimuth_rad + std::f32::consts::FRAC_PI_2, 0.0);
        let azimuth_rad = wrap_rad(self.azimuth_rad + travel_px.x * LOOK_RAD_PER_PX);
        let back = Quat::from_axis_angle(right(self.azimuth_rad), -self.elevation_rad);
        let there = Quat::from_axis_angle(right(azimuth_rad), elevation_rad);
        let turn = there * Quat::from_rotation_y(self.azimuth_rad - azimuth_rad) * back;
        let off = turn * (self.position - around);
        let distance = off.length();
        let near = (distance * SIZE_PER_NOTCH.powf(notches)).clamp(NEAREST.min(distance), FARTHEST.max(distance));
        let position = around + off * (near / distance.max(1e-6));
        if position.is_finite() && azimuth_rad.is_finite() && elevation_rad.is_finite() {
            (self.position, self.azimuth_rad, self.elevation_rad) = (position, azimuth_rad, elevation_rad);
            self.velocity = Vec3::ZERO;
            self.half_height =
                self.half_height.map(|half| (half * SIZE_PER_NOTCH.powf(notches)).clamp(NEAREST, FARTHEST));
        }
    }

    /// The lens in use.
    pub fn lens(&self) -> Lens {
        let perspective = Lens::Perspective { fov_rad: self.fov_rad };
        self.half_height.map_or(perspective, |half_height| Lens::Orthogonal { half_height })
    }

    /// Half the height of what is seen at a distance, metres.
    fn half_height_at(&self, distance: f32) -> f32 {
        self.half_height.unwrap_or(distance * (self.fov_rad * 0.5).tan())
    }

    /// Shifts the view with the mouse, so that `around` stays under the cursor in a picture so many points high.
    pub fn pan(&mut self, around: Vec3, travel_px: glam::Vec2, height_px: f32) {
        let forward = direction(self.azimuth_rad, self.elevation_rad);
        let right = direction(self.azimuth_rad + std::f32::consts::FRAC_PI_2, 0.0);
        let distance = (around - self.position).dot(forward).clamp(NEAREST, FARTHEST);
        let metres = 2.0 * self.half_height_at(distance) / height_px.max(1.0);
        let shift = (right.cross(forward) * travel_px.y - right * travel_px.x) * metres;
        if shift.is_finite() {
            self.position += shift;
            self.velocity = Vec3::ZERO;
        }
    }

    /// Looks along another direction, radians, with `around` in the middle of the picture and as large as before.
    pub fn look_along(&mut self, around: Vec3, azimuth_rad: f32, elevation_rad: f32) {
        let distance = around.distance(self.position).clamp(NEAREST, FARTHEST);
        self.azimuth_rad = wrap_rad(azimuth_rad);
        self.elevation_rad = elevation_rad.clamp(-MAX_ELEVATION_RAD, MAX_ELEVATION_RAD);
        self.position = around - direction(self.azimuth_rad, self.elevation_rad) * distance;
        self.velocity = Vec3::ZERO;
    }

    /// Changes between perspective and orthographic; what lies as far away as `around` keeps its size.
    pub fn switch_lens(&mut self, around: Vec3) {
        let forward = direction(self.azimuth_rad, self.elevation_rad);
        let distance = (around - self.position).dot(forward).clamp(NEAREST, FARTHEST);
        match self.half_height.take() {
            Some(half) => {
                let wanted = half / (self.fov_rad * 0.5).tan().max(0.05);
                self.position += forward * (distance - wanted);
            }
            None => self.half_height = Some(self.half_height_at(distance)),
        }
    }

    /// How far away a sphere fills the picture, metres.
    pub fn framing_distance(&self, radius: f32) -> f32 {
        radius.max(0.5) / (self.fov_rad * 0.5).tan().max(0.05) * 1.2
    }

    /// Stands so that a sphere fills the picture, keeping the direction of view.
    pub fn frame(&mut self, center: Vec3, radius: f32) {
        if !center.is_finite() || !radius.is_finite() {
            return;
        }
        let distance = self.framing_distance(radius);
        self.position = center - direction(self.azimuth_rad, self.elevation_rad) * distance;
        self.velocity = Vec3::ZERO;
        self.half_height = self.half_height.map(|_| radius.max(0.5) * 1.2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;

    #[test]
    fn flies_where_it_looks_and_comes_to_rest() {
        let mut camera = FreeCamera { position: Vec3::ZERO, ..FreeCamera::default() };
        let forward = Input { fly: Vec3::Z, ..Input::default() };
        for _ in 0..60 {
            assert!(camera.update(&forward, 1.0 / 60.0));
        }
        assert!(camera.position.z < -3.0 && camera.position.x.abs() < 1e-4);
        for _ in 0..120 {
            camera.update(&Input::default(), 1.0 / 60.0);
        }
        assert!(!camera.update(&Input::default(), 1.0 / 60.0), "an idle camera must not ask for frames");
    }

    #[test]
    fn never_turns_over_the_pole() {
        let mut camera = FreeCamera::default();
        camera.update(&Input { look_px: Vec2::new(0.0, -1e6), ..Input::default() }, 0.01);
        assert_eq!(camera.elevation_rad, MAX_ELEVATION_RAD);
        camera.update(&Input { look_px: Vec2::new(1e5, 1e7), ..Input::default() }, f32::NAN);
        assert_eq!(camera.elevation_rad, -MAX_ELEVATION_RAD);
        assert!(camera.azimuth_rad.abs() <= std::f32::consts::PI);
    }

    #[test]
    fn orbits_around_a_point_that_keeps_its_place() {
        let around = Vec3::new(1.0, 0.5, -3.0);
        let mut camera = FreeCamera { elevation_rad: -0.2, azimuth_rad: 0.4, ..FreeCamera::default() };
        let seen = |camera: &FreeCamera| {
            let (forward, off) = (direction(camera.azimuth_rad, camera.elevation_rad), around - camera.position);
            (off.length(), off.normalize().dot(forward))
        };
        let before = seen(&camera);
        for travel in [Vec2::new(300.0, 40.0), Vec2::new(-900.0, 90.0), Vec2::new(10.0, -250.0)] {
            camera.orbit(around, travel, 0.0);
            let now = seen(&camera);
            assert!((now.0 - before.0).abs() < 1e-3 && (now.1 - before.1).abs() < 1e-4, "{before:?} became {now:?}");
        }
        camera.orbit(around, Vec2::ZERO, 1.0);
        assert!((seen(&camera).0 - before.0 * 0.9).abs() < 1e-3, "a notch nearer");
        camera.orbit(around, Vec2::splat(f32::NAN), 1e9);
        camera.orbit(camera.position, Vec2::X, 1e9);
        camera.orbit(around, Vec2::new(0.0, 1e9), -1e9);
        assert!(camera.position.is_finite() && camera.elevation_rad.abs() <= MAX_ELEVATION_RAD);
    }

    #[test]
    fn views_along_axes_keep_size_and_middle() {
        let around = Vec3::new(2.0, 1.0, -4.0);
        let mut camera = FreeCamera::default();
        let distance = around.distance(camera.position);
        camera.look_along(around, 0.0, -std::f32::consts::FRAC_PI_2);
        assert!((camera.position.y - around.y - distance).abs() < 1e-3, "from above: {}", camera.position);
        let seen = |camera: &FreeCamera| {
            let forward = direction(camera.azimuth_rad, camera.elevation_rad);
            let view = super::super::View::new(camera.position, forward, camera.lens(), 1.0);
            let size = Vec2::splat(1000.0);
            (view.project(around, size).unwrap(), view.project(around + Vec3::X, size).unwrap())
        };
        let before = seen(&camera);
        assert!(before.0.abs_diff_eq(Vec2::splat(500.0), 0.1) && before.1.x > 501.0, "{before:?}");
        for _ in 0..2 {
            camera.switch_lens(around);
            let now = seen(&camera);
            assert!(now.0.abs_diff_eq(before.0, 0.5) && now.1.abs_diff_eq(before.1, 0.5), "{before:?} became {now:?}");
        }
        assert_eq!(camera.half_height, None);
        camera.pan(around, Vec2::new(30.0, -20.0), 1000.0);
        assert!(seen(&camera).0.abs_diff_eq(Vec2::new(530.0, 480.0), 1.0), "{:?}", seen(&camera));
        camera.pan(around, Vec2::NAN, 0.0);
        assert!(camera.position.is_finite());
    }

    #[test]
    fn the_wheel_and_flight_zoom_an_orthographic_view() {
        let mut camera = FreeCamera { half_height: Some(10.0), ..FreeCamera::default() };
        camera.update(&Input { wheel_notches: 1.0, ..Input::default() }, 0.01);
        assert!((camera.half_height.unwrap() - 9.0).abs() < 1e-4 && camera.fov_rad == FreeCamera::default().fov_rad);
        for _ in 0..60 {
            camera.update(&Input { fly: Vec3::Z, ..Input::default() }, 1.0 / 60.0);
        }
        assert!(camera.half_height.unwrap() < 8.0);
    }

    #[test]
    fn levels_of_many_kilometres_stay_whole_in_the_picture() {
        let mut whole = FreeCamera { half_height: Some(9000.0), ..FreeCamera::default() };
        assert!(!whole.update(&Input::default(), 0.01), "{:?}", whole.half_height);
        let (around, far) = (Vec3::ZERO, Vec3::new(0.0, 9000.0, 12_000.0));
        let mut camera = FreeCamera { position: far, ..FreeCamera::default() };
        camera.look_along(around, 1.0, -0.5);
        assert!((camera.position.length() - far.length()).abs() < 1.0, "{}", camera.position);
    }

    #[test]
    fn frames_a_sphere_in_view_direction() {
        let mut camera = FreeCamera::default();
        camera.frame(Vec3::new(10.0, 0.0, 0.0), 2.0);
        let to_center = Vec3::new(10.0, 0.0, 0.0) - camera.position;
        assert!(to_center.normalize().dot(direction(camera.azimuth_rad, camera.elevation_rad)) > 0.999);
        assert!(to_center.length() > 2.0);
    }
}
