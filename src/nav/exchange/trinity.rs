//! Tiles of World of Warcraft servers, `.mmtile`: a header before one tile of Detour. TrinityCore and MaNGOS write 20
//! bytes; AzerothCore adds 36 bytes about how the tile was made.
//!
//! The axes x, y, z of the tile are y, z, x of the game.

use super::{Bytes, ExchangeError};

/// The first four bytes as a number.
const MAGIC: u32 = 0x4D4D_4150;

/// The version of Detour's meshes that is in use.
const DETOUR_VERSION: u32 = 7;

/// Bytes of the settings that AzerothCore writes after the header.
const SETTINGS_BYTES: usize = 36;

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
            "the tile is of version {detour} of Detour, but only {DETOUR_VERSION} is read; a file .mmap holds no polygons, \
             name the .mmtile files beside it"
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
    fn other_files_are_refused() {
        let payload: Vec<u8> = (0..200).collect();
        let bytes = tile(0, &payload);
        for length in 0..bytes.len() {
            assert!(tile_payload(&bytes[..length]).is_err(), "cut to {length} bytes");
        }
        assert!(tile_payload(&tile(12, &payload)).is_err());
        // A map's own file: the version of the format is where a tile has Detour's.
        let mut map = bytes;
        map[4] = 16;
        let text = tile_payload(&map).map_or_else(|e| e.to_string(), |_| String::new());
        assert!(text.contains(".mmtile"), "{text}");
    }
}
