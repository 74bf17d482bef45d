//! The selected level's place, and how its triangles are kept.

use crate::collide::triangle_tree::{TriangleTreeCost, TriangleTreeKind};
use crate::ids::LevelId;
use crate::scene::SceneLevel;
use crate::scene::edit::Edit;
use crate::scene::level::{LevelPresence, names_units};
use crate::ui::command::Command;
use crate::ui::edit_rows::{self, EditRows};
use crate::ui::theme::{color, ink};
use crate::ui::widgets::{axis, drag, form, section, text};
use crate::ui::{UiContext, edits};
use crate::vocab::counted;
use egui::Ui;
use glam::Vec3;
use std::collections::BTreeSet;

/// Most characters whose contact with the level is counted while the section is open.
const MAX_TOUCHING: usize = 2000;

/// Draws the section.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    section(ui, "Level", false, |ui| {
        let chosen = cx.selection.level.filter(|id| cx.scene.levels.contains(*id));
        let Some((id, level)) =
            chosen.or_else(|| cx.scene.levels.at(0)).and_then(|id| Some((id, cx.scene.levels.get(id)?)))
        else {
            ui.weak("The scene has no level.");
            return;
        };
        let name = &level.name;
        form(ui, "level", |ui| {
            text(ui, "Name", name.as_str());
            text(ui, "File", level.file.as_str());
            if let Some(fault) = cx.file_fault(level) {
                ui.label("");
                ui.add(egui::Label::new(egui::RichText::new(fault).color(ink(ui, color::BAD))).wrap());
                ui.end_row();
            }
            let is_alone = cx.scene.levels.len() == 1;
            text(ui, "Triangles", triangles(cx, level, is_alone));
            // The row stands also while there is no mesh: rows that come and go would move what is being clicked.
            let walkable = cx.world.mesh().current().map_or_else(
                || "no mesh".to_owned(),
                |mesh| {
                    let islands = counted(mesh.island_count() as usize, "island");
                    let of_all = if is_alone { "" } else { ", of all levels" };
                    format!("{} on {islands}{of_all}", counted(mesh.len(), "polygon"))
                },
            );
            text(ui, "Walkable", walkable);
            let mut rows = edit_rows::of_level(ui, (id, level), out);
            let row = rows.row("Position", "Where the level stands.").edit(format!("move {name}"), "position");
            row.vector(axis(0.1, "m"), |to| &mut to.position);
            let row = rows.row("Rotation", "Turn about each axis.").edit(format!("turn {name}"), "rotation");
            row.vector(axis(0.5, "°"), |to| &mut to.rotation_deg);
            let row = rows.row("Scale", "Size as a factor of the file's own.").edit(format!("scale {name}"), "scale");
            row.number(drag(0.0001..=1000.0, 0.01, "×"), |to| &mut to.scale);
            rows.row("Z is up in the file", "Turns the level upright.")
                .edit(format!("swap axes of {name}"), "axes")
                .switch(|to| &mut to.swap_axes);
            if names_units(&level.file) {
                let help = "Off, an FBX file has the size and the axes that the original program shows it with.";
                let row = rows.row("Units of the file", help).edit(format!("change the units of {name}"), "units");
                row.switch(|to| &mut to.file_units);
            }
            presence(&mut rows, cx, id);
        });
        touched(ui, cx);
        let help = "Put it to the origin, upright and in its own size.";
        if ui.button("All to zero").on_hover_text(help).clicked() {
            let (position, rotation_deg) = (Vec3::ZERO, Vec3::ZERO);
            let zero = SceneLevel { position, rotation_deg, scale: 1.0, swap_axes: false, ..SceneLevel::clone(level) };
            out.push(edits::set_level(format!("put {name} to zero"), id, "zero", zero));
        }
        let help = "Take the level out of the scene. Undo brings it back.";
        if ui.button("✖ Remove level").on_hover_text(help).clicked() {
            out.push(edits::command(format!("remove level {name}"), Edit::RemoveLevel(id)));
        }
        ui.add_space(4.0);
        octree(ui, cx, out);
    });
}

