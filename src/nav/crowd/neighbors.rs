//! Neighbour search: snapshots in a uniform grid, sorted by cell in row order, so that adjacent cells of a row are one
//! contiguous range.

use glam::{IVec2, Vec2};

use super::snapshot::AgentSnapshot;

/// Edge of a cell, metres.
const CELL: f32 = 1.0;
/// Rings of cells that are searched, which bounds the reach: at least, at most, and by how many times the distance at which two agents touch.
const MIN_RINGS: i32 = 4;
const MAX_RINGS: i32 = 64;
const RINGS_PER_TOUCH: f32 = 2.0;
/// Snapshots examined before the search ends.
const MAX_LOOKS: usize = 192;
/// With at most this many snapshots in the nearest cells, all rings are searched at once.
const MIN_SEEN: usize = 8;
/// Most cells: per snapshot, and in addition.
const MAX_CELLS: (usize, usize) = (8, 1024);
/// Cell coordinates are clamped to this, so that their differences do not overflow.
const LAST_CELL: i32 = 1 << 26;
/// Most neighbours of an agent.
pub(super) const MAX_NEAR: usize = 12;

/// The nearest snapshots, nearest first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Neighbors {
    pub(super) count: usize,
    /// Squared distances and indices.
    list: [(f32, u32); MAX_NEAR],
}

impl Neighbors {
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.list[..self.count].iter().map(|n| n.1)
    }

    /// Those that were within `reach` metres when they were searched.
    pub(super) fn within(&self, reach: f32) -> impl Iterator<Item = u32> + '_ {
        self.list[..self.count].iter().take_while(move |n| n.0 <= reach * reach).map(|n| n.1)
    }

    /// Leaves out those that `keeps` refuses.
    pub(super) fn retain(&mut self, keeps: impl Fn(u32) -> bool) {
        let mut kept = 0;
        for i in 0..self.count {
            if keeps(self.list[i].1) {
                self.list[kept] = self.list[i];
                kept += 1;
            }
        }
        self.count = kept;
    }

    /// Keeps the nearest, the lower index first among equals.
    fn offer(&mut self, distance_squared: f32, number: u32) {
        insert_sorted(&mut self.list, &mut self.count, (distance_squared, number), |a, b| a < b);
    }

    fn farthest(&self) -> f32 {
        if self.count == MAX_NEAR { self.list[MAX_NEAR - 1].0 } else { f32::INFINITY }
    }
}

/// Inserts an item into a sorted list of limited length, after its equals; the last one of a full list goes.
#[inline]
pub(super) fn insert_sorted<T: Copy, const MAX: usize>(
    list: &mut [T; MAX],
    count: &mut usize,
    item: T,
    is_before: impl Fn(&T, &T) -> bool,
) {
    let mut at = (*count).min(MAX - 1);
    if *count == MAX && !is_before(&item, &list[at]) {
        return;
    }
    while at > 0 && is_before(&item, &list[at - 1]) {
        list[at] = list[at - 1];
        at -= 1;
    }
    list[at] = item;
    *count = (*count + 1).min(MAX);
}

#[derive(Clone, Copy, Debug)]
struct GridItem {
    cell: IVec2,
    at: Vec2,
    y: f32,
    height: f32,
    number: u32,
}

/// The grid of snapshots.
#[derive(Clone, Debug, Default)]
pub(super) struct NeighborGrid {
    /// Cells are grouped into square blocks of this size, as a power of two.
    shift: u32,
    /// The first block, and the number of blocks along x and z.
    first: IVec2,
    size: IVec2,
    /// First item of each block.
    starts: Vec<u32>,
    items: Vec<GridItem>,
    /// Radius of the largest agent, metres.
    largest_radius: f32,
    /// Edge of the squares that are awake or not, cells, as a power of two, and the first of them.
    wake_shift: u32,
    first_square: IVec2,
    squares: IVec2,
    /// Per square, whether an agent that is awake stands in it or beside it.
    awake: Vec<bool>,
}

/// A range of blocks, ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BlockRange {
    low: IVec2,
    high: IVec2,
}

fn cell_of(at: Vec2) -> IVec2 {
    // Floor without a call into the math library.
    let floor = |v: f32| {
        let cut = v as i32;
        (cut - i32::from((cut as f32) > v)).clamp(-LAST_CELL, LAST_CELL)
    };
    IVec2::new(floor(at.x / CELL), floor(at.y / CELL))
}

