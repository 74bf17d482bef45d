//! Navigation and physics switches of the whole scene.

use crate::scene::Adjacency;
use crate::ui::command::Command;
use crate::ui::widgets::{form, number, section, switch};
use crate::ui::{Shown, edits};
use crate::vocab::CollisionMode;
use egui::{ComboBox, DragValue, Ui};

/// Draws the section.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    section(ui, "Navigation", true, |ui| {
        let mut to = (*shown.scene.settings).clone();
        form(ui, "navigation", |ui| {
            let help = "Whether characters walk to their targets.";
            if switch(ui, "Characters walk", help, &mut to.nav.enabled).changed() {
                let what = if to.nav.enabled { "switch navigation on" } else { "switch navigation off" };
                out.push(edits::set_settings(what, "nav", to.clone()));
            }
            if switch(ui, "Gravity", "Whether characters fall.", &mut to.gravity_enabled).changed() {
                let what = if to.gravity_enabled { "switch gravity on" } else { "switch gravity off" };
                out.push(edits::set_settings(what, "gravity", to.clone()));
            }
            ui.label("Neighbours").on_hover_text("Which ground triangles a path may go between.");
            let label = |rule| match rule {
                Adjacency::Shared => "Shared edges",
                Adjacency::Original => "Original rule",
            };
            let before = to.nav.adjacency;
            ComboBox::from_id_salt("adjacency").selected_text(label(before)).width(150.0).show_ui(ui, |ui| {
                for rule in [Adjacency::Shared, Adjacency::Original] {
                    ui.selectable_value(&mut to.nav.adjacency, rule, label(rule));
                }
            });
            ui.end_row();
            if to.nav.adjacency != before {
                out.push(edits::set_settings("change the neighbour rule", "adjacency", to.clone()));
            }
            let slope = DragValue::new(&mut to.nav.ground_slope_deg).range(0.0..=90.0).speed(0.2).suffix("°");
            if number(ui, "Slope", "Steepest ground that can be walked on, in degrees.", slope).changed() {
                out.push(edits::set_settings("change the walkable slope", "slope", to.clone()));
            }
            let step = DragValue::new(&mut to.nav.max_step_height).range(0.0..=10.0).speed(0.01).suffix(" m");
            if number(ui, "Step", "Highest step that can be walked up, in metres.", step).changed() {
                out.push(edits::set_settings("change the step height", "step", to.clone()));
            }
            collisions(ui, &mut to, out);
        });
    });
}

fn collisions(ui: &mut Ui, to: &mut crate::scene::Settings, out: &mut Vec<Command>) {
    ui.label("Collisions").on_hover_text("How characters that touch each other are found.");
    let before = to.collision_mode;
    ComboBox::from_id_salt("collisions").selected_text(before.label()).width(150.0).show_ui(ui, |ui| {
        for &mode in CollisionMode::ALL {
            ui.selectable_value(&mut to.collision_mode, mode, mode.label());
        }
    });
    ui.end_row();
    if to.collision_mode != before {
        out.push(edits::set_settings("change the collision test", "collisions", to.clone()));
    }
}
