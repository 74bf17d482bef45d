//! Switches of the debug overlays, built from their one list.

use crate::sim::overlays::{BAKE, MESH, OVERLAYS};
use crate::ui::Shown;
use crate::ui::command::Command;
use egui::{CollapsingHeader, RichText, Ui};

/// Draws the panel.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    let mut all: Vec<&str> = Vec::new();
    for overlay in OVERLAYS {
        if !all.contains(&overlay.group) {
            all.push(overlay.group);
        }
    }
    // Those of the workbench come last: they are many, and closed at first.
    all.sort_by_key(|group| [MESH, BAKE].contains(group));
    groups(ui, shown, &all, out);
}

/// Draws some groups: two columns of switches below a heading each that opens and closes it.
pub fn groups(ui: &mut Ui, shown: &Shown<'_>, groups: &[&str], out: &mut Vec<Command>) {
    for group in groups {
        let rows: Vec<_> = OVERLAYS.iter().filter(|overlay| overlay.group == *group).collect();
        let on = rows.iter().filter(|overlay| shown.overlays.contains(overlay.name)).count();
        let title = if on > 0 { format!("{group} ({on} on)") } else { (*group).to_owned() };
        let open = ![MESH, BAKE].contains(group) || groups.len() == 2;
        CollapsingHeader::new(RichText::new(title).weak()).id_salt(group).default_open(open).show_unindented(
            ui,
            |ui| {
                ui.columns(2, |columns| {
                    // Down the first column, then down the second.
                    let half = rows.len().div_ceil(2);
                    for (i, overlay) in rows.iter().enumerate() {
                        let mut on = shown.overlays.contains(overlay.name);
                        let ui = &mut columns[i / half];
                        if ui.checkbox(&mut on, overlay.label).on_hover_text(overlay.help).changed() {
                            out.push(Command::Overlay(overlay.name, on));
                        }
                    }
                });
            },
        );
    }
}
