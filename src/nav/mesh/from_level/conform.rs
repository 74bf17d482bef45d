//! Makes pieces meet corner to corner: corners that nearly coincide become one place, and a corner that lies on another
//! piece's edge becomes a corner of that piece too.
//!
//! What is cut out of triangles one by one leaves neighbours whose edges begin and end a little apart, with slivers and
//! T-junctions between them. Left so, each is a stub of wall on open ground, and an agent with a radius keeps away from
//! it. A sliver thinner than [`REACH`] collapses onto the edge that its neighbours then share.

use super::convex;
use super::piece::Piece;
use foldhash::{HashMap, HashMapExt};
use glam::DVec2;
use rayon::prelude::*;
use smallvec::SmallVec;

/// Corners nearer than this to each other or to an edge are on it, metres: several times what slivers measure that
/// subtraction drops, and less than what it leaves beside walls.
const REACH: f64 = 0.006;
/// Sides of the cells in which corners are looked up: of the finest, in which corners near a point are found, and of the
/// widest along edges, metres.
const CELL: [f64; 2] = [0.05, 0.5];
/// Pieces that are made to conform before they are put to the others.
const AT_ONCE: usize = 1 << 16;
/// Twice the smallest area of a piece, square metres.
const MIN_DOUBLE_AREA: f64 = 1e-7;

/// An outline as numbers of places.
type Outline = SmallVec<[u32; 4]>;

/// A place where corners of pieces meet, at the height of the first of them.
#[derive(Clone, Copy)]
struct Place {
    at: DVec2,
    height: f64,
}

/// Numbers of places by square cells.
struct PlaceCells {
    size: f64,
    /// Per cell the place that was filed last.
    last: HashMap<[i64; 2], u32>,
    /// Per place the one of its cell that was filed before.
    before: Vec<Option<u32>>,
}

impl PlaceCells {
    fn with_capacity(size: f64, capacity: usize) -> Self {
        Self { size, last: HashMap::with_capacity(capacity), before: Vec::with_capacity(capacity) }
    }

    fn cell(&self, p: DVec2) -> [i64; 2] {
        [(p.x / self.size).floor() as i64, (p.y / self.size).floor() as i64]
    }

    /// Files the next place.
    fn push(&mut self, at: DVec2) {
        let number = self.before.len() as u32;
        self.before.push(self.last.insert(self.cell(at), number));
    }

    /// Places in the cells that a rectangle overlaps.
    fn within(&self, low: DVec2, high: DVec2) -> impl Iterator<Item = u32> + '_ {
        let (low, high) = (self.cell(low), self.cell(high));
        let cells = (low[0]..=high[0]).flat_map(move |x| (low[1]..=high[1]).map(move |z| [x, z]));
        let last = cells.filter_map(|cell| self.last.get(&cell).copied());
        last.flat_map(|last| std::iter::successors(Some(last), |&i| self.before[i as usize]))
    }
}

/// All places where corners meet.
struct Places {
    all: Vec<Place>,
    fine: PlaceCells,
}

impl Places {
    /// The place of a corner: the nearest one within reach, or a new one.
    fn of_corner(&mut self, at: DVec2, height: f64, step: f64) -> u32 {
        let distance = |&i: &u32| self.all[i as usize].at.distance_squared(at);
        let fits = |i: &u32| (self.all[*i as usize].height - height).abs() <= step && distance(i) <= REACH * REACH;
        let near = self.fine.within(at - REACH, at + REACH).filter(fits);
        if let Some(known) = near.min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b))) {
            return known;
        }
        self.all.push(Place { at, height });
        self.fine.push(at);
        self.all.len() as u32 - 1
    }

    /// The places again, in cells of a size that suits edges of this length.
    fn in_cells_for(&self, length: f64) -> PlaceCells {
        let mut cells = PlaceCells::with_capacity(length.clamp(CELL[0], CELL[1]), self.all.len());
        self.all.iter().for_each(|place| cells.push(place.at));
        cells
    }

    /// Appends the places on the way from place `from` to place `to`, both left out, in their order along it.
    fn along(&self, cells: &PlaceCells, piece: &Piece, [from, to]: [u32; 2], step: f64, out: &mut Outline) {
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
                if is_on && (piece.height_at(at) - height).abs() <= step {
                    found.push((x, i));
                }
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.dedup();
        out.extend(found.iter().map(|f| f.1));
    }
}

