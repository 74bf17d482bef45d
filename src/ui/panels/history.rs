//! The steps of this session, each by its name: a click goes back or forward to it.

use crate::ui::UiContext;
use crate::ui::command::Command;
use crate::ui::theme::ROW_HEIGHT;
use egui::{RichText, ScrollArea, Ui};
use std::ops::Range;

/// What the list remembers between frames.
#[derive(Clone, Debug, Default)]
pub struct HistoryView {
    /// The step that the scene was at.
    at: Option<usize>,
    /// The rows in view.
    rows: Range<usize>,
}

impl HistoryView {
    /// The first row to show where the scene has gone to a step out of view.
    fn first_row(&mut self, done: usize) -> Option<usize> {
        let has_moved = self.at.replace(done) != Some(done);
        // The last row may be cut off.
        let is_seen = self.rows.contains(&done) && self.rows.contains(&(done + 1));
        (has_moved && !is_seen).then(|| done.saturating_sub(self.rows.len().saturating_sub(1) / 2))
    }
}

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, view: &mut HistoryView, out: &mut Vec<Command>) {
    let (done, all) = cx.history.count();
    let height = ROW_HEIGHT + ui.spacing().item_spacing.y;
    if view.at.is_none() {
        view.rows = 0..(ui.available_height() / height) as usize;
    }
    let mut area = ScrollArea::vertical().auto_shrink(false);
    if let Some(first) = view.first_row(done) {
        let end = ((all + 1) as f32 * height - ui.available_height()).max(0.0);
        area = area.vertical_scroll_offset((first as f32 * height).min(end));
    }
    let steps: Vec<(&str, bool)> = cx.history.list().collect();
    area.show_rows(ui, ROW_HEIGHT, all + 1, |ui, range| {
        view.rows = range.clone();
        for row in range {
            let (name, is_done) = match row.checked_sub(1) {
                None => ("The beginning", true),
                Some(step) => steps[step],
            };
            let text = if is_done { RichText::new(name) } else { RichText::new(name).weak() };
            let help = if row <= done { "Take back everything after this" } else { "Do everything again up to this" };
            let step = ui.add(egui::Button::selectable(row == done, text).truncate());
            if step.on_hover_text(format!("{name}\n{help}")).clicked() {
                out.push(Command::GoToStep(row));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_goes_to_the_present_step_where_that_is_out_of_view() {
        let mut view = HistoryView { at: None, rows: 0..10 };
        assert_eq!(view.first_row(40), Some(36));
        view.rows = 36..46;
        assert_eq!(view.first_row(40), None, "nothing has changed");
        assert_eq!(view.first_row(38), None, "it is in view");
        view.rows = 0..10;
        assert_eq!(view.first_row(38), None, "a list that was scrolled away stays there");
        assert_eq!(view.first_row(9), Some(5), "the last row may be cut off");
    }
}
