//! Rasterizes the slice of a triangle within a row of the grid: the heights that it covers over each cell.
//!
//! Nothing is clipped to the cells: over a cell, a convex polygon is lowest and highest at its corners there and where its
//! edges cross the sides of the cell, which are the points that clipping it to the cell would give. Four cells are done at
//! once without branches, which short slices of ever other shapes would mispredict: a third of the whole bake's time on
//! levels of small triangles.

use glam::{BVec4A, Vec4};

use super::clip::{ClipPolygon, MAX_CORNERS};
use super::heightfield::{GridFrame, Span, TOP};

/// Cells that are done at once.
const LANES: usize = 4;

/// Rasterizes slices; scratch space.
pub struct SliceRasterizer {
    frame: GridFrame,
    edges: [SliceEdge; MAX_CORNERS],
}

/// An edge of a slice, in the plane of x and y. From left to right, so that neighbouring triangles agree on their shared
/// edge.
#[derive(Clone, Copy, Default)]
struct SliceEdge {
    x: f32,
    y: f32,
    slope: f32,
    /// Lowest and highest point.
    low: f32,
    high: f32,
    /// Cells of its left and right end.
    left: f32,
    right: f32,
    /// One of its ends, its cell and its height; each corner of the slice is that of one edge.
    corner: [f32; 2],
}

/// Lowest and highest points over four cells.
#[derive(Clone, Copy)]
struct HeightLanes {
    low: Vec4,
    high: Vec4,
}

impl HeightLanes {
    const NONE: Self = Self { low: Vec4::INFINITY, high: Vec4::NEG_INFINITY };

    /// Widens the lanes of `mask` to hold heights.
    #[inline]
    fn touch(&mut self, mask: BVec4A, y: Vec4) {
        self.low = self.low.min(Vec4::select(mask, y, Vec4::INFINITY));
        self.high = self.high.max(Vec4::select(mask, y, Vec4::NEG_INFINITY));
    }
}

impl SliceRasterizer {
    /// For rows of a grid.
    pub fn new(frame: &GridFrame) -> Self {
        Self { frame: *frame, edges: [SliceEdge::default(); MAX_CORNERS] }
    }

    /// Calls `add` with the spans of a slice over the cells of its row.
    #[inline]
    pub fn rasterize(&mut self, slice: &ClipPolygon, area: u8, mut add: impl FnMut(usize, Span)) {
        if slice.is_empty() {
            return;
        }
        let (cs, per_cell) = (self.frame.cell_size, 1.0 / self.frame.cell_size);
        let (low, high) = slice.bounds();
        let first = (low.x * per_cell) as usize;
        let mut last = ((high.x * per_cell) as usize).min(self.frame.width - 1);
        if first > last {
            return;
        }
        if first < last && high.x <= last as f32 * cs {
            // The slice ends at the side of its last cell.
            last -= 1;
        }
        let is_one_cell = first == last && high.x <= (last + 1) as f32 * cs;
        if is_one_cell || low.y == high.y {
            let span = self.span(low.y, high.y, area);
            (first..=last).for_each(|x| add(x, span));
            return;
        }
        let count = self.set_edges(slice, last + 1);
        let mut carried = [f32::INFINITY, f32::NEG_INFINITY];
        for x in (first..=last).step_by(LANES) {
            let (low, high) = self.heights(x, count, &mut carried);
            for (lane, (low, high)) in low.into_iter().zip(high).enumerate().take(last + 1 - x) {
                if low <= high {
                    add(x + lane, self.span(low, high, area));
                }
            }
        }
    }

    /// Sets the edges of a slice and returns their number. Cells are clamped to `beyond`.
    #[inline]
    fn set_edges(&mut self, slice: &ClipPolygon, beyond: usize) -> usize {
        let per_cell = 1.0 / self.frame.cell_size;
        let cell = |x: f32| ((x * per_cell) as u32).min(beyond as u32) as f32;
        let corners = slice.corners();
        let mut before = corners[corners.len() - 1];
        let mut cell_before = cell(before.x);
        for (&corner, edge) in corners.iter().zip(&mut self.edges) {
            let cell = cell(corner.x);
            let (a, b, left, right) = if cell_before < cell {
                (before, corner, cell_before, cell)
            } else {
                (corner, before, cell, cell_before)
            };
            let slope = (b.y - a.y) / (b.x - a.x);
            let [low, high] = if a.y < b.y { [a.y, b.y] } else { [b.y, a.y] };
            *edge = SliceEdge { x: a.x, y: a.y, slope, low, high, left, right, corner: [cell, corner.y] };
            (before, cell_before) = (corner, cell);
        }
        corners.len()
    }

    /// Lowest and highest points over the cells from `x` on; those on the left side of the first one are `carried`.
    #[inline]
    fn heights(&self, x: usize, count: usize, carried: &mut [f32; 2]) -> ([f32; LANES], [f32; LANES]) {
        let cells = Vec4::splat(x as f32) + Vec4::new(0.0, 1.0, 2.0, 3.0);
        let lines = cells + 1.0;
        let at = lines * self.frame.cell_size;
        let (mut inside, mut right) = (HeightLanes::NONE, HeightLanes::NONE);
        for edge in &self.edges[..count] {
            let y = Vec4::splat(edge.y) + (at - edge.x) * edge.slope;
            let y = y.max(Vec4::splat(edge.low)).min(Vec4::splat(edge.high));
            right.touch(lines.cmpgt(Vec4::splat(edge.left)) & lines.cmple(Vec4::splat(edge.right)), y);
            let [cell, corner] = edge.corner.map(Vec4::splat);
            inside.touch(cells.cmpeq(cell), corner);
        }
        let ([a, b, c, last_low], [d, e, f, last_high]) = (right.low.to_array(), right.high.to_array());
        let left_low = Vec4::new(carried[0], a, b, c);
        let left_high = Vec4::new(carried[1], d, e, f);
        *carried = [last_low, last_high];
        (inside.low.min(right.low).min(left_low).to_array(), inside.high.max(right.high).max(left_high).to_array())
    }

    #[inline]
    fn span(&self, low: f32, high: f32, area: u8) -> Span {
        let per_cell = 1.0 / self.frame.cell_height;
        let bottom = ((low * per_cell).max(0.0) as u16).min(TOP - 1);
        // Ceiling without a call into the math library.
        let scaled = (high * per_cell).max(0.0);
        let whole = scaled as u16;
        let top = if f32::from(whole) < scaled { whole.saturating_add(1) } else { whole };
        Span { bottom, top: top.max(bottom + 1), area }
    }
}
