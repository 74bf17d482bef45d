//! Links between pieces of ground: wherever a part of one piece's edge lies on, or a step above or below, another.
//!
//! One test serves shared edges, T-junctions, differently split vertices, stair treads and ramps that end on a floor:
//! the edge is cut to the other piece's outline as seen from above, to heights within a step, and then by the walls
//! that stand along it.

use super::grid::{Rect, XzGrid};
use super::solid::Borders;
use super::{Link, Pieces, Portal};
use crate::math::plan::to_plan;
use glam::{Vec2, Vec3};

/// Widest gap that is stepped across, metres, seen from above.
pub(super) const GAP: f32 = 0.03;
/// Walls within this distance of an edge close it, metres.
const WALL_STRIP: f32 = GAP * 1.25;
/// Sine of the largest angle between edges with a gap between them.
const SAME_WAY: f32 = 0.1;
/// Distance at which corners touch, metres.
const TOUCH: f32 = 1e-3;
/// Shortest opening, metres.
const LEAST_OPENING: f32 = 0.05;
/// Shortest opening between small pieces, as a part of the edge.
const LEAST_PART: f32 = 0.3;
/// Height difference over the step height that still counts as equal, metres.
const STEP_SLACK: f32 = 1e-3;

/// Solid footprints along the ground, seen from above, by the piece whose surroundings they were found in.
#[derive(Debug, Default)]
pub(super) struct Walls {
    /// Range of each piece's walls in `segments`.
    pub of_piece: Vec<(u32, u32)>,
    /// Footprints, x and z of both ends.
    pub segments: Vec<[Vec2; 2]>,
}

impl Walls {
    fn of(&self, piece: usize) -> &[[Vec2; 2]] {
        self.of_piece.get(piece).map_or(&[], |&(from, to)| &self.segments[from as usize..to as usize])
    }
}

/// A convex piece seen from above, counter-clockwise about its inside, with its plane.
struct Shape<'a> {
    corners: &'a [Vec3],
    /// +1 when the corners run so that the inside is on the left of each edge in (x, z), −1 otherwise.
    turn: f32,
    origin: Vec3,
    slope: Vec2,
}

impl<'a> Shape<'a> {
    fn new(corners: &'a [Vec3]) -> Self {
        // Newell's method: the mean normal of the outline, with its length, whatever the first corners are.
        let origin = corners[0];
        let mut normal = Vec3::ZERO;
        for pair in corners[1..].windows(2) {
            normal += (pair[0] - origin).cross(pair[1] - origin);
        }
        let slope = Vec2::new(-normal.x, -normal.z) / normal.y;
        let turn = if normal.y > 0.0 { -1.0 } else { 1.0 };
        Self { corners, turn, origin, slope: if slope.is_finite() { slope } else { Vec2::ZERO } }
    }

    fn height(&self, xz: Vec2) -> f32 {
        self.origin.y + self.slope.dot(xz - to_plan(self.origin))
    }

    fn edge(&self, i: usize) -> (Vec3, Vec3) {
        (self.corners[i], self.corners[(i + 1) % self.corners.len()])
    }

    /// Whether a part of the piece lies beyond the outer side of the line from `a` along `outward`.
    fn reaches_beyond(&self, a: Vec2, outward: Vec2) -> bool {
        self.corners.iter().any(|c| (to_plan(*c) - a).dot(outward) > GAP)
    }

    /// Cuts the interval `t` of the line `a + t·d` to the part on this piece, or within [`GAP`] of an edge that runs
    /// the same way, seen from above. Beside other edges a gap would open ways around the ends of walls.
    fn clip(&self, a: Vec2, d: Vec2, mut t: (f32, f32)) -> Option<(f32, f32)> {
        for i in 0..self.corners.len() {
            let (v, w) = self.edge(i);
            let edge = to_plan(w - v);
            let length = edge.length();
            if length > 0.0 {
                let inward = edge.perp() * (self.turn / length);
                let rate = inward.dot(d);
                let beside = if rate.abs() < SAME_WAY * d.length() { GAP } else { TOUCH };
                t = cut(t, inward.dot(a - to_plan(v)) + beside, rate)?;
            }
        }
        let rect = self.corners.iter().fold(Rect::EMPTY, |r, p| r.including(to_plan(*p))).expanded(GAP);
        for axis in 0..2 {
            t = cut(t, a[axis] - rect.min[axis], d[axis])?;
            t = cut(t, rect.max[axis] - a[axis], -d[axis])?;
        }
        Some(t)
    }
}

/// Cuts an interval to where `at_zero + t·rate ≥ 0`.
fn cut(t: (f32, f32), at_zero: f32, rate: f32) -> Option<(f32, f32)> {
    let (mut from, mut to) = t;
    if rate == 0.0 {
        return (at_zero >= 0.0).then_some(t);
    }
    let root = -at_zero / rate;
    if rate > 0.0 {
        from = from.max(root);
    } else {
        to = to.min(root);
    }
    (from < to).then_some((from, to))
}

