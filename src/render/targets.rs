//! Render targets.

use super::RenderError;
use super::quality::Quality;
use crate::gpu::GpuError;

/// Format of depth.
pub const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Targets of the scene pass, of one size.
#[derive(Debug)]
pub struct SceneTargets {
    /// Size in pixels.
    pub size_px: [u32; 2],
    /// The lit picture with several samples per pixel, if there are several.
    pub samples: Option<wgpu::TextureView>,
    /// The lit picture with one sample per pixel.
    pub light: wgpu::TextureView,
    /// Depth, with as many samples.
    pub depth: wgpu::TextureView,
}

impl SceneTargets {
    /// Targets for a picture.
    ///
    /// # Errors
    /// When the size is nothing or more than the device allows.
    pub fn new(device: &wgpu::Device, size_px: [u32; 2], quality: Quality) -> Result<Self, RenderError> {
        check_size(device, size_px)?;
        let (sample_count, light_format) = (quality.samples(), quality.light_format());
        let make = |label, format, samples| render_texture(device, label, size_px, format, samples);
        Ok(Self {
            size_px,
            samples: (sample_count > 1).then(|| make("light samples", light_format, sample_count)),
            light: make("light", light_format, 1),
            depth: make("depth", DEPTH_FORMAT, sample_count),
        })
    }

    /// What the drawing passes write colours to.
    pub fn color_attachment(&self, load: wgpu::LoadOp<wgpu::Color>) -> wgpu::RenderPassColorAttachment<'_> {
        wgpu::RenderPassColorAttachment {
            view: self.samples.as_ref().unwrap_or(&self.light),
            depth_slice: None,
            resolve_target: self.samples.as_ref().map(|_| &self.light),
            ops: wgpu::Operations {
                load,
                store: if self.samples.is_some() { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store },
            },
        }
    }
}

/// A view of a texture that is drawn into and sampled by later passes.
pub fn render_texture(
    device: &wgpu::Device,
    label: &str,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    sample_count: u32,
) -> wgpu::TextureView {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

/// Half of a size in pixels, rounded up.
pub fn half_size(size_px: [u32; 2]) -> [u32; 2] {
    size_px.map(|px| px.div_ceil(2))
}

/// Begins with black.
pub const BLACK: wgpu::LoadOp<wgpu::Color> = wgpu::LoadOp::Clear(wgpu::Color::BLACK);

/// Begins a pass that draws on a target, over what it holds or over a colour that it is cleared with.
pub fn color_pass<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    label: &str,
    (target, load): (&wgpu::TextureView, wgpu::LoadOp<wgpu::Color>),
    timestamps: Option<wgpu::RenderPassTimestampWrites<'_>>,
) -> wgpu::RenderPass<'e> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: target,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
        })],
        timestamp_writes: timestamps,
        ..Default::default()
    })
}

/// A bind group of a texture and its sampler.
pub fn sampled_group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    view: &wgpu::TextureView,
    sampler: &wgpu::Sampler,
) -> wgpu::BindGroup {
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("picture"),
        layout,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(view) },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(sampler) },
        ],
    })
}

/// Sampler of pictures between passes.
pub fn linear_sampler(device: &wgpu::Device, label: &str) -> wgpu::Sampler {
    device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some(label),
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        ..Default::default()
    })
}

/// Depth attachment of a pass that clears it.
pub fn depth_attachment(
    view: &wgpu::TextureView,
    clear: f32,
    store: wgpu::StoreOp,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store }),
        stencil_ops: None,
    }
}

/// Sampler of material textures.
pub fn surface_sampler(device: &wgpu::Device, quality: Quality) -> wgpu::Sampler {
    device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("surface"),
        address_mode_u: wgpu::AddressMode::Repeat,
        address_mode_v: wgpu::AddressMode::Repeat,
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        anisotropy_clamp: quality.anisotropy(),
        ..Default::default()
    })
}

/// Checks the size of a picture.
///
/// # Errors
/// When it is nothing or more than the device allows.
pub fn check_size(device: &wgpu::Device, [width, height]: [u32; 2]) -> Result<(), RenderError> {
    if width == 0 || height == 0 {
        return Err(RenderError::EmptyPicture { width, height });
    }
    let limit = device.limits().max_texture_dimension_2d;
    if width > limit || height > limit {
        return Err(GpuError::PictureTooLarge { width, height, limit }.into());
    }
    Ok(())
}

/// The shadow maps of all cascades.
#[derive(Debug)]
pub struct ShadowMaps {
    /// All layers, for sampling.
    pub all: wgpu::TextureView,
    /// One layer each, for drawing.
    pub layers: Vec<wgpu::TextureView>,
    /// Edge in texels.
    pub size_px: u32,
}

impl ShadowMaps {
    /// Square maps of `size_px` texels.
    pub fn new(device: &wgpu::Device, size_px: u32, count: u32) -> Self {
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("shadow maps"),
            size: wgpu::Extent3d { width: size_px, height: size_px, depth_or_array_layers: count },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: DEPTH_FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let view = |first: u32, count: u32, dimension| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(dimension),
                base_array_layer: first,
                array_layer_count: Some(count),
                ..Default::default()
            })
        };
        Self {
            all: view(0, count, wgpu::TextureViewDimension::D2Array),
            layers: (0..count).map(|i| view(i, 1, wgpu::TextureViewDimension::D2)).collect(),
            size_px,
        }
    }
}
