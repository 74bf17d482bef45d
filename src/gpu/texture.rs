//! Textures from images, with their mip maps.

use crate::math::color::{linear_from_srgb, srgb_from_linear};
use rayon::prelude::*;
use std::borrow::Cow;

/// Rows of a smaller mip level that are made one after the other on one thread.
const ROWS_PER_TASK: usize = 16;

/// Encoding of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexelEncoding {
    /// Colours, encoded as sRGB.
    Srgb,
    /// Linear data: normals, masks.
    Linear,
}

/// Uploads an RGBA8 image (rows from the top) with a full mip chain. An image of invalid size becomes a white texel, one
/// larger than the device allows is halved until it fits.
pub fn upload_rgba(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    label: &str,
    [width, height]: [u32; 2],
    rgba: &[u8],
    texels: TexelEncoding,
) -> wgpu::Texture {
    let limit = device.limits().max_texture_dimension_2d;
    let sound = width > 0 && height > 0 && rgba.len() == width as usize * height as usize * 4;
    let mut level = if sound {
        MipLevel { width, height, rgba: Cow::Borrowed(rgba) }
    } else {
        MipLevel { width: 1, height: 1, rgba: Cow::Borrowed(&[255; 4]) }
    };
    while level.width > limit || level.height > limit {
        level = level.halved(texels);
    }
    let mip_level_count = level.width.max(level.height).ilog2() + 1;
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width: level.width, height: level.height, depth_or_array_layers: 1 },
        mip_level_count,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: match texels {
            TexelEncoding::Srgb => wgpu::TextureFormat::Rgba8UnormSrgb,
            TexelEncoding::Linear => wgpu::TextureFormat::Rgba8Unorm,
        },
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for mip_level in 0..mip_level_count {
        queue.write_texture(
            wgpu::TexelCopyTextureInfo { mip_level, ..texture.as_image_copy() },
            &level.rgba,
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(level.width * 4), rows_per_image: None },
            wgpu::Extent3d { width: level.width, height: level.height, depth_or_array_layers: 1 },
        );
        level = level.halved(texels);
    }
    texture
}

struct MipLevel<'a> {
    width: u32,
    height: u32,
    rgba: Cow<'a, [u8]>,
}

impl MipLevel<'_> {
    /// The next smaller mip level: a box filter in linear light, colours weighted by alpha so that cut-out edges do
    /// not take up the colour of what is invisible.
    fn halved(&self, texels: TexelEncoding) -> MipLevel<'static> {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let to_linear: [f32; 256] = std::array::from_fn(|i| match texels {
            TexelEncoding::Srgb => linear_from_srgb(i as f32 / 255.0),
            TexelEncoding::Linear => i as f32 / 255.0,
        });
        let texel = |x: u32, y: u32| {
            let mut sum = [0.0_f32; 3];
            let mut plain = [0.0_f32; 3];
            let mut alpha = 0.0;
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let (sx, sy) = ((x * 2 + dx).min(self.width - 1), (y * 2 + dy).min(self.height - 1));
                let at = (sy as usize * self.width as usize + sx as usize) * 4;
                let a = f32::from(self.rgba[at + 3]) / 255.0;
                alpha += a;
                for c in 0..3 {
                    let value = to_linear[usize::from(self.rgba[at + c])];
                    sum[c] += value * a;
                    plain[c] += value;
                }
            }
            let encoded = |c: usize| {
                let linear = if alpha > 0.0 { sum[c] / alpha } else { plain[c] * 0.25 };
                let value = if texels == TexelEncoding::Srgb { srgb_from_linear(linear) } else { linear };
                (value * 255.0 + 0.5) as u8
            };
            [encoded(0), encoded(1), encoded(2), (alpha * 0.25 * 255.0 + 0.5) as u8]
        };
        // On all cores: the frame waits for it.
        let mut rgba = vec![0; width as usize * height as usize * 4];
        let rows = rgba.par_chunks_exact_mut(width as usize * 4).enumerate().with_min_len(ROWS_PER_TASK);
        rows.for_each(|(y, row)| {
            for (x, place) in (0..).zip(row.chunks_exact_mut(4)) {
                place.copy_from_slice(&texel(x, y as u32));
            }
        });
        MipLevel { width, height, rgba: Cow::Owned(rgba) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_averages_light_not_code_values() {
        let level = MipLevel { width: 2, height: 1, rgba: vec![0, 0, 0, 255, 255, 255, 255, 255].into() };
        let half = level.halved(TexelEncoding::Srgb);
        assert_eq!((half.width, half.height), (1, 1));
        assert_eq!(half.rgba[..], [188, 188, 188, 255]);
        assert_eq!(level.halved(TexelEncoding::Linear).rgba[..], [128, 128, 128, 255]);
    }

    #[test]
    fn rows_made_on_many_threads_lie_in_their_order() {
        let (width, height) = (6, 200);
        let rgba: Vec<u8> = (0..height).flat_map(|y| [y as u8, 0, 0, 255].repeat(width as usize)).collect();
        let half = MipLevel { width, height, rgba: rgba.into() }.halved(TexelEncoding::Linear);
        assert_eq!((half.width, half.height, half.rgba.len()), (3, 100, 1200));
        for (y, row) in half.rgba.chunks_exact(12).enumerate() {
            // The mean of two rows, rounded.
            assert!(row.chunks_exact(4).all(|texel| texel[0].abs_diff(2 * y as u8) <= 1), "row {y}: {row:?}");
        }
    }

    #[test]
    fn invisible_texels_lend_no_colour() {
        let level = MipLevel { width: 2, height: 1, rgba: vec![0, 255, 0, 0, 200, 0, 0, 255].into() };
        assert_eq!(level.halved(TexelEncoding::Srgb).rgba[..], [200, 0, 0, 128]);
    }
}
