//! The navigation workbench: the mesh and how it is made, tools, what they found, and what was placed.

mod bake;
mod mesh;
mod results;
mod search;
mod things;
mod tools;
mod walkers;

use super::overlays;
use crate::nav::planner::PLANNERS;
use crate::scene::nav::CENTERS;
use crate::sim::overlays::{BAKE, MESH};
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

/// Label and help of a planner.
fn planner_texts(name: &str) -> (&str, &str) {
    match PLANNERS.iter().find(|p| p.name == name) {
        Some(planner) => (planner.label, planner.help),
        None => ("Centres of triangles", "A* over the level's own triangles, as the original does; needs no mesh."),
    }
}

/// A choice of planner; says whether it changed.
fn planner_choice(ui: &mut Ui, id: &str, name: &mut String) -> bool {
    let before = name.clone();
    let all = std::iter::once(CENTERS).chain(PLANNERS.iter().map(|p| p.name));
    ComboBox::from_id_salt(id).selected_text(planner_texts(name).0).width(160.0).show_ui(ui, |ui| {
        for one in all {
            let (label, help) = planner_texts(one);
            ui.selectable_value(name, one.to_owned(), label).on_hover_text(help);
        }
    });
    *name != before
}
