//! Angles in radians: wrapping and shortest turns.

use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// The golden angle: places that are turned by it from one to the next spread evenly, without rows.
pub const GOLDEN_ANGLE_RAD: f32 = 2.399_963_2;

/// `angle_rad` wrapped into (-π, π]. Non-finite input gives 0.
#[inline]
pub fn wrap_rad(angle_rad: f32) -> f32 {
    if !angle_rad.is_finite() {
        return 0.0;
    }
    let r = angle_rad.rem_euclid(TAU);
    if r > PI { r - TAU } else { r }
}

/// The shortest signed turn from one yaw to another, in (-π, π]: exactly half a turn goes to the positive side.
#[inline]
pub fn shortest_turn_rad(from_rad: f32, to_rad: f32) -> f32 {
    wrap_rad(to_rad - from_rad)
}

/// Yaw about +Y that turns the model-space forward axis +Z onto the horizontal part of `direction`;
/// `None` when that part vanishes.
#[inline]
pub fn yaw_of_direction(direction: Vec3) -> Option<f32> {
    let horizontal = direction.x * direction.x + direction.z * direction.z;
    (horizontal.is_finite() && horizontal > 1e-12).then(|| direction.x.atan2(direction.z))
}

/// Unit horizontal direction that yaw turns +Z onto: (sin yaw, 0, cos yaw).
#[inline]
pub fn direction_of_yaw(yaw_rad: f32) -> Vec3 {
    Vec3::new(yaw_rad.sin(), 0.0, yaw_rad.cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_keeps_half_turns_positive() {
        assert_eq!(wrap_rad(PI), PI);
        assert!((wrap_rad(-PI) - PI).abs() < 1e-6);
        assert!((wrap_rad(3.0 * PI + 0.1) + PI - 0.1).abs() < 1e-5);
        assert_eq!(wrap_rad(f32::NAN), 0.0);
    }

    #[test]
    fn yaw_and_direction_are_inverse() {
        for i in 0..64 {
            let yaw = i as f32 * 0.1 - 3.1;
            let back = yaw_of_direction(direction_of_yaw(yaw)).unwrap();
            assert!(shortest_turn_rad(yaw, back).abs() < 1e-5);
        }
        assert_eq!(yaw_of_direction(Vec3::Y), None);
    }
}
