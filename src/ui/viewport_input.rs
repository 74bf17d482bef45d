//! What the mouse does in the viewport.

use egui::{Pos2, Rect, Vec2};

/// What a drag with the middle button does to what is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MiddleDragMode {
    /// Moves it over the ground; with Shift, up and down.
    #[default]
    Move,
    /// Tilts it; with Shift, turns it about the up axis.
    Turn,
    /// Makes it larger or smaller.
    Scale,
}

/// What was done in the viewport during one frame. All in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewportInput {
    /// Where the scene is drawn.
    pub rect: Rect,
    /// Mouse travel while looking (right button down).
    pub look: Vec2,
    /// Wheel travel over the viewport in notches; positive zooms in.
    pub wheel_notches: f32,
    /// Where the primary button was clicked.
    pub click: Option<Pos2>,
    /// Where the primary button went down.
    pub press: Option<Pos2>,
    /// Where the cursor is while the primary button is held.
    pub drag: Option<Pos2>,
    /// Where it went up again.
    pub release: Option<Pos2>,
    /// Whether Shift is held.
    pub shift: bool,
    /// Whether Ctrl is held (Cmd on a Mac).
    pub command: bool,
    /// Mouse travel while going round what is looked at (Alt or O and the primary button, or the middle button).
    pub orbit: Vec2,
    /// Mouse travel while the view is shifted.
    pub pan: Vec2,
    /// How much nearer to it: notches of the wheel with Alt, or as many for the way of a drag.
    pub nearer: f32,
    /// Mouse travel with the middle button down.
    pub middle_drag: Vec2,
    /// Whether a drag with the middle button begins.
    pub middle_drag_begins: bool,
    /// Where the cursor is.
    pub hover: Option<Pos2>,
    /// Where the small picture of the selected camera lies.
    pub preview_rect: Option<Rect>,
}

impl ViewportInput {
    /// A place in points as pixels of the picture, from its corner; `scale` is pixels per point.
    pub fn picture_px(&self, at: Pos2, scale: f32) -> glam::Vec2 {
        let at = (at - self.rect.min) * scale;
        glam::Vec2::new(at.x, at.y)
    }

    /// Size of the picture in pixels.
    pub fn size_px(&self, scale: f32) -> glam::Vec2 {
        glam::Vec2::new(self.rect.width(), self.rect.height()) * scale
    }
}

/// A rectangle in points as x, y, width and height in whole pixels of the window, of at least one.
pub fn rect_px(rect: Rect, scale: f32) -> [u32; 4] {
    let px = |points: f32| (points * scale).round().max(0.0) as u32;
    [px(rect.left()), px(rect.top()), px(rect.width()).max(1), px(rect.height()).max(1)]
}

impl Default for ViewportInput {
    fn default() -> Self {
        Self {
            rect: Rect::NOTHING,
            look: Vec2::ZERO,
            wheel_notches: 0.0,
            click: None,
            press: None,
            drag: None,
            release: None,
            shift: false,
            command: false,
            orbit: Vec2::ZERO,
            pan: Vec2::ZERO,
            nearer: 0.0,
            middle_drag: Vec2::ZERO,
            middle_drag_begins: false,
            hover: None,
            preview_rect: None,
        }
    }
}
