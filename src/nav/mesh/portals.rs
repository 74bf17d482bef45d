//! The ways out of polygons, apart from walls: what searches read, packed as they read it.

use glam::Vec3;

use super::blocks::{Blocks, Goals};
use super::{Edge, NONE, Polygon};

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
    portals: Vec<Portal>,
    gates: Vec<Gate>,
    numbers: Vec<u32>,
}

impl Portals {
    pub(super) fn build(vertices: &[Vec3], polygons: &[Polygon], edges: &[Edge]) -> Self {
        let blocks = Blocks::build(polygons, edges);
        let mut all = Self { starts: vec![0], ..Self::default() };
        for (polygon, p) in polygons.iter().enumerate() {
            let (first, count) = (p.first_edge, u32::from(p.edge_count));
            for i in 0..count {
                let (a, b) = (edges[(first + i) as usize], edges[(first + (i + 1) % count) as usize]);
                if a.neighbor == NONE {
                    continue;
                }
                let (left, right) = (vertices[a.vertex as usize], vertices[b.vertex as usize]);
                let goals = blocks.goals(polygon as u32, a.neighbor);
                all.portals.push(Portal { middle: (left + right) * 0.5, neighbor: a.neighbor, goals });
                all.gates.push(Gate { left, edge: first + i, right, polygon: polygon as u32 });
            }
            all.starts.push(all.portals.len() as u32);
        }
        all.numbers = blocks.numbers;
        all
    }

    /// The number of a polygon's first portal, and its portals.
    #[inline]
    pub fn of(&self, polygon: u32) -> (u32, &[Portal]) {
        let (from, to) = (self.starts[polygon as usize], self.starts[polygon as usize + 1]);
        (from, &self.portals[from as usize..to as usize])
    }

    /// The ends of a portal.
    #[inline]
    pub fn gate(&self, portal: u32) -> &Gate {
        &self.gates[portal as usize]
    }

    /// The number of a polygon as a goal.
    #[inline]
    pub fn number(&self, polygon: u32) -> u32 {
        self.numbers[polygon as usize]
    }

    /// How many portals there are, two for each shared edge.
    pub fn len(&self) -> usize {
        self.portals.len()
    }

    /// Whether every edge is a wall.
    pub fn is_empty(&self) -> bool {
        self.portals.is_empty()
    }
}
