//! Makes pieces meet corner to corner: corners that nearly coincide become one place, and a corner that lies on another
//! piece's edge becomes a corner of that piece too.
//!
//! What is cut out of triangles one by one leaves neighbours whose edges begin and end a little apart, with slivers and
//! T-junctions between them. Left so, each is a stub of wall on open ground, and an agent with a radius keeps away from
//! it. A sliver thinner than [`REACH`] collapses onto the edge that its neighbours then share.

use super::convex;
use super::piece::{Piece, SourcePlane};
use super::surface::PieceList;
use crate::asset::LevelTriangle;
use foldhash::{HashMap, HashMapExt};
use glam::DVec2;
use rayon::prelude::*;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::Range;

/// Corners nearer than this to each other or to an edge are on it, metres: several times what slivers measure that
/// subtraction drops, and less than what it leaves beside walls.
const REACH: f64 = 0.006;
/// Sides of the cells in which corners are looked up: of the finest, in which corners near a point are found, and of the
/// widest along edges, metres: a floor of 20 km among 10,000 boxes is cut into pieces 80 m long, which are looked along in
/// 0.05 s by these cells and in 0.5 s by cells of 0.5 m.
const CELL: [f64; 2] = [0.05, 16.0];
/// Most cells along edges for each place, on the whole.
const CELLS_PER_PLACE: usize = 4;
/// Pieces that are made to conform before they are put to the others.
const AT_ONCE: usize = 1 << 16;
/// Places of an outline that are looked through one by one.
const MAX_SHORT: usize = 64;
/// Twice the smallest area of a piece, square metres.
const MIN_DOUBLE_AREA: f64 = 1e-7;

/// No place.
const NONE: u32 = u32::MAX;

/// An outline as numbers of places.
type Outline = SmallVec<[u32; 4]>;

/// A place where corners of pieces meet, at the height of the first of them.
#[derive(Clone, Copy)]
struct Place {
    at: DVec2,
    height: f64,
}

/// Numbers of places by square cells, while there come more.
struct GrowingCells {
    /// Per cell, by the low halves of its numbers, the place that was filed last. Cells four thousand million apart are
    /// one: what is found there is too far away in any case.
    last: HashMap<[u32; 2], u32>,
    /// Per place the one of its cell that was filed before, or [`NONE`].
    before: Vec<u32>,
}

impl GrowingCells {
    fn with_capacity(capacity: usize) -> Self {
        Self { last: HashMap::with_capacity(capacity), before: Vec::with_capacity(capacity) }
    }

    fn cell(p: DVec2) -> [i64; 2] {
        [(p.x / CELL[0]).floor() as i64, (p.y / CELL[0]).floor() as i64]
    }

    /// Files the next place.
    fn push(&mut self, at: DVec2) {
        let number = self.before.len() as u32;
        self.before.push(self.last.insert(Self::cell(at).map(|v| v as u32), number).unwrap_or(NONE));
    }

    /// Places in the cells that a rectangle overlaps.
    fn within(&self, low: DVec2, high: DVec2) -> impl Iterator<Item = u32> + '_ {
        let (low, high) = (Self::cell(low), Self::cell(high));
        let cells = (low[0]..=high[0]).flat_map(move |x| (low[1]..=high[1]).map(move |z| [x, z]));
        let last = cells.filter_map(|cell| self.last.get(&cell.map(|v| v as u32)).copied());
        last.flat_map(|last| {
            std::iter::successors(Some(last), |&i| Some(self.before[i as usize]).filter(|&i| i != NONE))
        })
    }
}

