//! The ground grid: lines below the level and around it that fade with the distance, the two axes in their colours.

use super::context::OverlayContext;
use crate::debug::{Color, DebugDraw, Layer, LineStyle};
use glam::Vec3;

/// Half the side of the grid of an empty scene, metres.
const EMPTY_HALF: f32 = 20.0;
/// How far it goes on beyond a level, as a share of the level's side, and at least, metres.
const BEYOND: f32 = 0.5;
const MIN_BEYOND: f32 = 10.0;
/// Most lines in one direction; the distance between them grows so that they are no more.
const MAX_LINES: f32 = 120.0;
/// Parts of a line, each with an opacity of its own.
const PARTS: usize = 16;
/// How far below the ground it lies, so that a floor there hides it, metres.
const BELOW: f32 = 0.02;
/// Half the side of the largest level that has one, metres.
const MAX_HALF: f32 = 20_000.0;

/// Widths of the lines and of the axes, points.
const WIDTH: f32 = 1.5;
const AXIS_WIDTH: f32 = 2.2;

const LINE: Color = [0.32, 0.34, 0.38, 0.55];
const TENTH: Color = [0.42, 0.45, 0.50, 0.8];
const X_AXIS: Color = [0.75, 0.10, 0.12, 0.95];
const Z_AXIS: Color = [0.10, 0.28, 0.85, 0.95];

/// Draws it.
pub(super) fn draw(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let level = context.world.triangle_tree().map(|tree| tree.bounds()).filter(|bounds| !bounds.is_empty());
    let (center, half, height) = match level {
        Some(bounds) => {
            let size = bounds.size();
            let half = 0.5 * size.x.max(size.z);
            let half = half + (2.0 * half * BEYOND).max(MIN_BEYOND);
            // Below the lowest ground: it shall not cut through a level.
            (bounds.center(), half, bounds.min.y.min(0.0) - BELOW)
        }
        None => (Vec3::ZERO, EMPTY_HALF, 0.0),
    };
    if half.is_finite() && half < MAX_HALF {
        lines(d, center.with_y(height), half);
    }
}

/// Distance between lines, metres: a power of ten, as small as [`MAX_LINES`] allows.
fn spacing(half: f32) -> f32 {
    let mut spacing = 1.0;
    while 2.0 * half / spacing > MAX_LINES {
        spacing *= 10.0;
    }
    spacing
}

fn lines(d: &mut DebugDraw, center: Vec3, half: f32) {
    let step = spacing(half);
    let (low, high) = (|c: f32| ((c - half) / step).ceil() as i32, |c: f32| ((c + half) / step).floor() as i32);
    for (along, across) in [(Vec3::X, Vec3::Z), (Vec3::Z, Vec3::X)] {
        let middle = center.dot(across);
        for i in low(middle)..=high(middle) {
            // Far away the lines between tenths go, and then these, before they run into one grey.
            let (color, spacing, width) = match (i, along.x > 0.0) {
                (0, true) => (X_AXIS, 0.0, AXIS_WIDTH),
                (0, false) => (Z_AXIS, 0.0, AXIS_WIDTH),
                _ if i % 10 == 0 => (TENTH, step * 10.0, WIDTH),
                _ => (LINE, step, WIDTH),
            };
            let style = LineStyle { width, spacing, ..LineStyle::default() };
            let at = i as f32 * step;
            let off = (at - middle) / half;
            let start = Vec3::Y * center.y + across * at + along * (center.dot(along) - half);
            for part in 0..PARTS {
                let share = |part: usize| part as f32 / PARTS as f32;
                let middle = share(part) * 2.0 - 1.0 + 1.0 / PARTS as f32;
                let fade = 1.0 - (middle * middle + off * off).sqrt();
                if fade > 0.0 {
                    let [from, to] = [share(part), share(part + 1)].map(|share| start + along * (share * 2.0 * half));
                    let [r, g, b, a] = color;
                    d.styled_line(Layer::Grid, [from, to], [r, g, b, a * (fade * 2.0).min(1.0)], style);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_coloured_axes_and_fades() {
        let mut d = DebugDraw::wanting([Layer::Grid]);
        lines(&mut d, Vec3::ZERO, EMPTY_HALF);
        assert!(d.lines.len() < 2000);
        let on = |color: Color, axis: Vec3| {
            let all = d.lines.iter().filter(|line| line.color[..3] == color[..3]);
            all.clone().count() > 4
                && all.into_iter().all(|line| (line.ends[1] - line.ends[0]).cross(axis) == Vec3::ZERO)
        };
        assert!(on(X_AXIS, Vec3::X) && on(Z_AXIS, Vec3::Z));
        let opacity = |near: f32| {
            let found = d.lines.iter().filter(|l| l.color[..3] == LINE[..3] && l.ends[0].length() > near);
            found.map(|line| line.color[3]).fold(0.0, f32::max)
        };
        assert!(opacity(18.0) < 0.3 * opacity(0.0), "{} {}", opacity(18.0), opacity(0.0));
    }

    #[test]
    fn large_levels_have_no_more_lines() {
        for half in [5.0, 60.0, 61.0, 900.0, 19_000.0] {
            let mut d = DebugDraw::wanting([Layer::Grid]);
            lines(&mut d, Vec3::new(1234.5, -3.0, 77.0), half);
            assert!((10..4000).contains(&d.lines.len()), "{half} m: {}", d.lines.len());
        }
    }
}
