//! Convex polygons in the plane: splitting, clipping, subtracting. Counter-clockwise (positive area), double precision.

use glam::{DVec2, Vec3};
use smallvec::SmallVec;

/// The corners of a polygon of a few corners.
pub(super) type FewCorners = SmallVec<[DVec2; 8]>;

/// The corners of a face.
pub(super) type Corners = SmallVec<[Vec3; 4]>;

/// Corners nearer to each other than this are one, metres.
const SAME: f64 = 1e-5;

/// Twice the signed area.
pub(super) fn double_area(polygon: &[DVec2]) -> f64 {
    let Some(&first) = polygon.first() else { return 0.0 };
    polygon[1..].windows(2).map(|w| (w[0] - first).perp_dot(w[1] - first)).sum()
}

/// Smallest height of the polygon over its longest edge or diagonal, near enough.
pub(super) fn width(polygon: &[DVec2]) -> f64 {
    let (a, b) = farthest(polygon);
    let longest = a.distance(b);
    if longest > 0.0 { double_area(polygon).abs() / longest } else { 0.0 }
}

/// The two corners that lie farthest apart.
pub(super) fn farthest(polygon: &[DVec2]) -> (DVec2, DVec2) {
    let mut best = (DVec2::ZERO, DVec2::ZERO);
    for (i, &a) in polygon.iter().enumerate() {
        for &b in &polygon[i + 1..] {
            if a.distance_squared(b) >= best.0.distance_squared(best.1) {
                best = (a, b);
            }
        }
    }
    best
}

/// The part of `polygon` on the left of the line through `a` along `direction`; empty when there is no such part.
pub(super) fn left_of(polygon: &[DVec2], a: DVec2, direction: DVec2) -> FewCorners {
    let direction = direction.normalize_or_zero();
    let side = |p: DVec2| direction.perp_dot(p - a);
    let mut left = FewCorners::new();
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (s, t) = (side(p), side(q));
        if s >= -SAME {
            push(&mut left, p);
        }
        if (s > SAME && t < -SAME) || (s < -SAME && t > SAME) {
            push(&mut left, p + (q - p) * (s / (s - t)));
        }
    }
    closed(left)
}

fn push(polygon: &mut FewCorners, p: DVec2) {
    if polygon.last().is_none_or(|l| l.distance_squared(p) > SAME * SAME) {
        polygon.push(p);
    }
}

/// Drops a last corner that repeats the first, and polygons without extent.
fn closed(mut polygon: FewCorners) -> FewCorners {
    if polygon.len() > 1 && polygon[0].distance_squared(polygon[polygon.len() - 1]) <= SAME * SAME {
        polygon.pop();
    }
    if polygon.len() < 3 || !(double_area(&polygon) > SAME * SAME) || width(&polygon) <= SAME * 4.0 {
        polygon.clear();
    }
    polygon
}

/// The common part of two polygons.
pub(super) fn intersection(polygon: &[DVec2], other: &[DVec2]) -> FewCorners {
    let mut rest = FewCorners::from_slice(polygon);
    for (i, &a) in other.iter().enumerate() {
        let b = other[(i + 1) % other.len()];
        rest = left_of(&rest, a, b - a);
        if rest.is_empty() {
            break;
        }
    }
    rest
}

/// The part of the segment from `a` to `b` that lies more than `inset` inside the polygon (outside of it by less than
/// that, when negative).
pub(super) fn clip_segment(polygon: &[DVec2], a: DVec2, b: DVec2, inset: f64) -> Option<(DVec2, DVec2)> {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (i, &v) in polygon.iter().enumerate() {
        let inward = (polygon[(i + 1) % polygon.len()] - v).normalize_or_zero().perp();
        let (s, t) = (inward.dot(a - v) - inset, inward.dot(b - v) - inset);
        if s < 0.0 && t < 0.0 {
            return None;
        }
        if s < 0.0 {
            from = from.max(s / (s - t));
        } else if t < 0.0 {
            to = to.min(s / (s - t));
        }
    }
    (from < to).then(|| (a.lerp(b, from), a.lerp(b, to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(size: f64) -> Vec<DVec2> {
        [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| DVec2::new(x, y) * size).to_vec()
    }

    #[test]
    fn the_common_part_has_its_area() {
        let hole: Vec<DVec2> = square(2.0).iter().map(|p| *p + DVec2::new(1.0, 1.5)).collect();
        assert!((double_area(&intersection(&square(4.0), &hole)) - 8.0).abs() < 1e-9);
        let beyond: Vec<DVec2> = square(2.0).iter().map(|p| *p + DVec2::splat(4.0)).collect();
        assert!(intersection(&square(4.0), &beyond).is_empty());
    }

    #[test]
    fn a_line_along_the_border_splits_nothing() {
        let [left, right] = [DVec2::X, -DVec2::X].map(|along| left_of(&square(1.0), DVec2::ZERO, along));
        assert_eq!((left.len(), right.len()), (4, 0));
        assert!(left_of(&[], DVec2::ZERO, DVec2::X).is_empty());
        assert_eq!(left_of(&square(1.0), DVec2::ZERO, DVec2::ZERO).len(), 4);
    }

    #[test]
    fn segments_are_cut_to_the_inside() {
        let (a, b) = clip_segment(&square(1.0), DVec2::new(-1.0, 0.5), DVec2::new(2.0, 0.5), 0.1).unwrap();
        assert!(a.distance(DVec2::new(0.1, 0.5)) < 1e-9 && b.distance(DVec2::new(0.9, 0.5)) < 1e-9);
        assert!(clip_segment(&square(1.0), DVec2::ZERO, DVec2::X, 0.01).is_none());
    }
}
