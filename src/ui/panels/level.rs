//! The selected level's place, and how its triangles are kept.

use crate::scene::edit::Edit;
use crate::ui::command::Command;
use crate::ui::widgets::{form, number, section, switch, text, vector};
use crate::ui::{Shown, edits};
use egui::{DragValue, Ui};

/// Draws the section.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    section(ui, "Level", false, |ui| {
        let chosen = shown.selection.level.filter(|id| shown.scene.levels.contains(*id));
        let Some((id, level)) =
            chosen.or_else(|| shown.scene.levels.at(0)).and_then(|id| Some((id, shown.scene.levels.get(id)?)))
        else {
            ui.weak("The scene has no level.");
            return;
        };
        let name = &level.name;
        let mut to = level.as_ref().clone();
        form(ui, "level", |ui| {
            text(ui, "Name", name.as_str());
            text(ui, "File", level.file.as_str());
            if vector(ui, "Position", "Where the level stands.", &mut to.position, 0.1, "metres").changed() {
                out.push(edits::set_level(format!("move {name}"), id, "position", to.clone()));
            }
            if vector(ui, "Rotation", "Turn about each axis.", &mut to.rotation_deg, 0.5, "degrees").changed() {
                out.push(edits::set_level(format!("turn {name}"), id, "rotation", to.clone()));
            }
            let scale = DragValue::new(&mut to.scale).speed(0.01).range(0.0001..=1000.0).suffix("×");
            if number(ui, "Scale", "Size as a factor of the file's own.", scale).changed() {
                out.push(edits::set_level(format!("scale {name}"), id, "scale", to.clone()));
            }
            if switch(ui, "Z is up in the file", "Turns the level upright.", &mut to.swap_axes).changed() {
                out.push(edits::set_level(format!("swap axes of {name}"), id, "axes", to.clone()));
            }
        });
        let help = "Take the level out of the scene. Undo brings it back.";
        if ui.button("✖ Remove level").on_hover_text(help).clicked() {
            out.push(edits::command(format!("remove level {name}"), Edit::RemoveLevel(id)));
        }
        ui.add_space(4.0);
        octree(ui, shown, out);
    });
}

fn octree(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    let mut to = (*shown.scene.settings).clone();
    form(ui, "octree", |ui| {
        let threshold = DragValue::new(&mut to.octree_threshold).range(1..=100).speed(0.1);
        if number(ui, "Octree cell", "Triangles in a cell before it splits.", threshold).changed() {
            out.push(edits::set_settings("change the octree threshold", "octree-threshold", to.clone()));
        }
        let depth = DragValue::new(&mut to.octree_max_depth).range(1..=10).speed(0.05);
        if number(ui, "Octree depth", "How often a cell may split.", depth).changed() {
            out.push(edits::set_settings("change the octree depth", "octree-depth", to.clone()));
        }
    });
}
