//! Everything that was said during this run, filtered by level and by text.

use crate::ui::UiContext;
use crate::ui::command::Command;
use crate::ui::notices::{Level, Notice};
use crate::ui::theme::ink;
use crate::vocab::counted;
use egui::{RichText, ScrollArea, TextEdit, Ui};

/// Which notices the log shows.
#[derive(Clone, Debug, Default)]
pub struct LogFilter {
    /// Levels that are left out.
    hidden: Vec<Level>,
    /// Text that a notice or one of its details contains.
    search: String,
}

impl LogFilter {
    fn shows(&self, notice: &Notice) -> bool {
        let wanted = self.search.trim().to_lowercase();
        let mut texts = std::iter::once(&notice.text).chain(&notice.details);
        !self.hidden.contains(&notice.level) && texts.any(|text| text.to_lowercase().contains(&wanted))
    }
}

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, filter: &mut LogFilter, out: &mut Vec<Command>) {
    let all = cx.notices.all();
    ui.horizontal_wrapped(|ui| {
        for (level, label) in [(Level::Info, "Infos"), (Level::Warning, "Warnings"), (Level::Error, "Errors")] {
            let count = all.iter().filter(|notice| notice.level == level).count();
            let mut is_on = !filter.hidden.contains(&level);
            if ui.checkbox(&mut is_on, format!("{label} {count}")).changed() {
                filter.hidden.retain(|other| *other != level);
                filter.hidden.extend((!is_on).then_some(level));
            }
        }
        let search = TextEdit::singleline(&mut filter.search).hint_text("Search").desired_width(140.0);
        let search = ui.add(search);
        search.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "Search the log"));
        if ui.button("Clear").on_hover_text("Forget all notices").clicked() {
            out.push(Command::ClearLog);
        }
        ui.weak(counted(all.len(), "notice"));
    });
    ui.separator();
    ScrollArea::vertical().auto_shrink(false).stick_to_bottom(true).show(ui, |ui| {
        for notice in all.iter().filter(|notice| filter.shows(notice)) {
            row(ui, notice);
        }
    });
}

fn row(ui: &mut Ui, notice: &Notice) {
    ui.horizontal_wrapped(|ui| {
        let secs = notice.at.as_secs();
        let time = RichText::new(format!("{}:{:02}", secs / 60, secs % 60)).monospace().weak();
        ui.label(time).on_hover_text("Minutes and seconds since the start of the program");
        ui.label(RichText::new(notice.level.label()).color(ink(ui, notice.level.color())).strong());
        let times = if notice.count > 1 { format!(" (×{})", notice.count) } else { String::new() };
        ui.label(format!("{}{times}", notice.text));
    });
    for line in &notice.details {
        ui.indent(line, |ui| ui.weak(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::notices::Notices;

    #[test]
    fn levels_and_text_narrow_the_log() {
        let mut notices = Notices::default();
        notices.info("Saved");
        notices.push(Level::Warning, "Not baked", vec!["cell size".to_owned()]);
        let shown = |filter: &LogFilter| notices.all().iter().filter(|notice| filter.shows(notice)).count();
        let search = |text: &str| LogFilter { search: text.to_owned(), ..LogFilter::default() };
        assert_eq!(["", "saved", " CELL ", "door"].map(|text| shown(&search(text))), [2, 1, 1, 0]);
        assert_eq!(shown(&LogFilter { hidden: vec![Level::Info], ..LogFilter::default() }), 1);
    }
}
