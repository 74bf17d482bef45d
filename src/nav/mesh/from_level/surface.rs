//! Surfaces: ground triangles of one plane that hang together, less what covers them, as few convex pieces.
//!
//! Outlines are unions and differences on a grid of integers, so that what coincides stays one and nothing folds over;
//! they are cut into the convex parts of a Delaunay triangulation.

use super::piece::{Piece, plan_corners};
use super::subtraction::Covers;
use crate::asset::LevelTriangle;
use crate::nav::mesh::pair_table::PairTable;
use foldhash::{HashMap, HashMapExt};
use glam::{DVec2, DVec3};
use i_triangle::i_overlay::core::fill_rule::FillRule;
use i_triangle::i_overlay::core::overlay::Overlay;
use i_triangle::i_overlay::core::overlay_rule::OverlayRule;
use i_triangle::i_overlay::i_float::int::point::IntPoint;
use i_triangle::int::triangulatable::IntTriangulatable;
use rayon::prelude::*;
use smallvec::SmallVec;

/// Corners off a surface's plane by more than this belong to another surface, metres.
const MAX_OFF_PLANE: f64 = 1e-3;
/// Cells of the grid per metre, in levels up to [`MAX_FINE_EXTENT`].
const CELLS_PER_METRE: f64 = 8192.0;
/// Largest distance from a level's middle at which the grid is that fine, metres: coordinates stay below 2³⁰.
const MAX_FINE_EXTENT: f64 = 100_000.0;
/// Twice the area of the smallest hole and the smallest island, square metres: less than anything that stands on the
/// ground takes away.
const MIN_DOUBLE_AREA: f64 = 1e-3;

/// Outlines of a group whose union is made before it is put to the others.
const UNITED_AT_ONCE: usize = 64;
/// Surfaces whose pieces are made before they are put to the others.
const AT_ONCE: usize = 1 << 16;

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
pub(super) fn pieces(triangles: &[LevelTriangle], ground: &[bool], covers: Vec<Option<Box<Covers>>>) -> Vec<Piece> {
    let grid = LevelGrid::around(triangles);
    let numbers: Vec<u32> = (0..triangles.len() as u32).filter(|&i| ground[i as usize]).collect();
    let surfaces = group(triangles, &numbers, &covers, &grid);
    let of_surface = |surface: &[u32]| {
        let seed = numbers[surface[0] as usize];
        if surface.len() == 1 && covers[surface[0] as usize].is_none() {
            return SmallVec::from_buf([Piece::whole(seed)]);
        }
        let convex = remainder(triangles, &numbers, &covers, surface, &grid).triangulate();
        let convex = convex.into_delaunay().to_convex_polygons();
        let piece = |contour: &Contour| Piece::part(seed, contour.iter().map(|&p| grid.point(p)));
        convex.iter().map(piece).collect::<SmallVec<[Piece; 1]>>()
    };
    let mut pieces = Vec::with_capacity(surfaces.len());
    let mut part = Vec::new();
    for first in (0..surfaces.len()).step_by(AT_ONCE) {
        let numbers = first..surfaces.len().min(first + AT_ONCE);
        numbers.into_par_iter().map(|number| of_surface(surfaces.get(number))).collect_into_vec(&mut part);
        pieces.extend(part.drain(..).flatten());
    }
    pieces
}

/// What is left of a surface: shapes, each an outline with its holes.
fn remainder(
    triangles: &[LevelTriangle],
    numbers: &[u32],
    covers: &[Option<Box<Covers>>],
    surface: &[u32],
    grid: &LevelGrid,
) -> Vec<Vec<Contour>> {
    let (mut outlines, mut solid, mut overlaps) = (Vec::new(), Vec::new(), false);
    for at in surface.iter().map(|&at| at as usize) {
        let outline = grid.contour(&plan_corners(&triangles[numbers[at] as usize].points));
        let (same, over) =
            covers[at].as_ref().map_or((&[][..], &[][..]), |covers| (&covers.same[..], &covers.over[..]));
        overlaps |= !same.is_empty();
        // Ground modelled twice in this surface is one in the union. That of another surface covers this triangle alone.
        let is_foreign = |number: &&u32| surface.binary_search(&position(numbers, **number)).is_err();
        let corners = |&number: &u32| grid.contour(&plan_corners(&triangles[number as usize].points));
        let same: Vec<Contour> = same.iter().filter(is_foreign).map(corners).collect();
        if same.is_empty() {
            outlines.push(outline);
        } else {
            let left = Overlay::from_subj_and_clip(&outline, &same).overlay(OverlayRule::Difference, FillRule::NonZero);
            outlines.extend(left.into_iter().flatten());
        }
        solid.extend(over.iter().map(|cover| grid.contour(cover)));
    }
    let (outlines, solid) = (if overlaps { united(outlines) } else { outlines }, united(solid));
    let mut shapes = Overlay::from_subj_and_clip(&outlines, &solid).overlay(OverlayRule::Difference, FillRule::NonZero);
    shapes.retain(|shape| grid.double_area(&shape[0]) >= MIN_DOUBLE_AREA);
    for shape in &mut shapes {
        let mut is_outline = true;
        shape.retain(|contour| std::mem::take(&mut is_outline) || grid.double_area(contour) >= MIN_DOUBLE_AREA);
    }
    shapes
}

