//! The corners of the ground, numbered: what lies in one place has one number.

use super::level_grid::LevelGrid;
use super::piece::plan_order;
use crate::asset::LevelTriangle;
use crate::nav::mesh::pair_table::PairTable;
use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt};
use glam::{DVec2, Vec3};
use rayon::prelude::*;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Triangles from which on several threads number corners.
const MIN_SHARED: usize = 1 << 14;
/// Most threads that do: each looks at all corners.
const MAX_PARTS: usize = 8;

/// Numbers of the corners of ground triangles.
pub(super) struct CornerNumbers {
    /// Per triangle of the level those of its corners, in their order; none where it is no ground.
    of: Vec<[u32; 3]>,
    /// All numbers are below this.
    count: usize,
}

impl CornerNumbers {
    /// Numbers the corners of the triangles at positions `numbers` by the cells of a grid that they lie in.
    pub fn new(triangles: &[LevelTriangle], numbers: &[u32], grid: &LevelGrid) -> Self {
        let of: Vec<[AtomicU32; 3]> = (0..triangles.len()).map(|_| [const { AtomicU32::new(u32::MAX) }; 3]).collect();
        let parts = if numbers.len() < MIN_SHARED { 1 } else { rayon::current_num_threads().min(MAX_PARTS) };
        let hasher = FixedState::default();
        // Each thread numbers the cells with some hashes, all of which differ from those of others.
        let number = |part: usize| {
            let mut known: HashMap<[i32; 3], u32> = HashMap::with_capacity(numbers.len() / 2 / parts);
            for &triangle in numbers {
                for (p, out) in triangles[triangle as usize].points.iter().zip(&of[triangle as usize]) {
                    let cell = grid.cell(*p);
                    if parts == 1 || (hasher.hash_one(cell) >> 32) as usize % parts == part {
                        let next = (known.len() * parts + part) as u32;
                        out.store(*known.entry(cell).or_insert(next), Relaxed);
                    }
                }
            }
            known.len() * parts
        };
        let count = (0..parts).into_par_iter().map(number).max().unwrap_or(0);
        let of = of.into_iter().map(|corners| corners.map(AtomicU32::into_inner)).collect();
        Self { of, count }
    }

    /// All numbers are below this.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The numbers of the corners of a triangle, in the order of its corners in plan view.
    pub fn around(&self, triangle: u32, points: &[Vec3; 3]) -> [u32; 3] {
        plan_order(points).map(|corner| self.of[triangle as usize][corner])
    }
}

/// The edges of ground triangles, as pairs of numbered corners.
pub(super) struct CornerEdges<'a> {
    triangles: &'a [LevelTriangle],
    numbers: &'a [u32],
    corners: &'a CornerNumbers,
    edges: PairTable,
}

impl<'a> CornerEdges<'a> {
    /// The edges of the triangles at positions `numbers`.
    pub fn new(triangles: &'a [LevelTriangle], numbers: &'a [u32], corners: &'a CornerNumbers) -> Self {
        let ends = |edge: u32| {
            let number = numbers[edge as usize / 3];
            let around = corners.around(number, &triangles[number as usize].points);
            [around[edge as usize % 3], around[(edge as usize + 1) % 3]]
        };
        let edges = PairTable::new(corners.count, numbers.len() as u32 * 3, ends);
        Self { triangles, numbers, corners, edges }
    }

    /// The first triangles beyond the three edges of one, by their places in the list of ground triangles.
    pub fn beyond(&self, triangle: u32) -> impl Iterator<Item = u32> + '_ {
        let number = self.numbers[triangle as usize];
        let [a, b, c] = self.corners.around(number, &self.triangles[number as usize].points);
        [[b, a], [c, b], [a, c]].into_iter().filter_map(|pair| self.edges.find(pair).next()).map(|edge| edge / 3)
    }
}

impl LevelGrid {
    /// The cell of a point, of cubes.
    fn cell(&self, p: Vec3) -> [i32; 3] {
        let p = p.as_dvec3();
        let at = self.snap(DVec2::new(p.x, p.z));
        [at.x, (p.y * self.per_metre()).round() as i32, at.y]
    }
}
