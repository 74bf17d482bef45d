//! Pixels as decoders return them, and the bounds on them.

use super::import::limits;
use ::image::ImageError;
use thiserror::Error;

/// A decoded picture without a name: 8-bit RGBA, rows from the top, straight alpha.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pixels {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `width * height * 4` bytes.
    pub rgba: Vec<u8>,
}

/// Why a picture is not decoded.
#[derive(Debug, Error)]
pub enum PictureError {
    /// It takes more memory than it may.
    #[error(
        "{width} × {height} pixels take {} MiB of memory, and {} MiB are allowed; save it smaller",
        needed.div_ceil(1 << 20), most >> 20
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

/// The bytes that a picture of that many pixels takes when it is decoded.
///
/// # Errors
/// [`PictureError::TooLarge`] where that is more than `most`.
pub(super) fn check_size(width: u32, height: u32, most: u64) -> Result<u64, PictureError> {
    let needed = (u64::from(width) * u64::from(height)).saturating_mul(4);
    if width > limits::IMAGE_SIDE || height > limits::IMAGE_SIDE || needed > most {
        return Err(PictureError::TooLarge { width, height, needed, most });
    }
    Ok(needed)
}
