//! Common tangents of circles that are passed to the left or to the right.

use glam::DVec2;

/// Circles that overlap by less than this part of their radii touch.
const TOUCH: f64 = 1e-9;
/// Angles below this are none, radians, and their sines.
pub(super) const NO_ANGLE: f64 = 1e-9;

/// A part of a common tangent of two circles, between the points where it touches them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangent {
    pub(super) from: DVec2,
    pub(super) to: DVec2,
    /// Unit direction.
    pub(super) along: DVec2,
    pub(super) length: f64,
}

/// The tangent of two circles: middle and radius, which is positive where the circle lies to the left of the tangent. `None`
/// where one lies within the other, or where they overlap and lie to different sides.
pub(super) fn tangent((a, radius_a): (DVec2, f64), (b, radius_b): (DVec2, f64)) -> Option<Tangent> {
    let (between, aside) = (b - a, radius_b - radius_a);
    let squared = between.length_squared();
    if squared == 0.0 && radius_a == 0.0 && radius_b == 0.0 {
        return Some(Tangent { from: a, to: b, along: DVec2::ZERO, length: 0.0 });
    }
    let rest = squared - aside * aside;
    if !(squared > 0.0 && rest >= -TOUCH * aside * aside) {
        return None;
    }
    let length = rest.max(0.0).sqrt();
    // The vector between the middles is `length` along the tangent and `aside` across it.
    let along = ((between * length - between.perp() * aside) / squared).normalize_or_zero();
    let across = along.perp();
    Some(Tangent { from: a - across * radius_a, to: b - across * radius_b, along, length })
}

/// The angle from one unit direction to another, counted to the left (1) or to the right (-1): between minus and plus half a
/// turn.
pub(super) fn arc_angle(from: DVec2, to: DVec2, turn: f64) -> f64 {
    (turn * from.perp_dot(to)).atan2(from.dot(to))
}

/// Whether a unit direction lies between two others, which are at most half a turn apart, the right one first, or beside them by
/// an angle with this sine.
pub(super) fn is_between([right, left]: [DVec2; 2], way: DVec2, beside: f64) -> bool {
    right.perp_dot(way) >= -beside && way.perp_dot(left) >= -beside && (right + left).dot(way) >= -beside
}