/// How many triangles a level has; of several, how many all have that are there.
fn triangles(cx: &UiContext<'_>, level: &SceneLevel, is_alone: bool) -> String {
    let all = cx.world.triangles().len();
    match cx.assets.by_file(level) {
        Some((_, model)) if !is_alone => format!("{}, all levels {all}", model.triangle_count()),
        None if !is_alone => format!("all levels {all}"),
        _ => all.to_string(),
    }
}

/// When the level is there, and whether it is now.
fn presence(rows: &mut EditRows<'_, SceneLevel>, cx: &UiContext<'_>, id: LevelId) {
    let name = rows.to.name.clone();
    let help =
        "When it is to be seen, walked on and in the way. Buttons use the level whose name is in their field Uses.";
    let shown = rows.to.presence;
    rows.row("Is there", help).edit(format!("change when {name} is there"), "presence").choice(
        &LevelPresence::ALL,
        LevelPresence::label,
        |to| &mut to.presence,
    );
    if shown == LevelPresence::Near {
        rows.row("Level reach", "How near a character has to be to its box. It stays a fifth farther.")
            .edit(format!("change the reach of {name}"), "reach")
            .number(drag(0.0..=1000.0, 0.1, " m"), |to| &mut to.presence_reach);
    }
    let ui = &mut *rows.ui;
    if shown != LevelPresence::Always {
        text(ui, "Now", if cx.world.parts().is_there(id) { "there" } else { "not there" });
    }
    if shown.is_used() {
        ui.label("");
        if ui.button("Use the level now").on_hover_text("As a button does with its name.").clicked() {
            rows.out.push(Command::UseLevel(name));
        }
        ui.end_row();
    }
}

/// How many triangles the selected character touches, and all of them.
fn touched(ui: &mut Ui, cx: &UiContext<'_>) {
    let (mut some, mut all) = (Vec::new(), BTreeSet::new());
    for (id, _) in cx.world.iter().take(MAX_TOUCHING) {
        cx.world.touching(id, &mut some);
        all.extend(some.iter().copied());
    }
    some.clear();
    if let Some(id) = cx.selection.instance {
        cx.world.touching(id, &mut some);
    }
    let least = if cx.world.len() > MAX_TOUCHING { "at least " } else { "" };
    form(ui, "touched", |ui| {
        text(ui, "Touched", format!("{least}{}, {} by the selected", counted(all.len(), "triangle"), some.len()));
    });
}

fn octree(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    form(ui, "octree", |ui| {
        let mut rows = edit_rows::of_settings(ui, cx, out);
        let help = "What finds triangles near a place or along a ray. Either gives the same answers, in other times.";
        rows.row("Search tree", help).edit("change the search tree", "triangle-tree").choice(
            &TriangleTreeKind::ALL,
            TriangleTreeKind::label,
            |to| &mut to.tree_kind,
        );
        rows.row("Octree cell", "Triangles in a cell before it splits.")
            .edit("change the octree threshold", "octree-threshold")
            .number(drag(1.0..=100.0, 0.1, ""), |to| &mut to.octree_threshold);
        rows.row("Octree depth", "How often a cell may split.")
            .edit("change the octree depth", "octree-depth")
            .number(drag(1.0..=10.0, 0.05, ""), |to| &mut to.octree_max_depth);
    });
    compare(ui, cx, out);
}

/// Asks what both kinds of search tree cost, and shows it.
fn compare(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let trees = cx.inspector.tree_compare();
    let help =
        "Build both kinds of search tree over the level and ask each for what is near a thousand of its triangles.";
    ui.horizontal(|ui| {
        let is_possible = !cx.world.triangles().is_empty() && !trees.is_busy();
        let button = ui.add_enabled(is_possible, egui::Button::new("Compare trees")).on_hover_text(help);
        if button.clicked() {
            out.push(Command::CompareTrees);
        }
        if trees.is_busy() {
            ui.spinner();
        }
    });
    form(ui, "search trees", |ui| {
        for (kind, TriangleTreeCost { build_ms, cells, query_us }) in trees.costs() {
            text(ui, kind.label(), format!("{build_ms:.1} ms, {cells} cells, {query_us:.2} µs a query"));
        }
    });
}
