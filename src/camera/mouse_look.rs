//! Mouse look of a captured cursor: sideways travel turns the character that is steered, travel up and down tilts the
//! view from its eyes.

use super::angles::{MAX_ELEVATION_RAD, azimuth_elevation, direction};
use crate::math::angle::{direction_of_yaw, wrap_rad};
use glam::{Vec2, Vec3};

/// Turn per unit of mouse travel, radians: a tenth of a degree.
pub const TURN_RAD_PER_UNIT: f32 = 0.1 * std::f32::consts::PI / 180.0;

/// Where a steered character is to face, and how its first-person view is tilted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MouseLook {
    /// Heading about +Y, radians; 0 faces +Z.
    pub yaw_rad: f32,
    /// Tilt of the view, radians, upwards positive.
    pub elevation_rad: f32,
}

impl MouseLook {
    /// Along a heading.
    pub fn along(yaw_rad: f32) -> Self {
        Self { yaw_rad, elevation_rad: 0.0 }
    }

    /// Turns by the mouse's travel: x right, y down. The right hand of a heading is where the yaw falls.
    pub fn turn(&mut self, travel: Vec2) {
        if travel.is_finite() {
            self.yaw_rad = wrap_rad(self.yaw_rad - travel.x * TURN_RAD_PER_UNIT);
            self.elevation_rad =
                (self.elevation_rad - travel.y * TURN_RAD_PER_UNIT).clamp(-MAX_ELEVATION_RAD, MAX_ELEVATION_RAD);
        }
    }

    /// The first-person view: a camera that is locked to its bone keeps the bone's direction `seen` and is tilted from
    /// there; any other looks ahead along `yaw_rad`, where the character faces now.
    pub fn first_person(&self, locked: bool, seen: Vec3, yaw_rad: f32) -> Vec3 {
        let ahead = if locked { seen } else { direction_of_yaw(yaw_rad) };
        let (azimuth, elevation) = azimuth_elevation(ahead);
        direction(azimuth, (elevation + self.elevation_rad).clamp(-MAX_ELEVATION_RAD, MAX_ELEVATION_RAD))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn travel_turns_right_and_tilts_up_within_limits() {
        let mut look = MouseLook::along(0.0);
        look.turn(Vec2::new(900.0, -450.0));
        assert!((look.yaw_rad + std::f32::consts::FRAC_PI_2).abs() < 1e-4, "facing +Z, a quarter to the right is -X");
        assert!((look.elevation_rad - std::f32::consts::FRAC_PI_4).abs() < 1e-4);
        look.turn(Vec2::new(0.0, 1e7));
        assert_eq!(look.elevation_rad, -MAX_ELEVATION_RAD);
        look.turn(Vec2::NAN);
        assert!(look.yaw_rad.is_finite());
    }

    #[test]
    fn the_first_person_looks_ahead_or_along_its_bone() {
        let up = MouseLook { yaw_rad: 0.0, elevation_rad: 0.5 };
        let ahead = up.first_person(false, Vec3::NEG_Y, 1.0);
        assert!((azimuth_elevation(ahead).1 - 0.5).abs() < 1e-4 && ahead.dot(direction_of_yaw(1.0)) > 0.8);
        let bone = up.first_person(true, Vec3::X, 1.0);
        assert!((azimuth_elevation(bone).1 - 0.5).abs() < 1e-4 && bone.x > 0.8);
    }
}
