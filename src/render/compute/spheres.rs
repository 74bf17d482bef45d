//! The bounding spheres of bones on the device: found from the poses that the picture shows, and drawn as three circles
//! each. The twin of [`crate::collide::bone_spheres`], which serves the simulation.

use super::PoseBuffers;
use crate::collide::bone_spheres::SphereBone;
use crate::debug::{Depth, Layer};
use crate::gpu::{GpuError, GrowBuffer};
use crate::render::layouts::{Layouts, buffers_group};
use crate::render::pipelines::Pipelines;
use crate::render::types::{BoneSphere, DrawnSphere, Instance, POSE_WORKGROUP, SphereJob};
use wgpu::BufferUsages;

/// Lines that a sphere is drawn with: three circles of sixteen.
pub const LINES: u32 = 48;

/// The spheres of a frame.
#[derive(Debug)]
pub struct BoneSpheres {
    jobs: GrowBuffer<SphereJob>,
    bones: GrowBuffer<BoneSphere>,
    drawn: GrowBuffer<DrawnSphere>,
    groups: Option<Groups>,
    depth: Depth,
}

#[derive(Debug)]
struct Groups {
    computing: wgpu::BindGroup,
    drawing: wgpu::BindGroup,
    job_count: u32,
    sphere_count: u32,
}

impl BoneSpheres {
    /// None yet.
    pub fn new(device: &wgpu::Device) -> Self {
        let storage = BufferUsages::STORAGE;
        Self {
            jobs: GrowBuffer::new(device, "sphere jobs", storage, 64),
            bones: GrowBuffer::new(device, "bones with spheres", storage, 64),
            drawn: GrowBuffer::new(device, "spheres", storage | BufferUsages::COPY_SRC, 64),
            groups: None,
            depth: Depth::Tested,
        }
    }

    /// Takes over whose spheres are wanted: jobs over `bones`, for which there is room for `sphere_count` spheres.
    ///
    /// # Errors
    /// When the device cannot hold so many.
    pub fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        layouts: &Layouts,
        (jobs, sphere_count, bones): (&[SphereJob], u32, &[SphereBone]),
        (poses, instances): (&PoseBuffers, &GrowBuffer<Instance>),
    ) -> Result<(), GpuError> {
        self.groups = None;
        if sphere_count == 0 {
            return Ok(());
        }
        // Empty jobs fill the last workgroup up.
        let mut all = jobs.to_vec();
        all.resize(jobs.len().next_multiple_of(POSE_WORKGROUP as usize), bytemuck::Zeroable::zeroed());
        self.jobs.fill(device, queue, &all)?;
        self.bones.fill(device, queue, &bones.iter().map(BoneSphere::from).collect::<Vec<_>>())?;
        self.drawn.reserve(device, sphere_count as usize)?;
        let computing = [
            (0, self.jobs.raw()),
            (1, self.bones.raw()),
            (2, poses.model_from_node.raw()),
            (3, instances.raw()),
            (4, self.drawn.raw()),
        ];
        self.groups = Some(Groups {
            computing: buffers_group(device, "spheres", &layouts.spheres, &computing),
            drawing: buffers_group(device, "drawn spheres", &layouts.lines, &[(0, self.drawn.raw())]),
            job_count: jobs.len() as u32,
            sphere_count,
        });
        Ok(())
    }

    /// How the spheres treat depth, by the frame's layers.
    pub fn set_depth(&mut self, layer_depth: &[(Layer, Depth)]) {
        let own = layer_depth.iter().find(|(layer, _)| *layer == Layer::CollisionSpheres);
        self.depth = own.map_or(Depth::Tested, |(_, depth)| *depth);
    }

    /// Records the finding of the spheres, behind that of the poses.
    pub fn compute(&self, pass: &mut wgpu::ComputePass<'_>, pipelines: &Pipelines) {
        if let Some(groups) = &self.groups {
            pass.set_pipeline(pipelines.bone_spheres());
            pass.set_bind_group(0, &groups.computing, &[]);
            pass.dispatch_workgroups(groups.job_count.div_ceil(POSE_WORKGROUP), 1, 1);
        }
    }

    /// Records the drawing; the frame's bind group is set already.
    pub fn record(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines) {
        if let Some(groups) = &self.groups {
            pass.set_bind_group(1, &groups.drawing, &[]);
            for overlay in pipelines.overlay(self.depth) {
                pass.set_pipeline(&overlay.spheres);
                pass.draw(0..4, 0..groups.sphere_count * LINES);
            }
        }
    }

    /// What was found last: centre, radius and colour.
    pub fn drawn(&self) -> &GrowBuffer<DrawnSphere> {
        &self.drawn
    }
}
