//! Pictures that would take too much memory, scaled down while they are decoded, so that the whole picture is never in
//! memory: PNG row by row, JPEG by smaller transforms of its blocks.

use super::pixels::{PictureError, Pixels, check_size, divisor_for};
use image::error::DecodingError;
use image::{ImageError, ImageFormat};
use jpeg_decoder::{CodingProcess, PixelFormat};
use png::Transformations;
use std::io::{BufRead, Cursor, Error as IoError, ErrorKind, Seek};

/// JPEG blocks have 8 × 8 pixels, of which at least one is left.
const MAX_JPEG_DIVISOR: u32 = 8;
/// The JPEG decoder holds the planes of a picture beside its pixels, together less than twice what the pixels take.
const JPEG_COPIES: u64 = 2;

/// Markers of JPEG files: frames of sequential and progressive files, and the begin of a scan (ITU-T T.81, table B.1).
const SEQUENTIAL_FRAMES: [u8; 2] = [0xc0, 0xc1];
const PROGRESSIVE_FRAME: u8 = 0xc2;
const SCAN: u8 = 0xda;
/// Where the header of a frame tells how many components it has, from behind its length.
const COMPONENT_COUNT: usize = 5;

/// The sums of an interlaced picture take as much as its pixels twice, and are there beside these.
const INTERLACED_COPIES: u64 = 3;
/// The passes of Adam7: from which column on and how many further each time, and the same of rows (PNG, section 8.2).
const ADAM7: [[[u32; 2]; 2]; 7] = [
    [[0, 8], [0, 8]],
    [[4, 8], [0, 8]],
    [[0, 4], [4, 8]],
    [[2, 4], [0, 4]],
    [[0, 2], [2, 4]],
    [[1, 2], [0, 2]],
    [[0, 1], [1, 2]],
];

/// Decodes a PNG file of more than `most` bytes with the mean of each square of pixels.
///
/// # Errors
/// It is damaged, or too large even so.
pub(super) fn decode_png(bytes: &[u8], most: u64) -> Result<Pixels, PictureError> {
    let damaged = |error: png::DecodingError| damaged(ImageFormat::Png, error);
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(damaged)?;
    let full_size = [reader.info().width, reader.info().height];
    if reader.info().interlaced {
        return decode_interlaced(reader, full_size, most);
    }
    let divisor = divisor_for(full_size, most)?;
    let [width, height] = full_size.map(|side| side.div_ceil(divisor));
    let mut squares = PixelSums::new(full_size[0], divisor, reader.output_color_type().0.samples());
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 1..=full_size[1] {
        let row = reader.next_row().map_err(damaged)?;
        squares.add(row.ok_or_else(|| IoError::from(ErrorKind::UnexpectedEof))?.data());
        if y % divisor == 0 || y == full_size[1] {
            squares.take_means(&mut rgba);
        }
    }
    Ok(Pixels { width, height, rgba, full_size })
}

/// As [`decode_png`], of a file whose rows come in seven passes, each with pixels from all over the picture.
fn decode_interlaced<R: BufRead + Seek>(
    mut reader: png::Reader<R>,
    full_size: [u32; 2],
    most: u64,
) -> Result<Pixels, PictureError> {
    let divisor = divisor_for(full_size, most / INTERLACED_COPIES)?;
    let [width, height] = full_size.map(|side| side.div_ceil(divisor));
    let samples = reader.output_color_type().0.samples();
    // Of sixteen by sixteen pixels at most: their sums have room in sixteen bits.
    let mut sums = vec![[0_u16; 4]; width as usize * height as usize];
    for [columns, rows] in ADAM7 {
        let places = |[first, step]: [u32; 2], end: u32| (first..end).step_by(step as usize);
        // A pass without columns has no rows.
        for y in places(rows, if columns[0] < full_size[0] { full_size[1] } else { 0 }) {
            let row = reader.next_interlaced_row().map_err(|error| damaged(ImageFormat::Png, error))?;
            let row = row.ok_or_else(|| IoError::from(ErrorKind::UnexpectedEof))?;
            let line = &mut sums[(y / divisor * width) as usize..];
            for (x, texel) in places(columns, full_size[0]).zip(row.data().chunks_exact(samples)) {
                for (total, value) in line[(x / divisor) as usize].iter_mut().zip(rgba_of(texel)) {
                    *total += u16::from(value);
                }
            }
        }
    }
    let mut rgba = Vec::with_capacity(sums.len() * 4);
    for (i, sum) in (0..).zip(&sums) {
        let within = |at: u32, full: u32| divisor.min(full - at * divisor);
        let count = within(i % width, full_size[0]) * within(i / width, full_size[1]);
        rgba.extend(sum.map(|total| ((u32::from(total) + count / 2) / count) as u8));
    }
    Ok(Pixels { width, height, rgba, full_size })
}