/// All links between `pieces`, both directions of each, the widest opening of each pair.
pub(super) fn links(pieces: &Pieces, walls: &Walls, step_height: f32) -> Vec<Link> {
    let count = pieces.source.len();
    let shapes: Vec<Shape> = (0..count).map(|i| Shape::new(pieces.outline(i))).collect();
    let rects: Vec<Rect> = (0..count).map(|i| pieces.rect(i)).collect();
    let grid = XzGrid::build(&rects);
    let step = step_height + STEP_SLACK;
    let mut joiner =
        Joiner { shapes: &shapes, walls, step, links: vec![], open: vec![], borders: Borders::new(pieces) };
    let mut seen = vec![u32::MAX; count];
    for from in 0..count as u32 {
        let rect = rects[from as usize].expanded(GAP);
        grid.for_each_near(&rect, |to| {
            if to != from && seen[to as usize] != from && rect.intersects(&rects[to as usize]) {
                seen[to as usize] = from;
                joiner.join(from, to);
            }
        });
    }
    let Joiner { links, borders, .. } = joiner;
    let mut links = keep_widest(links);
    borders.mark(pieces, walls, &mut links);
    links
}

struct Joiner<'a> {
    shapes: &'a [Shape<'a>],
    walls: &'a Walls,
    step: f32,
    links: Vec<Link>,
    open: Vec<(f32, f32)>,
    borders: Borders,
}

impl Joiner<'_> {
    /// Links `from` with `to` wherever an edge of `from` leads onto `to`.
    fn join(&mut self, from: u32, to: u32) {
        let (a, b) = (&self.shapes[from as usize], &self.shapes[to as usize]);
        for i in 0..a.corners.len() {
            let (start, end) = a.edge(i);
            let (p, d) = (to_plan(start), to_plan(end - start));
            let length = d.length();
            if !(length > LEAST_OPENING * 0.5) || !b.reaches_beyond(p, -d.perp() * (a.turn / length)) {
                continue;
            }
            let Some(t) = b.clip(p, d, (0.0, 1.0)) else { continue };
            let rise = b.height(p) - start.y;
            let rate = b.height(p + d) - end.y - rise;
            let Some(t) = cut(t, self.step - rise, -rate).and_then(|t| cut(t, rise + self.step, rate)) else {
                continue;
            };
            self.open.clear();
            self.open.push(t);
            for wall in self.walls.of(from as usize).iter().chain(self.walls.of(to as usize)) {
                block(&mut self.open, wall, p, d / length, length);
            }
            let least = LEAST_OPENING.min(length * LEAST_PART) / length;
            for &(f, t) in self.open.iter().filter(|(f, t)| t - f >= least) {
                self.borders.open(from, i, f, t);
                let (first, last) = (p + d * f, p + d * t);
                // Out of a piece that lies on the left of the edge in (x, z), which is on its right for someone who
                // looks down, the edge runs from the left hand to the right.
                let (left, right) = if a.turn > 0.0 { (first, last) } else { (last, first) };
                let portal = Portal { left, right, ..Portal::default() };
                let back = Portal { left: right, right: left, ..Portal::default() };
                self.links.push(Link { from, to, portal });
                self.links.push(Link { from: to, to: from, portal: back });
            }
        }
    }
}

/// Takes the part of `wall` that runs along the edge `p + s·direction` (0 ≤ s ≤ `length`) out of the open parts, which
/// are measured in lengths of the edge.
fn block(open: &mut Vec<(f32, f32)>, wall: &[Vec2; 2], p: Vec2, direction: Vec2, length: f32) {
    let [a, b] = wall.map(|w| Vec2::new(direction.dot(w - p), direction.perp_dot(w - p)));
    let Some((from, to)) =
        cut((0.0, 1.0), a.y + WALL_STRIP, b.y - a.y).and_then(|t| cut(t, WALL_STRIP - a.y, a.y - b.y))
    else {
        return;
    };
    let along = [a.x + (b.x - a.x) * from, a.x + (b.x - a.x) * to];
    let (low, high) = (along[0].min(along[1]) / length, along[0].max(along[1]) / length);
    for i in (0..open.len()).rev() {
        let (f, t) = open[i];
        if low < t && high > f {
            open.swap_remove(i);
            if low > f {
                open.push((f, low));
            }
            if high < t {
                open.push((high, t));
            }
        }
    }
}

/// Sorts links by pair and keeps the widest of each.
fn keep_widest(mut links: Vec<Link>) -> Vec<Link> {
    let width = |l: &Link| l.portal.left.distance_squared(l.portal.right);
    links.sort_by(|a, b| (a.from, a.to).cmp(&(b.from, b.to)).then(width(b).total_cmp(&width(a))));
    links.dedup_by_key(|l| (l.from, l.to));
    links
}
