//! Surfaces: ground triangles of one plane that hang together, less what covers them, as few convex pieces.
//!
//! Outlines are unions and differences on a grid of integers, so that what coincides stays one and nothing folds over;
//! they are cut into the convex parts of a Delaunay triangulation.

use super::convex;
use super::corners::{CornerEdges, CornerNumbers};
use super::level_grid::{Contour, LevelGrid};
use super::obstacles::Faces;
use super::piece::{Piece, plan_corners};
use super::shared_sets::SharedSets;
use super::subtraction::{CoverPair, Covers, Examined, NO_SURFACE, examine};
use crate::asset::LevelTriangle;
use crate::math::hull;
use crate::math::plan::{to_plan, to_plan_f64};
use crate::nav::rect_grid::Rect;
use foldhash::{HashMap, HashMapExt};
use glam::{DVec2, DVec3, Vec2, Vec3};
use i_triangle::i_overlay::core::fill_rule::FillRule;
use i_triangle::i_overlay::core::overlay::Overlay;
use i_triangle::i_overlay::core::overlay_rule::OverlayRule;
use i_triangle::int::triangulatable::IntTriangulatable;
use rayon::prelude::*;
use smallvec::SmallVec;
use std::cmp::Reverse;

/// Corners off a surface's plane by more than this belong to another surface, metres.
const MAX_OFF_PLANE: f64 = 1e-3;
/// Twice the area of the smallest hole and the smallest island, square metres: less than anything that stands on the
/// ground takes away.
const MIN_DOUBLE_AREA: f64 = 1e-3;

/// Outlines of a group whose union is made before it is put to the others.
const UNITED_AT_ONCE: usize = 64;
/// The first faces looked at of a surface upon which much lies; each time there are twice as many. As many of their outlines
/// at least are subtracted at once.
const FIRST_UNITED: usize = 8;
/// Faces whose footprints one thread finds.
const FACES_AT_ONCE: usize = 256;
/// Faces are taken from a surface by and by where they lie upon each other in more layers than this on average.
const MANY_LAYERS: f32 = 4.0;
/// How far the footprint of a face reaches around its rectangle at most, metres.
const AROUND: f32 = 0.1;
/// Most corners of a hull that footprints are clipped to.
const MAX_HULL: usize = 16;
/// Footprints farther than this from what is left of a surface take nothing of it, metres.
const BESIDE_LEFT: f32 = 0.01;
/// Surfaces whose pieces are made before they are put to the others.
const AT_ONCE: usize = 1 << 16;

/// Areas, each as its outline and its holes.
type Shapes = Vec<Vec<Contour>>;

/// The convex pieces of all surfaces of triangles marked in `ground`; those marked in `repeated` are not there. `step` is
/// the highest one, metres.
pub(super) fn pieces(triangles: &[LevelTriangle], ground: &[bool], repeated: &[bool], step: f32) -> PieceList {
    let grid = LevelGrid::around(triangles);
    let numbers: Vec<u32> = (0..triangles.len() as u32).filter(|&i| ground[i as usize]).collect();
    let faces = Faces::new(triangles, ground, repeated);
    let Examined { mut is_covered, same } = examine(&faces, &numbers, ground.len(), step);
    let same = SameGround::new(&numbers, &same);
    // As much memory as the pieces will take.
    let faces = Some(faces).filter(|_| !same.sets.is_empty() || is_covered.contains(&true));
    let corners = CornerNumbers::new(triangles, &numbers, &grid);
    let surfaces = group(triangles, &numbers, &same, &corners);
    let covers = faces.map(|faces| {
        let surface_of = surfaces.of_triangles(&numbers, triangles.len());
        same.mark_parted(&surface_of, &numbers, &mut is_covered);
        Covers { faces, surface_of, step }
    });
    let of_surface = |number: usize| {
        let members = surfaces.get(number);
        let covers = covers.as_ref().filter(|_| members.iter().any(|&at| is_covered[at as usize]));
        if covers.is_none() && members.len() == 1 {
            return SmallVec::from_buf([Piece::whole(numbers[members[0] as usize])]);
        }
        let surface = FlatSurface {
            number: number as u32,
            triangles: members.iter().map(|&at| numbers[at as usize]).collect(),
            overlaps: members.iter().any(|at| same.of.contains_key(at)),
        };
        let seed = surface.triangles[0];
        let shapes = covers.and_then(|covers| surface.remainder(triangles, covers, &grid));
        if shapes.is_none() && members.len() == 1 {
            return SmallVec::from_buf([Piece::whole(seed)]);
        }
        let shapes = without_slivers(shapes.unwrap_or_else(|| surface.whole(triangles, &grid)), &grid);
        let convex = shapes.triangulate().into_delaunay().to_convex_polygons();
        let piece = |contour: &Contour| Piece::part(seed, contour.iter().map(|&p| grid.point(p)));
        convex.iter().map(piece).collect::<SmallVec<[Piece; 1]>>()
    };
    let mut pieces = Vec::with_capacity(surfaces.len());
    let mut part = Vec::new();
    for first in (0..surfaces.len()).step_by(AT_ONCE) {
        let numbers = first..surfaces.len().min(first + AT_ONCE);
        numbers.into_par_iter().map(of_surface).collect_into_vec(&mut part);
        pieces.extend(part.drain(..).flatten());
    }
    PieceList { pieces, corners }
}

