//! KTX2 textures by Basis Universal: pixels in blocks, packed once more.

use super::pixels::{PictureError, Pixels, level_for};
use crate::asset::bytes::u32_at;
use crate::background::caught;
use basisu::{DecodeFlags, TargetFormat, Transcoder};

/// Name of the format, for errors.
const FORMAT: &str = "KTX2";

/// Whether a file begins as a KTX 2 texture (KTX 2.0 specification, section 3.1).
pub(super) fn is_ktx2(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xabKTX 20\xbb\r\n\x1a\n")
}

/// Decodes the largest level of a KTX2 file that takes at most `most` bytes.
///
/// # Errors
/// It is damaged, not by Basis Universal, or larger than allowed.
pub(super) fn decode(bytes: &[u8], most: u64) -> Result<Pixels, PictureError> {
    let wrong = |reason: String| PictureError::Blocks { format: FORMAT, reason };
    // The size is looked at before anything is unpacked.
    let (Some(full_width), Some(full_height), Some(levels)) = (u32_at(bytes, 20), u32_at(bytes, 24), u32_at(bytes, 40))
    else {
        return Err(wrong("it ends within its header".into()));
    };
    let full_size = [full_width, full_height];
    let level = level_for(full_size, levels, most)?;
    let unpack = || {
        let texture = Transcoder::new(bytes).map_err(|_| "it is damaged, or not by Basis Universal".to_owned())?;
        texture.transcode(level, TargetFormat::Rgba32, DecodeFlags::NONE).map_err(|e| format!("{e:?}"))
    };
    // A damaged file must not end the program, where a picture is decoded outside of a worker.
    let rgba = caught(unpack).ok_or_else(|| wrong("it is damaged".into()))?.map_err(wrong)?;
    Pixels::of_level(FORMAT, full_size, level, rgba)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A KTX2 file of levels that are each of 4 × 4 blocks of one colour in UASTC (KTX 2.0 specification, section 3; UASTC
    /// mode 8: five bits of mode, then eight bits for each of red, green, blue and alpha); the first is `width` × 4 pixels.
    fn file(width: u32, levels: &[&[[u8; 4]]]) -> Vec<u8> {
        let mut out = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
        let words = |out: &mut Vec<u8>, list: &[u32]| out.extend(list.iter().flat_map(|w| w.to_le_bytes()));
        let descriptor = 80 + 24 * levels.len() as u32;
        words(&mut out, &[0, 1, width, 4, 0, 0, 1, levels.len() as u32, 0]);
        words(&mut out, &[descriptor, 44, 0, 0, 0, 0, 0, 0]);
        let mut at = descriptor + 44;
        for colors in levels {
            let bytes = 16 * colors.len() as u32;
            words(&mut out, &[at, 0, bytes, 0, bytes, 0]);
            at += bytes;
        }
        words(&mut out, &[44, 0, 2 | 40 << 16, 166 | 1 << 8 | 2 << 16, 3 | 3 << 8, 16, 0]);
        words(&mut out, &[127 << 16 | 3 << 24, 0, 0, u32::MAX]);
        for color in levels.iter().copied().flatten() {
            let bits = u128::from(0x17_u8) | u128::from(u32::from_le_bytes(*color)) << 5;
            out.extend(bits.to_le_bytes());
        }
        out
    }

    #[test]
    fn a_block_of_one_colour_is_decoded() {
        let image = decode(&file(4, &[&[[200, 100, 50, 128]]]), 1 << 20).unwrap();
        assert_eq!((image.width, image.height), (4, 4));
        assert!(image.rgba.chunks_exact(4).all(|texel| texel == [200, 100, 50, 128]), "{:?}", image.rgba);
    }

    #[test]
    fn a_smaller_level_stands_for_one_that_is_too_large() {
        let with_levels = file(8, &[&[[255; 4], [255; 4]], &[[9, 8, 7, 255]]]);
        let image = decode(&with_levels, 4 * 2 * 4).unwrap();
        assert_eq!((image.width, image.height, image.full_size), (4, 2, [8, 4]));
        assert!(image.rgba.chunks_exact(4).all(|texel| texel == [9, 8, 7, 255]), "{:?}", image.rgba);
        assert_eq!(decode(&with_levels, 8 * 4 * 4).unwrap().width, 8);
        assert!(matches!(decode(&with_levels, 16), Err(PictureError::TooLarge { needed: 128, .. })));
    }

    #[test]
    fn damaged_and_huge_files_are_refused() {
        let error = |bytes: &[u8]| decode(bytes, 1 << 20).unwrap_err().to_string();
        let whole = file(4, &[&[[1; 4]]]);
        for length in [12, 100, 150] {
            assert!(error(&whole[..length]).contains("KTX2 texture is not read"), "{length}");
        }
        assert!(matches!(decode(&file(1 << 20, &[&[[1; 4]]]), 1 << 20), Err(PictureError::TooLarge { .. })));
    }
}
