//! The scene pass: models, sky, dust and overlays into the lit picture.

use super::bone_spheres::BoneSpherePass;
use super::dust::Dust;
use super::lines::OverlayLines;
use super::model::{self, LightingPipelines};
use super::sky::Sky;
use super::sky_picture::PictureTexture;
use crate::asset::{AssetStore, SkyPicture};
use crate::gpu::GpuError;
use crate::gpu::timer::PassTimer;
use crate::render::frame::FrameData;
use crate::render::frame_resources::FrameResources;
use crate::render::pipeline::{ModelVariant, PipelineContext};
use crate::render::shaders::ShaderModules;
use crate::render::targets::{SceneTargets, depth_attachment};
use crate::render::upload::UploadContext;
use std::sync::Arc;

/// Pipelines and overlay geometry of the scene pass.
#[derive(Debug)]
pub struct ScenePass {
    models: LightingPipelines,
    sky: Sky,
    dust: Dust,
    lines: OverlayLines,
    /// Whether later passes read the depth of every frame.
    keeps_depth: bool,
}

impl ScenePass {
    /// Creates the pipelines.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        Self {
            models: LightingPipelines::new(context, shaders),
            sky: Sky::new(context, shaders),
            dust: Dust::new(context, shaders),
            lines: OverlayLines::new(context, shaders),
            keeps_depth: context.quality.is_graded(),
        }
    }

    /// Replaces the pipelines.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        self.models = LightingPipelines::new(context, shaders);
        self.sky.reload(context, shaders);
        self.dust.reload(context, shaders);
        self.lines.reload(context, shaders);
    }

    /// Uploads the sky picture of a frame; returns the one that is drawn.
    pub fn upload_sky(
        &mut self,
        upload: UploadContext<'_>,
        assets: &AssetStore,
        frame: &FrameData,
    ) -> Option<Arc<SkyPicture>> {
        self.sky.upload(upload, assets, frame)
    }

    /// Exchanges the sky picture on the device with another, or with none.
    pub(in crate::render) fn swap_sky_picture(&mut self, texture: &mut Option<PictureTexture>) {
        self.sky.swap_picture(texture);
    }

    /// Uploads the dust and the overlay geometry of a frame.
    ///
    /// # Errors
    /// When the device cannot hold so much.
    pub fn upload(&mut self, upload: UploadContext<'_>, frame: &FrameData) -> Result<(), GpuError> {
        self.dust.upload(upload, frame)?;
        self.lines.upload(upload, frame)
    }

    /// Records a frame. `spheres` are drawn among the overlays.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        targets: &SceneTargets,
        frame: FrameResources<'_>,
        spheres: &BoneSpherePass,
        timer: &mut PassTimer,
    ) {
        let Some(group) = frame.bindings.lit() else { return };
        // Ambient occlusion reads the depth of the scene, and so does the outline: it is fainter where the scene hides it.
        let is_read = self.keeps_depth || !frame.lists.outline.is_empty();
        let depth_store = if is_read { wgpu::StoreOp::Store } else { wgpu::StoreOp::Discard };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("scene"),
            color_attachments: &[Some(targets.color_attachment(wgpu::LoadOp::Clear(wgpu::Color::BLACK)))],
            depth_stencil_attachment: Some(depth_attachment(&targets.depth, 0.0, depth_store)),
            timestamp_writes: timer.render("scene"),
            ..Default::default()
        });
        pass.set_bind_group(0, group, &[]);
        let (draws, triangles) = model::record_solid(&mut pass, &self.models, frame);
        timer.count_draws(draws, triangles);
        self.sky.record(&mut pass);
        let (draws, triangles) = model::record_blended(&mut pass, &self.models, frame);
        timer.count_draws(draws, triangles);
        self.dust.record(&mut pass);
        self.lines.record(&mut pass);
        spheres.draw(&mut pass, self.lines.pipelines());
    }

    /// The sky.
    pub fn sky(&self) -> &Sky {
        &self.sky
    }

    /// The lighting pipelines of a variant.
    pub fn model_pipelines(&self, variant: ModelVariant) -> Vec<&wgpu::RenderPipeline> {
        self.models.get(variant)
    }
}