impl NeighborGrid {
    /// Sorts the snapshots; absent agents are left out.
    pub(super) fn build(&mut self, snapshots: &[AgentSnapshot]) {
        let present = || snapshots.iter().filter(|b| b.is_present()).map(|b| cell_of(b.at));
        let (mut low, mut high, mut count) = (IVec2::MAX, IVec2::MIN, 0);
        for cell in present() {
            (low, high, count) = (low.min(cell), high.max(cell), count + 1);
        }
        self.items.clear();
        self.starts.clear();
        self.size = IVec2::ZERO;
        self.largest_radius = snapshots.iter().filter(|b| b.is_present()).map(|b| b.radius).fold(0.0, f32::max);
        if count == 0 {
            return;
        }
        let most = (MAX_CELLS.0 * count + MAX_CELLS.1) as i64;
        let size = |shift: u32| (high >> shift) - (low >> shift) + 1;
        let cells = |shift: u32| i64::from(size(shift).x) * i64::from(size(shift).y);
        self.shift = (0..).find(|&shift| cells(shift) <= most).unwrap_or(0);
        (self.first, self.size) = (low >> self.shift, size(self.shift));
        self.starts.resize(cells(self.shift) as usize + 1, 0);
        for cell in present() {
            let block = self.block(cell);
            self.starts[block] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        let nothing = GridItem { cell: IVec2::ZERO, at: Vec2::ZERO, y: 0.0, height: 0.0, number: 0 };
        self.items.resize(count, nothing);
        // From the back, so that each block is in index order.
        for (number, snapshot) in snapshots.iter().enumerate().rev().filter(|b| b.1.is_present()) {
            let cell = cell_of(snapshot.at);
            let block = self.block(cell);
            self.starts[block] -= 1;
            let (at, y, height) = (snapshot.at, snapshot.y, snapshot.height);
            self.items[self.starts[block] as usize] = GridItem { cell, at, y, height, number: number as u32 };
        }
    }

    /// Radius of the largest agent, metres.
    pub(super) fn largest_radius(&self) -> f32 {
        self.largest_radius
    }

    /// Rings that are searched around an agent of this radius.
    fn rings(&self, radius: f32) -> i32 {
        let touch = radius + self.largest_radius;
        ((RINGS_PER_TOUCH * touch / CELL).ceil() as i32).clamp(MIN_RINGS, MAX_RINGS)
    }

    fn block(&self, cell: IVec2) -> usize {
        let block = (cell >> self.shift) - self.first;
        (block.y * self.size.x + block.x) as usize
    }

    /// The blocks of all cells within `ring` cells, clamped to the grid.
    fn window(&self, home: IVec2, ring: i32) -> BlockRange {
        let low = ((home - ring) >> self.shift) - self.first;
        let high = ((home + ring) >> self.shift) - self.first;
        BlockRange { low: low.max(IVec2::ZERO), high: high.min(self.size - 1) }
    }

    /// Marks what agents that are awake can reach, by the places of these; others see no further than they do.
    pub(super) fn wake(&mut self, places: impl Iterator<Item = Vec2>) {
        // A square is at least as wide as agents see, so that they see no further than the squares around theirs.
        let rings = self.rings(self.largest_radius) as u32;
        self.wake_shift = self.shift.max(rings.next_power_of_two().ilog2());
        self.first_square = (self.first << self.shift) >> self.wake_shift;
        let last = ((self.first + self.size) << self.shift) >> self.wake_shift;
        // With a margin of one square, so that none lies at the border.
        self.squares = last - self.first_square + 3;
        self.awake.clear();
        self.awake.resize((self.squares.x * self.squares.y) as usize, false);
        let mut last = usize::MAX;
        for at in places {
            let square = self.square(at);
            if std::mem::replace(&mut last, square) == square {
                continue;
            }
            for row in [square - self.squares.x as usize, square, square + self.squares.x as usize] {
                self.awake[row - 1..=row + 1].fill(true);
            }
        }
    }

    /// The square of a place.
    fn square(&self, at: Vec2) -> usize {
        let square = (cell_of(at) >> self.wake_shift) - self.first_square + 1;
        (square.y * self.squares.x + square.x) as usize
    }

    /// Whether an agent that is awake can reach a place, as far as [`wake`](Self::wake) was told.
    pub(super) fn is_awake(&self, at: Vec2) -> bool {
        self.awake[self.square(at)]
    }

    /// The items of a part of a row.
    fn row(&self, z: i32, from: i32, to: i32) -> &[GridItem] {
        if from > to {
            return &[];
        }
        let at = |x: i32| self.starts[(z * self.size.x + x) as usize] as usize;
        &self.items[at(from)..at(to + 1)]
    }

    /// Finds the snapshots nearest to agent `own` that overlap its height range, within `reach` metres and
    /// the rings of its size.
    pub(super) fn near(&self, own: u32, snapshot: &AgentSnapshot, reach: f32, near: &mut Neighbors) {
        near.count = 0;
        let home = cell_of(snapshot.at);
        let corner = snapshot.at - home.as_vec2() * CELL;
        let margin = corner.min(Vec2::splat(CELL) - corner).min_element().max(0.0);
        let (mut looks, mut ring, rings) = (0, 1, self.rings(snapshot.radius));
        let mut seen = BlockRange { low: IVec2::MAX, high: IVec2::MIN };
        loop {
            let window = self.window(home, ring);
            for z in window.low.y..=window.high.y {
                let (from, to) = (window.low.x, window.high.x);
                // What was seen before lies in the middle of the row.
                let parts = if (seen.low.y..=seen.high.y).contains(&z) {
                    [self.row(z, from, seen.low.x - 1), self.row(z, seen.high.x + 1, to)]
                } else {
                    [self.row(z, from, to), &[]]
                };
                for items in parts {
                    looks += items.len();
                    look(own, snapshot, (home, rings), reach, items, near);
                }
            }
            if ring == rings {
                return;
            }
            // Nothing in the next ring is nearer.
            let least = ring as f32 * CELL + margin;
            if least > reach || near.farthest() <= least * least || looks > MAX_LOOKS {
                return;
            }
            seen = window;
            ring = if looks <= MIN_SEEN { rings } else { ring + 1 };
        }
    }
}

/// Offers the items within reach, and within the rings around its own cell.
#[inline]
fn look(
    own: u32,
    snapshot: &AgentSnapshot,
    (home, rings): (IVec2, i32),
    reach: f32,
    items: &[GridItem],
    near: &mut Neighbors,
) {
    let mut limit = near.farthest().min(reach * reach);
    for item in items {
        let apart = item.at.distance_squared(snapshot.at);
        if apart > limit || item.number == own || (item.cell - home).abs().max_element() > rings {
            continue;
        }
        let floors = item.y - snapshot.y;
        if floors < snapshot.height && -floors < item.height {
            near.offer(apart, item.number);
            limit = near.farthest().min(limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::snapshot::Activity;
    use super::*;

    /// The nearest snapshots by exhaustive search.
    fn nearest(snapshots: &[AgentSnapshot], own: usize, reach: f32) -> Vec<u32> {
        let (mine, home) = (&snapshots[own], cell_of(snapshots[own].at));
        let largest = snapshots.iter().filter(|b| b.is_present()).map(|b| b.radius).fold(0.0, f32::max);
        let rings = ((2.0 * (mine.radius + largest)).ceil() as i32).max(4);
        let mut all: Vec<(f32, u32)> = (0..)
            .zip(snapshots)
            .filter(|(i, b)| b.is_present() && *i as usize != own && (b.y - mine.y).abs() < mine.height)
            .filter(|(_, b)| (cell_of(b.at) - home).abs().max_element() <= rings)
            .map(|(i, b)| (b.at.distance_squared(mine.at), i))
            .filter(|b| b.0 <= reach * reach)
            .collect();
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        all.iter().take(MAX_NEAR).map(|b| b.1).collect()
    }

    #[test]
    fn n_08_neighbors_equal_those_of_an_exhaustive_search() {
        let mut state = 5u64;
        let mut chance = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        let plans = [(6.0, 0.0, 0.3), (30.0, 0.0, 0.3), (90.0, 0.0, 0.3), (30.0, 1e5, 0.3), (90.0, 0.0, 4.0)];
        for (width, far, largest) in plans {
            let mut snapshots: Vec<AgentSnapshot> = (0..200)
                .map(|i| AgentSnapshot {
                    activity: if i % 9 > 0 { Activity::Awake } else { Activity::Absent },
                    at: Vec2::new(chance() - 0.5, chance() - 0.5) * width,
                    y: (chance() * 3.0).floor() * 2.5,
                    height: 1.8,
                    radius: if i % 7 == 0 { largest } else { 0.3 },
                    ..AgentSnapshot::default()
                })
                .collect();
            snapshots[1].at += far;
            let (mut cells, mut near, mut found) = (NeighborGrid::default(), Neighbors::default(), 0);
            cells.build(&snapshots);
            for own in (0..snapshots.len()).filter(|&i| snapshots[i].is_present()) {
                let reach = 4.1 + largest;
                cells.near(own as u32, &snapshots[own], reach, &mut near);
                let list: Vec<u32> = near.iter().collect();
                assert_eq!(list, nearest(&snapshots, own, reach), "width {width}, {largest}, snapshot {own}");
                found += list.len();
            }
            assert!(found > 20, "width {width}: {found}");
        }
    }
}
