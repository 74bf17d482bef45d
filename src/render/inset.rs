//! A small second picture of the same models from elsewhere: drawn now and then, shown in every frame.

use super::frame::FrameData;
use super::pass::tonemap;
use super::{RenderError, Renderer};
use crate::asset::AssetStore;
use crate::gpu::GpuContext;

impl Renderer {
    /// Draws the small picture and keeps it. To be called before the frame itself is uploaded, as it uses the same
    /// buffers; what it records is submitted at once.
    ///
    /// # Errors
    /// As [`Renderer::upload`]; the small picture before stays.
    pub fn draw_inset(&mut self, gpu: &GpuContext, assets: &AssetStore, frame: &FrameData) -> Result<(), RenderError> {
        std::mem::swap(&mut self.targets, &mut self.inset);
        let done = self.upload(&gpu.device, &gpu.queue, assets, frame);
        if done.is_ok() {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            self.record_light(&mut encoder);
            gpu.queue.submit([encoder.finish()]);
        }
        // Times are those of the frame.
        self.timer.discard();
        std::mem::swap(&mut self.targets, &mut self.inset);
        done
    }

    /// Records the frame that was uploaded last without taking times.
    pub(super) fn draw_untimed(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        part_px: [u32; 4],
    ) {
        self.record_light(encoder);
        self.timer.discard();
        if let Some((_, group)) = &self.targets {
            tonemap::record(encoder, &self.pipelines, group, target, part_px, None);
        }
    }

    /// Records the small picture that was drawn last into a part (x, y, width, height in pixels) of the target.
    pub fn show_inset(&self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::TextureView, part_px: [u32; 4]) {
        if let Some((_, group)) = &self.inset {
            tonemap::record(encoder, &self.pipelines, group, target, part_px, None);
        }
    }

    /// Gives the small picture's memory back.
    pub fn drop_inset(&mut self) {
        self.inset = None;
    }
}
