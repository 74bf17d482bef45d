//! The compute pipelines of the poses.

use crate::render::pipeline::PipelineContext;
use crate::render::shaders::ShaderModules;

/// Pipelines of leg IK, clip sampling, forward kinematics and skinning matrices.
#[derive(Debug)]
pub struct ComputePipelines {
    /// `sample_poses` of `anim/sample.wgsl`.
    pub sample: wgpu::ComputePipeline,
    /// `solve_legs` of `anim/leg_ik.wgsl`.
    pub leg_ik: wgpu::ComputePipeline,
    /// `local_to_model` of `anim/local_to_model.wgsl`.
    pub local_to_model: wgpu::ComputePipeline,
    /// `model_to_skin` of `anim/local_to_model.wgsl`.
    pub model_to_skin: wgpu::ComputePipeline,
}

impl ComputePipelines {
    /// Creates them.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        let PipelineContext { device, layouts, .. } = context;
        let posing = [&layouts.skeleton, &layouts.posing];
        let pose = &shaders.local_to_model;
        Self {
            sample: compute_pipeline(device, &shaders.sample, "sample_poses", &[&layouts.clips, &layouts.sampling]),
            leg_ik: compute_pipeline(device, &shaders.leg_ik, "solve_legs", &[&layouts.legs]),
            local_to_model: compute_pipeline(device, pose, "local_to_model", &posing),
            model_to_skin: compute_pipeline(device, pose, "model_to_skin", &posing),
        }
    }
}

/// Creates the pipeline of an entry point with these bind group layouts.
pub fn compute_pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    entry: &str,
    groups: &[&wgpu::BindGroupLayout],
) -> wgpu::ComputePipeline {
    let groups: Vec<_> = groups.iter().copied().map(Some).collect();
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(entry),
        bind_group_layouts: &groups,
        immediate_size: 0,
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry),
        layout: Some(&layout),
        module,
        entry_point: Some(entry),
        compilation_options: Default::default(),
        cache: None,
    })
}

/// Workgroup counts for `count` invocations, over two dimensions so that no limit is exceeded.
pub fn workgroups(count: u32, size: u32) -> [u32; 2] {
    const MAX_PER_ROW: u32 = 32_768;
    let groups = count.div_ceil(size);
    let rows = groups.div_ceil(MAX_PER_ROW).max(1);
    [groups.div_ceil(rows), rows]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroups_cover_all_and_stay_in_the_limits() {
        for count in [0, 1, 64, 65, 2_097_152, 2_097_153, 90_000_000] {
            let [x, y] = workgroups(count, 64);
            assert!(u64::from(x) * u64::from(y) * 64 >= u64::from(count));
            assert!(x <= 65_535 && y <= 65_535);
        }
    }
}
