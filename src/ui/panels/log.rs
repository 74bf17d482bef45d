//! Everything that was said during this run.

use crate::ui::command::Command;
use crate::ui::{Shown, UiState};
use egui::{Align2, RichText, ScrollArea, Ui, Window, vec2};

/// Draws the window while it is open.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    if !state.log {
        return;
    }
    Window::new("Log")
        .open(&mut state.log)
        .default_size([560.0, 260.0])
        .anchor(Align2::LEFT_BOTTOM, vec2(270.0, -44.0))
        .resizable(true)
        .show(ui.ctx(), |ui| {
            ui.horizontal(|ui| {
                ui.weak(format!("{} notices", shown.notices.all().len()));
                if ui.button("Clear").clicked() {
                    out.push(Command::ClearLog);
                }
            });
            ui.separator();
            ScrollArea::vertical().auto_shrink(false).stick_to_bottom(true).show(ui, |ui| {
                for notice in shown.notices.all() {
                    ui.horizontal_wrapped(|ui| {
                        ui.label(RichText::new(notice.level.label()).color(notice.level.color()).strong());
                        let times = if notice.count > 1 { format!(" (×{})", notice.count) } else { String::new() };
                        ui.label(format!("{}{times}", notice.text));
                    });
                    for line in &notice.details {
                        ui.indent(line, |ui| ui.weak(line));
                    }
                }
            });
        });
}
