//! From where in a cell a corner is seen: a cone, in twelve bytes with the corner.

use glam::DVec2;

/// A corner that a part of a cell sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    /// Directions from the corner as diamond angles ([`diamond_angle`]): between them it is seen. Without limits (the corner
    /// lies on the cell) both are [`EVERYWHERE`].
    pub(super) left: i32,
    pub(super) right: i32,
    pub(super) corner: u32,
}

/// No direction.
const EVERYWHERE: i32 = i32::MIN;
/// So many units of a diamond angle are a quarter turn.
const QUARTER: f64 = (1 << 30) as f64;

/// A direction as a number of 32 bits, [`EVERYWHERE`] for none: where it meets the square through (1, 0) and (0, 1), counted along
/// the square from (1, 0). That is as precise as 10⁻⁹ radians, and told without a sine.
fn diamond_angle(way: DVec2) -> i32 {
    let length = way.x.abs() + way.y.abs();
    if length == 0.0 {
        return EVERYWHERE;
    }
    let angle = ((1.0 - way.x / length) * QUARTER).copysign(way.y);
    (angle.round() as i32).max(EVERYWHERE + 1)
}

/// The direction of a diamond angle, not of length 1.
#[inline]
fn diamond_direction(angle: i32) -> DVec2 {
    let quarters = f64::from(angle) / QUARTER;
    let x = 1.0 - quarters.abs();
    DVec2::new(x, (1.0 - x.abs()).copysign(quarters))
}

impl Sight {
    pub(super) fn between(left: DVec2, right: DVec2, corner: u32) -> Self {
        let [left, right] = [left, right].map(diamond_angle);
        Self { left, right, corner }
    }

    /// The left limit, zero without one.
    pub(super) fn left(&self) -> DVec2 {
        if self.left == EVERYWHERE { DVec2::ZERO } else { diamond_direction(self.left) }
    }

    /// The right limit, zero without one.
    pub(super) fn right(&self) -> DVec2 {
        if self.right == EVERYWHERE { DVec2::ZERO } else { diamond_direction(self.right) }
    }

    /// Whether a point of the cell, at this offset from the corner, sees it.
    #[inline]
    pub(super) fn is_seen(&self, offset: DVec2) -> bool {
        // A point that is off by rounding sees it past the corner that a right path would graze.
        let slack = 2e-7 * (offset.x.abs() + offset.y.abs());
        self.left == EVERYWHERE
            || (diamond_direction(self.left).perp_dot(offset) <= slack
                && diamond_direction(self.right).perp_dot(offset) >= -slack)
    }
}
