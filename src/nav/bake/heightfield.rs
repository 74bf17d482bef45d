//! The heightfield: columns of solid voxel spans over a grid of cells (Recast's `rcHeightfield`).
//!
//! The spans of a column lie side by side in one flat array, from low to high.

use glam::Vec3;

use super::error::BakeError;
use super::settings::BakeSettings;

/// Unwalkable surface, in [`Span::area`]; a surface with area `a` of the mesh has `a + 1`.
pub const UNWALKABLE: u8 = 0;
/// Plain walkable ground, in [`Span::area`].
pub const GROUND: u8 = 1;
/// Highest voxel, cell heights.
pub const TOP: u16 = u16::MAX;
/// Most cells along one side of a heightfield.
pub const MAX_SIDE_CELLS: f32 = 32_767.0;
/// Most cells of a heightfield.
pub const MAX_CELLS: usize = 1 << 25;
/// Most spans of a heightfield.
pub const MAX_SPANS: usize = 1 << 26;

/// A solid span of a column, in cell heights over the origin of the field (Recast's `rcSpan`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Lower end.
    pub bottom: u16,
    /// Upper end, above `bottom`.
    pub top: u16,
    /// Area of its top: [`UNWALKABLE`], [`GROUND`], or an area of the mesh plus one.
    pub area: u8,
}

/// The grid of columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridFrame {
    /// Minimum corner, world units.
    pub origin: Vec3,
    /// Columns along x.
    pub width: usize,
    /// Columns along z.
    pub depth: usize,
    /// Edge of a cell, world units.
    pub cell_size: f32,
    /// Height of a voxel, world units.
    pub cell_height: f32,
}

impl GridFrame {
    /// The grid around the triangles.
    ///
    /// # Errors
    /// No triangle, a corner that is not finite, or a field too large for the cell size.
    pub fn around(triangles: &[[Vec3; 3]], settings: &BakeSettings) -> Result<Self, BakeError> {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for (i, t) in triangles.iter().enumerate() {
            if !t.iter().all(|p| p.is_finite()) {
                return Err(BakeError::NotFinite(i));
            }
            low = low.min(t[0]).min(t[1]).min(t[2]);
            high = high.max(t[0]).max(t[1]).max(t[2]);
        }
        if triangles.is_empty() {
            return Err(BakeError::Empty);
        }
        let size = (high.as_dvec3() - low.as_dvec3()).as_vec3();
        let (cs, ch) = (settings.cell_size, settings.cell_height);
        let (columns, rows) = ((size.x / cs + 0.5).floor().max(1.0), (size.z / cs + 0.5).floor().max(1.0));
        let layers = size.y / ch;
        let good = columns <= MAX_SIDE_CELLS && rows <= MAX_SIDE_CELLS && columns * rows <= MAX_CELLS as f32;
        if !good || !(layers < f32::from(TOP)) {
            return Err(BakeError::TooLarge { columns, rows, layers });
        }
        Ok(Self { origin: low, width: columns as usize, depth: rows as usize, cell_size: cs, cell_height: ch })
    }

    /// Number of columns.
    pub fn cells(&self) -> usize {
        self.width * self.depth
    }
}

/// All columns with their spans.
#[derive(Clone, Debug)]
pub struct Heightfield {
    /// The grid.
    pub frame: GridFrame,
    /// First span of each column in row order, then the number of spans.
    pub columns: Vec<u32>,
    /// The spans of all columns, each column from low to high with gaps between.
    pub spans: Vec<Span>,
}

impl Heightfield {
    /// Indices of the spans of a column.
    #[inline]
    pub fn column(&self, cell: usize) -> std::ops::Range<usize> {
        self.columns[cell] as usize..self.columns[cell + 1] as usize
    }
}
