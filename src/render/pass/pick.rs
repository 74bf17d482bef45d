//! Picking: draws the ids of the instances around one pixel into a target of a few texels, and reads it back a frame or
//! more later. No frame waits for the result.
//!
//! The projection is narrowed to those texels, so that only what covers them is drawn, as in the picture: same poses,
//! levels of detail, alpha test and occlusion.

use super::model::{self, MeshSet};
use crate::gpu::GrowBuffer;
use crate::gpu::readback::{self, Readback};
use crate::gpu::timer::PassTimer;
use crate::render::RenderError;
use crate::render::compute::pose_buffers::PoseBuffers;
use crate::render::frame::FrameData;
use crate::render::frame_resources::{FrameBindings, FrameResources};
use crate::render::layouts::bind_buffers;
use crate::render::pipeline::{AlphaDrawing, PipelineContext, PipelineSpec, VariantPipelines, flag};
use crate::render::shaders::ShaderModules;
use crate::render::targets::{DEPTH_FORMAT, depth_attachment};
use crate::render::types::{FrameUniforms, OUTLINE_SHIFT};
use crate::render::upload::UploadContext;
use glam::{Mat4, Vec4};
use wgpu::BufferUsages;

/// Edge of the target in texels, which are pixels of the picture; odd, so that one is the centre.
pub const EDGE_PX: u32 = 9;
/// Bytes between the rows of the copied target.
const ROW_BYTES: u32 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT;
/// Bits of an instance's id; above them lies the kind of its outline.
const ID_MASK: u32 = (1 << OUTLINE_SHIFT) - 1;
/// Format of targets of ids.
pub const ID_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;

/// The instances drawn at and around a pixel, by [`pick_number`](crate::render::pick_number).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picked {
    /// The number at the pixel; 0 for the level and the background.
    pub at: u32,
    /// Other numbers within half of [`EDGE_PX`], each once, the nearest first.
    pub beside: Vec<u32>,
}

impl Picked {
    /// Evaluates the rows of the target, [`ROW_BYTES`] apart.
    fn read(bytes: &[u8]) -> Self {
        let middle = EDGE_PX as i32 / 2;
        let number = |x: i32, y: i32| {
            let first = y as usize * ROW_BYTES as usize + x as usize * 4;
            bytes.get(first..first + 4).map_or(0, bytemuck::pod_read_unaligned::<u32>) & ID_MASK
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

/// The target, its readback and the pipelines that draw ids.
#[derive(Debug)]
pub struct PickPass {
    pipelines: VariantPipelines,
    ids: wgpu::Texture,
    depth: wgpu::Texture,
    uniforms: GrowBuffer<FrameUniforms>,
    /// Bind group of the uploaded frame, if it has a pick request.
    group: Option<wgpu::BindGroup>,
    readback: Readback,
    result: Option<Picked>,
}

fn pipelines(context: &PipelineContext, shaders: &ShaderModules) -> VariantPipelines {
    VariantPipelines::new(context, &shaders.pick, |context, module, variant| {
        let spec = PipelineSpec {
            fragment: Some("fs_main"),
            constants: &[
                ("ALPHA_TEST", flag(variant.alpha != AlphaDrawing::Opaque)),
                ("BLENDED", flag(variant.alpha == AlphaDrawing::Blended)),
            ],
            target: Some(ID_FORMAT),
            ..PipelineSpec::model("pick", module, variant)
        };
        let layouts = &context.layouts;
        spec.create(&context.device, &[&layouts.frame_unlit, &layouts.material, &layouts.mesh])
    })
    .without_maps()
}

impl PickPass {
    /// Without a request.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        let device = &context.device;
        Self {
            pipelines: pipelines(context, shaders),
            ids: readback::target(device, "pick", [EDGE_PX; 2], ID_FORMAT),
            depth: readback::target(device, "pick depth", [EDGE_PX; 2], DEPTH_FORMAT),
            uniforms: GrowBuffer::new(device, "pick frame", BufferUsages::UNIFORM, 1),
            group: None,
            readback: Readback::new(device, "pick", u64::from(ROW_BYTES * EDGE_PX)),
            result: None,
        }
    }

    /// Replaces the pipelines.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        self.pipelines = pipelines(context, shaders);
    }

    /// The pipelines that draw ids.
    pub fn pipelines(&self) -> &VariantPipelines {
        &self.pipelines
    }

    /// Clip space of the pick target from that of the picture; `None` without a request, or while one is pending.
    pub fn target_from_clip(&self, frame: &FrameData) -> Option<Mat4> {
        let at_px = frame.pick.filter(|_| self.readback.is_idle())?;
        Some(target_from_clip(at_px, frame.size_px))
    }

    /// Uploads a request; `uniforms` are those of the picture.
    ///
    /// # Errors
    /// Never in practice: the buffer holds one element.
    pub fn upload(
        &mut self,
        upload: UploadContext<'_>,
        target_from_clip: Option<Mat4>,
        uniforms: FrameUniforms,
        bindings: &FrameBindings,
        poses: &PoseBuffers,
    ) -> Result<(), RenderError> {
        self.group = None;
        let Some(target_from_clip) = target_from_clip else { return Ok(()) };
        let clip_from_relative = target_from_clip * Mat4::from_cols_array_2d(&uniforms.clip_from_relative);
        let uniforms = FrameUniforms { clip_from_relative: clip_from_relative.to_cols_array_2d(), ..uniforms };
        self.uniforms.write(upload.queue, 0, &[uniforms])?;
        let buffers = bindings.buffers(self.uniforms.raw(), poses.skin.raw());
        self.group = Some(bind_buffers(upload.device, "pick", &upload.layouts.frame_unlit, &buffers));
        Ok(())
    }

    /// Records the request of the uploaded frame, after its poses.
    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder, frame: FrameResources<'_>, timer: &mut PassTimer) {
        let Some(group) = self.group.take() else { return };
        let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        {
            let depth = view(&self.depth);
            let depth = depth_attachment(&depth, 0.0, wgpu::StoreOp::Discard);
            let mut pass = begin_id_pass(encoder, "pick", &view(&self.ids), depth, timer.render("pick"));
            pass.set_bind_group(0, &group, &[]);
            let (draws, triangles) =
                model::record(&mut pass, &self.pipelines, frame.models, &frame.lists.pick, MeshSet::All);
            timer.count_draws(draws, triangles);
        }
        self.readback.copy_texture(encoder, &self.ids, ROW_BYTES);
    }

