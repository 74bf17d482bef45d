//! A loose octree over the boxes of instances, for queries and for the broad phase.
//!
//! An instance lies in exactly one leaf, by the centre of its box; every cell stores the box around its content, so that
//! a query finds instances that extend beyond their cell.

use super::octree_cell::{OctreeCell, octant};
use crate::math::Aabb;
use glam::Vec3A;
use rayon::prelude::*;
use std::ops::Range;

/// Instances per leaf before it splits.
const MAX_LEAF_ITEMS: usize = 10;
/// Deepest level below the root: a cell of a large map is then no wider than a few people.
const MAX_DEPTH: u32 = 9;

/// How many times as far from the middle as boxes are in the mean the cells reach at most.
const REACH_IN_MEANS: f32 = 8.0;

/// Number of boxes from which on the pair search runs in parallel.
const MIN_PARALLEL: usize = 512;
/// Approximate number of tasks of the parallel pair search.
const PAIR_TASKS: usize = 32;

#[derive(Clone, Copy, Debug)]
struct InstanceCell {
    bounds: Aabb,
    content: SimdAabb,
    /// First of eight children; 0 for a leaf.
    children: u32,
    start: u32,
    count: u32,
    depth: u32,
}

impl InstanceCell {
    /// Positions of its items, those of its children included.
    fn range(&self) -> Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }
}

/// A task of the pair search: within one cell, or between two.
#[derive(Clone, Copy, Debug)]
enum PairTask {
    Within(usize),
    Between(usize, usize),
}

/// A box as two SIMD vectors.
#[derive(Clone, Copy, Debug)]
struct SimdAabb {
    min: Vec3A,
    max: Vec3A,
}

impl SimdAabb {
    fn from_aabb(aabb: &Aabb) -> Self {
        Self { min: aabb.min.into(), max: aabb.max.into() }
    }

    #[inline]
    fn intersects(&self, other: &Self) -> bool {
        (self.min.cmple(other.max) & other.min.cmple(self.max)).all()
    }

    fn center(&self) -> Vec3A {
        (self.min + self.max) * 0.5
    }

    /// The octants that lead to a point, three bits each, down to the deepest cell.
    fn octants_to(self, p: Vec3A) -> u64 {
        let mut cell = self;
        (0..MAX_DEPTH).fold(0, |octants, _| {
            let center = cell.center();
            let is_upper = p.cmpge(center);
            cell.min = Vec3A::select(is_upper, center, cell.min);
            cell.max = Vec3A::select(is_upper, cell.max, center);
            octants << 3 | u64::from(is_upper.bitmask())
        })
    }

    fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// Boxes sorted into cells.
#[derive(Clone, Debug, Default)]
pub struct InstanceOctree {
    cells: Vec<InstanceCell>,
    /// Numbers of the boxes, cell by cell; `boxes` has the same order.
    items: Vec<u32>,
    boxes: Vec<SimdAabb>,
}

impl InstanceOctree {
    /// The tree over `boxes`. Empty and non-finite boxes are left out.
    pub fn build(boxes: impl IntoIterator<Item = Aabb>) -> Self {
        let usable = |b: &Aabb| !b.is_empty() && b.min.is_finite() && b.max.is_finite();
        let mut tree = Self::default();
        for (i, aabb) in (0..).zip(boxes).filter(|(_, aabb)| usable(aabb)) {
            tree.items.push(i);
            tree.boxes.push(SimdAabb::from_aabb(&aabb));
        }
        tree.sort();
        tree
    }

