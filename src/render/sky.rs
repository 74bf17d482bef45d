//! The picture that is the sky, on the device.

use super::frame::FrameData;
use super::layouts::Layouts;
use crate::asset::{AssetStore, SkyPicture};
use crate::gpu::texture::{TexelEncoding, upload_rgba};
use std::sync::Arc;

/// The picture that was drawn last, if any.
#[derive(Debug, Default)]
pub struct SkyTexture {
    loaded: Option<(Arc<SkyPicture>, wgpu::BindGroup)>,
}

impl SkyTexture {
    /// Brings the picture of a frame onto the device, or drops the one before. Returns the picture that is drawn.
    pub fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        (layouts, sampler): (&Layouts, &wgpu::Sampler),
        assets: &AssetStore,
        frame: &FrameData,
    ) -> Option<Arc<SkyPicture>> {
        let environment = &frame.environment;
        let wanted = environment.sky_enabled && !environment.sky_picture.is_empty();
        let picture = wanted.then(|| assets.sky(&environment.sky_picture)?.ok()).flatten();
        let Some(picture) = picture else {
            self.loaded = None;
            return None;
        };
        if self.loaded.as_ref().is_none_or(|(loaded, _)| !Arc::ptr_eq(loaded, picture)) {
            let image = &picture.image;
            let size = [image.width, image.height];
            let texture = upload_rgba(device, queue, "sky", size, &image.rgba, TexelEncoding::Srgb);
            let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("sky picture"),
                layout: &layouts.tonemap,
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&view) },
                    wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(sampler) },
                ],
            });
            self.loaded = Some((Arc::clone(picture), group));
        }
        Some(Arc::clone(picture))
    }

    /// The group of the picture that is drawn.
    pub fn group(&self) -> Option<&wgpu::BindGroup> {
        self.loaded.as_ref().map(|(_, group)| group)
    }
}
