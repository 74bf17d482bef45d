//! The watching camera: stands behind what it watches and turns with it, and round it where a person drags.

use super::angles::{azimuth_elevation, direction};
use super::free::{LOOK_RAD_PER_PX, SIZE_PER_NOTCH};
use crate::input::Input;
use crate::math::angle::{direction_of_yaw, wrap_rad};
use glam::Vec3;

/// Nearest and farthest distance from the point watched, metres.
pub const DISTANCE_RANGE: (f32, f32) = (1.0, 50.0);
/// Lowest and highest elevation of the view, radians: from nearly straight above to a little from below.
const ELEVATION_RANGE_RAD: (f32, f32) = (-1.5, 0.5);
/// Time in which the camera follows a turn of what it watches, seconds.
const TURN_SECS: f32 = 0.8;
/// Turns smaller than this are not followed, radians.
const STILL_RAD: f32 = 1e-3;

/// A camera that orbits an instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// Azimuth behind what is watched, following its heading with some delay, radians.
    azimuth_rad: f32,
    /// What a person added to the azimuth, radians.
    turned_rad: f32,
    /// Elevation of the view, radians; negative looks down.
    elevation_rad: f32,
    /// Distance of the eye from the point watched, metres.
    distance: f32,
}

impl Orbit {
    /// Behind an instance of this heading, `distance` metres away, looking a little down.
    pub fn behind(yaw_rad: f32, distance: f32) -> Self {
        let (near, far) = DISTANCE_RANGE;
        let distance = if distance.is_finite() { distance.clamp(near, far) } else { near };
        Self { azimuth_rad: azimuth_of(yaw_rad), turned_rad: 0.0, elevation_rad: -0.3, distance }
    }

    /// Goes round and nearer as asked, and follows the heading. Returns whether anything changed.
    pub fn update(&mut self, input: &Input, yaw_rad: f32, dt_secs: f32) -> bool {
        let before = *self;
        self.turned_rad = wrap_rad(self.turned_rad + input.look_px.x * LOOK_RAD_PER_PX);
        let (low, high) = ELEVATION_RANGE_RAD;
        self.elevation_rad = (self.elevation_rad - input.look_px.y * LOOK_RAD_PER_PX).clamp(low, high);
        let (near, far) = DISTANCE_RANGE;
        self.distance = (self.distance * SIZE_PER_NOTCH.powf(input.wheel_notches)).clamp(near, far);
        let behind_by = wrap_rad(azimuth_of(yaw_rad) - self.azimuth_rad);
        if behind_by.is_finite() && behind_by.abs() > STILL_RAD && dt_secs.is_finite() {
            let share = 1.0 - (-dt_secs.clamp(0.0, 0.25) / TURN_SECS).exp();
            self.azimuth_rad = wrap_rad(self.azimuth_rad + behind_by * share);
        }
        *self != before
    }

    /// Stands right behind a heading at once, without delay or turn of its own.
    pub fn face(&mut self, yaw_rad: f32) {
        if yaw_rad.is_finite() {
            (self.azimuth_rad, self.turned_rad) = (azimuth_of(yaw_rad), 0.0);
        }
    }

    /// Unit view direction.
    pub fn direction(&self) -> Vec3 {
        direction(self.azimuth_rad + self.turned_rad, self.elevation_rad)
    }

    /// Wanted distance of the eye from the point watched, metres.
    pub fn distance(&self) -> f32 {
        self.distance
    }
}

/// Azimuth of a view along a heading.
fn azimuth_of(yaw_rad: f32) -> f32 {
    azimuth_elevation(direction_of_yaw(yaw_rad)).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;

    #[test]
    fn stands_behind_and_comes_to_rest_behind_again() {
        let mut orbit = Orbit::behind(0.0, 4.0);
        assert!(orbit.direction().z > 0.9, "facing +Z is seen along +Z");
        for _ in 0..600 {
            orbit.update(&Input::default(), std::f32::consts::FRAC_PI_2, 1.0 / 60.0);
        }
        assert!(orbit.direction().x > 0.9, "a quarter turn faces +X");
        assert!(!orbit.update(&Input::default(), std::f32::consts::FRAC_PI_2, 1.0 / 60.0), "rest asks for no frames");
    }

    #[test]
    fn no_drag_or_wheel_leads_out_of_range() {
        let mut orbit = Orbit::behind(f32::NAN, f32::NAN);
        for look in [1e6, -1e6] {
            let input = Input { look_px: Vec2::splat(look), wheel_notches: look, ..Input::default() };
            orbit.update(&input, f32::NAN, f32::NAN);
            assert!((DISTANCE_RANGE.0..=DISTANCE_RANGE.1).contains(&orbit.distance()));
            assert!(orbit.elevation_rad.abs() < std::f32::consts::FRAC_PI_2);
        }
    }
}