    /// Sorts the boxes by the octants that lead to each, and lays the cells over them. Boxes of one leaf keep their order.
    fn sort(&mut self) {
        if self.items.is_empty() {
            return;
        }
        let content = self.boxes.iter().fold(SimdAabb::from_aabb(&Aabb::EMPTY), |b, simd| b.union(simd));
        let divided = self.divided(&content);
        let bounds = Aabb::new(divided.min.into(), divided.max.into());
        // Octants before the position.
        let key = |(i, aabb): (usize, &SimdAabb)| divided.octants_to(aabb.center()) << 32 | i as u64;
        let mut order: Vec<u64> = Vec::with_capacity(self.boxes.len());
        if self.boxes.len() < MIN_PARALLEL {
            order.extend(self.boxes.iter().enumerate().map(key));
            order.sort_unstable();
        } else {
            self.boxes.par_iter().enumerate().with_min_len(MIN_PARALLEL).map(key).collect_into_vec(&mut order);
            order.par_sort_unstable();
        }
        let count = self.items.len() as u32;
        self.cells.push(InstanceCell { bounds, content, children: 0, start: 0, count, depth: 0 });
        let mut next = 0;
        while next < self.cells.len() {
            self.split(next, &mut order);
            next += 1;
        }
        let at = |key: &u64| *key as u32 as usize;
        self.items = order.iter().map(|key| self.items[at(key)]).collect();
        self.boxes = order.iter().map(|key| self.boxes[at(key)]).collect();
        // Children come behind their parents.
        for cell in (0..self.cells.len()).rev() {
            let children = self.cells[cell].children as usize;
            let union = |all: SimdAabb, part: &SimdAabb| all.union(part);
            let nothing = SimdAabb::from_aabb(&Aabb::EMPTY);
            self.cells[cell].content = match children {
                0 => self.boxes[self.cells[cell].range()].iter().fold(nothing, union),
                _ => self.cells[children..children + 8].iter().map(|child| &child.content).fold(nothing, union),
            };
        }
    }

    /// The box that is divided into cells: that of the content, but no farther from the middle than most boxes lie, so that few that are far
    /// away do not make the cells of all others coarse. What lies outside belongs to the cells at the border.
    fn divided(&self, content: &SimdAabb) -> SimdAabb {
        let mean = |values: &mut dyn Iterator<Item = Vec3A>| values.sum::<Vec3A>() / self.boxes.len() as f32;
        let middle = mean(&mut self.boxes.iter().map(SimdAabb::center));
        let reach = mean(&mut self.boxes.iter().map(|b| (b.center() - middle).abs())) * REACH_IN_MEANS;
        SimdAabb { min: content.min.max(middle - reach), max: content.max.min(middle + reach) }
    }

    /// Splits a cell that holds too many instances, whose keys lie in order.
    fn split(&mut self, cell: usize, order: &mut [u64]) {
        let InstanceCell { bounds, start, count, depth, .. } = self.cells[cell];
        let own = &mut order[self.cells[cell].range()];
        if count as usize <= MAX_LEAF_ITEMS || depth >= MAX_DEPTH {
            own.sort_unstable_by_key(|key| *key as u32);
            return;
        }
        self.cells[cell].children = self.cells.len() as u32;
        let shift = 32 + 3 * (MAX_DEPTH - 1 - depth);
        let mut from = 0;
        for i in 0..8 {
            let to = own.partition_point(|key| key >> shift & 7 <= u64::from(i)) as u32;
            self.cells.push(InstanceCell {
                bounds: octant(&bounds, bounds.center(), i),
                content: SimdAabb::from_aabb(&Aabb::EMPTY),
                children: 0,
                start: start + from,
                count: to - from,
                depth: depth + 1,
            });
            from = to;
        }
    }

    /// Calls `f` with the number of every box that shares a point with `aabb`, in the order of the cells.
    pub fn query(&self, aabb: &Aabb, f: &mut impl FnMut(u32)) {
        if !self.cells.is_empty() {
            self.visit(0, &SimdAabb::from_aabb(aabb), f);
        }
    }

    fn visit(&self, at: usize, aabb: &SimdAabb, f: &mut impl FnMut(u32)) {
        let cell = &self.cells[at];
        if !cell.content.intersects(aabb) {
            return;
        }
        if cell.children != 0 {
            for i in 0..8 {
                self.visit(cell.children as usize + i, aabb, f);
            }
            return;
        }
        for k in cell.range() {
            if self.boxes[k].intersects(aabb) {
                f(self.items[k]);
            }
        }
    }