/// Numbers of places by the cells of a grid around all of them, row by row.
struct PlaceGrid {
    min: DVec2,
    size: f64,
    columns: usize,
    rows: usize,
    /// Where the places of each cell begin in `places`, and where the last one's end.
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl PlaceGrid {
    /// A grid whose cells have sides of `size` metres, or larger ones where there are many more cells than places.
    fn new(all: &[Place], size: f64) -> Self {
        let around = |(low, high): (DVec2, DVec2), place: &Place| (low.min(place.at), high.max(place.at));
        let (min, max) = all.iter().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), around);
        let extent = (max - min).max(DVec2::ZERO);
        let count = |size: f64| (extent / size).floor() + 1.0;
        let mut size = size;
        while count(size).element_product() > (all.len().max(16) * CELLS_PER_PLACE) as f64 {
            size *= 2.0;
        }
        let [columns, rows] = if all.is_empty() { [1; 2] } else { count(size).to_array().map(|v| v as usize) };
        let mut grid =
            Self { min, size, columns, rows, starts: vec![0; columns * rows + 1], places: vec![0; all.len()] };
        let cells: Vec<u32> = all.par_iter().map(|place| grid.cell(place.at)).collect();
        cells.iter().for_each(|&cell| grid.starts[cell as usize + 1] += 1);
        for cell in 0..columns * rows {
            grid.starts[cell + 1] += grid.starts[cell];
        }
        let mut next = grid.starts.clone();
        for (number, &cell) in (0..).zip(&cells) {
            grid.places[next[cell as usize] as usize] = number;
            next[cell as usize] += 1;
        }
        grid
    }

    fn column(&self, x: f64) -> usize {
        (((x - self.min.x) / self.size) as usize).min(self.columns - 1)
    }

    fn row(&self, z: f64) -> usize {
        (((z - self.min.y) / self.size) as usize).min(self.rows - 1)
    }

    fn cell(&self, at: DVec2) -> u32 {
        (self.row(at.y) * self.columns + self.column(at.x)) as u32
    }

    /// Places in the cells that a rectangle overlaps.
    fn within(&self, low: DVec2, high: DVec2) -> impl Iterator<Item = u32> + '_ {
        let columns = self.column(low.x)..=self.column(high.x);
        (self.row(low.y)..=self.row(high.y)).flat_map(move |row| {
            let [first, last] = [columns.start(), columns.end()].map(|column| row * self.columns + column);
            self.places[self.starts[first] as usize..self.starts[last + 1] as usize].iter().copied()
        })
    }
}

/// All places where corners meet.
struct Places {
    all: Vec<Place>,
}

impl Places {
    /// The places of the corners of all pieces, and their numbers, piece by piece.
    fn number(level: &[LevelTriangle], PieceList { pieces, corners: numbers }: &PieceList, step: f64) -> (Self, Rings) {
        let mut places = Self { all: Vec::with_capacity(pieces.len() / 2) };
        let mut fine = GrowingCells::with_capacity(pieces.len() / 2);
        let mut rings = Rings::with_capacity(pieces.len());
        // Most corners are those of several whole triangles, which share their place.
        let mut known = vec![NONE; numbers.count()];
        for piece in pieces {
            let plane = piece.plane(level);
            let corners = piece.corners(level);
            if !piece.is_whole() {
                rings.push(corners.into_iter().map(|at| places.of_corner(&mut fine, at, plane.height_at(at), step)));
                continue;
            }
            let numbers = numbers.around(piece.source, &level[piece.source as usize].points);
            rings.push(corners.into_iter().zip(numbers).map(|(at, number)| {
                let known = &mut known[number as usize];
                if *known == NONE {
                    *known = places.of_corner(&mut fine, at, plane.height_at(at), step);
                }
                *known
            }));
        }
        (places, rings)
    }

