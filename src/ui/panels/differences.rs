//! What differs between the scene's navigation mesh and another: figures, and a row for each difference, which leads there.

use crate::inspect::mesh_compare::{Comparison, Difference, MeshBefore, MeshCompare};
use crate::inspect::mesh_compare_debug::color_of;
use crate::nav::diff::PathFate;
use crate::ui::UiContext;
use crate::ui::command::{Command, CompareCommand};
use crate::ui::theme::{color, ink, swatch_color};
use crate::ui::widgets::follow_selected;
use egui::{Button, RichText, ScrollArea, Sense, Ui, vec2};

/// Most rows that are drawn.
const MAX_ROWS: usize = 500;
/// Edge of a square of colour, points.
const SWATCH: f32 = 10.0;

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let compare = cx.inspector.mesh_compare();
    ui.horizontal_wrapped(|ui| buttons(ui, cx, compare, out));
    let Some(before) = compare.before() else { return };
    ui.separator();
    ui.label(match before {
        MeshBefore::File(file) => format!("Before: the mesh of {}. Now: the scene's mesh.", file.display()),
        MeshBefore::Kept(_) => "Before: the mesh that was kept. Now: the scene's mesh.".to_owned(),
    });
    match compare.result() {
        Some(Ok(comparison)) => rows(ui, comparison, compare.selected(), out),
        Some(Err(error)) => _ = ui.label(RichText::new(error.to_string()).color(ink(ui, color::BAD))),
        None if cx.world.mesh().built().is_none() => _ = ui.weak("The scene has no navigation mesh yet."),
        None => {}
    }
}

fn buttons(ui: &mut Ui, cx: &UiContext<'_>, compare: &MeshCompare, out: &mut Vec<Command>) {
    let mut button = |ui: &mut Ui, is_possible: bool, label: &str, help: &str, command: CompareCommand| {
        if ui.add_enabled(is_possible, Button::new(label)).on_hover_text(help).clicked() {
            out.push(Command::Compare(command));
        }
    };
    let help = "Compare the scene's mesh with that of a file, which was before.";
    button(ui, true, "Compare with file…", help, CompareCommand::AskFile);
    let help = "Keep the mesh as it is now, and compare with it what becomes of it: bake again, or change the level.";
    button(ui, cx.world.mesh().built().is_some(), "Keep this mesh", help, CompareCommand::Keep);
    if compare.before().is_some() {
        button(ui, true, "Forget", "Compare with nothing any more.", CompareCommand::Forget);
        if compare.is_busy() && cx.world.mesh().error().is_none() {
            ui.spinner();
            ui.weak("Comparing…");
        }
    } else {
        ui.weak("Says what a change did: polygons, islands, and paths that became longer, shorter or impossible.");
    }
}

fn rows(ui: &mut Ui, comparison: &Comparison, selected: Option<usize>, out: &mut Vec<Command>) {
    ui.weak(summary(comparison));
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let all = &comparison.differences;
        for (number, difference) in all.iter().enumerate().take(MAX_ROWS) {
            ui.push_id(number, |ui| row(ui, difference, number, selected == Some(number), out));
        }
        if all.len() > MAX_ROWS {
            ui.weak(format!("{} more; `walkabout diff` lists all.", all.len() - MAX_ROWS));
        }
    });
}

fn summary(comparison: &Comparison) -> String {
    let diff = &comparison.diff;
    let polygons = format!("{} polygons are the same, {} went, {} came.", diff.same, diff.went.len(), diff.came.len());
    let ground = match (diff.lost_m2 > 0.0, diff.gained_m2 > 0.0) {
        (false, false) if diff.went.is_empty() && diff.came.is_empty() => "",
        (false, false) => " The ground is the same, cut otherwise.",
        _ => &format!(" {:.2} m² of ground are lost, {:.2} m² gained.", diff.lost_m2, diff.gained_m2),
    };
    let relabelled = match diff.relabelled.len() {
        0 => String::new(),
        count => format!(" {count} have other areas or flags."),
    };
    let tried: usize = comparison.fates.values().sum();
    let of = |fate: PathFate| comparison.fates.get(&fate).copied().unwrap_or(0);
    let changed = [PathFate::Impossible, PathFate::Longer, PathFate::Possible, PathFate::Shorter].map(of);
    let paths = match changed {
        [0, 0, 0, 0] => format!("{tried} paths were tried, and are the same."),
        [impossible, longer, possible, shorter] => format!(
            "{tried} paths were tried: {impossible} became impossible, {longer} longer, {possible} possible, {shorter} shorter."
        ),
    };
    format!("{polygons}{ground}{relabelled} {paths}")
}

fn row(ui: &mut Ui, difference: &Difference, number: usize, selected: bool, out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        let (square, _) = ui.allocate_exact_size(vec2(SWATCH, SWATCH), Sense::hover());
        ui.painter().rect_filled(square, 2.0, swatch_color(color_of(difference.kind)));
        let title = RichText::new(difference.kind.label()).strong();
        let title = ui.add(Button::selectable(selected, title)).on_hover_text("Show it");
        if selected {
            follow_selected(ui, "selected difference", number, &title);
        }
        if title.clicked() {
            out.push(Command::Compare(CompareCommand::Show(number)));
        }
        ui.label(&difference.text);
    });
}
