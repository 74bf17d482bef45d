//! A bounding volume hierarchy over the triangles of a level, for box and ray queries: a binary tree whose cells are
//! split where the surface area heuristic expects the least work (Wald 2007, "On fast Construction of SAH-based Bounding
//! Volume Hierarchies"). Every triangle lies in one leaf.

use super::octree_cell::OctreeCell;
use crate::asset::LevelTriangle;
use crate::math::{Aabb, Ray};
use glam::Vec3;
use std::borrow::Cow;

/// Most triangles of a leaf, but for those whose centres coincide.
const MAX_LEAF: usize = 4;
/// Bins along an axis between which a cell may be split.
const BINS: usize = 12;
/// Deepest cell: deeper ones are leaves.
const MAX_DEPTH: u32 = 64;

/// A cell: a leaf with the entries from `first` on, or an inner cell whose first child follows it and whose second is
/// `first`.
#[derive(Clone, Copy, Debug)]
struct BvhCell {
    bounds: Aabb,
    first: u32,
    /// Entries; 0 for an inner cell.
    count: u32,
}

/// The hierarchy.
#[derive(Clone, Debug, Default)]
pub struct TriangleBvh {
    triangles: Vec<LevelTriangle>,
    boxes: Vec<Aabb>,
    cells: Vec<BvhCell>,
    entries: Vec<u32>,
}

/// Triangles on one side of a split.
#[derive(Clone, Copy)]
struct Bin {
    bounds: Aabb,
    count: usize,
}

impl Bin {
    const EMPTY: Self = Self { bounds: Aabb::EMPTY, count: 0 };

    fn with(&self, other: &Self) -> Self {
        Self { bounds: self.bounds.union(&other.bounds), count: self.count + other.count }
    }

    /// Expected work: half the surface times the number of triangles.
    fn cost(&self) -> f32 {
        if self.count == 0 {
            return 0.0;
        }
        let size = self.bounds.size();
        (size.x * size.y + size.y * size.z + size.z * size.x) * self.count as f32
    }
}

/// The bin along an axis in which the centre of a box lies.
fn bin_of(aabb: &Aabb, centers: &Aabb, axis: usize) -> usize {
    let part = (aabb.center()[axis] - centers.min[axis]) / (centers.max[axis] - centers.min[axis]);
    ((part * BINS as f32) as usize).min(BINS - 1)
}

