//! Off-mesh links on a path: those ahead, and the one that a character is on.

use super::STEP_SECS;
use crate::collide::settings::GRAVITY;
use crate::math::plan::to_plan;
use crate::nav::mesh::off_mesh::LinkKind;
use glam::Vec3;

/// Height of a jump's apex above its higher end, metres at scale 1.
const RISE: f32 = 0.15;
/// Height of a jump's apex above its higher end, as a share of its width; adds to [`RISE`].
const RISE_SHARE: f32 = 0.06;
/// Greatest horizontal speed of a jump as a multiple of the full speed; a longer jump rises higher instead.
const MAX_SPEED_FACTOR: f32 = 3.0;
/// Horizontal speed that every jump may have, metres per second at scale 1.
const MAX_SPEED: f32 = 4.5;
/// Speed of a character whose model has none, metres per second at scale 1.
const DEFAULT_SPEED: f32 = 1.4;
/// Longest traversal, steps.
const MAX_STEPS: f32 = 3600.0;
/// Segments in which a traversal is drawn.
pub(super) const LINE_SEGMENTS: u32 = 12;

/// An off-mesh link on the path ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkTraversal {
    /// Number of path points from the one at which the link starts to the end, itself included; the link ends at the
    /// next point.
    pub points_left: usize,
    /// Where it ends, world space.
    pub end: Vec3,
    /// How it is taken.
    pub kind: LinkKind,
}

/// An off-mesh link that a character is on: a parabola for a jump or a drop, one step for a teleport, a straight
/// line otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveTraversal {
    /// Its ends in world space.
    from: Vec3,
    pub(super) to: Vec3,
    /// Upward speed at the start of a parabola, metres per second; `None` on a straight line.
    pub(super) rise_speed: Option<f32>,
    /// Steps since its start.
    pub(super) elapsed: u32,
    /// Steps from end to end.
    pub(super) steps: u32,
}

impl ActiveTraversal {
    /// A traversal by a character of this full speed, metres per second, and scale.
    pub fn new(from: Vec3, to: Vec3, kind: LinkKind, full_speed: f32, scale: f32) -> Self {
        let speed = if full_speed > 0.0 { full_speed } else { DEFAULT_SPEED * scale };
        let is_ballistic = matches!(kind, LinkKind::Jump | LinkKind::Drop);
        let secs = if is_ballistic {
            let width = to_plan(from).distance(to_plan(to));
            let top = from.y.max(to.y) + if to.y < from.y { 0.5 } else { 1.0 } * (RISE * scale + RISE_SHARE * width);
            let fall = |height: f32| (2.0 * height.max(0.0) / GRAVITY).sqrt();
            (fall(top - from.y) + fall(top - to.y)).max(width / (speed * MAX_SPEED_FACTOR).max(MAX_SPEED * scale))
        } else if kind == LinkKind::Teleport {
            0.0
        } else {
            from.distance(to) / speed
        };
        let steps = (secs / STEP_SECS).ceil().clamp(1.0, MAX_STEPS);
        let secs = steps * STEP_SECS;
        let rise_speed = is_ballistic.then(|| (to.y - from.y) / secs + 0.5 * GRAVITY * secs);
        Self { from, to, rise_speed, elapsed: 0, steps: steps as u32 }
    }

    /// Position after so many steps, world space.
    pub(super) fn at(&self, step: f32) -> Vec3 {
        let straight = self.from.lerp(self.to, step / self.steps as f32);
        match self.rise_speed {
            Some(rise) => {
                let secs = step * STEP_SECS;
                straight.with_y(self.from.y + (rise - 0.5 * GRAVITY * secs) * secs)
            }
            None => straight,
        }
    }

    /// Speed over the ground, metres per second.
    pub(super) fn speed(&self) -> f32 {
        to_plan(self.from).distance(to_plan(self.to)) / (self.steps as f32 * STEP_SECS)
    }

    /// Whether it is a parabola.
    pub(super) fn is_ballistic(&self) -> bool {
        self.rise_speed.is_some()
    }

    /// The rest of it as a line in world space.
    pub fn line(&self) -> impl Iterator<Item = Vec3> + '_ {
        let (begin, end) = (self.elapsed as f32, self.steps as f32);
        (0..=LINE_SEGMENTS).map(move |i| self.at(begin + (end - begin) * i as f32 / LINE_SEGMENTS as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaps_land_where_they_should_and_rise_as_gravity_has_it() {
        let from = Vec3::new(1.0, 2.0, -3.0);
        for to in [Vec3::new(4.0, 2.0, -3.0), Vec3::new(1.5, -1.0, -2.0), Vec3::new(3.0, 2.5, 0.0), from] {
            let leap = ActiveTraversal::new(from, to, LinkKind::Jump, 1.5, 1.0);
            let end = leap.steps as f32;
            assert!(leap.at(0.0) == from && leap.at(end).distance(to) < 1e-3, "{to}");
            let top = (0..=leap.steps).map(|s| leap.at(s as f32).y).fold(f32::MIN, f32::max);
            assert!(top > from.y.max(to.y) && top < from.y.max(to.y) + 1.0, "{to}: {top}");
            for step in 1..leap.steps {
                let s = step as f32;
                let bend = leap.at(s + 1.0).y - 2.0 * leap.at(s).y + leap.at(s - 1.0).y;
                assert!((bend / STEP_SECS.powi(2) + GRAVITY).abs() < 0.1, "{bend}");
            }
        }
    }

    #[test]
    fn other_links_are_walked_in_a_straight_line() {
        let (from, to) = (Vec3::ZERO, Vec3::new(3.0, 4.0, 0.0));
        let way = ActiveTraversal::new(from, to, LinkKind::Placed, 2.0, 1.0);
        assert_eq!(way.steps, (2.5 / STEP_SECS).round() as u32);
        assert!(way.line().all(|p| (p.y - p.x * 4.0 / 3.0).abs() < 1e-4));
    }
}
