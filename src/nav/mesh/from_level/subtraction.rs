//! Obstacle subtraction: cuts away the ground that lies inside, under or right behind other triangles.
//!
//! Levels are seldom modelled as one clean surface: crates, walls and stairs stand on floors whose triangles run on
//! beneath them. For every triangle of ground, all triangles that reach into the headroom above it are looked up and
//! their plan-view footprint is subtracted; upright ones that are too high to step over count as walls a few
//! centimetres thick. Where ground lies on ground the upper one stays, so that the pieces of a floor are disjoint.

use super::convex;
use super::frame::{Frame, slab};
use crate::asset::LevelTriangle;
use crate::math::plan::to_plan;
use crate::nav::rect_grid::{Rect, RectGrid};
use glam::{DVec2, Vec3};
use rayon::prelude::*;

/// Headroom that a body needs above the highest step, metres.
const HEADROOM_OVER_STEP: f64 = 1.4;
/// Obstacles lower than this above the ground are walked over, metres.
const MIN_OBSTACLE_HEIGHT: f64 = 0.05;
/// Ground on ground closer than this is one floor modelled twice: the triangle that comes first stays, metres.
const SAME_HEIGHT: f64 = 1e-4;
/// A wall is this much higher than a step at least, metres.
const OVER_STEP: f64 = 0.01;
/// Footprints narrower than this are walls, metres.
const MAX_WALL_WIDTH: f64 = 0.1;
/// Footprints and overlaps narrower than this have no extent, metres.
pub(super) const NO_WIDTH: f64 = 0.001;
/// Footprints that reach no deeper over an edge of the ground cover nothing that is as wide as [`NO_WIDTH`], metres.
const BESIDE: f64 = NO_WIDTH * 0.25;
/// Ground this near to a wall is taken away, metres: paths then never touch walls, and what is left on both sides of a
/// wall is too far apart to be joined.
const WALL_CLEARANCE: f64 = 0.025;
/// How far around a triangle walls count, metres.
const WALL_REACH: f64 = 0.05;
/// Pairs of ground and obstacle looked at; ground beyond it stays whole. Reached only by absurd levels.
const MAX_PAIRS: usize = 200_000_000;

/// A triangle that may stand on or hang over another.
#[derive(Clone, Copy)]
struct Obstacle<'a> {
    /// Position in the level's list.
    number: u32,
    points: &'a [Vec3; 3],
    walkable: bool,
    /// Height above the ground from which on it counts, metres.
    low: f64,
}

/// What covers one triangle of ground, as footprints in plan view, counter-clockwise.
#[derive(Clone, Debug, Default)]
pub(super) struct Covers {
    /// The same ground modelled before: triangles by their positions in the level's list, all of which come earlier.
    pub same: Vec<u32>,
    /// What stands on it or hangs over it.
    pub over: Vec<Vec<DVec2>>,
}

impl Covers {
    /// Whether nothing does.
    pub fn is_empty(&self) -> bool {
        self.same.is_empty() && self.over.is_empty()
    }

    /// Takes in a triangle that reaches above the ground of `frame`, if it does so higher than `low`.
    fn add(&mut self, frame: &Frame, other: Obstacle, step: f64) {
        let Obstacle { number, points, walkable, low } = other;
        // Most of what meets its rectangle lies beside the ground: beyond one of its edges.
        if frame.is_beside(points, if walkable { -BESIDE } else { WALL_REACH }) {
            return;
        }
        let high = step + HEADROOM_OVER_STEP;
        let mut cover = frame.slice(points, low, high);
        if cover.len() < 2 {
            return;
        }
        let width = convex::width(&cover);
        if width > NO_WIDTH {
            if convex::double_area(&cover) < 0.0 {
                cover.reverse();
            }
            let is_same = walkable && points.iter().all(|p| frame.place(p.as_dvec3()).1.abs() <= SAME_HEIGHT);
            self.cover(frame, &cover, is_same.then_some(number));
        }
        if width < MAX_WALL_WIDTH && !walkable {
            let wall = frame.slice(points, step + OVER_STEP, high);
            let (a, b) = convex::farthest(&wall);
            if wall.len() > 1
                && let Some(part) = convex::clip_segment(&frame.outline, a, b, -WALL_REACH)
            {
                self.cover(frame, &slab(part.0, part.1, WALL_CLEARANCE), None);
            }
        }
    }

