//! Colours and limits of what is drawn of a bake.

use super::heightfield::{GROUND, UNWALKABLE};
use crate::debug::Color;

/// Most rectangles and lines of a step; later ones are not drawn.
pub const MAX_SHAPES: usize = 1 << 18;
/// Where one cannot stand.
pub const UNWALKABLE_COLOR: Color = [0.75, 0.2, 0.15, 0.45];
/// Where one can.
pub const WALKABLE: Color = [0.15, 0.75, 0.35, 0.45];

/// A distinct colour per number.
pub(super) fn distinct(number: u32, alpha: f32) -> Color {
    let hue = (number as f32 * 0.618_034).fract() * 6.0;
    let ramp = |shift: f32| 1.0 - 0.8 * ((hue + shift).rem_euclid(6.0) - 3.0).abs().clamp(1.0, 2.0) + 0.8;
    [ramp(0.0), ramp(2.0), ramp(4.0), alpha]
}

/// Colour of an area of spans.
pub(super) fn area_color(area: u8) -> Color {
    match area {
        UNWALKABLE => UNWALKABLE_COLOR,
        GROUND => WALKABLE,
        other => distinct(other.into(), 0.5),
    }
}
