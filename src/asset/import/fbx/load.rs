//! Reading by ufbx, within limits.

use crate::asset::AssetError;
use crate::asset::import::budget::over_memory;
use std::path::Path;
use ufbx::{
    AllocatorOpts, ErrorType, FileFormat, InheritModeHandling, LoadOpts, SceneRoot, axes_right_handed_y_up, load_memory,
};

/// Deepest nodes below each other.
const MAX_DEPTH: u32 = 4096;

/// How much memory a step of reading may take for what it keeps, and as much for what it does not: together so many bytes.
pub fn within(bytes: u64) -> AllocatorOpts {
    AllocatorOpts { memory_limit: usize::try_from(bytes / 2).unwrap_or(usize::MAX), ..AllocatorOpts::default() }
}

/// Reads a file, within so many bytes of memory.
///
/// # Errors
/// It is damaged, or takes more.
pub fn load(path: &Path, contents: &[u8], most_bytes: u64) -> Result<SceneRoot, AssetError> {
    let options = LoadOpts {
        temp_allocator: within(most_bytes),
        result_allocator: within(most_bytes),
        file_format: FileFormat::Fbx,
        // Right-handed, Y up, metres: what the root does.
        target_axes: axes_right_handed_y_up(),
        target_unit_meters: 1.0,
        inherit_mode_handling: InheritModeHandling::Compensate,
        generate_missing_normals: true,
        clean_skin_weights: true,
        use_blender_pbr_material: true,
        node_depth_limit: MAX_DEPTH,
        ..LoadOpts::default()
    };
    load_memory(contents, options).map_err(|error| malformed(path, &error, most_bytes))
}

/// Why a file is not read.
pub fn malformed(path: &Path, error: &ufbx::Error, most_bytes: u64) -> AssetError {
    let reason = match error.type_ {
        ErrorType::UnrecognizedFileFormat => "it is no FBX file, or its beginning is damaged".to_owned(),
        ErrorType::TruncatedFile | ErrorType::EmptyFile => "it is cut off".to_owned(),
        ErrorType::OutOfMemory | ErrorType::MemoryLimit | ErrorType::AllocationLimit => over_memory(most_bytes),
        ErrorType::NodeDepthLimit => format!("it has more than {MAX_DEPTH} nodes below each other"),
        ErrorType::UnsupportedVersion => "it is of a version of FBX that is not read; convert it".to_owned(),
        _ => format!("it is damaged: {}", error.description),
    };
    AssetError::Malformed { path: path.into(), reason }
}
