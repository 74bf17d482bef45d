//! The ways out of polygons, apart from walls: what searches read, packed as they read it.

use glam::{DVec2, Vec3};

use super::blocks::{Blocks, Goals};
use super::{Edge, NONE, Polygon};

/// Ways out of a polygon with more than this many are listed once, not once per way in.
const MOST_LISTED: u32 = 16;

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
    /// [`cross_2d`](super::cross_2d)).
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
                    all.push(vertices, p, edges, edge, blocks.goals(polygon, neighbor));
                }
            }
            all.spans.push((begin, all.ways.len() as u32));
        }
        all.numbers = blocks.numbers;
        for number in 0..all.gates.len() {
            let (from, way) = (all.gates[number].polygon, all.ways[number]);
            let listed = all.list_exits(from, &way);
            all.exits[number] = listed;
        }
        all
    }

    /// Adds an edge of a polygon as a portal.
    pub(super) fn push(&mut self, vertices: &[Vec3], p: &Polygon, edges: &[Edge], edge: u32, goals: Goals) {
        let after = if edge + 1 - p.first_edge == u32::from(p.edge_count) { p.first_edge } else { edge + 1 };
        let Edge { vertex, neighbor, polygon, .. } = edges[edge as usize];
        let (left, right) = (vertices[vertex as usize], vertices[edges[after as usize].vertex as usize]);
        let number = self.gates.len() as u32;
        self.ways.push(Portal { middle: (left + right) * 0.5, neighbor, goals, number, step: NO_STEP });
        self.gates.push(Gate { left, edge, right, polygon });
        let flat = |p: Vec3| DVec2::new(f64::from(p.x), f64::from(p.z));
        self.ends.push([flat(left), flat(right)]);
        self.exits.push((0, 0));
    }

    /// Lists the ways to leave by after coming from a polygon by one of its ways; the answer is where.
    pub(super) fn list_exits(&mut self, from: u32, way: &Portal) -> (u32, u32) {
        let (first, last) = self.spans[way.neighbor as usize];
        let listed = self.ways.len() as u32;
        if last - first > MOST_LISTED {
            return (first, last);
        }
        for i in first..last {
            let next = self.ways[i as usize];
            if next.neighbor != from {
                self.ways.push(Portal { step: next.middle.distance(way.middle), ..next });
            }
        }
        (listed, self.ways.len() as u32)
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