/// Pieces that meet corner to corner.
pub(super) struct Conforming {
    pub pieces: Vec<Piece>,
    /// The places of all corners of all pieces, piece by piece: corners in one place have one number.
    pub places: Vec<u32>,
    /// How many places there are.
    pub place_count: usize,
}

/// Makes all pieces meet corner to corner where their heights differ by no more than a step, metres. Pieces without
/// extent go, and those that touch themselves become several.
pub(super) fn conform(pieces: &[Piece], step: f64) -> Conforming {
    let mut places = Places { all: Vec::new(), fine: PlaceCells::with_capacity(CELL[0], pieces.len() / 2) };
    let corners: Vec<Outline> = pieces
        .iter()
        .map(|piece| piece.corners.iter().map(|&at| places.of_corner(at, piece.height_at(at), step)).collect())
        .collect();
    let lengths: f64 = pieces.iter().map(|piece| piece.corners[0].distance(piece.corners[1])).sum();
    let cells = places.in_cells_for(lengths / pieces.len().max(1) as f64);
    let conforming = |(piece, corners): (&Piece, &Outline)| {
        let mut outline = Outline::new();
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            if from != to {
                outline.push(from);
                places.along(&cells, piece, [from, to], step, &mut outline);
            }
        }
        let with_extent = rings(outline).into_iter().filter_map(|ring| {
            let piece = piece.with_corners(ring.iter().map(|&i| places.all[i as usize].at));
            (convex::double_area(&piece.corners) > MIN_DOUBLE_AREA).then_some((piece, ring))
        });
        with_extent.collect::<SmallVec<[(Piece, Outline); 1]>>()
    };
    let mut out =
        Conforming { pieces: Vec::with_capacity(pieces.len()), places: Vec::new(), place_count: places.all.len() };
    for (pieces, corners) in pieces.chunks(AT_ONCE).zip(corners.chunks(AT_ONCE)) {
        let part: Vec<_> = pieces.par_iter().zip(corners).map(conforming).collect();
        for (piece, ring) in part.into_iter().flatten() {
            out.places.extend_from_slice(&ring);
            out.pieces.push(piece);
        }
    }
    out
}

/// Takes an outline apart where it passes a place for the second time.
fn rings(outline: Outline) -> SmallVec<[Outline; 1]> {
    let (mut rings, mut open) = (SmallVec::<[Outline; 1]>::new(), Outline::new());
    for place in outline {
        if let Some(before) = open.iter().position(|&p| p == place) {
            rings.push(open.drain(before..).collect());
        }
        open.push(place);
    }
    rings.push(open);
    rings.retain(|ring| ring.len() > 2);
    rings
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn outlines_are_taken_apart_where_they_touch_themselves() {
        let apart = |outline: &[u32]| rings(outline.into()).iter().map(|ring| ring.to_vec()).collect::<Vec<_>>();
        assert_eq!(apart(&[1, 2, 3, 4]), [vec![1, 2, 3, 4]]);
        assert_eq!(apart(&[1, 2, 3, 2]), Vec::<Vec<u32>>::new(), "there and back");
        assert_eq!(apart(&[1, 2, 3, 4, 5, 3]), [vec![3, 4, 5], vec![1, 2, 3]]);
    }

    #[test]
    fn corners_on_edges_within_a_step_split_them() {
        let triangle = [Vec3::ZERO, Vec3::new(0.0, 0.0, 4.0), Vec3::new(4.0, 0.0, 0.0)];
        let raised = |y: f32| [Vec3::new(1.0, y, 0.003), Vec3::new(2.0, y, 0.0), Vec3::new(1.0, y, -1.0)];
        for (y, corners) in [(0.3, 5), (0.5, 3)] {
            let pieces = [triangle, raised(y)].map(|points| Piece::of_triangle(0, &points));
            let conforming = conform(&pieces, 0.4);
            assert_eq!(conforming.pieces[0].corners.len(), corners, "at {y} m");
            assert_eq!(conforming.pieces[1].corners.len(), 3);
        }
    }
}
