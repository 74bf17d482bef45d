//! What the passes of a frame share: draw lists, models, and the bind groups of the frame.

use super::RenderError;
use super::assets::GpuModel;
use super::draw_lists::{DrawLists, DrawTarget};
use super::layouts::bind_buffers;
use super::types::{FrameUniforms, InstanceData};
use super::upload::UploadContext;
use crate::asset::{AssetId, Model};
use crate::gpu::GrowBuffer;
use std::collections::HashMap;
use std::sync::Arc;
use wgpu::BufferUsages;

/// The models on the device.
#[derive(Debug)]
pub struct ModelSet {
    /// Loaded models by asset.
    pub by_asset: HashMap<AssetId, LoadedModel>,
    /// The box that stands in for missing models.
    pub placeholder: GpuModel,
}

/// A model on the device with its source.
#[derive(Debug)]
pub struct LoadedModel {
    /// The asset that it was loaded from.
    pub source: Arc<Model>,
    /// Its device resources.
    pub gpu: GpuModel,
    /// Number of the last upload whose frame showed it.
    pub shown: u32,
}

impl ModelSet {
    /// The model of a draw; `None` when it is not loaded.
    pub fn get(&self, target: DrawTarget) -> Option<&GpuModel> {
        match target {
            DrawTarget::Model(asset) => self.by_asset.get(&asset).map(|model| &model.gpu),
            DrawTarget::Placeholder => Some(&self.placeholder),
        }
    }
}

/// Bind group 0 of the drawing passes, and the buffers behind it.
#[derive(Debug)]
pub struct FrameBindings {
    uniforms: GrowBuffer<FrameUniforms>,
    /// Instances of the frame.
    pub instances: GrowBuffer<InstanceData>,
    /// Indices into the instances, in drawing order.
    pub visible: GrowBuffer<u32>,
    groups: Option<FrameGroups>,
}

#[derive(Debug)]
struct FrameGroups {
    lit: wgpu::BindGroup,
    unlit: wgpu::BindGroup,
    pose_version: u64,
}

/// What the bind groups of a frame refer to beside its own buffers.
#[derive(Clone, Copy, Debug)]
pub struct FrameInputs<'a> {
    /// Skin matrices.
    pub skin: &'a wgpu::Buffer,
    /// Version of the buffer of skin matrices.
    pub pose_version: u64,
    /// Shadow maps of all cascades.
    pub shadow_maps: &'a wgpu::TextureView,
    /// Comparison sampler of the shadow maps.
    pub shadow_sampler: &'a wgpu::Sampler,
}

impl FrameBindings {
    /// Buffers of initial size.
    pub fn new(device: &wgpu::Device) -> Self {
        Self {
            uniforms: GrowBuffer::new(device, "frame", BufferUsages::UNIFORM, 1),
            instances: GrowBuffer::new(device, "instances", BufferUsages::STORAGE, 256),
            visible: GrowBuffer::new(device, "visible instances", BufferUsages::STORAGE, 1024),
            groups: None,
        }
    }

    /// Uploads uniforms, instances and visible list, and renews the bind groups when a buffer was replaced.
    ///
    /// # Errors
    /// When the device cannot hold so many instances.
    pub fn upload(
        &mut self,
        upload: UploadContext<'_>,
        uniforms: FrameUniforms,
        lists: &DrawLists,
        inputs: FrameInputs<'_>,
    ) -> Result<(), RenderError> {
        let UploadContext { device, queue, .. } = upload;
        self.uniforms.write(queue, 0, &[uniforms])?;
        // Dropped at once: where the second buffer cannot grow, the groups still name the first one as it was.
        if self.instances.fill(device, queue, &lists.instances)? {
            self.groups = None;
        }
        if self.visible.fill(device, queue, &lists.visible)? {
            self.groups = None;
        }
        if self.groups.as_ref().is_none_or(|groups| groups.pose_version != inputs.pose_version) {
            self.groups = Some(self.create_groups(upload, inputs));
        }
        Ok(())
    }