impl TriangleBvh {
    /// Builds the hierarchy. Triangles with a corner that is not finite are in no cell.
    pub fn build<'a>(triangles: impl Into<Cow<'a, [LevelTriangle]>>) -> Self {
        let triangles = triangles.into();
        let boxes: Vec<Aabb> = triangles.iter().map(|t| crate::math::triangle::aabb(&t.points)).collect();
        let is_finite = |i: &u32| triangles[*i as usize].points.iter().all(|p| p.is_finite());
        let entries: Vec<u32> = (0..triangles.len() as u32).filter(is_finite).collect();
        let mut tree = Self { triangles: triangles.into_owned(), boxes, cells: Vec::new(), entries };
        if !tree.entries.is_empty() {
            tree.fill(0, tree.entries.len(), 0);
        }
        tree
    }

    /// Makes the cell of the entries from `first` to `end`, and those below it.
    fn fill(&mut self, first: usize, end: usize, depth: u32) {
        let own = &self.entries[first..end];
        let bounds = own.iter().fold(Aabb::EMPTY, |b, &t| b.union(&self.boxes[t as usize]));
        let at = self.cells.len();
        self.cells.push(BvhCell { bounds, first: first as u32, count: (end - first) as u32 });
        if end - first <= MAX_LEAF || depth >= MAX_DEPTH {
            return;
        }
        let Some(middle) = self.split(first, end) else { return };
        self.fill(first, middle, depth + 1);
        (self.cells[at].first, self.cells[at].count) = (self.cells.len() as u32, 0);
        self.fill(middle, end, depth + 1);
    }

    /// Sorts entries to both sides of the cheapest split. Returns where the second side begins; `None` where all centres
    /// coincide.
    fn split(&mut self, first: usize, end: usize) -> Option<usize> {
        let boxes = &self.boxes;
        let own = &mut self.entries[first..end];
        let centers = Aabb::from_points(own.iter().map(|&t| boxes[t as usize].center()));
        let mut best: Option<(f32, usize, usize)> = None;
        for axis in (0..3).filter(|&axis| centers.max[axis] > centers.min[axis]) {
            let mut bins = [Bin::EMPTY; BINS];
            for &t in own.iter() {
                let aabb = boxes[t as usize];
                let bin = &mut bins[bin_of(&aabb, &centers, axis)];
                *bin = bin.with(&Bin { bounds: aabb, count: 1 });
            }
            let mut after = [Bin::EMPTY; BINS + 1];
            (0..BINS).rev().for_each(|i| after[i] = after[i + 1].with(&bins[i]));
            let mut before = Bin::EMPTY;
            for i in 1..BINS {
                before = before.with(&bins[i - 1]);
                let cost = before.cost() + after[i].cost();
                if before.count > 0 && after[i].count > 0 && best.is_none_or(|(least, ..)| cost < least) {
                    best = Some((cost, axis, i));
                }
            }
        }
        let (_, axis, bin) = best?;
        // Stable, so that the tree is the same on every machine.
        own.sort_by_key(|&t| bin_of(&boxes[t as usize], &centers, axis) >= bin);
        let before = own.iter().filter(|&&t| bin_of(&boxes[t as usize], &centers, axis) < bin).count();
        Some(first + before)
    }

    /// Box around all triangles.
    pub fn bounds(&self) -> Aabb {
        self.cells.first().map_or(Aabb::EMPTY, |cell| cell.bounds)
    }

    /// The triangles.
    pub fn triangles(&self) -> &[LevelTriangle] {
        &self.triangles
    }

    /// Calls `leaf` with the entries of each leaf that `reaches`.
    fn visit(&self, mut reaches: impl FnMut(&Aabb) -> bool, mut leaf: impl FnMut(u32)) {
        let mut stack = if self.cells.is_empty() { Vec::new() } else { vec![0_u32] };
        while let Some(at) = stack.pop() {
            let BvhCell { ref bounds, first, count } = self.cells[at as usize];
            if !reaches(bounds) {
                continue;
            }
            if count == 0 {
                stack.extend([first, at + 1]);
            } else {
                self.entries[first as usize..(first + count) as usize].iter().for_each(|&t| leaf(t));
            }
        }
    }

    /// Numbers of all triangles whose boxes meet `aabb`, ascending.
    pub fn query_aabb(&self, aabb: &Aabb, out: &mut Vec<u32>) {
        out.clear();
        if aabb.is_empty() {
            return;
        }
        self.visit(
            |bounds| bounds.intersects(aabb),
            |t| out.extend(self.boxes[t as usize].intersects(aabb).then_some(t)),
        );
        out.sort_unstable();
    }

    /// Calls `f` with every triangle whose box the ray meets up to `t_max`.
    pub fn query_ray(&self, ray: &Ray, t_max: f32, mut f: impl FnMut(u32)) {
        if !(ray.origin.is_finite() && ray.direction.is_finite()) {
            return;
        }
        let meets = |bounds: &Aabb| ray.aabb_interval(bounds).is_some_and(|(enter, _)| enter <= t_max);
        // A little wider than the cell, so that rounding leaves out nothing that lies in it.
        let wide = |bounds: &Aabb| {
            let reach = bounds.min.abs().max(bounds.max.abs()).max(ray.origin.abs());
            bounds.expanded(reach * 4e-6 + Vec3::splat(1e-6))
        };
        self.visit(
            |bounds| meets(&wide(bounds)),
            |t| {
                if meets(&self.boxes[t as usize]) {
                    f(t);
                }
            },
        );
    }

    /// All cells, parents before children.
    pub fn cells(&self) -> impl Iterator<Item = OctreeCell> + '_ {
        let mut stack = if self.cells.is_empty() { Vec::new() } else { vec![(0_u32, 0_u32)] };
        std::iter::from_fn(move || {
            let (at, depth) = stack.pop()?;
            let BvhCell { bounds, first, count } = self.cells[at as usize];
            if count == 0 {
                stack.extend([(first, depth + 1), (at + 1, depth + 1)]);
            }
            Some(OctreeCell { bounds, depth, items: count })
        })
    }
}
