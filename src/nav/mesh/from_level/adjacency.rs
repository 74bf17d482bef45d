//! Openings between pieces of ground: the parts of two facing edges through which one passes.
//!
//! One test serves shared edges, T-junctions, differently split vertices, stair treads and ramps that end on a floor:
//! two edges that run in opposite directions within a small gap open onto each other where their heights differ by no
//! more than a step and no wall stands between. An edge leads to one neighbour at each of its points: the closest one.

use super::conform::Conforming;
use super::subtraction::NO_WIDTH;
use crate::nav::mesh::pair_table::PairTable;
use crate::nav::rect_grid::{Rect, TallGrid};
use glam::DVec2;
use rayon::prelude::*;

/// Widest gap that is stepped across, metres, in plan view.
const MAX_GAP: f64 = 0.03;
/// Deepest overlap of two pieces that still face each other, metres: what the subtraction leaves.
const MAX_OVERLAP: f64 = NO_WIDTH + 1e-3;
/// Sine of the largest angle between facing edges.
const MAX_SKEW: f64 = 0.1;
/// Shortest opening, metres.
const MIN_OPENING: f64 = 0.003;
/// Shortest opening between short edges, as a share of the shorter one.
const MIN_SHARE: f64 = 0.01;
/// Height difference over the step height that still counts as equal, metres.
const STEP_SLACK: f64 = 1e-3;
/// Edges between the same corners are one where their heights differ by no more than this, metres: less than the cost of
/// any other edge that faces one of them.
const SAME_HEIGHT: f64 = 1e-3;
/// More than heights of single precision are rounded by, metres.
const ROUNDING: f32 = 0.01;
/// Ends of openings this near to a corner are at the corner, metres.
const SNAP: f64 = 1e-3;

/// A part of one edge of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgePart {
    /// The piece.
    pub piece: u32,
    /// The number of the edge among those of all pieces.
    pub edge: u32,
    /// Start and end along the edge, metres from its first corner; ascending.
    pub from: f64,
    pub to: f64,
}

/// Two parts of edges that open onto each other: the start of the one faces the end of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub sides: [EdgePart; 2],
}

/// What opens onto what.
#[derive(Debug)]
pub(super) struct Openings {
    /// Pairs of edges, by their numbers, that two pieces share as a whole, as most edges are.
    pub whole: Vec<[u32; 2]>,
    /// All others.
    pub parts: Vec<Opening>,
}

/// An edge of a piece, by its number among those of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PieceEdge {
    piece: u32,
    edge: u32,
}

impl PieceEdge {
    fn ends(self, conforming: &Conforming) -> (DVec2, DVec2) {
        conforming.edge(self.piece as usize, self.edge as usize)
    }

    fn heights(self, conforming: &Conforming) -> (f64, f64) {
        conforming.edge_heights(self.piece as usize, self.edge as usize)
    }
}

/// Two edges that face each other, in the frame of the first: x along it, metres from its first corner.
struct Facing {
    edges: [PieceEdge; 2],
    /// Their positions in the list of edges that were looked at.
    positions: [u32; 2],
    /// Where along the first edge the second one begins and ends: it runs the other way, so `begin > end`.
    begin: f64,
    end: f64,
    lengths: [f64; 2],
    /// The part of the first edge in question.
    part: (f64, f64),
    /// Gap and height difference, metres.
    cost: f64,
}

impl Facing {
    /// Place along the second edge, metres from its first corner, that faces `x` on the first.
    fn on_second(&self, x: f64) -> f64 {
        ((x - self.begin) / (self.end - self.begin)).clamp(0.0, 1.0) * self.lengths[1]
    }

    /// Place on the first edge that faces `s` metres along the second.
    fn on_first(&self, s: f64) -> f64 {
        self.begin + (self.end - self.begin) * (s / self.lengths[1])
    }
}

