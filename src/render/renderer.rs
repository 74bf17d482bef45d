//! The renderer: uploads the data of a frame and orders its passes.

use super::RenderError;
use super::assets::ModelLoader;
use super::cube;
use super::draw_lists::{DrawLists, ViewSet};
use super::frame::{FrameData, LevelDraw};
use super::frame_resources::{FrameBindings, FrameInputs, FrameResources, LoadedModel, ModelSet};
use super::frame_uniforms::frame_uniforms;
use super::lamps::{FrameLamps, lamp_focus};
use super::layouts::Layouts;
use super::light::{Light, ShadowFall, fit_cascades, shadow_depths};
use super::lod::LodMode;
use super::mip_maps::{MipJobs, ModelMipMaps};
use super::pass::bone_spheres::BoneSpherePass;
use super::pass::outline::OutlinePass;
use super::pass::pick::{PickPass, Picked};
use super::pass::poses::PosePass;
use super::pass::scene::ScenePass;
use super::pass::shadow::ShadowPass;
use super::pass::tonemap::{PictureTargets, TonemapPass};
use super::pipeline::PipelineContext;
use super::quality::Quality;
use super::quality_probe::{drawable, fitting_quality};
use super::shader_warmup;
use super::shaders::ShaderModules;
use super::targets::surface_sampler;
use super::upload::UploadContext;
use crate::asset::{AssetStore, Image};
use crate::gpu::readback::{self, read_texture};
use crate::gpu::shader::ShaderLibrary;
use crate::gpu::timer::{PassCounts, PassTimer};
use crate::gpu::{GpuContext, GpuError, MeteredQueue};
use crate::math::Aabb;
use serde::Serialize;
use std::cell::Cell;
use std::sync::Arc;

/// What a frame costs beside time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FrameCounts {
    /// Instances in the picture, levels included.
    pub visible: usize,
    /// Bytes uploaded into buffers: new models and textures are not counted.
    pub uploaded_bytes: u64,
    /// Passes, draws and dispatches.
    #[serde(flatten)]
    pub passes: PassCounts,
}

/// Uploads between two checks of the shader files on disk.
const RELOAD_INTERVAL: u32 = 30;
/// Uploads for which a model that no frame shows stays on the device: half a minute of frames.
const KEPT_UPLOADS: u32 = 1800;

/// Draws frames: loads models, uploads what the passes share, and records the passes in order.
#[derive(Debug)]
pub struct Renderer {
    context: PipelineContext,
    library: ShaderLibrary,
    models: ModelSet,
    mip_jobs: MipJobs,
    surface_sampler: wgpu::Sampler,
    bindings: FrameBindings,
    lists: DrawLists,
    /// Those of the frame before, for their memory.
    spent_lists: DrawLists,
    poses: PosePass,
    spheres: BoneSpherePass,
    shadows: ShadowPass,
    scene: ScenePass,
    pick: PickPass,
    outline: OutlinePass,
    tonemap: TonemapPass,
    picture: Option<PictureTargets>,
    /// The inset picture, while there is one.
    inset: Option<PictureTargets>,
    timer: PassTimer,
    notices: Vec<String>,
    uploads: u32,
    /// Bytes of the last upload.
    written_bytes: Cell<u64>,
}

impl Renderer {
    /// Format of the targets that [`Renderer::render_to_image`] draws into.
    pub const IMAGE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

    /// A renderer for targets of `target_format`, with the quality chosen for the program, or the one that fits the adapter.
    ///
    /// # Errors
    /// When a shader is broken; the tests exclude this for the built-in ones.
    pub fn new(gpu: &GpuContext, target_format: wgpu::TextureFormat) -> Result<Self, RenderError> {
        let quality = fitting_quality(gpu, Quality::of_program())?;
        Self::with_quality(gpu, target_format, quality)
    }