    /// Appends all intersecting pairs that `keep` accepts, each once, the smaller number first. The order depends on the
    /// boxes alone. Large trees are searched in parallel.
    pub fn pairs(&self, keep: impl Fn(u32, u32) -> bool + Sync, out: &mut Vec<(u32, u32)>) {
        let run = |task: &PairTask, out: &mut Vec<(u32, u32)>| {
            let mut f = |a, b| {
                if keep(a, b) {
                    out.push((a, b));
                }
            };
            match *task {
                PairTask::Within(cell) => self.pairs_within(cell, &mut f),
                PairTask::Between(a, b) => self.pairs_between(a, b, &mut f),
            }
        };
        let tasks = self.tasks();
        if self.items.len() < MIN_PARALLEL || rayon::current_num_threads() == 1 {
            tasks.iter().for_each(|task| run(task, out));
            return;
        }
        let found = tasks.par_iter().map(|task| {
            let mut own = Vec::new();
            run(task, &mut own);
            own
        });
        out.extend(found.collect::<Vec<_>>().into_iter().flatten());
    }

    /// The search for pairs in tasks, in the order in which [`Self::pairs_within`] goes through them.
    fn tasks(&self) -> Vec<PairTask> {
        let most = self.items.len() / PAIR_TASKS;
        let mut out = Vec::new();
        let mut open: Vec<PairTask> = (!self.cells.is_empty()).then_some(PairTask::Within(0)).into_iter().collect();
        while let Some(task) = open.pop() {
            match task {
                PairTask::Within(cell) if self.cells[cell].children != 0 && self.cells[cell].count as usize > most => {
                    let first = self.cells[cell].children as usize;
                    let children = first..first + 8;
                    let after = |a| (a + 1..first + 8).map(move |b| PairTask::Between(a, b));
                    let all: Vec<PairTask> =
                        children.flat_map(|a| std::iter::once(PairTask::Within(a)).chain(after(a))).collect();
                    open.extend(all.into_iter().rev());
                }
                task => out.push(task),
            }
        }
        out
    }

    fn pairs_within(&self, cell: usize, f: &mut impl FnMut(u32, u32)) {
        let InstanceCell { children, count, .. } = self.cells[cell];
        if count < 2 {
            return;
        }
        if children == 0 {
            let range = self.cells[cell].range();
            for k in range.clone() {
                self.pairs_with(k, k + 1..range.end, f);
            }
            return;
        }
        let children = children as usize..children as usize + 8;
        for a in children.clone() {
            self.pairs_within(a, f);
            for b in a + 1..children.end {
                self.pairs_between(a, b, f);
            }
        }
    }

    /// Pairs of one from each of two cells.
    fn pairs_between(&self, a: usize, b: usize, f: &mut impl FnMut(u32, u32)) {
        let (one, other) = (&self.cells[a], &self.cells[b]);
        if one.count == 0 || other.count == 0 || !one.content.intersects(&other.content) {
            return;
        }
        if one.children == 0 && other.children == 0 {
            for k in one.range() {
                if self.boxes[k].intersects(&other.content) {
                    self.pairs_with(k, other.range(), f);
                }
            }
            return;
        }
        // The fuller cell is opened.
        let (open, kept) =
            if other.children == 0 || (one.children != 0 && one.count >= other.count) { (a, b) } else { (b, a) };
        let first = self.cells[open].children as usize;
        for child in first..first + 8 {
            self.pairs_between(child, kept, f);
        }
    }

    /// Pairs of the box at `k` and those at `others`.
    fn pairs_with(&self, k: usize, others: Range<usize>, f: &mut impl FnMut(u32, u32)) {
        let (aabb, a) = (self.boxes[k], self.items[k]);
        for (other, &b) in self.boxes[others.clone()].iter().zip(&self.items[others]) {
            if other.intersects(&aabb) {
                f(a.min(b), a.max(b));
            }
        }
    }

    /// All cells that hold instances.
    pub fn cells(&self) -> impl Iterator<Item = OctreeCell> + '_ {
        self.cells.iter().filter(|c| c.count > 0).map(|c| OctreeCell {
            bounds: c.bounds,
            depth: c.depth,
            items: if c.children == 0 { c.count } else { 0 },
        })
    }
}

