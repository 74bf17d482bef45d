//! Poses on the device: sampling of clips, then matrices down the skeleton. Each file is the twin of one in `anim`.

pub mod local_to_model;
pub mod sample;
pub mod spheres;

use super::layouts::{Layouts, buffers_group};
use super::types::{Affine, Joint, KeyRange, Local, Node, PoseBatch, PoseJob, PoseOverrideData};
use crate::asset::Model;
use crate::gpu::{GpuError, GrowBuffer};
use wgpu::BufferUsages;

/// Skeleton and clips of a model on the device.
#[derive(Debug)]
pub struct ModelAnimation {
    /// Number of nodes.
    pub node_count: u32,
    /// Number of joints.
    pub joint_count: u32,
    clip_count: u32,
    clips: wgpu::BindGroup,
    skeleton: wgpu::BindGroup,
    batch: GrowBuffer<PoseBatch>,
    frame: Option<FrameGroups>,
}

#[derive(Debug)]
struct FrameGroups {
    version: u64,
    sampling: wgpu::BindGroup,
    posing: wgpu::BindGroup,
}

impl ModelAnimation {
    /// Uploads skeleton, clips and joints.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, layouts: &Layouts, model: &Model) -> Self {
        let keys = sample::pack_clips(model);
        let nodes: Vec<Node> = local_to_model::pack_nodes(&model.skeleton);
        let joints: Vec<Joint> = local_to_model::pack_joints(&model.joints);
        let storage = BufferUsages::STORAGE;
        let nodes = GrowBuffer::with_data(device, queue, "nodes", storage, &nodes);
        let ranges = GrowBuffer::<KeyRange>::with_data(device, queue, "key ranges", storage, &keys.ranges);
        let times = GrowBuffer::with_data(device, queue, "key times", storage, &keys.times_secs);
        let values = GrowBuffer::with_data(device, queue, "key values", storage, &keys.values);
        let joints = GrowBuffer::with_data(device, queue, "joints", storage, &joints);
        let clips = [(0, nodes.raw()), (1, ranges.raw()), (2, times.raw()), (3, values.raw())];
        Self {
            node_count: model.skeleton.len() as u32,
            joint_count: model.joints.len() as u32,
            clip_count: model.clips.len() as u32,
            clips: buffers_group(device, "clips", &layouts.clips, &clips),
            skeleton: buffers_group(device, "skeleton", &layouts.skeleton, &[(0, nodes.raw()), (4, joints.raw())]),
            batch: GrowBuffer::new(device, "pose batch", BufferUsages::UNIFORM, 1),
            frame: None,
        }
    }

    /// Sets which jobs of the frame are this model's, and where its nodes lie.
    ///
    /// # Errors
    /// Never in practice: the buffer holds one batch.
    pub fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        layouts: &Layouts,
        poses: &PoseBuffers,
        range: &BatchRange,
    ) -> Result<(), GpuError> {
        let batch = PoseBatch {
            node_count: self.node_count,
            joint_count: self.joint_count,
            clip_count: self.clip_count,
            first_job: range.first_job,
            job_count: range.job_count,
            first_node: range.first_node,
            pad_0: 0,
            pad_1: 0,
        };
        self.batch.write(queue, 0, &[batch])?;
        if self.frame.as_ref().is_none_or(|f| f.version != poses.version) {
            let sampling =
                [(0, self.batch.raw()), (1, poses.jobs.raw()), (2, poses.locals.raw()), (3, poses.overrides.raw())];
            let posing = [
                (0, self.batch.raw()),
                (1, poses.jobs.raw()),
                (2, poses.locals.raw()),
                (3, poses.model_from_node.raw()),
                (4, poses.skin.raw()),
            ];
            self.frame = Some(FrameGroups {
                version: poses.version,
                sampling: buffers_group(device, "sampling", &layouts.sampling, &sampling),
                posing: buffers_group(device, "posing", &layouts.posing, &posing),
            });
        }
        Ok(())
    }

    /// Records the computation of the poses that [`ModelAnimation::prepare`] announced.
    pub fn compute(&self, pass: &mut wgpu::ComputePass<'_>, pipelines: &ComputePipelines, range: &BatchRange) {
        let Some(frame) = &self.frame else { return };
        if range.job_count == 0 {
            return;
        }
        sample::record(pass, pipelines, &self.clips, &frame.sampling, range.job_count * self.node_count);
        let joints = range.job_count * self.joint_count;
        local_to_model::record(pass, pipelines, &self.skeleton, &frame.posing, range.job_count, joints);
    }
}

