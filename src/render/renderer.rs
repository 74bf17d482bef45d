//! The owner of all GPU resources: uploads a frame's data and records its passes.

use super::RenderError;
use super::assets::Loader;
use super::compute::PoseBuffers;
use super::compute::spheres::BoneSpheres;
use super::cube;
use super::frame::FrameData;
use super::layouts::Layouts;
use super::light::{Light, fit_cascades};
use super::outline::{self, Outline};
use super::pass::models::{ModelSet, Purpose};
use super::pass::overlays::Sorted;
use super::pass::{Overlays, models, tonemap};
use super::pick::Pick;
use super::pipelines::Pipelines;
use super::prepare::{Prepared, Views};
use super::quality::Quality;
use super::sky::SkyTexture;
use super::targets::{ShadowMaps, Targets};
use super::types::{Frame, Instance};
use super::values::frame_values;
use crate::asset::{AssetStore, Image};
use crate::gpu::readback::{self, read_texture};
use crate::gpu::shader::ShaderLibrary;
use crate::gpu::timer::PassTimer;
use crate::gpu::{GpuContext, GpuError, GrowBuffer};
use std::sync::Arc;
use wgpu::BufferUsages;

/// Between looks at the shader files on disk, in uploads.
const RELOAD_INTERVAL: u32 = 30;

/// Draws frames. Owns every GPU resource, keyed by asset id.
#[derive(Debug)]
pub struct Renderer {
    quality: Quality,
    pub(super) target_format: wgpu::TextureFormat,
    pub(super) layouts: Layouts,
    library: ShaderLibrary,
    pub(super) pipelines: Pipelines,
    samplers: Samplers,
    shadow_maps: ShadowMaps,
    pub(super) targets: Option<(Targets, wgpu::BindGroup)>,
    /// What the small picture is drawn into, while there is one.
    pub(super) inset: Option<(Targets, wgpu::BindGroup)>,
    frame: GrowBuffer<Frame>,
    pub(super) instances: GrowBuffer<Instance>,
    pub(super) visible: GrowBuffer<u32>,
    pub(super) poses: PoseBuffers,
    pub(super) groups: Option<FrameGroups>,
    pub(super) models: ModelSet,
    pub(super) prepared: Prepared,
    pub(super) pick: Pick,
    pub(super) outline: Outline,
    overlays: Overlays,
    spheres: BoneSpheres,
    sky: SkyTexture,
    pub(super) timer: PassTimer,
    notices: Vec<String>,
    uploads: u32,
}

#[derive(Debug)]
struct Samplers {
    surface: wgpu::Sampler,
    shadow: wgpu::Sampler,
    light: wgpu::Sampler,
}

#[derive(Debug)]
pub(super) struct FrameGroups {
    lit: wgpu::BindGroup,
    pub(super) unlit: wgpu::BindGroup,
    pose_version: u64,
}

impl Samplers {
    fn new(device: &wgpu::Device, quality: Quality) -> Self {
        let linear = wgpu::FilterMode::Linear;
        let surface = wgpu::SamplerDescriptor {
            label: Some("surface"),
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            mag_filter: linear,
            min_filter: linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            anisotropy_clamp: quality.anisotropy(),
            ..Default::default()
        };
        let plain = wgpu::SamplerDescriptor {
            label: Some("light"),
            mag_filter: linear,
            min_filter: linear,
            ..Default::default()
        };
        let shadow = wgpu::SamplerDescriptor {
            label: Some("shadow"),
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..plain.clone()
        };
        Self {
            surface: device.create_sampler(&surface),
            shadow: device.create_sampler(&shadow),
            light: device.create_sampler(&plain),
        }
    }
}

impl Renderer {
    /// A renderer for targets of `target_format`, with the quality that fits the adapter.
    ///
    /// # Errors
    /// When a shader is broken, which the tests exclude for those built in.
    pub fn new(context: &GpuContext, target_format: wgpu::TextureFormat) -> Result<Self, RenderError> {
        let quality = if context.is_software() { Quality::Software } else { Quality::Full };
        Self::with_quality(context, target_format, quality)
    }

