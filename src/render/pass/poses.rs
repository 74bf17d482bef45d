//! The pose pass: solves legs, samples clips and computes skinning matrices of all characters, then the spheres of their bones.

use super::bone_spheres::BoneSpherePass;
use crate::gpu::GpuError;
use crate::gpu::timer::PassTimer;
use crate::render::compute::leg_ik;
use crate::render::compute::pipelines::ComputePipelines;
use crate::render::compute::pose_buffers::{PoseBuffers, PoseInput};
use crate::render::draw_lists::DrawLists;
use crate::render::frame_resources::ModelSet;
use crate::render::layouts::bind_buffers;
use crate::render::pipeline::PipelineContext;
use crate::render::shaders::ShaderModules;
use crate::render::types::LEG_WORKGROUP;
use crate::render::upload::UploadContext;

/// Pipelines and buffers of the poses.
#[derive(Debug)]
pub struct PosePass {
    pipelines: ComputePipelines,
    /// Buffers that the poses of a frame go through.
    pub buffers: PoseBuffers,
    legs: Option<LegGroup>,
}

/// The bind group over the legs of the pose buffers.
#[derive(Debug)]
struct LegGroup {
    version: u64,
    group: wgpu::BindGroup,
}

impl PosePass {
    /// Buffers of initial size.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        Self {
            pipelines: ComputePipelines::new(context, shaders),
            buffers: PoseBuffers::new(&context.device),
            legs: None,
        }
    }

    /// Replaces the pipelines.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        self.pipelines = ComputePipelines::new(context, shaders);
    }

    /// Uploads the pose jobs of a frame.
    ///
    /// # Errors
    /// When the device cannot hold so many.
    pub fn upload(&mut self, upload: UploadContext<'_>, lists: &DrawLists) -> Result<(), GpuError> {
        let input = PoseInput {
            jobs: &lists.jobs,
            overrides: &lists.overrides,
            legs: &lists.legs,
            node_count: lists.node_count as usize,
            skin_count: lists.skin_count as usize,
        };
        self.buffers.upload(upload.device, upload.queue, input)?;
        if self.legs.as_ref().is_none_or(|legs| legs.version != self.buffers.version) {
            let buffers = [(0, self.buffers.legs.raw()), (1, self.buffers.overrides.raw())];
            let group = bind_buffers(upload.device, "legs", &upload.layouts.legs, &buffers);
            self.legs = Some(LegGroup { version: self.buffers.version, group });
        }
        Ok(())
    }

    /// Uploads which jobs are of which model; the buffers are those of the last [`PosePass::upload`].
    ///
    /// # Errors
    /// As [`PosePass::upload`].
    pub fn upload_batches(
        &self,
        upload: UploadContext<'_>,
        lists: &DrawLists,
        models: &mut ModelSet,
    ) -> Result<(), GpuError> {
        for (asset, range) in &lists.batches {
            if let Some(animation) = models.by_asset.get_mut(asset).and_then(|m| m.gpu.animation.as_mut()) {
                animation.upload(upload, &self.buffers, range)?;
            }
        }
        Ok(())
    }

    /// Records the poses of a frame.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        lists: &DrawLists,
        models: &ModelSet,
        spheres: &BoneSpherePass,
        timer: &mut PassTimer,
    ) {
        if lists.batches.is_empty() {
            return;
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("poses"),
            timestamp_writes: timer.compute("poses"),
        });
        if let Some(legs) = self.legs.as_ref().filter(|_| !lists.legs.is_empty()) {
            pass.set_bind_group(0, &legs.group, &[]);
            leg_ik::record(
                &mut pass,
                &self.pipelines,
                lists.legs.len().next_multiple_of(LEG_WORKGROUP as usize) as u32,
            );
            timer.count_dispatches(1);
        }
        for (asset, range) in &lists.batches {
            if let Some(animation) = models.by_asset.get(asset).and_then(|m| m.gpu.animation.as_ref()) {
                timer.count_dispatches(animation.record(&mut pass, &self.pipelines, range));
            }
        }
        timer.count_dispatches(spheres.compute(&mut pass));
    }

    /// The compute pipelines.
    pub fn pipelines(&self) -> &ComputePipelines {
        &self.pipelines
    }
}