    /// A renderer with a given quality, as far as the device [draws](drawable) it.
    ///
    /// # Errors
    /// As [`Renderer::new`].
    pub fn with_quality(
        gpu: &GpuContext,
        target_format: wgpu::TextureFormat,
        quality: Quality,
    ) -> Result<Self, RenderError> {
        let quality = drawable(gpu, quality);
        let (device, queue) = (&gpu.device, &gpu.queue);
        let library = ShaderLibrary::default();
        let layouts = Layouts::new(device);
        let shaders = ShaderModules::load(device, &library)?;
        let flags = gpu.adapter.get_downlevel_capabilities().flags;
        let clamps_bias = flags.contains(wgpu::DownlevelFlags::DEPTH_BIAS_CLAMP);
        let context = PipelineContext { device: device.clone(), layouts, quality, target_format, clamps_bias };
        let surface_sampler = surface_sampler(device, quality);
        let written_bytes = Cell::default();
        let queue = MeteredQueue { queue, written_bytes: &written_bytes };
        let upload = UploadContext { device, queue, layouts: &context.layouts };
        let loader = ModelLoader { upload, sampler: &surface_sampler };
        let placeholder = loader.load(&cube::placeholder(), LodMode::Finest, &ModelMipMaps::default());
        let mut renderer = Self {
            poses: PosePass::new(&context, &shaders),
            spheres: BoneSpherePass::new(&context, &shaders),
            shadows: ShadowPass::new(&context, &shaders),
            scene: ScenePass::new(&context, &shaders),
            pick: PickPass::new(&context, &shaders),
            outline: OutlinePass::new(&context, &shaders),
            tonemap: TonemapPass::new(&context, &shaders),
            models: ModelSet { by_asset: Default::default(), placeholder },
            mip_jobs: MipJobs::default(),
            surface_sampler,
            bindings: FrameBindings::new(device),
            lists: DrawLists::default(),
            spent_lists: DrawLists::default(),
            picture: None,
            inset: None,
            timer: PassTimer::new(device, &gpu.queue),
            notices: Vec::new(),
            uploads: 0,
            written_bytes: Cell::default(),
            library,
            context,
        };
        if quality == Quality::Software {
            renderer.warm_up(gpu)?;
        }
        Ok(renderer)
    }

    /// Uploads a frame: new models, instances, poses, overlays.
    ///
    /// # Errors
    /// When the picture's size is impossible or the device cannot hold the data; nothing can be drawn until an upload succeeds.
    pub fn upload(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        assets: &AssetStore,
        frame: &FrameData,
    ) -> Result<(), RenderError> {
        self.reload_changed_shaders(device);
        self.fit_picture(frame.size_px)?;
        self.load_models(device, queue, assets, frame);
        let quality = self.context.quality;
        self.written_bytes.set(0);
        let queue = MeteredQueue { queue, written_bytes: &self.written_bytes };
        let upload = UploadContext { device, queue, layouts: &self.context.layouts };
        let sky = self.scene.upload_sky(upload, assets, frame);
        let light = Light::new(&frame.environment);
        let light = sky.map_or(light, |sky| light.under(&sky));
        let (count, px) = (quality.cascades(), quality.shadow_px(device));
        let place = |level: &LevelDraw| {
            Some(self.models.by_asset.get(&level.asset)?.gpu.shape().bounds.transformed(&level.world_from_model))
        };
        let levels: Vec<Aabb> = frame.levels.iter().filter_map(place).collect();
        let floor = levels.iter().map(|level| level.min.y - frame.camera.position.y).reduce(f32::min);
        let depths = shadow_depths(&frame.camera, quality.shadow_distance(), frame.open_depth, levels.into_iter());
        let cascades = fit_cascades(&frame.camera, light.to_sun, count, depths, px);
        let pick = self.pick.target_from_clip(frame);
        let views = ViewSet {
            camera: &frame.camera,
            height_px: frame.size_px[1] as f32,
            cascades: if light.sun.max_element() > 0.0 { &cascades } else { &[] },
            shadow_fall: ShadowFall::new(light.to_sun, floor.unwrap_or(f32::NEG_INFINITY)),
            pick,
            lod_bias: quality.lod_bias(),
            shadow_lod_texels: quality.shadow_lod_texels(),
            min_shadow_caster_px: quality.min_shadow_caster_px(),
            levels_last: quality.samples() == 1,
        };
        let models = &self.models.by_asset;
        let mut lists = std::mem::take(&mut self.spent_lists);
        lists.fill(frame, &views, |asset| models.get(&asset).map(|model| model.gpu.shape()));
        let lamps_of =
            |level: &LevelDraw| Some((models.get(&level.asset)?.gpu.lamps.as_slice(), level.world_from_model));
        let focus = lamp_focus(&frame.camera);
        let lamps = FrameLamps::new(quality.lamps(), frame.levels.iter().filter_map(lamps_of), focus, light.daylight);
        let uniforms = frame_uniforms(frame, &light, views.cascades, &lamps);
        self.poses.upload(upload, &lists)?;
        let inputs = FrameInputs {
            skin: self.poses.buffers.skin.raw(),
            pose_version: self.poses.buffers.version,
            shadow_maps: &self.shadows.maps.all,
            shadow_sampler: &self.shadows.sampler,
        };
        self.bindings.upload(upload, uniforms, &lists, inputs)?;
        self.pick.upload(upload, pick, uniforms, &self.bindings, &self.poses.buffers)?;
        self.poses.upload_batches(upload, &lists, &mut self.models)?;
        self.spheres.upload(upload, frame, &lists, &self.poses.buffers, &self.bindings.instances)?;
        self.scene.upload(upload, frame)?;
        if !lists.outline.is_empty() {
            self.outline.upload(upload, frame, &lists.outline_parts)?;
        }
        self.spent_lists = std::mem::replace(&mut self.lists, lists);
        Ok(())
    }

