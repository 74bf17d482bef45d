//! The small picture of what the selected camera sees. It shows what the frame shows, from elsewhere: it is drawn when
//! something in it has changed, and then not again for a few frames.

use super::viewport_state::inside;
use crate::asset::AssetStore;
use crate::gpu::GpuContext;
use crate::profile::Profiler;
use crate::render::{CameraFrame, FrameData, Renderer};
use crate::ui::Notices;

/// Least and most frames from one drawing to the next while something moves.
const EVERY: [u32; 2] = [4, 120];
/// So many instances in the small picture make it rest for a frame more: drawing them takes as long as in the large one.
const PER_FRAME: usize = 60;

/// What the small picture shows, and where.
#[derive(Debug, Default)]
pub struct CameraPreview {
    /// Left, top, width, height in physical pixels; `None` while it is not shown.
    part_px: Option<[u32; 4]>,
    camera: Option<CameraFrame>,
    /// Whether it shows something older than the frame.
    due: bool,
    /// Frames until it may be drawn again.
    rest: u32,
}

impl CameraPreview {
    /// What was drawn is gone with its device.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Whether the picture may be older than the scene.
    pub(super) fn is_behind(&self) -> bool {
        self.part_px.is_some() && self.due
    }

    /// Takes the place and the camera of a frame. `changed` says whether what stands in the scene looks otherwise than in
    /// the frame before; it is not asked when the picture is to be drawn anyway.
    pub(super) fn take(&mut self, part_px: [u32; 4], camera: CameraFrame, changed: impl FnOnce() -> bool) {
        let size = |part: [u32; 4]| [part[2], part[3]];
        let other = self.camera != Some(camera) || self.part_px.map(size) != Some(size(part_px));
        (self.part_px, self.camera) = (Some(part_px), Some(camera));
        self.due = self.due || other || changed();
        self.rest = self.rest.saturating_sub(1);
    }

    /// Whether it is to be drawn in this frame.
    fn is_time(&mut self) -> bool {
        if !self.due || self.rest > 0 {
            return false;
        }
        (self.due, self.rest) = (false, EVERY[0]);
        true
    }

    /// Rests the longer, the more was drawn: it takes but a small part of the time of all frames.
    fn rest_after(&mut self, instances: usize) {
        let more = u32::try_from(instances / PER_FRAME).unwrap_or(u32::MAX);
        self.rest = more.saturating_add(EVERY[0]).min(EVERY[1]);
    }

    /// Draws what the frame shows if it is time.
    pub(super) fn draw(
        &mut self,
        gpu: &GpuContext,
        renderer: &mut Renderer,
        assets: &AssetStore,
        frame: &mut FrameData,
        profiler: &mut Profiler,
        notices: &mut Notices,
    ) {
        let (Some([_, _, width, height]), Some(mut camera)) = (self.part_px, self.camera) else {
            return renderer.drop_inset();
        };
        if !self.is_time() {
            return;
        }
        // Lent for a moment: no copy of thousands of instances is made, and overlays and spheres are left out.
        let mut size_px = [width, height];
        // How far the shadows reach was measured for the camera of the frame.
        let (mut debug, mut bones, mut pick, mut outlines, mut open_depth) = Default::default();
        let mut lend = |frame: &mut FrameData| {
            std::mem::swap(&mut frame.camera, &mut camera);
            std::mem::swap(&mut frame.size_px, &mut size_px);
            std::mem::swap(&mut frame.debug, &mut debug);
            std::mem::swap(&mut frame.bones, &mut bones);
            std::mem::swap(&mut frame.pick, &mut pick);
            std::mem::swap(&mut frame.outlines, &mut outlines);
            std::mem::swap(&mut frame.open_depth, &mut open_depth);
        };
        lend(frame);
        let done = profiler.scope("camera preview", || renderer.draw_inset(gpu, assets, frame));
        lend(frame);
        self.rest_after(renderer.visible_count());
        if let Err(error) = done {
            notices.error(error.to_string());
        }
    }

    /// Puts it over the picture.
    pub(super) fn show(
        &self,
        renderer: &Renderer,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size_px: [u32; 2],
    ) {
        if let Some(part_px) = self.part_px {
            renderer.show_inset(encoder, target, inside(part_px, size_px));
        }
    }
}

/// Whether what stands in the scene looks alike in two frames.
pub(super) fn shows_the_same(a: &FrameData, b: &FrameData) -> bool {
    a.environment == b.environment
        && a.levels == b.levels
        && a.models == b.models
        && a.overrides == b.overrides
        && a.placeholders == b.placeholders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Lens, View};
    use crate::render::Placeholder;
    use glam::Vec3;

    fn camera(x: f32) -> CameraFrame {
        (&View::new(Vec3::X * x, Vec3::Z, Lens::Perspective { fov_rad: 1.0 }, 1.0)).into()
    }

    /// In which of thirteen frames it is drawn, while its camera and the scene move in some of them.
    fn drawn(camera_preview: &mut CameraPreview, x: impl Fn(u32) -> f32, changed: impl Fn(u32) -> bool) -> Vec<u32> {
        let one = |i: &u32| {
            camera_preview.take([0, 0, 8, 8], camera(x(*i)), || changed(*i));
            camera_preview.is_time()
        };
        (0..13).filter(one).collect()
    }

    #[test]
    fn it_is_drawn_when_something_changes_and_rests_then() {
        let mut camera_preview = CameraPreview::default();
        assert_eq!(drawn(&mut camera_preview, |i| i.min(8) as f32, |_| false), [0, 4, 8]);
        assert!(!camera_preview.is_behind(), "nothing is left to do");
        assert_eq!(
            drawn(&mut camera_preview, |_| 8.0, |i| i < 6),
            [0, 4, 8],
            "what has changed while it rested is not missed"
        );
        assert!(!camera_preview.is_behind());
        assert!(drawn(&mut camera_preview, |_| 8.0, |_| false).is_empty());
        camera_preview.take([0, 0, 9, 8], camera(8.0), || false);
        assert!(camera_preview.is_behind() && camera_preview.is_time(), "it has another size");
        camera_preview.forget();
        assert!(!camera_preview.is_behind());
    }

    #[test]
    fn it_rests_longer_where_there_is_more_to_draw() {
        let mut camera_preview = CameraPreview::default();
        let rests = [0, 59, 600, 10_000, usize::MAX].map(|instances| {
            camera_preview.rest_after(instances);
            camera_preview.rest
        });
        assert_eq!(rests, [4, 4, 14, 120, 120]);
    }

    #[test]
    fn what_moves_is_seen() {
        let view = View::new(Vec3::X, Vec3::Z, Lens::Perspective { fov_rad: 1.0 }, 1.0);
        let (a, mut b) = (FrameData::of_sky([8, 8], &view), FrameData::of_sky([9, 8], &view));
        assert!(shows_the_same(&a, &b), "size and camera are those of the large picture");
        b.placeholders.push(Placeholder { world_from_model: glam::Mat4::IDENTITY, color: [1.0; 4], pick: 0 });
        assert!(!shows_the_same(&a, &b));
    }
}
