//! The ways out of polygons, apart from walls: what searches read, packed as they read it.

use crate::math::plan::to_plan_f64;
use glam::{DVec2, Vec3};

use super::blocks::{Blocks, Goals};
use super::spare::put;
use super::{Edge, NONE, Polygon};

/// Ways out of a polygon with more than this many are listed once, not once per way in.
pub(super) const MOST_LISTED: u32 = 16;

/// The distance is not known.
pub const NO_STEP: f32 = -1.0;

/// An edge with a polygon beyond it, as a search over polygons sees it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Portal {
    /// Middle of the edge, local.
    pub middle: Vec3,
    /// The polygon beyond.
    pub neighbor: u32,
    /// The goals of the same island that this way can lead to without coming back.
    pub goals: Goals,
    /// Its number.
    pub number: u32,
    /// In a list of exits the distance from the middle of the portal that was come in by, else [`NO_STEP`].
    pub step: f32,
}

/// The same edge as it is walked through: both ends, seen from inside of its polygon.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Gate {
    /// The end where the edge begins, local.
    pub left: Vec3,
    /// The edge's number.
    pub edge: u32,
    /// The end where the edge ends: from a point inside, on the positive side of `left` (see
    /// [`plan::cross`](plan::cross)).
    pub right: Vec3,
    /// The polygon that the edge belongs to.
    pub polygon: u32,
}

/// All portals, those of one polygon side by side and in the order of its edges.
#[derive(Clone, Debug, Default)]
pub struct Portals {
    /// Per polygon, its part of `ways`.
    pub(super) spans: Vec<(u32, u32)>,
    /// First all portals by their numbers, then lists of those to leave by; then what obstacles changed.
    pub(super) ways: Vec<Portal>,
    /// Per portal, what of `ways` is to leave by after coming in by it.
    pub(super) exits: Vec<(u32, u32)>,
    pub(super) gates: Vec<Gate>,
    pub(super) ends: Vec<[DVec2; 2]>,
    pub(super) numbers: Vec<u32>,
}

impl Portals {
    pub(super) fn build(vertices: &[Vec3], polygons: &[Polygon], edges: &[Edge]) -> Self {
        let blocks = Blocks::build(polygons, edges);
        let mut all = Self::default();
        for (polygon, p) in (0..).zip(polygons) {
            let begin = all.ways.len() as u32;
            for edge in p.first_edge..p.first_edge + u32::from(p.edge_count) {
                let neighbor = edges[edge as usize].neighbor;
                if neighbor != NONE {
                    let at = [all.ways.len(), all.gates.len()].map(|len| len as u32);
                    all.put(at, vertices, (p, edges, edge), blocks.goals(polygon, neighbor));
                }
            }
            all.spans.push((begin, all.ways.len() as u32));
        }
        all.numbers = blocks.numbers;
        let mut exits = Vec::new();
        for number in 0..all.gates.len() {
            let (from, way) = (all.gates[number].polygon, all.ways[number]);
            all.exits[number] = all.list_exits(from, &way, &mut exits).unwrap_or_else(|| {
                let listed = all.ways.len() as u32;
                all.ways.append(&mut exits);
                (listed, all.ways.len() as u32)
            });
        }
        all
    }

    /// Writes an edge of a polygon as a portal: to a place in the list of ways, with a number; both may be the next.
    pub(super) fn put(
        &mut self,
        [way, number]: [u32; 2],
        vertices: &[Vec3],
        (p, edges, edge): (&Polygon, &[Edge], u32),
        goals: Goals,
    ) {
        let after = if edge + 1 - p.first_edge == u32::from(p.edge_count) { p.first_edge } else { edge + 1 };
        let Edge { vertex, neighbor, polygon, .. } = edges[edge as usize];
        let (left, right) = (vertices[vertex as usize], vertices[edges[after as usize].vertex as usize]);
        put(&mut self.ways, way, Portal { middle: (left + right) * 0.5, neighbor, goals, number, step: NO_STEP });
        put(&mut self.gates, number, Gate { left, edge, right, polygon });
        put(&mut self.ends, number, [to_plan_f64(left), to_plan_f64(right)]);
        put(&mut self.exits, number, (0, 0));
    }

    /// The ways to leave by after coming from a polygon by one of its ways. Where there are many, the answer is where
    /// all of them stand.
    pub(super) fn list_exits(&self, from: u32, way: &Portal, out: &mut Vec<Portal>) -> Option<(u32, u32)> {
        let (first, last) = self.spans[way.neighbor as usize];
        if last - first > MOST_LISTED {
            return Some((first, last));
        }
        let onwards = self.of(way.neighbor).iter().filter(|next| next.neighbor != from);
        out.clear();
        out.extend(onwards.map(|next| Portal { step: next.middle.distance(way.middle), ..*next }));
        None
    }

    /// The portals of a polygon.
    #[inline]
    pub fn of(&self, polygon: u32) -> &[Portal] {
        let (first, last) = self.spans[polygon as usize];
        &self.ways[first as usize..last as usize]
    }

    /// The portals of the polygon beyond this portal; where it does not have many, without those that lead back.
    #[inline]
    pub fn exits(&self, portal: u32) -> &[Portal] {
        let (first, last) = self.exits[portal as usize];
        &self.ways[first as usize..last as usize]
    }

    /// The numbers of the ways to leave a polygon by after coming in by a portal, [`NONE`] at the start of a path, as
    /// [`of`](Self::of) and [`exits`](Self::exits) list them: a way with a known step has a number of its own.
    #[inline]
    pub fn ways_out(&self, polygon: u32, portal: u32) -> std::ops::Range<u32> {
        let (first, last) = if portal == NONE { self.spans[polygon as usize] } else { self.exits[portal as usize] };
        first..last
    }

    /// A way by its number.
    #[inline]
    pub fn way(&self, number: u32) -> &Portal {
        &self.ways[number as usize]
    }

    /// One more than the greatest number of a way.
    pub fn ways_len(&self) -> usize {
        self.ways.len()
    }

    /// The ends of a portal and what it belongs to.
    #[inline]
    pub fn gate(&self, portal: u32) -> &Gate {
        &self.gates[portal as usize]
    }

    /// The left and the right end of a portal in the xz plane.
    #[inline]
    pub fn ends(&self, portal: u32) -> [DVec2; 2] {
        self.ends[portal as usize]
    }

    /// The number of a polygon as a goal.
    #[inline]
    pub fn number(&self, polygon: u32) -> u32 {
        self.numbers[polygon as usize]
    }

    /// How many portals there are, two for each shared edge.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Whether every edge is a wall.
    pub fn is_empty(&self) -> bool {
        self.gates.is_empty()
    }
}
