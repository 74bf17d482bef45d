//! An octree over the triangles of a level, for box and ray queries.
//!
//! Cells lie in one flat array, the triangle numbers of all leaves in another. A triangle is entered into every leaf
//! that its box overlaps; a query still reports it once, because only the leaf that contains the first common point of
//! the query and the triangle's box reports it. No visited marks are needed, so queries run on shared data from any
//! thread.

use super::octree_cell::{OctreeCell, octant};
use crate::asset::LevelTriangle;
use crate::math::{Aabb, Ray};
use glam::{Vec3, Vec3A};
use rayon::prelude::*;
use std::borrow::Cow;

/// Largest depth that [`TriangleOctree::build`] accepts.
const MAX_DEPTH: u32 = 16;
/// Leaf entries per triangle over the whole tree, so that large overlapping triangles cannot multiply without bound.
const MAX_ENTRIES_PER_TRIANGLE: usize = 24;

#[derive(Clone, Copy, Debug)]
struct TriangleCell {
    /// First of eight children; 0 for a leaf.
    children: u32,
    /// Start of a leaf's entries.
    start: u32,
    /// Number of a leaf's entries.
    count: u32,
}

/// Triangles of a level, sorted into cells.
#[derive(Clone, Debug, Default)]
pub struct TriangleOctree {
    triangles: Vec<LevelTriangle>,
    boxes: Vec<Aabb>,
    bounds: Aabb,
    cells: Vec<TriangleCell>,
    entries: Vec<u32>,
}

/// Octants (as a bit set) by which axes a box reaches below the centre (bits 0 to 2) and above (bits 3 to 5).
const OCTANTS: [u8; 64] = {
    const LOWER: [u8; 3] = [0b0101_0101, 0b0011_0011, 0b0000_1111];
    let mut table = [0xff; 64];
    let mut reach = 0;
    while reach < 64 {
        let mut axis = 0;
        while axis < 3 {
            let lower = if reach >> axis & 1 != 0 { LOWER[axis] } else { 0 };
            let upper = if reach >> (axis + 3) & 1 != 0 { !LOWER[axis] } else { 0 };
            table[reach] &= lower | upper;
            axis += 1;
        }
        reach += 1;
    }
    table
};

/// Bit set of the octants around `center` that `aabb` reaches; the plane itself belongs to the upper side.
fn octants_of(aabb: &Aabb, center: Vec3) -> u32 {
    let center = Vec3A::from(center);
    let below = Vec3A::from(aabb.min).cmplt(center).bitmask();
    let above = Vec3A::from(aabb.max).cmpge(center).bitmask();
    u32::from(OCTANTS[(below | above << 3) as usize & 63])
}

/// Number of triangles from which on the children of a cell are built in parallel.
const MIN_PARALLEL: usize = 1024;

/// Input of the construction.
struct OctreeInput<'a> {
    boxes: &'a [Aabb],
    threshold: usize,
    max_depth: u32,
}

/// A subtree under construction: its root comes first, indices are relative to the subtree.
#[derive(Default)]
struct Subtree {
    cells: Vec<TriangleCell>,
    entries: Vec<u32>,
    /// Octants of the triangles of the cell being split.
    masks: Vec<u8>,
}

/// A cell to be built.
#[derive(Clone, Copy)]
struct OpenCell {
    bounds: Aabb,
    depth: u32,
    /// Leaf entries that it may make beyond one per triangle.
    budget: usize,
}

/// Triangles of the cells being built, as a stack: those of the current cell begin at `from`.
struct TriangleStack<'a> {
    items: &'a mut Vec<u32>,
    from: usize,
}

/// A cell's triangles, sorted into its octants.
struct CellSplit {
    center: Vec3,
    /// Start of each octant's triangles in the scratch memory, and the end of the last.
    starts: [usize; 9],
    /// How many more entries each octant may make.
    budgets: [usize; 8],
}

impl OpenCell {
    /// Octant `i` of the cell.
    fn child(&self, split: &CellSplit, i: usize) -> Self {
        let bounds = octant(&self.bounds, split.center, i as u32);
        Self { bounds, depth: self.depth + 1, budget: split.budgets[i] }
    }
}

const LEAF: TriangleCell = TriangleCell { children: 0, start: 0, count: 0 };

impl Subtree {
    /// The tree over the triangles of `list`.
    fn build(input: &OctreeInput, open: OpenCell, list: &[u32]) -> Self {
        let mut subtree = Self { cells: vec![LEAF], ..Self::default() };
        let mut scratch = Vec::with_capacity(list.len() * 4);
        scratch.extend_from_slice(list);
        if list.len() <= MIN_PARALLEL {
            subtree.fill(input, 0, open, TriangleStack { items: &mut scratch, from: 0 });
            return subtree;
        }
        let Some(split) = subtree.split(input, open, &mut TriangleStack { items: &mut scratch, from: 0 }) else {
            subtree.leaf(0, list);
            return subtree;
        };
        let children: Vec<Self> = (0..8_usize)
            .into_par_iter()
            .map(|i| {
                let list = &scratch[split.starts[i]..split.starts[i + 1]];
                Self::build(input, open.child(&split, i), list)
            })
            .collect();
        subtree.cells[0].children = 1;
        subtree.cells.extend([LEAF; 8]);
        children.into_iter().enumerate().for_each(|(i, child)| subtree.append(1 + i, child));
        subtree
    }

