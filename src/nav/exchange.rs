//! Navigation meshes of other programs: what they are told by, how they are read and written.
//!
//! A reader turns bytes into a [`ForeignMesh`]; [`ForeignMesh::join`] joins its polygons into a mesh of ours. Files are
//! untrusted: memory is bounded by a small multiple of their bytes.

mod byte_reader;
mod detour_set;
mod detour_tile;
mod detour_write;
mod error;
mod fastlz;
mod flat;
mod foreign;
mod format;
mod gltf_write;
mod godot;
mod grid_map;
mod indexed;
mod join;
mod listed;
mod outline;
mod overlaps;
mod pieces;
mod placement;
mod read;
pub mod recast_demo;
mod shared_borders;
mod side_files;
pub mod source_nav;
mod surface;
mod text_write;
mod tile_cache;
mod trinity;
mod unity;
mod write;

pub use crate::nav::mesh::{ConnectionValues, DetourValues, ExchangeAgent};
pub use detour_write::WrittenMesh;
pub use error::ExchangeError;
pub use foreign::{BorderJoint, ForeignMesh, ForeignPolygon, JoinedRegions, Joining};
pub use format::{
    FORMAT_BYTES, MESH_EXTENSIONS, MeshFormat, SURFACE_EXTENSIONS, grid_map_size, is_mesh_file, is_surface_file,
};
pub use join::JoinedMesh;
pub use placement::{AxesError, FileAxes, MeshPlacement};
pub use read::{UncheckedMesh, mesh_files_beside, parse_mesh, parse_placed, read_mesh, read_placed, read_unchecked};
pub use write::{WRITTEN_FORMATS, is_written_name, unknown_ending, write_as, write_joined};

use byte_reader::Bytes;
