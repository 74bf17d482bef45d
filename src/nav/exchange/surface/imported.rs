//! Surfaces of which only the importer of models decodes the geometry: compressed glTF.

use std::path::Path;

use glam::DVec3;

use super::super::{ExchangeError, ForeignMesh};
use super::{IndexedPolygons, mesh_of};
use crate::asset::{Importer, Mesh, Model};

/// The triangles of a model as the importer reads them, in the process of its own.
///
/// # Errors
/// It cannot be imported, or has no triangles.
pub fn read_imported(path: &Path, format: &str) -> Result<ForeignMesh, ExchangeError> {
    let model = Importer::default().load(path).map_err(|error| ExchangeError::Text(error.to_string()))?;
    let parts = model.meshes.iter().map(|mesh| part(&model, mesh)).collect::<Result<Vec<_>, _>>()?;
    mesh_of(format, parts)
}

/// A mesh where its node stands.
fn part(model: &Model, mesh: &Mesh) -> Result<IndexedPolygons, ExchangeError> {
    let places = model.skeleton.rest_model_from_node();
    let place = places.get(mesh.node.0 as usize).copied().unwrap_or_default().as_dmat4();
    let vertices: Vec<DVec3> =
        mesh.vertices.iter().map(|vertex| place.transform_point3(vertex.position.as_dvec3())).collect();
    let mut part = IndexedPolygons::new(vertices)?;
    mesh.indices.as_chunks::<3>().0.iter().try_for_each(|triangle| part.add(triangle, 0, 1))?;
    Ok(part)
}
