//! The small map of a graph: all nodes and what is seen of them; a click brings a place to the middle.

use egui::{Color32, Pos2, Rect, Sense, Stroke, StrokeKind, Ui, WidgetInfo, WidgetType, emath::RectTransform, vec2};

/// Largest size of the map, points.
const SIZE: egui::Vec2 = vec2(150.0, 96.0);
/// Free space around the nodes, in their space.
const MARGIN: f32 = 60.0;
/// Panels smaller than this many maps have none.
const MIN_PANEL_MAPS: f32 = 2.5;

/// Draws the map into the lower right corner of `area`. `seen` is what `area` shows of the space of the nodes. Answers
/// the place that was clicked, in that space.
pub(super) fn show(ui: &mut Ui, area: Rect, seen: Rect, nodes: &[(Rect, Color32)]) -> Option<Pos2> {
    let whole = nodes.iter().map(|(rect, _)| *rect).reduce(Rect::union)?;
    let all = whole.expand(MARGIN);
    let fits = area.width() > SIZE.x * MIN_PANEL_MAPS && area.height() > SIZE.y * MIN_PANEL_MAPS * 0.6;
    if !fits || seen.contains_rect(whole) || !(all.is_finite() && seen.is_finite()) {
        // Everything is in sight.
        return None;
    }
    let scale = (SIZE.x / all.width()).min(SIZE.y / all.height());
    let size = all.size() * scale;
    let map = Rect::from_min_size(area.max - size - vec2(10.0, 10.0), size);
    let response = ui.interact(map, ui.id().with("graph map"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Other, true, "Map of the nodes"));
    let painter = ui.painter_at(map.expand(2.0));
    painter.rect_filled(map, 4.0, ui.visuals().extreme_bg_color.gamma_multiply(0.9));
    let onto_map = RectTransform::from_to(all, map);
    for (rect, tint) in nodes {
        painter.rect_filled(onto_map.transform_rect(*rect), 1.0, *tint);
    }
    let window = onto_map.transform_rect(seen).intersect(map);
    painter.rect_stroke(window, 0.0, Stroke::new(1.0, ui.visuals().strong_text_color()), StrokeKind::Inside);
    painter.rect_stroke(map, 4.0, ui.visuals().widgets.noninteractive.bg_stroke, StrokeKind::Outside);
    let at = response.interact_pointer_pos().filter(|_| response.is_pointer_button_down_on() || response.clicked())?;
    Some(onto_map.inverse().transform_pos(at))
}
