//! The selected level's place, and how its triangles are kept.

use crate::scene::edit::Edit;
use crate::scene::{SceneLevel, Settings};
use crate::ui::command::Command;
use crate::ui::widgets::{drag, form, number_or, section, switch, text, vector};
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
            if let Some(mesh) = cx.world.mesh().current() {
                text(ui, "Walkable", format!("{} polygons on {} islands", mesh.len(), mesh.island_count()));
            }
            if vector(ui, "Position", "Where the level stands.", (&mut to.position, Vec3::ZERO), 0.1, "m").changed() {
                out.push(edits::set_level(format!("move {name}"), id, "position", to.clone()));
            }
            if vector(ui, "Rotation", "Turn about each axis.", (&mut to.rotation_deg, Vec3::ZERO), 0.5, "°").changed()
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
        });
        touched(ui, cx);
        let help = "Put it to the origin, upright and in its own size.";
        if ui.button("All to zero").on_hover_text(help).clicked() {
            let zero = SceneLevel {
                name: level.name.clone(),
                file: level.file.clone(),
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
}
