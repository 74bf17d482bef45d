//! Doorways in the walls of a level: pairs of ends of walls that face each other across a gap which is higher than it is wide.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};

use super::probe::LevelProbe;
use super::welded::Welded;
use crate::math::plan::to_plan;
use crate::math::triangle;

/// Largest vertical part of the normal of what is upright.
const STANDS: f32 = 0.02;
/// Height of a doorway in its widths, and its width in thicknesses of the wall.
const HEIGHT_TO_WIDTH: std::ops::Range<f32> = 1.7..5.0;
const WIDTH_TO_THICKNESS: std::ops::Range<f32> = 1.0..25.0;
/// By how much the two ends of a wall differ, and how far they are off each other sideways, in thicknesses; by how much their feet
/// differ in height, in widths of the doorway.
const END_ERROR: f32 = 0.1;
const FOOT_ERROR: f32 = 0.02;
/// Least length of a wall, in its thicknesses; less is a post.
const DEPTH: f32 = 1.2;
/// Least cosine of the angle between where two ends face.
const FACING: f32 = 0.999;
/// Largest cosine of the angle between the end of a wall and its sides.
const SQUARE: f32 = 0.1;
/// Where it is seen whether a doorway is free: above its foot, and off its sides, in its widths.
const HALFWAY: f32 = 0.5;
const INSIDE: f32 = 0.01;
/// Most ends of walls that are looked at.
const MAX_ENDS: usize = 2000;

/// A passage through a wall, in the level's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DoorOpening {
    pub width: f32,
    /// To the lintel, or to the top of the wall.
    pub height: f32,
}

/// An upright rectangle.
#[derive(Clone, Copy)]
struct WallEnd {
    /// At its foot.
    middle: Vec3,
    facing: Vec2,
    thickness: f32,
    height: f32,
}

impl WallEnd {
    /// The doorway between two ends.
    fn doorway(&self, other: &Self) -> Option<DoorOpening> {
        let by = to_plan(other.middle - self.middle);
        let (width, aside) = (by.dot(self.facing), by.perp_dot(self.facing).abs());
        let thickness = self.thickness.max(other.thickness);
        let height = self.height.min(other.height);
        let is_one = width > 0.0
            && self.facing.dot(other.facing) < -FACING
            && aside < END_ERROR * thickness
            && (self.thickness - other.thickness).abs() < END_ERROR * thickness
            && (self.middle.y - other.middle.y).abs() < FOOT_ERROR * width
            && height > HEIGHT_TO_WIDTH.start * width
            && WIDTH_TO_THICKNESS.contains(&(width / thickness));
        is_one.then_some(DoorOpening { width, height })
    }
}

/// Upright rectangles: pieces of one plane that hang together and are as large as their outlines.
fn wall_ends(welded: &Welded<'_>) -> Vec<WallEnd> {
    let is_upright: Vec<bool> = (0..welded.corners.len())
        .map(|t| (0.0..STANDS).contains(&welded.normal(t as u32).y.abs()) && welded.normal(t as u32) != Vec3::ZERO)
        .collect();
    let continues = |a: u32, b: u32| welded.normal(a).dot(welded.normal(b)) > FACING;
    let roots = welded.components_where(|t| is_upright[t as usize], continues);
    let mut pieces: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for t in (0..is_upright.len()).filter(|&t| is_upright[t]) {
        pieces.entry(roots[t]).or_default().push(t);
    }
    let mut pieces: Vec<Vec<usize>> = pieces.into_values().collect();
    pieces.sort_unstable_by_key(|piece| piece[0]);
    pieces.iter().filter_map(|piece| wall_end(welded, piece)).take(MAX_ENDS).collect()
}

/// A piece of a plane as an upright rectangle that is the end of a wall; `None` of any other outline, and of posts.
fn wall_end(welded: &Welded<'_>, piece: &[usize]) -> Option<WallEnd> {
    let normal = welded.normal(*piece.first()? as u32);
    let facing = Vec2::new(normal.x, normal.z).normalize_or_zero();
    let along = Vec3::new(-facing.y, 0.0, facing.x);
    let corners = || piece.iter().flat_map(|&t| welded.triangles[t]);
    let [low, high] = [Vec2::splat(f32::INFINITY), Vec2::splat(f32::NEG_INFINITY)];
    let at = |p: Vec3| Vec2::new(p.dot(along), p.y);
    let (low, high) = corners().map(at).fold((low, high), |(low, high), p| (low.min(p), high.max(p)));
    let size = high - low;
    let area: f32 = piece.iter().map(|&t| triangle::area(&welded.triangles[t])).sum();
    let is_rectangle = area > 0.0 && (area - size.x * size.y).abs() < END_ERROR * area;
    let first = corners().next()?;
    let middle = first + along * (0.5 * (low.x + high.x) - first.dot(along));
    let is_end = is_rectangle && is_end_of_wall(welded, piece, normal, size.x);
    is_end.then_some(WallEnd { middle: middle.with_y(low.y), facing, thickness: size.x, height: size.y })
}

/// Whether a wall goes on behind a piece of a plane, at right angles to it: posts are thin, and round ones have no corners.
fn is_end_of_wall(welded: &Welded<'_>, piece: &[usize], normal: Vec3, thickness: f32) -> bool {
    let edges = piece.iter().flat_map(|&t| {
        let c = welded.corners[t];
        [0, 1, 2].map(|k| [c[k].min(c[(k + 1) % 3]), c[k].max(c[(k + 1) % 3])])
    });
    let from = welded.triangles[piece[0]][0].dot(normal);
    let mut depth = 0.0_f32;
    for user in edges.filter_map(|edge| welded.edges.get(&edge)).flatten() {
        let beside = welded.normal(user.triangle);
        if beside.y.abs() < STANDS && (SQUARE..FACING).contains(&beside.dot(normal).abs()) {
            return false;
        }
        let corners = welded.triangles[user.triangle as usize];
        depth = corners.map(|p| from - p.dot(normal)).into_iter().fold(depth, f32::max);
    }
    depth > DEPTH * thickness
}

/// The doorways in a level.
pub(super) fn doorways(welded: &Welded<'_>) -> Vec<DoorOpening> {
    let ends = wall_ends(welded);
    if ends.is_empty() {
        return Vec::new();
    }
    let probe = LevelProbe::new(welded.triangles);
    let mut found = Vec::new();
    for (i, end) in ends.iter().enumerate() {
        let ahead = ends.iter().enumerate().filter_map(|(k, other)| Some((k, end.doorway(other)?)));
        // Only what is next, and each once.
        let Some((k, nearest)) = ahead.min_by(|a, b| a.1.width.total_cmp(&b.1.width)) else { continue };
        if k < i {
            continue;
        }
        let (up, ahead) = (Vec3::Y * HALFWAY * nearest.width, (ends[k].middle - end.middle) * INSIDE);
        let is_free = probe.free(end.middle + up + ahead, ends[k].middle + up - ahead).is_none();
        let middle = (end.middle + ends[k].middle) * 0.5;
        let lintel = probe.above(middle + up, 0.0).map_or(f32::INFINITY, |(y, _)| y - middle.y);
        let doorway = DoorOpening { height: nearest.height.min(lintel), ..nearest };
        if is_free && HEIGHT_TO_WIDTH.contains(&(doorway.height / doorway.width)) {
            found.push(doorway);
        }
    }
    found
}
