//! Azimuth and elevation of a view direction.

use glam::Vec3;

/// Highest elevation of any camera, in radians: straight up and down have no azimuth. So near to it that a plan shows
/// no sides of walls.
pub const MAX_ELEVATION_RAD: f32 = 89.9 * std::f32::consts::PI / 180.0;

/// Unit view direction in world space from azimuth and elevation in radians: azimuth 0 looks along -Z, a quarter turn
/// along +X; elevation is positive upwards.
pub fn direction(azimuth_rad: f32, elevation_rad: f32) -> Vec3 {
    let (sin_az, cos_az) = azimuth_rad.sin_cos();
    let (sin_el, cos_el) = elevation_rad.sin_cos();
    Vec3::new(sin_az * cos_el, sin_el, -cos_az * cos_el)
}

/// Azimuth and elevation in radians of a direction; azimuth 0 for a vertical one, both 0 for none.
pub fn azimuth_elevation(direction: Vec3) -> (f32, f32) {
    let Some(d) = direction.try_normalize() else { return (0.0, 0.0) };
    let azimuth = if d.x * d.x + d.z * d.z > 1e-12 { d.x.atan2(-d.z) } else { 0.0 };
    (azimuth, d.y.clamp(-1.0, 1.0).asin().clamp(-MAX_ELEVATION_RAD, MAX_ELEVATION_RAD))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_2;

    #[test]
    fn directions_follow_the_compass() {
        assert!(direction(0.0, 0.0).abs_diff_eq(Vec3::NEG_Z, 1e-6));
        assert!(direction(FRAC_PI_2, 0.0).abs_diff_eq(Vec3::X, 1e-6));
        assert!(direction(0.3, FRAC_PI_2).abs_diff_eq(Vec3::Y, 1e-6));
    }

    #[test]
    fn azimuth_and_elevation_are_the_inverse() {
        for (az, el) in [(0.0, 0.0), (2.0, 0.5), (-2.9, -1.2), (1.0, 1.5)] {
            let (a, e) = azimuth_elevation(direction(az, el) * 7.0);
            assert!((a - az).abs() < 1e-4 && (e - el).abs() < 1e-4, "{az} {el} became {a} {e}");
        }
        assert_eq!(azimuth_elevation(Vec3::ZERO), (0.0, 0.0));
        assert!(azimuth_elevation(Vec3::NEG_Y).1 >= -MAX_ELEVATION_RAD);
    }
}
