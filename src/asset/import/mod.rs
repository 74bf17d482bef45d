//! Reads model files, FBX through ufbx and the others through Assimp: the only place that knows them.
//!
//! Assimp is C++ and may crash on damaged files; [`super::worker`] therefore runs this in a child process.
//! Post-processing keeps the order and number of triangles: only triangulation, missing normals, validation and the
//! flip of texture coordinates so that v points downwards.

mod assimp_materials;
mod batched_tile;
mod budget;
mod bvh;
mod collada;
mod completion;
mod coverage;
mod fbx;
mod file_io;
mod geometry;
mod gltf;
mod gltf_fault;
pub mod guard;
pub mod limits;
mod material;
mod md3;
mod motion;
mod nodes;
mod obj;
mod opacity;
mod picture_names;
mod ply;
mod ply_faces;
pub mod ply_header;
mod prepared;
mod quake_map;
mod ranges;
mod raw;
mod reasons;
pub mod siblings;
mod stand_ins;
mod stl;
pub mod uri;

pub use file_io::{Replacement, SideFile};
pub use prepared::prepare;

use super::{AssetError, Model};
use crate::disk::read::{self, ReadFault, without_mark};
use crate::disk::{folder_of, has_extension};
use budget::ModelBudget;
use completion::{complete, named};
use guard::Checked;
use obj::libraries::{self, Libraries};
use obj::objects::as_groups;
use obj::{ObjGeometry, SplitObj};
use prepared::prepare_checked;
use raw::Imported;
use std::path::{Path, PathBuf};

/// Extensions that are imported.
pub const EXTENSIONS: &[&str] =
    &["gltf", "glb", "vrm", "b3dm", "fbx", "obj", "dae", "bvh", "mdl", "md3", "pk3", "ply", "stl"];

/// Imports a model file in this process.
///
/// # Errors
/// The file cannot be read, has an unknown extension, is refused by Assimp or over a limit.
pub fn import_file(path: &Path) -> Result<Model, AssetError> {
    check_file(path)?;
    import_contents(path, read_file(path)?, &mut Checked::default())
}

/// Imports a model file that was read and looked at. To the files that it refers to come those that were looked for besides,
/// whether they are there or not.
///
/// # Errors
/// As [`import_file`].
pub fn import_contents(path: &Path, contents: Vec<u8>, checked: &mut Checked) -> Result<Model, AssetError> {
    if quake_map::is_package(path) {
        return quake_map::read(path, &contents);
    }
    if has_extension(path, &["fbx"]) {
        return fbx::read(path, &contents, checked);
    }
    let mut warnings = Vec::new();
    if has_extension(path, &["obj"]) {
        let libraries = checked.libraries.get_or_insert_with(|| Libraries::of(path, &contents));
        warnings = libraries.missing(path, &libraries::is_beside(folder_of(path)));
    }
    let known = Checked { document: checked.document.take(), libraries: checked.libraries.take(), files: Vec::new() };
    let (replacement, large, file_bytes) = replacement(path, contents, known)?;
    let mut budget = ModelBudget::new(file_bytes);
    let told = replacement.as_ref().map(|r| (r.variants.clone(), r.bones.clone(), r.warnings.clone()));
    let (variants, human_bones, passed_over) = told.unwrap_or_default();
    warnings.extend(passed_over);
    let (imported, left_out) = Imported::open(path, replacement, budget.reading_bytes())?;
    warnings.extend(left_out);
    checked.files.extend_from_slice(&imported.files);
    let mut model = Model { warnings, material_variants: variants, human_bones, ..named(path) };
    let nodes = nodes::read(&imported, path, &mut model)?;
    let materials = assimp_materials::read_all(&imported, path, &mut model);
    checked.files.extend(materials.looked_for);
    let rest_weights = geometry::read(&imported, &nodes, large, (path, &mut budget), &mut model)?;
    coverage::revise_cutouts(&mut model, &materials.guessed_cutouts);
    motion::read(&imported, &nodes, (path, &mut budget), &mut model)?;
    geometry::add_targets_at_rest(&mut model, &rest_weights);
    complete(&mut model, path)?;
    Ok(model)
}

/// What Assimp gets in place of a file, the geometry that is read without it, and how many bytes are read.
fn replacement(
    path: &Path,
    bytes: Vec<u8>,
    checked: Checked,
) -> Result<(Option<Replacement>, Option<ObjGeometry>, u64), AssetError> {
    // Of a text glTF most lies in files beside it.
    let is_text_gltf = has_extension(path, &["gltf"]);
    let beside = if is_text_gltf { files_beside(path) } else { Vec::new() };
    let beside: u64 = beside.iter().filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum();
    let file_bytes = beside.saturating_add(bytes.len() as u64);
    let split = if has_extension(path, &["obj"]) && bytes.len() >= obj::LARGE_BYTES {
        SplitObj::read(without_mark(&bytes))
    } else {
        None
    };
    let Some(SplitObj { outline, geometry }) = split else {
        return Ok((prepare_checked(path, &bytes, checked)?, None, file_bytes));
    };
    limits::check(path, "its number of triangles", geometry.triangle_count() as u64, limits::TRIANGLES as u64)?;
    let model = Libraries::of(path, &outline).one_a_line(&outline).unwrap_or(outline);
    let model = as_groups(&model).unwrap_or(model);
    Ok((Some(Replacement::of(model)), Some(geometry), file_bytes))
}

/// Checks what can be told without reading the file: kind, size, access.
///
/// # Errors
/// [`AssetError::UnknownFormat`], [`AssetError::Unreadable`] or [`AssetError::TooLarge`].
pub fn check_file(path: &Path) -> Result<(), AssetError> {
    // Before its ending: what is no file has no format.
    read::open(path, limits::FILE_BYTES).map_err(|fault| unreadable(path, fault))?;
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if EXTENSIONS.contains(&extension.as_str()) {
        return Ok(());
    }
    Err(AssetError::UnknownFormat { path: path.into(), extension, supported: EXTENSIONS.join(", ") })
}

/// The contents of a model file.
///
/// # Errors
/// [`AssetError::Unreadable`] or [`AssetError::TooLarge`].
pub fn read_file(path: &Path) -> Result<Vec<u8>, AssetError> {
    read::read(path, limits::FILE_BYTES).map_err(|fault| unreadable(path, fault))
}

fn unreadable(path: &Path, fault: ReadFault) -> AssetError {
    match fault {
        ReadFault::TooLarge { bytes, limit } => {
            AssetError::TooLarge { path: path.into(), what: "its size in bytes".into(), value: bytes, limit }
        }
        fault => AssetError::Unreadable { path: path.into(), reason: fault.to_string() },
    }
}

/// Files that a model file refers to: buffers, material libraries, textures. None where it cannot be read.
pub fn files_beside(path: &Path) -> Vec<PathBuf> {
    let folder = folder_of(path);
    let names = read_file(path).map(|bytes| guard::files_of(path, &bytes)).unwrap_or_default();
    names.into_iter().map(|name| folder.join(name)).collect()
}
