//! The navigation workbench: the mesh and how it is made, tools, what they found, and what was placed.

mod bake;
mod mesh;
mod results;
mod search;
mod things;
mod tools;
mod walkers;

use super::overlays;
use crate::inspect::overlays::{BAKE, MESH};
use crate::nav::planner::Planner;
use crate::ui::command::Command;
use crate::ui::widgets::section;
use crate::ui::{Shown, UiState};
use egui::{ComboBox, Ui};

/// Draws the workbench.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    // The scroll bar lies over the right edge.
    egui::Frame::new().inner_margin(egui::Margin { right: 6, ..egui::Margin::ZERO }).show(ui, |ui| {
        ui.add_space(2.0);
        section(ui, "Mesh", true, |ui| mesh::show(ui, shown, out));
        section(ui, "Bake settings", false, |ui| bake::show(ui, shown, out));
        section(ui, "Tools", true, |ui| tools::show(ui, shown, state, out));
        section(ui, "How characters walk", false, |ui| walkers::show(ui, shown, out));
        section(ui, "Tried path", true, |ui| results::show(ui, shown, out));
        section(ui, "Search step by step", false, |ui| search::show(ui, shown, state, out));
        section(ui, "Placed", true, |ui| things::show(ui, shown, state, out));
        section(ui, "Shown in the picture", false, |ui| overlays::groups(ui, shown, &[MESH, BAKE], out));
    });
}

/// A choice of planner; returns whether it changed.
fn planner_choice(ui: &mut Ui, id: &str, planner: &mut Planner) -> bool {
    let before = *planner;
    ComboBox::from_id_salt(id).selected_text(planner.label()).width(160.0).show_ui(ui, |ui| {
        for one in Planner::ALL {
            ui.selectable_value(planner, one, one.label()).on_hover_text(one.help());
        }
    });
    *planner != before
}
