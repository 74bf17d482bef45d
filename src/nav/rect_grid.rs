//! Rectangles in plan view, and a uniform grid that finds those near a place.

use crate::math::interval_tree;
use glam::Vec2;
use std::ops::Range;

/// Entries allowed per item on the whole; larger items make the cells larger.
const ENTRIES_PER_ITEM: usize = 16;

/// Items of a cell from which on they are found by their heights: fewer are looked through as quickly.
const MIN_TREE: usize = 32;
/// Greatest mean extent of the heights in a cell for which a tree of them is made, as a share of the extent of them all.
const MAX_EXTENT: f32 = 0.25;

/// A closed rectangle in x and z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Smallest corner (x, z).
    pub min: Vec2,
    /// Largest corner (x, z).
    pub max: Vec2,
}

impl Rect {
    /// The rectangle that holds nothing.
    pub const EMPTY: Self = Self { min: Vec2::INFINITY, max: Vec2::NEG_INFINITY };

    /// The smallest rectangle around points.
    pub fn around(points: impl IntoIterator<Item = Vec2>) -> Self {
        points.into_iter().fold(Self::EMPTY, |rect, p| rect.including(p))
    }

    /// The smallest rectangle around this one and `p`.
    pub fn including(&self, p: Vec2) -> Self {
        Self { min: self.min.min(p), max: self.max.max(p) }
    }

    /// This rectangle moved outwards by `margin`.
    pub fn expanded(&self, margin: f32) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// Whether the closed rectangles share a point.
    pub fn intersects(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}

/// A cell that a rectangle overlaps.
#[derive(Clone, Copy)]
struct NearCell {
    column: u32,
    row: u32,
    /// Whether it is in the first column, and in the first row, of those that the rectangle overlaps.
    is_first: [bool; 2],
}

/// Numbers of rectangles, filed by the cells they overlap.
#[derive(Clone, Debug, Default)]
pub struct RectGrid {
    min: Vec2,
    per_metre: Vec2,
    columns: u32,
    rows: u32,
    first: Vec<u32>,
    items: Vec<u32>,
}

impl RectGrid {
    /// Files rectangles under their positions in `rects`. Those that are empty or not finite are left out.
    pub fn build(rects: &[Rect]) -> Self {
        let usable = |r: &&Rect| r.min.is_finite() && r.max.is_finite();
        let mut bounds = Rect::EMPTY;
        let mut mean = Vec2::ZERO;
        let mut count = 0_usize;
        for rect in rects.iter().filter(usable) {
            bounds = bounds.including(rect.min).including(rect.max);
            mean += rect.max - rect.min;
            count += 1;
        }
        if count == 0 {
            return Self::default();
        }
        let size = (bounds.max - bounds.min).max(Vec2::splat(1e-3));
        if !size.is_finite() {
            return Self::single(rects);
        }
        // About one cell per item, but not much smaller than the items themselves.
        let even = (size.x * size.y / count as f32).sqrt();
        let mut cell = (mean / count as f32 * 0.5).max(Vec2::splat(even)).max(size / 2048.0);
        loop {
            let mut grid = Self {
                min: bounds.min,
                per_metre: cell.recip(),
                columns: (size.x / cell.x) as u32 + 1,
                rows: (size.y / cell.y) as u32 + 1,
                first: Vec::new(),
                items: Vec::new(),
            };
            let entries: usize = rects.iter().filter(usable).map(|r| grid.cells_of(r)).sum();
            if entries <= count * ENTRIES_PER_ITEM || (grid.columns == 1 && grid.rows == 1) {
                grid.fill(rects, entries);
                return grid;
            }
            cell *= 2.0;
        }
    }

    /// A grid of one cell: for extents that have no finite size.
    fn single(rects: &[Rect]) -> Self {
        let mut grid = Self { columns: 1, rows: 1, ..Self::default() };
        let usable = rects.iter().filter(|r| r.min.is_finite() && r.max.is_finite()).count();
        grid.fill(rects, usable);
        grid
    }

    fn cells_of(&self, rect: &Rect) -> usize {
        let (x0, x1, z0, z1) = self.range(rect);
        (x1 - x0 + 1) as usize * (z1 - z0 + 1) as usize
    }

