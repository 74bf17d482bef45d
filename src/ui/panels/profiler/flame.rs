//! The flame graph: every scope of a frame as a bar, those inside it below it, and a row for the graphics device.

use crate::profile::ProfileSpan;
use egui::{Align2, Color32, FontId, Rect, Sense, Ui, WidgetInfo, WidgetType, pos2, vec2};

/// Names of scopes on the device begin so.
pub(super) const DEVICE: &str = "GPU ";
/// Height of a bar, points.
const BAR: f32 = 18.0;
/// Narrowest bar that bears its name, points.
const NAMED: f32 = 34.0;
/// Distance between two labels of the scale, points.
const LABELLED: f32 = 64.0;
/// Width of the column that names the rows, points.
const GUTTER: f32 = 38.0;

/// The stretch of time that fills the width, milliseconds.
#[derive(Clone, Copy)]
struct Window {
    start_ms: f32,
    whole_ms: f32,
}

/// The bars of a frame: its spans, and a row below them with the passes on the graphics device, one after the other.
pub(super) fn bars(spans: &[ProfileSpan], device: &[(&'static str, f32)]) -> Vec<ProfileSpan> {
    let (depth, mut start_ms) = (rows(spans), 0.0);
    let passes = device.iter().map(|&(name, ms)| {
        let pass = ProfileSpan { name, depth, start_ms, ms };
        start_ms += ms;
        pass
    });
    spans.iter().copied().chain(passes).collect()
}

/// Rows of bars: one for each depth.
fn rows(bars: &[ProfileSpan]) -> u32 {
    bars.iter().map(|bar| bar.depth + 1).max().unwrap_or(1)
}

/// Height of the graph, points.
pub(super) fn height(bars: &[ProfileSpan]) -> f32 {
    (rows(bars) + 1) as f32 * BAR
}

/// Draws the graph. A click on a bar lets the scope of this name fill the width, one beside the bars shows the whole frame
/// again.
pub(super) fn show(ui: &mut Ui, bars: &[ProfileSpan], focus: &mut Option<&'static str>) {
    let whole_ms = bars.iter().map(|bar| bar.start_ms + bar.ms).fold(0.01, f32::max);
    let size = vec2(ui.available_width(), height(bars));
    let (area, back) = ui.allocate_exact_size(size, Sense::click());
    if back.clicked() {
        *focus = None;
    }
    let focused = bars.iter().find(|bar| Some(bar.name) == *focus && bar.ms > 0.0);
    let window =
        focused.map_or(Window { start_ms: 0.0, whole_ms }, |bar| Window { start_ms: bar.start_ms, whole_ms: bar.ms });
    ui.painter().rect_filled(area, 4.0, ui.visuals().extreme_bg_color);
    let graph = Rect::from_min_max(area.min + vec2(GUTTER, 0.0), area.max - vec2(4.0, 0.0));
    scale(ui, graph, window.whole_ms);
    let label = |row: u32, text: &str| {
        let at = pos2(area.left() + 6.0, graph.top() + (row as f32 + 1.5) * BAR);
        ui.painter().text(at, Align2::LEFT_CENTER, text, FontId::proportional(11.0), ui.visuals().weak_text_color());
    };
    label(0, "CPU");
    if let Some(last) = bars.last().filter(|bar| bar.name.starts_with(DEVICE)) {
        label(last.depth, "GPU");
    }
    for (index, span) in bars.iter().enumerate() {
        bar(ui, graph, window, (index, span), focus);
    }
}

/// Lines at round times.
fn scale(ui: &Ui, graph: Rect, whole_ms: f32) {
    // No label runs into the next.
    let step = round_step(whole_ms * (LABELLED / graph.width().max(LABELLED)).max(1.0 / 8.0));
    let painter = ui.painter_at(graph);
    let color = ui.visuals().weak_text_color();
    let mut ms = 0.0;
    while ms < whole_ms {
        let x = graph.left() + graph.width() * ms / whole_ms;
        painter.vline(x, graph.y_range(), egui::Stroke::new(1.0, color.gamma_multiply(0.25)));
        let at = pos2(x + 3.0, graph.top() + BAR * 0.5);
        let text =
            painter.layout_no_wrap(format!("{} ms", (ms * 1000.0).round() / 1000.0), FontId::proportional(11.0), color);
        if at.x + text.size().x <= graph.right() {
            painter.galley(at - vec2(0.0, text.size().y * 0.5), text, color);
        }
        ms = ((ms + step) / step).round() * step;
    }
}

/// The round number (1, 2 or 5 times a power of ten) that is not below `least`.
fn round_step(least: f32) -> f32 {
    let power = 10.0_f32.powf(least.max(1e-3).log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least).unwrap_or(10.0);
    step * power
}

fn bar(
    ui: &mut Ui,
    graph: Rect,
    window: Window,
    (index, span): (usize, &ProfileSpan),
    focus: &mut Option<&'static str>,
) {
    let Window { start_ms, whole_ms } = window;
    if span.start_ms + span.ms < start_ms || span.start_ms > start_ms + whole_ms {
        return;
    }
    let x = |ms: f32| graph.left() + graph.width() * ((ms - start_ms) / whole_ms).clamp(0.0, 1.0);
    let top = graph.top() + (span.depth + 1) as f32 * BAR;
    let (left, right) = (x(span.start_ms), x(span.start_ms + span.ms));
    // A short one stays visible.
    let rect = Rect::from_min_max(pos2(left, top), pos2(right.max(left + 1.0), top + BAR - 1.0));
    let name = span.name.trim_start_matches("sim.").trim_start_matches(DEVICE);
    let response = ui.interact(rect, ui.id().with(("span", index)), Sense::click());
    if response.clicked() {
        *focus = if *focus == Some(span.name) { None } else { Some(span.name) };
    }
    let fill = color_of(name);
    let fill = if response.hovered() { fill.lerp_to_gamma(Color32::WHITE, 0.25) } else { fill };
    ui.painter().rect_filled(rect, 2.0, fill);
    if rect.width() > NAMED {
        let painter = ui.painter_at(rect);
        let dark = Color32::from_gray(20);
        let text = |text: String| painter.layout_no_wrap(text, FontId::proportional(11.5), dark);
        // Either all of the time or none of it.
        let timed = text(format!("{name} {:.2} ms", span.ms));
        let text = if timed.size().x + 6.0 <= rect.width() { timed } else { text(name.to_owned()) };
        painter.galley(rect.left_center() + vec2(4.0, -0.5 * text.size().y), text, dark);
    }
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, format!("{name} span")));
    let share = span.ms / whole_ms * 100.0;
    response.on_hover_text(format!("{name}: {:.3} ms, {share:.0} % of the width. Click: fill the width.", span.ms));
}

/// A colour that a name always has.
fn color_of(name: &str) -> Color32 {
    let sum = name.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    let hue = ((sum % 997) as f32 * 0.618_034).fract();
    egui::ecolor::Hsva::new(hue, 0.45, 0.9, 1.0).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_of_the_device_follow_each_other_below_the_spans() {
        let span = |name, depth| ProfileSpan { name, depth, start_ms: 1.0, ms: 2.0 };
        let bars = bars(&[span("update", 0), span("panels", 1)], &[("GPU scene", 3.0), ("GPU sky", 0.5)]);
        assert_eq!(bars[3], ProfileSpan { name: "GPU sky", depth: 2, start_ms: 3.0, ms: 0.5 });
        assert_eq!((bars.len(), height(&bars)), (4, 4.0 * BAR));
    }

    #[test]
    fn steps_of_the_scale_are_round() {
        for (least, step) in [(0.9, 1.0), (1.1, 2.0), (2.5, 5.0), (6.0, 10.0), (0.03, 0.05), (0.0, 0.001)] {
            assert!((round_step(least) - step).abs() < step * 1e-3, "{least} became {}", round_step(least));
        }
    }
}