/// Bytes of the coefficients that a decoder holds of a JPEG file until its last scan, beside its pixels: two for each sample of whole
/// blocks, of progressive files and of those whose components do not all come in the first scan. Other files have none.
pub(super) fn coefficient_bytes(bytes: &[u8]) -> u64 {
    let Some(mut rest) = bytes.strip_prefix(&[0xff_u8, 0xd8]) else { return 0 };
    let mut sequential: &[u8] = &[];
    loop {
        match *rest {
            [0xff, PROGRESSIVE_FRAME, _, _, ref frame @ ..] => return coefficients_of_frame(frame).unwrap_or(0),
            [0xff, SCAN, _, _, in_scan, ..] => {
                let is_part = sequential.get(COMPONENT_COUNT).is_some_and(|&in_frame| in_frame != in_scan);
                return coefficients_of_frame(sequential).filter(|_| is_part).unwrap_or(0);
            }
            [0xff, marker @ 0xc0..=0xfe, high, low, ref after @ ..] => {
                if SEQUENTIAL_FRAMES.contains(&marker) {
                    sequential = after;
                }
                // The length counts its own two bytes.
                let length = usize::from(u16::from_be_bytes([high, low])).max(2);
                rest = after.get(length - 2..).unwrap_or_default();
            }
            // Bytes that fill up, or are of no use.
            [_, ref after @ ..] => rest = after,
            [] => return 0,
        }
    }
}

/// The coefficients of the frame whose header this is, behind its length: precision, height, width, number of components, and of each
/// its number, its sampling factors and its table.
fn coefficients_of_frame(frame: &[u8]) -> Option<u64> {
    let (&[_, y1, y0, x1, x0, count], components) = frame.split_first_chunk::<6>()?;
    let [width, height] = [[x1, x0], [y1, y0]].map(|side| u64::from(u16::from_be_bytes(side)));
    let components = components.get(..usize::from(count) * 3)?.chunks_exact(3);
    let (mut most, mut blocks) = ([1, 1], 0);
    for component in components {
        let [across, down] = [component[1] >> 4, component[1] & 15].map(u64::from);
        most = [most[0].max(across), most[1].max(down)];
        blocks += across * down;
    }
    Some(width.div_ceil(8 * most[0]) * height.div_ceil(8 * most[1]) * blocks * 64 * 2)
}

/// Decodes a JPEG file of more than `most` bytes at a half, a quarter or an eighth of its size. The [`coefficient_bytes`] of a
/// file are counted already.
///
/// # Errors
/// It is damaged, without loss, neither grey nor of three colours, or too large even so.
pub(super) fn decode_jpeg(bytes: &[u8], most: u64) -> Result<Pixels, PictureError> {
    let damaged = |error: jpeg_decoder::Error| damaged(ImageFormat::Jpeg, error);
    let mut decoder = jpeg_decoder::Decoder::new(Cursor::new(bytes));
    decoder.read_info().map_err(damaged)?;
    let Some(info) = decoder.info() else { return Err(IoError::from(ErrorKind::UnexpectedEof).into()) };
    let full_size = [info.width, info.height].map(u32::from);
    // Rows of coefficients wait in copies for their transform: there may be as many of these again.
    let divisor = divisor_for(full_size, most.saturating_sub(coefficient_bytes(bytes)) / JPEG_COPIES)?;
    let samples = info.pixel_format.pixel_bytes();
    let is_scaled = info.coding_process != CodingProcess::Lossless
        && matches!(info.pixel_format, PixelFormat::L8 | PixelFormat::RGB24);
    if !is_scaled || divisor > MAX_JPEG_DIVISOR {
        check_size(full_size, most)?;
    }
    let [wide, high] = full_size.map(|side| side.div_ceil(divisor) as u16);
    let (width, height) = decoder.scale(wide, high).map_err(damaged)?;
    let texels = decoder.decode().map_err(damaged)?;
    let rgba = texels.chunks_exact(samples).flat_map(rgba_of).collect();
    Ok(Pixels { width: width.into(), height: height.into(), rgba, full_size })
}

