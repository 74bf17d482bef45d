//! Buffers that the poses of all instances of a frame go through.

use super::leg_ik;
use crate::gpu::{GpuError, GrowBuffer, MeteredQueue};
use crate::render::types::{Affine, LEG_WORKGROUP, LegJob, LocalTransform, PoseJob, PoseOverrideData};
use wgpu::BufferUsages;

/// The jobs of one model among those of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchRange {
    /// First job.
    pub first_job: u32,
    /// Number of jobs.
    pub job_count: u32,
    /// Position of its first node in the buffers of local transforms and node matrices.
    pub first_node: u32,
}

/// What the poses of a frame need.
#[derive(Clone, Copy, Debug)]
pub struct PoseInput<'a> {
    /// One per skinned instance.
    pub jobs: &'a [PoseJob],
    /// Overrides that the jobs refer to.
    pub overrides: &'a [PoseOverrideData],
    /// Legs that are solved on the device.
    pub legs: &'a [LegJob],
    /// Nodes of all jobs.
    pub node_count: usize,
    /// Joints of all jobs.
    pub skin_count: usize,
}

/// Input, intermediate and output buffers of the poses.
#[derive(Debug)]
pub struct PoseBuffers {
    /// Pose jobs.
    pub jobs: GrowBuffer<PoseJob>,
    /// Pose overrides.
    pub overrides: GrowBuffer<PoseOverrideData>,
    /// Legs to be solved, in whole workgroups.
    pub legs: GrowBuffer<LegJob>,
    /// Local transforms.
    pub locals: GrowBuffer<LocalTransform>,
    /// Node matrices.
    pub model_from_node: GrowBuffer<Affine>,
    /// Skin matrices, read by the drawing passes.
    pub skin: GrowBuffer<Affine>,
    /// Incremented when a buffer is replaced.
    pub version: u64,
}

impl PoseBuffers {
    /// Buffers of initial size.
    pub fn new(device: &wgpu::Device) -> Self {
        let storage = BufferUsages::STORAGE;
        Self {
            jobs: GrowBuffer::new(device, "pose jobs", storage, 64),
            overrides: GrowBuffer::new(device, "pose overrides", storage | BufferUsages::COPY_SRC, 64),
            legs: GrowBuffer::new(device, "legs", storage, LEG_WORKGROUP as usize),
            locals: GrowBuffer::new(device, "local transforms", storage, 4096),
            model_from_node: GrowBuffer::new(device, "node matrices", storage, 4096),
            skin: GrowBuffer::new(device, "skin matrices", storage | BufferUsages::COPY_SRC, 4096),
            version: 1,
        }
    }

    /// Makes room for the poses and uploads their jobs and overrides.
    ///
    /// # Errors
    /// When the device cannot hold so many.
    pub fn upload(
        &mut self,
        device: &wgpu::Device,
        queue: MeteredQueue<'_>,
        input: PoseInput<'_>,
    ) -> Result<(), GpuError> {
        let legs = leg_ik::padded(input.legs);
        // Counted one by one: where a buffer cannot grow, those before it have been replaced all the same.
        self.version += u64::from(self.jobs.reserve(device, input.jobs.len())?);
        self.version += u64::from(self.overrides.reserve(device, input.overrides.len())?);
        self.version += u64::from(self.legs.reserve(device, legs.len())?);
        self.version += u64::from(self.locals.reserve(device, input.node_count)?);
        self.version += u64::from(self.model_from_node.reserve(device, input.node_count)?);
        self.version += u64::from(self.skin.reserve(device, input.skin_count)?);
        self.overrides.write(queue, 0, input.overrides)?;
        self.legs.write(queue, 0, &legs)?;
        self.jobs.write(queue, 0, input.jobs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::GpuContext;
    use bytemuck::Zeroable;
    use std::cell::Cell;

    #[test]
    fn buffers_replaced_before_one_that_cannot_grow_are_counted() {
        let gpu = GpuContext::headless().unwrap();
        let mut buffers = PoseBuffers::new(&gpu.device);
        let written_bytes = Cell::new(0);
        let queue = MeteredQueue { queue: &gpu.queue, written_bytes: &written_bytes };
        let (before, jobs) = (buffers.jobs.raw().clone(), vec![PoseJob::zeroed(); 1000]);
        let too_large = usize::MAX / size_of::<LocalTransform>();
        let input = PoseInput { jobs: &jobs, overrides: &[], legs: &[], node_count: too_large, skin_count: 0 };
        let failed = buffers.upload(&gpu.device, queue, input);
        assert!(matches!(failed, Err(GpuError::TooLarge { .. })), "{failed:?}");
        assert!(*buffers.jobs.raw() != before && buffers.version > 1, "bind groups of version 1 name the old buffer");
    }
}
