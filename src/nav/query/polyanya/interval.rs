//! Intervals of portals: what a root sees through portals and around corners, by exact signs.

use glam::DVec2;

use super::mesh::{Corner, PolyanyaMesh, Portal};

/// The way that a path turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Left,
    Right,
}

/// A portal as a root sees it: its ends, relative to the root, and the part between two rays that is seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct VisiblePortal {
    pub(super) a: DVec2,
    pub(super) b: DVec2,
    pub(super) view: Interval,
}

/// The interval of a portal that a root sees, between two rays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    /// Directions from the root, differences of original points.
    pub(super) left: DVec2,
    pub(super) right: DVec2,
    pub(super) portal: u32,
    /// Whether the ray ends at the portal's own end: then paths may turn there.
    pub(super) left_end: bool,
    pub(super) right_end: bool,
}

impl VisiblePortal {
    /// All of a portal.
    #[inline]
    pub(super) fn whole(portal: u32, a: DVec2, b: DVec2) -> Self {
        Self { a, b, view: Interval { left: b, right: a, portal, left_end: true, right_end: true } }
    }

    /// For a portal in one line with its root: a path along it may turn at its nearer end, around this corner; around both
    /// where the portal has no width.
    pub(super) fn nearer_ends(&self, portal: &Portal) -> impl Iterator<Item = (u32, Side)> {
        let is_a_nearer = self.a.length_squared() < self.b.length_squared();
        let right = (is_a_nearer || self.a == self.b).then_some((portal.corner_a, Side::Right));
        let left = (!is_a_nearer).then_some((portal.corner_b, Side::Left));
        right.into_iter().chain(left)
    }
}

impl Interval {
    /// What is seen beyond of the next portals.
    #[inline]
    pub(super) fn through(&self, net: &PolyanyaMesh, root: DVec2, mut f: impl FnMut(VisiblePortal)) {
        let entry = &net.portals[self.portal as usize];
        let cell = &net.cells[entry.to as usize];
        for portal in (entry.twin + 1..cell.end).chain(cell.first..entry.twin) {
            let p = &net.portals[portal as usize];
            let (a, b) = (p.a - root, p.b - root);
            let (a_left, b_right) = (self.left.perp_dot(a), self.right.perp_dot(b));
            if b_right > 0.0 && a_left < 0.0 {
                let (left_end, right_end) = (!(self.left.perp_dot(b) > 0.0), !(self.right.perp_dot(a) < 0.0));
                let left = if left_end { b } else { self.left };
                let right = if right_end { a } else { self.right };
                f(VisiblePortal { a, b, view: Interval { left, right, portal, left_end, right_end } });
            } else if a_left > 0.0 {
                break;
            } else if (b_right == 0.0 && self.right_end && self.right.perp_dot(a) == 0.0)
                || (a_left == 0.0 && self.left_end && self.left.perp_dot(b) == 0.0)
            {
                f(VisiblePortal::whole(portal, a, b));
            }
        }
    }
}

impl Corner {
    /// Whether the wall on that side begins within half a turn from the ray on: else the turn is a detour.
    #[inline]
    pub(super) fn turns(&self, ray: DVec2, side: Side) -> bool {
        let (wall, sign) = if side == Side::Right { (self.right_wall, 1.0) } else { (self.left_wall, -1.0) };
        let beside = sign * ray.perp_dot(wall);
        beside < 0.0 || (beside == 0.0 && ray.dot(wall) < 0.0) || self.spiral
    }

    /// Whether a path that arrives along a ray and turns to a side can go on this way: between the ray and the wall.
    #[inline]
    pub(super) fn goes_on(&self, ray: DVec2, side: Side, way: DVec2) -> bool {
        let (wall, sign) = if side == Side::Right { (self.right_wall, 1.0) } else { (self.left_wall, -1.0) };
        self.spiral || (sign * ray.perp_dot(way) <= 0.0 && sign * wall.perp_dot(way) >= 0.0)
    }

    /// Whether of two rays that turn to a side the first leaves more to be seen than the other.
    #[inline]
    pub(super) fn is_wider(&self, ray: DVec2, other: DVec2, side: Side) -> bool {
        let beside = other.perp_dot(ray);
        !self.spiral && if side == Side::Right { beside > 0.0 } else { beside < 0.0 }
    }

    /// The portals seen between the ray, which arrives here, and the wall on that side.
    #[inline]
    pub(super) fn beside(&self, net: &PolyanyaMesh, ray: DVec2, side: Side, mut f: impl FnMut(VisiblePortal)) {
        let portals = &net.seen[self.seen as usize..self.seen_end as usize];
        let right = side == Side::Right;
        for i in 0..portals.len() {
            let portal = portals[if right { i } else { portals.len() - 1 - i }];
            let p = &net.portals[portal as usize];
            let (a, b) = (p.a - self.at, p.b - self.at);
            let mut seen = VisiblePortal::whole(portal, a, b);
            if !self.spiral {
                let (near, far, sign) = if right { (a, b, 1.0) } else { (b, a, -1.0) };
                let (beside, cut) = (sign * ray.perp_dot(near), sign * ray.perp_dot(far));
                if beside > 0.0 || (beside == 0.0 && cut != 0.0 && ray.dot(near) > 0.0) {
                    break;
                }
                if cut > 0.0 {
                    let view = &mut seen.view;
                    if right {
                        (view.left, view.left_end) = (ray, false);
                    } else {
                        (view.right, view.right_end) = (ray, false);
                    }
                }
            }
            f(seen);
        }
    }
}
