//! Bounds on what one model file may hold.

use crate::asset::AssetError;
use std::path::Path;

/// Bytes of the model file itself.
pub const FILE_BYTES: u64 = 512 << 20;
/// Bytes of a material library beside a model.
pub const SIDE_TEXT_BYTES: u64 = 64 << 20;
/// Bytes of what a file leaves out and stands for zeros.
pub const ZERO_BYTES: u64 = 64 << 20;
/// Nodes of the tree.
pub const NODES: usize = 65_535;
/// Vertices of all meshes, counted once per node that carries them.
pub const VERTICES: usize = 20_000_000;
/// Triangles of a large OBJ file.
pub const TRIANGLES: usize = 20_000_000;
/// Joints of the model.
pub const JOINTS: usize = 65_535;
/// Bones of all skinned parts of meshes, each with all joints of its skin: the importer takes a kilobyte for each.
pub const BONES: u64 = 400_000;
/// Pairs of bones of all skinned parts of meshes: the importer compares their names, some seconds for so many.
pub const BONE_PAIRS: u64 = 1_000_000_000;
/// Keys of one clip.
pub const KEYS: usize = 20_000_000;
/// Side of an image in pixels.
pub const IMAGE_SIDE: u32 = 16_384;
/// Bytes of all decoded images.
pub const IMAGE_BYTES: u64 = 2 << 30;

/// Checks one count or size of a file; `what` names it in the message.
///
/// # Errors
/// [`AssetError::TooLarge`] above `limit`.
pub(in crate::asset) fn check(path: &Path, what: &str, value: u64, limit: u64) -> Result<(), AssetError> {
    if value > limit {
        return Err(AssetError::TooLarge { path: path.into(), what: what.into(), value, limit });
    }
    Ok(())
}
