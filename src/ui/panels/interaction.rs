//! How characters interact, and what becomes of those who fall out of the level.

use crate::scene::settings::LostRule;
use crate::ui::command::Command;
use crate::ui::widgets::{form, number, section, switch};
use crate::ui::{Shown, edits};
use egui::{ComboBox, DragValue, Ui};

/// Draws the section.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    section(ui, "Interaction", false, |ui| {
        let mut to = (*shown.scene.settings).clone();
        form(ui, "interaction", |ui| {
            if switch(ui, "Characters interact", "Whether they answer each other.", &mut to.interaction_enabled)
                .changed()
            {
                let what = if to.interaction_enabled { "switch interaction on" } else { "switch interaction off" };
                out.push(edits::set_settings(what, "interaction", to.clone()));
            }
            let help = "Those nearer than this do not answer, in metres.";
            if number(ui, "Nearest", help, range(&mut to.interaction_min_range)).changed() {
                out.push(edits::set_settings("change the least range", "least range", to.clone()));
            }
            let help = "Edge of the box in which partners are sought, in metres: they are in reach up to half of it.";
            if number(ui, "Reach", help, range(&mut to.interaction_max_range)).changed() {
                out.push(edits::set_settings("change the range", "range", to.clone()));
            }
            let angle = DragValue::new(&mut to.interaction_fov_deg).range(0.0..=180.0).speed(0.2).suffix("°");
            if number(ui, "View", "Angle within which both must face each other, in degrees.", angle).changed() {
                out.push(edits::set_settings("change the field of view", "view", to.clone()));
            }
            ui.label("The lost").on_hover_text("What becomes of those who fall out of the level.");
            let before = to.lost;
            let label = |rule| match rule {
                LostRule::PutBack => "Put back",
                LostRule::Delete => "Delete",
            };
            ComboBox::from_id_salt("lost").selected_text(label(before)).width(150.0).show_ui(ui, |ui| {
                for rule in [LostRule::PutBack, LostRule::Delete] {
                    ui.selectable_value(&mut to.lost, rule, label(rule));
                }
            });
            ui.end_row();
            if to.lost != before {
                out.push(edits::set_settings("change what becomes of the lost", "lost", to.clone()));
            }
        });
    });
}

fn range(value: &mut f32) -> DragValue<'_> {
    DragValue::new(value).range(0.0..=20.0).speed(0.05).suffix(" m")
}