/// The convex pieces of all surfaces, and the numbers of the corners of whole triangles.
pub(super) struct PieceList {
    pub pieces: Vec<Piece>,
    pub corners: CornerNumbers,
}

/// Triangles of ground in one plane that hang together.
struct FlatSurface {
    number: u32,
    /// By their positions in the level's list.
    triangles: SmallVec<[u32; 4]>,
    /// Whether some of them lie on others.
    overlaps: bool,
}

impl FlatSurface {
    fn outlines(&self, triangles: &[LevelTriangle], grid: &LevelGrid) -> Vec<Contour> {
        let outline = |&i: &u32| grid.contour(&plan_corners(&triangles[i as usize].points));
        let outlines = self.triangles.iter().map(outline).collect();
        if self.overlaps { united(outlines) } else { outlines }
    }

    /// A convex outline around it, in plan view.
    fn hull(&self, triangles: &[LevelTriangle]) -> Vec<DVec2> {
        let corners = || self.triangles.iter().flat_map(|&i| triangles[i as usize].points.map(to_plan));
        let mut around = hull::convex(&corners().collect::<Vec<_>>());
        if around.len() > MAX_HULL {
            let Rect { min, max } = Rect::around(corners());
            around = vec![min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)];
        }
        around.into_iter().map(Vec2::as_dvec2).collect()
    }

    /// All of it.
    fn whole(&self, triangles: &[LevelTriangle], grid: &LevelGrid) -> Shapes {
        difference(&self.outlines(triangles, grid), &[])
    }

    /// What is left of it; `None` where nothing covers it.
    fn remainder(&self, triangles: &[LevelTriangle], covers: &Covers, grid: &LevelGrid) -> Option<Shapes> {
        let pairs = covers.pairs(self.number, &self.triangles);
        let mut faces: Vec<&[CoverPair]> = pairs.chunk_by(|a, b| a.face == b.face).collect();
        let footprints = |faces: &[&[CoverPair]], is_needed: &(dyn Fn(&[DVec2]) -> bool + Sync)| -> Vec<Contour> {
            let of_faces = |faces: &[&[CoverPair]]| {
                let mut contours = Vec::new();
                let mut take = |part: &[DVec2]| contours.extend(is_needed(part).then(|| grid.contour(part)));
                faces.iter().for_each(|pairs| covers.footprints(self.number, pairs, &mut take));
                contours
            };
            faces.par_chunks(FACES_AT_ONCE).flat_map_iter(of_faces).collect()
        };
        let bounds = Rect::around(self.triangles.iter().flat_map(|&i| triangles[i as usize].points).map(to_plan));
        let part = |pairs: &[CoverPair]| area_within(covers.faces.rect(pairs[0].face), &bounds);
        if faces.iter().map(|pairs| part(pairs)).sum::<f32>() <= area_within(&bounds, &bounds) * MANY_LAYERS {
            let solid = footprints(&faces, &|_| true);
            return (!solid.is_empty()).then(|| difference(&self.outlines(triangles, grid), &united(solid)));
        }
        // Where much lies upon each other, the largest faces leave little that the others have to be tried on.
        let hull = self.hull(triangles);
        let area = |pairs: &[CoverPair]| {
            let mut face: convex::FewCorners =
                covers.faces.corners(pairs[0].face).into_iter().map(to_plan_f64).collect();
            if convex::double_area(&face) < 0.0 {
                face.reverse();
            }
            convex::double_area(&convex::intersection(&face, &hull))
        };
        // Areas are not negative: their bits are in the order of the numbers.
        faces.par_sort_by_cached_key(|pairs| Reverse(area(pairs).to_bits()));
        let mut left: Option<Remainder> = None;
        let (mut rest, mut at_once) = (&faces[..], FIRST_UNITED);
        while !rest.is_empty() {
            let next;
            (next, rest) = rest.split_at(at_once.min(rest.len()));
            at_once *= 2;
            let meets = |pairs: &&&[CoverPair]| {
                let own = covers.faces.rect(pairs[0].face).expanded(AROUND);
                left.as_ref().is_none_or(|left| left.meets_rect(&own))
            };
            let is_needed = |part: &[DVec2]| left.as_ref().is_none_or(|left| left.meets(part));
            let solid = footprints(&next.iter().filter(meets).copied().collect::<Vec<_>>(), &is_needed);
            let mut waiting = solid.into_iter();
            let first = left.as_ref().map_or(FIRST_UNITED, Remainder::at_once);
            let mut group: Vec<Contour> = waiting.by_ref().take(first).collect();
            while !group.is_empty() {
                let before = left.take().map_or_else(|| self.outlines(triangles, grid), Remainder::into_contours);
                let after = Remainder::new(&before, group, &hull, *grid);
                if after.shapes.is_empty() {
                    return Some(after.shapes);
                }
                group = after.next_group(&mut waiting);
                left = Some(after);
            }
        }
        left.map(|left| left.shapes)
    }
}

