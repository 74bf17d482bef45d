//! Decoded images.

use super::downscale::rgba_of;
use super::import::limits;
pub use super::pixels::{PictureError, Reduction};
use super::pixels::{Pixels, check_size};
use super::{dds, downscale, ktx2};
use crate::disk::{has_extension, memory};
use crate::math::color::linear_from_srgb;
use ::image::{ColorType, DynamicImage, ExtendedColorType, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};
use glam::Vec3;
use std::io::{BufRead, Cursor, Seek};
use std::path::Path;

/// Bytes that the pictures of a file may take however small they are in it: two of 4096 × 4096 pixels.
const FIRST_BYTES: u64 = 128 << 20;
/// Bytes that they may take for each byte in their files.
const BYTES_PER_FILE_BYTE: u64 = 128;
/// Pixels that are decoded of the pictures of a file however small they are in it, some ten seconds' worth, and more for each
/// byte in their files.
const FIRST_PIXELS: u64 = 1 << 30;
const PIXELS_PER_FILE_BYTE: u64 = 64;
/// Of the memory that is free, they may take one part in so many: the program and its worker hold copies.
const FREE_SHARE: u64 = 8;

/// How files of Photoshop begin.
const PSD_MAGIC: &[u8] = b"8BPS";

/// An 8-bit RGBA image, rows from the top, straight alpha.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// Where it came from, for messages.
    pub name: String,
    /// Width in pixels, at least 1.
    pub width: u32,
    /// Height in pixels, at least 1.
    pub height: u32,
    /// `width * height * 4` bytes.
    pub rgba: Vec<u8>,
}

impl Image {
    /// Decodes a picture file; `name` is for messages, and tells a TGA file by its extension. A PNG, JPEG, KTX2 or DDS file
    /// that is larger than [`PictureBudget`] allows is shown smaller, which is logged.
    ///
    /// # Errors
    /// It is of no known format, damaged, or larger than [`PictureBudget`] allows.
    pub fn decode(bytes: &[u8], name: String) -> Result<Self, PictureError> {
        let DecodedPicture { image, reduction } = PictureBudget::default().decode(bytes, name)?;
        if let Some(reduction) = reduction {
            tracing::warn!("picture {:?} is {reduction}", image.name);
        }
        Ok(image)
    }

    /// The bytes of a picture file.
    ///
    /// # Errors
    /// The format does not hold such pictures.
    pub fn encoded(&self, format: ImageFormat) -> Result<Vec<u8>, ImageError> {
        let mut out = Cursor::new(Vec::new());
        let color = ExtendedColorType::Rgba8;
        ::image::write_buffer_with_format(&mut out, &self.rgba, self.width, self.height, color, format)?;
        Ok(out.into_inner())
    }

    /// The mean of its colours, linear, 0…1.
    pub fn mean_light(&self) -> Vec3 {
        let mut counts = [[0_u64; 256]; 3];
        for texel in self.rgba.chunks_exact(4) {
            counts.iter_mut().zip(texel).for_each(|(count, &value)| count[usize::from(value)] += 1);
        }
        let texels = (self.rgba.len() / 4).max(1) as f64;
        Vec3::from(counts.map(|channel| {
            let values = (0..=u8::MAX).zip(channel);
            let light = |value: u8| f64::from(linear_from_srgb(f32::from(value) / 255.0));
            (values.map(|(value, count)| light(value) * count as f64).sum::<f64>() / texels) as f32
        }))
    }
}

/// A picture, and how far it was shrunk.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedPicture {
    /// The picture as it is shown.
    pub image: Image,
    /// `None` where it is whole.
    pub reduction: Option<Reduction>,
}

