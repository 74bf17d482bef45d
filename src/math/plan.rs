//! Geometry in plan view: seen from above, in the plane of x and z.
//!
//! Signs of areas are exact for single-precision points ([`cross`] computes in double precision, in which differences
//! and products of such numbers fit); lengths and nearest points are in the precision of their arguments.

use std::ops::{Add, Div, Mul, Sub};

use glam::{DVec2, DVec3, Vec2, Vec3};

/// The x and z of a point or direction, in the units of `p`.
#[inline]
pub const fn to_plan(p: Vec3) -> Vec2 {
    Vec2::new(p.x, p.z)
}

/// As [`to_plan`], in double precision.
#[inline]
pub fn to_plan_f64(p: Vec3) -> DVec2 {
    p.plan()
}

/// A point that can be seen from above: a point in space, or one that is in the plan already.
pub trait PlanPoint: Copy {
    /// Its place in the plan.
    fn plan(self) -> DVec2;
}

impl PlanPoint for Vec2 {
    #[inline]
    fn plan(self) -> DVec2 {
        self.as_dvec2()
    }
}

impl PlanPoint for Vec3 {
    #[inline]
    fn plan(self) -> DVec2 {
        DVec2::new(f64::from(self.x), f64::from(self.z))
    }
}

impl PlanPoint for DVec2 {
    #[inline]
    fn plan(self) -> DVec2 {
        self
    }
}

impl PlanPoint for DVec3 {
    #[inline]
    fn plan(self) -> DVec2 {
        DVec2::new(self.x, self.z)
    }
}

/// Twice the signed area of the triangle a, b, c (Shewchuk's `orient2d`): positive when it is counter-clockwise in the
/// plane of x and z. The sign is exact for single-precision points of one mesh; no fused multiply-add is used.
#[inline]
pub fn cross<P: PlanPoint>(a: P, b: P, c: P) -> f64 {
    let (a, b, c) = (a.plan(), b.plan(), c.plan());
    (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)
}

/// The angle counter-clockwise from one direction to another between which a convex cell lies: 0 to half a turn and rounding. Half a
/// turn stays so whatever the signs of zeros are.
pub fn inner_angle(from: DVec2, to: DVec2) -> f64 {
    let angle = from.perp_dot(to).atan2(from.dot(to));
    if angle < -std::f64::consts::FRAC_PI_2 { angle + std::f64::consts::TAU } else { angle.max(0.0) }
}

/// Squared horizontal distance.
#[inline]
pub fn distance_squared(a: Vec3, b: Vec3) -> f32 {
    to_plan(b - a).length_squared()
}

/// Horizontal distance.
#[inline]
pub fn distance(a: Vec3, b: Vec3) -> f32 {
    distance_squared(a, b).sqrt()
}

/// Signed area of a polygon, positive when it is counter-clockwise in the plane of x and z; 0 below three corners.
pub fn area<P: PlanPoint>(polygon: &[P]) -> f64 {
    let Some((&first, rest)) = polygon.split_first() else { return 0.0 };
    rest.windows(2).map(|w| cross(first, w[0], w[1])).sum::<f64>() * 0.5
}

/// The first corner that makes a polygon of either winding not convex: a reflex one, whose turn has a [`cross`] beyond
/// `tolerance` times the lengths of its edges, or at which the outline turns back upon itself, whose cross is small, too;
/// corner 0 when the polygon winds around itself more than once.
pub fn first_reflex_corner<P: PlanPoint>(polygon: &[P], tolerance: f64) -> Option<usize> {
    let (count, sign) = (polygon.len(), area(polygon).signum());
    let mut turned = 0.0;
    for i in 0..count {
        let [a, b, c] = [i, i + 1, i + 2].map(|k| polygon[k % count].plan());
        let (e, f) = (b - a, c - b);
        let turn = cross(a, b, c) * sign;
        let turns_back = turn <= 0.0 && e.dot(f) < 0.0;
        if turns_back || (turn < 0.0 && turn < -tolerance * (e.length() * f.length()).max(f64::MIN_POSITIVE)) {
            return Some((i + 1) % count);
        }
        // Four corners cannot wind twice.
        if count > 4 {
            // Beside an edge without length there is no turn: zeros made positive have the angle 0.
            turned += (turn + 0.0).atan2(e.dot(f) + 0.0);
        }
    }
    // A star that winds twice turns the same way at every corner, too.
    (turned > 1.5 * std::f64::consts::TAU).then_some(0)
}

