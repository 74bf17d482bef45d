//! The small picture of what the selected camera sees: put together when the frame is, drawn when something in it has
//! changed, and then not again for a few frames.

use super::App;
use super::frame::inside;
use super::sight;
use crate::asset::AssetStore;
use crate::debug::DebugDraw;
use crate::gpu::Context;
use crate::ids::CameraId;
use crate::profile::Profiler;
use crate::render::{FrameData, Renderer, extract};
use crate::ui::{Mode, Notices};

/// Frames from one drawing to the next while something moves.
const EVERY: u32 = 4;

/// What the small picture shows, and where.
#[derive(Debug, Default)]
pub struct Inset {
    /// Left, top, width, height in physical pixels; `None` while it is not shown.
    part_px: Option<[u32; 4]>,
    data: Option<FrameData>,
    /// Whether `data` is not drawn yet.
    due: bool,
    /// Frames until it may be drawn again.
    rest: u32,
}

impl Inset {
    /// What was drawn is gone with its device.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Whether the picture may be older than the scene.
    pub(super) fn is_behind(&self) -> bool {
        self.part_px.is_some() && (self.rest > 0 || self.due)
    }

    /// Whether it is time to look at the scene again.
    fn is_time(&mut self) -> bool {
        self.rest = self.rest.saturating_sub(1);
        self.rest == 0
    }

    fn take(&mut self, data: FrameData) {
        if self.data.as_ref().is_some_and(|before| shows_the_same(before, &data)) {
            return;
        }
        self.data = Some(data);
        (self.due, self.rest) = (true, EVERY);
    }

    /// Draws it if it is due.
    pub(super) fn draw(
        &mut self,
        gpu: &Context,
        renderer: &mut Renderer,
        assets: &AssetStore,
        profiler: &mut Profiler,
        notices: &mut Notices,
    ) {
        match (&self.data, self.part_px) {
            (Some(data), Some(_)) if std::mem::take(&mut self.due) => {
                let done = profiler.scope("camera preview", || renderer.draw_inset(gpu, assets, data));
                if let Err(error) = done {
                    notices.error(error.to_string());
                }
            }
            (None, _) => renderer.drop_inset(),
            _ => {}
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

/// Whether two frames without overlays look alike.
fn shows_the_same(a: &FrameData, b: &FrameData) -> bool {
    (a.size_px, a.camera) == (b.size_px, b.camera)
        && a.environment == b.environment
        && a.levels == b.levels
        && a.models == b.models
        && a.fixes == b.fixes
        && a.placeholders == b.placeholders
}

impl App {
    /// The camera whose small picture is shown: the selected one, unless it is looked through.
    pub(super) fn inset_camera(&self) -> Option<CameraId> {
        let wanted = self.ui.preview && self.ui.mode == Mode::Edit;
        let other = |id: &CameraId| wanted && self.rig.active() != Some(*id) && self.scene.cameras.contains(*id);
        self.ui.camera.filter(other)
    }

    /// Puts together what the small picture shows, which lies at `rect` in points.
    pub(super) fn compose_inset(&mut self, rect: Option<egui::Rect>, scale: f32) {
        let camera = self.inset_camera().and_then(|id| self.scene.cameras.get(id));
        let (Some(camera), Some(rect)) = (camera, rect) else {
            self.inset.forget();
            return;
        };
        let px = |points: f32| (points * scale).round().max(0.0) as u32;
        let part = [px(rect.left()), px(rect.top()), px(rect.width()).max(1), px(rect.height()).max(1)];
        self.inset.part_px = Some(part);
        if !self.inset.is_time() {
            return;
        }
        let alpha = self.clock.alpha();
        let (scene, world, assets) = (&self.scene, &self.world, &self.assets);
        let view = sight::of(camera, scene, world, assets, alpha).view(part[2] as f32 / part[3] as f32);
        let size_px = [part[2], part[3]];
        let data = extract(scene, world, assets, (&view).into(), alpha, size_px, DebugDraw::default());
        self.inset.take(data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Lens, View};
    use glam::Vec3;

    #[test]
    fn it_is_drawn_when_something_changes_and_rests_then() {
        let frame = |x: f32| {
            let view = View::new(Vec3::X * x, Vec3::Z, Lens::Perspective { fov_rad: 1.0 }, 1.0);
            FrameData::of_sky([8, 8], &view)
        };
        let mut inset = Inset { part_px: Some([0, 0, 8, 8]), ..Inset::default() };
        let mut drawn = Vec::new();
        for i in 0..13 {
            // It moves for eight frames, then stands.
            if inset.is_time() {
                inset.take(frame(i.min(8) as f32));
            }
            if std::mem::take(&mut inset.due) {
                drawn.push(i);
            }
        }
        assert_eq!(drawn, [0, 4, 8]);
        assert!(!inset.is_behind(), "nothing is left to do");
        inset.forget();
        assert!(!inset.is_behind() && inset.data.is_none());
    }
}