    fn create_groups(&self, upload: UploadContext<'_>, inputs: FrameInputs<'_>) -> FrameGroups {
        let UploadContext { device, layouts, .. } = upload;
        let buffers = self.buffers(self.uniforms.raw(), inputs.skin);
        let unlit = bind_buffers(device, "frame without shadows", &layouts.frame_unlit, &buffers);
        let mut entries: Vec<wgpu::BindGroupEntry<'_>> = buffers
            .iter()
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding: *binding, resource: buffer.as_entire_binding() })
            .collect();
        let maps = || wgpu::BindingResource::TextureView(inputs.shadow_maps);
        entries.extend([4, 6].map(|binding| wgpu::BindGroupEntry { binding, resource: maps() }));
        entries
            .push(wgpu::BindGroupEntry { binding: 5, resource: wgpu::BindingResource::Sampler(inputs.shadow_sampler) });
        let lit = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame"),
            layout: &layouts.frame,
            entries: &entries,
        });
        FrameGroups { lit, unlit, pose_version: inputs.pose_version }
    }

    /// The buffers of a frame bind group without shadows, with other uniforms.
    pub fn buffers<'a>(&'a self, uniforms: &'a wgpu::Buffer, skin: &'a wgpu::Buffer) -> [(u32, &'a wgpu::Buffer); 4] {
        [(0, uniforms), (1, self.instances.raw()), (2, self.visible.raw()), (3, skin)]
    }

    /// The bind group with the shadow maps; `None` before the first upload.
    pub fn lit(&self) -> Option<&wgpu::BindGroup> {
        self.groups.as_ref().map(|groups| &groups.lit)
    }

    /// The bind group without the shadow maps; `None` before the first upload.
    pub fn unlit(&self) -> Option<&wgpu::BindGroup> {
        self.groups.as_ref().map(|groups| &groups.unlit)
    }
}

/// What a pass records a frame from.
#[derive(Clone, Copy, Debug)]
pub struct FrameResources<'a> {
    /// What is drawn in which view.
    pub lists: &'a DrawLists,
    /// Models on the device.
    pub models: &'a ModelSet,
    /// Bind groups of the frame.
    pub bindings: &'a FrameBindings,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::choice::{GpuBounds, GpuChoice, least_limits};
    use crate::gpu::{GpuContext, MeteredQueue};
    use crate::render::layouts::Layouts;
    use crate::render::targets::ShadowMaps;
    use bytemuck::Zeroable;
    use std::cell::Cell;

    #[test]
    fn groups_of_a_replaced_buffer_do_not_outlive_a_failed_upload() {
        let bounds = GpuBounds { limits: Some(least_limits()), without_timestamps: true };
        let gpu = GpuContext::headless_with(&GpuChoice::of_program(), &bounds).unwrap();
        let device = &gpu.device;
        let (layouts, written_bytes) = (Layouts::new(device), Cell::new(0));
        let queue = MeteredQueue { queue: &gpu.queue, written_bytes: &written_bytes };
        let upload = UploadContext { device, queue, layouts: &layouts };
        let skin = GrowBuffer::<[f32; 4]>::new(device, "skin", BufferUsages::STORAGE, 3);
        let (maps, compare) = (ShadowMaps::new(device, 4, 3), Some(wgpu::CompareFunction::LessEqual));
        let shadow_sampler = device.create_sampler(&wgpu::SamplerDescriptor { compare, ..Default::default() });
        let inputs =
            FrameInputs { skin: skin.raw(), pose_version: 1, shadow_maps: &maps.all, shadow_sampler: &shadow_sampler };
        let mut bindings = FrameBindings::new(device);
        let mut fill = |lists: &DrawLists| {
            let uploaded = bindings.upload(upload, FrameUniforms::zeroed(), lists, inputs);
            (uploaded.is_ok(), bindings.lit().is_some() && bindings.unlit().is_some())
        };
        assert_eq!(fill(&DrawLists::default()), (true, true));
        // More entries than the device binds; they are not written, so that their memory is never touched.
        let entries = (least_limits().max_storage_buffer_binding_size / 4) as usize + 1;
        let instances = vec![InstanceData::zeroed(); 1000];
        let mut lists = DrawLists { instances, visible: vec![0; entries], ..DrawLists::default() };
        assert_eq!(fill(&lists), (false, false), "the groups name the buffer of instances before it grew");
        lists.visible.truncate(1000);
        assert_eq!(fill(&lists), (true, true));
        assert_eq!(gpu.take_errors(), Vec::<String>::new());
    }
}
