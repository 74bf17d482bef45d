//! The legend of the mesh overlay, in a corner of the viewport.

use super::UiContext;
use super::theme::swatch_color;
use crate::debug::Layer;
use egui::{FontId, Rect, Ui, Vec2, vec2};

/// Edge of a square of colour, points.
const SWATCH: f32 = 12.0;
/// Height of a row, points.
const ROW: f32 = 18.0;
/// Distance from the edges of the viewport and of the box, points.
const GAP: f32 = 10.0;
/// Height of the line below that says what the mouse does, points.
const HINT: f32 = 24.0;

/// Draws the legend while the mesh is shown.
pub fn show(ui: &Ui, cx: &UiContext<'_>, viewport: Rect) {
    let legend = cx.inspector.legend();
    if !cx.overlays.contains(&Layer::NavMesh) || legend.rows().is_empty() {
        return;
    }
    let painter = ui.painter_at(viewport);
    let (ink, weak) = (ui.visuals().text_color(), ui.visuals().weak_text_color());
    let font = FontId::proportional(12.5);
    let line = |text: String, color| painter.layout_no_wrap(text, font.clone(), color);
    let title = line(format!("Mesh by {}", legend.coloring().label().to_lowercase()), weak);
    let rows: Vec<_> = legend.rows().iter().map(|row| (row.color, line(row.text.clone(), ink))).collect();
    let more = (legend.left_off() > 0).then(|| line(format!("and {} more", legend.left_off()), weak));
    let widest = rows.iter().map(|row| row.1.size().x + SWATCH + 6.0);
    let widest = widest.chain(more.iter().map(|more| more.size().x)).fold(title.size().x, f32::max);
    let lines = 1 + rows.len() + usize::from(more.is_some());
    let size = vec2(widest + 2.0 * GAP, lines as f32 * ROW + GAP);
    if size.x + 2.0 * GAP > viewport.width() || size.y + 2.0 * GAP > viewport.height() {
        return;
    }
    let back = Rect::from_min_size(viewport.left_bottom() + vec2(GAP, -GAP - HINT - size.y), size);
    painter.rect_filled(back, 6.0, ui.visuals().window_fill.gamma_multiply(0.92));
    let mut at = back.min + vec2(GAP, 0.5 * GAP);
    painter.galley(at, title, weak);
    for (color, text) in rows {
        at.y += ROW;
        let square = Rect::from_min_size(at + vec2(0.0, 2.0), Vec2::splat(SWATCH));
        painter.rect_filled(square, 3.0, swatch_color(color));
        painter.galley(at + vec2(SWATCH + 6.0, 0.0), text, ink);
    }
    if let Some(more) = more {
        painter.galley(at + vec2(0.0, ROW), more, weak);
    }
}