    fn fill(&mut self, rects: &[Rect], entries: usize) {
        let cells = self.columns as usize * self.rows as usize;
        self.first = vec![0; cells + 1];
        self.items = vec![0; entries];
        for pass in 0..2 {
            for (i, rect) in rects.iter().enumerate() {
                if !(rect.min.is_finite() && rect.max.is_finite()) {
                    continue;
                }
                let (x0, x1, z0, z1) = self.range(rect);
                for z in z0..=z1 {
                    for x in x0..=x1 {
                        let cell = (z * self.columns + x) as usize;
                        if pass == 0 {
                            self.first[cell + 1] += 1;
                        } else {
                            self.first[cell + 1] -= 1;
                            self.items[self.first[cell + 1] as usize] = i as u32;
                        }
                    }
                }
            }
            if pass == 0 {
                let mut sum = 0;
                for end in &mut self.first {
                    sum += *end;
                    *end = sum;
                }
            }
        }
        // Filling moved every start back by its own count: the array now holds starts, one place late.
        self.first.remove(0);
        self.first.push(self.items.len() as u32);
    }

    #[inline]
    fn column(&self, x: f32) -> u32 {
        let column = ((x - self.min.x) * self.per_metre.x) as u32;
        if column < self.columns { column } else { self.columns.saturating_sub(1) }
    }

    #[inline]
    fn row(&self, z: f32) -> u32 {
        let row = ((z - self.min.y) * self.per_metre.y) as u32;
        if row < self.rows { row } else { self.rows.saturating_sub(1) }
    }

    fn range(&self, rect: &Rect) -> (u32, u32, u32, u32) {
        (self.column(rect.min.x), self.column(rect.max.x), self.row(rect.min.y), self.row(rect.max.y))
    }

    /// Calls `f` once with each item whose rectangle meets `rect`. `rects` are those that the grid was built of.
    pub fn for_each_meeting(&self, rects: &[Rect], rect: &Rect, mut f: impl FnMut(u32)) {
        self.for_each_cell(rect, |at, cell| {
            for &item in &self.items[cell] {
                if self.is_met_first(at, &rects[item as usize], rect) {
                    f(item);
                }
            }
        });
    }

    /// Whether two rectangles meet and this cell is the first one, by column and row, that both overlap.
    #[inline]
    fn is_met_first(&self, cell: NearCell, other: &Rect, rect: &Rect) -> bool {
        let (column, row) = (self.column(other.min.x), self.row(other.min.y));
        (column == cell.column || column < cell.column && cell.is_first[0])
            && (row == cell.row || row < cell.row && cell.is_first[1])
            && other.intersects(rect)
    }

    /// How many items [`for_each_near`](Self::for_each_near) calls its function with.
    pub fn count_near(&self, rect: &Rect) -> usize {
        let mut count = 0;
        self.for_each_cell(rect, |_, cell| count += cell.len());
        count
    }

    /// The items filed in cells that hold `least` items or more, ascending, each once.
    pub fn crowded(&self, least: usize) -> Vec<u32> {
        let cells = self.first.windows(2).map(|ends| &self.items[ends[0] as usize..ends[1] as usize]);
        let mut crowded: Vec<u32> = cells.filter(|items| items.len() >= least).flatten().copied().collect();
        crowded.sort_unstable();
        crowded.dedup();
        crowded
    }

    /// Calls `f` with the items filed in the cells that `rect` overlaps; an item may come more than once, and items
    /// beside the rectangle come too.
    pub fn for_each_near(&self, rect: &Rect, mut f: impl FnMut(u32)) {
        self.for_each_cell(rect, |_, cell| self.items[cell].iter().for_each(|&item| f(item)));
    }

    /// The items filed in the cell at a place, or in the nearest cell: all whose rectangles hold the place, and others.
    pub fn at(&self, place: Vec2) -> &[u32] {
        if self.items.is_empty() {
            return &[];
        }
        let cell = (self.row(place.y) * self.columns + self.column(place.x)) as usize;
        &self.items[self.first[cell] as usize..self.first[cell + 1] as usize]
    }

