//! The navigation mesh: convex polygons that share whole edges, checked once and then trusted by every query.
//!
//! [`RawMesh`] is what files and bakers produce, unchecked. [`RawMesh::validate`] turns it into the one type that
//! queries accept, [`NavMesh`], or names the faulty polygon and its fault.
//!
//! Space: a `NavMesh` keeps its vertices in single precision relative to an [`origin`](NavMesh::origin) in its middle,
//! so that a mesh far from the world's origin is as precise as one around it. "Local" points are relative to that
//! origin. Y is up; "2D" means the x and z of a point.

mod block_cut_tree;
mod changes;
pub mod debug;
mod detail;
mod detour_values;
pub mod dynamic;
mod file;
#[cfg(test)]
#[path = "../../tests/nav/fixture.rs"]
#[allow(dead_code, reason = "tests from outside use the rest")]
pub(crate) mod fixture;
pub(in crate::nav) mod free_list;
pub mod from_level;
mod grid;
mod island_filter;
mod json;
mod nav_mesh;
pub mod off_mesh;
mod pair_table;
mod polyanya_file;
mod portals;
mod raw;
mod soa_polygons;
mod triangles;
mod types;
mod validate;

pub use block_cut_tree::GoalRange;
pub use detail::Detail;
pub use detour_values::{ConnectionValues, DetourValues, ExchangeAgent};
pub use dynamic::{DynamicMesh, Obstacle, ObstacleError, ObstacleId};
pub(in crate::nav) use file::MAGIC as NAVMESH_MAGIC;
pub use file::{FileError, MAX_BYTES as MAX_MESH_BYTES, MeshFile};
pub use grid::Grid;
pub use island_filter::ISLAND_REACH;
pub use json::JsonError;
pub use nav_mesh::NavMesh;
pub use polyanya_file::{PolyanyaFileError, is_polyanya};
pub use portals::{NO_STEP, PolyLink, Portal, PortalGraph};
pub use raw::{RawMesh, RawPolygon};
pub use soa_polygons::{RayLine, SoaPolygon, SoaPolygons};
pub use types::{Edge, Filter, NONE, NavPoint, PolyId, Polygon};
pub(in crate::nav) use validate::MAX_EXTENT;
pub use validate::MeshError;
