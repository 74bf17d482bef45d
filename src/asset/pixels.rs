//! Pixels as decoders return them, and the bounds on them.

use super::import::limits;
use ::image::ImageError;
use std::fmt::{Display, Formatter};
use thiserror::Error;

/// Largest divisor of the sides of a picture that is shrunk while it is decoded.
const MAX_DIVISOR: u32 = 16;
/// Most pixels of a picture that is shrunk: all of them are decoded, which takes some seconds.
const MAX_SHRUNK_PIXELS: u64 = 1 << 30;

/// A decoded picture without a name: 8-bit RGBA, rows from the top, straight alpha.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pixels {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `width * height * 4` bytes.
    pub rgba: Vec<u8>,
    /// Width and height in the file.
    pub full_size: [u32; 2],
}

impl Pixels {
    /// Those of a level of a texture in blocks, whose decoder answered `rgba`.
    ///
    /// # Errors
    /// They are not as many as the level has: the file is damaged.
    pub(super) fn of_level(
        format: &'static str,
        full_size: [u32; 2],
        level: u32,
        rgba: Vec<u8>,
    ) -> Result<Self, PictureError> {
        let [width, height] = size_of_level(full_size, level);
        if rgba.len() as u64 != decoded_bytes([width, height]) {
            return Err(PictureError::Blocks { format, reason: "it is damaged".into() });
        }
        Ok(Self { width, height, rgba, full_size })
    }
}

/// How far a picture was shrunk because the whole of it would take more memory than it may.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// Pixels along the side of a square that became one.
    pub divisor: u32,
    /// Width and height in the file, pixels.
    pub full_size: [u32; 2],
    /// Bytes that the whole picture might have taken.
    pub most: u64,
}

impl Reduction {
    /// That of a decoded picture which might have taken `most` bytes, or `None` where it is whole.
    pub(super) fn of(pixels: &Pixels, most: u64) -> Option<Self> {
        let [width, height] = pixels.full_size;
        let nearest = |full: u32, shown: u32| (full + shown / 2) / shown.max(1);
        let divisor = nearest(width, pixels.width).max(nearest(height, pixels.height));
        (divisor > 1).then_some(Self { divisor, full_size: pixels.full_size, most })
    }
}

impl Display for Reduction {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { divisor, full_size: [width, height], most } = self;
        let (needed, most) = (decoded_bytes(self.full_size).div_ceil(1 << 20), most >> 20);
        write!(
            f,
            "shown at 1/{divisor} of its size: {width} × {height} pixels take {needed} MiB of memory, and {most} MiB \
             are allowed; save it smaller"
        )
    }
}

