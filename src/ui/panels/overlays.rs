//! Switches of the debug overlays, built from their one list: found by a search, switched by presets, and how they are drawn.

use crate::inspect::overlay_style::{OccludedLines, OverlayStyle};
use crate::inspect::overlays::{BAKE, MESH, OVERLAYS, Overlay, PRESETS};
use crate::ui::command::Command;
use crate::ui::widgets::{choice, drag, form, number_or, takes_first};
use crate::ui::{UiContext, UiState};
use egui::{CollapsingHeader, Color32, RichText, TextStyle, Ui};

/// Deepest limit of an octree's cells.
const MAX_DEPTH: f64 = 16.0;

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    head(ui, cx, state, out);
    let search = state.overlay_search.trim().to_lowercase();
    if !search.is_empty() {
        let rows = found(&search);
        if rows.is_empty() {
            ui.weak("No overlay has such a name.");
        }
        return switches(ui, cx, &rows, out);
    }
    let mut all: Vec<&str> = Vec::new();
    for overlay in OVERLAYS {
        if !all.contains(&overlay.group) {
            all.push(overlay.group);
        }
    }
    // Those of the workbench come last: they are many, and closed at first.
    all.sort_by_key(|group| [MESH, BAKE].contains(group));
    groups(ui, cx, &all, out);
    CollapsingHeader::new(RichText::new("How they are drawn").weak()).show_unindented(ui, |ui| style(ui, cx, out));
}

/// The search and the presets.
fn head(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        let field = egui::TextEdit::singleline(&mut state.overlay_search).hint_text("Search overlays");
        let field = ui.add(field.desired_width(110.0));
        field.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "Search overlays"));
        let search = state.overlay_search.trim().to_lowercase();
        if takes_first(ui, &field)
            && !search.is_empty()
            && let Some(first) = found(&search).first()
        {
            out.push(Command::Overlay(first.layer, !cx.overlays.contains(&first.layer)));
        }
        let off = egui::Button::new("All off");
        if ui.add_enabled(!cx.overlays.is_empty(), off).on_hover_text("Hide all overlays.").clicked() {
            out.push(Command::Overlays(&[]));
        }
        for preset in PRESETS {
            let is_on =
                preset.layers.len() == cx.overlays.len() && preset.layers.iter().all(|l| cx.overlays.contains(l));
            let button = egui::Button::new(preset.label).selected(is_on);
            if ui.add(button).on_hover_text(format!("{} All others go off.", preset.help)).clicked() {
                out.push(Command::Overlays(preset.layers));
            }
        }
    });
}

/// The overlays whose name, group or description has all words of a search, those with the name first.
fn found(search: &str) -> Vec<&'static Overlay> {
    let is_found = |overlay: &&Overlay| {
        let all = format!("{} {} {}", overlay.label, overlay.group, overlay.help).to_lowercase();
        search.split_whitespace().all(|word| all.contains(word))
    };
    let mut rows: Vec<_> = OVERLAYS.iter().filter(is_found).collect();
    rows.sort_by_key(|overlay| !overlay.label.to_lowercase().contains(search));
    rows
}

/// How overlays are drawn.
fn style(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let before = cx.inspector.style();
    let (mut to, usual) = (before, OverlayStyle::default());
    form(ui, "overlay-style", |ui| {
        let help = "Which overlays are seen through what lies in front of them.";
        let occluded = (&mut to.occluded, usual.occluded);
        choice(ui, "Behind walls", help, occluded, &OccludedLines::ALL, OccludedLines::label);
        let help = "Factor on the widths of all lines, which are the same near and far.";
        number_or(
            ui,
            "Line width",
            help,
            (&mut to.line_width, usual.line_width),
            drag(0.5..=4.0, 0.02, " ×").decimals(1),
        );
        let help = "Cells of octrees this deep stand for those below; 0 for no limit.";
        let depth = (&mut to.octree_depth, usual.octree_depth);
        number_or(ui, "Octree depth", help, depth, drag(0.0..=MAX_DEPTH, 0.05, ""));
    });
    if to != before {
        out.push(Command::OverlayStyle(to));
    }
}

/// Draws some groups: one or two columns of switches below a heading each that opens and closes it.
pub fn groups(ui: &mut Ui, cx: &UiContext<'_>, groups: &[&str], out: &mut Vec<Command>) {
    for group in groups {
        let rows: Vec<_> = OVERLAYS.iter().filter(|overlay| overlay.group == *group).collect();
        let on = rows.iter().filter(|overlay| cx.overlays.contains(&overlay.layer)).count();
        let title = if on > 0 { format!("{group} ({on} on)") } else { (*group).to_owned() };
        let open = ![MESH, BAKE].contains(group) || groups.len() == 2;
        CollapsingHeader::new(RichText::new(title).weak())
            .id_salt(group)
            .default_open(open)
            .show_unindented(ui, |ui| switches(ui, cx, &rows, out));
    }
}

/// Switches in one or two columns.
fn switches(ui: &mut Ui, cx: &UiContext<'_>, rows: &[&Overlay], out: &mut Vec<Command>) {
    // In a narrow panel, or on a dense display, there is room for one column only: labels do not break.
    let count = if has_room_for_two(ui, rows) { 2 } else { 1 };
    ui.columns(count, |columns| {
        // Down the first column, then down the second.
        let half = rows.len().div_ceil(count).max(1);
        for (i, overlay) in rows.iter().enumerate() {
            let mut on = cx.overlays.contains(&overlay.layer);
            let ui = &mut columns[i / half];
            if ui.checkbox(&mut on, overlay.label).on_hover_text(overlay.help).changed() {
                out.push(Command::Overlay(overlay.layer, on));
            }
        }
    });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_finds_by_name_first_and_by_every_word() {
        assert_eq!(found("octree")[0].label, "Octree");
        assert!(found("octree instances").iter().any(|overlay| overlay.label == "Instance octree"));
        assert!(found("no such thing").is_empty());
    }
}
