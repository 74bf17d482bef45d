//! Bakes a navigation mesh from the triangles of a level, after Mikko Mononen's Recast.
//!
//! The level becomes columns of voxel spans ([`heightfield`]); spans where nobody can stand lose their walkability
//! ([`filter`]).

pub mod filter;
pub mod heightfield;
mod settings;

pub use settings::{BakeSettings, Partition, SpanMerge, Volume, VolumeShape, VoxelSettings};

use thiserror::Error;

/// Why nothing was baked.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum BakeError {
    #[error("there are no triangles to bake; choose a level that has some")]
    Empty,
    #[error("triangle {0} has a corner that is not a finite number; repair the level")]
    NotFinite(usize),
    #[error("{name} is {value}, but {low} to {high} is possible")]
    Setting { name: &'static str, value: f32, low: f32, high: f32 },
    #[error(
        "the level is {columns} × {rows} cells and {layers} voxels high, more than can be baked; \
         use larger cells or a smaller part of the level"
    )]
    TooLarge { columns: f32, rows: f32, layers: f32 },
    #[error("the level makes {0} spans, more than can be baked; use larger cells or a smaller part of the level")]
    TooManySpans(usize),
}
