//! Widgets that sections of the workbench share.

use crate::nav::planner::Planner;
use egui::{Color32, ComboBox, Sense, Ui, vec2};

/// A small square of a colour.
pub(super) fn swatch(ui: &mut Ui, color: Color32) {
    let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
    ui.painter().rect_filled(rect, 3.0, color);
}

/// A choice of planner; returns whether it changed.
pub(super) fn planner_choice(ui: &mut Ui, id: &str, planner: &mut Planner) -> bool {
    let before = *planner;
    ComboBox::from_id_salt(id).selected_text(planner.label()).width(160.0).show_ui(ui, |ui| {
        for one in Planner::ALL {
            ui.selectable_value(planner, one, one.label()).on_hover_text(one.help());
        }
    });
    *planner != before
}