    /// Calls `f` with the cells that `rect` overlaps, row by row, and with where their items are.
    fn for_each_cell(&self, rect: &Rect, mut f: impl FnMut(NearCell, Range<usize>)) {
        if self.items.is_empty() {
            return;
        }
        let (x0, x1, z0, z1) = self.range(rect);
        for z in z0..=z1 {
            for x in x0..=x1 {
                let cell = (z * self.columns + x) as usize;
                let near = NearCell { column: x, row: z, is_first: [x == x0, z == z0] };
                f(near, self.first[cell] as usize..self.first[cell + 1] as usize);
            }
        }
    }
}

/// Whether heights lie apart enough for a tree of them to pay: in a heap in which each overlaps a quarter of the others a
/// list is quicker, by a third where all do.
fn are_apart(heights: impl Iterator<Item = [f32; 2]> + Clone) -> bool {
    let count = heights.clone().count() as f32;
    let [low, high] = heights.clone().fold([f32::MAX, f32::MIN], |all, one| [all[0].min(one[0]), all[1].max(one[1])]);
    heights.map(|[low, high]| high - low).sum::<f32>() < MAX_EXTENT * (high - low) * count
}

/// A [`RectGrid`] of things that have heights: many storeys lie over each other.
#[derive(Clone, Debug, Default)]
pub struct TallGrid {
    grid: RectGrid,
    /// In cells of many items [apart](are_apart), which are in the order of their lowest points, the latest ends of the
    /// heights, see [`interval_tree`]; below everything in others. Empty where there are no such cells.
    latest: Vec<f32>,
}

impl TallGrid {
    /// Files rectangles with their lowest and highest points, see [`RectGrid::build`].
    pub fn build(rects: &[Rect], heights: &[[f32; 2]]) -> Self {
        let mut tall = Self { grid: RectGrid::build(rects), latest: Vec::new() };
        let RectGrid { first, items, .. } = &mut tall.grid;
        for ends in first.windows(2) {
            let cell = ends[0] as usize..ends[1] as usize;
            if cell.len() < MIN_TREE || !are_apart(items[cell.clone()].iter().map(|&item| heights[item as usize])) {
                continue;
            }
            tall.latest.resize(items.len(), f32::NEG_INFINITY);
            let (items, latest) = (&mut items[cell.clone()], &mut tall.latest[cell]);
            items.sort_unstable_by(|&a, &b| heights[a as usize][0].total_cmp(&heights[b as usize][0]).then(a.cmp(&b)));
            latest.iter_mut().zip(items).for_each(|(latest, &mut item)| *latest = heights[item as usize][1]);
            interval_tree::latest_ends(latest);
        }
        tall
    }

    /// The grid without heights.
    pub fn grid(&self) -> &RectGrid {
        &self.grid
    }

    /// Calls `f` once with each item whose rectangle meets `rect` and whose heights meet those from the first of `among` to
    /// the last. `rects` and `heights` are those that the grid was built of.
    pub fn for_each_meeting(
        &self,
        (rects, heights): (&[Rect], &[[f32; 2]]),
        rect: &Rect,
        among: [f32; 2],
        mut f: impl FnMut(u32),
    ) {
        self.for_each_part(heights, rect, among, |at, items| {
            for &item in items {
                let is_met = self.grid.is_met_first(at, &rects[item as usize], rect);
                if is_met && heights[item as usize][0] <= among[1] && heights[item as usize][1] >= among[0] {
                    f(item);
                }
            }
        });
    }

    /// How many items [`for_each_meeting`](Self::for_each_meeting) looks at.
    pub fn count_near(&self, heights: &[[f32; 2]], rect: &Rect, among: [f32; 2]) -> usize {
        let mut count = 0;
        self.for_each_part(heights, rect, among, |_, items| count += items.len());
        count
    }

