//! Sun, sky and fog.

use crate::ui::command::Command;
use crate::ui::widgets::{form, number, section, switch};
use crate::ui::{Shown, edits};
use egui::{DragValue, Ui};

/// Draws the section.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    section(ui, "Environment", false, |ui| {
        let mut to = (*shown.scene.settings).clone();
        form(ui, "environment", |ui| {
            let turn = DragValue::new(&mut to.environment.light_east_west_deg).range(-360.0..=360.0).suffix("°");
            if number(ui, "Sun turn", "Degrees about the up axis; 0 is east, 90 north.", turn).changed() {
                out.push(edits::set_settings("turn the sun", "sun-turn", to.clone()));
            }
            let height = DragValue::new(&mut to.environment.light_north_south_deg).range(-90.0..=90.0).suffix("°");
            if number(ui, "Sun height", "Degrees above the horizon.", height).changed() {
                out.push(edits::set_settings("raise the sun", "sun-height", to.clone()));
            }
            let strength = DragValue::new(&mut to.environment.light_intensity).range(0.0..=2.0).speed(0.01);
            if number(ui, "Sun strength", "1 is full daylight.", strength).changed() {
                out.push(edits::set_settings("change the sun's strength", "sun-strength", to.clone()));
            }
            ui.label("Sun colour");
            if ui.color_edit_button_rgb(&mut to.environment.light_color).changed() {
                out.push(edits::set_settings("change the sun's colour", "sun-color", to.clone()));
            }
            ui.end_row();
            let fog = DragValue::new(&mut to.environment.fog_density).range(0.0..=1.0).speed(0.0002).max_decimals(4);
            if number(ui, "Fog", "Density per metre; 0 is none.", fog).changed() {
                out.push(edits::set_settings("change the fog", "fog", to.clone()));
            }
            if switch(ui, "Sky", "Draw a sky, else a plain backdrop.", &mut to.environment.sky_enabled).changed() {
                let what = if to.environment.sky_enabled { "show the sky" } else { "hide the sky" };
                out.push(edits::set_settings(what, "sky", to.clone()));
            }
        });
    });
}
