//! Draws the sky behind everything: the procedural one, or an equirectangular picture.

use super::sky_picture::{PictureSky, PictureTexture, sky_pipeline};
use crate::asset::{AssetStore, SkyPicture};
use crate::render::frame::FrameData;
use crate::render::pipeline::PipelineContext;
use crate::render::shaders::ShaderModules;
use crate::render::upload::UploadContext;
use std::sync::Arc;

/// The procedural sky, and the picture that is drawn in its place.
#[derive(Debug)]
pub struct Sky {
    procedural: wgpu::RenderPipeline,
    picture: PictureSky,
}

fn procedural(context: &PipelineContext, shaders: &ShaderModules) -> wgpu::RenderPipeline {
    sky_pipeline(context, "sky", &shaders.sky, &[&context.layouts.frame])
}

impl Sky {
    /// Without a picture.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        Self { procedural: procedural(context, shaders), picture: PictureSky::new(context, shaders) }
    }

    /// Replaces the pipelines.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        self.procedural = procedural(context, shaders);
        self.picture.reload(context, shaders);
    }

    /// Uploads the sky picture of a frame, or drops the previous one. Returns the picture that is drawn.
    pub fn upload(
        &mut self,
        upload: UploadContext<'_>,
        assets: &AssetStore,
        frame: &FrameData,
    ) -> Option<Arc<SkyPicture>> {
        self.picture.upload(upload, assets, frame)
    }

    /// Exchanges the picture on the device with another, or with none.
    pub(in crate::render) fn swap_picture(&mut self, texture: &mut Option<PictureTexture>) {
        self.picture.swap(texture);
    }

    /// Records it; bind group 0 is set already.
    pub fn record(&self, pass: &mut wgpu::RenderPass<'_>) {
        if !self.picture.bind(pass) {
            pass.set_pipeline(&self.procedural);
        }
        pass.draw(0..3, 0..1);
    }

    /// The pipeline that draws a picture as the sky.
    pub fn picture_pipeline(&self) -> &wgpu::RenderPipeline {
        self.picture.pipeline()
    }
}