/// Why a picture is not decoded.
#[derive(Debug, Error)]
pub enum PictureError {
    /// It takes more memory than it may.
    #[error(
        "{width} × {height} pixels take {} MiB of memory, and {} of what the pictures of a file may take are left; save \
         it smaller", needed.div_ceil(1 << 20), megabytes(*most)
    )]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Bytes when decoded.
        needed: u64,
        /// Bytes that it may take.
        most: u64,
    },
    /// Decoding it takes too long beside the other pictures of its file.
    #[error(
        "{width} × {height} pixels take too long to decode: {} million of those that the pictures of a file may have are \
         left; save it smaller", left / 1_000_000
    )]
    TooLong {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Pixels that may be decoded.
        left: u64,
    },
    /// Its decoder takes more memory than it may.
    #[error("decoding it takes more than {} of memory, for what it holds beside its pixels; save it anew", megabytes(*.0))]
    DecoderMemory(u64),
    /// It is of a format that is known and not read.
    #[error("it is a picture of the format {0}, which is not read; save it as PNG beside it, under the same name")]
    Unread(String),
    /// It is no picture, or a damaged one.
    #[error("{0}")]
    Damaged(#[from] ImageError),
    /// It ends too early.
    #[error("{0}")]
    CutOff(#[from] std::io::Error),
    /// It is a texture in blocks, as graphics cards read them, that is damaged or of a kind that is not read.
    #[error("the {format} texture is not read: {reason}")]
    Blocks {
        /// Name of the format.
        format: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

fn megabytes(bytes: u64) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}

fn decoded_bytes([width, height]: [u32; 2]) -> u64 {
    (u64::from(width) * u64::from(height)).saturating_mul(4)
}

/// The bytes that a picture of that width and height takes when it is decoded.
///
/// # Errors
/// [`PictureError::TooLarge`] where that is more than `most`.
pub(super) fn check_size(size: [u32; 2], most: u64) -> Result<u64, PictureError> {
    let needed = decoded_bytes(size);
    let [width, height] = size;
    if width.max(height) > limits::IMAGE_SIDE || needed > most {
        return Err(PictureError::TooLarge { width, height, needed, most });
    }
    Ok(needed)
}

/// The least power of two that divides the sides of a picture so that it takes at most `most` bytes.
///
/// # Errors
/// [`PictureError::TooLarge`] where none does.
pub(super) fn divisor_for(size: [u32; 2], most: u64) -> Result<u32, PictureError> {
    let [width, height] = size;
    let needed = decoded_bytes(size);
    let divisors = std::iter::successors(Some(1), |divisor| Some(divisor * 2)).take_while(|&d| d <= MAX_DIVISOR);
    let fits = |divisor: &u32| check_size(size.map(|side| side.div_ceil(*divisor)), most).is_ok();
    let found = divisors.filter(|_| needed / 4 <= MAX_SHRUNK_PIXELS).find(fits);
    found.ok_or(PictureError::TooLarge { width, height, needed, most })
}

/// The first level of a chain of textures, each half as large as the one before, that takes at most `most` bytes.
///
/// # Errors
/// [`PictureError::TooLarge`] where none does.
pub(super) fn level_for(size: [u32; 2], levels: u32, most: u64) -> Result<u32, PictureError> {
    let fits = |level: &u32| check_size(size_of_level(size, *level), most).is_ok();
    (0..levels.clamp(1, u32::BITS)).find(fits).map_or_else(|| check_size(size, most).map(|_| 0), Ok)
}

/// Width and height of a level of textures, each half as large as the one before.
pub(super) fn size_of_level(size: [u32; 2], level: u32) -> [u32; 2] {
    size.map(|side| (side >> level).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_shrink_until_they_fit() {
        assert_eq!(divisor_for([100, 50], 20_000).unwrap(), 1);
        assert_eq!(divisor_for([100, 50], 19_999).unwrap(), 2);
        assert_eq!(divisor_for([20_000, 1], u64::MAX).unwrap(), 2, "sides are limited, too");
        assert!(divisor_for([1000, 1000], 1000).is_err() && divisor_for([65_536, 65_536], u64::MAX).is_err());
        assert_eq!(level_for([256, 64], 9, 256 * 64).unwrap(), 1);
        assert_eq!(size_of_level([256, 64], 7), [2, 1]);
        assert!(level_for([256, 64], 1, 256 * 64).is_err(), "the file holds no smaller one");
    }

    #[test]
    fn a_level_has_all_its_pixels() {
        let level = |bytes| Pixels::of_level("DDS", [8, 4], 1, vec![0; bytes]);
        assert_eq!(level(32).map(|pixels| (pixels.width, pixels.height)).unwrap(), (4, 2));
        assert!(level(31).is_err() && level(0).is_err() && level(128).is_err());
    }

    #[test]
    fn a_reduction_says_how_far_and_why() {
        let pixels = Pixels { width: 2047, height: 1023, rgba: Vec::new(), full_size: [8191, 4095] };
        let text = Reduction::of(&pixels, 32 << 20).unwrap().to_string();
        assert!(text.contains("1/4 of its size: 8191 × 4095 pixels take 128 MiB") && text.contains("32 MiB"), "{text}");
        assert_eq!(Reduction::of(&Pixels { full_size: [2047, 1023], ..pixels }, 0), None);
    }
}
