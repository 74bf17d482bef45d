//! Obstacle subtraction: cuts away the ground that lies inside, under or right behind other triangles.
//!
//! Levels are seldom modelled as one clean surface: crates, walls and stairs stand on floors whose triangles run on
//! beneath them. For every triangle of ground, all triangles that reach into the headroom above it are looked up and
//! their plan-view footprint is subtracted; upright ones that are too high to step over count as walls a few
//! centimetres thick. Where ground lies on ground the upper one stays, so that the pieces of a floor are disjoint.

use super::convex::{self, FewCorners};
use super::frame::{Frame, slab};
use super::obstacles::{Faces, Heights};
use super::shared_sets::SharedSets;
use glam::{DVec2, Vec3};
use rayon::prelude::*;

/// Headroom that a body needs above the highest step, metres.
const HEADROOM_OVER_STEP: f64 = 1.4;
/// Obstacles lower than this above the ground are walked over, metres.
const MIN_OBSTACLE_HEIGHT: f64 = 0.05;
/// Ground on ground closer than this is one floor modelled twice: the triangle that comes first stays, metres.
const SAME_HEIGHT: f64 = 1e-4;
/// More than [`SAME_HEIGHT`], by what heights of single precision are rounded by, metres.
const ABOUT_SAME_HEIGHT: f32 = 0.01;
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
/// Pairs of ground and face looked at; ground beyond it stays whole. Reached only by absurd levels.
const MAX_PAIRS: usize = 1_000_000_000;
/// Triangles of a surface above which one thread looks.
const AT_ONCE: usize = 1024;

/// How much of a face counts above the ground.
#[derive(Clone, Copy)]
struct Counted {
    /// Whether it is ground itself.
    is_ground: bool,
    /// From which height above the ground on, metres.
    low: f64,
}

impl Counted {
    /// A face that is no ground.
    const OBSTACLE: Self = Self { is_ground: false, low: MIN_OBSTACLE_HEIGHT };

    /// Ground that is modelled `earlier` or later than what it lies upon: of what is one floor, the earlier one stays.
    fn ground(earlier: bool) -> Self {
        Self { is_ground: true, low: if earlier { -SAME_HEIGHT } else { SAME_HEIGHT } }
    }
}

impl Counted {
    /// Whether a face lies beyond one of the edges of the ground, as most of what meets its rectangle does.
    fn is_beside(self, frame: &Frame, corners: &[Vec3]) -> bool {
        frame.is_beside(corners, if self.is_ground { -BESIDE } else { WALL_REACH })
    }
}

/// The heights over ground at which faces may take something of it, with this highest step, metres.
fn counted_heights(step: f32) -> Heights {
    let [ground, other] = [Counted::ground(true), Counted::OBSTACLE].map(|counted| counted.low as f32);
    Heights { ground, other, high: step + HEADROOM_OVER_STEP as f32 }
}

/// What a face takes of the ground, in the frame of a triangle of ground.
struct Footprint {
    /// Where it stands on the ground or hangs over it.
    solid: Option<FewCorners>,
    /// A strip along it, where it is too high to be stepped over.
    wall: Option<[DVec2; 4]>,
    /// Whether it may have one or the other over other triangles of the same plane.
    is_possible: [bool; 2],
}

impl Footprint {
    /// That of a face over the triangle of a frame; where it takes nothing of that one, there is none.
    fn new(frame: &Frame, corners: &[Vec3], counted: Counted, step: f64) -> Self {
        let mut footprint = Self { solid: None, wall: None, is_possible: [true; 2] };
        if counted.is_beside(frame, corners) {
            return footprint;
        }
        let high = step + HEADROOM_OVER_STEP;
        let mut cover = frame.slice(corners, counted.low, high);
        if cover.len() < 2 {
            footprint.is_possible = [false; 2];
            return footprint;
        }
        let takes = |cover: &[DVec2]| convex::width(&convex::intersection(&frame.outline, cover)) > NO_WIDTH;
        let width = convex::width(&cover);
        footprint.is_possible = [width > NO_WIDTH, width < MAX_WALL_WIDTH && !counted.is_ground];
        if footprint.is_possible[0] {
            if convex::double_area(&cover) < 0.0 {
                cover.reverse();
            }
            footprint.solid = Some(cover).filter(|cover| takes(cover));
        }
        if footprint.is_possible[1] {
            let wall = frame.slice(corners, step + OVER_STEP, high);
            let (a, b) = convex::farthest(&wall);
            footprint.is_possible[1] = wall.len() > 1;
            if wall.len() > 1
                && let Some(part) = convex::clip_segment(&frame.outline, a, b, -WALL_REACH)
                && takes(&slab(part.0, part.1, WALL_CLEARANCE))
            {
                footprint.wall = Some(slab(a, b, WALL_CLEARANCE));
            }
        }
        footprint
    }

    fn is_empty(&self) -> bool {
        self.solid.is_none() && self.wall.is_none()
    }
}

/// What was found out about each triangle of ground.
pub(super) struct Examined {
    /// Whether something may cover a part of it that is not the same ground, by its place in the list of ground triangles.
    pub is_covered: Vec<bool>,
    /// Ground that is modelled twice or more often, as sets of positions in the level's list.
    pub same: SharedSets,
}