    /// The place of a corner: the nearest one within reach, or a new one.
    fn of_corner(&mut self, fine: &mut GrowingCells, at: DVec2, height: f64, step: f64) -> u32 {
        let distance = |&i: &u32| self.all[i as usize].at.distance_squared(at);
        let fits = |i: &u32| (self.all[*i as usize].height - height).abs() <= step && distance(i) <= REACH * REACH;
        let near = fine.within(at - REACH, at + REACH).filter(fits);
        if let Some(known) = near.min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b))) {
            return known;
        }
        self.all.push(Place { at, height });
        fine.push(at);
        self.all.len() as u32 - 1
    }

    /// Appends the places on the way from place `from` to place `to`, both left out, in their order along it.
    fn along(&self, cells: &PlaceGrid, plane: &SourcePlane, [from, to]: [u32; 2], step: f64, out: &mut Outline) {
        let (p, q) = (self.all[from as usize].at, self.all[to as usize].at);
        let length = p.distance(q);
        let direction = (q - p) / length;
        let mut found: SmallVec<[(f64, u32); 8]> = SmallVec::new();
        let parts = (length / cells.size).ceil().max(1.0) as u64;
        for part in 0..parts {
            let [a, b] = [part, part + 1].map(|end| p.lerp(q, end as f64 / parts as f64));
            for i in cells.within(a.min(b) - REACH, a.max(b) + REACH) {
                let Place { at, height } = self.all[i as usize];
                let (x, aside) = (direction.dot(at - p), direction.perp_dot(at - p));
                let is_on = x > 0.0 && x < length && aside.abs() <= REACH && at != p && at != q;
                if is_on && (plane.height_at(at) - height).abs() <= step {
                    found.push((x, i));
                }
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.dedup();
        out.extend(found.iter().map(|f| f.1));
    }
}

/// Lists of numbers of places, one after the other.
struct Rings {
    places: Vec<u32>,
    /// Where each list begins, and where the last one ends.
    starts: Vec<u32>,
}

impl Rings {
    fn with_capacity(count: usize) -> Self {
        let mut starts = Vec::with_capacity(count + 1);
        starts.push(0);
        Self { places: Vec::with_capacity(count * 3), starts }
    }

    fn push(&mut self, places: impl IntoIterator<Item = u32>) {
        self.places.extend(places);
        self.starts.push(self.places.len() as u32);
    }

    fn get(&self, number: usize) -> &[u32] {
        &self.places[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

/// Pieces that meet corner to corner. Their edges are numbered piece by piece, each by its first corner.
pub(super) struct Conforming<'a> {
    /// The triangles of the level.
    pub level: Cow<'a, [LevelTriangle]>,
    /// Per piece, the position in the level's list of a triangle in whose plane it lies.
    pub sources: Vec<u32>,
    /// Per piece the first of its edges, and how many edges there are.
    pub starts: Vec<u32>,
    /// Per edge the place of its first corner: corners in one place have one number.
    pub places: Vec<u32>,
    /// The places in plan view.
    pub at: Vec<DVec2>,
}

impl Conforming<'_> {
    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// The piece of each edge.
    pub fn owners(&self) -> Vec<u32> {
        let mut owners = Vec::with_capacity(self.places.len());
        (0..self.len()).for_each(|piece| owners.resize(self.starts[piece + 1] as usize, piece as u32));
        owners
    }

    /// The edges of a piece.
    pub fn edges_of(&self, piece: usize) -> Range<usize> {
        self.starts[piece] as usize..self.starts[piece + 1] as usize
    }

    /// The edge of a piece that follows one of it.
    pub fn next(&self, piece: usize, edge: usize) -> usize {
        let own = self.edges_of(piece);
        if edge + 1 < own.end { edge + 1 } else { own.start }
    }

    /// The places at the start and the end of an edge of a piece.
    pub fn ends(&self, piece: usize, edge: usize) -> [u32; 2] {
        [edge, self.next(piece, edge)].map(|edge| self.places[edge])
    }

    /// Start and end of an edge of a piece in plan view.
    pub fn edge(&self, piece: usize, edge: usize) -> (DVec2, DVec2) {
        let [from, to] = self.ends(piece, edge).map(|place| self.at[place as usize]);
        (from, to)
    }

    /// Heights of the start and the end of an edge of a piece.
    pub fn edge_heights(&self, piece: usize, edge: usize) -> (f64, f64) {
        let ((from, to), plane) = (self.edge(piece, edge), self.plane(piece));
        (plane.height_at(from), plane.height_at(to))
    }

    /// The plane in which a piece lies.
    pub fn plane(&self, piece: usize) -> SourcePlane {
        SourcePlane::of(&self.level[self.sources[piece] as usize].points)
    }
}

/// Makes all pieces meet corner to corner where their heights differ by no more than a step, metres. Pieces without
/// extent go, and those that touch themselves become several.
pub(super) fn conform(level: Cow<'_, [LevelTriangle]>, pieces: PieceList, step: f64) -> Conforming<'_> {
    let (places, corners) = Places::number(&level, &pieces, step);
    let PieceList { pieces, corners: numbers } = pieces;
    drop(numbers);
    let length = |piece: &Piece| {
        let corners = piece.corners(&level);
        corners[0].distance(corners[1])
    };
    let lengths: f64 = pieces.iter().map(length).sum();
    let sources: Vec<u32> = pieces.iter().map(|piece| piece.source).collect();
    // Large levels take as much memory for one of these as for another.
    drop(pieces);
    let mean = lengths / sources.len().max(1) as f64;
    let cells = PlaceGrid::new(&places.all, mean.clamp(CELL[0], CELL[1]));
    let conforming = |number: usize| {
        let plane = SourcePlane::of(&level[sources[number] as usize].points);
        let corners = corners.get(number);
        let mut outline = Outline::new();
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            if from != to {
                outline.push(from);
                places.along(&cells, &plane, [from, to], step, &mut outline);
            }
        }
        let mut rings = rings(outline);
        rings.retain(|ring| {
            let corners: SmallVec<[DVec2; 8]> = ring.iter().map(|&i| places.all[i as usize].at).collect();
            convex::double_area(&corners) > MIN_DOUBLE_AREA
        });
        rings
    };
    let mut out = Rings::with_capacity(sources.len());
    let mut sources_out = Vec::with_capacity(sources.len());
    for first in (0..sources.len()).step_by(AT_ONCE) {
        let numbers = first..sources.len().min(first + AT_ONCE);
        let part: Vec<_> = numbers.clone().into_par_iter().map(conforming).collect();
        for (number, rings) in numbers.zip(part) {
            for ring in rings {
                out.push(ring);
                sources_out.push(sources[number]);
            }
        }
    }
    let at = places.all.iter().map(|place| place.at).collect();
    Conforming { level, sources: sources_out, starts: out.starts, places: out.places, at }
}

/// Takes an outline apart where it passes a place for the second time.
fn rings(outline: Outline) -> SmallVec<[Outline; 1]> {
    let (mut rings, mut open) = (SmallVec::<[Outline; 1]>::new(), Outline::new());
    // Where each place lies in `open`; few are found as quickly without.
    let mut known = (outline.len() > MAX_SHORT).then(HashMap::new);
    for place in outline {
        let before = match &mut known {
            Some(known) => known.insert(place, open.len()),
            None => open.iter().position(|&p| p == place),
        };
        if let Some(before) = before {
            let ring: Outline = open.drain(before..).collect();
            if let Some(known) = &mut known {
                ring.iter().for_each(|place| _ = known.remove(place));
                known.insert(place, open.len());
            }
            rings.push(ring);
        }
        open.push(place);
    }
    rings.push(open);
    rings.retain(|ring| ring.len() > 2);
    rings
}

#[cfg(test)]
mod tests {
    use super::super::corners::CornerNumbers;
    use super::super::level_grid::LevelGrid;
    use super::*;
    use glam::Vec3;

    #[test]
    fn outlines_are_taken_apart_where_they_touch_themselves() {
        let apart = |outline: &[u32]| rings(outline.into()).iter().map(|ring| ring.to_vec()).collect::<Vec<_>>();
        assert_eq!(apart(&[1, 2, 3, 4]), [vec![1, 2, 3, 4]]);
        assert_eq!(apart(&[1, 2, 3, 2]), Vec::<Vec<u32>>::new(), "there and back");
        assert_eq!(apart(&[1, 2, 3, 4, 5, 3]), [vec![3, 4, 5], vec![1, 2, 3]]);
        // Rings of three around every tenth place of a long outline, which comes to its second place again.
        let around = |i: u32| if i.is_multiple_of(10) { vec![i, 1000 + i, 2000 + i, i] } else { vec![i] };
        let long: Vec<u32> = (0..300).flat_map(around).chain([1, 5000, 5001]).collect();
        let found = apart(&long);
        assert_eq!((found.len(), found[7].len(), found[30].len()), (32, 3, 299), "{found:?}");
        assert_eq!(found[31], [0, 1, 5000, 5001]);
    }

    #[test]
    fn corners_on_edges_within_a_step_split_them() {
        let triangle = [Vec3::ZERO, Vec3::new(0.0, 0.0, 4.0), Vec3::new(4.0, 0.0, 0.0)];
        let raised = |y: f32| [Vec3::new(1.0, y, 0.003), Vec3::new(2.0, y, 0.0), Vec3::new(1.0, y, -1.0)];
        for (y, corners) in [(0.3, 5), (0.5, 3)] {
            let level = [triangle, raised(y)].map(|points| LevelTriangle { index: 0, points, normal: Vec3::Y });
            let numbers = CornerNumbers::new(&level, &[0, 1], &LevelGrid::around(&level));
            let pieces = PieceList { pieces: vec![Piece::whole(0), Piece::whole(1)], corners: numbers };
            let conforming = conform((&level).into(), pieces, 0.4);
            assert_eq!(conforming.edges_of(0).len(), corners, "at {y} m");
            assert_eq!(conforming.edges_of(1).len(), 3);
        }
    }
}
