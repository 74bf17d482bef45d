//! Where the time of a frame goes: plots and a table.

use crate::ui::{Shown, UiState};
use egui::{Align2, Grid, ScrollArea, Ui, Window, vec2};
use egui_plot::{Line, Plot, PlotPoints};

/// Draws the window while it is open.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, state: &mut UiState) {
    if !state.timers {
        return;
    }
    Window::new("Timers")
        .open(&mut state.timers)
        .default_size([440.0, 440.0])
        .anchor(Align2::LEFT_TOP, vec2(270.0, 44.0))
        .resizable(true)
        .show(ui.ctx(), |ui| {
            plot(ui, shown);
            ui.add_space(6.0);
            ScrollArea::vertical().max_height(300.0).show(ui, |ui| table(ui, shown));
        });
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
