//! The regions of a compact heightfield (the region ids of Recast's `rcCompactSpan`).

/// Region of each span.
#[derive(Clone, Debug)]
pub struct Regions {
    /// Region of each span, 0 for none; one entry more than there are spans, for "no span".
    pub ids: Vec<u32>,
    /// One more than the number of regions, which are numbered from 1.
    pub count: u32,
    /// Smoothed distance of each span to a border, 2 per cell; empty unless the partition needs it.
    pub distance: Vec<u16>,
    /// Milliseconds of each tile; empty where tiles are not made one by one.
    pub tile_ms: Vec<f32>,
}
