//! Bounding spheres of bones on the device. The twin of [`crate::collide::bone_spheres`], which serves the simulation.

use super::pipelines::compute_pipeline;
use crate::render::pipeline::PipelineContext;
use crate::render::shaders::ShaderModules;
use crate::render::types::POSE_WORKGROUP;
use std::sync::OnceLock;

/// The pipeline, created on first use.
#[derive(Debug)]
pub struct BoneSpherePipeline {
    context: PipelineContext,
    module: wgpu::ShaderModule,
    pipeline: OnceLock<wgpu::ComputePipeline>,
}

impl BoneSpherePipeline {
    /// Without a pipeline yet.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        Self { context: context.clone(), module: shaders.bone_spheres.clone(), pipeline: OnceLock::new() }
    }

    /// Records the spheres of `jobs` characters.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, group: &wgpu::BindGroup, jobs: u32) {
        let PipelineContext { device, layouts, .. } = &self.context;
        let create = || compute_pipeline(device, &self.module, "bone_spheres", &[&layouts.spheres]);
        pass.set_pipeline(self.pipeline.get_or_init(create));
        pass.set_bind_group(0, group, &[]);
        pass.dispatch_workgroups(jobs.div_ceil(POSE_WORKGROUP), 1, 1);
    }
}