fn damaged(format: ImageFormat, error: impl std::error::Error + Send + Sync + 'static) -> PictureError {
    ImageError::Decoding(DecodingError::new(format.into(), error)).into()
}

/// A pixel of one to four samples: grey, grey and alpha, colours, colours and alpha.
pub(super) fn rgba_of(texel: &[u8]) -> [u8; 4] {
    match *texel {
        [l] => [l, l, l, u8::MAX],
        [l, a] => [l, l, l, a],
        [r, g, b] => [r, g, b, u8::MAX],
        [r, g, b, a] => [r, g, b, a],
        _ => [0; 4],
    }
}

/// Sums of the pixels in a row of squares.
struct PixelSums {
    /// Pixels along a side; fewer in the last square of a row or column.
    divisor: u32,
    samples: usize,
    width: u32,
    rows: u32,
    sums: Vec<[u32; 4]>,
}

impl PixelSums {
    fn new(width: u32, divisor: u32, samples: usize) -> Self {
        Self { divisor, samples, width, rows: 0, sums: vec![[0; 4]; width.div_ceil(divisor) as usize] }
    }

    fn add(&mut self, row: &[u8]) {
        for (sum, texels) in self.sums.iter_mut().zip(row.chunks(self.divisor as usize * self.samples)) {
            for texel in texels.chunks_exact(self.samples) {
                for (total, value) in sum.iter_mut().zip(rgba_of(texel)) {
                    *total += u32::from(value);
                }
            }
        }
        self.rows += 1;
    }

    fn take_means(&mut self, rgba: &mut Vec<u8>) {
        let mut columns_left = self.width;
        for sum in &mut self.sums {
            let count = columns_left.min(self.divisor) * self.rows;
            columns_left = columns_left.saturating_sub(self.divisor);
            rgba.extend(sum.map(|total| ((total + count / 2) / count) as u8));
            *sum = [0; 4];
        }
        self.rows = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::ExtendedColorType;

    fn encoded(gray: &[u8], width: u32, format: ImageFormat) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        let height = gray.len() as u32 / width;
        image::write_buffer_with_format(&mut out, gray, width, height, ExtendedColorType::L8, format).unwrap();
        out.into_inner()
    }

    #[test]
    fn rows_become_the_means_of_squares() {
        // Five by three pixels by two: the last column and the last row are of half squares.
        let gray = [10, 20, 100, 100, 7, 30, 40, 100, 100, 9, 1, 3, 50, 52, 200];
        let file = encoded(&gray, 5, ImageFormat::Png);
        let pixels = decode_png(&file, 4 * 3 * 2).unwrap();
        assert_eq!((pixels.width, pixels.height, pixels.full_size), (3, 2, [5, 3]));
        let means: Vec<u8> = pixels.rgba.chunks_exact(4).map(|texel| texel[0]).collect();
        assert_eq!(means, [25, 100, 8, 2, 51, 200]);
        assert!(pixels.rgba.chunks_exact(4).all(|texel| texel[3] == 255));
        assert!(matches!(decode_png(&file[..50], 24), Err(PictureError::Damaged(_))));
    }

