//! From where a level is shown whole: a useful direction, and the eye from which all points fill the picture.

use super::angles::direction;
use crate::math::Aabb;
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
    /// The middle of what is shown.
    pub middle: Vec3,
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
/// the picture's width over its height. There may be millions of points: they are gone through once.
pub fn fit(points: impl IntoIterator<Item = Vec3>, along: Bearing, fov_rad: f32, aspect: f32) -> Option<Fit> {
    let ahead = direction(along.azimuth_rad, along.elevation_rad);
    let right = direction(along.azimuth_rad + PI / 2.0, 0.0);
    let up = right.cross(ahead);
    let aspect = aspect.max(0.1);
    let slope = (fov_rad * 0.5).tan().max(0.05) * FILL;
    let (mut x, mut y, mut bounds) = (Side::of_slope(slope * aspect), Side::of_slope(slope), Aabb::EMPTY);
    for point in points.into_iter().filter(|point| point.is_finite()) {
        let depth = point.dot(ahead);
        x.include(point.dot(right), depth);
        y.include(point.dot(up), depth);
        bounds = bounds.including(point);
    }
    let eye = right * x.across() + up * y.across() + ahead * x.depth().min(y.depth());
    let half_height = (x.half_extent() / aspect).max(y.half_extent()).max(0.5) / FILL;
    eye.is_finite().then_some(Fit { eye, half_height, middle: bounds.center() })
}

/// What the points ask of the eye across one axis of the picture.
struct Side {
    /// Of the frustum's sides: across over depth.
    slope: f32,
    /// How far the points lie out along the axis and against it.
    extents: [f32; 2],
    /// How far they lie beyond the frustum's sides, were the eye in the origin: it lies on the planes that touch the outermost.
    beyond: [f32; 2],
}

impl Side {
    fn of_slope(slope: f32) -> Self {
        Self { slope, extents: [f32::NEG_INFINITY; 2], beyond: [f32::NEG_INFINITY; 2] }
    }

    fn include(&mut self, across: f32, depth: f32) {
        for (i, across) in [across, -across].into_iter().enumerate() {
            self.extents[i] = self.extents[i].max(across);
            self.beyond[i] = self.beyond[i].max(across - self.slope * depth);
        }
    }

    /// Place of the eye along the axis.
    fn across(&self) -> f32 {
        (self.beyond[0] - self.beyond[1]) * 0.5
    }

    /// Farthest forward that the eye may stand.
    fn depth(&self) -> f32 {
        -(self.beyond[0] + self.beyond[1]) / (2.0 * self.slope)
    }

    fn half_extent(&self) -> f32 {
        (self.extents[0] + self.extents[1]) * 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Lens, View};
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
            let fit = fit(bounds.corners(), along, 1.0, size.x / size.y).unwrap();
            let filled = seen(Lens::Perspective { fov_rad: 1.0 }, &fit);
            assert!((filled.max_element() - FILL).abs() < 0.01, "{filled}");
            assert_eq!(fit.middle, bounds.center());
        }
        assert_eq!(fit([], overview(Vec3::ONE, 0.0), 1.0, 1.0), None);
        let corners = Aabb::new(Vec3::ZERO, Vec3::ONE).corners();
        let with_others = [&corners[..], &[Vec3::INFINITY, Vec3::NAN]].concat();
        let along = overview(Vec3::ONE, 0.0);
        assert_eq!(fit(with_others, along, 1.0, 1.0), fit(corners, along, 1.0, 1.0), "what is nowhere does not count");
        assert!(fit([Vec3::NAN], overview(Vec3::ONE, 0.0), 1.0, 1.0).is_none());
    }
}