/// Cuts an interval to where `at_zero + x · rate >= 0`.
fn cut((from, to): (f64, f64), at_zero: f64, rate: f64) -> Option<(f64, f64)> {
    if rate == 0.0 {
        return (at_zero >= 0.0).then_some((from, to));
    }
    let root = -at_zero / rate;
    let part = if rate > 0.0 { (from.max(root), to) } else { (from, to.min(root)) };
    (part.0 < part.1).then_some(part)
}

/// Cuts an interval to where a value that runs linearly from `start` at `x0` with `rate` lies within `low..=high`.
fn cut_band(t: (f64, f64), (at_zero, rate): (f64, f64), low: f64, high: f64) -> Option<(f64, f64)> {
    cut(t, at_zero - low, rate).and_then(|t| cut(t, high - at_zero, -rate))
}

/// All openings between pieces.
pub(super) fn find_openings(conforming: &Conforming, step_height: f32) -> Openings {
    let step = f64::from(step_height) + STEP_SLACK;
    let (whole, open) = coinciding(conforming);
    let mut parts = Vec::new();
    let mut facing = facing_edges(conforming, &open, step);
    // The closest first; at equal distance in the order of the pieces.
    facing.par_sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost).then(a.edges.cmp(&b.edges)));
    let mut taken: Vec<Vec<(f64, f64)>> = vec![Vec::new(); open.len()];
    let mut free = Vec::new();
    for pair in &facing {
        let [own, other] = pair.positions.map(|position| position as usize);
        free.clear();
        free.push(pair.part);
        for &(from, to) in &taken[own] {
            exclude(&mut free, from, to);
        }
        for &(from, to) in &taken[other] {
            exclude(&mut free, pair.on_first(to), pair.on_first(from));
        }
        let min = MIN_OPENING.min(pair.lengths[0].min(pair.lengths[1]) * MIN_SHARE);
        for &(from, to) in free.iter().filter(|(from, to)| to - from >= min) {
            let opening = snapped(pair, from, to);
            let [a, b] = opening.sides;
            // Nothing is left of one whose ends are at the same corner.
            if a.from >= a.to || b.from >= b.to {
                continue;
            }
            taken[own].push((a.from, a.to));
            taken[other].push((b.from, b.to));
            parts.push(opening);
        }
    }
    Openings { whole, parts }
}

/// No edge.
const NONE: u32 = u32::MAX;

/// Pairs of whole edges that two pieces share, and all other edges.
fn coinciding(conforming: &Conforming) -> (Vec<[u32; 2]>, Vec<PieceEdge>) {
    let owners = conforming.owners();
    let of_number = |edge: u32| PieceEdge { piece: owners[edge as usize], edge };
    let ends = |edge: u32| conforming.ends(owners[edge as usize] as usize, edge as usize);
    let count = conforming.places.len() as u32;
    let table = PairTable::new(conforming.at.len(), count, ends);
    let only = |pair| {
        let mut found = table.find(pair);
        found.next().filter(|_| found.len() == 0)
    };
    // Each edge's partner, if it has a single one and is its only one.
    let partner = |own: u32| {
        let [from, to] = ends(own);
        let partner = only([from, to]).and_then(|_| only([to, from]))?;
        let [a, b] = [own, partner].map(|edge| of_number(edge).heights(conforming));
        let is_one = (a.0 - b.1).abs() <= SAME_HEIGHT && (a.1 - b.0).abs() <= SAME_HEIGHT;
        let (p, q) = of_number(own).ends(conforming);
        (is_one && p.distance(q) > SNAP).then_some(partner)
    };
    let partners: Vec<u32> = (0..count).into_par_iter().map(|own| partner(own).unwrap_or(NONE)).collect();
    drop(table);
    let (mut whole, mut open) = (Vec::with_capacity(partners.len() / 2), Vec::new());
    for (own, &partner) in (0..).zip(&partners) {
        if partner == NONE {
            open.push(of_number(own));
        } else if own < partner {
            whole.push([own, partner]);
        }
    }
    (whole, open)
}

