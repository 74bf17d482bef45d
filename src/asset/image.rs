//! Decoded images.

use super::import::limits;
use ::image::{ExtendedColorType, ImageError, ImageFormat, ImageReader, Limits};
use serde::{Deserialize, Serialize};
use std::io::Cursor;

/// An 8-bit RGBA image, rows from the top, straight alpha.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Image {
    /// Where it came from, for messages.
    pub name: String,
    /// Width in pixels, at least 1.
    pub width: u32,
    /// Height in pixels, at least 1.
    pub height: u32,
    /// `width * height * 4` bytes.
    #[serde(with = "serde_bytes_vec")]
    pub rgba: Vec<u8>,
}

impl Image {
    /// Decodes a picture file; `name` is for messages.
    ///
    /// # Errors
    /// It is of no known format, damaged, or over [`limits`].
    pub fn decode(bytes: &[u8], name: String) -> Result<Self, ImageError> {
        let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
        let mut bounds = Limits::default();
        bounds.max_image_width = Some(limits::IMAGE_SIDE);
        bounds.max_image_height = Some(limits::IMAGE_SIDE);
        bounds.max_alloc = Some(limits::IMAGE_BYTES);
        reader.limits(bounds);
        let decoded = reader.decode()?.into_rgba8();
        Ok(Self { name, width: decoded.width(), height: decoded.height(), rgba: decoded.into_raw() })
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
}

/// Byte vectors as one block instead of element by element.
mod serde_bytes_vec {
    use serde::{Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Vec<u8>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }
            fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
                Ok(bytes)
            }
        }
        deserializer.deserialize_byte_buf(Visitor)
    }
}
