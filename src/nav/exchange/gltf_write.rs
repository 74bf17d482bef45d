//! Writing meshes as binary glTF (`.glb`).

use serde_json::json;

use super::ExchangeError;
use super::text_write::outlines;
use crate::asset::glb::GlbWriter;
use crate::nav::mesh::NavMesh;

/// The extension by which triangles that follow each other and begin at one vertex are a polygon.
pub const NGON_ENCODING: &str = "FB_ngon_encoding";

/// A node `navmesh` at the mesh's origin, with a fan of triangles for each polygon, told apart by `FB_ngon_encoding`.
///
/// # Errors
/// The file were larger than glTF allows.
pub fn write_gltf(mesh: &NavMesh) -> Result<Vec<u8>, ExchangeError> {
    let mut writer = GlbWriter::default();
    let mut indices = Vec::new();
    let mut apex = None;
    for outline in outlines(mesh) {
        // Counter-clockwise in x and z faces down: the other way round faces up.
        let mut corners: Vec<u32> = outline.corners.iter().rev().copied().collect();
        if corners.first().copied() == apex {
            corners.rotate_left(1);
        }
        apex = corners.first().copied();
        if let Some((first, rest)) = corners.split_first() {
            indices.extend(rest.windows(2).flat_map(|pair| [*first, pair[0], pair[1]]));
        }
    }
    let material = writer.push(
        "materials",
        json!({
            "name": "navmesh",
            "alphaMode": "BLEND",
            "doubleSided": true,
            "pbrMetallicRoughness": { "baseColorFactor": [0.1, 0.5, 0.9, 0.6], "metallicFactor": 0.0 },
        }),
    );
    let mut extensions = json!({});
    extensions[NGON_ENCODING] = json!({});
    let primitive = json!({
        "attributes": { "POSITION": writer.positions(mesh.vertices()) },
        "indices": writer.indices(&indices),
        "material": material,
        "extensions": extensions,
    });
    writer.use_extension(NGON_ENCODING);
    let shape = writer.push("meshes", json!({ "name": "navmesh", "primitives": [primitive] }));
    let place = mesh.origin().to_array();
    let node = writer.push("nodes", json!({ "name": "navmesh", "mesh": shape, "translation": place }));
    writer.finish(&[node]).ok_or_else(|| ExchangeError::Text("the file were larger than 4 GiB; split the mesh".into()))
}