/// Which part of a frame's jobs belongs to one model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchRange {
    /// First job.
    pub first_job: u32,
    /// Number of jobs.
    pub job_count: u32,
    /// Where its first node lies in the buffers of locals and node matrices.
    pub first_node: u32,
}

/// Buffers that the poses of all instances of a frame go through.
#[derive(Debug)]
pub struct PoseBuffers {
    /// What is to be posed.
    pub jobs: GrowBuffer<PoseJob>,
    /// Changes to poses.
    pub overrides: GrowBuffer<PoseOverrideData>,
    /// Local transforms.
    pub locals: GrowBuffer<Local>,
    /// Node matrices.
    pub model_from_node: GrowBuffer<Affine>,
    /// Skin matrices, read when drawing.
    pub skin: GrowBuffer<Affine>,
    /// Rises when a buffer was replaced.
    pub version: u64,
}

impl PoseBuffers {
    /// Small buffers.
    pub fn new(device: &wgpu::Device) -> Self {
        let storage = BufferUsages::STORAGE;
        Self {
            jobs: GrowBuffer::new(device, "pose jobs", storage, 64),
            overrides: GrowBuffer::new(device, "pose overrides", storage, 64),
            locals: GrowBuffer::new(device, "local transforms", storage, 4096),
            model_from_node: GrowBuffer::new(device, "node matrices", storage, 4096),
            skin: GrowBuffer::new(device, "skin matrices", storage | BufferUsages::COPY_SRC, 4096),
            version: 1,
        }
    }

    /// Makes room and writes the jobs and the changes that they name.
    ///
    /// # Errors
    /// When the device cannot hold so many.
    pub fn fill(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        (jobs, overrides): (&[PoseJob], &[PoseOverrideData]),
        node_count: usize,
        skin_count: usize,
    ) -> Result<(), GpuError> {
        let replaced = [
            self.jobs.reserve(device, jobs.len())?,
            self.overrides.reserve(device, overrides.len())?,
            self.locals.reserve(device, node_count)?,
            self.model_from_node.reserve(device, node_count)?,
            self.skin.reserve(device, skin_count)?,
        ];
        if replaced.contains(&true) {
            self.version += 1;
        }
        self.overrides.write(queue, 0, overrides)?;
        self.jobs.write(queue, 0, jobs)
    }
}

/// The compute pipelines.
#[derive(Debug)]
pub struct ComputePipelines {
    sample: wgpu::ComputePipeline,
    local_to_model: wgpu::ComputePipeline,
    model_to_skin: wgpu::ComputePipeline,
}

impl ComputePipelines {
    /// Compiles them.
    ///
    /// # Errors
    /// When a shader is broken.
    pub fn new(
        device: &wgpu::Device,
        layouts: &Layouts,
        library: &crate::gpu::shader::ShaderLibrary,
    ) -> Result<Self, GpuError> {
        let sample = library.module(device, "anim/sample.wgsl")?;
        let pose = library.module(device, "anim/local_to_model.wgsl")?;
        let posing = [&layouts.skeleton, &layouts.posing];
        Ok(Self {
            sample: pipeline(device, &sample, "sample_poses", &[&layouts.clips, &layouts.sampling]),
            local_to_model: pipeline(device, &pose, "local_to_model", &posing),
            model_to_skin: pipeline(device, &pose, "model_to_skin", &posing),
        })
    }
}

/// The pipeline of an entry point with these groups.
pub fn pipeline(
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

/// Workgroups for `count` invocations, spread over two dimensions so that no limit is passed.
fn workgroups(count: u32, size: u32) -> [u32; 2] {
    const WIDEST: u32 = 32_768;
    let groups = count.div_ceil(size);
    let rows = groups.div_ceil(WIDEST).max(1);
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
