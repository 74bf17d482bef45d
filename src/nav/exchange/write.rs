//! Writing a mesh in the format that a file name asks for.

use std::collections::HashMap;
use std::path::Path;

use super::detour_write::{WrittenMesh, write_set};
use super::join::JoinedMesh;
use super::{ExchangeError, gltf_write, text_write};
use crate::nav::mesh::{DetourValues, ExchangeAgent, MeshFile, NONE, NavMesh};
use crate::vocab::counted;

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

/// Whether a file's name ends as one of a navigation mesh that is written.
pub fn is_written_name(name: &Path) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    WRITTEN_FORMATS.iter().any(|[ending, _]| name.ends_with(&format!(".{ending}")))
}

/// The error about a name with another ending.
pub fn unknown_ending() -> ExchangeError {
    ExchangeError::Ending(WRITTEN_FORMATS.map(|[ending, format]| format!(".{ending} ({format})")).join(", "))
}

/// Writes a mesh, with the file that it was checked from, in the format of a file's name.
///
/// # Errors
/// The ending stands for no format, or the mesh does not fit into it.
pub fn write_as(
    mesh: &NavMesh,
    file: &MeshFile,
    name: &Path,
    agent: &ExchangeAgent,
) -> Result<WrittenMesh, ExchangeError> {
    let values = DetourValues { agent: *agent, ..file.values.clone().unwrap_or(DetourValues::new(*agent)) };
    write_with(mesh, file, name, &values, Some(&values))
}

/// Writes a mesh that was read: what comes from a set of Detour's tiles goes back to one with its agents, radii and
/// numbers. An agent that is asked for comes first, then that of the file, then the usual one.
///
/// # Errors
/// As for [`write_as`].
pub fn write_joined(
    mesh: &JoinedMesh,
    name: &Path,
    asked: Option<&ExchangeAgent>,
    usual: &ExchangeAgent,
) -> Result<WrittenMesh, ExchangeError> {
    let mut values = mesh.detour.clone().unwrap_or(DetourValues::new(*usual));
    values.agent = asked.copied().unwrap_or(values.agent);
    let told = (asked.is_some() || mesh.detour.is_some()).then_some(&values);
    let mut written = write_with(&mesh.mesh, &mesh.file, name, &values, told)?;
    written.notes.extend(told.into_iter().flat_map(|values| lost_values(values, name)));
    Ok(written)
}

/// What a format does not hold of what a file of another program says besides polygons and links, an item each.
fn lost_values(values: &DetourValues, name: &Path) -> Vec<String> {
    let name = name.to_string_lossy().to_lowercase();
    let [is_own, is_set, is_godot] = [".navmesh", ".bin", ".tres"].map(|ending| name.ends_with(ending));
    // A set says itself what it leaves out of another one.
    let mut notes = if is_own { values.lost.clone() } else { Vec::new() };
    let ExchangeAgent { height, radius, climb } = values.agent;
    if !is_own && !is_set && !is_godot {
        let agents = format!("{height:.2} m tall, {radius:.2} m radius, {climb:.2} m steps");
        notes.push(format!("The agents that it was made for ({agents}) are left out: the format has none."));
    }
    if let Some([edge, height]) = values.cell.filter(|_| !is_own && !is_godot) {
        notes
            .push(format!("The cells of its bake ({edge} m, {height} m of height) are left out: the format has none."));
    }
    let count = if is_own || is_set { 0 } else { values.connections.len() };
    if count > 0 {
        notes.push(format!("The radii and numbers of {} are left out: the format has none.", counted(count, "link")));
    }
    if values.user_id != 0 && !is_own && !is_set {
        notes.push(format!("The number {} of its tiles is left out: the format has none.", values.user_id));
    }
    notes
}

/// Writes a mesh for agents of which `told` is what is known.
fn write_with(
    mesh: &NavMesh,
    file: &MeshFile,
    name: &Path,
    values: &DetourValues,
    told: Option<&DetourValues>,
) -> Result<WrittenMesh, ExchangeError> {
    let name = name.to_string_lossy().to_lowercase();
    let ends = |ending: &str| name.ends_with(&format!(".{ending}"));
    let nothing = KeptParts::default();
    let (text, kept) = match () {
        () if ends("navmesh") => return Ok(WrittenMesh { bytes: file.to_bytes_with(told), notes: Vec::new() }),
        () if ends("bin") => return write_set(mesh, file, values),
        () if ends("glb") => {
            return Ok(WrittenMesh { bytes: gltf_write::write_gltf(mesh)?, notes: lost(mesh, file, nothing) });
        }
        () if ends("tres") => (text_write::write_godot(mesh, told), nothing),
        () if ends("unity.json") => (text_write::write_unity(mesh), KeptParts { areas: true, ..nothing }),
        () if ends("json") => {
            (text_write::write_json(mesh), KeptParts { areas: true, flags: true, neighbors: true, ..nothing })
        }
        () if ends("mesh") => {
            (text_write::write_polyanya(mesh), KeptParts { is_flat: true, neighbors: true, ..nothing })
        }
        () if ends("obj") => (text_write::write_obj(mesh), nothing),
        () => return Err(unknown_ending()),
    };
    Ok(WrittenMesh { bytes: text.into_bytes(), notes: lost(mesh, file, kept) })
}

/// What a format holds besides polygons.
#[derive(Clone, Copy, Default)]
struct KeptParts {
    areas: bool,
    flags: bool,
    /// Which polygons are neighbours.
    neighbors: bool,
    is_flat: bool,
}

/// What a format does not hold, an item each.
fn lost(mesh: &NavMesh, file: &MeshFile, kept: KeptParts) -> Vec<String> {
    let polygons = &file.mesh.polygons;
    let mut notes = Vec::new();
    if !file.links.is_empty() {
        notes.push(match file.links.len() {
            1 => "1 link is left out: the format has none.".to_owned(),
            count => format!("{count} links are left out: the format has none."),
        });
    }
    if file.detail.is_some() && !kept.is_flat {
        notes.push("The height detail is left out: the format has none.".into());
    }
    if kept.is_flat {
        notes.push("Heights are left out: the format is flat.".into());
    }
    if !kept.areas && polygons.iter().any(|p| p.area != 0) {
        notes.push("Areas are left out: the format has none.".into());
    }
    if !kept.flags && polygons.iter().any(|p| p.flags != 1) {
        notes.push("Flags are left out: the format has none.".into());
    }
    let walls = if kept.neighbors { 0 } else { inner_walls(mesh) };
    if walls > 0 {
        notes.push(format!(
            "{walls} walls between polygons whose borders lie upon each other are lost: the format has no neighbours, and \
             programs that read it join them."
        ));
    }
    notes
}

/// Edges at one place that are not joined.
fn inner_walls(mesh: &NavMesh) -> usize {
    let mut edges: HashMap<[[u32; 3]; 2], [usize; 2]> = HashMap::new();
    for id in mesh.live_polygons() {
        let corners = mesh.corners_of(id);
        for (k, edge) in mesh.edges_of(id).iter().enumerate() {
            let mut ends = [corners[k], corners[(k + 1) % corners.len()]].map(|p| p.to_array().map(f32::to_bits));
            ends.sort_unstable();
            let [users, walls] = edges.entry(ends).or_default();
            *users += 1;
            *walls += usize::from(edge.neighbor == NONE);
        }
    }
    edges.values().filter(|[users, walls]| *users > 1 && *walls > 0).count()
}