/// Decodes a picture that may take `most` bytes, or shrinks it. Its pixels are taken from those that may be decoded.
fn decode_within(bytes: &[u8], name: &str, most: u64, pixels_left: &mut u64) -> Result<Pixels, PictureError> {
    if dds::is_dds(bytes) {
        return dds::decode(bytes, most);
    }
    if ktx2::is_ktx2(bytes) {
        return ktx2::decode(bytes, most);
    }
    let open = || -> Result<_, PictureError> {
        let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
        // A TGA file has no signature.
        if reader.format().is_none() && has_extension(Path::new(name), &["tga"]) {
            reader.set_format(ImageFormat::Tga);
        }
        Ok(reader)
    };
    if bytes.starts_with(PSD_MAGIC) {
        return Err(PictureError::Unread("PSD".into()));
    }
    let mut reader = open()?;
    let format = reader.format();
    if let Some(format) = format.filter(|format| !format.reading_enabled()) {
        return Err(PictureError::Unread(format!("{format:?}")));
    }
    let (width, height) = open()?.into_dimensions()?;
    let left = *pixels_left;
    let pixels = u64::from(width) * u64::from(height);
    // JPEG files whose pixels wait for several scans take about as long again.
    let effort = if downscale::coefficient_bytes(bytes) > 0 { 2 * pixels } else { pixels };
    *pixels_left = left.checked_sub(effort).ok_or(PictureError::TooLong { width, height, left })?;
    let needed = match (check_size([width, height], most), format) {
        (Err(_), Some(ImageFormat::Png)) => return downscale::decode_png(bytes, most),
        (Err(_), Some(ImageFormat::Jpeg)) => return downscale::decode_jpeg(bytes, most),
        (checked, _) => checked?,
    };
    let mut bounds = Limits::default();
    // Sixteen bits a channel take twice as much before they are halved.
    let memory = needed.saturating_mul(3).saturating_add(1 << 20);
    bounds.max_alloc = Some(memory);
    reader.limits(bounds.clone());
    let rgba = decoded_rgba(reader, bounds, pixels as usize).map_err(|error| match error {
        ImageError::Limits(_) => PictureError::DecoderMemory(memory),
        other => other.into(),
    })?;
    Ok(Pixels { width, height, rgba, full_size: [width, height] })
}

/// The pixels of a picture. Those of eight bits a channel are decoded to where they stay, so that there is no second copy.
fn decoded_rgba<R: BufRead + Seek>(
    reader: ImageReader<R>,
    bounds: Limits,
    count: usize,
) -> Result<Vec<u8>, ImageError> {
    let mut decoder = reader.into_decoder()?;
    decoder.set_limits(bounds)?;
    let samples = match decoder.color_type() {
        ColorType::L8 => 1,
        ColorType::La8 => 2,
        ColorType::Rgb8 => 3,
        ColorType::Rgba8 => 4,
        _ => return Ok(DynamicImage::from_decoder(decoder)?.into_rgba8().into_raw()),
    };
    let mut rgba = vec![0; count * 4];
    decoder.read_image(&mut rgba[..count * samples])?;
    if samples < 4 {
        // From the last one on: none is written over before it is read.
        for i in (0..count).rev() {
            let texel = rgba_of(&rgba[i * samples..(i + 1) * samples]);
            rgba[i * 4..i * 4 + 4].copy_from_slice(&texel);
        }
    }
    Ok(rgba)
}

/// How much memory the pictures of one file may take when they are decoded.
///
/// Pictures of one colour shrink a thousand times and more in a file, so that a small file could ask for any amount:
/// memory is granted by the bytes of the files, and never more than a share of what the machine has free.
#[derive(Clone, Copy, Debug)]
pub struct PictureBudget {
    most: u64,
    granted: u64,
    taken: u64,
    /// Pixels that may still be decoded, at their size in the file: a picture that is shrunk takes as long as the whole.
    pixels_left: u64,
}

impl Default for PictureBudget {
    fn default() -> Self {
        let free = memory::available_bytes().unwrap_or(u64::MAX);
        Self {
            most: limits::IMAGE_BYTES.min(free / FREE_SHARE),
            granted: FIRST_BYTES,
            taken: 0,
            pixels_left: FIRST_PIXELS,
        }
    }
}

impl PictureBudget {
    /// Decodes one more picture, or shrinks it to what is left.
    ///
    /// # Errors
    /// As [`Image::decode`].
    pub fn decode(&mut self, bytes: &[u8], name: String) -> Result<DecodedPicture, PictureError> {
        self.granted = self.granted.saturating_add(BYTES_PER_FILE_BYTE.saturating_mul(bytes.len() as u64));
        self.pixels_left = self.pixels_left.saturating_add(PIXELS_PER_FILE_BYTE.saturating_mul(bytes.len() as u64));
        // What its decoder holds beside its pixels is let go of again, but is there at the same time.
        let most = self.left().saturating_sub(downscale::coefficient_bytes(bytes));
        let pixels = decode_within(bytes, &name, most, &mut self.pixels_left)?;
        let reduction = Reduction::of(&pixels, most);
        let Pixels { width, height, rgba, .. } = pixels;
        self.taken += rgba.len() as u64;
        Ok(DecodedPicture { image: Image { name, width, height, rgba }, reduction })
    }