    /// Reads a result that has arrived. To be called after submission.
    pub fn collect(&mut self, device: &wgpu::Device) {
        if !self.readback.is_idle() {
            self.readback.submitted();
            self.result = self.readback.collect(device, Picked::read).or(self.result.take());
        }
    }

    /// Whether a request is pending.
    pub fn is_pending(&self) -> bool {
        !self.readback.is_idle()
    }

    /// Takes the newest result, once.
    pub fn take_result(&mut self) -> Option<Picked> {
        self.result.take()
    }

    /// Drops a pending request and its result.
    pub fn reset(&mut self, device: &wgpu::Device) {
        self.group = None;
        self.readback = Readback::new(device, "pick", u64::from(ROW_BYTES * EDGE_PX));
        self.result = None;
    }
}

/// Begins a render pass that draws ids.
pub fn begin_id_pass<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    label: &str,
    ids: &wgpu::TextureView,
    depth: wgpu::RenderPassDepthStencilAttachment<'_>,
    timestamp_writes: Option<wgpu::RenderPassTimestampWrites<'_>>,
) -> wgpu::RenderPass<'e> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: ids,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT), store: wgpu::StoreOp::Store },
        })],
        depth_stencil_attachment: Some(depth),
        timestamp_writes,
        ..Default::default()
    })
}

/// Clip space of a target that shows only the pixels around one, from that of the whole picture.
fn target_from_clip(at_px: [u32; 2], size_px: [u32; 2]) -> Mat4 {
    let part = size_px.map(|px| px.max(1) as f32 / EDGE_PX as f32);
    let share = |k: usize| (at_px[k] as f32 + 0.5) / size_px[k].max(1) as f32;
    let (x, y) = (share(0) * 2.0 - 1.0, 1.0 - share(1) * 2.0);
    Mat4::from_cols(Vec4::X * part[0], Vec4::Y * part[1], Vec4::Z, Vec4::new(-x * part[0], -y * part[1], 0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_shows_the_pixels_around_the_picked_one() {
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
    fn neighbours_are_listed_once_and_the_nearest_first() {
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
