//! Draws the sky behind everything: the procedural one, or an equirectangular picture.

use crate::asset::{AssetStore, SkyPicture};
use crate::gpu::texture::{TexelEncoding, upload_rgba};
use crate::render::frame::FrameData;
use crate::render::pipeline::{DepthWrite, PipelineContext, PipelineSpec, depth_state, flag};
use crate::render::shaders::ShaderModules;
use crate::render::targets::surface_sampler;
use crate::render::upload::UploadContext;
use std::sync::{Arc, OnceLock};
use wgpu::{BindGroupLayout, CompareFunction, ShaderModule};

/// Pipelines of the sky, and the picture that is drawn.
#[derive(Debug)]
pub struct Sky {
    pipelines: SkyPipelines,
    sampler: wgpu::Sampler,
    picture: Option<PictureTexture>,
}

#[derive(Debug)]
struct SkyPipelines {
    context: PipelineContext,
    procedural: wgpu::RenderPipeline,
    picture_module: ShaderModule,
    /// Created on first use.
    picture: OnceLock<wgpu::RenderPipeline>,
}

/// A picture on the device with its source.
#[derive(Debug)]
struct PictureTexture {
    source: Arc<SkyPicture>,
    group: wgpu::BindGroup,
}

impl SkyPipelines {
    fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        Self {
            procedural: create(context, "sky", &shaders.sky, &[&context.layouts.frame]),
            picture_module: shaders.sky_picture.clone(),
            picture: OnceLock::new(),
            context: context.clone(),
        }
    }

    fn picture(&self) -> &wgpu::RenderPipeline {
        let layouts = &self.context.layouts;
        let groups = [&layouts.frame, &layouts.tonemap];
        self.picture.get_or_init(|| create(&self.context, "sky picture", &self.picture_module, &groups))
    }
}

fn create(
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

impl Sky {
    /// Without a picture.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        Self {
            pipelines: SkyPipelines::new(context, shaders),
            sampler: surface_sampler(&context.device, context.quality),
            picture: None,
        }
    }

    /// Replaces the pipelines.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        self.pipelines = SkyPipelines::new(context, shaders);
    }

    /// Uploads the sky picture of a frame, or drops the previous one. Returns the picture that is drawn.
    pub fn upload(
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
            self.picture = None;
            return None;
        };
        if self.picture.as_ref().is_none_or(|loaded| !Arc::ptr_eq(&loaded.source, picture)) {
            let image = &picture.image;
            let size = [image.width, image.height];
            let texture = upload_rgba(device, queue, "sky", size, &image.rgba, TexelEncoding::Srgb);
            let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("sky picture"),
                layout: &layouts.tonemap,
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&view) },
                    wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&self.sampler) },
                ],
            });
            self.picture = Some(PictureTexture { source: Arc::clone(picture), group });
        }
        Some(Arc::clone(picture))
    }

    /// Records it; bind group 0 is set already.
    pub fn record(&self, pass: &mut wgpu::RenderPass<'_>) {
        match &self.picture {
            Some(picture) => {
                pass.set_pipeline(self.pipelines.picture());
                pass.set_bind_group(1, &picture.group, &[]);
            }
            None => pass.set_pipeline(&self.pipelines.procedural),
        }
        pass.draw(0..3, 0..1);
    }

    /// The pipeline that draws a picture as the sky.
    pub fn picture_pipeline(&self) -> &wgpu::RenderPipeline {
        self.pipelines.picture()
    }
}
