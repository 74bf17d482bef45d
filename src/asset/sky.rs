//! Sky pictures: equirectangular, or a cube map as a cross, which is converted to equirectangular.

use super::{AssetError, Image};
use crate::disk::read;
use crate::math::color::linear_from_srgb;
use glam::{Vec2, Vec3};
use rayon::prelude::*;
use std::f32::consts::{PI, TAU};
use std::path::Path;

/// Extensions of pictures that are read.
pub const PICTURE_EXTENSIONS: &[&str] = &["png", "jpg", "jpeg", "bmp", "tga"];
/// Largest file of a picture, bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// Largest width of a picture converted from a cube map, pixels.
const MAX_WIDTH: u32 = 4096;
/// Columns of the sampling grid of the ambient light; half as many rows.
const AMBIENT_SAMPLES: u32 = 128;

/// An environment picture with its irradiance.
#[derive(Clone, Debug, PartialEq)]
pub struct SkyPicture {
    /// Equirectangular, sRGB: north (-Z) in the middle, east (+X) to the right of it, the zenith at the top.
    pub image: Image,
    /// Linear light on a surface that faces up, as the mean colour of its hemisphere weighted by the cosine.
    pub above: Vec3,
    /// The same for one that faces down.
    pub below: Vec3,
}

/// Projection of an environment picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SkyLayout {
    Equirectangular,
    /// Four sides in a row, west, north, east and south; above and below north the zenith and the ground.
    HorizontalCross,
    /// Four sides in a column, zenith, north, ground and south; beside north west and east.
    VerticalCross,
}

/// A face of a cube map in a cross: its cell, and the world directions to its centre, right and lower edge.
struct CubeSide {
    cell: [u32; 2],
    forward: Vec3,
    right: Vec3,
    down: Vec3,
}

const fn side(cell: [u32; 2], forward: Vec3, right: Vec3, down: Vec3) -> CubeSide {
    CubeSide { cell, forward, right, down }
}

const FOUR_SIDES: [CubeSide; 5] = [
    side([1, 0], Vec3::Y, Vec3::X, Vec3::NEG_Z),
    side([0, 1], Vec3::NEG_X, Vec3::NEG_Z, Vec3::NEG_Y),
    side([1, 1], Vec3::NEG_Z, Vec3::X, Vec3::NEG_Y),
    side([2, 1], Vec3::X, Vec3::Z, Vec3::NEG_Y),
    side([1, 2], Vec3::NEG_Y, Vec3::X, Vec3::Z),
];
const SOUTH_IN_ROW: CubeSide = side([3, 1], Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y);
/// Below the ground it stands on its head, so that their edges meet.
const SOUTH_IN_COLUMN: CubeSide = side([1, 3], Vec3::Z, Vec3::X, Vec3::Y);

impl SkyLayout {
    /// By the proportions, within one part of a hundred.
    fn of([width, height]: [u32; 2]) -> Option<Self> {
        let ratio = width as f32 / height as f32;
        let near = |wanted: f32| (ratio / wanted - 1.0).abs() < 0.01;
        if near(2.0) {
            Some(Self::Equirectangular)
        } else if near(4.0 / 3.0) {
            Some(Self::HorizontalCross)
        } else if near(3.0 / 4.0) {
            Some(Self::VerticalCross)
        } else {
            None
        }
    }

    fn columns(self) -> u32 {
        if self == Self::HorizontalCross { 4 } else { 3 }
    }

    fn south(self) -> &'static CubeSide {
        if self == Self::HorizontalCross { &SOUTH_IN_ROW } else { &SOUTH_IN_COLUMN }
    }
}

/// The direction at a place of an equirectangular picture, 0…1 from the left and from the top.
fn direction_at(uv: Vec2) -> Vec3 {
    let (azimuth, elevation) = ((uv.x - 0.5) * TAU, (0.5 - uv.y) * PI);
    Vec3::new(azimuth.sin() * elevation.cos(), elevation.sin(), -azimuth.cos() * elevation.cos())
}

/// The pixel in which a cross shows a direction.
fn pixel_in_cross(layout: SkyLayout, side_px: f32, direction: Vec3) -> [u32; 2] {
    let sides = FOUR_SIDES.iter().chain([layout.south()]);
    let faced = |side: &&CubeSide| direction.dot(side.forward);
    let side = sides.max_by(|a, b| faced(a).total_cmp(&faced(b))).unwrap_or(layout.south());
    let on_plane = Vec2::new(direction.dot(side.right), direction.dot(side.down)) / direction.dot(side.forward);
    let within = ((on_plane + 1.0) * (0.5 * side_px)).clamp(Vec2::ZERO, Vec2::splat(side_px - 1.0));
    std::array::from_fn(|i| (side.cell[i] as f32 * side_px + within[i]) as u32)
}

fn pixel(image: &Image, [x, y]: [u32; 2]) -> [u8; 4] {
    let (x, y) = (x.min(image.width - 1), y.min(image.height - 1));
    let at = (y as usize * image.width as usize + x as usize) * 4;
    image.rgba.get(at..at + 4).and_then(|rgba| rgba.try_into().ok()).unwrap_or([0; 4])
}

