//! The original program's neighbour rule, reproduced number by number for comparison with it.
//!
//! Two ground triangles are neighbours when their boxes overlap (one extended by the step height up and down) and
//! either a corner of one lies within a centimetre of the infinite line through an edge of the other, or two corners
//! are at a similar height. Boxes that overlap at a similar height suffice, so ways may lead through walls.

use super::grid::{Rect, XzGrid};
use super::{Link, Portal};
use glam::{Vec2, Vec3};

const BOX_MARGIN: f32 = 0.0001;
const LINE_DISTANCE: f32 = 0.01;

/// Links between triangles by the original's rule; both directions of each.
pub(super) fn links(triangles: &[[Vec3; 3]], step_height: f32) -> Vec<Link> {
    let boxes: Vec<(Vec3, Vec3)> = triangles.iter().map(padded_box).collect();
    let flat = |v: Vec3| Vec2::new(v.x, v.z);
    let rects: Vec<Rect> = boxes.iter().map(|(min, max)| Rect { min: flat(*min), max: flat(*max) }).collect();
    let grid = XzGrid::build(&rects);
    let mut links = Vec::with_capacity(triangles.len() * 10);
    let mut seen = vec![u32::MAX; triangles.len()];
    let up = Vec3::Y * step_height;
    for (i, a) in triangles.iter().enumerate() {
        let (min, max) = (boxes[i].0 - up, boxes[i].1 + up);
        let from = i as u32;
        grid.for_each_near(&rects[i], |j| {
            let to = j as usize;
            if to <= i || seen[to] == from {
                return;
            }
            seen[to] = from;
            let overlap = boxes[to].0.cmplt(max).all() && min.cmplt(boxes[to].1).all();
            if overlap && (similar_height(a, &triangles[to], step_height) || near_a_line(a, &triangles[to])) {
                links.push(Link { from, to: j, portal: Portal::default() });
                links.push(Link { from: j, to: from, portal: Portal::default() });
            }
        });
    }
    links
}

fn padded_box(points: &[Vec3; 3]) -> (Vec3, Vec3) {
    let low = points[0].min(points[1]).min(points[2]);
    let high = points[0].max(points[1]).max(points[2]);
    let min = low - BOX_MARGIN;
    (min, min + ((high - low) + 2.0 * BOX_MARGIN))
}

fn similar_height(a: &[Vec3; 3], b: &[Vec3; 3], step_height: f32) -> bool {
    (0..3).any(|i| (0..3).any(|j| (a[j].y - b[i].y).abs() < step_height && (b[j].y - a[i].y).abs() < step_height))
}

fn near_a_line(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    (0..3).any(|i| (0..3).any(|j| line_near(b, j, a[i]) || line_near(a, j, b[i])))
}

/// Whether `p` lies near the infinite line through the edge that starts at corner `j`; never for an edge without
/// length (the quotient is not a number then).
fn line_near(points: &[Vec3; 3], j: usize, p: Vec3) -> bool {
    let edge = points[(j + 1) % 3] - points[j];
    (p - points[j]).cross(edge).length() / edge.length() < LINE_DISTANCE
}
