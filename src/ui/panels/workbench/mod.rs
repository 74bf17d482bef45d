//! The navigation workbench: the mesh and how it is made, tools, what they found, and what was placed.

mod bake;
mod mesh;
mod placed_items;
mod results;
mod search;
mod tools;
mod walkers;

use super::overlays;
use crate::inspect::overlays::{BAKE, MESH};
use crate::nav::planner::Planner;
use crate::ui::command::Command;
use crate::ui::widgets::section;
use crate::ui::{UiContext, UiState};
use egui::{ComboBox, Ui};

/// Draws the workbench.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    // The scroll bar lies over the right edge.
    egui::Frame::new().inner_margin(egui::Margin { right: 6, ..egui::Margin::ZERO }).show(ui, |ui| {
        ui.add_space(2.0);
        section(ui, "Mesh", true, |ui| mesh::show(ui, cx, out));
        section(ui, "Bake settings", false, |ui| bake::show(ui, cx, out));
        section(ui, "Tools", true, |ui| tools::show(ui, cx, state, out));
        section(ui, "How characters walk", false, |ui| walkers::show(ui, cx, out));
        section(ui, "Tried path", true, |ui| results::show(ui, cx, out));
        section(ui, "Search step by step", false, |ui| search::show(ui, cx, state, out));
        section(ui, "Placed", true, |ui| placed_items::show(ui, cx, state, out));
        section(ui, "Shown in the viewport", false, |ui| overlays::groups(ui, cx, &[MESH, BAKE], out));
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
