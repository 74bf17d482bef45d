//! Which format a file has, told by its content.

use std::io::Read;
use std::path::Path;

use super::tile_cache::is_tile_cache;
use super::{detour_set, detour_tile, godot, grid_map, source_nav, surface, trinity};
use crate::disk::read::open;
use crate::nav::mesh::{NAVMESH_MAGIC, is_polyanya};

/// What files of other programs begin with whose meshes are read in other forms only, and what to do about each.
pub(super) const UNREAD_KINDS: [(&[u8], &str); 4] = [
    (b"RSRC", BINARY_GODOT),
    (b"RSCC", BINARY_GODOT),
    (b"\xc1\x83\x2a\x9e", "a package of Unreal Engine; export its navigation mesh as OBJ there"),
    (
        b"%YAML 1.1\n%TAG !u! tag:unity3d.com",
        "an asset of Unity; write the triangulation of its navigation mesh as JSON there",
    ),
];
/// Of Godot's binary resources and scenes, compressed or not.
const BINARY_GODOT: &str = "a binary resource or scene of Godot; save it as text (.tres, .tscn) there";

/// Usual endings of navigation meshes that are read.
pub const MESH_EXTENSIONS: [&str; 10] =
    ["navmesh", "json", "bin", "mesh", "map", "nav", "mmtile", "mmap", "tres", "tscn"];
/// Endings of models that can serve as navigation meshes.
pub const SURFACE_EXTENSIONS: [&str; 4] = ["obj", "ply", "glb", "gltf"];
/// Bytes that tell a format.
pub const FORMAT_BYTES: usize = 4096;
/// Longest comment before what tells a format, bytes.
const MAX_COMMENT: usize = 1 << 20;

/// A format of navigation meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// This program's own.
    Navmesh,
    /// Lists of vertices and polygons.
    Json,
    /// Meshes of the path benchmarks.
    Polyanya,
    /// Grid maps of the path benchmarks.
    GridMap,
    /// A set of Detour's tiles.
    DetourSet,
    /// One of Detour's tiles.
    DetourTile,
    /// One of Detour's tiles behind the header of a World of Warcraft server.
    WarcraftTile,
    /// A map of a World of Warcraft server, with its tiles beside it.
    WarcraftMap,
    /// The Source engine's, and its forebear's.
    SourceNav,
    /// Godot's resource or scene as text.
    Godot,
    /// Unity's triangulation as JSON.
    Unity,
    /// A surface of a modelling program, Wavefront OBJ.
    Obj,
    /// A surface, PLY.
    Ply,
    /// A surface, glTF.
    Gltf,
    /// Compressed layers of Detour's tile cache.
    TileCache,
}

impl MeshFormat {
    /// The format of a file that begins so; `None` for what is no navigation mesh, models and levels among them.
    pub fn of(begin: &[u8]) -> Option<Self> {
        let text = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin).trim_ascii_start();
        Some(match () {
            () if begin.starts_with(&NAVMESH_MAGIC) => Self::Navmesh,
            () if detour_set::is_set(begin) => Self::DetourSet,
            () if detour_tile::is_tile(begin) => Self::DetourTile,
            () if trinity::is_map(begin) => Self::WarcraftMap,
            () if trinity::is_mmtile(begin) => Self::WarcraftTile,
            () if source_nav::is_source_nav(begin) => Self::SourceNav,
            () if is_tile_cache(begin) => Self::TileCache,
            () if is_polyanya(begin) => Self::Polyanya,
            () if grid_map::is_grid_map(begin) => Self::GridMap,
            // Not every text of JSON: glTF is one, too.
            () if text.starts_with(b"{") && [&b"\"verts\""[..], b"\"polys\""].iter().any(|k| contains(begin, k)) => {
                Self::Json
            }
            () if text.starts_with(b"{") && is_unity(text) => Self::Unity,
            () if godot::is_godot(text) => Self::Godot,
            () => return None,
        })
    }

    /// The format of a model or level that can serve as a navigation mesh, where one is asked for.
    pub fn of_surface(begin: &[u8]) -> Option<Self> {
        Some(match () {
            () if surface::is_ply(begin) => Self::Ply,
            () if surface::is_gltf(begin) => Self::Gltf,
            () if surface::is_obj(begin) => Self::Obj,
            () => return None,
        })
    }
}

/// The first bytes of a file, those behind a long comment where it begins with one; empty where it cannot be read.
fn begin_of(path: &Path) -> Vec<u8> {
    let mut begin = Vec::new();
    let Ok((file, _)) = open(path, u64::MAX) else { return begin };
    let mut file = file.take(MAX_COMMENT as u64);
    if file.by_ref().take(FORMAT_BYTES as u64).read_to_end(&mut begin).is_err() {
        return Vec::new();
    }
    if told_by(&begin).is_empty() && file.read_to_end(&mut begin).is_err() {
        return Vec::new();
    }
    told_by(&begin).to_vec()
}

/// The bytes that tell a format: the first, or those from the first line on that is no comment where the first are nothing
/// but one.
pub(super) fn told_by(bytes: &[u8]) -> &[u8] {
    let begin = &bytes[..bytes.len().min(FORMAT_BYTES)];
    let is_comment = |line: &[u8]| matches!(line.trim_ascii().first(), None | Some(b'#' | b';'));
    let mut at = 0;
    // The last line may be cut off; the others are whole.
    for line in bytes[..bytes.len().min(MAX_COMMENT)].split_inclusive(|&byte| byte == b'\n') {
        if !is_comment(line) {
            return if at < begin.len() { begin } else { &bytes[at..bytes.len().min(at + FORMAT_BYTES)] };
        }
        at += line.len();
    }
    if bytes.len() < FORMAT_BYTES { begin } else { &[] }
}

/// Whether a file begins as a navigation mesh does, or as one of another program's files whose meshes are read in other forms only: the
/// reader says in which. Models and levels of some formats have the same endings: they begin otherwise.
pub fn is_mesh_file(path: &Path) -> bool {
    mesh_format_of(path).is_some() || UNREAD_KINDS.iter().any(|(begin, _)| begin_of(path).starts_with(begin))
}

/// The format of a navigation mesh that its first bytes tell, of maps of older servers their name and length.
pub fn mesh_format_of(path: &Path) -> Option<MeshFormat> {
    let begin = begin_of(path);
    let old_map = || trinity::is_old_map(path, begin.len() as u64).then_some(MeshFormat::WarcraftMap);
    MeshFormat::of(&begin).or_else(old_map)
}

/// Width and height in cells, where a file begins as a grid map does.
pub fn grid_map_size(path: &Path) -> Option<[usize; 2]> {
    grid_map::size_of_map(&begin_of(path))
}

/// Whether a file begins as a model does that can serve as a navigation mesh.
pub fn is_surface_file(path: &Path) -> bool {
    MeshFormat::of_surface(&begin_of(path)).is_some()
}

/// Whether the first key of a JSON object is one of Unity's triangulation, and others follow or are cut off.
fn is_unity(begin: &[u8]) -> bool {
    let first = begin[1..].trim_ascii_start();
    [&b"\"vertices\""[..], b"\"indices\""].iter().any(|key| first.starts_with(key))
        || first.starts_with(b"\"areas\"") && contains(begin, b"\"indices\"")
}

/// Whether bytes hold a word.
pub(super) fn contains(bytes: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(bytes, word).is_some()
}
