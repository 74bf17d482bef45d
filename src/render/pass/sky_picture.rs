//! Draws an equirectangular picture as the sky.

use crate::asset::{AssetStore, SkyPicture};
use crate::gpu::texture::{TexelEncoding, upload_rgba};
use crate::render::frame::FrameData;
use crate::render::mip_maps::texel_source;
use crate::render::pipeline::{DepthWrite, PipelineContext, PipelineSpec, depth_state, flag};
use crate::render::shaders::ShaderModules;
use crate::render::targets::{sampled_group, surface_sampler};
use crate::render::upload::UploadContext;
use std::sync::{Arc, OnceLock};
use wgpu::{BindGroupLayout, CompareFunction, ShaderModule};

/// The picture that is drawn, if there is one, and its pipeline.
#[derive(Debug)]
pub(super) struct PictureSky {
    context: PipelineContext,
    module: ShaderModule,
    /// Created on first use.
    pipeline: OnceLock<wgpu::RenderPipeline>,
    sampler: wgpu::Sampler,
    texture: Option<PictureTexture>,
}

/// A picture on the device with its source.
#[derive(Debug)]
pub(in crate::render) struct PictureTexture {
    source: Arc<SkyPicture>,
    group: wgpu::BindGroup,
}

/// The pipeline of a sky: behind everything, over the whole target.
pub(super) fn sky_pipeline(
    context: &PipelineContext,
    label: &str,
    module: &ShaderModule,
    groups: &[&BindGroupLayout],
) -> wgpu::RenderPipeline {
    let quality = context.quality;
    let spec = PipelineSpec {
        constants: &[("SHOWN_TARGET", flag(quality.is_display_referred()))],
        target: Some(quality.light_format()),
        depth: depth_state(CompareFunction::GreaterEqual, DepthWrite::Off),
        samples: quality.samples(),
        ..PipelineSpec::full_screen(label, module)
    };
    spec.create(&context.device, groups)
}

impl PictureSky {
    /// Without a picture.
    pub(super) fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        Self {
            context: context.clone(),
            module: shaders.sky_picture.clone(),
            pipeline: OnceLock::new(),
            sampler: surface_sampler(&context.device, context.quality),
            texture: None,
        }
    }

    /// Replaces the pipeline; the picture stays.
    pub(super) fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        self.context = context.clone();
        self.module = shaders.sky_picture.clone();
        self.pipeline = OnceLock::new();
    }

    /// The pipeline.
    pub(super) fn pipeline(&self) -> &wgpu::RenderPipeline {
        let layouts = &self.context.layouts;
        let groups = [&layouts.frame, &layouts.tonemap];
        self.pipeline.get_or_init(|| sky_pipeline(&self.context, "sky picture", &self.module, &groups))
    }

    /// Uploads the picture of a frame, or drops the previous one. Returns the picture that is drawn.
    pub(super) fn upload(
        &mut self,
        upload: UploadContext<'_>,
        assets: &AssetStore,
        frame: &FrameData,
    ) -> Option<Arc<SkyPicture>> {
        let UploadContext { device, queue, layouts } = upload;
        let environment = &frame.environment;
        let wanted = environment.sky_enabled && !environment.sky_picture.is_empty();
        let picture = wanted.then(|| assets.sky(&environment.sky_picture)?.ok()).flatten();
        let Some(picture) = picture else {
            self.texture = None;
            return None;
        };
        if self.texture.as_ref().is_none_or(|loaded| !Arc::ptr_eq(&loaded.source, picture)) {
            let source = texel_source(&picture.image, TexelEncoding::Srgb);
            let texture = upload_rgba(device, queue.queue, &source);
            let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
            let group = sampled_group(device, &layouts.tonemap, &view, &self.sampler);
            self.texture = Some(PictureTexture { source: Arc::clone(picture), group });
        }
        Some(Arc::clone(picture))
    }

    /// Exchanges the picture on the device with another, or with none.
    pub(super) fn swap(&mut self, texture: &mut Option<PictureTexture>) {
        std::mem::swap(&mut self.texture, texture);
    }

    /// Sets the pipeline and the picture. Returns whether there is a picture.
    pub(super) fn bind(&self, pass: &mut wgpu::RenderPass<'_>) -> bool {
        let Some(texture) = &self.texture else { return false };
        pass.set_pipeline(self.pipeline());
        pass.set_bind_group(1, &texture.group, &[]);
        true
    }
}
