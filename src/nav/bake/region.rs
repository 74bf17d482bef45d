//! The regions of a compact heightfield (the region ids of Recast's `rcCompactSpan`).

use std::sync::Arc;

/// The regions of a tile, and a digest of what they were made of: where that is the same, so are they.
#[derive(Debug)]
pub struct TileRegions {
    /// Digest of the tile's spans: their neighbours, areas and distances to borders.
    pub digest: [u8; 32],
    /// Region of each span, numbered from 1; 0 for none.
    pub ids: Vec<u32>,
    /// One more than the number of regions.
    pub count: u32,
}

/// The tiles of an earlier bake that may serve again, by their numbers.
pub type KeptTiles = Vec<Option<Arc<TileRegions>>>;

/// Region of each span.
#[derive(Clone, Debug)]
pub struct Regions {
    /// Region of each span, 0 for none; one entry more than there are spans, for "no span".
    pub ids: Vec<u32>,
    /// One more than the number of regions, which are numbered from 1.
    pub count: u32,
    /// Smoothed distance of each span to a border, 2 per cell; empty unless the partition needs it.
    pub distance: Vec<u16>,
    /// Milliseconds of each tile, 0 for those of the bake before; empty where tiles are not made one by one.
    pub tile_ms: Vec<f32>,
    /// The tiles before small regions were merged, from which another bake goes on; one where the level is not cut.
    pub tiles: Vec<Arc<TileRegions>>,
}
