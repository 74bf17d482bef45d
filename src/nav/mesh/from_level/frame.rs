//! A triangle of ground as what covers it is measured: seen from above, with heights over its plane.

use super::convex::{self, FewCorners};
use glam::{DVec2, DVec3, Vec3};
use smallvec::SmallVec;

/// A triangle of ground in its own frame: x and z from its first corner, heights above its plane.
pub(super) struct Frame {
    /// The first corner.
    pub(super) origin: DVec3,
    slope: DVec2,
    /// The corners seen from above, counter-clockwise.
    pub(super) outline: [DVec2; 3],
}

impl Frame {
    /// The frame of a triangle that is not upright.
    pub(super) fn new(points: &[Vec3; 3]) -> Self {
        let [a, b, c] = points.map(|p| p.as_dvec3());
        let n = (b - a).cross(c - a);
        let mut frame = Self { origin: a, slope: DVec2::new(-n.x, -n.z) / n.y, outline: [DVec2::ZERO; 3] };
        frame.outline = [a, b, c].map(|p| frame.place(p).0);
        if convex::double_area(&frame.outline) < 0.0 {
            frame.outline.reverse();
        }
        frame
    }

    /// Place seen from above, and height over the plane.
    pub(super) fn place(&self, p: DVec3) -> (DVec2, f64) {
        let d = p - self.origin;
        let xz = DVec2::new(d.x, d.z);
        (xz, d.y - self.slope.dot(xz))
    }

    /// Whether a face of three or four corners lies farther than `margin` metres beyond one edge of the outline, seen from above.
    pub(super) fn is_beside(&self, points: &[Vec3], margin: f64) -> bool {
        let mut corners = [DVec2::ZERO; 4];
        let corners = &mut corners[..points.len().min(4)];
        corners.iter_mut().zip(points).for_each(|(corner, p)| *corner = self.place(p.as_dvec3()).0);
        (0..self.outline.len()).any(|i| {
            let (a, b) = (self.outline[i], self.outline[(i + 1) % self.outline.len()]);
            let edge = b - a;
            let least = margin * edge.length();
            // Outwards is on the right of an edge.
            corners.iter().all(|&p| -edge.perp_dot(p - a) > least)
        })
    }

    /// Outline, seen from above, of the part of a face between two heights.
    pub(super) fn slice(&self, points: &[Vec3], low: f64, high: f64) -> FewCorners {
        let corners: PlacedCorners = points.iter().map(|p| self.place(p.as_dvec3())).collect();
        let above = cut_heights(&corners, |h| h - low);
        cut_heights(&above, |h| high - h).into_iter().map(|(xz, _)| xz).collect()
    }
}

/// Corners seen from above, with their heights.
type PlacedCorners = SmallVec<[(DVec2, f64); 8]>;

fn cut_heights(corners: &[(DVec2, f64)], inside: impl Fn(f64) -> f64) -> PlacedCorners {
    let mut out = PlacedCorners::new();
    for (i, &(p, h)) in corners.iter().enumerate() {
        let (q, k) = corners[(i + 1) % corners.len()];
        let (s, t) = (inside(h), inside(k));
        if s >= 0.0 {
            out.push((p, h));
        }
        if (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0) {
            let at = s / (s - t);
            out.push((p.lerp(q, at), h + (k - h) * at));
        }
    }
    out
}

/// A wall's footprint with `clearance` metres all around.
pub(super) fn slab(a: DVec2, b: DVec2, clearance: f64) -> [DVec2; 4] {
    let along = (b - a).try_normalize().unwrap_or(DVec2::X) * clearance;
    let aside = along.perp();
    [a - along - aside, b + along - aside, b + along + aside, a - along + aside]
}
