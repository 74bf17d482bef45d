//! From where a level is shown whole: a useful direction, and the eye from which all points fill the picture.

use super::angles::direction;
use crate::math::angle::wrap_rad;
use glam::Vec3;
use std::f32::consts::PI;

/// Share of the picture that the points fill.
pub const FILL: f32 = 0.8;
/// Elevation from which a yard is seen over its walls, radians.
const YARD_ELEVATION_RAD: f32 = -PI / 4.0;
/// Elevation for long levels, whose far end would be lost from higher up, radians.
const LONG_ELEVATION_RAD: f32 = -PI / 5.0;
/// A level is long when one side is so many times the other.
const LONG: f32 = 2.0;

/// A direction of view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bearing {
    /// Azimuth, radians: 0 looks along -Z, a quarter turn along +X.
    pub azimuth_rad: f32,
    /// Elevation, radians, upwards positive.
    pub elevation_rad: f32,
}

/// Where a camera shows all of something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Eye of a perspective view.
    pub eye: Vec3,
    /// Half the height of an orthographic view from there, metres.
    pub half_height: f32,
}

/// The direction in which a level of this size is seen best: along the diagonal of its plan that is nearest to the
/// azimuth that a camera has already.
pub fn overview(size: Vec3, azimuth_rad: f32) -> Bearing {
    let (x, z) = (size.x.max(1e-3), size.z.max(1e-3));
    let diagonal = x.atan2(z);
    let all = [diagonal, -diagonal, PI - diagonal, diagonal - PI];
    let turn = |to: &f32| wrap_rad(to - azimuth_rad).abs();
    let azimuth_rad = all.into_iter().min_by(|a, b| turn(a).total_cmp(&turn(b))).unwrap_or(diagonal);
    let is_long = x.max(z) > LONG * x.min(z);
    Bearing { azimuth_rad, elevation_rad: if is_long { LONG_ELEVATION_RAD } else { YARD_ELEVATION_RAD } }
}

/// The eye that sees all finite points within [`FILL`] of the picture, as near as it can be; `None` without such. `aspect` is
/// the picture's width over its height.
pub fn fit(points: &[Vec3], along: Bearing, fov_rad: f32, aspect: f32) -> Option<Fit> {
    let ahead = direction(along.azimuth_rad, along.elevation_rad);
    let right = direction(along.azimuth_rad + PI / 2.0, 0.0);
    let up = right.cross(ahead);
    let slope = (fov_rad * 0.5).tan().max(0.05) * FILL;
    // The eye lies on the planes of the frustum's sides that touch the outermost points.
    let places = || points.iter().filter(|p| p.is_finite());
    let touching = |axis: Vec3, slope: f32| {
        let far = |sign: f32| places().map(|p| sign * p.dot(axis) - slope * p.dot(ahead)).reduce(f32::max);
        let extent = |sign: f32| places().map(|p| sign * p.dot(axis)).reduce(f32::max);
        let (plus, minus) = (far(1.0)?, far(-1.0)?);
        let half = (extent(1.0)? + extent(-1.0)?) * 0.5;
        Some(Side { across: (plus - minus) * 0.5, depth: -(plus + minus) / (2.0 * slope), half })
    };
    let (x, y) = (touching(right, slope * aspect.max(0.1))?, touching(up, slope)?);
    let depth = x.depth.min(y.depth);
    let eye = right * x.across + up * y.across + ahead * depth;
    let half_height = (x.half / aspect.max(0.1)).max(y.half).max(0.5) / FILL;
    eye.is_finite().then_some(Fit { eye, half_height })
}

/// What the points ask of the eye across one axis of the picture.
struct Side {
    /// Place of the eye along the axis.
    across: f32,
    /// Farthest forward that it may stand.
    depth: f32,
    /// Half of the points' extent.
    half: f32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Lens, View};
    use crate::math::Aabb;
    use glam::Vec2;

    #[test]
    fn levels_are_seen_along_their_diagonal_from_above() {
        let yard = overview(Vec3::new(20.0, 6.0, 20.0), 0.3);
        assert!((yard.azimuth_rad - PI / 4.0).abs() < 1e-4 && (yard.elevation_rad + PI / 4.0).abs() < 1e-4);
        let street = overview(Vec3::new(80.0, 6.0, 10.0), -1.0);
        assert!((-1.5..-1.4).contains(&street.azimuth_rad), "nearly along the street: {street:?}");
        assert!(street.elevation_rad > yard.elevation_rad);
        assert!(overview(Vec3::ZERO, 9.0).azimuth_rad.is_finite());
    }

    #[test]
    fn all_points_fill_the_picture() {
        let size = Vec2::new(1600.0, 900.0);
        for bounds in [Vec3::new(20.0, 6.0, 20.0), Vec3::new(120.0, 4.0, 9.0), Vec3::new(3.0, 40.0, 3.0)] {
            let bounds = Aabb::new(Vec3::new(5.0, -1.0, 9.0), Vec3::new(5.0, -1.0, 9.0) + bounds);
            let along = overview(bounds.size(), 0.0);
            let seen = |lens, fit: &Fit| {
                let ahead = direction(along.azimuth_rad, along.elevation_rad);
                let view = View::new(fit.eye, ahead, lens, size.x / size.y);
                let places = bounds.corners().map(|p| view.project(p, size).unwrap() / size - 0.5);
                places.into_iter().fold(Vec2::ZERO, |most, p| most.max(p.abs())) * 2.0
            };
            let fit = fit(&bounds.corners(), along, 1.0, size.x / size.y).unwrap();
            let filled = seen(Lens::Perspective { fov_rad: 1.0 }, &fit);
            assert!((filled.max_element() - FILL).abs() < 0.01, "{filled}");
        }
        assert_eq!(fit(&[], overview(Vec3::ONE, 0.0), 1.0, 1.0), None);
        let corners = Aabb::new(Vec3::ZERO, Vec3::ONE).corners();
        let with_others = [&corners[..], &[Vec3::INFINITY, Vec3::NAN]].concat();
        let along = overview(Vec3::ONE, 0.0);
        assert_eq!(
            fit(&with_others, along, 1.0, 1.0),
            fit(&corners, along, 1.0, 1.0),
            "what is nowhere does not count"
        );
        assert!(fit(&[Vec3::NAN], overview(Vec3::ONE, 0.0), 1.0, 1.0).is_none());
    }
}