    /// Takes in a footprint, `same` being the number of the triangle if it is the same ground.
    fn cover(&mut self, frame: &Frame, cover: &[DVec2], same: Option<u32>) {
        if convex::width(&convex::intersection(&frame.outline, cover)) <= NO_WIDTH {
            return;
        }
        let origin = DVec2::new(frame.origin.x, frame.origin.z);
        match same {
            Some(number) => self.same.push(number),
            None => self.over.push(cover.iter().map(|p| *p + origin).collect()),
        }
    }
}

/// From which height on triangle `other` counts above the ground of triangle `own`, metres.
fn lowest_counted(own: usize, other: usize, other_is_ground: bool) -> f64 {
    match (other_is_ground, other < own) {
        (false, _) => MIN_OBSTACLE_HEIGHT,
        (true, true) => -SAME_HEIGHT,
        (true, false) => SAME_HEIGHT,
    }
}

/// What covers each of the triangles marked in `ground`, in their order, `None` where nothing does; those marked in
/// `repeated` cover nothing.
pub(super) fn find_covers(
    triangles: &[LevelTriangle],
    ground: &[bool],
    repeated: &[bool],
    step_height: f32,
) -> Vec<Option<Box<Covers>>> {
    let rect = |(t, repeated): (&LevelTriangle, &bool)| {
        if *repeated { Rect::EMPTY } else { Rect::around(t.points.map(to_plan)) }
    };
    let rects: Vec<Rect> = triangles.iter().zip(repeated).map(rect).collect();
    let heights: Vec<(f32, f32)> = triangles
        .iter()
        .map(|t| t.points.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), p| (l.min(p.y), h.max(p.y))))
        .collect();
    let grid = RectGrid::build(&rects);
    let reach = |i: usize| rects[i].expanded(WALL_REACH as f32);
    let numbers: Vec<u32> = (0..triangles.len() as u32).filter(|&i| ground[i as usize]).collect();
    let looked_at = within_limit(&numbers, |i| grid.count_near(&reach(i)));
    let covers = |(place, &i): (usize, &u32)| {
        if place >= looked_at {
            return None;
        }
        let (i, mut covers) = (i as usize, Covers::default());
        let frame = Frame::new(&triangles[i].points);
        let ceiling = heights[i].1 + step_height + HEADROOM_OVER_STEP as f32;
        grid.for_each_meeting(&rects, &reach(i), |other| {
            let o = other as usize;
            let low = lowest_counted(i, o, ground[o]);
            if o != i && heights[o].1 >= heights[i].0 + low as f32 && heights[o].0 < ceiling {
                let other = Obstacle { number: other, points: &triangles[o].points, walkable: ground[o], low };
                covers.add(&frame, other, f64::from(step_height));
            }
        });
        (!covers.is_empty()).then(|| Box::new(covers))
    };
    numbers.par_iter().enumerate().map(covers).collect()
}

/// How many of the triangles can be looked at until [`MAX_PAIRS`] are reached.
fn within_limit(numbers: &[u32], pairs: impl Fn(usize) -> usize + Sync) -> usize {
    let pairs: Vec<u32> = numbers.par_iter().map(|&i| u32::try_from(pairs(i as usize)).unwrap_or(u32::MAX)).collect();
    let mut sum = 0_usize;
    let fits = pairs.iter().take_while(|&&pairs| {
        sum = sum.saturating_add(pairs as usize);
        sum < MAX_PAIRS
    });
    fits.count()
}