    /// Puts a subtree in the place of `cell`.
    fn append(&mut self, cell: usize, child: Self) {
        let (cells, entries) = (self.cells.len() as u32 - 1, self.entries.len() as u32);
        let moved = |c: TriangleCell| match c.children {
            0 => TriangleCell { start: c.start + entries, ..c },
            first => TriangleCell { children: first + cells, ..c },
        };
        self.cells[cell] = moved(child.cells[0]);
        self.cells.extend(child.cells[1..].iter().map(|c| moved(*c)));
        self.entries.extend(child.entries);
    }

    /// Sorts the triangles of a cell into octants and pushes them; `None` for a cell that becomes a leaf.
    fn split(&mut self, input: &OctreeInput, open: OpenCell, stack: &mut TriangleStack<'_>) -> Option<CellSplit> {
        let OpenCell { ref bounds, depth, budget } = open;
        let (scratch, from) = (&mut *stack.items, stack.from);
        let count = scratch.len() - from;
        let center = bounds.center();
        if count <= input.threshold || depth >= input.max_depth || !splits(bounds, center) {
            return None;
        }
        let mut counts = [0_usize; 8];
        self.masks.clear();
        for &t in &scratch[from..] {
            let mut mask = octants_of(&input.boxes[t as usize], center);
            self.masks.push(mask as u8);
            while mask != 0 {
                counts[mask.trailing_zeros() as usize] += 1;
                mask &= mask - 1;
            }
        }
        let total: usize = counts.iter().sum();
        if total > 3 * count || budget < total - count {
            return None;
        }
        let left = budget - (total - count);
        let mut starts = [scratch.len(); 9];
        for i in 0..8 {
            starts[i + 1] = starts[i] + counts[i];
        }
        scratch.resize(starts[8], 0);
        let mut next = starts;
        for (k, &mask) in self.masks.iter().enumerate() {
            let mut mask = mask;
            while mask != 0 {
                let at = &mut next[mask.trailing_zeros() as usize];
                scratch[*at] = scratch[from + k];
                *at += 1;
                mask &= mask - 1;
            }
        }
        Some(CellSplit {
            center,
            starts,
            budgets: counts.map(|c| ((left as u64).saturating_mul(c as u64) / total as u64) as usize),
        })
    }

    /// Fills `cell` with the triangles of the stack, splitting while that reduces their number.
    fn fill(&mut self, input: &OctreeInput, cell: usize, open: OpenCell, mut stack: TriangleStack<'_>) {
        let Some(split) = self.split(input, open, &mut stack) else {
            return self.leaf(cell, &stack.items[stack.from..]);
        };
        let children = self.cells.len();
        self.cells[cell].children = children as u32;
        self.cells.extend([LEAF; 8]);
        // From the last to the first, so that the triangles of each are on top of the stack.
        for i in (0..8).rev() {
            let start = split.starts[i];
            if start < split.starts[i + 1] {
                let child = TriangleStack { items: &mut *stack.items, from: start };
                self.fill(input, children + i, open.child(&split, i), child);
            }
            stack.items.truncate(start);
        }
    }

    fn leaf(&mut self, cell: usize, triangles: &[u32]) {
        self.cells[cell] =
            TriangleCell { children: 0, start: self.entries.len() as u32, count: triangles.len() as u32 };
        self.entries.extend_from_slice(triangles);
    }
}

/// Whether the centre divides the box on some axis at this precision.
fn splits(bounds: &Aabb, center: Vec3) -> bool {
    center.is_finite() && (center.cmpgt(bounds.min) & center.cmplt(bounds.max)).any()
}

