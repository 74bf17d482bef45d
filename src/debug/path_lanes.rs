//! Lanes of paths: what several paths have in common is drawn side by side.

use super::{Color, DebugDraw, Layer, LineStyle};
use glam::Vec3;
use std::collections::HashMap;
use std::f32::consts::TAU;

/// Most lanes beside each other; further paths lie over these.
const MAX_LANES: u32 = 7;
/// Free space between two lanes, points.
const GAP: f32 = 1.0;
/// Corners this near to each other are one, metres.
const SAME_PLACE: f32 = 0.05;
/// Directions that are told apart.
const DIRECTIONS: i32 = 120;

/// A corner, in units of [`SAME_PLACE`], and a direction away from it.
type Heading = ([i32; 3], i32);

/// Which lanes are taken at each corner in each direction. Paths are laid one after another.
#[derive(Debug, Default)]
pub struct PathLanes {
    taken: HashMap<Heading, u32>,
}

impl PathLanes {
    /// Draws a path as lines of one width, each segment in a lane that no path before it takes.
    pub fn draw(&mut self, d: &mut DebugDraw, layer: Layer, points: &[Vec3], color: Color, style: LineStyle) {
        if !d.wants(layer) {
            return;
        }
        let mut lane = 0;
        for leg in points.windows(2) {
            let Some(side) = leg_side(leg[0], leg[1]) else { continue };
            lane = self.take([leg[0], leg[1]], lane);
            let shift = side * offset(lane) * (style.width + GAP);
            d.styled_line(layer, [leg[0], leg[1]], color, LineStyle { shift, ..style });
        }
    }

    /// A free lane along a segment: `wanted`, else the one nearest to the middle.
    fn take(&mut self, [from, to]: [Vec3; 2], wanted: u32) -> u32 {
        let headings = [heading(from, to), heading(to, from)];
        let near =
            |(place, direction): Heading| [-1, 0, 1].map(|turn| (place, (direction + turn).rem_euclid(DIRECTIONS)));
        let taken =
            headings.into_iter().flat_map(near).filter_map(|key| self.taken.get(&key)).fold(0, |all, one| all | one);
        let free = |lane: &u32| taken & (1 << lane) == 0;
        let lane = Some(wanted).filter(free).or_else(|| (0..MAX_LANES).find(free)).unwrap_or(wanted);
        for key in headings {
            *self.taken.entry(key).or_default() |= 1 << lane;
        }
        lane
    }
}

/// 1 or -1, so that a segment has the same left side whichever way it is walked.
fn leg_side(from: Vec3, to: Vec3) -> Option<f32> {
    let along = to - from;
    (along.length_squared() > 1e-8).then(|| if (along.x, along.z, along.y) < (0.0, 0.0, 0.0) { -1.0 } else { 1.0 })
}

/// A lane's place: 0, 1, -1, 2, -2, …
fn offset(lane: u32) -> f32 {
    let out = lane.div_ceil(2) as f32;
    if lane % 2 == 1 { out } else { -out }
}

fn heading(from: Vec3, to: Vec3) -> Heading {
    let along = to - from;
    let direction = (along.z.atan2(along.x) / TAU * DIRECTIONS as f32).round() as i32;
    ((from / SAME_PLACE).round().as_ivec3().to_array(), direction.rem_euclid(DIRECTIONS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifts(paths: &[&[Vec3]]) -> Vec<f32> {
        let (mut d, mut lanes) = (DebugDraw::wanting([Layer::NavPath]), PathLanes::default());
        let style = LineStyle { width: 3.0, ..LineStyle::default() };
        for path in paths {
            lanes.draw(&mut d, Layer::NavPath, path, [1.0; 4], style);
        }
        // Seen from one side, whichever way the line is walked.
        d.lines.iter().map(|l| l.style.shift * leg_side(l.ends[0], l.ends[1]).unwrap()).collect()
    }

    #[test]
    fn equal_paths_lie_side_by_side() {
        let [a, b, c] = [Vec3::ZERO, Vec3::X * 5.0, Vec3::new(5.0, 0.0, 7.0)];
        assert_eq!(shifts(&[&[a, b, c], &[a, b, c], &[c, b, a]]), [0.0, 0.0, 4.0, 4.0, -4.0, -4.0]);
        assert_eq!(shifts(&[&[a, b], &[b, c]]), [0.0, 0.0], "paths that only meet lie where they are");
    }

    #[test]
    fn paths_to_one_corner_from_one_side_lie_side_by_side() {
        let [near, far, goal] = [Vec3::X * 3.0, Vec3::ZERO, Vec3::X * 9.0];
        assert_eq!(shifts(&[&[near, goal], &[far, goal]]), [0.0, 4.0]);
    }

    #[test]
    fn many_equal_paths_and_points_without_length_are_drawn() {
        let path = [Vec3::ZERO, Vec3::ZERO, Vec3::Z];
        let all = shifts(&[&path[..]; 20]);
        assert_eq!(all.len(), 20);
        assert!(all.iter().all(|shift| shift.abs() <= 12.0));
    }
}