    /// Takes a picture of that many pixels that is decoded already.
    ///
    /// # Errors
    /// [`PictureError::TooLarge`].
    pub fn take(&mut self, width: u32, height: u32) -> Result<(), PictureError> {
        let needed = (u64::from(width) * u64::from(height)).saturating_mul(4);
        self.granted = self.granted.saturating_add(needed);
        self.taken += check_size([width, height], self.left())?;
        Ok(())
    }

    fn left(&self) -> u64 {
        self.granted.min(self.most).saturating_sub(self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webp_tells_itself_and_tga_is_told_by_name() {
        let picture = Image { name: "a".into(), width: 2, height: 1, rgba: vec![255, 0, 0, 255, 0, 0, 255, 128] };
        let webp = picture.encoded(ImageFormat::WebP).unwrap();
        assert_eq!(Image::decode(&webp, "leaf".into()).unwrap().rgba, picture.rgba);
        let tga = picture.encoded(ImageFormat::Tga).unwrap();
        assert_eq!(Image::decode(&tga, "Leaf.TGA".into()).unwrap().rgba, picture.rgba);
        assert!(matches!(Image::decode(&tga, "leaf".into()), Err(PictureError::Damaged(_))));
        let png = picture.encoded(ImageFormat::Png).unwrap();
        assert_eq!(Image::decode(&png, "named-wrong.tga".into()).unwrap().rgba, picture.rgba);
    }

    #[test]
    fn tiff_is_read_whole_or_refused() {
        let picture = Image { name: "a".into(), width: 2, height: 2, rgba: [255, 0, 9, 255, 0, 0, 255, 128].repeat(2) };
        let tiff = picture.encoded(ImageFormat::Tiff).unwrap();
        assert_eq!(Image::decode(&tiff, "leaf".into()).unwrap().rgba, picture.rgba);
        for at in 0..tiff.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = tiff.clone();
                damaged[at] = value;
                let read = Image::decode(&damaged, "leaf".into());
                assert!(read.is_err() || read.is_ok_and(|image| !image.rgba.is_empty()), "{at}");
            }
            let cut = Image::decode(&tiff[..at], "leaf".into());
            assert!(at > tiff.len() / 2 || cut.is_err(), "cut at {at}");
        }
    }

    #[test]
    fn documents_of_painting_programs_are_refused_with_a_remedy() {
        let error = Image::decode(b"8BPS\0\x01\0\0", "leaf.psd".into()).unwrap_err().to_string();
        assert!(error.contains("format PSD") && error.contains("save it as PNG"), "{error}");
    }

