//! Dust that feet raise: soft grains over the scene, which hide nothing and are hidden by what stands before them.

use crate::gpu::{GpuError, GrowBuffer};
use crate::render::frame::FrameData;
use crate::render::pipeline::{DepthWrite, PipelineContext, PipelineSpec, depth_state, flag};
use crate::render::shaders::ShaderModules;
use crate::render::types::GrainData;
use crate::render::upload::UploadContext;
use crate::sim::Grain;
use std::sync::OnceLock;
use wgpu::{BufferUsages, CompareFunction, ShaderModule};

/// The grains of a frame on the device, with their pipeline, which is created with the first grain.
#[derive(Debug)]
pub struct Dust {
    context: PipelineContext,
    module: ShaderModule,
    pipeline: OnceLock<wgpu::RenderPipeline>,
    grains: GrowBuffer<GrainData>,
    count: u32,
}

impl Dust {
    /// Without grains.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        Self {
            context: context.clone(),
            module: shaders.dust.clone(),
            pipeline: OnceLock::new(),
            grains: GrowBuffer::new(&context.device, "dust", BufferUsages::VERTEX, 64),
            count: 0,
        }
    }

    /// Replaces the pipeline.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        (self.context, self.module, self.pipeline) = (context.clone(), shaders.dust.clone(), OnceLock::new());
    }

    /// Uploads the grains of a frame, the farthest first.
    ///
    /// # Errors
    /// When the device cannot hold so many.
    pub fn upload(&mut self, upload: UploadContext<'_>, frame: &FrameData) -> Result<(), GpuError> {
        let depth = |grain: &Grain| -frame.camera.view_from_world.transform_point3(grain.place).z;
        let mut grains = frame.dust.clone();
        grains.sort_by(|a, b| depth(b).total_cmp(&depth(a)));
        let eye = frame.camera.position;
        let data = |grain: &Grain| GrainData {
            place: (grain.place - eye).to_array(),
            radius: grain.radius,
            opacity: grain.opacity,
        };
        let grains: Vec<GrainData> = grains.iter().map(data).collect();
        self.grains.fill(upload.device, upload.queue, &grains)?;
        self.count = grains.len() as u32;
        Ok(())
    }

    /// Records it; bind group 0 is set already.
    pub fn record(&self, pass: &mut wgpu::RenderPass<'_>) {
        if self.count > 0 {
            pass.set_pipeline(self.pipeline.get_or_init(|| self.create()));
            pass.set_vertex_buffer(0, self.grains.raw().slice(..));
            pass.draw(0..4, 0..self.count);
        }
    }

    fn create(&self) -> wgpu::RenderPipeline {
        let PipelineContext { device, layouts, quality, .. } = &self.context;
        let spec = PipelineSpec {
            buffers: &[Some(GrainData::LAYOUT)],
            constants: &[("SHOWN_TARGET", flag(quality.is_display_referred()))],
            target: Some(quality.light_format()),
            blend: Some(wgpu::BlendState::ALPHA_BLENDING),
            depth: depth_state(CompareFunction::GreaterEqual, DepthWrite::Off),
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            samples: quality.samples(),
            ..PipelineSpec::full_screen("dust", &self.module)
        };
        spec.create(device, &[&layouts.frame])
    }
}