    /// An interlaced PNG file of grey pixels, which no crate here writes: each row of each pass unfiltered, all in one stored
    /// block.
    fn interlaced(gray: &[u8], [width, height]: [u32; 2]) -> Vec<u8> {
        let mut rows = Vec::new();
        for [columns, lines] in ADAM7.into_iter().filter(|pass| pass[0][0] < width) {
            for y in (lines[0]..height).step_by(lines[1] as usize) {
                rows.push(0);
                let columns = (columns[0]..width).step_by(columns[1] as usize);
                rows.extend(columns.map(|x| gray[(y * width + x) as usize]));
            }
        }
        let (low, high) = rows.iter().fold((1_u32, 0_u32), |(low, high), byte| {
            let low = (low + u32::from(*byte)) % 65_521;
            (low, (high + low) % 65_521)
        });
        let length = rows.len() as u16;
        let mut data = vec![0x78, 0x01, 1];
        data.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
        data.extend(rows);
        data.extend((high << 16 | low).to_be_bytes());
        let mut head = [width.to_be_bytes(), height.to_be_bytes()].concat();
        head.extend([8, 0, 0, 0, 1]);
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        for (kind, data) in [(b"IHDR", &head), (b"IDAT", &data), (b"IEND", &Vec::new())] {
            let chunk = [&kind[..], data].concat();
            let crc = chunk.iter().fold(u32::MAX, |crc, byte| {
                (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
            });
            file.extend((data.len() as u32).to_be_bytes());
            file.extend(chunk);
            file.extend((!crc).to_be_bytes());
        }
        file
    }

    #[test]
    fn passes_become_the_means_that_rows_become() {
        for size @ [width, height] in [[19, 13], [16, 16], [3, 40], [1, 9]] {
            let gray: Vec<u8> = (0..width * height).map(|i| (i * 37 % 251) as u8).collect();
            let most = u64::from(width * height * 4) - 1;
            let by_rows = decode_png(&encoded(&gray, width, ImageFormat::Png), most / INTERLACED_COPIES).unwrap();
            assert_eq!(decode_png(&interlaced(&gray, size), most).unwrap(), by_rows, "{size:?}");
            assert!(by_rows.width < width || width == 1);
        }
    }

    #[test]
    fn blocks_are_transformed_smaller() {
        let half = |x: usize| if x < 32 { 40 } else { 200 };
        let gray: Vec<u8> = (0..64 * 32).map(|i| half(i % 64)).collect();
        let file = encoded(&gray, 64, ImageFormat::Jpeg);
        for (most, divisor) in [(64 * 32 * 4, 2), (64 * 32, 4), (64 * 32 / 4, 8)] {
            let pixels = decode_jpeg(&file, most).unwrap();
            assert_eq!((pixels.width, pixels.height, pixels.full_size), (64 / divisor, 32 / divisor, [64, 32]));
            let row: Vec<u8> = pixels.rgba.chunks_exact(4).take(pixels.width as usize).map(|texel| texel[0]).collect();
            let wanted: Vec<u8> = (0..64).step_by(divisor as usize).map(half).collect();
            assert!(row.iter().zip(&wanted).all(|(a, b)| a.abs_diff(*b) < 4), "{row:?}");
        }
        assert!(matches!(decode_jpeg(&file, 64), Err(PictureError::TooLarge { .. })));
    }

    #[test]
    fn coefficients_that_wait_for_later_scans_are_counted() {
        let segment =
            |marker: u8, data: &[u8]| [&[0xff, marker][..], &(data.len() as u16 + 2).to_be_bytes(), data].concat();
        // 17 by 9 pixels, colours sampled half as often: two by one units of four blocks and twice one.
        let frame = [8_u8, 0, 9, 0, 17, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1];
        let file =
            |marker| [&[0xff_u8, 0xd8][..], &segment(0xe0, &[0xff, 0xc2, 0, 0]), &segment(marker, &frame)].concat();
        assert_eq!(coefficient_bytes(&file(PROGRESSIVE_FRAME)), 2 * 6 * 64 * 2);
        assert_eq!([coefficient_bytes(&file(0xc0)), coefficient_bytes(&file(SCAN)), coefficient_bytes(b"")], [0; 3]);
        assert_eq!(coefficient_bytes(&file(PROGRESSIVE_FRAME)[..24]), 0, "cut off");
        assert_eq!(coefficient_bytes(&encoded(&[7; 64], 8, ImageFormat::Jpeg)), 0);
        // A scan of some components of a sequential file, and one of all.
        let scanned = |marker, count| [file(marker), segment(SCAN, &[count, 1, 0, 0, 63, 0])].concat();
        let counted = [0xc0, 0xc1].map(|marker| [1, 2, 3].map(|count| coefficient_bytes(&scanned(marker, count))));
        assert_eq!(counted, [[2 * 6 * 64 * 2, 2 * 6 * 64 * 2, 0]; 2]);
    }
}
