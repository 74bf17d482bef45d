//! Rasterizes the slice of a triangle within a row of the grid: the heights that it covers over each cell.
//!
//! Nothing is clipped to the cells: over a cell, a convex polygon is lowest and highest at its corners there and where its
//! edges cross the sides of the cell, which are the points that clipping it to the cell would give. Four edges are
//! looked at at once and without branches, which slices of a few cells would mispredict: with branches for each edge and
//! cell, and spans sorted into columns afterwards, the whole bake of a small level took a sixth to a quarter longer.

use glam::{BVec4A, Vec4};

use super::clip::{ClipPolygon, MAX_CORNERS};
use super::heightfield::{GridFrame, Span, TOP};

/// Edges that are looked at at once.
const LANES: usize = 4;

/// Rasterizes slices; scratch space.
pub struct SliceRasterizer {
    /// Index of the last cell of a row.
    last: usize,
    cell_size: f32,
    cells_per_unit: f32,
    voxels_per_unit: f32,
    edges: [EdgeLanes; MAX_CORNERS.div_ceil(LANES)],
}

/// Edges of a slice, in the plane of x and y, and a corner of each. From left to right, so that neighbouring triangles
/// agree on their shared edge.
#[derive(Clone, Copy)]
struct EdgeLanes {
    /// The left ends.
    x: Vec4,
    y: Vec4,
    slope: Vec4,
    /// Lowest and highest points.
    low: Vec4,
    high: Vec4,
    /// Cells of the left and right ends.
    left: Vec4,
    right: Vec4,
    /// Cells and heights of the corners.
    corner_cell: Vec4,
    corner: Vec4,
    /// Where the side of a cell is crossed, see [`HeightLanes`].
    crossed: HeightLanes,
}

/// Lowest and highest of some points per lane; infinite where there is none.
#[derive(Clone, Copy)]
struct HeightLanes {
    low: Vec4,
    high: Vec4,
}

impl HeightLanes {
    const NONE: Self = Self { low: Vec4::INFINITY, high: Vec4::NEG_INFINITY };

    /// The heights of some lanes.
    #[inline]
    fn of(y: Vec4, mask: BVec4A) -> Self {
        let nowhere = Vec4::select(mask, Vec4::ZERO, Vec4::INFINITY);
        Self { low: y + nowhere, high: y - nowhere }
    }

