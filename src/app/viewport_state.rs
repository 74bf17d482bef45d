//! What the viewport shows, and with what it is drawn.

use crate::camera::View;
use crate::debug::DebugDraw;
use crate::render::{FrameData, Quality, Renderer, SpentFrame};
use glam::Vec2;
use std::time::Duration;

/// What is drawn, and with what.
#[derive(Default)]
pub struct ViewportState {
    /// The scene's part of the window: left, top, width, height in physical pixels.
    pub(super) viewport_px: [u32; 4],
    /// How the last picture was taken.
    pub(super) view: Option<View>,
    pub(super) debug: DebugDraw,
    /// What the last frame showed.
    pub(super) data: Option<FrameData>,
    /// What was shown before, for its memory.
    pub(super) spent: SpentFrame,
    /// What is drawn with, once there is something.
    pub(super) renderer: Option<Renderer>,
    /// The chosen quality of the drawing; the one that fits the device without.
    pub(super) quality: Option<Quality>,
    /// Whether mip maps of large textures are made on threads: in a window, which must not miss frames for them.
    pub(super) prepares_on_threads: bool,
    /// Format of the window, until there is a renderer for it.
    pub(super) pending_format: Option<wgpu::TextureFormat>,
    /// Whether the panels alone have been shown.
    pub(super) first_frame_shown: bool,
    /// Frames that were drawn.
    pub(super) frames: u32,
    pub(super) fps: Fps,
}

impl ViewportState {
    /// Width and height, pixels.
    pub(super) fn size(&self) -> Vec2 {
        Vec2::new(self.viewport_px[2] as f32, self.viewport_px[3] as f32)
    }

    /// The ray into the world through a point of the window, pixels.
    pub(super) fn ray_through(&self, at_px: Vec2) -> Option<crate::math::Ray> {
        let [left, top, width, height] = self.viewport_px.map(|px| px as f32);
        Some(self.view?.ray_through(at_px - Vec2::new(left, top), Vec2::new(width, height)))
    }

    /// Whether a point of the window lies in the picture, pixels.
    pub(super) fn holds(&self, at_px: Vec2) -> bool {
        let [left, top, width, height] = self.viewport_px.map(|px| px as f32);
        let (min, max) = (Vec2::new(left, top), Vec2::new(left + width, top + height));
        at_px.cmpge(min).all() && at_px.cmple(max).all()
    }

    /// Where in the window a place in the world is seen, pixels.
    pub(super) fn seen_at(&self, at: glam::Vec3) -> Option<Vec2> {
        let [left, top, width, height] = self.viewport_px.map(|px| px as f32);
        Some(Vec2::new(left, top) + self.view?.project(at, Vec2::new(width, height))?)
    }

    /// Where it was taken from, in world space.
    pub(super) fn eye(&self) -> Option<glam::Vec3> {
        self.view.map(|view| view.position)
    }
}

/// The viewport, cut to the target: after a change of size both agree only in the next frame.
pub(super) fn inside([x, y, width, height]: [u32; 4], [target_width, target_height]: [u32; 2]) -> [u32; 4] {
    let (x, y) = (x.min(target_width.saturating_sub(1)), y.min(target_height.saturating_sub(1)));
    [x, y, width.min(target_width - x).max(1), height.min(target_height - y).max(1)]
}

/// Longest time between frames that counts as slow; after a longer one nothing had to be drawn.
const IDLE: Duration = Duration::from_secs(2);

/// Frames per second, from the times of the last second.
#[derive(Debug, Default)]
pub(super) struct Fps {
    frames: u32,
    secs: f32,
    shown: f32,
}

impl Fps {
    /// Counts a frame that took so long.
    pub(super) fn add(&mut self, dt: Duration) {
        // After a long time nothing was drawn because nothing moved; none has passed where the frame is laid out again.
        if dt > IDLE || dt.is_zero() {
            return;
        }
        self.frames += 1;
        self.secs += dt.as_secs_f32();
        if self.secs >= 0.5 {
            self.shown = self.frames as f32 / self.secs;
            (self.frames, self.secs) = (0, 0.0);
        }
    }

    /// Mean over half a second.
    pub(super) fn per_sec(&self) -> f32 {
        self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_counted_over_half_a_second() {
        let mut fps = Fps::default();
        for _ in 0..90 {
            fps.add(Duration::from_secs_f64(1.0 / 60.0));
        }
        assert!((fps.per_sec() - 60.0).abs() < 1.0);
        fps.add(Duration::from_secs(30));
        assert!((fps.per_sec() - 60.0).abs() < 1.0, "half a minute in which nothing moved is not slow");
    }
}
