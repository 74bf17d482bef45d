//! The original program's neighbour rule, reproduced number by number for comparison with it.
//!
//! Two ground triangles are neighbours when their boxes overlap (one extended by the step height up and down) and
//! either a corner of one lies within a centimetre of the infinite line through an edge of the other, or two corners
//! are at a similar height. Boxes that overlap at a similar height suffice, so ways may lead through walls.

use crate::math::plan::to_plan;
use crate::nav::rect_grid::{Rect, RectGrid};
use glam::Vec3;
use rayon::prelude::*;

const BOX_MARGIN: f32 = 0.0001;
const LINE_DISTANCE: f32 = 0.01;
/// Triangles that one thread compares with their neighbours at a time.
const CHUNK: usize = 512;

/// Links between triangles by the original's rule; both directions of each.
pub(super) fn links(triangles: &[[Vec3; 3]], step_height: f32) -> Vec<(u32, u32)> {
    let boxes: Vec<(Vec3, Vec3)> = triangles.iter().map(padded_box).collect();
    let rects: Vec<Rect> = boxes.iter().map(|(min, max)| Rect { min: to_plan(*min), max: to_plan(*max) }).collect();
    let grid = RectGrid::build(&rects);
    let chunks: Vec<Vec<(u32, u32)>> = (0..triangles.len().div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut links = Vec::with_capacity(CHUNK * 10);
            let mut seen = vec![u32::MAX; triangles.len()];
            for (i, rect) in rects.iter().enumerate().skip(chunk * CHUNK).take(CHUNK) {
                links_of(i, triangles, &boxes, rect, (&grid, &mut seen), step_height, &mut links);
            }
            links
        })
        .collect();
    chunks.concat()
}

/// Adds the links between one triangle and those after it.
fn links_of(
    i: usize,
    triangles: &[[Vec3; 3]],
    boxes: &[(Vec3, Vec3)],
    rect: &Rect,
    (grid, seen): (&RectGrid, &mut [u32]),
    step_height: f32,
    links: &mut Vec<(u32, u32)>,
) {
    let (a, from, up) = (&triangles[i], i as u32, Vec3::Y * step_height);
    let (min, max) = (boxes[i].0 - up, boxes[i].1 + up);
    grid.for_each_near(rect, |j| {
        let to = j as usize;
        if to <= i || seen[to] == from {
            return;
        }
        seen[to] = from;
        let overlap = boxes[to].0.cmplt(max).all() && min.cmplt(boxes[to].1).all();
        if overlap && (similar_height(a, &triangles[to], step_height) || near_a_line(a, &triangles[to])) {
            links.extend([(from, j), (j, from)]);
        }
    });
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
