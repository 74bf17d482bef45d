//! What models of all formats begin and end with.

use super::geometry;
use crate::asset::{AssetError, Model};
use std::path::Path;

/// A model without contents.
pub fn named(path: &Path) -> Model {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Model { name, ..Model::default() }
}

/// What follows from all that was read of a model, and what there is to say of it.
///
/// # Errors
/// It has more joints than a model may have.
pub fn complete(model: &mut Model, path: &Path) -> Result<(), AssetError> {
    geometry::complete_skins(model, path)?;
    if model.triangle_count() == 0 && model.clips.is_empty() {
        let what = "it holds no triangles, so nothing of it is drawn: points, lines, cameras and lights are not shown";
        model.warnings.push(what.to_owned());
    }
    model.rest_bounds = model.compute_rest_bounds();
    if model.triangle_count() > 0 && !(model.rest_bounds.size().max_element() > 0.0) {
        model.warnings.push("all of it lies in one point, so nothing of it is seen".to_owned());
    }
    Ok(())
}