    #[inline]
    fn with(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

impl EdgeLanes {
    const NONE: Self = Self {
        x: Vec4::ZERO,
        y: Vec4::ZERO,
        slope: Vec4::ZERO,
        low: Vec4::ZERO,
        high: Vec4::ZERO,
        left: Vec4::ZERO,
        right: Vec4::ZERO,
        corner_cell: Vec4::ZERO,
        corner: Vec4::ZERO,
        crossed: HeightLanes::NONE,
    };

    /// The edges that end at the corners `x`, `y`; `before` is the corner before these. Cells are clamped to `beyond`.
    #[inline]
    fn new([x, y]: [Vec4; 2], before: [f32; 2], cells_per_unit: f32, beyond: f32) -> Self {
        let shifted = |v: Vec4, first: f32| Vec4::new(first, v.x, v.y, v.z);
        let (x_before, y_before) = (shifted(x, before[0]), shifted(y, before[1]));
        let cells = (x * cells_per_unit).trunc().min(Vec4::splat(beyond));
        let cells_before = shifted(cells, f32::from((before[0] * cells_per_unit) as u16).min(beyond));
        let is_right = cells_before.cmplt(cells);
        let ordered = |a, b| (Vec4::select(is_right, a, b), Vec4::select(is_right, b, a));
        let ((a, b), (a_y, b_y)) = (ordered(x_before, x), ordered(y_before, y));
        Self {
            x: a,
            y: a_y,
            slope: (b_y - a_y) / (b - a),
            low: y.min(y_before),
            high: y.max(y_before),
            left: cells.min(cells_before),
            right: cells.max(cells_before),
            corner_cell: cells,
            corner: y,
            crossed: HeightLanes::NONE,
        }
    }

    /// The heights over a cell; cells have to be requested from left to right.
    #[inline]
    fn heights(&mut self, cell: f32, cell_size: f32) -> HeightLanes {
        let side = cell + 1.0;
        let y = (self.y + (Vec4::splat(side * cell_size) - self.x) * self.slope).max(self.low).min(self.high);
        let side = Vec4::splat(side);
        let crossed = HeightLanes::of(y, side.cmpgt(self.left) & side.cmple(self.right));
        let before = std::mem::replace(&mut self.crossed, crossed);
        HeightLanes::of(self.corner, self.corner_cell.cmpeq(Vec4::splat(cell))).with(before).with(crossed)
    }
}

impl SliceRasterizer {
    /// For rows of a grid.
    pub fn new(frame: &GridFrame) -> Self {
        Self {
            last: frame.width - 1,
            cell_size: frame.cell_size,
            cells_per_unit: 1.0 / frame.cell_size,
            voxels_per_unit: 1.0 / frame.cell_height,
            edges: [EdgeLanes::NONE; MAX_CORNERS.div_ceil(LANES)],
        }
    }

    /// Calls `add` with the spans of a slice over the cells of its row.
    #[inline]
    pub fn rasterize(&mut self, slice: &ClipPolygon, area: u8, mut add: impl FnMut(usize, Span)) {
        if slice.is_empty() {
            return;
        }
        let (low, high) = slice.bounds();
        // Rows have fewer cells than a `u16` counts, and conversion to that is the fastest.
        let cell = |x: f32| usize::from((x * self.cells_per_unit) as u16);
        let (first, mut last) = (cell(low.x), cell(high.x).min(self.last));
        if first > last {
            return;
        }
        if first < last && high.x <= last as f32 * self.cell_size {
            // The slice ends at the side of its last cell.
            last -= 1;
        }
        let is_one_cell = first == last && high.x <= (last + 1) as f32 * self.cell_size;
        if is_one_cell || low.y == high.y {
            let span = self.span(low.y, high.y, area);
            (first..=last).for_each(|x| add(x, span));
            return;
        }
        let lanes = self.set_edges(slice, (last + 1) as f32);
        for x in first..=last {
            let mut heights = HeightLanes::NONE;
            for edges in &mut self.edges[..lanes] {
                heights = heights.with(edges.heights(x as f32, self.cell_size));
            }
            let (low, high) = (heights.low.min_element(), heights.high.max_element());
            if low <= high {
                add(x, self.span(low, high, area));
            }
        }
    }

    /// Sets the edges of a slice and returns how many lanes of them there are.
    #[inline]
    fn set_edges(&mut self, slice: &ClipPolygon, beyond: f32) -> usize {
        let corners = slice.corners();
        let mut before = corners[corners.len() - 1];
        let lanes = corners.len().div_ceil(LANES);
        for (edges, corners) in self.edges.iter_mut().zip(corners.chunks(LANES)) {
            // Where there are fewer than four, the last one is repeated, as an edge without length.
            let [a, b, c, d] = [0, 1, 2, 3].map(|i: usize| corners[i.min(corners.len() - 1)]);
            let (x, y) = (Vec4::new(a.x, b.x, c.x, d.x), Vec4::new(a.y, b.y, c.y, d.y));
            *edges = EdgeLanes::new([x, y], [before.x, before.y], self.cells_per_unit, beyond);
            before = d;
        }
        lanes
    }

    #[inline]
    fn span(&self, low: f32, high: f32, area: u8) -> Span {
        let bottom = ((low * self.voxels_per_unit).max(0.0) as u16).min(TOP - 1);
        // Ceiling without a call into the math library.
        let scaled = (high * self.voxels_per_unit).max(0.0);
        let whole = scaled as u16;
        let top = if f32::from(whole) < scaled { whole.saturating_add(1) } else { whole };
        Span { bottom, top: top.max(bottom + 1), area }
    }
}
