//! Switches of the debug overlays, built from their one list.

use crate::inspect::overlays::{BAKE, MESH, OVERLAYS, Overlay};
use crate::ui::UiContext;
use crate::ui::command::Command;
use egui::{CollapsingHeader, Color32, RichText, TextStyle, Ui};

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let mut all: Vec<&str> = Vec::new();
    for overlay in OVERLAYS {
        if !all.contains(&overlay.group) {
            all.push(overlay.group);
        }
    }
    // Those of the workbench come last: they are many, and closed at first.
    all.sort_by_key(|group| [MESH, BAKE].contains(group));
    groups(ui, cx, &all, out);
}

/// Draws some groups: one or two columns of switches below a heading each that opens and closes it.
pub fn groups(ui: &mut Ui, cx: &UiContext<'_>, groups: &[&str], out: &mut Vec<Command>) {
    for group in groups {
        let rows: Vec<_> = OVERLAYS.iter().filter(|overlay| overlay.group == *group).collect();
        let on = rows.iter().filter(|overlay| cx.overlays.contains(&overlay.layer)).count();
        let title = if on > 0 { format!("{group} ({on} on)") } else { (*group).to_owned() };
        let open = ![MESH, BAKE].contains(group) || groups.len() == 2;
        CollapsingHeader::new(RichText::new(title).weak()).id_salt(group).default_open(open).show_unindented(
            ui,
            |ui| {
                // In a narrow panel, or on a dense display, there is room for one column only: labels do not break.
                let count = if has_room_for_two(ui, &rows) { 2 } else { 1 };
                ui.columns(count, |columns| {
                    // Down the first column, then down the second.
                    let half = rows.len().div_ceil(count);
                    for (i, overlay) in rows.iter().enumerate() {
                        let mut on = cx.overlays.contains(&overlay.layer);
                        let ui = &mut columns[i / half];
                        if ui.checkbox(&mut on, overlay.label).on_hover_text(overlay.help).changed() {
                            out.push(Command::Overlay(overlay.layer, on));
                        }
                    }
                });
            },
        );
    }
}

/// Whether the switches fit beside each other in two columns, each label in one line.
fn has_room_for_two(ui: &Ui, rows: &[&Overlay]) -> bool {
    let font = TextStyle::Button.resolve(ui.style());
    let width = |text: &str| ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x;
    let widest = rows.iter().map(|overlay| width(overlay.label)).fold(0.0, f32::max);
    let spacing = ui.spacing();
    let switch = spacing.icon_width + spacing.icon_spacing;
    2.0 * (switch + widest) + spacing.item_spacing.x <= ui.available_width()
}