    fn fit_picture(&mut self, size_px: [u32; 2]) -> Result<(), RenderError> {
        if self.picture.as_ref().is_none_or(|picture| picture.targets.size_px != size_px) {
            self.picture = Some(self.tonemap.create_targets(&self.context, size_px)?);
        }
        Ok(())
    }

    fn load_models(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, assets: &AssetStore, frame: &FrameData) {
        // A model that is drawn both as a level and as a prop gets the levels of detail of a prop.
        let props = frame.models.iter().map(|m| (m.asset, LodMode::Full));
        for (asset, lods) in props.chain(frame.levels.iter().map(|l| (l.asset, LodMode::Finest))) {
            let Some(model) = assets.model(asset) else { continue };
            if let Some(loaded) = self.models.by_asset.get_mut(&asset)
                && Arc::ptr_eq(&loaded.source, model)
                && loaded.gpu.lods >= lods
            {
                loaded.shown = self.uploads;
                continue;
            }
            let limit = device.limits().max_texture_dimension_2d;
            let Some(mip_maps) = self.mip_jobs.take(asset, model, limit, self.uploads) else {
                // What was loaded of it before is shown until then.
                if let Some(loaded) = self.models.by_asset.get_mut(&asset) {
                    loaded.shown = self.uploads;
                }
                continue;
            };
            let queue = MeteredQueue { queue, written_bytes: &self.written_bytes };
            let upload = UploadContext { device, queue, layouts: &self.context.layouts };
            let gpu = ModelLoader { upload, sampler: &self.surface_sampler }.load(model, lods, &mip_maps);
            // Created now, so that the first click does not wait for the driver's compiler.
            for mesh in &gpu.meshes {
                for &material in mesh.variant_materials.iter().chain([&mesh.material]) {
                    self.pick.pipelines().get(gpu.variant(mesh, material));
                }
            }
            self.models.by_asset.insert(asset, LoadedModel { source: Arc::clone(model), gpu, shown: self.uploads });
        }
        let uploads = self.uploads;
        self.models.by_asset.retain(|_, model| uploads.wrapping_sub(model.shown) <= KEPT_UPLOADS);
        self.mip_jobs.keep_asked(uploads);
    }

    fn reload_changed_shaders(&mut self, device: &wgpu::Device) {
        self.uploads = self.uploads.wrapping_add(1);
        if !cfg!(debug_assertions) || !self.uploads.is_multiple_of(RELOAD_INTERVAL) || !self.library.changed() {
            return;
        }
        match ShaderModules::load(device, &self.library) {
            Ok(shaders) => {
                self.poses.reload(&self.context, &shaders);
                self.spheres.reload(&self.context, &shaders);
                self.shadows.reload(&self.context, &shaders);
                self.scene.reload(&self.context, &shaders);
                self.pick.reload(&self.context, &shaders);
                self.outline.reload(&self.context, &shaders);
                self.tonemap.reload(&self.context, &shaders);
            }
            Err(error) => {
                tracing::warn!("{error}");
                self.notices.push(format!("{error} The shaders in use stay as they were."));
            }
        }
    }

    /// Records the uploaded frame. Only the viewport (x, y, width, height in pixels) of the target is written.
    pub fn draw(&mut self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::TextureView, viewport_px: [u32; 4]) {
        self.record_poses(encoder);
        self.record_scene(encoder);
        self.record_ids(encoder);
        self.record_picture(encoder, target, viewport_px);
        self.timer.finish(encoder);
    }

    fn record_poses(&mut self, encoder: &mut wgpu::CommandEncoder) {
        self.poses.record(encoder, &self.lists, &self.models, &self.spheres, &mut self.timer);
    }

