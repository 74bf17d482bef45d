//! Writing a mesh in the format that a file name asks for.

use std::path::Path;

use super::detour_write::{ExchangeAgent, Written, write_set};
use super::{ExchangeError, gltf_write, text_write};
use crate::nav::mesh::{MeshFile, NavMesh};

/// Endings of file names and the formats that they stand for.
pub const WRITTEN_FORMATS: [[&str; 2]; 8] = [
    ["navmesh", "Walkabout"],
    ["bin", "Detour mesh set (MSET)"],
    ["tres", "Godot"],
    ["unity.json", "Unity"],
    ["json", "JSON"],
    ["mesh", "path benchmarks"],
    ["obj", "Wavefront OBJ"],
    ["glb", "glTF"],
];

/// Writes a mesh, with the file that it was checked from, in the format of a file's name.
///
/// # Errors
/// The ending stands for no format, or the mesh does not fit into it.
pub fn write_as(mesh: &NavMesh, file: &MeshFile, name: &Path, agent: &ExchangeAgent) -> Result<Written, ExchangeError> {
    let name = name.to_string_lossy().to_lowercase();
    let ends = |ending: &str| name.ends_with(&format!(".{ending}"));
    let text = match () {
        () if ends("navmesh") => return Ok(Written { bytes: file.to_bytes(), notes: Vec::new() }),
        () if ends("bin") => return write_set(mesh, file, agent),
        () if ends("glb") => {
            return Ok(Written { bytes: gltf_write::write_gltf(mesh)?, notes: lost(file, false, false, false) });
        }
        () if ends("tres") => text_write::write_godot(mesh),
        () if ends("unity.json") => text_write::write_unity(mesh),
        () if ends("json") => text_write::write_json(mesh),
        () if ends("mesh") => text_write::write_polyanya(mesh),
        () if ends("obj") => text_write::write_obj(mesh),
        () => {
            let endings = WRITTEN_FORMATS.map(|[ending, format]| format!(".{ending} ({format})")).join(", ");
            return Err(ExchangeError::Text(format!("the name has none of the endings {endings}; give it one")));
        }
    };
    let (is_json, is_unity) = (ends("json") && !ends("unity.json"), ends("unity.json"));
    Ok(Written { bytes: text.into_bytes(), notes: lost(file, is_json, is_json || is_unity, ends("mesh")) })
}

/// What a text does not hold.
fn lost(file: &MeshFile, flags: bool, areas: bool, is_flat: bool) -> Vec<String> {
    let polygons = &file.mesh.polygons;
    let mut notes = Vec::new();
    if !file.links.is_empty() {
        notes.push(format!("{} links are left out: the format has none.", file.links.len()));
    }
    if file.detail.is_some() && !is_flat {
        notes.push("The height detail is left out: the format has none.".into());
    }
    if is_flat {
        notes.push("Heights are left out: the format is flat.".into());
    }
    if !areas && polygons.iter().any(|p| p.area != 0) {
        notes.push("Areas are left out: the format has none.".into());
    }
    if !flags && polygons.iter().any(|p| p.flags != 1) {
        notes.push("Flags are left out: the format has none.".into());
    }
    notes
}