/// What nothing has covered so far of a surface upon which much lies.
struct Remainder<'a> {
    shapes: Shapes,
    areas: Vec<LeftArea>,
    /// An outline around the surface.
    hull: &'a [DVec2],
    grid: LevelGrid,
}

impl<'a> Remainder<'a> {
    /// What is left within outlines without the areas of `solid`.
    fn new(outlines: &[Contour], solid: Vec<Contour>, hull: &'a [DVec2], grid: LevelGrid) -> Self {
        let shapes = without_slivers(difference(outlines, &united(solid)), &grid);
        let areas = shapes.iter().map(|shape| LeftArea::new(shape, &grid)).collect();
        Self { shapes, areas, hull, grid }
    }

    fn into_contours(self) -> Vec<Contour> {
        self.shapes.into_iter().flatten().collect()
    }

    /// How many outlines are subtracted at once. Outlines that all cross each other take the square of their number; with
    /// about as many corners as what is left has, they take no longer than what is left does by itself.
    fn at_once(&self) -> usize {
        FIRST_UNITED.max(self.shapes.iter().flatten().map(Vec::len).sum::<usize>() / 2)
    }

    /// The next ones of `waiting` to subtract at once. What came before them may have taken all that they cover.
    fn next_group(&self, waiting: &mut impl Iterator<Item = Contour>) -> Vec<Contour> {
        let points = |contour: &Contour| contour.iter().map(|&p| self.grid.point(p)).collect::<convex::FewCorners>();
        waiting.filter(|contour| self.meets(&points(contour))).take(self.at_once()).collect()
    }

    fn meets_rect(&self, rect: &Rect) -> bool {
        self.areas.iter().any(|area| area.rect.intersects(rect))
    }

    /// Whether a convex polygon takes anything of what is left.
    fn meets(&self, polygon: &[DVec2]) -> bool {
        // Long ones that cross a narrow surface do so in a small part of it.
        let within = convex::intersection(polygon, self.hull);
        self.areas.iter().any(|area| area.meets(&within))
    }
}

/// An area of a surface that nothing has covered so far.
struct LeftArea {
    rect: Rect,
    /// Its outline and its holes.
    contours: Vec<Vec<DVec2>>,
}

impl LeftArea {
    fn new(shape: &[Contour], grid: &LevelGrid) -> Self {
        let points = |contour: &Contour| contour.iter().map(|&p| grid.point(p)).collect();
        Self { rect: grid.rect(&shape[0]), contours: shape.iter().map(points).collect() }
    }

