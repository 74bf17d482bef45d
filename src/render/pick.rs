//! Who is drawn at a pixel of the picture: the numbers of the instances around it are drawn once more, into a target of
//! a few texels, and arrive a frame or more after they were asked for. No frame waits for them.
//!
//! The projection is narrowed to those texels, so that only what meets them is drawn, as in the picture: same poses, same
//! levels of detail, same texels left out, and walls hide whom they hide there.

use super::frame::FrameData;
use super::layouts::buffers_group;
use super::pass::models::{self, Purpose};
use super::renderer::depth_attachment;
use super::targets::DEPTH_FORMAT;
use super::types::{Frame, KIND_SHIFT};
use super::{RenderError, Renderer};
use crate::gpu::GrowBuffer;
use crate::gpu::readback::{self, Readback};
use glam::{Mat4, Vec4};
use wgpu::BufferUsages;

/// Edge of the target in texels, which are pixels of the picture; odd, so that one is the middle.
pub const EDGE_PX: u32 = 9;
/// Bytes from one row of the copied target to the next.
const ROW_BYTES: u32 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT;
/// The bits of an instance's number: above them stands the kind of the line around it.
const NUMBERS: u32 = (1 << KIND_SHIFT) - 1;
/// Format of the target.
pub const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;

/// What is drawn at a pixel and around it, by [`super::frame::pick_number`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picked {
    /// The number at the pixel; 0 for the level and for nothing.
    pub at: u32,
    /// Other numbers within half of [`EDGE_PX`], each once, the nearest first.
    pub beside: Vec<u32>,
}

impl Picked {
    /// From the rows of the target, [`ROW_BYTES`] apart.
    fn read(bytes: &[u8]) -> Self {
        let middle = EDGE_PX as i32 / 2;
        let number = |x: i32, y: i32| {
            let first = y as usize * ROW_BYTES as usize + x as usize * 4;
            bytes.get(first..first + 4).map_or(0, bytemuck::pod_read_unaligned::<u32>) & NUMBERS
        };
        let at = number(middle, middle);
        let edge = EDGE_PX as i32;
        let mut around: Vec<(i32, u32)> = (0..edge * edge)
            .map(|i| (i % edge, i / edge))
            .map(|(x, y)| ((x - middle).pow(2) + (y - middle).pow(2), number(x, y)))
            .filter(|(_, number)| *number != 0 && *number != at)
            .collect();
        around.sort_unstable();
        let mut beside = Vec::new();
        for (_, number) in around {
            if !beside.contains(&number) {
                beside.push(number);
            }
        }
        Self { at, beside }
    }
}

/// The target and what is on its way from it.
#[derive(Debug)]
pub(super) struct Pick {
    numbers: wgpu::Texture,
    depth: wgpu::Texture,
    frame: GrowBuffer<Frame>,
    /// What the frame that was uploaded last draws the numbers with, if it was asked for them.
    group: Option<wgpu::BindGroup>,
    readback: Readback,
    answer: Option<Picked>,
}

impl Pick {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let bytes = u64::from(ROW_BYTES * EDGE_PX);
        Self {
            numbers: readback::target(device, "pick", [EDGE_PX; 2], FORMAT),
            depth: readback::target(device, "pick depth", [EDGE_PX; 2], DEPTH_FORMAT),
            frame: GrowBuffer::new(device, "pick frame", BufferUsages::UNIFORM, 1),
            group: None,
            readback: Readback::new(device, "pick", bytes),
            answer: None,
        }
    }

    /// From the clip space of a frame's picture to that of the target; `None` unless it is asked for, and possible.
    pub(super) fn target_from_clip(&self, frame: &FrameData) -> Option<Mat4> {
        let at_px = frame.pick.filter(|_| self.readback.is_idle())?;
        Some(target_from_clip(at_px, frame.size_px))
    }

    /// To be called after the frame was submitted.
    pub(super) fn collect(&mut self, device: &wgpu::Device) {
        if !self.readback.is_idle() {
            self.readback.submitted();
            self.answer = self.readback.collect(device, Picked::read).or(self.answer.take());
        }
    }
}

/// Begins a pass that draws numbers.
pub(super) fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    label: &str,
    numbers: &wgpu::TextureView,
    depth: wgpu::RenderPassDepthStencilAttachment<'_>,
    timestamp_writes: Option<wgpu::RenderPassTimestampWrites<'_>>,
) -> wgpu::RenderPass<'e> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: numbers,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT), store: wgpu::StoreOp::Store },
        })],
        depth_stencil_attachment: Some(depth),
        timestamp_writes,
        ..Default::default()
    })
}

