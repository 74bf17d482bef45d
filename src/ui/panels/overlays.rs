//! Switches of the debug overlays, built from their one list.

use crate::sim::overlays::OVERLAYS;
use crate::ui::Shown;
use crate::ui::command::Command;
use crate::ui::widgets::section;
use egui::Ui;

/// Draws the section.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    section(ui, "Overlays", true, |ui| {
        let mut groups: Vec<&str> = Vec::new();
        for overlay in OVERLAYS {
            if !groups.contains(&overlay.group) {
                groups.push(overlay.group);
            }
        }
        ui.columns(2, |columns| {
            for (i, group) in groups.into_iter().enumerate() {
                let ui = &mut columns[i % 2];
                ui.weak(group);
                for overlay in OVERLAYS.iter().filter(|overlay| overlay.group == group) {
                    let mut on = shown.overlays.contains(overlay.name);
                    if ui.checkbox(&mut on, overlay.label).on_hover_text(overlay.help).changed() {
                        out.push(Command::Overlay(overlay.name, on));
                    }
                }
                ui.add_space(4.0);
            }
        });
    });
}
