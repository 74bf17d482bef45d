//! A thumbnail of one model, which arrives a frame or more after it was requested.

use super::frame::{FrameData, InstanceDraw, LevelDraw, ModelDraws, static_instance};
use super::{RenderError, Renderer};
use crate::anim::clip_classification::classify_clips;
use crate::anim::{ClipAt, Playback};
use crate::asset::{AssetStore, Image, Model};
use crate::camera::{Lens, View};
use crate::gpu::GpuContext;
use crate::gpu::readback::{self, Readback};
use crate::ids::ClipId;
use glam::{Mat4, Vec3};

/// Edge of the picture in pixels; its rows have a length that can be copied without padding.
pub const EDGE_PX: u32 = 192;
/// Vertical field of view, radians.
const FOV_RAD: f32 = 0.6;
/// Direction from the middle of the model to the eye: front, left and above.
const EYE_DIRECTION: Vec3 = Vec3::new(0.55, 0.42, 1.0);
/// Name of the model in its own store.
const FILE: &str = "model";

/// A thumbnail on its way from the device.
#[derive(Debug)]
pub struct Thumbnail {
    readback: Readback,
    /// Whether the target has the channel order BGRA.
    is_bgra: bool,
}

impl Thumbnail {
    /// Draws a model by itself. To be called before the frame itself is uploaded, because it uses the same buffers; its
    /// commands are submitted at once.
    ///
    /// # Errors
    /// As [`Renderer::upload`].
    pub fn draw(renderer: &mut Renderer, gpu: &GpuContext, model: Model) -> Result<Self, RenderError> {
        let (device, format) = (&gpu.device, renderer.target_format());
        let texture = readback::target(device, "thumbnail", [EDGE_PX; 2], format);
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut store = AssetStore::default();
        let asset = store.insert(FILE, model);
        if let Some(frame) = store.model(asset).map(|model| frame(&store, model)) {
            let target = texture.create_view(&Default::default());
            renderer.draw_isolated(gpu, &store, &frame, &mut encoder, &target)?;
        }
        let mut readback = Readback::new(device, "thumbnail", u64::from(EDGE_PX * EDGE_PX * 4));
        readback.copy_texture(&mut encoder, &texture, EDGE_PX * 4);
        gpu.queue.submit([encoder.finish()]);
        readback.submitted();
        Ok(Self { readback, is_bgra: format.remove_srgb_suffix() == wgpu::TextureFormat::Bgra8Unorm })
    }

    /// The picture, if it has arrived. Never blocks.
    pub fn collect(&mut self, device: &wgpu::Device) -> Option<Image> {
        let mut rgba = self.readback.collect(device, <[u8]>::to_vec)?;
        for pixel in rgba.chunks_exact_mut(4) {
            if self.is_bgra {
                pixel.swap(0, 2);
            }
            pixel[3] = 255;
        }
        Some(Image { name: "thumbnail".into(), width: EDGE_PX, height: EDGE_PX, rgba })
    }
}

/// The frame of a thumbnail: the whole model in a pose of a motion, of standing where it has one, under the default sky.
fn frame(store: &AssetStore, model: &Model) -> FrameData {
    let bounds = model.rest_bounds;
    let (middle, radius) = if bounds.is_empty() {
        (Vec3::ZERO, 1.0)
    } else {
        (bounds.center(), (bounds.size().length() * 0.5).clamp(1e-3, 1e6))
    };
    let distance = radius / (FOV_RAD * 0.5).sin();
    let eye = middle + EYE_DIRECTION.normalize() * distance;
    // A model much larger or smaller than a house would not lie between the clip planes.
    let scale = if (0.3..=400.0).contains(&distance) { 1.0 } else { 10.0 / distance };
    let view = View::new(eye * scale, middle - eye, Lens::Perspective { fov_rad: FOV_RAD }, 1.0);
    let roles = classify_clips(model);
    let playback = roles.shown.or(roles.idle).map_or_else(Playback::default, |clip| {
        let clip = ClipAt { clip: ClipId(clip as u32), time_secs: 0.0 };
        Playback { clips: [clip; 2], ..Playback::default() }
    });
    let mut frame = FrameData::of_sky([EDGE_PX; 2], &view);
    let Some(asset) = store.find(FILE) else { return frame };
    let world_from_model = Mat4::from_scale(Vec3::splat(scale));
    if model.is_skinned() {
        let draw = InstanceDraw { playback, ..static_instance(world_from_model) };
        frame.models.push(ModelDraws { asset, instances: vec![draw] });
    } else {
        // As a level: the levels of detail of millions of triangles take seconds, and none is needed for one picture.
        frame.levels.push(LevelDraw { asset, world_from_model });
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_levels_of_detail_are_made_for_what_is_drawn_once() {
        let mut store = AssetStore::default();
        let asset = store.insert(FILE, crate::render::cube::model());
        let drawn = frame(&store, store.model(asset).unwrap());
        assert_eq!((drawn.levels.len(), drawn.models.len()), (1, 0));
    }
}