impl TriangleOctree {
    /// Sorts `triangles` into cells that split when they hold more than `threshold` (at least 1), down to
    /// `max_depth` levels below the root. Triangles with non-finite corners are kept but never reported.
    pub fn build<'a>(triangles: impl Into<Cow<'a, [LevelTriangle]>>, threshold: u32, max_depth: u32) -> Self {
        let triangles = triangles.into();
        let boxes: Vec<Aabb> = triangles.iter().map(|t| crate::math::triangle::aabb(&t.points)).collect();
        let finite = |i: &u32| {
            let t = &triangles[*i as usize];
            t.points.iter().all(|p| p.is_finite())
        };
        let list: Vec<u32> = (0..triangles.len() as u32).filter(finite).collect();
        let bounds = list.iter().fold(Aabb::EMPTY, |b, &i| b.union(&boxes[i as usize]));
        let input =
            OctreeInput { boxes: &boxes, threshold: threshold.max(1) as usize, max_depth: max_depth.min(MAX_DEPTH) };
        let budget = triangles.len().saturating_mul(MAX_ENTRIES_PER_TRIANGLE);
        let Subtree { cells, entries, .. } = Subtree::build(&input, OpenCell { bounds, depth: 0, budget }, &list);
        Self { triangles: triangles.into_owned(), boxes, bounds, cells, entries }
    }

    /// The box around all triangles; empty without any.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// All triangles, in the order they were given.
    pub fn triangles(&self) -> &[LevelTriangle] {
        &self.triangles
    }

    /// The triangles alone, in the order they were given.
    pub fn into_triangles(self) -> Vec<LevelTriangle> {
        self.triangles
    }

    /// Puts the positions of all triangles whose boxes share a point with `aabb` into `out` (cleared before), each
    /// once, ascending.
    pub fn query_aabb(&self, aabb: &Aabb, out: &mut Vec<u32>) {
        out.clear();
        if !aabb.intersects(&self.bounds) || aabb.is_empty() {
            return;
        }
        self.visit_aabb(0, &self.bounds, aabb, out);
        out.sort_unstable();
    }

    fn visit_aabb(&self, cell: u32, bounds: &Aabb, aabb: &Aabb, out: &mut Vec<u32>) {
        let TriangleCell { children, start, count } = self.cells[cell as usize];
        if children == 0 {
            for &t in &self.entries[start as usize..(start + count) as usize] {
                let tri = &self.boxes[t as usize];
                if tri.intersects(aabb) && self.owns(bounds, aabb.min.max(tri.min)) {
                    out.push(t);
                }
            }
            return;
        }
        let center = bounds.center();
        let mut mask = octants_of(aabb, center);
        while mask != 0 {
            let i = mask.trailing_zeros();
            mask &= mask - 1;
            self.visit_aabb(children + i, &octant(bounds, center, i), aabb, out);
        }
    }

    /// Whether the leaf with these bounds is the one that holds `p`; a shared face belongs to the upper cell.
    fn owns(&self, bounds: &Aabb, p: Vec3) -> bool {
        (0..3).all(|axis| {
            p[axis] >= bounds.min[axis] && (p[axis] < bounds.max[axis] || bounds.max[axis] == self.bounds.max[axis])
        })
    }

    /// Calls `f` once with the position of every triangle whose box the ray meets at a parameter of at most `t_max`.
    /// The order is by cell; it is the same for the same tree and ray.
    pub fn query_ray(&self, ray: &Ray, t_max: f32, mut f: impl FnMut(u32)) {
        let usable = ray.origin.is_finite() && ray.direction.is_finite();
        if usable && !self.bounds.is_empty() {
            self.visit_ray(0, &self.bounds, ray, t_max, &mut f);
        }
    }

    fn visit_ray(&self, cell: u32, bounds: &Aabb, ray: &Ray, t_max: f32, f: &mut impl FnMut(u32)) {
        // A little wider than the cell: a rounded point of the ray must not fall between two cells.
        let reach = bounds.min.abs().max(bounds.max.abs()).max(ray.origin.abs());
        let wide = bounds.expanded(reach * 4e-6 + Vec3::splat(1e-6));
        if !ray.aabb_interval(&wide).is_some_and(|(enter, _)| enter <= t_max) {
            return;
        }
        let TriangleCell { children, start, count } = self.cells[cell as usize];
        if children != 0 {
            let center = bounds.center();
            for i in 0..8 {
                self.visit_ray(children + i, &octant(bounds, center, i), ray, t_max, f);
            }
            return;
        }
        for &t in &self.entries[start as usize..(start + count) as usize] {
            let tri = &self.boxes[t as usize];
            if let Some((enter, _)) = ray.aabb_interval(tri)
                && enter <= t_max
                && self.owns(bounds, ray.at(enter).clamp(tri.min, tri.max))
            {
                f(t);
            }
        }
    }

    /// All leaves that hold triangles, and all inner cells.
    pub fn cells(&self) -> impl Iterator<Item = OctreeCell> + '_ {
        let mut stack = if self.triangles.is_empty() { vec![] } else { vec![(0_u32, self.bounds, 0_u32)] };
        std::iter::from_fn(move || {
            loop {
                let (cell, bounds, depth) = stack.pop()?;
                let TriangleCell { children, count, .. } = self.cells[cell as usize];
                if children != 0 {
                    let center = bounds.center();
                    stack.extend((0..8).rev().map(|i| (children + i, octant(&bounds, center, i), depth + 1)));
                }
                if children != 0 || count != 0 {
                    return Some(OctreeCell { bounds, depth, items: count });
                }
            }
        })
    }
}

#[cfg(test)]
mod tests;
