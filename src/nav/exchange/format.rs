//! Which format a file has, told by its content.

use std::io::Read;
use std::path::Path;

use super::join::JoinedMesh;
use super::{ExchangeError, detour_set, detour_tile, godot, source_nav, trinity, unity};
use crate::disk::read;
use crate::disk::read::open;
use crate::nav::mesh::{MAX_MESH_BYTES, MeshFile, NAVMESH_MAGIC, RawMesh, is_polyanya};

/// Usual endings of navigation meshes that are read.
pub const MESH_EXTENSIONS: [&str; 8] = ["navmesh", "json", "bin", "mesh", "nav", "mmtile", "tres", "tscn"];
/// Bytes that tell a format.
pub const FORMAT_BYTES: usize = 4096;
/// Largest text that is read, bytes.
const MAX_TEXT_BYTES: usize = 256 << 20;
/// `TSET` as a number.
const TILE_CACHE: u32 = 0x5453_4554;

/// A format of navigation meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// This program's own.
    Navmesh,
    /// Lists of vertices and polygons.
    Json,
    /// The path benchmarks.
    Polyanya,
    /// A set of Detour's tiles.
    DetourSet,
    /// One of Detour's tiles.
    DetourTile,
    /// One of Detour's tiles behind the header of a World of Warcraft server.
    WarcraftTile,
    /// The Source engine's, and its forebear's.
    SourceNav,
    /// Godot's resource or scene as text.
    Godot,
    /// Unity's triangulation as JSON.
    Unity,
    /// Compressed layers of Detour's tile cache: known, not read.
    TileCache,
}

impl MeshFormat {
    /// The format of a file that begins so; `None` for what is no navigation mesh, models and levels among them.
    pub fn of(begin: &[u8]) -> Option<Self> {
        let text = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin).trim_ascii_start();
        let has_number = |n: u32| begin.starts_with(&n.to_le_bytes()) || begin.starts_with(&n.to_be_bytes());
        Some(match () {
            () if begin.starts_with(&NAVMESH_MAGIC) => Self::Navmesh,
            () if detour_set::is_set(begin) => Self::DetourSet,
            () if detour_tile::is_tile(begin) => Self::DetourTile,
            () if trinity::is_mmtile(begin) => Self::WarcraftTile,
            () if source_nav::is_source_nav(begin) => Self::SourceNav,
            () if has_number(TILE_CACHE) => Self::TileCache,
            () if is_polyanya(begin) => Self::Polyanya,
            // Not every text of JSON: glTF is one, too.
            () if text.starts_with(b"{") && [&b"\"verts\""[..], b"\"polys\""].iter().any(|k| contains(begin, k)) => {
                Self::Json
            }
            () if text.starts_with(b"{") && is_unity(text) => Self::Unity,
            () if godot::is_godot(text) => Self::Godot,
            () => return None,
        })
    }
}

/// Whether a file begins as a navigation mesh does. Models and levels of some formats have the same endings: they begin
/// otherwise.
pub fn is_mesh_file(path: &Path) -> bool {
    let mut begin = Vec::new();
    let opened = open(path, u64::MAX);
    let is_read = opened.is_ok_and(|(file, _)| file.take(FORMAT_BYTES as u64).read_to_end(&mut begin).is_ok());
    is_read && MeshFormat::of(&begin).is_some()
}

/// Whether the first key of a JSON object is one of Unity's triangulation, and others follow or are cut off.
fn is_unity(begin: &[u8]) -> bool {
    let first = begin[1..].trim_ascii_start();
    [&b"\"vertices\""[..], b"\"indices\""].iter().any(|key| first.starts_with(key))
        || first.starts_with(b"\"areas\"") && contains(begin, b"\"indices\"")
}

/// Whether bytes hold a word.
fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|w| w == word)
}

/// Reads a navigation mesh of any format, told by its content, and checks it.
///
/// # Errors
/// The file cannot be read, is of no known format, damaged, or holds no mesh.
pub fn read_mesh(path: &Path) -> Result<JoinedMesh, ExchangeError> {
    let (bytes, format) = read_bytes(path)?;
    parse_mesh(&bytes, format)
}