    /// A renderer with a given quality.
    ///
    /// # Errors
    /// As [`Renderer::new`].
    pub fn with_quality(
        context: &GpuContext,
        target_format: wgpu::TextureFormat,
        quality: Quality,
    ) -> Result<Self, RenderError> {
        let (device, queue) = (&context.device, &context.queue);
        let layouts = Layouts::new(device);
        let library = ShaderLibrary::default();
        let pipelines = Pipelines::new(device, &layouts, &library, quality, target_format)?;
        let samplers = Samplers::new(device, quality);
        let loader = Loader { device, queue, layouts: &layouts, sampler: &samplers.surface };
        let models = ModelSet { by_asset: Default::default(), cube: loader.load(&cube::model(), false) };
        let storage = BufferUsages::STORAGE;
        let mut renderer = Self {
            quality,
            target_format,
            library,
            pipelines,
            models,
            shadow_maps: ShadowMaps::new(device, quality.shadow_px(), quality.cascades() as u32),
            targets: None,
            inset: None,
            frame: GrowBuffer::new(device, "frame", BufferUsages::UNIFORM, 1),
            instances: GrowBuffer::new(device, "instances", storage, 256),
            visible: GrowBuffer::new(device, "visible instances", storage, 1024),
            poses: PoseBuffers::new(device),
            groups: None,
            prepared: Prepared::default(),
            pick: Pick::new(device),
            outline: Outline::new(device),
            overlays: Overlays::new(device, &layouts),
            spheres: BoneSpheres::new(device),
            sky: SkyTexture::default(),
            timer: PassTimer::new(device, queue),
            notices: Vec::new(),
            uploads: 0,
            samplers,
            layouts,
        };
        if quality == Quality::Software {
            renderer.warm_up(context)?;
        }
        Ok(renderer)
    }

    /// Brings a frame's data onto the device: new models, instances, poses, overlays.
    ///
    /// # Errors
    /// When the picture's size is impossible or the device cannot hold the data; the previous frame's data stays.
    pub fn upload(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        assets: &AssetStore,
        frame: &FrameData,
    ) -> Result<(), RenderError> {
        self.reload_changed_shaders(device);
        self.fit_targets(device, frame.size_px)?;
        self.load_models(device, queue, assets, frame);
        let sky = self.sky.prepare(device, queue, (&self.layouts, &self.samplers.surface), assets, frame);
        let light = Light::new(&frame.environment);
        let light = sky.map_or(light, |sky| light.under(&sky));
        let (count, px) = (self.quality.cascades(), self.quality.shadow_px());
        let cascades = fit_cascades(&frame.camera, light.to_sun, count, self.quality.shadow_distance(), px);
        let pick = self.pick.target_from_clip(frame);
        let views = Views {
            camera: &frame.camera,
            height_px: frame.size_px[1] as f32,
            cascades: if light.sun.max_element() > 0.0 { &cascades } else { &[] },
            pick,
            lod_bias: self.quality.lod_bias(),
            shadow_lod_texels: self.quality.shadow_lod_texels(),
            shadow_least_px: self.quality.shadow_least_px(),
        };
        let models = &self.models.by_asset;
        let prepared = Prepared::new(frame, &views, |asset| models.get(&asset).map(|(_, model)| model.shape()));
        let values = frame_values(frame, &light, views.cascades);
        self.frame.write(queue, 0, &[values])?;
        let (nodes, skins) = (prepared.node_count as usize, prepared.skin_count as usize);
        self.poses.fill(device, queue, (&prepared.jobs, &prepared.overrides), nodes, skins)?;
        let replaced = [
            self.instances.fill(device, queue, &prepared.instances)?,
            self.visible.fill(device, queue, &prepared.visible)?,
            self.groups.as_ref().is_none_or(|g| g.pose_version != self.poses.version),
        ];
        if replaced.contains(&true) {
            self.groups = Some(self.frame_groups(device));
        }
        self.prepare_pick(device, queue, pick, values)?;
        for (asset, range) in &prepared.batches {
            if let Some(animation) = self.models.by_asset.get_mut(asset).and_then(|(_, m)| m.animation.as_mut()) {
                animation.prepare(device, queue, &self.layouts, &self.poses, range)?;
            }
        }
        self.spheres.set_depth(&frame.layer_depth);
        let wanted = (&prepared.spheres[..], prepared.sphere_count, &frame.bones[..]);
        self.spheres.prepare(device, queue, &self.layouts, wanted, (&self.poses, &self.instances))?;
        self.overlays.upload(device, queue, &self.layouts, Sorted::new(&frame.debug, &frame.layer_depth))?;
        if !prepared.outline.is_empty() {
            self.outline.prepare(device, queue, frame, &prepared.outline_parts)?;
        }
        self.prepared = prepared;
        Ok(())
    }

