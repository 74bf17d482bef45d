//! An empty picture, one pose, and a click on a small character ahead of the first frame. Drivers that draw on the processor compile a shader when it is
//! first used; this lets them begin while models are still being read.

use super::compute::{BatchRange, ModelAnimation};
use super::error::RenderError;
use super::frame::{FrameData, InstanceDraw, ModelDraws, Outlines, Placeholder};
use super::pick::Pick;
use super::prepare::still;
use super::{Renderer, cube};
use crate::asset::{AssetStore, Joint, Model, SkinVertex};
use crate::camera::{Lens, View};
use crate::gpu::GpuContext;
use crate::ids::NodeId;
use glam::{Mat4, Vec3};

/// Size of the empty picture. No power of two: drivers compile what reads such a picture on its own.
const SIZE_PX: [u32; 2] = [48, 27];

impl Renderer {
    /// Puts the work that every first frame needs into the device's queue, and does not wait for it.
    ///
    /// # Errors
    /// When the device cannot hold a few small buffers.
    pub(super) fn warm_up(&mut self, context: &GpuContext) -> Result<(), RenderError> {
        let (device, queue) = (&context.device, &context.queue);
        let joint = Joint { node: NodeId(0), node_from_mesh: Mat4::IDENTITY };
        let model = Model { joints: vec![joint], ..cube::model() };
        let mut animation = ModelAnimation::new(device, queue, &self.layouts, &model);
        let range = BatchRange { job_count: 1, ..BatchRange::default() };
        animation.prepare(device, queue, &self.layouts, &self.poses, &range)?;
        let mut encoder = device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            animation.compute(&mut pass, &self.pipelines.compute, &range);
        }
        // The poses alone first: the device is at work while the picture is put together.
        queue.submit([encoder.finish()]);
        let aspect = SIZE_PX[0] as f32 / SIZE_PX[1] as f32;
        let view = View::new(Vec3::Y, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, aspect);
        self.upload(device, queue, &AssetStore::default(), &FrameData::of_sky(SIZE_PX, &view))?;
        let target = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("first picture"),
            size: wgpu::Extent3d { width: SIZE_PX[0], height: SIZE_PX[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: self.target_format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        let target = target.create_view(&Default::default());
        self.draw(&mut encoder, &target, [0, 0, SIZE_PX[0], SIZE_PX[1]]);
        queue.submit([encoder.finish()]);
        self.warm_up_pick(context, &target, &model, FrameData::of_sky(SIZE_PX, &view))?;
        self.collect(device);
        Ok(())
    }

    /// Draws the number of a character and the line around it and around a box: what a first click and a first selection
    /// would make the driver compile.
    fn warm_up_pick(
        &mut self,
        context: &GpuContext,
        target: &wgpu::TextureView,
        model: &Model,
        mut frame: FrameData,
    ) -> Result<(), RenderError> {
        let (device, queue) = (&context.device, &context.queue);
        let mut model = model.clone();
        for mesh in &mut model.meshes {
            let skin = SkinVertex { joints: [0; 4], weights: [1.0, 0.0, 0.0, 0.0] };
            mesh.skin = vec![skin; mesh.vertices.len()];
        }
        let mut assets = AssetStore::default();
        let asset = assets.insert("character", model);
        let world_from_model = Mat4::from_translation(Vec3::new(-0.5, 0.5, -3.0));
        frame.models = vec![ModelDraws { asset, instances: vec![InstanceDraw { pick: 1, ..still(world_from_model) }] }];
        frame.placeholders = vec![Placeholder { world_from_cube: world_from_model, color: [1.0; 4], pick: 1 }];
        frame.pick = Some(SIZE_PX.map(|px| px / 2));
        frame.outlines = Outlines { kinds: vec![0, 1], width_px: 1.0, ..Outlines::default() };
        let others = std::mem::take(&mut self.models.by_asset);
        let done = self.upload(device, queue, &assets, &frame);
        if done.is_ok() {
            let mut encoder = device.create_command_encoder(&Default::default());
            self.record_poses(&mut encoder);
            self.record_pick(&mut encoder);
            self.record_outlined(&mut encoder);
            self.record_shown(&mut encoder, target, [0, 0, SIZE_PX[0], SIZE_PX[1]]);
            queue.submit([encoder.finish()]);
        }
        self.models.by_asset = others;
        self.timer.discard();
        // Nobody waits for its answer.
        self.pick = Pick::new(device);
        done
    }
}
