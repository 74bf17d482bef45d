//! One frame of a person's intent, free of window-system types.

use glam::{Vec2, Vec3};

/// What a person asked for during one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Camera flight: x right, y up, z forward; each -1…1.
    pub fly: Vec3,
    /// Whether flight is faster (Shift).
    pub fast: bool,
    /// Mouse travel while looking, in pixels; x right, y down.
    pub look_px: Vec2,
    /// Wheel notches; positive zooms in.
    pub wheel_notches: f32,
}