/// The clip space of a target that shows just the pixels around one, from that of the whole picture.
fn target_from_clip(at_px: [u32; 2], size_px: [u32; 2]) -> Mat4 {
    let part = size_px.map(|px| px.max(1) as f32 / EDGE_PX as f32);
    let share = |k: usize| (at_px[k] as f32 + 0.5) / size_px[k].max(1) as f32;
    let (x, y) = (share(0) * 2.0 - 1.0, 1.0 - share(1) * 2.0);
    Mat4::from_cols(Vec4::X * part[0], Vec4::Y * part[1], Vec4::Z, Vec4::new(-x * part[0], -y * part[1], 0.0, 1.0))
}

impl Renderer {
    /// Makes ready what the numbers are drawn with; `values` are those of the picture.
    pub(super) fn prepare_pick(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        target_from_clip: Option<Mat4>,
        values: Frame,
    ) -> Result<(), RenderError> {
        self.pick.group = None;
        let Some(target_from_clip) = target_from_clip else { return Ok(()) };
        let clip_from_world = target_from_clip * Mat4::from_cols_array_2d(&values.clip_from_world);
        self.pick.frame.write(queue, 0, &[Frame { clip_from_world: clip_from_world.to_cols_array_2d(), ..values }])?;
        let buffers = [self.pick.frame.raw(), self.instances.raw(), self.visible.raw(), self.poses.skin.raw()];
        let buffers = [0, 1, 2, 3].map(|i| (i as u32, buffers[i]));
        self.pick.group = Some(buffers_group(device, "pick", &self.layouts.frame_unlit, &buffers));
        Ok(())
    }

    /// Records the numbers that the frame uploaded last was asked for; its poses are recorded already.
    pub(super) fn record_pick(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let Some(group) = self.pick.group.take() else { return };
        let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        {
            let depth = view(&self.pick.depth);
            let depth = depth_attachment(&depth, 0.0, wgpu::StoreOp::Discard);
            let mut pass = begin(encoder, "pick", &view(&self.pick.numbers), depth, self.timer.render("pick"));
            pass.set_bind_group(0, &group, &[]);
            models::record(&mut pass, &self.pipelines, &self.models, &self.prepared.pick, Purpose::Pick);
        }
        self.pick.readback.copy_texture(encoder, &self.pick.numbers, ROW_BYTES);
    }

    /// Whether an answer is on its way.
    pub fn is_picking(&self) -> bool {
        !self.pick.readback.is_idle()
    }

    /// The answer to the newest [`FrameData::pick`] that was drawn, once, after it has arrived.
    pub fn take_picked(&mut self) -> Option<Picked> {
        self.pick.answer.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_shows_the_pixels_around_the_one_that_is_asked_about() {
        let size = [640, 360];
        let target = target_from_clip([100, 50], size);
        let clip = |x: f32, y: f32| glam::Vec3::new(x / 640.0 * 2.0 - 1.0, 1.0 - y / 360.0 * 2.0, 0.5);
        let half = EDGE_PX as f32 * 0.5;
        let middle = target.project_point3(clip(100.5, 50.5));
        assert!(middle.abs_diff_eq(glam::Vec3::Z * 0.5, 1e-4), "{middle}");
        let corner = target.project_point3(clip(100.5 - half, 50.5 - half));
        assert!(corner.abs_diff_eq(glam::Vec3::new(-1.0, 1.0, 0.5), 1e-4), "{corner}");
    }

    #[test]
    fn who_is_beside_is_told_once_and_the_nearest_first() {
        let mut bytes = vec![0; (ROW_BYTES * EDGE_PX) as usize];
        assert_eq!(Picked::read(&bytes), Picked::default());
        let middle = EDGE_PX as usize / 2;
        let mut put = |dx: usize, dy: usize, number: u32| {
            let first = (middle + dy) * ROW_BYTES as usize + (middle + dx) * 4;
            bytes[first..first + 4].copy_from_slice(&number.to_ne_bytes());
        };
        put(3, 0, 8);
        put(0, 1, 9);
        put(0, 2, 8);
        put(0, 0, 7);
        assert_eq!(Picked::read(&bytes), Picked { at: 7, beside: vec![9, 8] });
    }
}
