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

/// An RGBA8 image that becomes a texture.
#[derive(Clone, Copy, Debug)]
pub struct TexelSource<'a> {
    /// What it is called.
    pub label: &'a str,
    /// Width and height, pixels.
    pub size: [u32; 2],
    /// Its texels, rows from the top.
    pub rgba: &'a [u8],
    /// Their encoding.
    pub texels: TexelEncoding,
}

impl TexelSource<'_> {
    /// The image as the largest mip level; a white texel in place of one of invalid size.
    fn level(&self) -> MipLevel<'_> {
        let Self { size: [width, height], rgba, .. } = *self;
        let is_sound = width > 0 && height > 0 && rgba.len() == width as usize * height as usize * 4;
        if is_sound {
            MipLevel { width, height, rgba: Cow::Borrowed(rgba) }
        } else {
            MipLevel { width: 1, height: 1, rgba: Cow::Borrowed(&[255; 4]) }
        }
    }
}

/// The smaller mip levels of an image: made on any thread, and uploaded on that of the device.
#[derive(Debug)]
pub struct MipChain {
    /// The image, where it was larger than the device allows and was halved until it fits.
    first: Option<MipLevel<'static>>,
    /// The levels below it, down to one texel.
    rest: Vec<MipLevel<'static>>,
}

impl MipChain {
    /// Those of an image, for a device whose textures have sides of at most so many texels.
    pub fn of(source: &TexelSource<'_>, limit: u32) -> Self {
        let level = source.level();
        let mut first: Option<MipLevel<'static>> = None;
        loop {
            let largest = first.as_ref().unwrap_or(&level);
            if largest.width <= limit.max(1) && largest.height <= limit.max(1) {
                break;
            }
            first = Some(largest.halved(source.texels));
        }
        let mut rest: Vec<MipLevel<'static>> = Vec::new();
        loop {
            let last = rest.last().or(first.as_ref()).unwrap_or(&level);
            if last.width.max(last.height) <= 1 {
                break;
            }
            let next = last.halved(source.texels);
            rest.push(next);
        }
        Self { first, rest }
    }
}

/// Uploads an RGBA8 image (rows from the top) with a full mip chain. An image of invalid size becomes a white texel, one
/// larger than the device allows is halved until it fits.
pub fn upload_rgba(device: &wgpu::Device, queue: &wgpu::Queue, source: &TexelSource<'_>) -> wgpu::Texture {
    let chain = MipChain::of(source, device.limits().max_texture_dimension_2d);
    upload_chain(device, queue, source, &chain)
}

/// Uploads an image with its mip chain, which was made for this device.
pub fn upload_chain(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    source: &TexelSource<'_>,
    chain: &MipChain,
) -> wgpu::Texture {
    let level = source.level();
    let largest = chain.first.as_ref().unwrap_or(&level);
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some(source.label),
        size: wgpu::Extent3d { width: largest.width, height: largest.height, depth_or_array_layers: 1 },
        mip_level_count: 1 + chain.rest.len() as u32,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: match source.texels {
            TexelEncoding::Srgb => wgpu::TextureFormat::Rgba8UnormSrgb,
            TexelEncoding::Linear => wgpu::TextureFormat::Rgba8Unorm,
        },
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (mip_level, level) in (0..).zip(std::iter::once(largest).chain(&chain.rest)) {
        queue.write_texture(
            wgpu::TexelCopyTextureInfo { mip_level, ..texture.as_image_copy() },
            &level.rgba,
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(level.width * 4), rows_per_image: None },
            wgpu::Extent3d { width: level.width, height: level.height, depth_or_array_layers: 1 },
        );
    }
    texture
}

#[derive(Debug)]
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
        // On all cores: where nothing else is done meanwhile, a frame waits for it.
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
    fn chains_end_with_one_texel_and_begin_with_what_a_device_holds() {
        let rgba = vec![90; 12 * 5 * 4];
        let source = |size| TexelSource { label: "picture", size, rgba: &rgba, texels: TexelEncoding::Linear };
        let sizes = |size, limit| {
            let chain = MipChain::of(&source(size), limit);
            let all = chain.first.iter().chain(&chain.rest).map(|level| [level.width, level.height]);
            (chain.first.is_some(), all.collect::<Vec<_>>())
        };
        assert_eq!(sizes([12, 5], 64), (false, vec![[6, 2], [3, 1], [1, 1]]));
        assert_eq!(sizes([12, 5], 6), (true, vec![[6, 2], [3, 1], [1, 1]]));
        assert_eq!(sizes([12, 5], 1), (true, vec![[1, 1]]));
        assert_eq!(sizes([12, 6], 64), (false, Vec::new()), "a size that is not that of the texels");
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