    fn edges(&self) -> impl Iterator<Item = (DVec2, DVec2)> {
        self.contours.iter().flat_map(|c| c.iter().zip(c.iter().cycle().skip(1)).map(|(&a, &b)| (a, b)))
    }

    /// Whether a convex polygon comes nearer than [`BESIDE_LEFT`].
    fn meets(&self, polygon: &[DVec2]) -> bool {
        let own = Rect::around(polygon.iter().map(|p| p.as_vec2())).expanded(BESIDE_LEFT);
        let Some(&first) = polygon.first().filter(|_| self.rect.intersects(&own)) else { return false };
        let is_near = |(a, b)| convex::clip_segment(polygon, a, b, -f64::from(BESIDE_LEFT)).is_some();
        let crosses = |&(a, b): &(DVec2, DVec2)| {
            (a.y > first.y) != (b.y > first.y) && first.x < a.x + (b.x - a.x) * (first.y - a.y) / (b.y - a.y)
        };
        self.edges().any(is_near) || self.edges().filter(crosses).count() % 2 == 1
    }
}

fn difference(outlines: &[Contour], solid: &[Contour]) -> Shapes {
    Overlay::from_subj_and_clip(outlines, solid).overlay(OverlayRule::Difference, FillRule::NonZero)
}

/// Shapes without their smallest holes, and without the smallest of them.
fn without_slivers(mut shapes: Shapes, grid: &LevelGrid) -> Shapes {
    shapes.retain(|shape| grid.double_area(&shape[0]) >= MIN_DOUBLE_AREA);
    for shape in &mut shapes {
        let mut is_outline = true;
        shape.retain(|contour| std::mem::take(&mut is_outline) || grid.double_area(contour) >= MIN_DOUBLE_AREA);
    }
    shapes
}

/// The area of a rectangle within another one, square metres.
fn area_within(rect: &Rect, bounds: &Rect) -> f32 {
    let size = (rect.max.min(bounds.max) - rect.min.max(bounds.min)).max(Vec2::ZERO);
    size.x * size.y
}

/// Ground that is modelled several times.
struct SameGround {
    /// Per triangle the number of the set that it belongs to, both by positions in a list of ground triangles.
    of: HashMap<u32, u32>,
    /// The sets, as such positions, ascending.
    sets: Vec<Vec<u32>>,
}

impl SameGround {
    fn new(numbers: &[u32], same: &SharedSets) -> Self {
        let (mut of, mut sets, mut of_root) = (HashMap::new(), Vec::<Vec<u32>>::new(), HashMap::new());
        for (at, &number) in (0..).zip(numbers) {
            let root = same.root(number);
            if root == number {
                continue;
            }
            // The root comes first, and is ground.
            let set = *of_root.entry(root).or_insert_with(|| {
                let first = numbers.binary_search(&root).map_or(at, |first| first as u32);
                of.insert(first, sets.len() as u32);
                sets.push(vec![first]);
                sets.len() as u32 - 1
            });
            of.insert(at, set);
            sets[set as usize].push(at);
        }
        Self { of, sets }
    }

    /// Marks those as covered that lie in different surfaces: the others of their set are not united with them.
    fn mark_parted(&self, surface_of: &[u32], numbers: &[u32], is_covered: &mut [bool]) {
        let surface = |at: &u32| surface_of[numbers[*at as usize] as usize];
        let is_parted = |set: &&Vec<u32>| set.iter().any(|at| surface(at) != surface(&set[0]));
        self.sets.iter().filter(is_parted).flatten().for_each(|&at| is_covered[at as usize] = true);
    }
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

    /// Per triangle of the level, `count` of them, the number of its group. `numbers` are the positions of those in groups.
    fn of_triangles(&self, numbers: &[u32], count: usize) -> Vec<u32> {
        let mut groups = vec![NO_SURFACE; count];
        for group in 0..self.len() {
            self.get(group).iter().for_each(|&at| groups[numbers[at as usize] as usize] = group as u32);
        }
        groups
    }
}

