//! Puts together what a frame shows: overlays, everything that is drawn, and what the selected camera sees.

use super::camera_preview::shows_the_same;
use super::state::App;
use super::{camera_view, gizmo, pick, selection_overlay, tool};
use crate::asset::AssetStore;
use crate::ids::CameraId;
use crate::inspect::overlays::{self, OverlayContext};
use crate::render::{FrameData, FrameSources, FrameView, extract_into};
use crate::ui::Mode;
use crate::ui::viewport_input::rect_px;
use std::borrow::Cow;

impl App {
    /// Gathers what this frame shows: overlays, then everything that is drawn. Returns what the frame before showed,
    /// without its overlays. The display has `scale` pixels per point.
    pub(super) fn compose(&mut self, scale: f32) -> Option<FrameData> {
        let view = self.viewport.view?;
        let handles = self.shown_gizmo(&view);
        let corners = self.path_corners().to_vec();
        let chosen = self.selected_set();
        let chosen = if self.scene.settings.highlight_selection { chosen } else { Cow::Owned(Default::default()) };
        let outlines = selection_overlay::outlines(&chosen, self.hovered, scale);
        let chosen: Vec<_> = chosen.iter().copied().take(selection_overlay::MAX_MARKED).collect();
        let (cameras, tile) = (self.shown_cameras(), self.pointed_tile());
        let overlays = self.shown_overlays().into_owned();
        let viewport = &mut self.viewport;
        let (scene, world, assets) = (&self.scene, &self.world, &self.assets);
        let mut debug = std::mem::take(&mut viewport.debug);
        let alpha = self.clock.alpha();
        let context = OverlayContext { world, inspector: &self.inspector, scene, assets, selection: &self.selection };
        self.profiler.scope("overlays", || {
            overlays::draw(overlays.iter().copied(), &context, &mut debug);
            selection_overlay::selected(&context, &chosen, alpha, &mut debug);
            selection_overlay::corners(&corners, &mut debug);
            tool::mark(&self.ui.nav_tools, &scene.nav, tile, &mut debug);
            if self.ui.mode == Mode::Edit {
                cameras.draw(&pick::PickScene { scene, world, assets, alpha }, &mut debug);
            }
        });
        if let Some((handles, hovered)) = handles {
            handles.draw(hovered, &mut debug);
        }
        let camera = (&view).into();
        let size_px = [viewport.viewport_px[2], viewport.viewport_px[3]];
        let (sources, shown) = (FrameSources { scene, world, assets }, FrameView { camera, size_px, alpha });
        let spent = std::mem::take(&mut viewport.spent);
        let mut data = self.profiler.scope("extract", || extract_into(spent, sources, shown, debug));
        data.pick = self.pick_queue.requested_px();
        data.outlines = outlines;
        data.layer_depth = overlays::depths(self.inspector.style()).collect();
        data.line_scale = scale * self.inspector.style().line_width;
        data.layer_depth.extend([selection_overlay::DEPTH, gizmo::DEPTH]);
        self.status.triangles = triangles(&data, assets);
        let mut before = viewport.data.replace(data)?;
        // These buffers serve again in the next frame.
        viewport.debug = std::mem::take(&mut before.debug);
        Some(before)
    }

    /// The camera whose small picture is shown: the selected one, unless it is looked through.
    pub(super) fn previewed_camera(&self) -> Option<CameraId> {
        let wanted = !self.ui.hides_preview && self.ui.mode == Mode::Edit;
        self.picked_camera().filter(|id| wanted && self.camera_controller.active() != Some(*id))
    }

    /// Notes what the small picture shows, which lies at `rect` in points. `before` is what the frame before showed.
    pub(super) fn compose_preview(&mut self, rect: Option<egui::Rect>, scale: f32, before: Option<&FrameData>) {
        let camera = self.previewed_camera().and_then(|id| self.scene.cameras.get(id));
        let (Some(camera), Some(rect)) = (camera, rect) else {
            self.camera_preview.forget();
            return;
        };
        let part = rect_px(rect, scale);
        let pose = camera_view::of(camera, &self.scene, &self.world, &self.assets, self.clock.alpha());
        let view = pose.view(part[2] as f32 / part[3] as f32);
        let now = self.viewport.data.as_ref();
        let changed = || !before.zip(now).is_some_and(|(before, now)| shows_the_same(before, now));
        self.camera_preview.take(part, (&view).into(), changed);
    }
}

/// Triangles of everything that the frame holds.
fn triangles(data: &FrameData, assets: &AssetStore) -> u64 {
    let of = |asset| assets.model(asset).map_or(0, |model| model.triangle_count() as u64);
    let levels: u64 = data.levels.iter().map(|level| of(level.asset)).sum();
    levels + data.models.iter().map(|draws| of(draws.asset) * draws.instances.len() as u64).sum::<u64>()
}
