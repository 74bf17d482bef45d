//! A small picture of one model by itself, which arrives a frame or more after it was asked for.

use super::frame::{FrameData, InstanceDraw, ModelDraws};
use super::prepare::still;
use super::{RenderError, Renderer};
use crate::anim::{ClipAt, Playback, clip_classification};
use crate::asset::{AssetStore, Image, Model};
use crate::camera::{Lens, View};
use crate::gpu::GpuContext;
use crate::gpu::readback::{self, Readback};
use crate::ids::ClipId;
use glam::{Mat4, Vec3};

/// Edge of the picture, pixels; its rows are of a length that can be copied as they are.
pub const EDGE_PX: u32 = 192;
/// Vertical field of view, radians.
const FOV_RAD: f32 = 0.6;
/// From the middle of the model to the eye: from its front, its left and above.
const FROM: Vec3 = Vec3::new(0.55, 0.42, 1.0);

/// A picture on its way from the device.
#[derive(Debug)]
pub struct Portrait {
    readback: Readback,
    /// Whether the device has blue where pictures have red.
    swapped: bool,
}

impl Portrait {
    /// The picture, if it has arrived. Never waits.
    pub fn collect(&mut self, device: &wgpu::Device) -> Option<Image> {
        let mut rgba = self.readback.collect(device, <[u8]>::to_vec)?;
        for pixel in rgba.chunks_exact_mut(4) {
            if self.swapped {
                pixel.swap(0, 2);
            }
            pixel[3] = 255;
        }
        Some(Image { name: "portrait".into(), width: EDGE_PX, height: EDGE_PX, rgba })
    }
}

/// What the picture shows: the model as it stands, all of it, under the usual sky.
fn frame(store: &AssetStore, model: &Model) -> FrameData {
    let bounds = model.rest_bounds;
    let (middle, radius) = if bounds.is_empty() {
        (Vec3::ZERO, 1.0)
    } else {
        (bounds.center(), (bounds.size().length() * 0.5).clamp(1e-3, 1e6))
    };
    let distance = radius / (FOV_RAD * 0.5).sin();
    let eye = middle + FROM.normalize() * distance;
    // What is far larger or smaller than a house would not lie between the planes of the lens.
    let scale = if (0.3..=400.0).contains(&distance) { 1.0 } else { 10.0 / distance };
    let view = View::new(eye * scale, middle - eye, Lens::Perspective { fov_rad: FOV_RAD }, 1.0);
    let playback = clip_classification::classify_clips(model).idle.map_or_else(Playback::default, |clip| {
        let clip = ClipAt { clip: ClipId(clip as u32), time_secs: 0.0 };
        Playback { clips: [clip; 2], ..Playback::default() }
    });
    let draw = InstanceDraw { playback, ..still(Mat4::from_scale(Vec3::splat(scale))) };
    let models = store.find(FILE).map(|asset| ModelDraws { asset, instances: vec![draw] });
    FrameData { models: models.into_iter().collect(), ..FrameData::of_sky([EDGE_PX; 2], &view) }
}

/// The name under which the model lies in a store of its own.
const FILE: &str = "model";

impl Renderer {
    /// Draws a model by itself. To be called before the frame itself is uploaded, as it uses the same buffers; what it
    /// records is submitted at once.
    ///
    /// # Errors
    /// As [`Renderer::upload`].
    pub fn portrait(&mut self, gpu: &GpuContext, model: Model) -> Result<Portrait, RenderError> {
        let (device, queue) = (&gpu.device, &gpu.queue);
        let mut store = AssetStore::default();
        let asset = store.insert(FILE, model);
        let data = store.model(asset).map(|model| frame(&store, model));
        let targets = self.targets.take();
        let others = std::mem::take(&mut self.models.by_asset);
        let done = data.map_or(Ok(()), |data| self.upload(device, queue, &store, &data));
        let drawn = done.map(|()| self.shoot(device, queue));
        self.models.by_asset = others;
        self.targets = targets;
        drawn
    }

    fn shoot(&mut self, device: &wgpu::Device, queue: &wgpu::Queue) -> Portrait {
        let size = wgpu::Extent3d { width: EDGE_PX, height: EDGE_PX, depth_or_array_layers: 1 };
        let texture = readback::target(device, "portrait", [EDGE_PX; 2], self.target_format);
        let bytes = u64::from(EDGE_PX * EDGE_PX * 4);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("portrait"),
            size: bytes,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let mut readback = Readback::new(device, "portrait", bytes);
        let mut encoder = device.create_command_encoder(&Default::default());
        self.draw_untimed(&mut encoder, &texture.create_view(&Default::default()), [0, 0, EDGE_PX, EDGE_PX]);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(EDGE_PX * 4), rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, size);
        readback.copy(&mut encoder, &buffer);
        queue.submit([encoder.finish()]);
        readback.submitted();
        let format = self.target_format.remove_srgb_suffix();
        Portrait { readback, swapped: format == wgpu::TextureFormat::Bgra8Unorm }
    }
}
