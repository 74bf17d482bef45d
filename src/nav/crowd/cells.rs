//! Who is near: bodies sorted by square cells, row by row, so that the cells of a row that lie side by side are one
//! stretch of the list.

use glam::{IVec2, Vec2};

use super::Body;

/// Edge length of a cell, metres.
const CELL: f32 = 1.0;
/// How many cells around are looked at, so how far one looks, metres.
const MOST_RINGS: i32 = 4;
/// How many bodies are looked at before what was found has to do.
const MOST_LOOKS: usize = 192;
/// Who has seen no more than so many close by looks all around at once.
const ALONE: usize = 8;
/// Most cells: for each body, and besides.
const MOST_CELLS: (usize, usize) = (8, 1024);
/// Cells beyond this one are one, so that differences of their numbers do not overflow.
const LAST_CELL: i32 = 1 << 26;
/// Most neighbours.
pub(super) const MOST_NEAR: usize = 12;

/// Bodies nearest to one, nearest first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Near {
    pub(super) count: usize,
    /// Squared distances and numbers.
    list: [(f32, u32); MOST_NEAR],
}

impl Near {
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.list[..self.count].iter().map(|n| n.1)
    }

    /// Keeps those that are nearest, the lower number first among equals.
    fn offer(&mut self, distance_squared: f32, number: u32) {
        let item = (distance_squared, number);
        if self.count == MOST_NEAR && item >= self.list[MOST_NEAR - 1] {
            return;
        }
        let mut at = if self.count == MOST_NEAR { MOST_NEAR - 1 } else { self.count };
        while at > 0 && item < self.list[at - 1] {
            self.list[at] = self.list[at - 1];
            at -= 1;
        }
        self.list[at] = item;
        self.count = (self.count + 1).min(MOST_NEAR);
    }

    fn farthest(&self) -> f32 {
        if self.count == MOST_NEAR { self.list[MOST_NEAR - 1].0 } else { f32::INFINITY }
    }
}

#[derive(Clone, Copy, Debug)]
struct Item {
    cell: IVec2,
    at: Vec2,
    y: f32,
    height: f32,
    number: u32,
}

/// The sorted bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// Square blocks of cells of this size, as a power of two, are sorted by.
    shift: u32,
    /// The first block, and how many there are in a row and rows.
    first: IVec2,
    size: IVec2,
    /// Where the bodies of each block begin.
    starts: Vec<u32>,
    items: Vec<Item>,
}

/// Blocks from a first one to a last one, both counted.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Window {
    low: IVec2,
    high: IVec2,
}

fn cell_of(at: Vec2) -> IVec2 {
    // Without the library's floor, which is a call.
    let floor = |v: f32| {
        let cut = v as i32;
        (cut - i32::from((cut as f32) > v)).clamp(-LAST_CELL, LAST_CELL)
    };
    IVec2::new(floor(at.x / CELL), floor(at.y / CELL))
}

impl Cells {
    /// Sorts the bodies anew; those that are not there have no number in the list.
    pub(super) fn build(&mut self, bodies: &[Body]) {
        let present = || bodies.iter().filter(|b| b.present).map(|b| cell_of(b.at));
        let (mut low, mut high, mut count) = (IVec2::MAX, IVec2::MIN, 0);
        for cell in present() {
            (low, high, count) = (low.min(cell), high.max(cell), count + 1);
        }
        self.items.clear();
        self.starts.clear();
        self.size = IVec2::ZERO;
        if count == 0 {
            return;
        }
        let most = (MOST_CELLS.0 * count + MOST_CELLS.1) as i64;
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
        let nothing = Item { cell: IVec2::ZERO, at: Vec2::ZERO, y: 0.0, height: 0.0, number: 0 };
        self.items.resize(count, nothing);
        // From the back, so that each block is in the order of the numbers.
        for (number, body) in bodies.iter().enumerate().rev().filter(|b| b.1.present) {
            let cell = cell_of(body.at);
            let block = self.block(cell);
            self.starts[block] -= 1;
            let (at, y, height) = (body.at, body.y, body.height);
            self.items[self.starts[block] as usize] = Item { cell, at, y, height, number: number as u32 };
        }
    }

