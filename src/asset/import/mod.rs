//! Reads model files through Assimp: the only place that knows it.
//!
//! Assimp is C++ and may crash on damaged files; [`super::worker`] therefore runs this in a child process.
//! Post-processing keeps the order and number of triangles: only triangulation, missing normals, validation and the
//! flip of texture coordinates so that v points downwards.

mod geometry;
pub mod guard;
pub mod limits;
mod material;
mod motion;
mod nodes;
mod raw;

use super::{AssetError, Model};
use raw::Imported;
use std::path::Path;

/// Extensions that are imported.
pub const EXTENSIONS: &[&str] = &["gltf", "glb", "fbx", "obj", "dae", "mdl", "md3", "pk3"];

/// Imports a model file in this process.
///
/// # Errors
/// The file cannot be read, has an unknown extension, is refused by Assimp or over a limit.
pub fn import_file(path: &Path) -> Result<Model, AssetError> {
    check_file(path)?;
    let imported = Imported::open(path)?;
    let mut model = Model {
        name: path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        ..Model::default()
    };
    let nodes = nodes::read(&imported, path, &mut model)?;
    material::read(&imported, path, &mut model)?;
    geometry::read(&imported, &nodes, path, &mut model)?;
    motion::read(&imported, &nodes, path, &mut model)?;
    geometry::complete_skins(&mut model);
    model.rest_bounds = model.compute_rest_bounds();
    Ok(model)
}

/// Checks what can be told without reading the file: kind, size, access.
///
/// # Errors
/// [`AssetError::UnknownFormat`], [`AssetError::Unreadable`] or [`AssetError::TooLarge`].
pub fn check_file(path: &Path) -> Result<(), AssetError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !EXTENSIONS.contains(&extension.as_str()) {
        return Err(AssetError::UnknownFormat { path: path.into(), extension, supported: EXTENSIONS.join(", ") });
    }
    let unreadable = |e: std::io::Error| AssetError::Unreadable { path: path.into(), reason: e.to_string() };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(AssetError::Unreadable { path: path.into(), reason: "it is not a file".into() });
    }
    std::fs::File::open(path).map_err(unreadable)?;
    limits::check(path, "its size in bytes", metadata.len(), limits::FILE_BYTES)
}
