//! Skeleton and clips of a model on the device, and the bind groups that pose its instances.

use super::local_to_model;
use super::pipelines::ComputePipelines;
use super::pose_buffers::{BatchRange, PoseBuffers};
use super::sample;
use crate::asset::Model;
use crate::gpu::buffer::most_elements;
use crate::gpu::{GpuError, GrowBuffer};
use crate::render::layouts::bind_buffers;
use crate::render::types::{JointData, KeyRange, NodeData, PoseBatch};
use crate::render::upload::UploadContext;
use wgpu::BufferUsages;

/// Skeleton and clips of a model.
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
    groups: Option<PoseGroups>,
}

/// Bind groups over the pose buffers.
#[derive(Debug)]
struct PoseGroups {
    version: u64,
    sampling: wgpu::BindGroup,
    posing: wgpu::BindGroup,
}

impl ModelAnimation {
    /// Uploads skeleton, clips and joints.
    pub fn new(upload: UploadContext<'_>, model: &Model) -> Self {
        let UploadContext { device, queue, layouts } = upload;
        let keys = sample::pack_clips(
            model,
            [
                most_elements::<KeyRange>(device, BufferUsages::STORAGE),
                most_elements::<[f32; 4]>(device, BufferUsages::STORAGE),
            ],
        );
        if keys.clip_count < model.clips.len() {
            let (shown, all) = (keys.clip_count, model.clips.len());
            tracing::warn!(
                "Only the first {shown} of {all} clips of {} are shown: the graphics device holds no more keys.",
                model.name
            );
        }
        let nodes: Vec<NodeData> = local_to_model::pack_nodes(&model.skeleton);
        let joints: Vec<JointData> = local_to_model::pack_joints(&model.joints);
        let storage = BufferUsages::STORAGE;
        let nodes = GrowBuffer::with_data(device, queue.queue, "nodes", storage, &nodes);
        let ranges = GrowBuffer::<KeyRange>::with_data(device, queue.queue, "key ranges", storage, &keys.ranges);
        let times = GrowBuffer::with_data(device, queue.queue, "key times", storage, &keys.times_secs);
        let values = GrowBuffer::with_data(device, queue.queue, "key values", storage, &keys.values);
        let joints = GrowBuffer::with_data(device, queue.queue, "joints", storage, &joints);
        let clips = [(0, nodes.raw()), (1, ranges.raw()), (2, times.raw()), (3, values.raw())];
        Self {
            node_count: model.skeleton.len() as u32,
            joint_count: model.joints.len() as u32,
            clip_count: keys.clip_count as u32,
            clips: bind_buffers(device, "clips", &layouts.clips, &clips),
            skeleton: bind_buffers(device, "skeleton", &layouts.skeleton, &[(0, nodes.raw()), (4, joints.raw())]),
            batch: GrowBuffer::new(device, "pose batch", BufferUsages::UNIFORM, 1),
            groups: None,
        }
    }

    /// Sets which jobs of the frame are of this model, and renews the bind groups when the pose buffers were replaced.
    ///
    /// # Errors
    /// Never in practice: the buffer holds one batch.
    pub fn upload(
        &mut self,
        upload: UploadContext<'_>,
        poses: &PoseBuffers,
        range: &BatchRange,
    ) -> Result<(), GpuError> {
        let UploadContext { device, queue, layouts } = upload;
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
        if self.groups.as_ref().is_none_or(|groups| groups.version != poses.version) {
            let sampling =
                [(0, self.batch.raw()), (1, poses.jobs.raw()), (2, poses.locals.raw()), (3, poses.overrides.raw())];
            let posing = [
                (0, self.batch.raw()),
                (1, poses.jobs.raw()),
                (2, poses.locals.raw()),
                (3, poses.model_from_node.raw()),
                (4, poses.skin.raw()),
            ];
            self.groups = Some(PoseGroups {
                version: poses.version,
                sampling: bind_buffers(device, "sampling", &layouts.sampling, &sampling),
                posing: bind_buffers(device, "posing", &layouts.posing, &posing),
            });
        }
        Ok(())
    }

    /// Records the poses of the uploaded batch. Returns the number of dispatches.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, pipelines: &ComputePipelines, range: &BatchRange) -> u32 {
        let Some(groups) = &self.groups else { return 0 };
        if range.job_count == 0 {
            return 0;
        }
        pass.set_bind_group(0, &self.clips, &[]);
        pass.set_bind_group(1, &groups.sampling, &[]);
        sample::record(pass, pipelines, range.job_count * self.node_count);
        pass.set_bind_group(0, &self.skeleton, &[]);
        pass.set_bind_group(1, &groups.posing, &[]);
        local_to_model::record(pass, pipelines, range.job_count, range.job_count * self.joint_count);
        3
    }
}
