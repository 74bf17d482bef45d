//! Exact measures in a level: heights, slopes, free heights and widths, from its triangles.

use glam::Vec3;

use crate::math::plan::{self, to_plan};
use crate::math::{Ray, triangle};
use crate::nav::rect_grid::{Rect, RectGrid};

/// Ground that is parted by less is not, metres: what numbers in files are rounded by, and more.
const SLIT: f32 = 2e-3;
/// Vertical part of the normal of what is a wall, at most.
const WALL: f32 = 0.1;

/// Finds the triangles of a level near a place.
pub(super) struct LevelProbe<'a> {
    triangles: &'a [[Vec3; 3]],
    grid: RectGrid,
}

impl<'a> LevelProbe<'a> {
    pub(super) fn new(triangles: &'a [[Vec3; 3]]) -> Self {
        let rects: Vec<Rect> = triangles.iter().map(|t| Rect::around(t.map(to_plan))).collect();
        Self { triangles, grid: RectGrid::build(&rects) }
    }

    /// Calls `f` with the triangles near a rectangle; one may come more than once.
    fn near(&self, rect: &Rect, mut f: impl FnMut(&[Vec3; 3])) {
        self.grid.for_each_near(rect, |i| f(&self.triangles[i as usize]));
    }

    /// The triangles near a rectangle, each once.
    pub(super) fn triangles_near(&self, rect: &Rect) -> Vec<&'a [Vec3; 3]> {
        let mut numbers = Vec::new();
        self.grid.for_each_near(rect, |i| numbers.push(i));
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|i| &self.triangles[i as usize]).collect()
    }

    /// Height and slope, radians, of the surface nearest to a point in height, at most `reach` above or below it.
    pub(super) fn surface(&self, at: Vec3, reach: f32) -> Option<(f32, f32)> {
        let mut best: Option<(f32, f32)> = None;
        self.near(&Rect::around([to_plan(at)]), |t| {
            let Some(y) = triangle::height_at(t, to_plan(at)) else { return };
            if (y - at.y).abs() <= best.map_or(reach, |(known, _)| (known - at.y).abs()) {
                let slope = triangle::normal(t).map_or(0.0, |n| n.y.abs().clamp(0.0, 1.0).acos());
                best = Some((y, slope));
            }
        });
        best
    }

    /// Height of what faces up nearest to a point in height, at most `reach` above or below it.
    pub(super) fn nearest_facing_up(&self, at: Vec3, reach: f32) -> Option<f32> {
        let mut best: Option<f32> = None;
        self.near(&Rect::around([to_plan(at)]), |t| {
            let Some(y) = triangle::height_at(t, to_plan(at)) else { return };
            let is_nearer = (y - at.y).abs() <= best.map_or(reach, |known| (known - at.y).abs());
            if is_nearer && triangle::normal(t).is_some_and(|n| n.y > 0.0) {
                best = Some(y);
            }
        });
        best
    }

    /// Height of the surface nearest to a point in height, at most `reach` above or below it; also at a slit between two that
    /// meet but for rounded numbers.
    pub(super) fn covered(&self, at: Vec3, reach: f32) -> Option<f32> {
        self.surface(at, reach).map(|(y, _)| y).or_else(|| {
            let mut best: Option<f32> = None;
            self.near(&Rect::around([to_plan(at)]).expanded(SLIT), |t| {
                for k in 0..3 {
                    let place = plan::closest_on_segment(t[k], t[(k + 1) % 3], at);
                    let is_nearer = (place.y - at.y).abs() <= best.map_or(reach, |y| (y - at.y).abs());
                    if is_nearer && plan::distance(place, at) <= SLIT {
                        best = Some(place.y);
                    }
                }
            });
            best
        })
    }

    /// The ground at the middle of a span in cells of this size, exactly; that place where there is none.
    pub(super) fn ground(&self, place: Vec3, cell: f32) -> Vec3 {
        // The floor of a span is the highest point over its cell.
        self.surface(place, cell * 4.0 + 0.1).map_or(place, |(y, _)| place.with_y(y))
    }

    /// The height of the lowest surface over a point, and whether it faces up.
    pub(super) fn above(&self, at: Vec3, least: f32) -> Option<(f32, bool)> {
        self.facing_above(at, least).map(|(y, up)| (y, up > 0.0))
    }

    /// The height of the lowest surface over a point, and the upward part of its normal.
    pub(super) fn facing_above(&self, at: Vec3, least: f32) -> Option<(f32, f32)> {
        let mut best: Option<(f32, f32)> = None;
        self.near(&Rect::around([to_plan(at)]), |t| {
            let Some(y) = triangle::height_at(t, to_plan(at)) else { return };
            if y > at.y + least && best.is_none_or(|(known, _)| y < known) {
                best = Some((y, triangle::normal(t).map_or(0.0, |n| n.y)));
            }
        });
        best
    }

    /// The height of the highest surface under a point, and whether it faces up.
    pub(super) fn below(&self, at: Vec3, least: f32) -> Option<(f32, bool)> {
        let mut best: Option<(f32, bool)> = None;
        self.near(&Rect::around([to_plan(at)]), |t| {
            let Some(y) = triangle::height_at(t, to_plan(at)) else { return };
            if y < at.y - least && best.is_none_or(|(known, _)| y > known) {
                best = Some((y, triangle::normal(t).is_some_and(|n| n.y > 0.0)));
            }
        });
        best
    }

    /// Calls `f` with the triangles over a square around a place, each with the corners of its part over it.
    fn parts_over(&self, at: Vec3, half: f32, mut f: impl FnMut(&[Vec3; 3], &[Vec3])) {
        let [low, high] = [-half, half].map(|by| Vec3::new(at.x + by, 0.0, at.z + by));
        let (mut part, mut next) = (Vec::new(), Vec::new());
        self.near(&Rect::around([low, high].map(to_plan)), |t| {
            part.clear();
            part.extend_from_slice(t);
            let sides: [&dyn Fn(Vec3) -> f32; 4] =
                [&|p| p.x - low.x, &|p| high.x - p.x, &|p| p.z - low.z, &|p| high.z - p.z];
            for side in sides {
                next.clear();
                plan::clip_convex(&part, side, |corner| next.push(corner));
                std::mem::swap(&mut part, &mut next);
            }
            f(t, &part);
        });
    }

    /// The ranges of heights, lowest and highest, of the triangles over a square around a place.
    fn heights_over(&self, at: Vec3, half: f32) -> Vec<[f32; 2]> {
        let mut ranges = Vec::new();
        self.parts_over(at, half, |_, part| {
            let lowest = part.iter().map(|p| p.y).reduce(f32::min);
            let highest = part.iter().map(|p| p.y).reduce(f32::max);
            ranges.extend(lowest.zip(highest).map(|(low, high)| [low, high]));
        });
        ranges
    }

    /// A place on the surface, and its slope, radians, that is nearest in height to a place among those over a square around
    /// it, at most `reach` above or below; walls are none.
    pub(super) fn surface_over(&self, at: Vec3, half: f32, reach: f32) -> Option<(Vec3, f32)> {
        let mut best: Option<(Vec3, f32)> = None;
        self.parts_over(at, half, |t, part| {
            let Some(level) = triangle::normal(t).map(|n| n.y.abs()).filter(|y| *y > WALL) else { return };
            let middle = part.iter().sum::<Vec3>() / part.len().max(1) as f32;
            let apart = (middle.y - at.y).abs();
            if !part.is_empty() && apart <= best.map_or(reach, |(known, _)| (known.y - at.y).abs()) {
                best = Some((middle, level.clamp(0.0, 1.0).acos()));
            }
        });
        best
    }

    /// How high triangles reach over a square around a place, those that begin above it left out.
    pub(super) fn top(&self, at: Vec3, half: f32) -> Option<f32> {
        let under = self.heights_over(at, half).into_iter().filter(|[low, _]| *low <= at.y);
        under.map(|[_, high]| high).reduce(f32::max)
    }

    /// How low triangles hang over a square around a place, those left out that begin less than `least` above it.
    pub(super) fn lowest_over(&self, at: Vec3, half: f32, least: f32) -> Option<f32> {
        let over = self.heights_over(at, half).into_iter().filter(|[low, _]| *low > at.y + least);
        over.map(|[low, _]| low).reduce(f32::min)
    }

    /// How far one gets in a straight line to another place before a triangle is hit, metres; `None` where none is.
    pub(super) fn free(&self, from: Vec3, to: Vec3) -> Option<f32> {
        let (run, mut free) = (from.distance(to), f32::INFINITY);
        let ray = Ray { origin: from, direction: (to - from).normalize_or_zero() };
        self.near(&Rect::around([from, to].map(to_plan)), |t| free = ray.triangle(t).map_or(free, |hit| free.min(hit)));
        (free < run).then_some(free)
    }
}