/// Groups triangles that share edges, or overlap, and lie in the plane of the group's first one.
fn group(triangles: &[LevelTriangle], numbers: &[u32], same: &SameGround, corners: &CornerNumbers) -> Groups {
    let edges = CornerEdges::new(triangles, numbers, corners);
    let points = |at: u32| &triangles[numbers[at as usize] as usize].points;
    // Most triangles of hills stand alone, which is found out by all threads.
    let is_alone = |at: u32| {
        let plane = SeedPlane::of(points(at));
        !same.of.contains_key(&at)
            && !plane.is_some_and(|plane| edges.beyond(at).any(|other| plane.holds(points(other))))
    };
    let is_alone: Vec<bool> = (0..numbers.len() as u32).into_par_iter().map(is_alone).collect();
    // Per set of the same ground the last group whose plane its members were compared with.
    let mut compared = vec![usize::MAX; same.sets.len()];
    let mut groups =
        Groups { members: Vec::with_capacity(numbers.len()), starts: Vec::with_capacity(numbers.len() + 1) };
    groups.starts.push(0);
    let mut is_taken = vec![false; numbers.len()];
    for seed in 0..numbers.len() as u32 {
        if std::mem::replace(&mut is_taken[seed as usize], true) {
            continue;
        }
        let Some(plane) = SeedPlane::of(points(seed)) else { continue };
        let first = groups.members.len();
        groups.members.push(seed);
        let mut next = if is_alone[seed as usize] { first + 1 } else { first };
        while let Some(&at) = groups.members.get(next) {
            next += 1;
            let set = same.of.get(&at).map(|&set| set as usize);
            let set = set.filter(|&set| std::mem::replace(&mut compared[set], first) != first);
            let same = set.map_or(&[][..], |set| &same.sets[set]);
            for other in edges.beyond(at).chain(same.iter().copied()) {
                if !is_taken[other as usize] && plane.holds(points(other)) {
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

/// The plane of the first triangle of a group.
struct SeedPlane {
    at: DVec3,
    normal: DVec3,
}

impl SeedPlane {
    fn of(points: &[Vec3; 3]) -> Option<Self> {
        let [at, b, c] = points.map(|p| p.as_dvec3());
        Some(Self { at, normal: (b - at).cross(c - at).try_normalize()? })
    }

    fn holds(&self, points: &[Vec3; 3]) -> bool {
        points.iter().all(|p| self.normal.dot(p.as_dvec3() - self.at).abs() <= MAX_OFF_PLANE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strips of one metre by 20 m across one place, turned further and further from that of an angle of zero up to 90°.
    fn strips(count: usize, grid: &LevelGrid) -> Vec<Contour> {
        let strip = |i: usize| {
            let turn = DVec2::from_angle(i as f64 / count as f64 * std::f64::consts::FRAC_PI_2);
            let corners = [(-10.0, -0.5), (10.0, -0.5), (10.0, 0.5), (-10.0, 0.5)];
            grid.contour(&corners.map(|(x, y)| turn.rotate(DVec2::new(x, y))))
        };
        (0..=count).map(strip).collect()
    }

    #[test]
    fn crossings_looked_at_grow_with_the_slabs_in_one_place() {
        let points = [Vec3::new(-16.0, 0.0, -16.0), Vec3::new(-16.0, 0.0, 16.0), Vec3::new(16.0, 0.0, 16.0)];
        let grid = LevelGrid::around(&[LevelTriangle { index: 0, points, normal: Vec3::Y }]);
        for count in [32, 128] {
            let strips = strips(count, &grid);
            let hull: Vec<DVec2> = strips[0].iter().map(|&p| grid.point(p)).collect();
            let mut left = strips[..1].to_vec();
            let mut waiting = strips[1..].iter().cloned();
            let mut group: Vec<Contour> = waiting.by_ref().take(FIRST_UNITED).collect();
            let mut crossings = 0;
            while !group.is_empty() {
                crossings += group.len().pow(2);
                let after = Remainder::new(&left, group, &hull, grid);
                group = after.next_group(&mut waiting);
                left = after.into_contours();
            }
            // What is left are two wedges of at most seven corners, so no group is larger than the first.
            assert!(crossings <= FIRST_UNITED * count, "{crossings} of {count} slabs");
            let area = |contours: &[Contour]| contours.iter().map(|c| grid.double_area(c)).sum::<f64>();
            let at_once = Remainder::new(&strips[..1], strips[1..].to_vec(), &hull, grid).into_contours();
            let areas = [area(&left), area(&at_once)];
            assert!(
                (areas[0] - areas[1]).abs() < 0.01,
                "{areas:?} m², twice what is left by groups and by all at once"
            );
        }
    }
}
