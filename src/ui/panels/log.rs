//! Everything that was said during this run.

use crate::ui::UiContext;
use crate::ui::command::Command;
use crate::ui::theme::ink;
use egui::{RichText, ScrollArea, Ui};

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.weak(format!("{} notices", cx.notices.all().len()));
        if ui.button("Clear").on_hover_text("Forget all notices").clicked() {
            out.push(Command::ClearLog);
        }
    });
    ui.separator();
    ScrollArea::vertical().auto_shrink(false).stick_to_bottom(true).show(ui, |ui| {
        for notice in cx.notices.all() {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new(notice.level.label()).color(ink(ui, notice.level.color())).strong());
                let times = if notice.count > 1 { format!(" (×{})", notice.count) } else { String::new() };
                ui.label(format!("{}{times}", notice.text));
            });
            for line in &notice.details {
                ui.indent(line, |ui| ui.weak(line));
            }
        }
    });
}
