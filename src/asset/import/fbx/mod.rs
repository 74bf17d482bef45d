//! FBX files, read by ufbx: of version 3 to 7, binary and text.

mod clips;
mod load;
mod materials;
mod meshes;
mod nodes;

use super::budget::ModelBudget;
use super::completion::{complete, named};
use super::guard::Checked;
use super::{coverage, geometry, material};
use crate::asset::{AssetError, Model};
use clips::MorphedChannels;
use load::load;
use std::path::Path;

/// The model of a file.
///
/// # Errors
/// The file is damaged or over a limit.
pub fn read(path: &Path, contents: &[u8], checked: &mut Checked) -> Result<Model, AssetError> {
    let mut budget = ModelBudget::new(contents.len() as u64);
    let scene = load(path, contents, budget.reading_bytes())?;
    let mut model = named(path);
    let nodes = nodes::read(&scene, path, &mut model)?;
    let pictures = materials::pictures(&scene);
    let materials = material::read_all(materials::materials(&scene), &pictures, path, &mut model);
    checked.files.extend(materials.looked_for);
    let mut channels = MorphedChannels::default();
    let rest_weights = meshes::read(&scene, &nodes, (path, &mut budget), &mut model, &mut channels)?;
    drop_unused_material(&mut model);
    coverage::revise_cutouts(&mut model, &materials.guessed_cutouts);
    clips::read(&scene, (&nodes, &channels), (path, &mut budget), &mut model)?;
    geometry::add_targets_at_rest(&mut model, &rest_weights);
    complete(&mut model, path)?;
    Ok(model)
}

/// Takes away the material for what has none where all meshes have one.
fn drop_unused_material(model: &mut Model) {
    let last = model.materials.len() as u32 - 1;
    if last > 0 && model.meshes.iter().all(|mesh| mesh.material != last) {
        model.materials.pop();
    }
}
