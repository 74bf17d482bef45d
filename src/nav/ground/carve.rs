//! Cuts away the ground on which nobody can stand: what lies inside, under or right behind other triangles.
//!
//! Levels are seldom modelled as one clean surface: crates, walls and stairs stand on floors whose triangles run on
//! beneath them. For every triangle of ground, all triangles that come into the room of a body above it are looked
//! up and what lies below them, seen from above, is subtracted; upright ones that are too high to step over count as
//! walls a few centimetres thick.

use super::Pieces;
use super::grid::{Rect, XzGrid};
use super::join::Walls;
use crate::asset::LevelTriangle;
use crate::math::plan::to_plan;
use crate::nav::mesh::from_level::convex;
use crate::nav::mesh::from_level::frame::{Frame, slab};
use glam::{DVec2, Vec3};

/// Room that a body needs above the highest step, metres.
const BODY_OVER_STEP: f64 = 1.4;
/// Things less than this above the ground lie on it, metres.
const LIES_ON: f64 = 0.05;
/// A wall must be this much higher than a step to stand in the way, metres.
const OVER_STEP: f64 = 0.01;
/// Footprints narrower than this are walls, metres.
const WALL_WIDTH: f64 = 0.1;
/// Footprints and overlaps narrower than this have no extent, metres.
const NO_WIDTH: f64 = 0.005;
/// Ground this near to a wall is taken away, metres: lines along the ground then never touch walls, and what is left
/// on both sides of a wall is too far apart to be linked.
const CLEARANCE: f64 = 0.025;
/// How far around a triangle walls count, metres.
const AROUND: f64 = 0.05;
/// Pairs of ground and obstacle looked at; ground beyond it stays whole. Reached only by absurd levels.
const MOST_PAIRS: usize = 200_000_000;

/// What stands on or hangs over one triangle of ground.
#[derive(Default)]
struct Obstacles {
    covers: Vec<Vec<DVec2>>,
    walls: Vec<(DVec2, DVec2)>,
}

impl Obstacles {
    fn clear(&mut self) {
        self.covers.clear();
        self.walls.clear();
    }

    fn add(&mut self, frame: &Frame, points: &[Vec3; 3], walkable: bool, step: f64) {
        let high = step + BODY_OVER_STEP;
        let mut cover = frame.slice(points, LIES_ON, high);
        if cover.len() < 2 {
            return;
        }
        let width = convex::width(&cover);
        if width > NO_WIDTH {
            if convex::double_area(&cover) < 0.0 {
                cover.reverse();
            }
            self.cover(frame, cover);
        }
        if width < WALL_WIDTH && !walkable {
            let wall = frame.slice(points, step + OVER_STEP, high);
            let (a, b) = convex::farthest(&wall);
            if wall.len() > 1
                && let Some(part) = convex::clip_segment(&frame.outline, a, b, -AROUND)
            {
                self.walls.push(part);
                self.cover(frame, slab(part.0, part.1, CLEARANCE));
            }
        }
    }

    fn cover(&mut self, frame: &Frame, cover: Vec<DVec2>) {
        if convex::width(&convex::intersection(&frame.outline, &cover)) > NO_WIDTH {
            self.covers.push(cover);
        }
    }

    /// The convex pieces that remain of the ground.
    fn carve(&self, outline: &[DVec2]) -> Vec<Vec<DVec2>> {
        let mut pieces = vec![outline.to_vec()];
        for cover in &self.covers {
            let mut next = Vec::with_capacity(pieces.len());
            for piece in pieces {
                if convex::width(&convex::intersection(&piece, cover)) <= NO_WIDTH {
                    next.push(piece);
                } else {
                    convex::subtract(piece, cover, &mut next);
                }
            }
            next.retain(|p| convex::width(p) > NO_WIDTH);
            pieces = next;
        }
        pieces
    }
}

/// The pieces of all triangles marked in `ground`, and the walls around them.
pub(super) fn carve(triangles: &[LevelTriangle], ground: &[bool], step_height: f32) -> (Pieces, Walls) {
    let rects: Vec<Rect> =
        triangles.iter().map(|t| t.points.iter().fold(Rect::EMPTY, |r, p| r.including(to_plan(*p)))).collect();
    let heights: Vec<(f32, f32)> = triangles
        .iter()
        .map(|t| t.points.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), p| (l.min(p.y), h.max(p.y))))
        .collect();
    let grid = XzGrid::build(&rects);
    let (mut pieces, mut walls) = (Pieces { first: vec![0], ..Pieces::default() }, Walls::default());
    let mut obstacles = Obstacles::default();
    let mut seen = vec![u32::MAX; triangles.len()];
    let mut pairs = 0_usize;
    for i in (0..triangles.len()).filter(|&i| ground[i]) {
        let frame = Frame::new(&triangles[i].points);
        let rect = rects[i].expanded(AROUND as f32);
        let ceiling = heights[i].1 + step_height + BODY_OVER_STEP as f32;
        obstacles.clear();
        if pairs < MOST_PAIRS {
            grid.for_each_near(&rect, |other| {
                pairs += 1;
                let o = other as usize;
                if o != i && seen[o] != i as u32 && rect.intersects(&rects[o]) {
                    seen[o] = i as u32;
                    if heights[o].1 > heights[i].0 + LIES_ON as f32 && heights[o].0 < ceiling {
                        obstacles.add(&frame, &triangles[o].points, ground[o], f64::from(step_height));
                    }
                }
            });
        }
        let start = walls.segments.len() as u32;
        let world = |p: DVec2| (p + DVec2::new(frame.origin.x, frame.origin.z)).as_vec2();
        walls.segments.extend(obstacles.walls.iter().map(|&(a, b)| [world(a), world(b)]));
        if obstacles.covers.is_empty() && obstacles.walls.is_empty() {
            pieces.push(i as u32, triangles[i].points.iter().copied());
        } else {
            for piece in obstacles.carve(&frame.outline) {
                pieces.push(i as u32, piece.iter().map(|&p| frame.point(p)));
            }
        }
        walls.of_piece.resize(pieces.source.len(), (start, walls.segments.len() as u32));
    }
    (pieces, walls)
}
