//! Where the time of a frame goes: plots and a table.

use crate::profile::Profiler;
use crate::ui::Shown;
use egui::{Grid, ScrollArea, Ui, vec2};
use egui_plot::{Line, Plot, PlotPoints};

/// Draws the panel.
pub fn show(ui: &mut Ui, shown: &Shown<'_>) {
    if ui.button("Copy as text").on_hover_text("The table below, for the clipboard").clicked() {
        ui.ctx().copy_text(as_text(shown.profiler));
    }
    let width = ui.available_width();
    if width < 700.0 {
        plot(ui, shown);
        ui.add_space(6.0);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| table(ui, shown));
        return;
    }
    // There is room for both side by side.
    ui.columns(2, |columns| {
        plot(&mut columns[0], shown);
        ScrollArea::vertical().auto_shrink(false).show(&mut columns[1], |ui| table(ui, shown));
    });
}

/// The table as text: a line for each part, columns set apart by tabs.
fn as_text(profiler: &Profiler) -> String {
    let mut text = String::from("Part\tLast ms\tMean ms\tMost ms\n");
    for (name, track) in profiler.tracks() {
        let most = track.samples_ms().fold(0.0, f32::max);
        text += &format!("{name}\t{:.3}\t{:.3}\t{most:.3}\n", track.last_ms(), track.mean_ms());
    }
    text
}

fn plot(ui: &mut Ui, shown: &Shown<'_>) {
    let plot = Plot::new("timers")
        .height(150.0)
        .include_y(0.0)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .show_x(false)
        .y_axis_label("ms");
    plot.show(ui, |plot| {
        for (i, (name, track)) in shown.profiler.tracks().enumerate() {
            let samples: Vec<f32> = track.samples_ms().collect();
            plot.line(Line::new(name, PlotPoints::from_ys_f32(&samples)).color(line_color(i)));
        }
    });
}

/// Colours that stay apart: steps of the golden angle round the circle of hues.
fn line_color(index: usize) -> egui::Color32 {
    let hue = (index as f32 * 0.618_034).fract();
    egui::ecolor::Hsva::new(hue, 0.62, 0.92, 1.0).into()
}

fn table(ui: &mut Ui, shown: &Shown<'_>) {
    Grid::new("timer-table").num_columns(4).striped(true).min_col_width(80.0).show(ui, |ui| {
        for title in ["Part", "Last", "Mean", "Most"] {
            ui.strong(title);
        }
        ui.end_row();
        for (i, (name, track)) in shown.profiler.tracks().enumerate() {
            ui.horizontal(|ui| {
                let (rect, _) = ui.allocate_exact_size(vec2(10.0, 10.0), egui::Sense::hover());
                ui.painter().rect_filled(rect, 2.0, line_color(i));
                ui.label(name);
            });
            ui.monospace(format!("{:6.2} ms", track.last_ms()));
            ui.monospace(format!("{:6.2} ms", track.mean_ms()));
            ui.monospace(format!("{:6.2} ms", track.samples_ms().fold(0.0, f32::max)));
            ui.end_row();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_copied_line_by_line() {
        let mut profiler = Profiler::default();
        profiler.add_ms("overlays", 1.5);
        profiler.end_frame();
        let text = as_text(&profiler);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[1].starts_with("overlays\t1.500\t"), "{text}");
    }
}
