//! Obstacle shapes: a convex footprint and a range of heights.

use crate::math::plan;
use glam::{DVec2, DVec3};
use thiserror::Error;

/// Numbers of corners that a footprint may have.
const CORNER_COUNTS: std::ops::RangeInclusive<usize> = 3..=32;
/// Corners of the footprint of a cylinder, which contains the circle.
const CYLINDER_CORNERS: u32 = 12;
/// Tolerated concavity of a corner, as a fraction of the product of its edges' lengths.
const MAX_CONCAVITY: f64 = 1e-6;
/// Shortest edge and smallest width of a footprint, metres.
const MIN_SIZE: f64 = 1e-3;
/// Largest coordinate, metres.
const MAX_COORDINATE: f64 = 1e7;
/// A grown corner farther away than this many margins is bevelled.
const MITER_LIMIT: f64 = 2.0;

/// A convex obstacle, world space.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Corners of the convex footprint, x and z, 3 to 32, of either winding.
    pub footprint: Vec<DVec2>,
    /// Lowest blocked height; ground below is unaffected.
    pub low: f64,
    /// Highest blocked height; ground above is unaffected.
    pub high: f64,
}

/// Why an obstacle was refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ObstacleError {
    #[error("the obstacle's footprint has {0} corners; 3 to 32 are possible, so leave some out")]
    Corners(usize),
    #[error(
        "corner {0} of the obstacle's footprint is not finite or lies over {MAX_COORDINATE} m away; place it on the level"
    )]
    BadCorner(usize),
    #[error("the obstacle blocks heights from {low} to {high}; both have to be finite and the second not lower")]
    Heights { low: f64, high: f64 },
    #[error("corners {0} and {1} of the obstacle's footprint lie less than {MIN_SIZE} m apart; leave one out")]
    Twice(usize, usize),
    #[error("the obstacle's footprint is not convex at corner {0}; split it there")]
    NotConvex(usize),
    #[error("the obstacle's footprint is less than {MIN_SIZE} m wide; make it wider")]
    Thin,
    #[error("there is no obstacle {0}; it was removed, or is of another mesh")]
    Unknown(u32),
    #[error("there is no polygon {0} among the {1} of the mesh without obstacles; look it up there")]
    NoSuchPolygon(u32, usize),
}

impl Obstacle {
    /// A box, rotated about the vertical axis. The signs of its half extents along x and z do not matter.
    pub fn cuboid(center: DVec3, half: DVec3, yaw_rad: f64) -> Self {
        let (sin, cos) = yaw_rad.sin_cos();
        let corner = |x: f64, z: f64| {
            let (x, z) = (x * half.x, z * half.z);
            DVec2::new(center.x + x * cos + z * sin, center.z - x * sin + z * cos)
        };
        let footprint = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        Self { footprint, low: center.y - half.y, high: center.y + half.y }
    }

    /// A vertical cylinder; its footprint has twelve corners. The sign of the radius does not matter.
    pub fn cylinder(center_bottom: DVec3, radius: f64, height: f64) -> Self {
        let step = std::f64::consts::TAU / f64::from(CYLINDER_CORNERS);
        let reach = radius / (step * 0.5).cos();
        let corner = |i: u32| {
            let (sin, cos) = (f64::from(i) * step).sin_cos();
            DVec2::new(center_bottom.x + reach * cos, center_bottom.z + reach * sin)
        };
        Self {
            footprint: (0..CYLINDER_CORNERS).map(corner).collect(),
            low: center_bottom.y,
            high: center_bottom.y + height,
        }
    }

    /// Grows the footprint by `margin` metres on all sides, for meshes that keep an agent's radius from walls. Sharp
    /// corners are bevelled, never nearer than the margin. A negative margin changes nothing. A footprint of 31 corners
    /// or more may get more than [`check`](Self::check) allows, and one grown by less than a millimetre edges that are
    /// too short for it.
    pub fn grown(&self, margin: f64) -> Self {
        let count = self.footprint.len();
        if !(margin > 0.0 && margin.is_finite() && count >= 3) {
            return self.clone();
        }
        let sign = plan::area(&self.footprint).signum();
        let mut footprint = Vec::with_capacity(count + 2);
        for i in 0..count {
            let (a, b, c) =
                (self.footprint[(i + count - 1) % count], self.footprint[i], self.footprint[(i + 1) % count]);
            let (d, e) = ((b - a).normalize_or_zero(), (c - b).normalize_or_zero());
            // Outward normals.
            let (n, m) = (-d.perp() * sign, -e.perp() * sign);
            let cos_squared = (1.0 + n.dot(m)) * 0.5;
            if cos_squared * MITER_LIMIT * MITER_LIMIT >= 1.0 {
                footprint.push(b + (n + m) * (margin * 0.5 / cos_squared));
            } else {
                let (cos, sin) = (cos_squared.max(0.0).sqrt(), (1.0 - cos_squared).max(0.0).sqrt());
                let along = (1.0 - cos) / sin.max(1e-9);
                footprint.push(b + (n + d * along) * margin);
                footprint.push(b + (m - e * along) * margin);
            }
        }
        Self { footprint, ..*self }
    }

    /// Checks the shape.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self) -> Result<(), ObstacleError> {
        let count = self.footprint.len();
        if !CORNER_COUNTS.contains(&count) {
            return Err(ObstacleError::Corners(count));
        }
        if let Some(i) =
            self.footprint.iter().position(|p| !(p.x.abs() <= MAX_COORDINATE && p.y.abs() <= MAX_COORDINATE))
        {
            return Err(ObstacleError::BadCorner(i));
        }
        if !(self.low.is_finite() && self.high.is_finite() && self.low <= self.high) {
            return Err(ObstacleError::Heights { low: self.low, high: self.high });
        }
        let at = |i: usize| self.footprint[i % count];
        if let Some(i) = (0..count).find(|&i| at(i).distance(at(i + 1)) < MIN_SIZE) {
            return Err(ObstacleError::Twice(i, (i + 1) % count));
        }
        if let Some(corner) = plan::first_reflex_corner(&self.footprint, MAX_CONCAVITY) {
            return Err(ObstacleError::NotConvex(corner));
        }
        let width = |i: usize| {
            let along = (at(i + 1) - at(i)).normalize_or_zero();
            (0..count).map(|k| along.perp_dot(at(k) - at(i)).abs()).fold(0.0, f64::max)
        };
        if (0..count).any(|i| width(i) < MIN_SIZE) {
            return Err(ObstacleError::Thin);
        }
        Ok(())
    }

    /// The lines of its edges, relative to `origin`.
    pub(super) fn lines(&self, origin: DVec3) -> Vec<FootprintSide> {
        let sign = plan::area(&self.footprint).signum();
        let local = |p: DVec2| p - DVec2::new(origin.x, origin.z);
        let next = self.footprint.iter().cycle().skip(1);
        let line = |(&a, &b): (&DVec2, &DVec2)| {
            let out = -(b - a).normalize_or_zero().perp() * sign;
            FootprintSide { out, at: out.dot(local(a)) }
        };
        self.footprint.iter().zip(next).map(line).filter(|l| l.out != DVec2::ZERO).collect()
    }
}

/// The line of a footprint's edge, in the xz plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FootprintSide {
    /// Outward normal, of length 1.
    pub out: DVec2,
    /// Distance of the line from the origin along the normal.
    pub at: f64,
}

impl FootprintSide {
    /// Signed distance of a point, positive outside.
    #[inline]
    pub fn off(&self, point: DVec2) -> f64 {
        self.out.dot(point) - self.at
    }
}