/// The opening along a part of the first edge, with ends near corners moved there.
fn snapped(pair: &Facing, from: f64, to: f64) -> Opening {
    let snap = |x: f64, length: f64| {
        if x < SNAP {
            0.0
        } else if x > length - SNAP {
            length
        } else {
            x
        }
    };
    let side = |i: usize, from: f64, to: f64| {
        let PieceEdge { piece, edge } = pair.edges[i];
        EdgePart { piece, edge, from: snap(from, pair.lengths[i]), to: snap(to, pair.lengths[i]) }
    };
    Opening { sides: [side(0, from, to), side(1, pair.on_second(to), pair.on_second(from))] }
}

/// All pairs of these edges that face each other.
fn facing_edges(conforming: &Conforming, edges: &[PieceEdge], step: f64) -> Vec<Facing> {
    let rect = |edge: &PieceEdge| {
        let (from, to) = edge.ends(conforming);
        Rect::around([from.as_vec2(), to.as_vec2()])
    };
    let rects: Vec<Rect> = edges.iter().map(rect).collect();
    let heights = |edge: &PieceEdge| {
        let (from, to) = edge.heights(conforming);
        [from.min(to) as f32, from.max(to) as f32]
    };
    let heights: Vec<[f32; 2]> = edges.iter().map(heights).collect();
    let grid = TallGrid::build(&rects, &heights);
    let reach = step as f32 + ROUNDING;
    let of_edge = (0..edges.len() as u32).into_par_iter().map(|own| {
        let mut found = Vec::new();
        let around = rects[own as usize].expanded(MAX_GAP as f32);
        let [low, high] = heights[own as usize];
        grid.for_each_meeting((&rects, &heights), &around, [low - reach, high + reach], |other| {
            let pair = [own, other].map(|position| edges[position as usize]);
            if other > own && pair[0].piece != pair[1].piece {
                found.extend(face(conforming, pair, [own, other], step));
            }
        });
        found
    });
    of_edge.flatten_iter().collect()
}

/// Whether, and where, two edges face each other.
fn face(conforming: &Conforming, edges: [PieceEdge; 2], positions: [u32; 2], step: f64) -> Option<Facing> {
    let [(p, q), (r, s)] = edges.map(|edge| edge.ends(conforming));
    let (length, other_length) = (p.distance(q), r.distance(s));
    if length <= SNAP || other_length <= SNAP {
        return None;
    }
    let (along, against) = ((q - p) / length, (s - r) / other_length);
    if along.dot(against) >= 0.0 || along.perp_dot(against).abs() > MAX_SKEW {
        return None;
    }
    let (begin, end) = (along.dot(r - p), along.dot(s - p));
    let part = (end.max(0.0), begin.min(length));
    if part.0 >= part.1 {
        return None;
    }
    // Outwards is on the right of an edge.
    let gaps = [-along.perp_dot(r - p), -along.perp_dot(s - p)];
    let [ha, hb] = edges.map(|edge| edge.heights(conforming));
    let gap = linear((begin, gaps[0]), (end, gaps[1]));
    let (own, other) = (linear((0.0, ha.0), (length, ha.1)), linear((begin, hb.0), (end, hb.1)));
    let rise = (other.0 - own.0, other.1 - own.1);
    let part = cut_band(part, gap, -MAX_OVERLAP, MAX_GAP).and_then(|t| cut_band(t, rise, -step, step))?;
    let mean = |(at_zero, rate): (f64, f64)| (at_zero + rate * 0.5 * (part.0 + part.1)).abs();
    Some(Facing { edges, positions, begin, end, lengths: [length, other_length], part, cost: mean(gap) + mean(rise) })
}

/// Value at 0 and rate of the line through two points.
fn linear((x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> (f64, f64) {
    let rate = (y1 - y0) / (x1 - x0);
    (y0 - rate * x0, rate)
}

/// Takes `low..high` out of a list of intervals.
fn exclude(free: &mut Vec<(f64, f64)>, low: f64, high: f64) {
    for i in (0..free.len()).rev() {
        let (from, to) = free[i];
        if low < to && high > from {
            free.swap_remove(i);
            if low > from {
                free.push((from, low));
            }
            if high < to {
                free.push((high, to));
            }
        }
    }
}
