//! A line around the silhouettes of those who are selected or under the cursor: their numbers are drawn once more into a
//! target of the picture's size, and the line where they end is laid over the finished picture.
//!
//! Silhouettes are whole: what a wall hides of them is drawn fainter. Costs nothing while nobody is outlined; the line is
//! sought only in the parts of the picture where they are, and only the largest in the picture get one, so that a frame in
//! which everybody is selected stays cheap.

use super::frame::{FrameData, Outlines};
use super::layouts::Layouts;
use super::pass::models::{self, Purpose};
use super::pipelines::Pipelines;
use super::renderer::depth_attachment;
use super::targets::{DEPTH_FORMAT, Targets, layer};
use super::types;
use super::{RenderError, Renderer, pick};
use crate::gpu::GrowBuffer;
use wgpu::{BindingResource, BufferUsages};

/// Opacity of what is hidden.
const HIDDEN: f32 = 0.3;

/// The target, and how the line looks.
#[derive(Debug)]
pub(super) struct Outline {
    /// Numbers and depth, and their size in pixels: that of the last picture that had a line.
    targets: Option<([wgpu::TextureView; 2], [u32; 2])>,
    look: GrowBuffer<types::Outline>,
    /// Where the line is sought, see [`super::prepare::Prepared::outline_parts`].
    parts: GrowBuffer<[f32; 4]>,
}

impl Outline {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        Self {
            targets: None,
            look: GrowBuffer::new(device, "outline", BufferUsages::UNIFORM, 1),
            parts: GrowBuffer::new(device, "outline parts", BufferUsages::STORAGE, 64),
        }
    }

    /// Makes ready what the line of a frame is drawn with.
    pub(super) fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        frame: &FrameData,
        parts: &[[f32; 4]],
    ) -> Result<(), RenderError> {
        self.parts.fill(device, queue, parts)?;
        let Outlines { colors, width_px, .. } = frame.outlines;
        // Half of the width lies in each of the two rings of texels that are looked at.
        let stride = (width_px * 0.5).round().max(1.0);
        let perspective = frame.camera.clip_from_view.w_axis.w == 0.0;
        let look = [stride, HIDDEN, f32::from(u8::from(perspective)), 0.0];
        self.look.write(queue, 0, &[types::Outline { colors, look }])?;
        if self.targets.as_ref().is_none_or(|(_, size_px)| *size_px != frame.size_px) {
            let make = |label, format| layer(device, label, frame.size_px, format, 1);
            let made = [make("outline", pick::FORMAT), make("outline depth", DEPTH_FORMAT)];
            self.targets = Some((made, frame.size_px));
        }
        Ok(())
    }

    /// What the line is drawn from. `scene` is the depth of the picture, of several samples per pixel or of one.
    fn group(
        &self,
        device: &wgpu::Device,
        layouts: &Layouts,
        scene: &wgpu::TextureView,
        samples: bool,
    ) -> Option<wgpu::BindGroup> {
        let ([numbers, depth], _) = self.targets.as_ref()?;
        let entry = |binding, resource| wgpu::BindGroupEntry { binding, resource };
        Some(device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("outline"),
            layout: if samples { &layouts.outline_samples } else { &layouts.outline },
            entries: &[
                entry(0, self.look.raw().as_entire_binding()),
                entry(1, BindingResource::TextureView(numbers)),
                entry(2, BindingResource::TextureView(depth)),
                entry(if samples { 4 } else { 3 }, BindingResource::TextureView(scene)),
                entry(5, self.parts.raw().as_entire_binding()),
            ],
        }))
    }
}

impl Renderer {
    /// Records the numbers of those who are outlined in the frame that was uploaded last; its poses are recorded already.
    pub(super) fn record_outlined(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if self.prepared.outline.is_empty() {
            return;
        }
        let (Some(([numbers, depth], _)), Some(groups)) = (&self.outline.targets, &self.groups) else { return };
        let mut pass = pick::begin(
            encoder,
            "outline",
            numbers,
            depth_attachment(depth, 0.0, wgpu::StoreOp::Store),
            self.timer.render("outline"),
        );
        pass.set_bind_group(0, &groups.unlit, &[]);
        models::record(&mut pass, &self.pipelines, &self.models, &self.prepared.outline, Purpose::Pick);
    }

    /// What the line of the frame that was uploaded last is drawn with, if there is one.
    pub(super) fn outline_group(&self, targets: &Targets) -> Option<wgpu::BindGroup> {
        if self.prepared.outline.is_empty() {
            return None;
        }
        let device = self.pipelines.device();
        self.outline.group(device, &self.layouts, &targets.depth, targets.samples.is_some())
    }
}

/// Lays the line over the picture in a pass of the target, in so many parts of it.
pub(super) fn draw(pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines, group: &wgpu::BindGroup, parts: usize) {
    pass.set_pipeline(pipelines.outline());
    pass.set_bind_group(0, group, &[]);
    pass.draw(0..4, 0..parts as u32);
}
