//! Outlines around the silhouettes of selected and hovered instances: their ids are drawn into a target of the picture's
//! size, and edges between ids are drawn over the finished picture.
//!
//! Silhouettes are complete; occluded parts are drawn fainter. Without outlined instances the pass costs nothing. Edges
//! are searched only in the parts of the picture that the instances cover, and the number of outlined instances is
//! bounded, so that selecting everything stays cheap.

use super::model::{self, MeshSet};
use super::pick::{ID_FORMAT, begin_id_pass};
use crate::gpu::GrowBuffer;
use crate::gpu::timer::PassTimer;
use crate::render::RenderError;
use crate::render::frame::{FrameData, Outlines};
use crate::render::frame_resources::FrameResources;
use crate::render::pipeline::{PipelineContext, PipelineSpec, VariantPipelines, flag};
use crate::render::shaders::ShaderModules;
use crate::render::targets::{DEPTH_FORMAT, SceneTargets, depth_attachment, render_texture};
use crate::render::types::OutlineUniforms;
use crate::render::upload::UploadContext;
use std::sync::OnceLock;
use wgpu::{BindingResource, BufferUsages};

/// Opacity of occluded outlines.
const OCCLUDED_OPACITY: f32 = 0.3;

/// Pipeline, targets and buffers of the outlines.
#[derive(Debug)]
pub struct OutlinePass {
    context: PipelineContext,
    shaders: ShaderModules,
    pipeline: OnceLock<wgpu::RenderPipeline>,
    /// Targets of the size of the last outlined picture.
    targets: Option<IdTargets>,
    uniforms: GrowBuffer<OutlineUniforms>,
    /// Rectangles in which edges are searched, see [`DrawLists::outline_parts`].
    ///
    /// [`DrawLists::outline_parts`]: crate::render::draw_lists::DrawLists::outline_parts
    parts: GrowBuffer<[f32; 4]>,
    /// Bind group of the edges; none where what it names was replaced.
    edges: Option<EdgeGroup>,
}

/// The bind group of the edges over a picture.
#[derive(Debug)]
struct EdgeGroup {
    /// Depth of the scene that it names.
    depth: wgpu::TextureView,
    group: wgpu::BindGroup,
}

/// Ids and depth of the outlined instances.
#[derive(Debug)]
struct IdTargets {
    ids: wgpu::TextureView,
    depth: wgpu::TextureView,
    size_px: [u32; 2],
}

impl OutlinePass {
    /// Without targets.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        let device = &context.device;
        Self {
            context: context.clone(),
            shaders: shaders.clone(),
            pipeline: OnceLock::new(),
            targets: None,
            uniforms: GrowBuffer::new(device, "outline", BufferUsages::UNIFORM, 1),
            parts: GrowBuffer::new(device, "outline parts", BufferUsages::STORAGE, 64),
            edges: None,
        }
    }

    /// Replaces the pipeline.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        (self.context, self.shaders, self.pipeline) = (context.clone(), shaders.clone(), OnceLock::new());
        self.edges = None;
    }

    /// The pipeline that draws the edges, created on first use.
    pub fn pipeline(&self) -> &wgpu::RenderPipeline {
        self.pipeline.get_or_init(|| {
            let PipelineContext { device, layouts, quality, target_format, .. } = &self.context;
            let multisampled = quality.samples() > 1;
            let spec = PipelineSpec {
                vertex: "vs_part",
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                fragment: Some(if multisampled { "fs_samples" } else { "fs_one_sample" }),
                constants: &[("ENCODE_SRGB", flag(!target_format.is_srgb()))],
                target: Some(*target_format),
                blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                ..PipelineSpec::full_screen("outline", &self.shaders.outline)
            };
            spec.create(device, &[if multisampled { &layouts.outline_samples } else { &layouts.outline }])
        })
    }

    /// Uploads the appearance and the parts of a frame with outlines.
    ///
    /// # Errors
    /// When the device cannot hold so many parts.
    pub fn upload(
        &mut self,
        upload: UploadContext<'_>,
        frame: &FrameData,
        parts: &[[f32; 4]],
    ) -> Result<(), RenderError> {
        if self.parts.fill(upload.device, upload.queue, parts)? {
            self.edges = None;
        }
        let Outlines { colors, width_px, .. } = frame.outlines;
        // Half of the width lies in each of the two rings of texels that the shader compares.
        let stride = (width_px * 0.5).round().max(1.0);
        let look = [stride, OCCLUDED_OPACITY, f32::from(u8::from(frame.camera.is_perspective())), 0.0];
        self.uniforms.write(upload.queue, 0, &[OutlineUniforms { colors, look }])?;
        if self.targets.as_ref().is_none_or(|targets| targets.size_px != frame.size_px) {
            let create = |label, format| render_texture(upload.device, label, frame.size_px, format, 1);
            self.targets = Some(IdTargets {
                ids: create("outline", ID_FORMAT),
                depth: create("outline depth", DEPTH_FORMAT),
                size_px: frame.size_px,
            });
            self.edges = None;
        }
        Ok(())
    }

    /// Records the ids of the outlined instances, after the poses.
    pub fn record_ids(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        frame: FrameResources<'_>,
        pipelines: &VariantPipelines,
        timer: &mut PassTimer,
    ) {
        if frame.lists.outline.is_empty() {
            return;
        }
        let (Some(targets), Some(group)) = (&self.targets, frame.bindings.unlit()) else { return };
        let depth = depth_attachment(&targets.depth, 0.0, wgpu::StoreOp::Store);
        let mut pass = begin_id_pass(encoder, "outline", &targets.ids, depth, timer.render("outline"));
        pass.set_bind_group(0, group, &[]);
        let (draws, triangles) = model::record(&mut pass, pipelines, frame.models, &frame.lists.outline, MeshSet::All);
        timer.count_draws(draws, triangles);
    }

    /// Bind group of the edges of a frame; `None` without outlines. Reads the depth of the scene from `scene`.
    pub fn edge_group(&mut self, scene: &SceneTargets, frame: FrameResources<'_>) -> Option<wgpu::BindGroup> {
        let Some(targets) = self.targets.as_ref().filter(|_| !frame.lists.outline.is_empty()) else {
            self.edges = None;
            return None;
        };
        if let Some(edges) = self.edges.as_ref().filter(|edges| edges.depth == scene.depth) {
            return Some(edges.group.clone());
        }
        let layouts = &self.context.layouts;
        let multisampled = scene.samples.is_some();
        let entry = |binding, resource| wgpu::BindGroupEntry { binding, resource };
        let group = self.context.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("outline"),
            layout: if multisampled { &layouts.outline_samples } else { &layouts.outline },
            entries: &[
                entry(0, self.uniforms.raw().as_entire_binding()),
                entry(1, BindingResource::TextureView(&targets.ids)),
                entry(2, BindingResource::TextureView(&targets.depth)),
                entry(if multisampled { 4 } else { 3 }, BindingResource::TextureView(&scene.depth)),
                entry(5, self.parts.raw().as_entire_binding()),
            ],
        });
        self.edges = Some(EdgeGroup { depth: scene.depth.clone(), group: group.clone() });
        Some(group)
    }

    /// Records the edges over the picture, in a render pass of its target.
    pub fn draw_edges(&self, pass: &mut wgpu::RenderPass<'_>, group: &wgpu::BindGroup, parts: usize) {
        pass.set_pipeline(self.pipeline());
        pass.set_bind_group(0, group, &[]);
        pass.draw(0..4, 0..parts as u32);
    }
}