    /// Calls `f` with the cells that `rect` overlaps and parts of their items, among which are all of these heights.
    fn for_each_part(
        &self,
        heights: &[[f32; 2]],
        rect: &Rect,
        [low, high]: [f32; 2],
        mut f: impl FnMut(NearCell, &[u32]),
    ) {
        self.grid.for_each_cell(rect, |at, cell| {
            let items = &self.grid.items[cell.clone()];
            let has_tree = self.latest.get(cell.start + cell.len() / 2).is_some_and(|&end| end > f32::NEG_INFINITY);
            if items.len() < MIN_TREE || !has_tree {
                return f(at, items);
            }
            let begun = items.partition_point(|&item| heights[item as usize][0] <= high);
            interval_tree::for_each_part(&self.latest[cell], 0..begun, low, &mut |part| f(at, &items[part]));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_overlaps() {
        let rects: Vec<Rect> = (0..400)
            .map(|i| {
                let min = Vec2::new((i % 20) as f32 * 3.0, (i / 20) as f32 * 2.0);
                Rect { min, max: min + Vec2::new(1.0 + (i % 7) as f32, 0.5) }
            })
            .collect();
        let grid = RectGrid::build(&rects);
        for probe in &rects {
            let probe = probe.expanded(0.7);
            let mut found = Vec::new();
            grid.for_each_near(&probe, |i| found.push(i));
            for (i, rect) in rects.iter().enumerate() {
                assert!(!rect.intersects(&probe) || found.contains(&(i as u32)));
            }
            assert_eq!(grid.count_near(&probe), found.len());
            let crowded = grid.crowded(grid.at(probe.min).len());
            assert!(
                grid.at(probe.min).iter().all(|i| crowded.contains(i)),
                "those of a cell, with those of fuller ones"
            );
            let holds = |i: u32| rects[i as usize].intersects(&Rect { min: probe.min, max: probe.min });
            assert!((0..400).filter(|&i| holds(i)).all(|i| grid.at(probe.min).contains(&i)), "all that hold a place");
            let mut meeting = Vec::new();
            grid.for_each_meeting(&rects, &probe, |i| meeting.push(i));
            meeting.sort_unstable();
            let expected = (0..400).filter(|&i| rects[i as usize].intersects(&probe));
            assert_eq!(meeting, expected.collect::<Vec<u32>>(), "each once");
        }
    }

    #[test]
    fn things_of_many_storeys_are_found_by_their_heights() {
        // Towers of 300 storeys, each with a shaft through all.
        let thing = |i: usize| {
            let (tower, storey) = ((i % 4) as f32 * 9.0, (i / 4) as f32 * 3.0);
            let min = Vec2::new(tower + (i % 3) as f32, tower);
            let heights = if i < 4 { [0.0, 900.0] } else { [storey, storey + 2.8] };
            (Rect { min, max: min + 4.0 }, heights)
        };
        let (rects, heights): (Vec<Rect>, Vec<[f32; 2]>) = (0..1200).map(thing).unzip();
        let tall = TallGrid::build(&rects, &heights);
        for (probe, own) in rects.iter().zip(&heights) {
            let (probe, among) = (probe.expanded(0.7), [own[0], own[0] + 5.0]);
            let mut meeting = Vec::new();
            tall.for_each_meeting((&rects, &heights), &probe, among, |i| meeting.push(i));
            meeting.sort_unstable();
            let meets = |&i: &u32| {
                let [low, high] = heights[i as usize];
                rects[i as usize].intersects(&probe) && low <= among[1] && high >= among[0]
            };
            assert_eq!(meeting, (0..1200).filter(meets).collect::<Vec<u32>>(), "each once");
            let (looked_at, all) = (tall.count_near(&heights, &probe, among), tall.grid().count_near(&probe));
            assert!((meeting.len()..all / 4).contains(&looked_at), "{looked_at} of {all} looked at");
        }
    }

    #[test]
    fn heights_of_one_storey_are_listed() {
        let rects = vec![Rect { min: Vec2::ZERO, max: Vec2::ONE }; 200];
        let heights: Vec<[f32; 2]> = (0..200).map(|i| [0.001 * i as f32, 1.0]).collect();
        let tall = TallGrid::build(&rects, &heights);
        let mut met = 0;
        tall.for_each_meeting((&rects, &heights), &rects[0], [0.0, 0.1], |_| met += 1);
        assert!(tall.latest.is_empty() && met == 101, "{met}");
    }

    #[test]
    fn huge_and_broken_rectangles_stay_cheap() {
        let huge = Rect { min: Vec2::splat(-1e30), max: Vec2::splat(1e30) };
        let wide = Rect { min: Vec2::splat(-3e38), max: Vec2::splat(3e38) };
        let broken = Rect { min: Vec2::NAN, max: Vec2::NAN };
        for rects in [vec![huge; 500], vec![wide; 3], vec![broken; 2], vec![]] {
            let grid = RectGrid::build(&rects);
            assert!(grid.items.len() <= rects.len() * ENTRIES_PER_ITEM);
            grid.for_each_near(&huge, |i| assert!((i as usize) < rects.len()));
        }
    }
}
