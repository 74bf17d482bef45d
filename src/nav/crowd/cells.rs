//! Who is near: places in square cells, the cells in a hash table.

use glam::{IVec2, Vec2};

use super::Body;

/// Edge length of a cell, metres.
const CELL: f32 = 1.0;
/// How many cells around are looked at, so how far one looks, metres.
const MOST_RINGS: i32 = 4;
/// How many bodies are looked at before what was found has to do.
const MOST_LOOKS: u32 = 192;
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

/// The table.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    starts: Vec<u32>,
    items: Vec<Item>,
    mask: u32,
}

fn cell_of(at: Vec2) -> IVec2 {
    (at / CELL).floor().as_ivec2()
}

impl Cells {
    fn bucket(&self, cell: IVec2) -> usize {
        let mixed = (cell.x as u32).wrapping_mul(0x9e37_79b1) ^ (cell.y as u32).wrapping_mul(0x85eb_ca77);
        ((mixed ^ mixed >> 15) & self.mask) as usize
    }

    /// Sorts the bodies anew; those that are not there have no number in the table.
    pub(super) fn build(&mut self, bodies: &[Body]) {
        let buckets = (bodies.len() * 2).next_power_of_two().max(16);
        self.mask = buckets as u32 - 1;
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        let present = || bodies.iter().enumerate().filter(|b| b.1.present);
        for (_, body) in present() {
            let bucket = self.bucket(cell_of(body.at));
            self.starts[bucket] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        let nothing = Item { cell: IVec2::ZERO, at: Vec2::ZERO, y: 0.0, height: 0.0, number: 0 };
        self.items.clear();
        self.items.resize(sum as usize, nothing);
        // From the back, so that each bucket is in the order of the numbers.
        for (number, body) in bodies.iter().enumerate().rev().filter(|b| b.1.present) {
            let cell = cell_of(body.at);
            let bucket = self.bucket(cell);
            self.starts[bucket] -= 1;
            let (at, y, height) = (body.at, body.y, body.height);
            self.items[self.starts[bucket] as usize] = Item { cell, at, y, height, number: number as u32 };
        }
    }

    /// The bodies nearest to body number `own` that its height and theirs let it meet, within `reach` metres and a
    /// few cells.
    pub(super) fn near(&self, own: u32, body: &Body, reach: f32, near: &mut Near) {
        near.count = 0;
        let home = cell_of(body.at);
        let limit = reach * reach;
        let corner = body.at - home.as_vec2() * CELL;
        let margin = corner.min(Vec2::splat(CELL) - corner).min_element().max(0.0);
        let mut looks = 0;
        for ring in 0..=MOST_RINGS {
            // Nothing in this ring is nearer.
            let least = if ring == 0 { 0.0 } else { (ring - 1) as f32 * CELL + margin };
            if least > reach || near.farthest() <= least * least || looks > MOST_LOOKS {
                break;
            }
            for z in -ring..=ring {
                let step = if z.abs() == ring { 1 } else { 2 * ring };
                for x in (-ring..=ring).step_by(step.max(1) as usize) {
                    let cell = home + IVec2::new(x, z);
                    let bucket = self.bucket(cell);
                    for item in &self.items[self.starts[bucket] as usize..self.starts[bucket + 1] as usize] {
                        let apart = item.at.distance_squared(body.at);
                        looks += 1;
                        if apart > limit.min(near.farthest()) || item.cell != cell || item.number == own {
                            continue;
                        }
                        let floors = item.y - body.y;
                        if floors < body.height && -floors < item.height {
                            near.offer(apart, item.number);
                        }
                        if looks > MOST_LOOKS {
                            return;
                        }
                    }
                }
            }
        }
    }
}
