//! Uniform grid over x and z that lists, per cell, the polygons whose boxes touch it.

use std::ops::RangeInclusive;

use glam::Vec3;

use crate::math::Aabb;

/// Most cells that a polygon lies in, on average.
const MAX_ENTRIES: u64 = 64;

/// A polygon and its box, two to a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub(super) struct GridEntry {
    pub(super) min: Vec3,
    pub(super) polygon: u32,
    pub(super) max: Vec3,
}

/// The grid of a mesh, with four cells per polygon.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    min_x: f32,
    min_z: f32,
    cells_per_meter: f32,
    columns: u32,
    rows: u32,
    /// Per cell, its range of `items`.
    pub(super) spans: Vec<(u32, u32)>,
    pub(super) items: Vec<u32>,
    /// Per item, the box of its polygon.
    pub(super) boxes: Vec<GridEntry>,
}

impl Grid {
    /// Builds the grid over polygons with these boxes.
    pub fn build(boxes: &[Aabb]) -> Self {
        let bounds = boxes.iter().fold(Aabb::EMPTY, |b, p| b.union(p));
        if bounds.is_empty() {
            return Self::default();
        }
        let size = bounds.size();
        let wanted = 4.0 * boxes.len() as f32;
        let mut cell = (size.x.max(1e-3) * size.z.max(1e-3) / wanted).sqrt().max(size.x.max(size.z) / 2048.0).max(1e-4);
        let grid_of = |cell: f32| Self {
            min_x: bounds.min.x,
            min_z: bounds.min.z,
            cells_per_meter: 1.0 / cell,
            columns: (size.x / cell) as u32 + 1,
            rows: (size.z / cell) as u32 + 1,
            ..Self::default()
        };
        let mut grid = grid_of(cell);
        // Large polygons upon each other would lie in all cells, each.
        while grid.cell(grid.columns - 1, grid.rows - 1) > 0 && grid.entries(boxes) > MAX_ENTRIES * boxes.len() as u64 {
            cell *= 2.0;
            grid = grid_of(cell);
        }
        let mut counts = vec![0u32; (grid.columns * grid.rows) as usize + 1];
        for b in boxes {
            grid.for_each_cell(b.min, b.max, |cell| counts[cell + 1] += 1);
        }
        for i in 1..counts.len() {
            counts[i] += counts[i - 1];
        }
        let mut items = vec![0u32; counts[counts.len() - 1] as usize];
        let mut sorted = vec![GridEntry::default(); items.len()];
        let mut next = counts.clone();
        for (i, b) in boxes.iter().enumerate() {
            grid.for_each_cell(b.min, b.max, |cell| {
                items[next[cell] as usize] = i as u32;
                sorted[next[cell] as usize] = GridEntry { min: b.min, polygon: i as u32, max: b.max };
                next[cell] += 1;
            });
        }
        grid.spans = counts.windows(2).map(|w| (w[0], w[1])).collect();
        (grid.items, grid.boxes) = (items, sorted);
        grid
    }

    /// How many cells the boxes touch in all.
    fn entries(&self, boxes: &[Aabb]) -> u64 {
        let touched = boxes.iter().map(|b| {
            let [columns, rows] = self.cells(b.min, b.max);
            u64::from(columns.end() + 1 - columns.start()) * u64::from(rows.end() + 1 - rows.start())
        });
        touched.sum()
    }

    fn column(&self, x: f32) -> u32 {
        (((x - self.min_x) * self.cells_per_meter).max(0.0) as u32).min(self.columns - 1)
    }

    fn row(&self, z: f32) -> u32 {
        (((z - self.min_z) * self.cells_per_meter).max(0.0) as u32).min(self.rows - 1)
    }

    /// Columns and rows of the cells that a box touches.
    pub(super) fn cells(&self, min: Vec3, max: Vec3) -> [RangeInclusive<u32>; 2] {
        [self.column(min.x)..=self.column(max.x), self.row(min.z)..=self.row(max.z)]
    }

    /// Index of a cell.
    pub(super) fn cell(&self, column: u32, row: u32) -> usize {
        (row * self.columns + column) as usize
    }

    fn for_each_cell(&self, min: Vec3, max: Vec3, mut f: impl FnMut(usize)) {
        let [columns, rows] = self.cells(min, max);
        for row in rows {
            for column in columns.clone() {
                f(self.cell(column, row));
            }
        }
    }

    /// Range of the items of the cell that contains the point, or of the nearest cell.
    #[inline]
    fn cell_at(&self, point: Vec3) -> std::ops::Range<usize> {
        if self.items.is_empty() {
            return 0..0;
        }
        let cell = (self.row(point.z) * self.columns + self.column(point.x)) as usize;
        let (first, last) = self.spans[cell];
        first as usize..last as usize
    }

    /// Polygons whose boxes may contain the xz of `point`; outside of the grid, those of the nearest cell.
    #[inline]
    pub fn at(&self, point: Vec3) -> &[u32] {
        &self.items[self.cell_at(point)]
    }

    /// Polygons whose boxes contain the xz of `point` and intersect a range of heights.
    #[inline]
    pub fn around(&self, point: Vec3, low: f32, high: f32) -> impl Iterator<Item = u32> + '_ {
        self.boxes[self.cell_at(point)].iter().filter_map(move |i| {
            let inside = (i.min.x <= point.x) & (point.x <= i.max.x) & (i.min.z <= point.z) & (point.z <= i.max.z);
            (inside & (i.min.y <= high) & (low <= i.max.y)).then_some(i.polygon)
        })
    }

    /// Calls `f` with the polygons of every cell that the box touches; a polygon in several cells is repeated.
    pub fn for_each_in(&self, min: Vec3, max: Vec3, mut f: impl FnMut(u32)) {
        if self.items.is_empty() {
            return;
        }
        self.for_each_cell(min, max, |cell| {
            let (first, last) = self.spans[cell];
            for &p in &self.items[first as usize..last as usize] {
                f(p);
            }
        });
    }

    /// Edge of a cell, metres.
    pub fn cell_size(&self) -> f32 {
        1.0 / self.cells_per_meter.max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_of_large_polygons_take_little_memory() {
        let at = |i: u32| Vec3::Y * (0.05 * i as f32);
        let boxes: Vec<Aabb> = (0..3000).map(|i| Aabb { min: at(i), max: at(i) + Vec3::new(9.0, 0.0, 9.0) }).collect();
        let grid = Grid::build(&boxes);
        assert!(grid.items.len() as u64 <= MAX_ENTRIES * 3000, "{}", grid.items.len());
        assert_eq!(grid.at(Vec3::new(4.0, 0.0, 5.0)).len(), 3000);
        assert_eq!(grid.around(Vec3::new(4.0, 0.0, 5.0), 0.99, 1.01).collect::<Vec<_>>(), [20]);
    }
}