    fn block(&self, cell: IVec2) -> usize {
        let block = (cell >> self.shift) - self.first;
        (block.y * self.size.x + block.x) as usize
    }

    /// The blocks of all cells up to `ring` away from one, as far as there are any.
    fn window(&self, home: IVec2, ring: i32) -> Window {
        let low = ((home - ring) >> self.shift) - self.first;
        let high = ((home + ring) >> self.shift) - self.first;
        Window { low: low.max(IVec2::ZERO), high: high.min(self.size - 1) }
    }

    /// The bodies of a part of a row.
    fn row(&self, z: i32, from: i32, to: i32) -> &[Item] {
        if from > to {
            return &[];
        }
        let at = |x: i32| self.starts[(z * self.size.x + x) as usize] as usize;
        &self.items[at(from)..at(to + 1)]
    }

    /// The bodies nearest to body number `own` that its height and theirs let it meet, within `reach` metres and a
    /// few cells.
    pub(super) fn near(&self, own: u32, body: &Body, reach: f32, near: &mut Near) {
        near.count = 0;
        let home = cell_of(body.at);
        let corner = body.at - home.as_vec2() * CELL;
        let margin = corner.min(Vec2::splat(CELL) - corner).min_element().max(0.0);
        let (mut looks, mut ring) = (0, 1);
        let mut seen = Window { low: IVec2::MAX, high: IVec2::MIN };
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
                    look(own, body, home, reach, items, near);
                }
            }
            if ring == MOST_RINGS {
                return;
            }
            // Nothing in the next ring is nearer.
            let least = ring as f32 * CELL + margin;
            if least > reach || near.farthest() <= least * least || looks > MOST_LOOKS {
                return;
            }
            seen = window;
            ring = if looks <= ALONE { MOST_RINGS } else { ring + 1 };
        }
    }
}

/// Offers who is near enough of a part of a row.
#[inline]
fn look(own: u32, body: &Body, home: IVec2, reach: f32, items: &[Item], near: &mut Near) {
    let mut limit = near.farthest().min(reach * reach);
    for item in items {
        let apart = item.at.distance_squared(body.at);
        if apart > limit || item.number == own || (item.cell - home).abs().max_element() > MOST_RINGS {
            continue;
        }
        let floors = item.y - body.y;
        if floors < body.height && -floors < item.height {
            near.offer(apart, item.number);
            limit = near.farthest().min(limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest of all bodies, by looking at each.
    fn nearest(bodies: &[Body], own: usize, reach: f32) -> Vec<u32> {
        let (mine, home) = (&bodies[own], cell_of(bodies[own].at));
        let mut all: Vec<(f32, u32)> = (0..)
            .zip(bodies)
            .filter(|(i, b)| b.present && *i as usize != own && (b.y - mine.y).abs() < mine.height)
            .filter(|(_, b)| (cell_of(b.at) - home).abs().max_element() <= MOST_RINGS)
            .map(|(i, b)| (b.at.distance_squared(mine.at), i))
            .filter(|b| b.0 <= reach * reach)
            .collect();
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        all.iter().take(MOST_NEAR).map(|b| b.1).collect()
    }

    #[test]
    fn n_08_who_is_near_is_found_as_by_looking_at_everybody() {
        let mut state = 5u64;
        let mut chance = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        for (width, far) in [(6.0, 0.0), (30.0, 0.0), (90.0, 0.0), (30.0, 1e5)] {
            let mut bodies: Vec<Body> = (0..200)
                .map(|i| Body {
                    present: i % 9 > 0,
                    at: Vec2::new(chance() - 0.5, chance() - 0.5) * width,
                    y: (chance() * 3.0).floor() * 2.5,
                    height: 1.8,
                    ..Body::default()
                })
                .collect();
            bodies[1].at += far;
            let (mut cells, mut near, mut found) = (Cells::default(), Near::default(), 0);
            cells.build(&bodies);
            for own in (0..bodies.len()).filter(|&i| bodies[i].present) {
                cells.near(own as u32, &bodies[own], 4.4, &mut near);
                let list: Vec<u32> = near.iter().collect();
                assert_eq!(list, nearest(&bodies, own, 4.4), "width {width}, body {own}");
                found += list.len();
            }
            assert!(found > 20, "width {width}: {found}");
        }
    }
}
