//! Tone mapping: draws the lit picture into the target.

use crate::render::RenderError;
use crate::render::pipeline::{PipelineContext, PipelineSpec, flag};
use crate::render::shaders::ShaderModules;
use crate::render::targets::SceneTargets;

/// Pipeline and sampler of tone mapping.
#[derive(Debug)]
pub struct TonemapPass {
    pipeline: wgpu::RenderPipeline,
    sampler: wgpu::Sampler,
}

/// The targets of a picture, with the bind group that reads the lit one.
#[derive(Debug)]
pub struct PictureTargets {
    /// What the scene is drawn into.
    pub targets: SceneTargets,
    group: wgpu::BindGroup,
}

fn pipeline(context: &PipelineContext, shaders: &ShaderModules) -> wgpu::RenderPipeline {
    let PipelineContext { device, layouts, quality, target_format } = context;
    let spec = PipelineSpec {
        constants: &[
            ("ENCODE_SRGB", flag(!target_format.is_srgb())),
            ("SMOOTH_EDGES", flag(quality.samples() == 1)),
            ("SHOWN_TARGET", flag(quality.is_display_referred())),
        ],
        target: Some(*target_format),
        ..PipelineSpec::full_screen("tone mapping", &shaders.tonemap)
    };
    spec.create(device, &[&layouts.tonemap])
}

impl TonemapPass {
    /// Creates the pipeline.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        let sampler = context.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("light"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        Self { pipeline: pipeline(context, shaders), sampler }
    }

    /// Replaces the pipeline.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        self.pipeline = pipeline(context, shaders);
    }

    /// SceneTargets for a picture of this size.
    ///
    /// # Errors
    /// When the size is zero or more than the device allows.
    pub fn create_targets(&self, context: &PipelineContext, size_px: [u32; 2]) -> Result<PictureTargets, RenderError> {
        let PipelineContext { device, layouts, quality, .. } = context;
        let targets = SceneTargets::new(device, size_px, *quality)?;
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("tone mapping"),
            layout: &layouts.tonemap,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&targets.light) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&self.sampler) },
            ],
        });
        Ok(PictureTargets { targets, group })
    }

    /// Begins the render pass and records the picture; only the viewport (x, y, width, height in pixels) of the target
    /// is written. Overlays of the picture can be drawn in the same pass.
    pub fn record<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        picture: &PictureTargets,
        target: &wgpu::TextureView,
        viewport_px: [u32; 4],
        timestamps: Option<wgpu::RenderPassTimestampWrites<'_>>,
    ) -> wgpu::RenderPass<'e> {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("tone mapping"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
            })],
            timestamp_writes: timestamps,
            ..Default::default()
        });
        let [x, y, width, height] = viewport_px.map(|v| v as f32);
        pass.set_viewport(x, y, width, height, 0.0, 1.0);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &picture.group, &[]);
        pass.draw(0..3, 0..1);
        pass
    }
}