/// A point that lies on segments: in the plan, or in space with a height that goes along.
pub trait SegmentPoint:
    Copy + PartialEq + Add<Output = Self> + Sub<Output = Self> + Mul<Self::Scalar, Output = Self>
{
    /// Its coordinates' type.
    type Scalar: Copy + Default + PartialOrd + Div<Output = Self::Scalar> + From<u8>;

    /// Scalar product in the plan.
    fn dot_in_plan(self, other: Self) -> Self::Scalar;
}

impl SegmentPoint for Vec2 {
    type Scalar = f32;

    #[inline]
    fn dot_in_plan(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y
    }
}

impl SegmentPoint for Vec3 {
    type Scalar = f32;

    #[inline]
    fn dot_in_plan(self, other: Self) -> f32 {
        self.x * other.x + self.z * other.z
    }
}

impl SegmentPoint for DVec2 {
    type Scalar = f64;

    #[inline]
    fn dot_in_plan(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }
}

/// Where a leg from one point to another crosses a gate with these ends; at its nearest point to the leg's start where the
/// leg runs along it.
pub fn gate_crossing([from, to]: [Vec3; 2], [left, right]: [Vec3; 2]) -> Vec3 {
    let (a, b) = (cross(from, to, left), cross(from, to, right));
    if (a - b).abs() > 1e-6 * f64::from(from.distance(to) * left.distance(right)) {
        left.lerp(right, (a / (a - b)).clamp(0.0, 1.0) as f32)
    } else {
        closest_on_segment(left, right, from)
    }
}

/// The point of the segment from `a` to `b` that is nearest to `point` in the plan: exactly an end beyond the ends, and
/// `a` when the segment is a point in the plan.
#[inline]
pub fn closest_on_segment<P: SegmentPoint>(a: P, b: P, point: P) -> P {
    let (zero, one) = (P::Scalar::default(), P::Scalar::from(1));
    let d = b - a;
    let length_squared = d.dot_in_plan(d);
    let t = if length_squared > zero { (point - a).dot_in_plan(d) / length_squared } else { zero };
    if t <= zero {
        a
    } else if t >= one {
        b
    } else {
        a + d * t
    }
}

/// Whether two segments cross in the plan, each within the other; not where one only touches the other.
#[inline]
pub fn segments_cross<P: PlanPoint>(p: [P; 2], q: [P; 2]) -> bool {
    let parts = |[a, b]: [P; 2], [c, d]: [P; 2]| cross(a, b, c) * cross(a, b, d) < 0.0;
    parts(p, q) && parts(q, p)
}

/// The points of two segments that are nearest to each other in the plan, each at the height of its own segment. Where
/// they cross, the second point lies a thousandth of the way from the crossing to the end of the second segment that is
/// nearest to the first, so that the two points give a direction.
pub fn closest_of_segments(p: (Vec3, Vec3), q: (Vec3, Vec3)) -> (Vec3, Vec3) {
    let ends = [
        (closest_on_segment(p.0, p.1, q.0), q.0),
        (closest_on_segment(p.0, p.1, q.1), q.1),
        (p.0, closest_on_segment(q.0, q.1, p.0)),
        (p.1, closest_on_segment(q.0, q.1, p.1)),
    ];
    let (p0, p1) = (cross(q.0, q.1, p.0), cross(q.0, q.1, p.1));
    let (q0, q1) = (cross(p.0, p.1, q.0), cross(p.0, p.1, q.1));
    let nearest = |list: &[(Vec3, Vec3)]| {
        let mut best = list[0];
        for &pair in &list[1..] {
            if distance_squared(pair.0, pair.1) < distance_squared(best.0, best.1) {
                best = pair;
            }
        }
        best
    };
    if p0 * p1 < 0.0 && q0 * q1 < 0.0 {
        let end = nearest(&ends[..2]).1;
        let (on_p, on_q) = (p.0.lerp(p.1, (p0 / (p0 - p1)) as f32), q.0.lerp(q.1, (q0 / (q0 - q1)) as f32));
        return (on_p, on_q.lerp(end, 1e-3));
    }
    nearest(&ends)
}

