//! The navigation workbench: the mesh and how it is made, tools, what they found, and what was placed.

mod agent;
mod bake;
mod mesh;
mod parts;
mod placed_items;
mod results;
mod search;
mod tiles;
mod tools;
mod walkers;

use super::overlays;
use crate::inspect::overlays::{BAKE, MESH};
use crate::ui::command::Command;
use crate::ui::widgets::section;
use crate::ui::{UiContext, UiState};
use egui::Ui;

/// Draws the workbench.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    // The scroll bar lies over the right edge.
    egui::Frame::new().inner_margin(egui::Margin { right: 6, ..egui::Margin::ZERO }).show(ui, |ui| {
        ui.add_space(2.0);
        section(ui, "Mesh", true, |ui| mesh::show(ui, cx, out));
        section(ui, "Tools", true, |ui| tools::show(ui, cx, state, out));
        section(ui, "Test path", true, |ui| results::show(ui, cx, out));
        section(ui, "Bake settings", false, |ui| bake::show(ui, cx, out));
        section(ui, "Agent settings", false, |ui| walkers::show(ui, cx, out));
        section(ui, "Search step by step", false, |ui| search::show(ui, cx, state, out));
        section(ui, "Placed", true, |ui| placed_items::show(ui, cx, state, out));
        section(ui, "Shown in the viewport", false, |ui| overlays::groups(ui, cx, &[MESH, BAKE], out));
    });
}