/// The bytes of a navigation mesh, and their format.
fn read_bytes(path: &Path) -> Result<(Vec<u8>, MeshFormat), ExchangeError> {
    let bytes = read(path, MAX_MESH_BYTES)?;
    let is_json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    // The keys that tell Unity's JSON from ours may stand behind long lists.
    let by_name = || match contains(&bytes, b"\"indices\"") {
        true => MeshFormat::Unity,
        false => MeshFormat::Json,
    };
    let format = MeshFormat::of(&bytes[..bytes.len().min(FORMAT_BYTES)]).or_else(|| is_json.then(by_name));
    // A file of ours that is damaged at its begin is told by its name.
    let is_navmesh = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("navmesh"));
    match format.or(is_navmesh.then_some(MeshFormat::Navmesh)) {
        Some(format) => Ok((bytes, format)),
        None => Err(ExchangeError::Unknown),
    }
}

/// Reads a navigation mesh of any format as it lies in the file: what this program writes is not checked, so that it may
/// be damaged; what others write is joined.
///
/// # Errors
/// As [`read_mesh`], but for faults of the mesh itself.
pub fn read_unchecked(path: &Path) -> Result<MeshFile, ExchangeError> {
    let (bytes, format) = read_bytes(path)?;
    match parse_own(&bytes, format)? {
        Some((_, file)) => Ok(file),
        None => Ok(parse_mesh(&bytes, format)?.file),
    }
}

/// Reads the bytes of a navigation mesh and checks it.
///
/// # Errors
/// The bytes are damaged or hold no mesh.
pub fn parse_mesh(bytes: &[u8], format: MeshFormat) -> Result<JoinedMesh, ExchangeError> {
    if matches!(format, MeshFormat::Json | MeshFormat::Unity | MeshFormat::Godot) && bytes.len() > MAX_TEXT_BYTES {
        return Err(ExchangeError::TooMany { what: "bytes of text", count: bytes.len(), limit: MAX_TEXT_BYTES });
    }
    if let Some((format, file)) = parse_own(bytes, format)? {
        let (mesh, links) = file.check()?;
        return Ok(JoinedMesh { format: format.into(), file, mesh, links, cover: Vec::new(), notes: Vec::new() });
    }
    let text = |what| str_of(bytes, what);
    match format {
        MeshFormat::Navmesh | MeshFormat::Json | MeshFormat::Polyanya => Err(ExchangeError::Unknown),
        MeshFormat::DetourSet => detour_set::read_set(bytes)?.join(),
        MeshFormat::DetourTile => detour_set::read_single_tile(bytes)?.join(),
        MeshFormat::WarcraftTile => detour_set::read_single_tile(trinity::tile_payload(bytes)?)?.join(),
        MeshFormat::SourceNav => source_nav::read_source_nav(bytes)?.join(),
        MeshFormat::Godot => godot::read_godot(text("a resource or scene of Godot")?)?.join(),
        MeshFormat::Unity => unity::read_unity(text("JSON")?)?.join(),
        MeshFormat::TileCache => Err(ExchangeError::TileCache),
    }
}

fn str_of<'a>(bytes: &'a [u8], what: &'static str) -> Result<&'a str, ExchangeError> {
    std::str::from_utf8(bytes).map_err(|_| ExchangeError::NotText(what))
}

/// A mesh whose polygons share their vertices already, unchecked, and its format in words; `None` for other formats.
fn parse_own(bytes: &[u8], format: MeshFormat) -> Result<Option<(&'static str, MeshFile)>, ExchangeError> {
    let text = |what| str_of(bytes, what);
    let plain = |mesh| MeshFile { mesh, ..MeshFile::default() };
    Ok(Some(match format {
        MeshFormat::Navmesh => ("Walkabout navigation mesh", MeshFile::from_bytes(bytes)?),
        MeshFormat::Json => ("navigation mesh in JSON", plain(RawMesh::from_json(text("JSON")?)?)),
        MeshFormat::Polyanya => ("mesh of the path benchmarks", plain(RawMesh::from_polyanya(text("a mesh")?)?)),
        _ => return Ok(None),
    }))
}