    /// Records shadows and scene, after the poses.
    fn record_scene(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let Some(picture) = &mut self.picture else { return };
        let frame = FrameResources { lists: &self.lists, models: &self.models, bindings: &self.bindings };
        self.shadows.record(encoder, frame, &mut self.timer);
        self.scene.record(encoder, &picture.targets, frame, &self.spheres, &mut self.timer);
        self.tonemap.record_grading(encoder, picture, frame, &mut self.timer);
    }

    /// Records the ids for picking and outlines, after the poses.
    fn record_ids(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let frame = FrameResources { lists: &self.lists, models: &self.models, bindings: &self.bindings };
        self.pick.record(encoder, frame, &mut self.timer);
        self.outline.record_ids(encoder, frame, self.pick.pipelines(), &mut self.timer);
    }

    /// Records tone mapping and the outlines over it.
    fn record_picture(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        viewport_px: [u32; 4],
    ) {
        let Some(picture) = &self.picture else { return };
        let frame = FrameResources { lists: &self.lists, models: &self.models, bindings: &self.bindings };
        let edges = self.outline.edge_group(&picture.targets, frame);
        let stamps = self.timer.render("tone mapping");
        let mut pass = self.tonemap.record(encoder, picture, target, viewport_px, stamps);
        if let Some(group) = &edges {
            self.outline.draw_edges(&mut pass, group, self.lists.outline_parts.len());
        }
    }

    /// Reads what the device has measured and picked. To be called after submission.
    pub fn collect(&mut self, device: &wgpu::Device) {
        self.timer.collect(device);
        self.pick.collect(device);
    }