/// Looks at the triangles of ground at these positions in the level's list, which has `count` of them.
pub(super) fn examine(faces: &Faces, numbers: &[u32], count: usize, step_height: f32) -> Examined {
    let same = SharedSets::new(count);
    let heights = counted_heights(step_height);
    let looked_at = within_limit(numbers, |i| faces.count_near(faces.points(i), WALL_REACH as f32, heights));
    let is_covered = |(place, &own): (usize, &u32)| {
        let mut is_covered = false;
        if place >= looked_at {
            return is_covered;
        }
        let frame = faces.frame(own);
        faces.for_each_near(faces.points(own), WALL_REACH as f32, heights, |number| {
            let face = faces.face(number);
            let is_ground = faces.is_ground(number);
            if face.triangles().contains(&own)
                || is_covered && !(is_ground && faces.is_level_with(number, faces.points(own), ABOUT_SAME_HEIGHT))
                || is_ground && same.are_joined(own, face.first())
            {
                return;
            }
            let corners = faces.corners(number);
            let counted = if is_ground { Counted::ground(true) } else { Counted::OBSTACLE };
            if counted.is_beside(&frame, &corners) {
                return;
            }
            let footprint = || Footprint::new(&frame, &corners, counted, step_height.into());
            if is_ground && corners.iter().all(|p| frame.place(p.as_dvec3()).1.abs() <= SAME_HEIGHT) {
                if !footprint().is_empty() {
                    face.triangles().for_each(|other| same.join(own, other));
                }
            } else if !is_covered {
                is_covered = !footprint().is_empty();
            }
        });
        is_covered
    };
    let is_covered = numbers.par_iter().enumerate().map(is_covered).collect();
    Examined { is_covered, same }
}

/// What covers the surfaces of a level.
pub(super) struct Covers<'a> {
    /// The faces of the level.
    pub faces: Faces<'a>,
    /// Per triangle of the level the surface that it belongs to, [`NO_SURFACE`] if it is no ground.
    pub surface_of: Vec<u32>,
    /// Highest step, metres.
    pub step: f32,
}

/// No surface.
pub(super) const NO_SURFACE: u32 = u32::MAX;

/// A face that may cover a triangle of a surface.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CoverPair {
    /// Its number.
    pub face: u32,
    /// The position of the triangle in the level's list.
    pub triangle: u32,
}

impl Covers<'_> {
    /// The faces that may cover triangles of a surface, face by face. Other surfaces count as ground that comes earlier where
    /// their numbers are smaller.
    pub fn pairs(&self, surface: u32, triangles: &[u32]) -> Vec<CoverPair> {
        let heights = counted_heights(self.step);
        let of_triangles = |triangles: &[u32]| {
            let mut pairs = Vec::new();
            for &triangle in triangles {
                let points = self.faces.points(triangle);
                self.faces.for_each_near(points, WALL_REACH as f32, heights, |face| {
                    let low = self.counted(surface, face).map(|counted| counted.low as f32);
                    if low.is_some_and(|low| self.faces.reaches(face, points, low)) {
                        pairs.push(CoverPair { face, triangle });
                    }
                });
            }
            pairs
        };
        let parts: Vec<_> = triangles.par_chunks(AT_ONCE).map(of_triangles).collect();
        let mut pairs = parts.concat();
        pairs.par_sort_unstable();
        pairs
    }

    /// How a face counts above a surface; `None` where it is a part of it.
    fn counted(&self, surface: u32, face: u32) -> Option<Counted> {
        let own = |i: u32| self.surface_of[i as usize];
        let face = self.faces.face(face);
        let other = own(face.first());
        if face.triangles().any(|i| own(i) == surface) {
            return None;
        }
        Some(if other == NO_SURFACE { Counted::OBSTACLE } else { Counted::ground(other < surface) })
    }

    /// The footprints of a face on the triangles of a surface with which it is paired, in plan view.
    pub fn footprints(&self, surface: u32, pairs: &[CoverPair], mut take: impl FnMut(&[DVec2])) {
        let Some(counted) = pairs.first().and_then(|pair| self.counted(surface, pair.face)) else { return };
        let corners = self.faces.corners(pairs[0].face);
        let mut found = [false; 2];
        for pair in pairs {
            let frame = self.faces.frame(pair.triangle);
            let Footprint { solid, wall, is_possible } = Footprint::new(&frame, &corners, counted, self.step.into());
            let parts = [solid.as_deref(), wall.as_ref().map(|wall| &wall[..])];
            // All triangles lie in one plane: what is over one of them is so over all.
            for (part, found) in parts.into_iter().zip(&mut found) {
                if let Some(part) = part
                    && !std::mem::replace(found, true)
                {
                    let origin = DVec2::new(frame.origin.x, frame.origin.z);
                    take(&part.iter().map(|p| *p + origin).collect::<FewCorners>());
                }
            }
            if (0..2).all(|part| found[part] || !is_possible[part]) {
                break;
            }
        }
    }
}

/// How many of the triangles can be looked at until [`MAX_PAIRS`] are reached.
fn within_limit(numbers: &[u32], pairs: impl Fn(u32) -> usize + Sync) -> usize {
    let pairs: Vec<u32> = numbers.par_iter().map(|&i| u32::try_from(pairs(i)).unwrap_or(u32::MAX)).collect();
    let mut sum = 0_usize;
    let fits = pairs.iter().take_while(|&&pairs| {
        sum = sum.saturating_add(pairs as usize);
        sum < MAX_PAIRS
    });
    fits.count()
}
