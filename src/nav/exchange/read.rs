//! Reading a navigation mesh of any format.

use std::path::{Path, PathBuf};

use super::format::{UNREAD_KINDS, contains, mesh_format_of, told_by};
use super::join::JoinedMesh;
use super::listed::listed;
use super::recast_demo::{is_demo_cases, is_geometry_set};
use super::side_files::SideFiles;
use super::{
    ExchangeError, ForeignMesh, MeshFormat, MeshPlacement, detour_set, godot, grid_map, source_nav, surface,
    tile_cache, trinity, unity,
};
use crate::disk::{has_extension, read, read_text};
use crate::nav::mesh::{MAX_MESH_BYTES, MeshFile, RawMesh};

/// Largest text that is read, bytes.
const MAX_TEXT_BYTES: usize = 256 << 20;

/// A mesh before its polygons are joined.
enum Unjoined {
    /// Of ours: its polygons share their vertices.
    Own {
        format: &'static str,
        file: MeshFile,
    },
    Foreign(ForeignMesh),
}

/// The files beside one that its mesh is read with: the tiles of a map, resources that a scene of Godot names. None where the file is neither
/// or cannot be read. What a model names, [`files_beside`](crate::asset::import::files_beside) tells.
pub fn mesh_files_beside(path: &Path) -> Vec<PathBuf> {
    match mesh_format_of(path) {
        Some(MeshFormat::WarcraftMap) => trinity::tiles_beside(path).unwrap_or_default(),
        Some(MeshFormat::Godot) => {
            let text = read_text(path, MAX_TEXT_BYTES as u64).unwrap_or_default();
            godot::resources_beside(&text, &SideFiles::beside(path))
        }
        _ => Vec::new(),
    }
}

/// Reads a navigation mesh of any format, told by its content, and checks it. Models are taken as meshes, too.
///
/// # Errors
/// The file cannot be read, is of no known format, damaged, or holds no mesh.
pub fn read_mesh(path: &Path) -> Result<JoinedMesh, ExchangeError> {
    read_placed(path, &MeshPlacement::default())
}

/// As [`read_mesh`], with other axes or another unit than the format's.
///
/// # Errors
/// As for [`read_mesh`]; the scale is out of range.
pub fn read_placed(path: &Path, placement: &MeshPlacement) -> Result<JoinedMesh, ExchangeError> {
    let (bytes, format) = read_bytes(path)?;
    let unjoined = unjoined(&bytes, format, Some(&SideFiles::beside(path)))?;
    drop(bytes);
    joined(unjoined, placement)
}

/// Reads a navigation mesh of any format as it lies in the file: what this program writes is not checked, so that it may
/// be damaged; what others write is joined, keeps its links without ground at an end, and stands beside that as the file
/// lists it, where its polygons name their corners by number.
///
/// # Errors
/// As [`read_placed`], but for faults of the mesh itself.
pub fn read_unchecked(path: &Path, placement: &MeshPlacement) -> Result<UncheckedMesh, ExchangeError> {
    let (bytes, format) = read_bytes(path)?;
    Ok(match unjoined(&bytes, format, Some(&SideFiles::beside(path)))? {
        Unjoined::Own { mut file, .. } => {
            placement.place_own(&mut file)?;
            UncheckedMesh {
                agent_radius: file.values.as_ref().map(|v| v.agent.radius),
                file,
                ..UncheckedMesh::default()
            }
        }
        Unjoined::Foreign(mut mesh) => {
            placement.place_foreign(&mut mesh)?;
            let (agent_radius, links) = (mesh.agent_radius, mesh.links.clone());
            let listed = listed(std::mem::take(&mut mesh.listed)).map(|mesh| MeshFile { mesh, ..MeshFile::default() });
            let (file, listed, notes) = match (mesh.join(), listed) {
                (Ok(JoinedMesh { file, detour, notes, .. }), listed) => {
                    (MeshFile { values: detour, ..file }, listed, notes)
                }
                (Err(error), Some(listed)) => {
                    (listed, None, vec![format!("No other command opens the file: {error}.")])
                }
                (Err(error), None) => return Err(error),
            };
            UncheckedMesh { agent_radius, file: MeshFile { links, ..file }, listed, notes }
        }
    })
}

/// A mesh as it lies in a file.
#[derive(Clone, Debug, Default)]
pub struct UncheckedMesh {
    /// The mesh, which may be damaged.
    pub file: MeshFile,
    /// Its polygons as the file lists them, before borders are joined, polygons split and left out: of formats of other
    /// programs that name corners by number.
    pub listed: Option<MeshFile>,
    /// Radius of the agents that it was made for, metres, where the file tells.
    pub agent_radius: Option<f32>,
    /// What other commands leave out or change where they open the file, a sentence each.
    pub notes: Vec<String>,
}