    fn fit_targets(&mut self, device: &wgpu::Device, size_px: [u32; 2]) -> Result<(), RenderError> {
        if self.targets.as_ref().is_none_or(|(targets, _)| targets.size_px != size_px) {
            let targets = Targets::new(device, size_px, self.quality)?;
            let group = tonemap::group(device, &self.layouts, &targets.light, &self.samplers.light);
            self.targets = Some((targets, group));
        }
        Ok(())
    }

    fn load_models(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, assets: &AssetStore, frame: &FrameData) {
        // What is both a level and a thing gets the levels of detail of a thing.
        let things = frame.models.iter().map(|m| (m.asset, true));
        for (asset, coarser) in things.chain(frame.levels.iter().map(|l| (l.asset, false))) {
            let Some(model) = assets.model(asset) else { continue };
            let current = self
                .models
                .by_asset
                .get(&asset)
                .is_some_and(|(loaded, gpu)| Arc::ptr_eq(loaded, model) && gpu.coarser >= coarser);
            if !current {
                let loader = Loader { device, queue, layouts: &self.layouts, sampler: &self.samplers.surface };
                let loaded = loader.load(model, coarser);
                // Made now, so that nobody waits for a driver's compiler at the first click.
                for mesh in &loaded.meshes {
                    self.pipelines.pick(models::variant(&loaded, mesh));
                }
                self.models.by_asset.insert(asset, (Arc::clone(model), loaded));
            }
        }
    }