    fn flat(side: u32, format: ImageFormat) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        let gray = vec![7; (side * side) as usize];
        ::image::write_buffer_with_format(&mut out, &gray, side, side, ExtendedColorType::L8, format).unwrap();
        out.into_inner()
    }

    #[test]
    fn a_picture_may_not_take_more_memory_than_its_file_pays_for() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg] {
            let large = flat(8192, format);
            assert!(large.len() < 1 << 20, "{} bytes", large.len());
            let shown = PictureBudget::default().decode(&large, "large".into()).unwrap();
            let reduction = shown.reduction.unwrap().to_string();
            assert!(reduction.starts_with("shown at 1/2 of its size: 8192 × 8192 pixels take 256 MiB"), "{reduction}");
            assert!(shown.image.rgba.len() == 64 << 20 && shown.image.rgba[..4] == [7, 7, 7, 255], "{format:?}");
        }
        let mut budget = PictureBudget { most: 10_000, granted: 0, taken: 0, pixels_left: 1 << 20 };
        let small = flat(32, ImageFormat::Png);
        let mut sides = || budget.decode(&small, "small".into()).map(|shown| shown.image.width);
        assert_eq!([sides().unwrap(), sides().unwrap(), sides().unwrap(), sides().unwrap()], [32, 32, 16, 8]);
        assert!(matches!(budget.take(50, 50), Err(PictureError::TooLarge { needed: 10_000, most: 528, .. })));
    }

    /// A progressive JPEG file of one grey, which no crate here writes: a single scan, of differences of 0.
    fn progressive(side: u8) -> Vec<u8> {
        let blocks = usize::from(side).div_ceil(8).pow(2);
        let table = [&[0xff_u8, 0xdb, 0, 67, 0][..], &[1; 64]].concat();
        let frame = [0xff, 0xc2, 0, 11, 8, 0, side, 0, side, 1, 1, 0x11, 0];
        // One code, of one bit: 0.
        let codes = [&[0xff_u8, 0xc4, 0, 20, 0, 1][..], &[0; 15], &[0]].concat();
        let scan = [&[0xff_u8, 0xda, 0, 8, 1, 1, 0, 0, 0, 0][..], &vec![0; blocks.div_ceil(8)]].concat();
        [&[0xff_u8, 0xd8][..], &table, &frame, &codes, &scan, &[0xff, 0xd9]].concat()
    }

    #[test]
    fn progressive_pictures_pay_for_their_coefficients() {
        let file = progressive(64);
        let shown = |most| {
            let mut budget = PictureBudget { most, granted: most, taken: 0, pixels_left: 1 << 20 };
            budget.decode(&file, "a".into()).map(|shown| (shown.image, shown.reduction))
        };
        let (pixels, coefficients) = (64 * 64 * 4, 64 * 64 * 2);
        let (whole, reduction) = shown(pixels + coefficients).unwrap();
        assert!(whole.rgba == [128_u8, 128, 128, 255].repeat(64 * 64) && reduction.is_none());
        let (smaller, reduction) = shown(pixels + coefficients - 1).unwrap();
        assert!(smaller.rgba == [128_u8, 128, 128, 255].repeat(16 * 16), "{} pixels", smaller.width);
        assert_eq!(reduction.map(|reduction| (reduction.divisor, reduction.most)), Some((4, pixels - 1)));
        assert!(matches!(shown(coefficients), Err(PictureError::TooLarge { most: 0, .. })));
        let mut budget = PictureBudget { pixels_left: 0, ..PictureBudget::default() };
        budget.pixels_left += 2 * 64 * 64 - 1 - PIXELS_PER_FILE_BYTE * file.len() as u64;
        assert!(matches!(budget.decode(&file, "a".into()), Err(PictureError::TooLong { .. })));
    }

    #[test]
    fn pixels_of_all_depths_become_rgba() {
        let encoded = |texels: &[u8], color: ExtendedColorType| {
            let mut out = Cursor::new(Vec::new());
            ::image::write_buffer_with_format(&mut out, texels, 2, 1, color, ImageFormat::Png).unwrap();
            out.into_inner()
        };
        let decoded = |texels: &[u8], color| Image::decode(&encoded(texels, color), "a".into()).unwrap().rgba;
        assert_eq!(decoded(&[3, 9], ExtendedColorType::L8), [3, 3, 3, 255, 9, 9, 9, 255]);
        assert_eq!(decoded(&[3, 4, 9, 8], ExtendedColorType::La8), [3, 3, 3, 4, 9, 9, 9, 8]);
        assert_eq!(decoded(&[1, 2, 3, 4, 5, 6], ExtendedColorType::Rgb8), [1, 2, 3, 255, 4, 5, 6, 255]);
        let deep: Vec<u8> = [3_u16 * 257, 9 * 257].iter().flat_map(|v| v.to_ne_bytes()).collect();
        assert_eq!(decoded(&deep, ExtendedColorType::L16), [3, 3, 3, 255, 9, 9, 9, 255]);
    }

    #[test]
    fn very_many_pixels_are_not_decoded() {
        let large = flat(4096, ImageFormat::Png);
        let mut budget = PictureBudget { pixels_left: 1000, ..PictureBudget::default() };
        budget.pixels_left += 4096 * 4096 - PIXELS_PER_FILE_BYTE * large.len() as u64;
        assert!(budget.decode(&large, "a".into()).is_ok());
        let error = budget.decode(&large, "b".into()).unwrap_err();
        assert!(matches!(error, PictureError::TooLong { width: 4096, .. }), "{error}");
        assert!(error.to_string().contains("4096 × 4096 pixels take too long to decode: "), "{error}");
    }

    #[test]
    fn formats_that_are_not_shrunk_are_refused_with_figures() {
        let bitmap = flat(64, ImageFormat::Bmp);
        let mut budget = PictureBudget { most: 10_000, granted: 10_000, taken: 0, pixels_left: 1 << 20 };
        let error = budget.decode(&bitmap, "a.bmp".into()).unwrap_err();
        assert!(matches!(error, PictureError::TooLarge { width: 64, needed: 16_384, most: 10_000, .. }), "{error}");
    }

    #[test]
    fn means_are_those_of_light() {
        let picture = Image { name: "a".into(), width: 2, height: 1, rgba: vec![255, 0, 188, 255, 0, 0, 188, 255] };
        assert!(picture.mean_light().abs_diff_eq(Vec3::new(0.5, 0.0, 0.503), 1e-3), "{}", picture.mean_light());
        assert_eq!(Image::default().mean_light(), Vec3::ZERO);
    }
}
