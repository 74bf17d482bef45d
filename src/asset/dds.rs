//! DDS textures: pixels in the blocks that graphics cards read.

use super::pixels::{PictureError, Pixels, level_for};
use image_dds::{ImageFormat, Surface, ddsfile::Dds};

/// Name of the format, for errors.
const FORMAT: &str = "DDS";

/// Whether a file begins as a DDS texture.
pub(super) fn is_dds(bytes: &[u8]) -> bool {
    bytes.starts_with(b"DDS ")
}

/// Decodes the first picture of a DDS file, or the largest of its smaller levels that takes at most `most` bytes.
///
/// # Errors
/// It is damaged, of a kind that is not read, or larger than allowed.
pub(super) fn decode(bytes: &[u8], most: u64) -> Result<Pixels, PictureError> {
    let wrong = |reason: String| PictureError::Blocks { format: FORMAT, reason };
    let file = Dds::read(bytes).map_err(|e| wrong(e.to_string()))?;
    let full_size = [file.get_width(), file.get_height()];
    let level = level_for(full_size, file.get_num_mipmap_levels(), most)?;
    if file.get_depth() > 1 {
        return Err(wrong("it is a volume; save a flat picture".into()));
    }
    let surface = Surface::from_dds(&file).map_err(|e| wrong(e.to_string()))?;
    let format = surface.image_format;
    let decoded = surface.decode_layers_mipmaps_rgba8(0..1, level..level + 1).map_err(|e| wrong(e.to_string()))?;
    let mut rgba = decoded.data;
    if matches!(format, ImageFormat::BC5RgUnorm | ImageFormat::BC5RgSnorm) {
        complete_normals(&mut rgba);
    }
    Pixels::of_level(FORMAT, full_size, level, rgba)
}

/// Textures of two channels are normal maps: the third component follows from the length of 1.
fn complete_normals(rgba: &mut [u8]) {
    for texel in rgba.chunks_exact_mut(4) {
        let [x, y] = [texel[0], texel[1]].map(|c| f32::from(c) / 127.5 - 1.0);
        let z = (1.0 - x * x - y * y).max(0.0).sqrt();
        texel[2] = ((z + 1.0) * 127.5).round() as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A DDS file of 4 × 4 pixels with the name of its compression and its blocks (DDS_HEADER, Microsoft).
    fn file(four_cc: &[u8; 4], width: u32, blocks: &[u8]) -> Vec<u8> {
        let mut words = vec![124_u32, 0x1007, 4, width, 0, 0, 0];
        words.extend([0; 11]);
        words.extend([32, 4, u32::from_le_bytes(*four_cc), 0, 0, 0, 0, 0]);
        words.extend([0x1000, 0, 0, 0, 0]);
        let header = words.iter().flat_map(|w| w.to_le_bytes());
        b"DDS ".iter().copied().chain(header).chain(blocks.iter().copied()).collect()
    }

    #[test]
    fn blocks_of_one_colour_are_decoded() {
        // Both colours pure red in five, six and five bits, all indices 0.
        let red = file(b"DXT1", 4, &[0x00, 0xf8, 0x00, 0xf8, 0, 0, 0, 0]);
        let image = decode(&red, 1 << 20).unwrap();
        assert_eq!((image.width, image.height), (4, 4));
        assert!(image.rgba.chunks_exact(4).all(|texel| texel == [255, 0, 0, 255]), "{:?}", image.rgba);
    }

    #[test]
    fn a_smaller_level_stands_for_one_that_is_too_large() {
        let [red, blue] = [[0x00, 0xf8, 0x00, 0xf8, 0, 0, 0, 0], [0x1f, 0x00, 0x1f, 0x00, 0, 0, 0, 0]];
        let mut with_levels = file(b"DXT1", 8, &[red, red, blue].concat());
        // The flag that the number of levels is told, and the number.
        with_levels[10] |= 2;
        with_levels[28..32].copy_from_slice(&2_u32.to_le_bytes());
        let image = decode(&with_levels, 4 * 2 * 4).unwrap();
        assert_eq!((image.width, image.height, image.full_size), (4, 2, [8, 4]));
        assert!(image.rgba.chunks_exact(4).all(|texel| texel == [0, 0, 255, 255]), "{:?}", image.rgba);
        assert!(matches!(decode(&with_levels, 16), Err(PictureError::TooLarge { needed: 128, .. })));
    }

    #[test]
    fn the_third_component_of_normals_follows() {
        let half = [128, 128, 0, 0, 0, 0, 0, 0];
        let image = decode(&file(b"ATI2", 4, &[half, half].concat()), 1 << 20).unwrap();
        assert!(image.rgba.chunks_exact(4).all(|texel| texel == [128, 128, 255, 255]), "{:?}", image.rgba);
    }

    #[test]
    fn damaged_and_huge_files_are_refused() {
        let error = |bytes: &[u8]| decode(bytes, 1 << 20).unwrap_err().to_string();
        let whole = file(b"DXT1", 4, &[0; 8]);
        for length in [4, 60, whole.len() - 1] {
            assert!(error(&whole[..length]).contains("DDS texture is not read"), "{length}");
        }
        assert!(error(&file(b"ABCD", 4, &[0; 8])).contains("not read"));
        assert!(matches!(decode(&file(b"DXT1", 1 << 31, &[0; 8]), 1 << 20), Err(PictureError::TooLarge { .. })));
    }
}
