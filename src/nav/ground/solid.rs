//! Which ends of openings are solid: where a wall stands or the ground ends, a body has to keep its distance.

use super::grid::{Rect, XzGrid};
use super::join::Walls;
use super::{Link, Pieces};
use crate::math::plan::to_plan;
use glam::Vec2;

/// An end of an opening this near to a wall or to the end of the ground is solid, metres.
const NEAR: f32 = 0.05;
/// Closed parts of edges shorter than this are rounding, metres.
const LEAST_PART: f32 = 0.06;

/// The open parts of all edges of all pieces.
#[derive(Debug)]
pub(super) struct Borders {
    first_corner: Vec<u32>,
    /// Edge (the number of its first corner), start and end in lengths of the edge.
    open: Vec<(u32, f32, f32)>,
}

impl Borders {
    pub(super) fn new(pieces: &Pieces) -> Self {
        Self { first_corner: pieces.first.clone(), open: Vec::new() }
    }

    /// Notes that edge `edge` of a piece is open from `from` to `to`.
    pub(super) fn open(&mut self, piece: u32, edge: usize, from: f32, to: f32) {
        self.open.push((self.first_corner[piece as usize] + edge as u32, from, to));
    }

    /// Marks the solid ends of all openings.
    pub(super) fn mark(mut self, pieces: &Pieces, walls: &Walls, links: &mut [Link]) {
        let mut solid = walls.segments.clone();
        self.closed_parts(pieces, &mut solid);
        let rects: Vec<Rect> =
            solid.iter().map(|s| Rect::EMPTY.including(s[0]).including(s[1]).expanded(NEAR)).collect();
        let grid = XzGrid::build(&rects);
        let near = |p: Vec2| {
            let mut found = false;
            grid.for_each_near(&Rect { min: p, max: p }, |i| {
                found = found || distance_squared(&solid[i as usize], p) <= NEAR * NEAR;
            });
            found
        };
        for link in links {
            link.portal.left_solid = near(link.portal.left);
            link.portal.right_solid = near(link.portal.right);
        }
    }

    fn closed_parts(&mut self, pieces: &Pieces, out: &mut Vec<[Vec2; 2]>) {
        self.open.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut open = self.open.iter().peekable();
        for piece in 0..pieces.source.len() {
            let outline = pieces.outline(piece);
            for (i, a) in outline.iter().enumerate() {
                let edge = self.first_corner[piece] + i as u32;
                let (a, b) = (to_plan(*a), to_plan(outline[(i + 1) % outline.len()]));
                let length = a.distance(b);
                let mut part = |from: f32, to: f32| {
                    if (to - from) * length > LEAST_PART {
                        out.push([a.lerp(b, from), a.lerp(b, to)]);
                    }
                };
                let mut done = 0.0_f32;
                while let Some(&(_, from, to)) = open.next_if(|o| o.0 == edge) {
                    part(done, from);
                    done = done.max(to);
                }
                part(done, 1.0);
            }
        }
    }
}

fn distance_squared(segment: &[Vec2; 2], p: Vec2) -> f32 {
    let d = segment[1] - segment[0];
    let t = (p - segment[0]).dot(d) / d.length_squared();
    let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
    (segment[0] + d * t).distance_squared(p)
}
