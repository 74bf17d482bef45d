//! Switches of the debug overlays, built from their one list.

use crate::ui::Shown;
use crate::ui::command::Command;
use crate::ui::widgets::section;
use egui::Ui;

/// name, label, group, help
pub const OVERLAYS: &[(&str, &str, &str, &str)] = &[
    ("paths", "Paths", "Navigation", "Ways ahead"),
    ("ground", "Ground", "Navigation", "Walkable triangles"),
    ("neighbors", "Neighbours", "Navigation", "x"),
    ("wireframe", "Wireframe", "Level", "x"),
    ("octree", "Octree", "Level", "x"),
    ("level-box", "Level box", "Level", "x"),
    ("instance-boxes", "Instance boxes", "Instances", "x"),
    ("instance-octree", "Instance octree", "Instances", "x"),
    ("collisions", "Colliding triangles", "Instances", "x"),
    ("skeleton", "Skeleton", "Instances", "x"),
];

/// Draws the section.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    section(ui, "Overlays", true, |ui| {
        let mut groups: Vec<&str> = Vec::new();
        for row in OVERLAYS {
            if !groups.contains(&row.2) {
                groups.push(row.2);
            }
        }
        ui.columns(2, |columns| {
            for (i, group) in groups.into_iter().enumerate() {
                let ui = &mut columns[i % 2];
                ui.weak(group);
                for (name, label, _, help) in OVERLAYS.iter().filter(|row| row.2 == group) {
                    let mut on = shown.overlays.contains(name);
                    if ui.checkbox(&mut on, *label).on_hover_text(*help).changed() {
                        out.push(Command::Overlay(name, on));
                    }
                }
                ui.add_space(4.0);
            }
        });
    });
}
