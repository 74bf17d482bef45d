//! The legend of the overlays that are on, in a corner of the viewport.

use super::UiContext;
use super::theme::swatch_color;
use crate::debug::{Color, Layer};
use crate::inspect::overlay_legend::entries;
use crate::inspect::overlays::OVERLAYS;
use egui::{FontId, Galley, Rect, Ui, Vec2, vec2};
use std::sync::Arc;

/// Edge of a square of colour, points.
const SWATCH: f32 = 12.0;
/// Height of a row, points.
const ROW: f32 = 18.0;
/// Distance from the edges of the viewport and of the box, points.
const GAP: f32 = 10.0;
/// Height of the line below that says what the mouse does, points.
const HINT: f32 = 24.0;
/// Most of the viewport's height that it takes.
const MAX_SHARE: f32 = 0.6;

/// A part of the legend: what it is of, and its colours.
struct LegendPart {
    title: String,
    rows: Vec<(Color, String)>,
    /// What was left off.
    more: Option<String>,
}

impl LegendPart {
    fn height(&self) -> f32 {
        (1 + self.rows.len() + usize::from(self.more.is_some())) as f32 * ROW
    }
}

/// Draws the legend while something is shown whose colours mean something; what has no room is left off.
pub fn show(ui: &Ui, cx: &UiContext<'_>, viewport: Rect) {
    let mut left = MAX_SHARE * viewport.height() - GAP;
    let mut parts = parts(cx);
    parts.retain(|part| {
        let fits = part.height() <= left;
        left -= if fits { part.height() } else { 0.0 };
        fits
    });
    if parts.is_empty() {
        return;
    }
    let painter = ui.painter_at(viewport);
    let (ink, weak) = (ui.visuals().text_color(), ui.visuals().weak_text_color());
    let font = FontId::proportional(12.5);
    let line = |text: String, color| painter.layout_no_wrap(text, font.clone(), color);
    let mut lines: Vec<(Option<Color>, Arc<Galley>)> = Vec::new();
    for part in parts {
        lines.push((None, line(part.title, weak)));
        lines.extend(part.rows.into_iter().map(|(color, text)| (Some(color), line(text, ink))));
        lines.extend(part.more.map(|more| (None, line(more, weak))));
    }
    let indent = |color: &Option<Color>| if color.is_some() { SWATCH + 6.0 } else { 0.0 };
    let widest = lines.iter().map(|(color, text)| indent(color) + text.size().x).fold(0.0, f32::max);
    let size = vec2(widest + 2.0 * GAP, lines.len() as f32 * ROW + GAP);
    if size.x + 2.0 * GAP > viewport.width() {
        return;
    }
    let back = Rect::from_min_size(viewport.left_bottom() + vec2(GAP, -GAP - HINT - size.y), size);
    painter.rect_filled(back, 6.0, ui.visuals().window_fill.gamma_multiply(0.92));
    let mut at = back.min + vec2(GAP, 0.5 * GAP);
    for (color, text) in lines {
        if let Some(color) = color {
            let square = Rect::from_min_size(at + vec2(0.0, 2.0), Vec2::splat(SWATCH));
            painter.rect_filled(square, 3.0, swatch_color(color));
        }
        painter.galley(at + vec2(indent(&color), 0.0), text, ink);
        at.y += ROW;
    }
}

/// All parts, the mesh first.
fn parts(cx: &UiContext<'_>) -> Vec<LegendPart> {
    let mut parts = Vec::new();
    let legend = cx.inspector.legend();
    if cx.overlays.contains(&Layer::NavMesh) && !legend.rows().is_empty() {
        let rows = legend.rows().iter().map(|row| (row.color, row.text.clone())).collect();
        let more = (legend.left_off() > 0).then(|| format!("and {} more", legend.left_off()));
        let title = format!("Mesh by {}", legend.coloring().label().to_lowercase());
        parts.push(LegendPart { title, rows, more });
    }
    for overlay in
        OVERLAYS.iter().filter(|overlay| cx.overlays.contains(&overlay.layer) && has_something(cx, overlay.layer))
    {
        let rows: Vec<_> = entries(overlay.layer).iter().map(|entry| (entry.color, entry.text.to_owned())).collect();
        if !rows.is_empty() {
            parts.push(LegendPart { title: overlay.label.to_owned(), rows, more: None });
        }
    }
    parts
}

/// Whether an overlay has something to show; those that are on in every scene, or with a tool, often have not.
fn has_something(cx: &UiContext<'_>, layer: Layer) -> bool {
    let query = cx.inspector.query();
    match layer {
        Layer::MeshDifferences => matches!(cx.inspector.mesh_compare().result(), Some(Ok(_))),
        Layer::NavCrowd => !cx.scene.nav.crowds.is_empty(),
        Layer::ProbePath => query.results().len() > 1,
        Layer::ProbeCorridor | Layer::ProbePortals => !query.results().is_empty(),
        Layer::Exposure => query.results().iter().any(|result| !result.seen.is_empty()),
        Layer::SearchNodes => query.search().is_some(),
        Layer::ProbeRay => query.ray().is_some(),
        Layer::BakeFilters | Layer::BakeErosion => cx.world.mesh().built().is_some_and(|built| built.baked.is_some()),
        _ => true,
    }
}