    /// The newest pass times in milliseconds, in order; empty on devices without timestamps. They are a frame or more
    /// old.
    pub fn gpu_ms(&self) -> &[(&'static str, f32)] {
        self.timer.times_ms()
    }

    /// What the last frame cost beside time.
    pub fn counts(&self) -> FrameCounts {
        FrameCounts {
            visible: self.visible_count(),
            uploaded_bytes: self.written_bytes.get(),
            passes: self.timer.last_counts(),
        }
    }

    /// Makes the mip maps of large textures on threads from now on: a model is drawn once they are there, which `wake` tells.
    pub fn prepare_on_threads(&mut self, wake: impl Fn() + Send + Sync + 'static) {
        self.mip_jobs.use_threads(wake);
    }

    /// Whether models are not drawn yet because something of them is still being prepared.
    pub fn is_preparing(&self) -> bool {
        self.mip_jobs.are_open()
    }

    /// Whether a pick result is pending.
    pub fn is_picking(&self) -> bool {
        self.pick.is_pending()
    }

    /// Takes the result of the newest drawn [`FrameData::pick`], once, after it has arrived.
    pub fn take_picked(&mut self) -> Option<Picked> {
        self.pick.take_result()
    }

    /// Number of instances, levels included, in the uploaded picture.
    pub fn visible_count(&self) -> usize {
        self.lists.visible_count()
    }

    /// Takes the notices for the user since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Its quality.
    pub fn quality(&self) -> Quality {
        self.context.quality
    }

    /// Format of the target that the finished picture is written to.
    pub fn target_format(&self) -> wgpu::TextureFormat {
        self.context.target_format
    }

    /// Draws a frame into an image and waits for it: the same one for the same frame, whatever was drawn before. The renderer
    /// must be one for [`Renderer::IMAGE_FORMAT`].
    ///
    /// # Errors
    /// As [`Renderer::upload`], and when the device fails.
    pub fn render_to_image(
        &mut self,
        gpu: &GpuContext,
        assets: &AssetStore,
        frame: &FrameData,
    ) -> Result<Image, RenderError> {
        let (device, queue) = (&gpu.device, &gpu.queue);
        self.upload(device, queue, assets, frame)?;
        if let Some(picture) = &mut self.picture {
            picture.forget_exposure();
        }
        let [width, height] = frame.size_px;
        let texture = readback::target(device, "picture", frame.size_px, Self::IMAGE_FORMAT);
        let mut encoder = device.create_command_encoder(&Default::default());
        self.draw(&mut encoder, &texture.create_view(&Default::default()), [0, 0, width, height]);
        queue.submit([encoder.finish()]);
        self.collect(device);
        let rgba = read_texture(device, queue, &texture)?;
        self.collect(device);
        match gpu.take_errors().into_iter().next() {
            Some(error) => Err(GpuError::Readback(error).into()),
            None => Ok(Image { name: "picture".into(), width, height, rgba }),
        }
    }

    /// Draws the inset, a small second picture, and keeps it. To be called before the frame itself is uploaded, because
    /// it uses the same buffers; its commands are submitted at once.
    ///
    /// # Errors
    /// As [`Renderer::upload`]; the previous inset stays.
    pub fn draw_inset(&mut self, gpu: &GpuContext, assets: &AssetStore, frame: &FrameData) -> Result<(), RenderError> {
        let is_resized = self.inset.as_ref().is_none_or(|inset| inset.targets.size_px != frame.size_px);
        // Targets of another size would take its place before it is known whether anything is drawn into them.
        let previous = if is_resized { self.inset.take() } else { None };
        std::mem::swap(&mut self.picture, &mut self.inset);
        let uploaded = self.upload(&gpu.device, &gpu.queue, assets, frame);
        if uploaded.is_ok() {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            self.record_poses(&mut encoder);
            self.record_scene(&mut encoder);
            gpu.queue.submit([encoder.finish()]);
        }
        // Pass times are those of the frame.
        self.timer.discard();
        std::mem::swap(&mut self.picture, &mut self.inset);
        if uploaded.is_err() && is_resized {
            self.inset = previous;
        }
        uploaded
    }

    /// Records the inset into a viewport (x, y, width, height in pixels) of the target.
    pub fn show_inset(&self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::TextureView, viewport_px: [u32; 4]) {
        if let Some(picture) = &self.inset {
            self.tonemap.record(encoder, picture, target, viewport_px, None);
        }
    }

    /// Frees the inset's targets.
    pub fn drop_inset(&mut self) {
        self.inset = None;
    }

    /// Records a frame of other assets into the whole of `target`, without pass times, and restores models, sky picture and
    /// targets of the window. To be called before the frame itself is uploaded, because it uses the same buffers.
    ///
    /// # Errors
    /// As [`Renderer::upload`].
    pub fn draw_isolated(
        &mut self,
        gpu: &GpuContext,
        assets: &AssetStore,
        frame: &FrameData,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
    ) -> Result<(), RenderError> {
        let picture = self.picture.take();
        let models = std::mem::take(&mut self.models.by_asset);
        let mut sky = None;
        self.scene.swap_sky_picture(&mut sky);
        // It is drawn once, and now; the handles are those of another store.
        let mip_jobs = std::mem::take(&mut self.mip_jobs);
        let uploaded = self.upload(&gpu.device, &gpu.queue, assets, frame);
        self.mip_jobs = mip_jobs;
        if uploaded.is_ok() {
            let [width, height] = frame.size_px;
            self.record_poses(encoder);
            self.record_scene(encoder);
            if let Some(picture) = &self.picture {
                self.tonemap.record(encoder, picture, target, [0, 0, width, height], None);
            }
        }
        self.timer.discard();
        self.scene.swap_sky_picture(&mut sky);
        self.models.by_asset = models;
        self.picture = picture;
        uploaded
    }

    /// Submits the work that every first frame needs, and does not wait for it. Drivers that draw on the processor compile
    /// a shader when it is first used; this lets them begin while models are still being read.
    fn warm_up(&mut self, gpu: &GpuContext) -> Result<(), RenderError> {
        let (device, queue) = (&gpu.device, &gpu.queue);
        let metered = MeteredQueue { queue, written_bytes: &self.written_bytes };
        let upload = UploadContext { device, queue: metered, layouts: &self.context.layouts };
        let poses = shader_warmup::record_pose(upload, &self.poses)?;
        // The poses alone first: the device works while the picture is prepared.
        queue.submit([poses]);
        let frame = shader_warmup::empty_frame();
        self.upload(device, queue, &AssetStore::default(), &frame)?;
        let target = readback::target(device, "first picture", frame.size_px, self.context.target_format);
        let target = target.create_view(&Default::default());
        let viewport_px = [0, 0, frame.size_px[0], frame.size_px[1]];
        let mut encoder = device.create_command_encoder(&Default::default());
        self.draw(&mut encoder, &target, viewport_px);
        queue.submit([encoder.finish()]);
        let (assets, frame) = shader_warmup::character_frame();
        let models = std::mem::take(&mut self.models.by_asset);
        let uploaded = self.upload(device, queue, &assets, &frame);
        if uploaded.is_ok() {
            let mut encoder = device.create_command_encoder(&Default::default());
            self.record_poses(&mut encoder);
            self.record_ids(&mut encoder);
            self.record_picture(&mut encoder, &target, viewport_px);
            queue.submit([encoder.finish()]);
        }
        self.models.by_asset = models;
        self.timer.discard();
        self.pick.reset(device);
        uploaded?;
        self.collect(device);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
