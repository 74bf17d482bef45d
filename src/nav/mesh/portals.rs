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
    starts: Vec<u32>,
    /// First all portals by their numbers, then lists of those to leave by.
    ways: Vec<Portal>,
    /// Per portal, what of `ways` is to leave by after coming in by it.
    exits: Vec<(u32, u32)>,
    gates: Vec<Gate>,
    ends: Vec<[DVec2; 2]>,
    numbers: Vec<u32>,
}

impl Portals {
    pub(super) fn build(vertices: &[Vec3], polygons: &[Polygon], edges: &[Edge]) -> Self {
        let blocks = Blocks::build(polygons, edges);
        let mut all = Self { starts: vec![0], ..Self::default() };
        for (polygon, p) in (0..).zip(polygons) {
            let (first, count) = (p.first_edge, u32::from(p.edge_count));
            for i in 0..count {
                let (a, b) = (edges[(first + i) as usize], edges[(first + (i + 1) % count) as usize]);
                if a.neighbor == NONE {
                    continue;
                }
                let (left, right) = (vertices[a.vertex as usize], vertices[b.vertex as usize]);
                let goals = blocks.goals(polygon, a.neighbor);
                let number = all.ways.len() as u32;
                all.ways.push(Portal {
                    middle: (left + right) * 0.5,
                    neighbor: a.neighbor,
                    goals,
                    number,
                    step: NO_STEP,
                });
                all.gates.push(Gate { left, edge: first + i, right, polygon });
                let flat = |p: Vec3| DVec2::new(f64::from(p.x), f64::from(p.z));
                all.ends.push([flat(left), flat(right)]);
            }
            all.starts.push(all.ways.len() as u32);
        }
        all.numbers = blocks.numbers;
        all.list_exits();
        all
    }

    fn list_exits(&mut self) {
        for number in 0..self.gates.len() {
            let (from, into) = (self.gates[number].polygon, self.ways[number].neighbor as usize);
            let middle = self.ways[number].middle;
            let (first, last) = (self.starts[into], self.starts[into + 1]);
            let listed = self.ways.len() as u32;
            if last - first > MOST_LISTED {
                self.exits.push((first, last));
                continue;
            }
            for i in first..last {
                let way = self.ways[i as usize];
                if way.neighbor != from {
                    self.ways.push(Portal { step: way.middle.distance(middle), ..way });
                }
            }
            self.exits.push((listed, self.ways.len() as u32));
        }
    }

    /// The portals of a polygon.
    #[inline]
    pub fn of(&self, polygon: u32) -> &[Portal] {
        &self.ways[self.starts[polygon as usize] as usize..self.starts[polygon as usize + 1] as usize]
    }

    /// The portals of the polygon beyond this portal; where it does not have many, without those that lead back.
    #[inline]
    pub fn exits(&self, portal: u32) -> &[Portal] {
        let (first, last) = self.exits[portal as usize];
        &self.ways[first as usize..last as usize]
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
