//! Makes pieces meet corner to corner: corners that nearly coincide become one place, and a corner that lies on another
//! piece's edge becomes a corner of that piece too.
//!
//! What is cut out of triangles one by one leaves neighbours whose edges begin and end a little apart, with slivers and
//! T-junctions between them. Left so, each is a stub of wall on open ground, and an agent with a radius keeps away from
//! it. A sliver thinner than [`REACH`] collapses onto the edge that its neighbours then share.

use super::convex;
use super::piece::Piece;
use glam::DVec2;
use std::collections::HashMap;

/// Corners nearer than this to each other or to an edge are on it, metres: several times what slivers measure that
/// subtraction drops, and less than what it leaves beside walls.
const REACH: f64 = 0.006;
/// Side of the cells in which corners are looked up, metres.
const CELL: f64 = 0.5;
/// Twice the smallest area of a piece, square metres.
const MIN_DOUBLE_AREA: f64 = 1e-7;

/// A place where corners of pieces meet, at the height of the first of them.
#[derive(Clone, Copy)]
struct Place {
    at: DVec2,
    height: f64,
}

/// All places, by cell.
#[derive(Default)]
struct Places {
    all: Vec<Place>,
    cells: HashMap<[i64; 2], Vec<u32>>,
}

fn cell(p: DVec2) -> [i64; 2] {
    [(p.x / CELL).floor() as i64, (p.y / CELL).floor() as i64]
}

impl Places {
    /// Places in the cells around `p`.
    fn near(&self, p: DVec2) -> impl Iterator<Item = u32> + '_ {
        let (low, high) = (cell(p - REACH), cell(p + REACH));
        let cells = (low[0]..=high[0]).flat_map(move |x| (low[1]..=high[1]).map(move |z| [x, z]));
        cells.filter_map(|cell| self.cells.get(&cell)).flatten().copied()
    }

    /// The place of a corner: the nearest one within reach, or a new one.
    fn of_corner(&mut self, at: DVec2, height: f64, step: f64) -> u32 {
        let distance = |&i: &u32| self.all[i as usize].at.distance_squared(at);
        let fits = |i: &u32| (self.all[*i as usize].height - height).abs() <= step && distance(i) <= REACH * REACH;
        if let Some(known) = self.near(at).filter(fits).min_by(|a, b| distance(a).total_cmp(&distance(b))) {
            return known;
        }
        let new = self.all.len() as u32;
        self.all.push(Place { at, height });
        self.cells.entry(cell(at)).or_default().push(new);
        new
    }

    /// Appends the places on the way from place `from` to place `to`, both left out, in their order along it.
    fn along(&self, piece: &Piece, [from, to]: [u32; 2], step: f64, out: &mut Vec<u32>) {
        let (p, q) = (self.all[from as usize].at, self.all[to as usize].at);
        let length = p.distance(q);
        let direction = (q - p) / length;
        let mut found: Vec<(f64, u32)> = Vec::new();
        for stop in 0..=(length / CELL).ceil() as u64 {
            let stop = p + direction * (stop as f64 * CELL).min(length);
            let [x, z] = cell(stop);
            let cells = (x - 1..=x + 1).flat_map(|x| (z - 1..=z + 1).map(move |z| [x, z]));
            for i in cells.filter_map(|cell| self.cells.get(&cell)).flatten().copied() {
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

/// Makes all pieces meet corner to corner where their heights differ by no more than a step, metres. Pieces without
/// extent go, and those that touch themselves become several.
pub(super) fn conform(pieces: &[Piece], step: f64) -> Vec<Piece> {
    let mut places = Places::default();
    let corners: Vec<Vec<u32>> = pieces
        .iter()
        .map(|piece| {
            let corners = piece.corners.iter().zip(&piece.heights);
            corners.map(|(&at, &height)| places.of_corner(at, height, step)).collect()
        })
        .collect();
    let mut out = Vec::with_capacity(pieces.len());
    for (piece, corners) in pieces.iter().zip(&corners) {
        let mut outline = Vec::with_capacity(corners.len());
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            if from != to {
                outline.push(from);
                places.along(piece, [from, to], step, &mut outline);
            }
        }
        for ring in rings(outline) {
            let at: Vec<DVec2> = ring.iter().map(|&i| places.all[i as usize].at).collect();
            if convex::double_area(&at) > MIN_DOUBLE_AREA {
                out.push(piece.with_corners(at));
            }
        }
    }
    out
}

/// Takes an outline apart where it passes a place for the second time.
fn rings(outline: Vec<u32>) -> Vec<Vec<u32>> {
    let (mut rings, mut open) = (Vec::new(), Vec::<u32>::with_capacity(outline.len()));
    for place in outline {
        if let Some(before) = open.iter().position(|&p| p == place) {
            rings.push(open.split_off(before));
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
        assert_eq!(rings(vec![1, 2, 3, 4]), [vec![1, 2, 3, 4]]);
        assert_eq!(rings(vec![1, 2, 3, 2]), Vec::<Vec<u32>>::new(), "there and back");
        assert_eq!(rings(vec![1, 2, 3, 4, 5, 3]), [vec![3, 4, 5], vec![1, 2, 3]]);
    }

    #[test]
    fn corners_on_edges_within_a_step_split_them() {
        let triangle = [Vec3::ZERO, Vec3::new(0.0, 0.0, 4.0), Vec3::new(4.0, 0.0, 0.0)];
        let raised = |y: f32| [Vec3::new(1.0, y, 0.003), Vec3::new(2.0, y, 0.0), Vec3::new(1.0, y, -1.0)];
        for (y, corners) in [(0.3, 5), (0.5, 3)] {
            let pieces = [triangle, raised(y)].map(|points| Piece::of_triangle(0, &points));
            let conforming = conform(&pieces, 0.4);
            assert_eq!(conforming[0].corners.len(), corners, "at {y} m");
            assert_eq!(conforming[1].corners.len(), 3);
        }
    }
}