/// The same area in fewer contours. What stands on a floor covers several of its triangles, and most parts of one thing lie
/// upon each other: neighbours are united in groups, and these again, on all cores. The 25,419 footprints on the plaza's
/// square take 0.13 s in place of the 0.83 s of one union.
fn united(mut contours: Vec<Contour>) -> Vec<Contour> {
    contours.sort_unstable();
    contours.dedup();
    if contours.len() <= UNITED_AT_ONCE {
        return contours;
    }
    let union = |group: &[Vec<Contour>]| Overlay::from_subj(group).overlay(OverlayRule::Subject, FillRule::NonZero);
    let mut shapes: Vec<Vec<Contour>> = contours.into_iter().map(|contour| vec![contour]).collect();
    let mut before = usize::MAX;
    while shapes.len() > UNITED_AT_ONCE && shapes.len() <= before / 2 {
        before = shapes.len();
        shapes = shapes.par_chunks(UNITED_AT_ONCE).flat_map_iter(union).collect();
        shapes.sort_unstable();
    }
    shapes.into_iter().flatten().collect()
}

/// Triangles in groups, as positions in a list of ground triangles.
struct Groups {
    members: Vec<u32>,
    /// Where each group begins in `members`, and where the last one ends.
    starts: Vec<u32>,
}

impl Groups {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn get(&self, number: usize) -> &[u32] {
        &self.members[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

/// The corners of a triangle, counter-clockwise in (z, x): all around the same way, seen from above.
fn turned(triangle: &LevelTriangle) -> [DVec3; 3] {
    let [a, b, c] = triangle.points.map(|p| p.as_dvec3());
    if (b - a).cross(c - a).y < 0.0 { [a, b, c] } else { [a, c, b] }
}

/// The edges of ground triangles, as pairs of numbered corners.
struct CornerEdges {
    /// The corners of each triangle.
    corners: Vec<[u32; 3]>,
    edges: PairTable,
}

impl CornerEdges {
    fn new(triangles: &[LevelTriangle], numbers: &[u32], grid: &LevelGrid) -> Self {
        let mut known: HashMap<[i32; 3], u32> = HashMap::with_capacity(numbers.len() / 2);
        let mut number = |p: DVec3| {
            let Point { x, y } = grid.snap(DVec2::new(p.x, p.z));
            let next = known.len() as u32;
            *known.entry([x, (p.y * grid.per_metre).round() as i32, y]).or_insert(next)
        };
        let corners: Vec<[u32; 3]> = numbers.iter().map(|&i| turned(&triangles[i as usize]).map(&mut number)).collect();
        let ends = corners.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        Self { edges: PairTable::new(known.len(), ends), corners }
    }

    /// The first triangles beyond the three edges of one.
    fn beyond(&self, triangle: usize) -> impl Iterator<Item = u32> + '_ {
        let [a, b, c] = self.corners[triangle];
        [[b, a], [c, b], [a, c]].into_iter().filter_map(|pair| self.edges.find(pair).next()).map(|edge| edge / 3)
    }
}

/// Where a triangle of ground stands in the list of those.
fn position(numbers: &[u32], triangle: u32) -> u32 {
    numbers.binary_search(&triangle).map_or(u32::MAX, |at| at as u32)
}

/// Per triangle those that come later and are the same ground in part, as positions in a list of ground triangles.
fn repeats(numbers: &[u32], covers: &[Option<Box<Covers>>]) -> HashMap<u32, Vec<u32>> {
    let mut repeats: HashMap<u32, Vec<u32>> = HashMap::new();
    for (at, covers) in (0..).zip(covers) {
        for &earlier in covers.iter().flat_map(|covers| &covers.same) {
            repeats.entry(position(numbers, earlier)).or_default().push(at);
        }
    }
    repeats
}

/// Groups triangles that share edges, or overlap, and lie in the plane of the group's first one.
fn group(triangles: &[LevelTriangle], numbers: &[u32], covers: &[Option<Box<Covers>>], grid: &LevelGrid) -> Groups {
    let edges = CornerEdges::new(triangles, numbers, grid);
    let repeats = repeats(numbers, covers);
    let mut groups = Groups { members: Vec::with_capacity(numbers.len()), starts: vec![0] };
    let mut is_taken = vec![false; numbers.len()];
    for seed in 0..numbers.len() {
        if std::mem::replace(&mut is_taken[seed], true) {
            continue;
        }
        let [a, b, c] = turned(&triangles[numbers[seed] as usize]);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
        let first = groups.members.len();
        groups.members.push(seed as u32);
        let mut next = first;
        while let Some(&at) = groups.members.get(next) {
            next += 1;
            let earlier = covers[at as usize].iter().flat_map(|covers| &covers.same);
            let earlier = earlier.map(|&number| position(numbers, number));
            let later = repeats.get(&at).into_iter().flatten().copied();
            for other in edges.beyond(at as usize).chain(earlier).chain(later) {
                if is_taken[other as usize] {
                    continue;
                }
                let corners = triangles[numbers[other as usize] as usize].points.map(|p| p.as_dvec3());
                if corners.iter().all(|&p| normal.dot(p - a).abs() <= MAX_OFF_PLANE) {
                    is_taken[other as usize] = true;
                    groups.members.push(other);
                }
            }
        }
        groups.members[first..].sort_unstable();
        groups.starts.push(groups.members.len() as u32);
    }
    groups
}
