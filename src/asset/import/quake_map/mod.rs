//! Maps of Quake III in their packages (`.pk3`). Assimp 5.2 leaves faces of them without vertices, so that its own check refuses every
//! map. A unit of the game stays a unit.

mod bsp;
mod fault;
mod package;
mod patch;
mod surface;

use super::budget::ModelBudget;
use super::opacity::{DeclaredAlpha, alpha_mode};
use super::{coverage, limits};
use crate::asset::image::PictureBudget;
use crate::asset::{AssetError, Material, Mesh, Model, Vertex};
use crate::disk::has_extension;
use crate::ids::NodeId;
use crate::math::Trs;
use crate::vocab::quoted_names;
use bsp::QuakeMap;
use fault::QuakeMapFault;
use glam::Vec3;
use package::Package;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use surface::{MapSurface, MapVertex};

/// Endings of the pictures of textures, which maps name without: those of the game in its order, then that of its successors.
const PICTURE_ENDINGS: [&str; 3] = ["tga", "jpg", "png"];
/// Most textures that a warning lists.
const MAX_LISTED: usize = 4;
/// Bytes that a vertex and a corner of a triangle take in a model.
const VERTEX_BYTES: u64 = (size_of::<Vertex>() + size_of::<u32>()) as u64;

/// Whether a file is a package, by its name.
pub(super) fn is_package(path: &Path) -> bool {
    has_extension(path, &["pk3"])
}

/// Reads the first map of a package.
///
/// # Errors
/// [`AssetError::Malformed`] and [`AssetError::TooLarge`].
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Model, AssetError> {
    let malformed = |fault: QuakeMapFault| AssetError::Malformed { path: path.into(), reason: fault.to_string() };
    let mut budget = ModelBudget::new(bytes.len() as u64);
    let package = Package::open(bytes).map_err(malformed)?;
    let maps: Vec<&str> = package.names().filter(|name| name.ends_with(".bsp")).collect();
    let first = *maps.first().ok_or(QuakeMapFault::NoMap).map_err(malformed)?;
    let file = package.file(first, budget.reading_bytes()).unwrap_or(Err(QuakeMapFault::NoMap)).map_err(malformed)?;
    let map = QuakeMap::open(&file).map_err(malformed)?;
    let mut vertices = 0_u64;
    let surfaces = map.surfaces(|count| {
        vertices += count as u64;
        limits::check(path, "its number of vertices", vertices, limits::VERTICES as u64)?;
        budget.take(path, count as u64 * VERTEX_BYTES)
    })?;
    let mut model = Model {
        name: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        ..Model::default()
    };
    model.skeleton.names.push(first.to_owned());
    model.skeleton.parents.push(None);
    model.skeleton.rest.push(Trs::IDENTITY);
    if maps.len() > 1 {
        let said = format!(
            "it holds {} maps, of which the first is shown, {first}: put others into packages of their own",
            maps.len()
        );
        model.warnings.push(said);
    }
    let names: Vec<&str> = surfaces.keys().map(String::as_str).collect();
    add_materials(&package, &names, &mut model);
    model.meshes = (0..).zip(&surfaces).map(|(material, (name, surface))| mesh(name, material, surface)).collect();
    if model.materials.is_empty() {
        model.materials.push(Material::default());
    }
    let guessed: BTreeSet<u32> = (0..model.materials.len() as u32).collect();
    coverage::revise_cutouts(&mut model, &guessed);
    model.rest_bounds = model.compute_rest_bounds();
    Ok(model)
}

/// Adds a material for each texture with its picture, where that is in the package.
fn add_materials(package: &Package, names: &[&str], model: &mut Model) {
    let mut budget = PictureBudget::default();
    let mut missing = Vec::new();
    for &name in names {
        let files = PICTURE_ENDINGS.map(|ending| format!("{name}.{ending}"));
        let found = files.iter().find_map(|file| Some((file, package.file(file, limits::FILE_BYTES)?)));
        // The game draws the fronts of walls alone, so that maps, which are hollow, are seen into from outside.
        let mut material = Material { name: name.to_owned(), double_sided: false, ..Material::default() };
        let decoded = found.map(|(file, bytes)| {
            let bytes = bytes.map_err(|fault| fault.to_string())?;
            budget.decode(&bytes, file.clone()).map_err(|error| error.to_string())
        });
        match decoded {
            Some(Ok(picture)) => {
                material.alpha = alpha_mode(DeclaredAlpha::Unsaid, 1.0, Some(&picture.image));
                material.base_color_image = Some(model.images.len() as u32);
                model.warnings.extend(picture.reduction.map(|reduction| format!("texture {name:?} is {reduction}")));
                model.images.push(Arc::new(picture.image));
            }
            Some(Err(error)) => model.warnings.push(format!("texture {name:?} is left out: {error}")),
            None => missing.push(name),
        }
        model.materials.push(material);
    }
    if !missing.is_empty() {
        model.warnings.push(format!(
            "{} of {} textures are plain, as their pictures lie in other packages of the game or under other names: {}",
            missing.len(),
            names.len(),
            quoted_names(&missing, MAX_LISTED)
        ));
    }
}

fn mesh(name: &str, material: u32, surface: &MapSurface) -> Mesh {
    let vertex = |vertex: &MapVertex| Vertex {
        position: vertex.position,
        normal: vertex.normal.try_normalize().unwrap_or(Vec3::Y),
        uv: vertex.uv,
        color: [u8::MAX; 4],
    };
    Mesh {
        name: name.to_owned(),
        node: NodeId(0),
        material,
        vertices: surface.vertices.iter().map(vertex).collect(),
        indices: surface.indices.clone(),
        ..Mesh::default()
    }
}

#[cfg(test)]
mod tests;
