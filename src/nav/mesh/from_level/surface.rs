//! Surfaces: ground triangles of one plane that hang together, less what covers them, as few convex pieces.
//!
//! Outlines are unions and differences on a grid of integers, so that what coincides stays one and nothing folds over;
//! they are cut into the convex parts of a Delaunay triangulation.

use super::piece::Piece;
use super::subtraction::Covers;
use crate::asset::LevelTriangle;
use glam::{DVec2, DVec3};
use i_triangle::i_overlay::core::fill_rule::FillRule;
use i_triangle::i_overlay::core::overlay::Overlay;
use i_triangle::i_overlay::core::overlay_rule::OverlayRule;
use i_triangle::i_overlay::i_float::int::point::IntPoint;
use i_triangle::int::triangulatable::IntTriangulatable;
use rayon::prelude::*;
use std::collections::HashMap;

/// Corners off a surface's plane by more than this belong to another surface, metres.
const MAX_OFF_PLANE: f64 = 1e-3;
/// Cells of the grid per metre, in levels up to [`MAX_FINE_EXTENT`].
const CELLS_PER_METRE: f64 = 8192.0;
/// Largest distance from a level's middle at which the grid is that fine, metres: coordinates stay below 2³⁰.
const MAX_FINE_EXTENT: f64 = 100_000.0;
/// Twice the area of the smallest hole and the smallest island, square metres: less than anything that stands on the
/// ground takes away.
const MIN_DOUBLE_AREA: f64 = 1e-3;

type Point = IntPoint<i32>;
type Contour = Vec<Point>;

/// The grid of integers over a level, seen from above.
#[derive(Clone, Copy)]
struct LevelGrid {
    origin: DVec2,
    per_metre: f64,
}

impl LevelGrid {
    fn around(triangles: &[LevelTriangle]) -> Self {
        let points = triangles.iter().flat_map(|t| t.points).filter(|p| p.is_finite());
        let plan = points.map(|p| DVec2::new(p.x.into(), p.z.into()));
        let (low, high) = plan.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        let extent = ((high - low).max_element() * 0.5).max(1.0);
        let per_metre = CELLS_PER_METRE * (MAX_FINE_EXTENT / extent).min(1.0);
        Self { origin: (low + high) * 0.5, per_metre }
    }

    fn snap(&self, p: DVec2) -> Point {
        let p = ((p - self.origin) * self.per_metre).round();
        IntPoint::new(p.x as i32, p.y as i32)
    }

    fn point(&self, p: Point) -> DVec2 {
        DVec2::new(p.x.into(), p.y.into()) / self.per_metre + self.origin
    }

    fn contour(&self, outline: &[DVec2]) -> Contour {
        outline.iter().map(|&p| self.snap(p)).collect()
    }

    fn double_area(&self, contour: &[Point]) -> f64 {
        let points: Vec<DVec2> = contour.iter().map(|&p| self.point(p)).collect();
        super::convex::double_area(&points).abs()
    }
}

/// The convex pieces of all surfaces of triangles marked in `ground`. `covers` holds what covers each of these, in
/// their order.
pub(super) fn pieces(triangles: &[LevelTriangle], ground: &[bool], covers: &[Covers]) -> Vec<Piece> {
    let grid = LevelGrid::around(triangles);
    let numbers: Vec<u32> = (0..triangles.len() as u32).filter(|&i| ground[i as usize]).collect();
    let surfaces = group(triangles, &numbers, &grid);
    let of_surface = surfaces.par_iter().map(|surface| {
        let seed = numbers[surface[0]];
        let whole = Piece::of_triangle(seed, &triangles[seed as usize].points);
        if surface.len() == 1 && covers[surface[0]].is_empty() {
            return vec![whole];
        }
        let convex = remainder(triangles, &numbers, covers, surface, &grid).triangulate();
        let convex = convex.into_delaunay().to_convex_polygons();
        convex.iter().map(|contour| whole.with_corners(contour.iter().map(|&p| grid.point(p)).collect())).collect()
    });
    of_surface.flatten_iter().collect()
}

/// What is left of a surface: shapes, each an outline with its holes.
fn remainder(
    triangles: &[LevelTriangle],
    numbers: &[u32],
    covers: &[Covers],
    surface: &[usize],
    grid: &LevelGrid,
) -> Vec<Vec<Contour>> {
    let (mut outlines, mut solid) = (Vec::new(), Vec::new());
    for &at in surface {
        let outline = grid.contour(&Piece::of_triangle(numbers[at], &triangles[numbers[at] as usize].points).corners);
        let Covers { same, over } = &covers[at];
        if same.is_empty() {
            outlines.push(outline);
        } else {
            // Ground modelled twice: it covers this triangle alone, not the one that it repeats.
            let same: Vec<Contour> = same.iter().map(|cover| grid.contour(cover)).collect();
            let left = Overlay::from_subj_and_clip(&outline, &same).overlay(OverlayRule::Difference, FillRule::NonZero);
            outlines.extend(left.into_iter().flatten());
        }
        solid.extend(over.iter().map(|cover| grid.contour(cover)));
    }
    let mut shapes = Overlay::from_subj_and_clip(&outlines, &solid).overlay(OverlayRule::Difference, FillRule::NonZero);
    shapes.retain(|shape| grid.double_area(&shape[0]) >= MIN_DOUBLE_AREA);
    for shape in &mut shapes {
        let mut is_outline = true;
        shape.retain(|contour| std::mem::take(&mut is_outline) || grid.double_area(contour) >= MIN_DOUBLE_AREA);
    }
    shapes
}

/// Groups triangles that share edges and lie in the plane of the group's first one. Holds positions in `numbers`.
fn group(triangles: &[LevelTriangle], numbers: &[u32], grid: &LevelGrid) -> Vec<Vec<usize>> {
    let corner = |p: DVec3| {
        let Point { x, y } = grid.snap(DVec2::new(p.x, p.z));
        [x, (p.y * grid.per_metre).round() as i32, y]
    };
    let corners: Vec<[DVec3; 3]> = numbers
        .iter()
        .map(|&i| {
            let [a, b, c] = triangles[i as usize].points.map(|p| p.as_dvec3());
            // All around the same way, seen from above.
            if (b - a).cross(c - a).y < 0.0 { [a, b, c] } else { [a, c, b] }
        })
        .collect();
    let edges = |at: usize| (0..3).map(move |i| (i, (i + 1) % 3)).map(move |(i, k)| [at, i, k]);
    let key = |[at, i, k]: [usize; 3]| [corner(corners[at][i]), corner(corners[at][k])];
    let mut beyond: HashMap<[[i32; 3]; 2], usize> = HashMap::with_capacity(numbers.len() * 3);
    for edge in (0..numbers.len()).flat_map(edges) {
        beyond.entry(key(edge)).or_insert(edge[0]);
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut is_taken = vec![false; numbers.len()];
    for seed in 0..numbers.len() {
        if std::mem::replace(&mut is_taken[seed], true) {
            continue;
        }
        let [a, b, c] = corners[seed];
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
        let mut group = vec![seed];
        let mut next = 0;
        while let Some(&at) = group.get(next) {
            next += 1;
            for [at, i, k] in edges(at) {
                let Some(&other) = beyond.get(&key([at, k, i])) else { continue };
                let is_flat = corners[other].iter().all(|&p| normal.dot(p - a).abs() <= MAX_OFF_PLANE);
                if is_flat && !std::mem::replace(&mut is_taken[other], true) {
                    group.push(other);
                }
            }
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}
