//! Why a bake fails.

use thiserror::Error;

use crate::nav::mesh::MeshError;
use crate::nav::mesh::off_mesh::LinkError;

/// Why nothing was baked.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum BakeError {
    #[error("there are no triangles to bake; choose a level that has some")]
    Empty,
    #[error("triangle {0} has a corner that is not a finite number; repair the level")]
    NotFinite(usize),
    #[error("nothing on this level is walkable with these settings; check slope, agent height and radius")]
    NothingWalkable,
    #[error("the bake was cancelled at the step \"{0}\"; the mesh from before stays")]
    Cancelled(&'static str),
    #[error("{0}")]
    Link(#[from] LinkError),
    #[error("the baked mesh is none: {0}; change the settings a little")]
    Mesh(#[from] MeshError),
    #[error("seed {} has no polygon within {reach} m; move it onto walkable ground or remove it", .point + 1)]
    Seed { point: usize, reach: f64 },
    #[error("the setting '{name}' is {value}; give a number from {low} to {high}")]
    Setting { name: &'static str, value: f32, low: f32, high: f32 },
    #[error(
        "the level is {columns} × {rows} cells and {layers} voxels high, more than can be baked; \
         use larger cells or a smaller part of the level"
    )]
    TooLarge { columns: f32, rows: f32, layers: f32 },
    #[error("the level makes {0} spans, more than can be baked; use larger cells or a smaller part of the level")]
    TooManySpans(usize),
}
