//! Off-mesh links that no character could take.

use super::{LinkKind, PlacedLink};
use crate::math::plan::to_plan;
use glam::Vec3;

/// Widest jump in plan view, metres.
const MAX_JUMP_GAP: f32 = 5.0;
/// Highest rise of a jump, metres.
const MAX_JUMP_RISE: f32 = 1.2;
/// Deepest drop, metres.
const MAX_DROP: f32 = 6.0;
/// Farthest that the top of a ladder lies from its foot in plan view, metres.
const MAX_LADDER_LEAN: f32 = 1.5;
/// Longest way through a door, metres.
const MAX_DOOR: f32 = 3.0;
/// Highest rise without any width that is walked, metres.
const MAX_STEP: f32 = 0.5;
/// Steepest straight line that is walked, rise to width.
const MAX_STEEPNESS: f32 = 1.5;
/// Height at which a body is looked for in what stands between the ends, metres.
const CHEST: f32 = 1.0;
/// The same above the ground that is dropped or climbed down to, metres.
const SHIN: f32 = 0.3;

impl PlacedLink {
    /// Why no character could take the link, and what to do. `is_free` tells whether nothing of the level lies between
    /// two places in world space.
    pub fn doubt(&self, is_free: impl Fn(Vec3, Vec3) -> bool) -> Option<String> {
        let (start, end) = (self.start.as_vec3(), self.end.as_vec3());
        let (rise, width) = (end.y - start.y, to_plan(start).distance(to_plan(end)));
        // The way back is as hard.
        let climb = if self.both_ways { rise.abs() } else { rise };
        let said = match self.kind {
            LinkKind::Placed if rise.abs() > MAX_STEP.max(width * MAX_STEEPNESS) => {
                format!("{:.1} m of height are too steep to walk: make it a ladder, a drop or a jump", rise.abs())
            }
            LinkKind::Jump if climb > MAX_JUMP_RISE => {
                format!("no character jumps {climb:.1} m up: {MAX_JUMP_RISE} m at most, else make it a ladder")
            }
            LinkKind::Jump if width > MAX_JUMP_GAP => {
                format!("no character jumps {width:.1} m far: {MAX_JUMP_GAP} m at most")
            }
            LinkKind::Drop if rise > 0.0 => "a drop leads down: exchange its ends, or make it a jump".to_owned(),
            LinkKind::Drop if self.both_ways && -rise > MAX_STEP => {
                "no character gets back up a drop: switch off Both ways".to_owned()
            }
            LinkKind::Drop if -rise > MAX_DROP => format!("{:.1} m are too deep: {MAX_DROP} m at most", -rise),
            LinkKind::Ladder if width > MAX_LADDER_LEAN => {
                format!("its ends lie {width:.1} m apart seen from above: {MAX_LADDER_LEAN} m at most for a ladder")
            }
            LinkKind::Door if width > MAX_DOOR => format!("{width:.1} m are no doorway: {MAX_DOOR} m at most"),
            LinkKind::Door if rise.abs() > MAX_STEP => "a door leads to ground of the same height".to_owned(),
            _ if self.body_way().windows(2).any(|part| !is_free(part[0], part[1])) => {
                "a wall or a floor stands between its ends".to_owned()
            }
            _ => return None,
        };
        Some(said)
    }

    /// Where a body passes, world space; empty where it passes nowhere.
    fn body_way(&self) -> Vec<Vec3> {
        let (start, end) = (self.start.as_vec3(), self.end.as_vec3());
        let chest = |at: Vec3| at + Vec3::Y * CHEST;
        match self.kind {
            LinkKind::Placed | LinkKind::Door => vec![chest(start), chest(end)],
            LinkKind::Jump => {
                let apex = start.midpoint(end).with_y(start.y.max(end.y));
                vec![chest(start), chest(apex), chest(end)]
            }
            LinkKind::Drop | LinkKind::Ladder => {
                let [low, high] = if start.y < end.y { [start, end] } else { [end, start] };
                vec![low + Vec3::Y * SHIN, chest(low.with_y(high.y)), chest(high)]
            }
            LinkKind::Teleport => Vec::new(),
        }
    }
}