/// All intersecting pairs of boxes that `keep` accepts, the smaller number first, in an order that depends on the boxes
/// alone. Empty boxes intersect nothing.
pub fn box_pairs(
    boxes: impl IntoIterator<Item = Aabb>,
    keep: impl Fn(u32, u32) -> bool + Sync,
    out: &mut Vec<(u32, u32)>,
) {
    out.clear();
    InstanceOctree::build(boxes).pairs(keep, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn scattered(n: u32) -> Vec<Aabb> {
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        (0..n)
            .map(|_| {
                let p = Vec3::new(next() * 100.0, next() * 4.0, next() * 80.0);
                Aabb::new(p, p + Vec3::new(next() * 3.0, 1.8, next()))
            })
            .collect()
    }

    #[test]
    fn queries_agree_with_brute_force() {
        let boxes = scattered(500);
        let tree = InstanceOctree::build(boxes.iter().copied());
        for query in scattered(100) {
            let mut found = Vec::new();
            tree.query(&query, &mut |i| found.push(i));
            found.sort_unstable();
            let expected: Vec<u32> = (0..500).filter(|&i| boxes[i as usize].intersects(&query)).collect();
            assert_eq!(found, expected);
        }
        let mut found = Vec::new();
        tree.pairs(|_, _| true, &mut found);
        found.sort_unstable();
        let all = (0..500).flat_map(|i| (i + 1..500).map(move |k| (i, k)));
        let touch = |(i, k): &(u32, u32)| boxes[*i as usize].intersects(&boxes[*k as usize]);
        assert_eq!(found, all.filter(touch).collect::<Vec<_>>());
        let filed: u32 = tree.cells().map(|c| c.items).sum();
        assert_eq!(filed, 500);
    }

    #[test]
    fn pairs_come_in_the_same_order_on_any_number_of_threads() {
        let tree = InstanceOctree::build(scattered(6000));
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut found = Vec::new();
            pool.install(|| tree.pairs(|a, b| (a + b) % 3 != 0, &mut found));
            found
        };
        let mut whole = Vec::new();
        tree.pairs_within(0, &mut |a, b| whole.push((a, b)));
        whole.retain(|(a, b)| (a + b) % 3 != 0);
        assert!(whole.len() > 1000 && tree.tasks().len() > 8, "{}", whole.len());
        assert!([1, 2, 3].iter().all(|&threads| on(threads) == whole));
    }

    #[test]
    fn equal_boxes_end_at_the_depth_limit() {
        let one = Aabb::new(Vec3::ZERO, Vec3::ONE);
        let odd = [Aabb::EMPTY, Aabb::new(Vec3::NAN, Vec3::ONE)];
        let tree = InstanceOctree::build(std::iter::repeat_n(one, 100).chain(odd));
        let mut found = 0;
        tree.query(&one, &mut |_| found += 1);
        assert_eq!(found, 100);
        let mut pairs = Vec::new();
        tree.pairs(|_, _| true, &mut pairs);
        assert_eq!(pairs.len(), 100 * 99 / 2);
        assert!(tree.cells().all(|c| c.depth <= MAX_DEPTH));
        InstanceOctree::build([]).query(&one, &mut |_| panic!("nothing is filed"));
    }

    #[test]
    fn a_box_far_away_leaves_the_cells_of_others_small() {
        let place = |i: u32| Vec3::new((i % 50) as f32, 0.0, (i / 50) as f32);
        let far = Vec3::new(1e5, 0.0, -1e5);
        let boxes = (0..2500).map(place).chain([far]).map(|at| Aabb::new(at, at + Vec3::new(0.6, 1.8, 0.6)));
        let tree = InstanceOctree::build(boxes);
        let largest = tree.cells().map(|cell| cell.items).max();
        assert!(largest <= Some(MAX_LEAF_ITEMS as u32), "{largest:?}");
    }

    #[test]
    fn pairs_agree_with_brute_force() {
        let boxes = scattered(1000);
        let active = |i: u32| i % 9 != 4;
        let mut found = vec![(7, 7)];
        let usable = (0..).zip(&boxes).map(|(i, aabb)| if active(i) { *aabb } else { Aabb::EMPTY });
        box_pairs(usable, |_, _| true, &mut found);
        found.sort_unstable();
        let all = (0..1000_u32).flat_map(|i| (i + 1..1000).map(move |k| (i, k)));
        let touch =
            |(i, k): &(u32, u32)| active(*i) && active(*k) && boxes[*i as usize].intersects(&boxes[*k as usize]);
        assert_eq!(found, all.filter(touch).collect::<Vec<_>>());
        assert!(found.len() > 20);
    }
}
