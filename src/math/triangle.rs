//! Single triangles: normal, area, heights, nearest points.

use super::Aabb;
use super::plan::to_plan;
use glam::{Vec2, Vec3};

/// Unit normal by the right-hand rule; `None` for a triangle without area or with non-finite corners.
pub fn normal(points: &[Vec3; 3]) -> Option<Vec3> {
    (points[1] - points[0]).cross(points[2] - points[0]).try_normalize()
}

/// How much a cosine may be less than that of the steepest slope: what normals of single precision are rounded by, so that
/// a ramp of just that slope is walkable whatever its size.
const SLOPE_ROUNDING: f32 = 4.0 * f32::EPSILON;

/// The least upward part of the unit normal of ground that is no steeper than a slope, radians.
pub fn min_up(slope_rad: f32) -> f32 {
    slope_rad.cos() - SLOPE_ROUNDING
}

/// Area; NaN only when corners are.
pub fn area(points: &[Vec3; 3]) -> f32 {
    (points[1] - points[0]).cross(points[2] - points[0]).length() * 0.5
}

/// Mean of the corners.
pub fn center(points: &[Vec3; 3]) -> Vec3 {
    (points[0] + points[1] + points[2]) / 3.0
}

/// The bits of the corners in an order of their own: the same for triangles that coincide, whichever corner comes first.
pub fn corner_bits(points: &[Vec3; 3]) -> [[u32; 3]; 3] {
    // Adding zero makes both zeros one.
    let mut corners = points.map(|p| (p + Vec3::ZERO).to_array().map(f32::to_bits));
    corners.sort_unstable();
    corners
}

/// Bounding box.
pub fn aabb(points: &[Vec3; 3]) -> Aabb {
    Aabb::from_points(points.iter().copied())
}

/// Height (y) of the triangle's plane above `xz`, when `xz` lies inside or on its projection;
/// `None` outside it, and for triangles that are vertical or have no area.
pub fn height_at(points: &[Vec3; 3], xz: Vec2) -> Option<f32> {
    let [a, b, c] = points.map(to_plan);
    let (ab, ac, ap) = (b - a, c - a, xz - a);
    let det = ab.perp_dot(ac);
    if !(det.abs() > 1e-9 * (ab.length_squared() + ac.length_squared())) {
        return None;
    }
    let (u, v) = (ap.perp_dot(ac) / det, ab.perp_dot(ap) / det);
    let eps = 1e-5;
    (u >= -eps && v >= -eps && u + v <= 1.0 + eps)
        .then(|| points[0].y + u * (points[1].y - points[0].y) + v * (points[2].y - points[0].y))
}

/// The point of the triangle nearest to `p`. (Ericson, Real-Time Collision Detection, 5.1.5; falls back to
/// the edges when there is no area.)
pub fn closest_point(points: &[Vec3; 3], p: Vec3) -> Vec3 {
    let [a, b, c] = *points;
    let (ab, ac) = (b - a, c - a);
    let n = ab.cross(ac);
    let nn = n.length_squared();
    if nn > 0.0 && nn.is_finite() {
        let ap = p - a;
        let v = ap.cross(ac).dot(n) / nn;
        let w = ab.cross(ap).dot(n) / nn;
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            return a + ab * v + ac * w;
        }
    }
    [(a, b), (b, c), (c, a)]
        .into_iter()
        .map(|(s, e)| closest_point_on_segment(s, e, p))
        .min_by(|x, y| x.distance_squared(p).total_cmp(&y.distance_squared(p)))
        .unwrap_or(a)
}

/// The point of the segment from `a` to `b` nearest to `p`; `a` for a segment without length.
pub fn closest_point_on_segment(a: Vec3, b: Vec3, p: Vec3) -> Vec3 {
    let d = b - a;
    let dd = d.length_squared();
    if dd > 0.0 { a + d * ((p - a).dot(d) / dd).clamp(0.0, 1.0) } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degenerate_triangles_have_no_normal_and_no_height() {
        let line = [Vec3::ZERO, Vec3::X, Vec3::X * 3.0];
        assert_eq!(normal(&line), None);
        assert_eq!(height_at(&line, Vec2::new(0.5, 0.0)), None);
        let wall = [Vec3::ZERO, Vec3::X, Vec3::Y];
        assert_eq!(height_at(&wall, Vec2::new(0.5, 0.0)), None);
        assert_eq!(closest_point(&line, Vec3::new(2.0, 1.0, 0.0)), Vec3::X * 2.0);
    }

    #[test]
    fn height_interpolates_either_winding() {
        let t = [Vec3::ZERO, Vec3::new(2.0, 2.0, 0.0), Vec3::new(0.0, 0.0, 2.0)];
        let flipped = [t[0], t[2], t[1]];
        for tri in [t, flipped] {
            let h = height_at(&tri, Vec2::new(1.0, 0.5)).unwrap();
            assert!((h - 1.0).abs() < 1e-6);
        }
        assert_eq!(height_at(&t, Vec2::new(2.0, 2.0)), None);
    }
}
