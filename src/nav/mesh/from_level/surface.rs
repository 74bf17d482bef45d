//! Surfaces: ground triangles of one plane that hang together, less what covers them, as few convex pieces.
//!
//! Outlines are unions and differences on a grid of integers, so that what coincides stays one and nothing folds over;
//! they are cut into the convex parts of a Delaunay triangulation.

use super::areas::{FIRST_UNITED, Shapes, difference, united, without_slivers};
use super::convex;
use super::convex_parts::convex_parts;
use super::corners::{CornerEdges, CornerNumbers};
use super::level_grid::{Contour, LevelGrid};
use super::obstacles::Faces;
use super::piece::{Piece, plan_corners};
use super::remainder::Remainder;
use super::shared_sets::SharedSets;
use super::subtraction::{CoverPair, Covers, Examined, NO_SURFACE, examine};
use crate::asset::LevelTriangle;
use crate::math::hull;
use crate::math::plan::{to_plan, to_plan_f64};
use crate::nav::rect_grid::Rect;
use foldhash::{HashMap, HashMapExt};
use glam::{DVec2, DVec3, Vec2, Vec3};
use rayon::prelude::*;
use smallvec::SmallVec;
use std::cmp::Reverse;

/// Corners off a surface's plane by more than this belong to another surface, metres.
const MAX_OFF_PLANE: f64 = 1e-3;
/// Faces whose footprints one thread finds.
const FACES_AT_ONCE: usize = 256;
/// Faces are taken from a surface by and by where they lie upon each other in more layers than this on average.
const MANY_LAYERS: f32 = 4.0;
/// How far the footprint of a face reaches around its rectangle at most, metres.
const AROUND: f32 = 0.1;
/// Most corners of a hull that footprints are clipped to.
const MAX_HULL: usize = 16;
/// Surfaces whose pieces are made before they are put to the others.
const AT_ONCE: usize = 1 << 16;

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
        let convex = convex_parts(&shapes);
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
            let double_area = convex::double_area(&face);
            if double_area == 0.0 {
                return 0.0;
            }
            if double_area < 0.0 {
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
