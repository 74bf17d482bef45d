//! Pictures that are too large are decoded smaller, without the memory that the whole of them would take.

#![allow(clippy::unwrap_used, reason = "a test whose pictures cannot be made has to fail")]

#[path = "common/counted.rs"]
mod counted;

use image::{ExtendedColorType, ImageFormat};
use std::io::Cursor;
use walkabout::asset::Image;

/// Bytes that a picture may take however small its file is, and for each byte of it.
const FIRST_BYTES: usize = 128 << 20;
const BYTES_PER_FILE_BYTE: usize = 128;
/// Pixels along each side; they take 256 MiB.
const SIDE: u32 = 8192;

#[test]
fn large_pictures_are_decoded_within_their_budget() {
    let before = counted::taken();
    for format in [ImageFormat::Png, ImageFormat::Jpeg] {
        let mut file = Cursor::new(Vec::new());
        let gray = vec![7; (SIDE * SIDE) as usize];
        image::write_buffer_with_format(&mut file, &gray, SIDE, SIDE, ExtendedColorType::L8, format).unwrap();
        drop(gray);
        let file = file.into_inner();
        let (picture, most) = counted::most_during(|| Image::decode(&file, "flat".into()).unwrap());
        assert_eq!((picture.width, picture.height), (SIDE / 2, SIDE / 2));
        let budget = FIRST_BYTES + BYTES_PER_FILE_BYTE * file.len();
        assert!(most <= budget, "{format:?}: {} MiB of {} MiB", most >> 20, budget >> 20);
    }
    assert!(counted::taken() < before + (64 << 20), "what was decoded is let go of");
}
