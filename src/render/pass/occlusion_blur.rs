//! Smooths ambient occlusion without mixing surfaces.

use crate::render::pipeline::{PipelineContext, PipelineSpec};
use crate::render::shaders::ShaderModules;

/// Format of ambient occlusion: share of the ambient light, and distance.
pub const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rg16Float;

/// Creates the pipeline.
pub fn pipeline(context: &PipelineContext, shaders: &ShaderModules) -> wgpu::RenderPipeline {
    let blur =
        PipelineSpec { target: Some(FORMAT), ..PipelineSpec::full_screen("occlusion blur", &shaders.occlusion_blur) };
    blur.create(&context.device, &[&context.layouts.tonemap])
}
