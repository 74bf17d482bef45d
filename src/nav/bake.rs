//! Bakes a navigation mesh from the triangles of a level: Mikko Mononen's Recast pipeline, in parallel.
//!
//! 1. [`rasterize`] turns triangles into the voxel spans of a [`heightfield`]; [`filter`] makes spans without standing
//!    room, brinks and steep flights unwalkable.
//! 2. The open space over the walkable spans becomes a [`compact_heightfield`], which is eroded by the agent's radius and
//!    marked by volumes.
//! 3. [`partition`] cuts it into [regions](region): [`watershed`] on a [`distance_field`], or [`monotone`] stripes;
//!    [`merge`] joins small ones.
//! 4. [`contours`] traces and simplifies their outlines (Douglas-Peucker), [`poly_mesh`] triangulates and merges them
//!    into convex polygons (Hertel-Mehlhorn), [`detail_mesh`] samples heights inside them ([`delaunay`]).
//! 5. Off-mesh links are found, where the voxels leave [clearance](link_clearance) for a jump or drop.
//!
//! [`pipeline`] runs the steps.

mod baked;
mod changed;
mod clip;
mod columns;
pub mod compact_heightfield;
mod contour;
pub mod contours;
pub mod debug;
mod debug_colors;
mod delaunay;
pub mod detail_mesh;
mod distance_field;
mod ears;
mod error;
pub mod filter;
mod fit;
pub mod from_voxels;
pub mod heightfield;
mod holes;
mod link_clearance;
mod merge;
mod monotone;
pub mod partition;
mod pipeline;
pub mod poly_mesh;
mod rasterize;
pub mod region;
mod region_columns;
mod row_slice;
mod settings;
mod step;
pub mod tiles;
mod voxel_debug;
mod watershed;

pub use baked::{BakeDebug, Baked};
pub use changed::changed_boxes;
pub use error::BakeError;
pub use pipeline::{ChangedLevel, bake, bake_changed, bake_from, bake_until};
pub use settings::{BakeSettings, Partition, SpanMerge, Volume, VolumeShape, VoxelSettings};
pub use step::{BakeProgress, BakeStep, silent};

#[cfg(test)]
#[path = "../../tests/nav/bake_fixture.rs"]
mod fixture;