/// Clips a convex polygon by a half-plane (Sutherland and Hodgman, "Reentrant polygon clipping", 1974): calls `keep` with
/// the corners, in order, of the part where `side`, a linear function, is not negative. Works in the plan and in space.
#[inline]
pub fn clip_convex<P, S>(polygon: &[P], side: impl Fn(P) -> S, mut keep: impl FnMut(P))
where
    P: Copy + Add<Output = P> + Sub<Output = P> + Mul<S, Output = P>,
    S: Copy + Default + PartialOrd + Sub<Output = S> + Div<Output = S>,
{
    let zero = S::default();
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (s, t) = (side(p), side(q));
        if s >= zero {
            keep(p);
        }
        if (s > zero && t < zero) || (s < zero && t > zero) {
            keep(p + (q - p) * (s / (s - t)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [Vec3; 4] =
        [Vec3::ZERO, Vec3::new(2.0, 1.0, 0.0), Vec3::new(2.0, 1.0, 2.0), Vec3::new(0.0, 0.0, 2.0)];

    #[test]
    fn areas_are_signed_and_heights_do_not_count() {
        assert_eq!(area(&SQUARE), 4.0);
        let mut reversed = SQUARE;
        reversed.reverse();
        assert_eq!(area(&reversed), -4.0);
        assert_eq!((area::<Vec2>(&[]), area(&SQUARE[..2])), (0.0, 0.0));
        assert_eq!(area(&SQUARE.map(to_plan)), area(&SQUARE.map(Vec3::as_dvec3)));
        assert_eq!((distance(SQUARE[0], SQUARE[2]), distance_squared(SQUARE[0], SQUARE[1])), (8f32.sqrt(), 4.0));
    }

    #[test]
    fn signs_are_exact_where_single_precision_rounds() {
        let (a, b) = (Vec2::new(1e6, 1e6), Vec2::new(1e6 + 1.0, 1e6 + 1.0));
        let beside = Vec2::new(1e6 + 0.5, 1e6 + 0.5625);
        assert!(cross(a, b, beside) > 0.0 && cross(b, a, beside) < 0.0);
        assert_eq!(cross(a, b, a.lerp(b, 0.5)), 0.0);
    }

    #[test]
    fn reflex_corners_and_stars_are_not_convex() {
        assert_eq!(first_reflex_corner(&SQUARE, 0.0), None);
        let mut dented = SQUARE.map(to_plan).to_vec();
        dented.insert(3, Vec2::new(1.0, 1.5));
        assert_eq!(first_reflex_corner(&dented, 1e-3), Some(3));
        assert_eq!(first_reflex_corner(&dented, 0.9), None);
        let star: Vec<Vec2> = (0..5).map(|i| Vec2::from_angle(i as f32 * 0.8 * std::f32::consts::PI)).collect();
        assert_eq!(first_reflex_corner(&star, 0.0), Some(0));
    }

    #[test]
    fn corners_at_one_place_are_no_turn() {
        for (x, y) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)] {
            let mut corners = vec![(1.0, 0.0), (2.0, 1.0), (2.0, 2.0), (1.0, 3.0), (0.0, 2.0), (0.0, 1.0)];
            for twice in [4, 3] {
                corners.insert(twice, corners[twice]);
            }
            let mut outline: Vec<DVec2> =
                corners.iter().map(|&(u, v)| DVec2::new(u * x - v * y, u * y + v * x)).collect();
            assert_eq!(first_reflex_corner(&outline, 1e-3), None, "{x} {y}");
            outline.reverse();
            assert_eq!(first_reflex_corner(&outline, 1e-3), None, "{x} {y}");
        }
    }

    #[test]
    fn outlines_that_turn_back_upon_themselves_are_not_convex() {
        // Down the left side, back up and down again, on both sides of the line and on it.
        for off in [-1e-4, 0.0, 1e-4] {
            let corners = [(0.0, 4.0), (off, 1.0), (0.0, 2.0), (0.0, 0.0), (3.0, 2.0)];
            let mut outline = corners.map(|(x, y)| DVec2::new(x, y));
            assert!(first_reflex_corner(&outline, 1e-3).is_some(), "{off}");
            outline.reverse();
            assert!(first_reflex_corner(&outline, 1e-3).is_some(), "{off}");
        }
        // A needle turns back at its points, too, but to the same side as everywhere.
        let needle = [(0.0, 0.0), (1.0, -1e-5), (2.0, 0.0), (1.0, 1e-5)].map(|(x, y)| DVec2::new(x, y));
        assert_eq!(first_reflex_corner(&needle, 1e-3), None);
    }

    #[test]
    fn nearest_points_are_ends_exactly_or_lie_between() {
        let (a, b) = (Vec3::new(0.1, 3.0, 0.2), Vec3::new(0.7, 5.0, 0.2));
        assert_eq!(closest_on_segment(a, b, Vec3::new(9.0, 0.0, 1.0)), b);
        assert_eq!(closest_on_segment(a, b, Vec3::new(-9.0, 0.0, 1.0)), a);
        assert_eq!(closest_on_segment(a, a, b), a);
        assert!(closest_on_segment(a, b, Vec3::new(0.4, 0.0, 7.0)).distance(Vec3::new(0.4, 4.0, 0.2)) < 1e-6);
        assert_eq!(closest_on_segment(Vec2::ZERO, Vec2::X, Vec2::new(0.25, 4.0)), Vec2::new(0.25, 0.0));
        let (on_p, on_q) =
            closest_of_segments((Vec3::ZERO, Vec3::X), (Vec3::new(0.5, 0.0, 1.0), Vec3::new(0.5, 0.0, 4.0)));
        assert_eq!((on_p, on_q), (Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.5, 0.0, 1.0)));
        let (on_p, on_q) =
            closest_of_segments((Vec3::ZERO, Vec3::X), (Vec3::new(0.5, 0.0, -1.0), Vec3::new(0.5, 0.0, 4.0)));
        assert!(on_p.distance(Vec3::X * 0.5) < 1e-6 && distance(on_p, on_q) < 2e-3, "they cross");
        let (on_p, on_q) =
            closest_of_segments((Vec3::ZERO, Vec3::X), (Vec3::new(0.5, 3.0, -1.0), Vec3::new(0.5, 3.0, 4.0)));
        assert_eq!((on_p.y, on_q.y), (0.0, 3.0), "one passes above the other");
    }

    #[test]
    fn the_parts_on_both_sides_of_a_line_make_the_whole() {
        let side = |p: DVec2| p.x + 0.5 * p.y - 1.2;
        let square = SQUARE.map(to_plan_f64);
        let (mut right, mut left) = (Vec::new(), Vec::new());
        clip_convex(&square, side, |p| right.push(p));
        clip_convex(&square, |p| -side(p), |p| left.push(p));
        assert!((area(&right) + area(&left) - 4.0).abs() < 1e-12 && right.len() == 4 && left.len() == 4);
        let mut none = 0;
        clip_convex(&square, |p| p.x - 3.0, |_| none += 1);
        clip_convex(&[] as &[Vec3], |p| p.x, |_| none += 1);
        assert_eq!(none, 0);
        // A corner on the line belongs to both parts and adds none.
        let mut kept = Vec::new();
        clip_convex(&SQUARE, |p| p.x - p.z, |p| kept.push(p));
        assert_eq!(kept, SQUARE[..3]);
    }

    #[test]
    fn half_a_turn_is_one_for_zeros_of_any_sign() {
        for z in [0.0, -0.0] {
            let [east, west] = [DVec2::new(2.0, z), DVec2::new(-1.0, z)];
            assert_eq!([inner_angle(east, west), inner_angle(west, east)], [std::f64::consts::PI; 2]);
            assert_eq!(inner_angle(east, east), 0.0);
        }
        assert_eq!(inner_angle(DVec2::X, DVec2::new(1.0, -1e-9)), 0.0);
        assert!(inner_angle(DVec2::X, DVec2::new(-1.0, -1e-9)) > std::f64::consts::PI);
    }
}