/// The equirectangular picture of a cross.
fn unfold(cross: &Image, layout: SkyLayout) -> Image {
    let side_px = cross.width / layout.columns();
    let width = (side_px * 4).clamp(8, MAX_WIDTH);
    let height = width / 2;
    let row = |y: u32| {
        (0..width).flat_map(move |x| {
            let uv = Vec2::new((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
            pixel(cross, pixel_in_cross(layout, side_px as f32, direction_at(uv)))
        })
    };
    let rgba = (0..height).into_par_iter().flat_map_iter(row).collect();
    Image { name: cross.name.clone(), width, height, rgba }
}

/// Light from above and from below.
fn ambient(image: &Image) -> [Vec3; 2] {
    let (width, height) = (AMBIENT_SAMPLES, AMBIENT_SAMPLES / 2);
    let mut sums = [(Vec3::ZERO, 0.0_f32); 2];
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let uv = Vec2::new((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
        let up = direction_at(uv).y;
        let [r, g, b, _] = pixel(image, [(uv.x * image.width as f32) as u32, (uv.y * image.height as f32) as u32]);
        // Rows near the poles stand for less of the sphere.
        let weight = up.abs() * (PI * uv.y).sin();
        let (light, whole) = &mut sums[usize::from(up < 0.0)];
        let linear = |value: u8| linear_from_srgb(f32::from(value) / 255.0);
        *light += Vec3::new(linear(r), linear(g), linear(b)) * weight;
        *whole += weight;
    }
    sums.map(|(light, whole)| light / whole.max(1e-6))
}

impl SkyPicture {
    /// The sky that an image shows.
    ///
    /// # Errors
    /// [`AssetError::Picture`] where its proportions are of no known layout; `path` is named in it.
    pub fn from_image(image: Image, path: &Path) -> Result<Self, AssetError> {
        let size = [image.width.max(1), image.height.max(1)];
        let image = match SkyLayout::of(size) {
            Some(SkyLayout::Equirectangular) => image,
            Some(layout) => unfold(&image, layout),
            None => {
                let reason = format!("it is {} × {} pixels", size[0], size[1]);
                return Err(AssetError::Picture { path: path.into(), reason });
            }
        };
        let [above, below] = ambient(&image);
        Ok(Self { image, above, below })
    }

    /// Reads a picture.
    ///
    /// # Errors
    /// [`AssetError::Picture`]: the file cannot be read, is no picture, too large, or of no known layout.
    pub fn load(path: &Path) -> Result<Self, AssetError> {
        let wrong = |reason: String| AssetError::Picture { path: path.into(), reason };
        let bytes = read(path, MAX_FILE_BYTES).map_err(|fault| wrong(fault.to_string()))?;
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        Self::from_image(Image::decode(&bytes, name).map_err(|e| wrong(e.to_string()))?, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of the sides of a cube, each in a colour of its own.
    fn cross(layout: SkyLayout, side_px: u32) -> Image {
        let columns = layout.columns();
        let (width, height) = (columns * side_px, (7 - columns) * side_px);
        let mut rgba = vec![0; (width * height * 4) as usize];
        for side in FOUR_SIDES.iter().chain([layout.south()]) {
            for (y, x) in (0..side_px).flat_map(|y| (0..side_px).map(move |x| (y, x))) {
                let at = (((side.cell[1] * side_px + y) * width + side.cell[0] * side_px + x) * 4) as usize;
                rgba[at..at + 4].copy_from_slice(&color(side.forward));
            }
        }
        Image { name: "cross".into(), width, height, rgba }
    }

    fn color(direction: Vec3) -> [u8; 4] {
        let [r, g, b] = direction.to_array().map(|v| (v * 100.0 + 128.0) as u8);
        [r, g, b, 255]
    }

    #[test]
    fn crosses_show_each_side_where_it_belongs() {
        for layout in [SkyLayout::HorizontalCross, SkyLayout::VerticalCross] {
            let sky = SkyPicture::from_image(cross(layout, 16), Path::new("cross.png")).unwrap();
            assert_eq!((sky.image.width, sky.image.height), (64, 32));
            let at = |u: f32, v: f32| pixel(&sky.image, [(u * 64.0) as u32, (v * 32.0) as u32]);
            let wanted = [
                (0.5, 0.5, Vec3::NEG_Z),
                (0.75, 0.5, Vec3::X),
                (0.25, 0.5, Vec3::NEG_X),
                (0.01, 0.5, Vec3::Z),
                (0.5, 0.01, Vec3::Y),
                (0.5, 0.99, Vec3::NEG_Y),
            ];
            for (u, v, direction) in wanted {
                assert_eq!(at(u, v), color(direction), "{layout:?} towards {direction}");
            }
            // No pixel comes from the corners of the picture that belong to no side.
            assert!(sky.image.rgba.chunks(4).all(|p| p[3] == 255), "{layout:?}");
        }
    }

    #[test]
    fn the_light_of_a_picture_is_that_of_its_halves() {
        let rgba = (0..64 * 32).flat_map(|i| if i < 64 * 16 { [255, 255, 255, 255] } else { [0, 0, 0, 255] }).collect();
        let sky =
            SkyPicture::from_image(Image { name: String::new(), width: 64, height: 32, rgba }, Path::new("a")).unwrap();
        assert!(sky.above.distance(Vec3::ONE) < 1e-3 && sky.below.length() < 1e-3, "{sky:?}");
    }

    #[test]
    fn a_picture_of_no_known_layout_is_refused() {
        let square = Image { name: String::new(), width: 4, height: 4, rgba: vec![0; 64] };
        let error = SkyPicture::from_image(square, Path::new("a.png")).unwrap_err().to_string();
        assert!(error.contains("4 × 4 pixels") && error.ends_with("File: a.png"), "{error}");
        assert!(SkyPicture::load(Path::new("no/such.png")).is_err());
    }
}