    fn frame_groups(&self, device: &wgpu::Device) -> FrameGroups {
        let buffers = [self.frame.raw(), self.instances.raw(), self.visible.raw(), self.poses.skin.raw()];
        let mut entries: Vec<wgpu::BindGroupEntry<'_>> = buffers
            .iter()
            .enumerate()
            .map(|(i, buffer)| wgpu::BindGroupEntry { binding: i as u32, resource: buffer.as_entire_binding() })
            .collect();
        let make = |label, layout, entries: &[wgpu::BindGroupEntry<'_>]| {
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries })
        };
        let unlit = make("frame without shadows", &self.layouts.frame_unlit, &entries);
        entries.push(wgpu::BindGroupEntry {
            binding: 4,
            resource: wgpu::BindingResource::TextureView(&self.shadow_maps.all),
        });
        entries
            .push(wgpu::BindGroupEntry { binding: 5, resource: wgpu::BindingResource::Sampler(&self.samplers.shadow) });
        let lit = make("frame", &self.layouts.frame, &entries);
        FrameGroups { lit, unlit, pose_version: self.poses.version }
    }

    fn reload_changed_shaders(&mut self, device: &wgpu::Device) {
        self.uploads = self.uploads.wrapping_add(1);
        if !cfg!(debug_assertions) || !self.uploads.is_multiple_of(RELOAD_INTERVAL) || !self.library.changed() {
            return;
        }
        match Pipelines::new(device, &self.layouts, &self.library, self.quality, self.target_format) {
            Ok(pipelines) => self.pipelines = pipelines,
            Err(error) => {
                tracing::warn!("{error}");
                self.notices.push(format!("{error} The shaders in use stay as they were."));
            }
        }
    }

    /// Records the frame that was uploaded last. Only the viewport (x, y, width, height in pixels) of the target is
    /// written.
    pub fn draw(&mut self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::TextureView, viewport_px: [u32; 4]) {
        self.record_light(encoder);
        self.record_pick(encoder);
        self.record_outlined(encoder);
        self.record_shown(encoder, target, viewport_px);
        self.timer.finish(encoder);
    }

    /// Records the picture as it goes to the target, with the line around silhouettes.
    pub(super) fn record_shown(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        viewport_px: [u32; 4],
    ) {
        let Some((targets, tonemap_group)) = &self.targets else { return };
        let line = self.outline_group(targets);
        let stamps = self.timer.render("tone mapping");
        let mut pass = tonemap::record(encoder, &self.pipelines, tonemap_group, target, viewport_px, stamps);
        if let Some(group) = &line {
            outline::draw(&mut pass, &self.pipelines, group, self.prepared.outline_parts.len());
        }
    }

    /// Records the poses of the frame that was uploaded last.
    pub(super) fn record_poses(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if self.prepared.batches.is_empty() {
            return;
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("poses"),
            timestamp_writes: self.timer.compute("poses"),
        });
        for (asset, range) in &self.prepared.batches {
            if let Some(animation) = self.models.by_asset.get(asset).and_then(|(_, m)| m.animation.as_ref()) {
                animation.compute(&mut pass, &self.pipelines.compute, range);
            }
        }
        self.spheres.compute(&mut pass, &self.pipelines);
    }

    /// Records everything of the frame that was uploaded last up to the lit picture.
    pub(super) fn record_light(&mut self, encoder: &mut wgpu::CommandEncoder) {
        self.record_poses(encoder);
        let (Some((targets, _)), Some(groups)) = (&self.targets, &self.groups) else { return };
        let (timer, prepared) = (&mut self.timer, &self.prepared);
        for (draws, layer) in prepared.shadows.iter().zip(&self.shadow_maps.layers) {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadows"),
                depth_stencil_attachment: Some(depth_attachment(layer, 1.0, wgpu::StoreOp::Store)),
                timestamp_writes: timer.render("shadows"),
                ..Default::default()
            });
            pass.set_bind_group(0, &groups.unlit, &[]);
            models::record(&mut pass, &self.pipelines, &self.models, draws, Purpose::Shadow);
        }
        {
            // The line around silhouettes is fainter behind what is drawn here.
            let outlined = !prepared.outline.is_empty();
            let keep = if outlined { wgpu::StoreOp::Store } else { wgpu::StoreOp::Discard };
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("scene"),
                color_attachments: &[Some(targets.color_attachment(wgpu::LoadOp::Clear(wgpu::Color::BLACK)))],
                depth_stencil_attachment: Some(depth_attachment(&targets.depth, 0.0, keep)),
                timestamp_writes: timer.render("scene"),
                ..Default::default()
            });
            pass.set_bind_group(0, &groups.lit, &[]);
            models::record(&mut pass, &self.pipelines, &self.models, &prepared.main, Purpose::Light);
            if let Some(picture) = self.sky.group() {
                pass.set_pipeline(self.pipelines.sky_picture());
                pass.set_bind_group(1, picture, &[]);
            } else {
                pass.set_pipeline(&self.pipelines.sky);
            }
            pass.draw(0..3, 0..1);
            self.overlays.record(&mut pass, &self.pipelines);
            self.spheres.record(&mut pass, &self.pipelines);
        }
    }

    /// To be called after the frame was submitted: takes in what the device has measured.
    pub fn collect(&mut self, device: &wgpu::Device) {
        self.timer.collect(device);
        self.pick.collect(device);
    }

    /// The newest times of the passes in milliseconds, in their order; empty on devices without timestamps. They are
    /// a frame or more old.
    pub fn gpu_ms(&self) -> &[(&'static str, f32)] {
        self.timer.times_ms()
    }

    /// Number of instances, levels included, in the picture that was uploaded last.
    pub fn seen(&self) -> usize {
        self.prepared.seen()
    }

    /// What people should know, since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Draws a frame into a picture and waits for it. The renderer must be one for [`Renderer::IMAGE_FORMAT`].
    ///
    /// # Errors
    /// As [`Renderer::upload`], and when the device fails.
    pub fn render_to_image(
        &mut self,
        context: &GpuContext,
        assets: &AssetStore,
        frame: &FrameData,
    ) -> Result<Image, RenderError> {
        let (device, queue) = (&context.device, &context.queue);
        self.upload(device, queue, assets, frame)?;
        let [width, height] = frame.size_px;
        let texture = readback::target(device, "picture", frame.size_px, Self::IMAGE_FORMAT);
        let mut encoder = device.create_command_encoder(&Default::default());
        self.draw(&mut encoder, &texture.create_view(&Default::default()), [0, 0, width, height]);
        queue.submit([encoder.finish()]);
        self.collect(device);
        let rgba = read_texture(device, queue, &texture)?;
        self.collect(device);
        match context.take_errors().into_iter().next() {
            Some(error) => Err(GpuError::Readback(error).into()),
            None => Ok(Image { name: "picture".into(), width, height, rgba }),
        }
    }

    /// Format of the targets that [`Renderer::render_to_image`] draws into.
    pub const IMAGE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
}

pub(super) fn depth_attachment(
    view: &wgpu::TextureView,
    clear: f32,
    store: wgpu::StoreOp,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store }),
        stencil_ops: None,
    }
}
