//! The selected level's place, and how its triangles are kept.

use crate::collide::triangle_tree::{TriangleTreeCost, TriangleTreeKind, TriangleTreeSettings, measure};
use crate::ids::LevelId;
use crate::scene::edit::Edit;
use crate::scene::level::LevelPresence;
use crate::scene::{SceneLevel, Settings};
use crate::ui::command::Command;
use crate::ui::widgets::{axis, choice, drag, form, number_or, section, switch, text, vector};
use crate::ui::{UiContext, edits};
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
        let mut to = level.as_ref().clone();
        form(ui, "level", |ui| {
            text(ui, "Name", name.as_str());
            text(ui, "File", level.file.as_str());
            let triangles = cx.world.triangles().len();
            text(ui, "Triangles", format!("{triangles}"));
            // The row stands also while there is no mesh: rows that come and go would move what is being clicked.
            let walkable = cx.world.mesh().current().map_or_else(
                || "no mesh".to_owned(),
                |mesh| format!("{} polygons on {} islands", mesh.len(), mesh.island_count()),
            );
            text(ui, "Walkable", walkable);
            if vector(ui, "Position", "Where the level stands.", (&mut to.position, Vec3::ZERO), axis(0.1, "m"))
                .changed()
            {
                out.push(edits::set_level(format!("move {name}"), id, "position", to.clone()));
            }
            if vector(ui, "Rotation", "Turn about each axis.", (&mut to.rotation_deg, Vec3::ZERO), axis(0.5, "°"))
                .changed()
            {
                out.push(edits::set_level(format!("turn {name}"), id, "rotation", to.clone()));
            }
            let help = "Size as a factor of the file's own.";
            let scale = drag(0.0001..=1000.0, 0.01, "×");
            if number_or(ui, "Scale", help, (&mut to.scale, 1.0), scale).changed() {
                out.push(edits::set_level(format!("scale {name}"), id, "scale", to.clone()));
            }
            if switch(ui, "Z is up in the file", "Turns the level upright.", (&mut to.swap_axes, false)).changed() {
                out.push(edits::set_level(format!("swap axes of {name}"), id, "axes", to.clone()));
            }
            let help = "Off, an FBX file has the size and the axes that the original program shows it with.";
            if switch(ui, "Units of the file", help, (&mut to.file_units, true)).changed() {
                out.push(edits::set_level(format!("change the units of {name}"), id, "units", to.clone()));
            }
            presence(ui, cx, (id, level), out);
        });
        touched(ui, cx);
        let help = "Put it to the origin, upright and in its own size.";
        if ui.button("All to zero").on_hover_text(help).clicked() {
            let zero = SceneLevel {
                name: level.name.clone(),
                file: level.file.clone(),
                file_units: level.file_units,
                presence: level.presence,
                presence_reach: level.presence_reach,
                extra: level.extra.clone(),
                ..SceneLevel::default()
            };
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

/// When the level is there, and whether it is now.
fn presence(ui: &mut Ui, cx: &UiContext<'_>, (id, level): (LevelId, &SceneLevel), out: &mut Vec<Command>) {
    let (mut to, usual) = (level.clone(), SceneLevel::default());
    let help =
        "When it is to be seen, walked on and in the way. Buttons use the level whose name is in their field Uses.";
    let value = (&mut to.presence, usual.presence);
    if choice(ui, "Is there", help, value, &LevelPresence::ALL, LevelPresence::label) {
        out.push(edits::set_level(format!("change when {} is there", level.name), id, "presence", to.clone()));
    }
    if level.presence == LevelPresence::Near {
        let metres = drag(0.0..=1000.0, 0.1, " m");
        let help = "How near a character has to be to its box. It stays a fifth farther.";
        if number_or(ui, "Level reach", help, (&mut to.presence_reach, usual.presence_reach), metres).changed() {
            out.push(edits::set_level(format!("change the reach of {}", level.name), id, "reach", to));
        }
    }
    if level.presence != LevelPresence::Always {
        text(ui, "Now", if cx.world.parts().is_there(id) { "there" } else { "not there" });
    }
    if level.presence.is_used() {
        ui.label("");
        if ui.button("Use the level now").on_hover_text("As a button does with its name.").clicked() {
            out.push(Command::UseLevel(level.name.clone()));
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
    form(ui, "touched", |ui| {
        text(ui, "Touched", format!("{} triangles, {} by the selected", all.len(), some.len()));
    });
}

fn octree(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let (mut to, usual) = ((*cx.scene.settings).clone(), Settings::of_new_scene());
    form(ui, "octree", |ui| {
        let help = "What finds triangles near a place or along a ray. Either gives the same answers, in other times.";
        let value = (&mut to.tree_kind, usual.tree_kind);
        if choice(ui, "Search tree", help, value, &TriangleTreeKind::ALL, TriangleTreeKind::label) {
            out.push(edits::set_settings("change the search tree", "triangle-tree", to.clone()));
        }
        let help = "Triangles in a cell before it splits.";
        let value = (&mut to.octree_threshold, usual.octree_threshold);
        if number_or(ui, "Octree cell", help, value, drag(1.0..=100.0, 0.1, "")).changed() {
            out.push(edits::set_settings("change the octree threshold", "octree-threshold", to.clone()));
        }
        let help = "How often a cell may split.";
        let value = (&mut to.octree_max_depth, usual.octree_max_depth);
        if number_or(ui, "Octree depth", help, value, drag(1.0..=10.0, 0.05, "")).changed() {
            out.push(edits::set_settings("change the octree depth", "octree-depth", to.clone()));
        }
    });
    compare(ui, cx);
}

/// Measures both kinds of search tree when asked to, and shows what they cost.
fn compare(ui: &mut Ui, cx: &UiContext<'_>) {
    let id = ui.id().with("search trees");
    let help =
        "Build both kinds of search tree over the level and ask each for what is near a thousand of its triangles.";
    let triangles = cx.world.triangles();
    let button = ui.add_enabled(!triangles.is_empty(), egui::Button::new("Compare trees")).on_hover_text(help);
    if button.clicked() {
        let settings = cx.scene.settings.triangle_tree();
        let costs = TriangleTreeKind::ALL
            .iter()
            .map(|&kind| (kind, measure(triangles, TriangleTreeSettings { kind, ..settings })))
            .collect::<Vec<_>>();
        ui.data_mut(|data| data.insert_temp(id, costs));
    }
    let costs = ui.data(|data| data.get_temp::<Vec<(TriangleTreeKind, TriangleTreeCost)>>(id)).unwrap_or_default();
    form(ui, "search trees", |ui| {
        for (kind, cost) in costs {
            let TriangleTreeCost { build_ms, cells, query_us } = cost;
            text(ui, kind.label(), format!("{build_ms:.1} ms, {cells} cells, {query_us:.2} µs a query"));
        }
    });
}
