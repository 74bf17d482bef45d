//! The steps of this session, each by its name: a click goes back or forward to it.

use crate::ui::UiContext;
use crate::ui::command::Command;
use crate::ui::theme::ROW_HEIGHT;
use egui::{RichText, ScrollArea, Ui};

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let (done, all) = cx.history.count();
    let steps: Vec<(&str, bool)> = cx.history.list().collect();
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, ROW_HEIGHT, all + 1, |ui, range| {
        for row in range {
            let (name, is_done) = match row.checked_sub(1) {
                None => ("The beginning", true),
                Some(step) => steps[step],
            };
            let text = if is_done { RichText::new(name) } else { RichText::new(name).weak() };
            let help = if row <= done { "Take back everything after this" } else { "Do everything again up to this" };
            if ui.add(egui::Button::selectable(row == done, text)).on_hover_text(help).clicked() {
                out.push(Command::GoToStep(row));
            }
        }
    });
}