/// The bytes of a navigation mesh, and their format.
fn read_bytes(path: &Path) -> Result<(Vec<u8>, MeshFormat), ExchangeError> {
    let bytes = read(path, MAX_MESH_BYTES)?;
    if trinity::is_map(&bytes) || trinity::is_old_map(path, bytes.len() as u64) {
        return Ok((trinity::map_as_set(path)?, MeshFormat::WarcraftMap));
    }
    let ends = |name: &str| has_extension(path, &[name]);
    let begin = told_by(&bytes);
    // Their lines begin as those of an OBJ file do.
    if let Some(b's' | b'f' | b'#' | b'/' | b';' | 0xef) = begin.trim_ascii_start().first()
        && let Ok(text) = std::str::from_utf8(&bytes)
    {
        let what = match () {
            () if is_demo_cases(text) => Some("test cases of RecastDemo, no mesh; `walkabout nav-test` runs them"),
            () if is_geometry_set(text) => Some("a scene of RecastDemo, no mesh; open it as a scene, or bake it"),
            () => None,
        };
        if let Some(what) = what {
            return Err(ExchangeError::Text(format!("the file holds {what}")));
        }
    }
    // What the begin of a file does not tell is told by its name: one of ours that is damaged, JSON whose keys stand
    // behind long lists, a long comment.
    let by_name = || match () {
        () if ends("navmesh") => Some(MeshFormat::Navmesh),
        () if ends("json") && contains(&bytes, b"\"indices\"") => Some(MeshFormat::Unity),
        () if ends("json") => Some(MeshFormat::Json),
        () if ends("obj") => Some(MeshFormat::Obj),
        () => None,
    };
    let format = MeshFormat::of(begin).or_else(|| MeshFormat::of_surface(begin)).or_else(by_name);
    let unread = || {
        let kind = UNREAD_KINDS.iter().find(|(begin, _)| bytes.starts_with(begin));
        kind.map_or(ExchangeError::Unknown, |(_, what)| ExchangeError::Text(format!("the file holds {what}")))
    };
    let format = format.ok_or_else(unread)?;
    Ok((bytes, format))
}

/// Reads the bytes of a navigation mesh and checks it.
///
/// # Errors
/// The bytes are damaged or hold no mesh.
pub fn parse_mesh(bytes: &[u8], format: MeshFormat) -> Result<JoinedMesh, ExchangeError> {
    parse_placed(bytes, format, &MeshPlacement::default())
}

/// As [`parse_mesh`], with other axes or another unit than the format's.
///
/// # Errors
/// As for [`parse_mesh`]; the scale is out of range.
pub fn parse_placed(bytes: &[u8], format: MeshFormat, placement: &MeshPlacement) -> Result<JoinedMesh, ExchangeError> {
    joined(unjoined(bytes, format, None)?, placement)
}

/// Places a mesh, joins its polygons and checks it.
fn joined(unjoined: Unjoined, placement: &MeshPlacement) -> Result<JoinedMesh, ExchangeError> {
    match unjoined {
        Unjoined::Own { format, mut file } => {
            if !placement.is_identity() {
                placement.place_own(&mut file)?;
            }
            let (mesh, links) = file.check()?;
            let (cover, notes) = (Vec::new(), Vec::new());
            let detour = file.values.take();
            Ok(JoinedMesh { format: format.into(), file, mesh, detour, links, cover, notes })
        }
        Unjoined::Foreign(mut mesh) => {
            if !placement.is_identity() {
                placement.place_foreign(&mut mesh)?;
                mesh.format += &format!("; taken as {}, times {}", placement.axes, placement.scale as f32);
            }
            mesh.join()
        }
    }
}

/// `side` are the files beside it, where it has a place.
fn unjoined(bytes: &[u8], format: MeshFormat, side: Option<&SideFiles>) -> Result<Unjoined, ExchangeError> {
    let text = |what| match std::str::from_utf8(bytes) {
        Ok(_) if bytes.len() > MAX_TEXT_BYTES => {
            Err(ExchangeError::TooMany { what: "bytes of text", count: bytes.len(), limit: MAX_TEXT_BYTES })
        }
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(_) => Err(ExchangeError::NotText(what)),
    };
    let plain = |format, mesh| Unjoined::Own { format, file: MeshFile { mesh, ..MeshFile::default() } };
    Ok(Unjoined::Foreign(match format {
        MeshFormat::Navmesh => {
            return Ok(Unjoined::Own { format: "Walkabout navigation mesh", file: MeshFile::from_bytes(bytes)? });
        }
        MeshFormat::Json => return Ok(plain("navigation mesh in JSON", RawMesh::from_json(text("JSON")?)?)),
        MeshFormat::Polyanya => {
            return Ok(plain("mesh of the path benchmarks", RawMesh::from_polyanya(text("a mesh")?)?));
        }
        MeshFormat::GridMap => {
            return Ok(plain("grid map of the path benchmarks", grid_map::read_grid_map(text("a grid map")?)?));
        }
        MeshFormat::DetourSet => detour_set::read_set(bytes)?,
        MeshFormat::DetourTile => detour_set::read_single_tile(bytes)?,
        MeshFormat::WarcraftTile => {
            let tile = detour_set::read_single_tile(trinity::tile_payload(bytes)?)?;
            ForeignMesh { format: format!("tile of a World of Warcraft server (.mmtile) as a {}", tile.format), ..tile }
        }
        // Its tiles, gathered into a set.
        MeshFormat::WarcraftMap => {
            let set = detour_set::read_set(bytes)?;
            ForeignMesh { format: format!("map of World of Warcraft as a {}", set.format), ..set }
        }
        MeshFormat::SourceNav => source_nav::read_source_nav(bytes)?,
        MeshFormat::Godot => godot::read_godot(text("a resource or scene of Godot")?, side)?,
        MeshFormat::Unity => unity::read_unity(text("JSON")?)?,
        // Comments and names may be in Latin-1, as some modelling programs write them; what is read is ASCII.
        MeshFormat::Obj
            if std::str::from_utf8(bytes).is_err() && !bytes.contains(&0) && bytes.len() <= MAX_TEXT_BYTES =>
        {
            surface::read_obj(&String::from_utf8_lossy(bytes))?
        }
        MeshFormat::Obj => surface::read_obj(text("OBJ")?)?,
        MeshFormat::Ply => surface::read_ply(bytes)?,
        MeshFormat::Gltf => surface::read_gltf(bytes, side)?,
        MeshFormat::TileCache => {
            let format = "Detour tile cache (TSET), mesh built from its layers";
            return Ok(Unjoined::Own { format, file: tile_cache::read_tile_cache(bytes)? });
        }
    }))
}
