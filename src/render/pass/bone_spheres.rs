//! The bounding spheres of bones: computed on the device from the poses of the frame, and drawn as three circles each.

use super::lines::OverlayPipelineSet;
use crate::debug::{Depth, Layer};
use crate::gpu::{GpuError, GrowBuffer};
use crate::render::compute::bone_spheres::BoneSpherePipeline;
use crate::render::compute::pose_buffers::PoseBuffers;
use crate::render::draw_lists::DrawLists;
use crate::render::frame::FrameData;
use crate::render::layouts::bind_buffers;
use crate::render::pipeline::PipelineContext;
use crate::render::shaders::ShaderModules;
use crate::render::types::{BoneSphereData, InstanceData, POSE_WORKGROUP, SphereData, SphereJob};
use crate::render::upload::UploadContext;
use wgpu::BufferUsages;

/// Lines per sphere: three circles of sixteen segments.
pub const LINES_PER_SPHERE: u32 = 48;

/// The spheres of a frame with their pipeline.
#[derive(Debug)]
pub struct BoneSpherePass {
    pipeline: BoneSpherePipeline,
    jobs: GrowBuffer<SphereJob>,
    bones: GrowBuffer<BoneSphereData>,
    spheres: GrowBuffer<SphereData>,
    groups: Option<SphereGroups>,
    frame: Option<SphereFrame>,
    depth: Depth,
}

/// Bind groups with the buffers that they name.
#[derive(Debug)]
struct SphereGroups {
    buffers: [wgpu::Buffer; 5],
    compute: wgpu::BindGroup,
    draw: wgpu::BindGroup,
}

/// Counts of a frame with spheres.
#[derive(Debug)]
struct SphereFrame {
    job_count: u32,
    sphere_count: u32,
}

impl BoneSpherePass {
    /// Without spheres.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        let (device, storage) = (&context.device, BufferUsages::STORAGE);
        Self {
            pipeline: BoneSpherePipeline::new(context, shaders),
            jobs: GrowBuffer::new(device, "sphere jobs", storage, 64),
            bones: GrowBuffer::new(device, "bones with spheres", storage, 64),
            spheres: GrowBuffer::new(device, "spheres", storage | BufferUsages::COPY_SRC, 64),
            groups: None,
            frame: None,
            depth: Depth::Tested,
        }
    }

    /// Replaces the pipeline.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        self.pipeline = BoneSpherePipeline::new(context, shaders);
    }

    /// Uploads the jobs and bones of a frame.
    ///
    /// # Errors
    /// When the device cannot hold so many.
    pub fn upload(
        &mut self,
        upload: UploadContext<'_>,
        frame: &FrameData,
        lists: &DrawLists,
        poses: &PoseBuffers,
        instances: &GrowBuffer<InstanceData>,
    ) -> Result<(), GpuError> {
        let UploadContext { device, queue, layouts } = upload;
        let layer = frame.layer_depth.iter().find(|(layer, _)| *layer == Layer::CollisionSpheres);
        self.depth = layer.map_or(Depth::Tested, |(_, depth)| *depth);
        self.frame = None;
        if lists.sphere_count == 0 {
            self.groups = None;
            return Ok(());
        }
        // Padded with empty jobs to whole workgroups.
        let mut jobs = lists.spheres.clone();
        jobs.resize(lists.spheres.len().next_multiple_of(POSE_WORKGROUP as usize), bytemuck::Zeroable::zeroed());
        self.jobs.fill(device, queue, &jobs)?;
        self.bones.fill(device, queue, &frame.bones.iter().map(BoneSphereData::from).collect::<Vec<_>>())?;
        self.spheres.reserve(device, lists.sphere_count as usize)?;
        let buffers =
            [self.jobs.raw(), self.bones.raw(), poses.model_from_node.raw(), instances.raw(), self.spheres.raw()];
        let names_them = |groups: &SphereGroups| groups.buffers.iter().eq(buffers);
        if !self.groups.as_ref().is_some_and(names_them) {
            let bound: Vec<(u32, &wgpu::Buffer)> = (0..).zip(buffers).collect();
            self.groups = Some(SphereGroups {
                compute: bind_buffers(device, "bone spheres", &layouts.spheres, &bound),
                draw: bind_buffers(device, "drawn spheres", &layouts.lines, &[(0, self.spheres.raw())]),
                buffers: buffers.map(wgpu::Buffer::clone),
            });
        }
        self.frame = Some(SphereFrame { job_count: lists.spheres.len() as u32, sphere_count: lists.sphere_count });
        Ok(())
    }

    /// Records the computation, after that of the poses. Returns the number of dispatches.
    pub fn compute(&self, pass: &mut wgpu::ComputePass<'_>) -> u32 {
        let (Some(frame), Some(groups)) = (&self.frame, &self.groups) else { return 0 };
        self.pipeline.record(pass, &groups.compute, frame.job_count);
        1
    }

    /// Records the drawing; bind group 0 is set already.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &OverlayPipelineSet) {
        if let (Some(frame), Some(groups)) = (&self.frame, &self.groups) {
            pass.set_bind_group(1, &groups.draw, &[]);
            for pipelines in pipelines.get(self.depth) {
                pass.set_pipeline(&pipelines.spheres);
                pass.draw(0..4, 0..frame.sphere_count * LINES_PER_SPHERE);
            }
        }
    }

    /// The spheres computed last, for tests.
    pub fn spheres(&self) -> &GrowBuffer<SphereData> {
        &self.spheres
    }
}
