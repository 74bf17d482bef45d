//! Tiles of World of Warcraft servers, `.mmtile`: a header before one tile of Detour. TrinityCore and MaNGOS write 20
//! bytes; AzerothCore adds 36 bytes about how the tile was made.
//!
//! A whole map is a file `.mmap` with the parameters of the mesh, and tiles beside it whose names are its own and their
//! place: `0003237.mmtile`, of newer TrinityCore and SkyFire `0000_32_37.mmtile`. The one tile of a ship has the name of its
//! map alone (`go00012.mmtile`). Older servers write the parameters alone.
//!
//! The axes x, y, z of the tile are y, z, x of the game.

use std::path::{Path, PathBuf};

use super::detour_tile::VERSION as DETOUR_VERSION;
use super::{Bytes, ExchangeError, detour_set};
use crate::disk::{folder_of, has_extension, read};
use crate::nav::mesh::MAX_MESH_BYTES;

/// The first four bytes as a number.
const MAGIC: u32 = 0x4D4D_4150;

/// Bytes of the settings that AzerothCore writes after the header.
const SETTINGS_BYTES: usize = 36;

/// The first version of the servers' format whose maps begin as tiles do.
const MAP_VERSION: u32 = 15;

/// Bytes of the parameters alone, as older servers write them for a map.
const PARAMETERS_BYTES: u64 = 28;

/// Whether a file begins as one of a whole map does: where a tile has the version of Detour, a map has that of the format.
pub fn is_map(bytes: &[u8]) -> bool {
    let mut words = Bytes::new(bytes);
    words.u32() == Some(MAGIC) && words.u32().is_some_and(|version| version >= MAP_VERSION)
}

/// Whether a file is that of a whole map, by its name and length: older ones have no mark.
pub fn is_old_map(path: &Path, bytes: u64) -> bool {
    bytes == PARAMETERS_BYTES && has_extension(path, &["mmap"])
}

/// Whether what follows the name of its map in a tile's name is a place: two digits each of column and row, also with `_`
/// before both; nothing where the map has one tile.
fn is_place(rest: &str) -> bool {
    let is_number = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
    let parts = match rest.strip_prefix('_') {
        Some(parts) => parts.split_once('_'),
        None => rest.split_at_checked(2),
    };
    rest.is_empty() || parts.is_some_and(|(column, row)| is_number(column) && is_number(row))
}

/// The tiles beside the file of a map, in the order of their names.
///
/// # Errors
/// The folder cannot be listed.
pub fn tiles_beside(path: &Path) -> Result<Vec<PathBuf>, ExchangeError> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let is_tile = |tile: &Path| {
        let stem = tile.file_stem().unwrap_or_default().to_string_lossy();
        has_extension(tile, &["mmtile"]) && stem.strip_prefix(&*name).is_some_and(is_place)
    };
    let entries = std::fs::read_dir(folder_of(path)).map_err(|e| ExchangeError::Read(e.into()))?;
    let mut tiles: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| is_tile(path)).collect();
    tiles.sort();
    Ok(tiles)
}

/// The tiles beside the file of a map, as a set of Detour's tiles.
///
/// # Errors
/// There are none, one is damaged, or they are too large together.
pub fn map_as_set(path: &Path) -> Result<Vec<u8>, ExchangeError> {
    let tiles = tiles_beside(path)?;
    if tiles.is_empty() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        return Err(ExchangeError::Text(format!(
            "the file of a map holds no polygons, and beside it is no tile {name}0000.mmtile, {name}_00_00.mmtile or of \
             another place; copy the tiles there"
        )));
    }
    let mut set = detour_set::begin_set(tiles.len());
    for tile in tiles {
        let named = |e: ExchangeError| {
            let tile = tile.file_name().unwrap_or_default().to_string_lossy();
            ExchangeError::Text(format!("its tile {tile}: {e}"))
        };
        let bytes = read(&tile, MAX_MESH_BYTES.saturating_sub(set.len() as u64)).map_err(|e| named(e.into()))?;
        detour_set::push_tile(&mut set, tile_payload(&bytes).map_err(named)?);
    }
    Ok(set)
}

/// Whether a file begins as these tiles do. The `.mmap` of a whole map may begin so, too.
pub fn is_mmtile(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// Detour's tile behind the header.
///
/// # Errors
/// Another format, another version of Detour, more or fewer bytes than the header says.
pub fn tile_payload(bytes: &[u8]) -> Result<&[u8], ExchangeError> {
    if !is_mmtile(bytes) {
        return Err(ExchangeError::Unknown);
    }
    let cut = || ExchangeError::Text("the header of the tile is cut short; copy the file again".into());
    let mut rest = Bytes::new(bytes);
    rest.u32().ok_or_else(cut)?;
    let detour = rest.u32().ok_or_else(cut)?;
    if detour != DETOUR_VERSION {
        return Err(ExchangeError::Text(format!(
            "the tile is of version {detour} of Detour, but only {DETOUR_VERSION} is read; build it anew by a server \
             of today"
        )));
    }
    rest.u32().ok_or_else(cut)?;
    let size = rest.u32().ok_or_else(cut)? as usize;
    // Whether liquids are in use, padded.
    rest.take(4).ok_or_else(cut)?;
    let rest = rest.rest();
    match rest.len().checked_sub(size) {
        Some(0) => Ok(rest),
        Some(SETTINGS_BYTES) => Ok(&rest[SETTINGS_BYTES..]),
        _ => Err(ExchangeError::Text(format!(
            "the header of the tile tells of {size} bytes, but {} follow; copy the file again or build the tile anew",
            rest.len()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(settings: usize, payload: &[u8]) -> Vec<u8> {
        let header = [MAGIC, DETOUR_VERSION, 15, payload.len() as u32, 1];
        let mut bytes: Vec<u8> = header.iter().flat_map(|n| n.to_le_bytes()).collect();
        bytes.resize(bytes.len() + settings, 9);
        bytes.extend(payload);
        bytes
    }

    #[test]
    fn the_tile_is_what_follows_either_header() {
        let payload: Vec<u8> = (0..200).collect();
        for settings in [0, SETTINGS_BYTES] {
            let bytes = tile(settings, &payload);
            assert!(is_mmtile(&bytes));
            assert_eq!(tile_payload(&bytes).ok(), Some(&payload[..]));
        }
    }

    #[test]
    fn tiles_have_the_names_of_old_and_new_servers() {
        for rest in ["3237", "_32_37", "_00_00", ""] {
            assert!(is_place(rest), "{rest}");
        }
        for rest in ["323", "32370", "_3237", "32_37", "_32_3", "_32_37_1", "_", "ab12", "\u{e4}12", "_3\u{e4}_12"] {
            assert!(!is_place(rest), "{rest}");
        }
    }

    #[test]
    fn other_files_are_refused() {
        let payload: Vec<u8> = (0..200).collect();
        let bytes = tile(0, &payload);
        for length in 0..bytes.len() {
            assert!(tile_payload(&bytes[..length]).is_err(), "cut to {length} bytes");
        }
        assert!(tile_payload(&tile(12, &payload)).is_err());
        // A map's own file: the version of the format is where a tile has Detour's.
        assert!(!is_map(&bytes));
        let mut map = bytes;
        map[4] = 16;
        assert!(is_map(&map) && tile_payload(&map).is_err());
    }
}
