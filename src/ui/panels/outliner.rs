//! The list of what is in the scene: levels, models, cameras, instances.

use crate::ids::InstanceId;
use crate::scene::{Scene, SceneInstance, Selection};
use crate::sim::NavStatus;
use crate::ui::command::{Command, Pick};
use crate::ui::names::{numbered, title, without_extension};
use crate::ui::theme::{ROW_HEIGHT, color};
use crate::ui::widgets::section;
use crate::ui::{Shown, UiState};
use egui::{Color32, ScrollArea, Ui};

/// Draws the panel.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    ui.add_space(6.0);
    let scene = shown.scene;
    section(ui, &format!("Levels ({})", scene.levels.len()), true, |ui| levels(ui, shown, out));
    section(ui, &format!("Cameras ({})", scene.cameras.len()), false, |ui| cameras(ui, shown, out));
    section(ui, &format!("Models ({})", scene.models.len()), false, |ui| models(ui, shown, out));
    ui.separator();
    instances(ui, shown, state, out);
}

/// A row over the whole width that can be selected.
fn row(ui: &mut Ui, selected: bool, text: impl Into<egui::WidgetText>) -> egui::Response {
    let size = egui::vec2(ui.available_width(), ROW_HEIGHT);
    let layout = egui::Layout::left_to_right(egui::Align::Center).with_main_justify(true);
    ui.allocate_ui_with_layout(size, layout.with_main_align(egui::Align::Min), |ui| {
        ui.add(egui::Button::selectable(selected, text.into()).truncate())
    })
    .inner
}

fn levels(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    if shown.scene.levels.is_empty() {
        ui.weak("No level. Drop a model file on the window.");
    }
    for (id, level) in shown.scene.levels.iter() {
        let selected = shown.selection.level == Some(id);
        if row(ui, selected, without_extension(&level.name)).on_hover_text(&level.file).clicked() {
            out.push(Command::Select(Selection { level: Some(id), ..shown.selection }));
        }
    }
}

fn cameras(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    for (id, camera) in shown.scene.cameras.iter() {
        let selected = shown.status.camera == Some(id);
        if row(ui, selected, camera.name.as_str()).on_hover_text(camera.kind.label()).clicked() {
            out.push(Command::UseCamera(id));
        }
    }
}

fn models(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    for (id, model) in shown.scene.models.iter() {
        let selected = shown.selection.model == Some(id);
        let mark = if model.is_nav_target { " ⚑" } else { "" };
        let help = if model.is_nav_target { "Its instances can be walked to." } else { "A character or thing." };
        let response = row(ui, selected, format!("{}{mark}", without_extension(&model.name)));
        if response.on_hover_text(format!("{}\n{help}", model.file)).clicked() {
            out.push(Command::Select(Selection { model: Some(id), ..shown.selection }));
        }
    }
}

fn instances(ui: &mut Ui, shown: &Shown<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.strong(format!("Instances ({})", shown.scene.instances.len()));
    });
    let search = egui::TextEdit::singleline(&mut state.search).hint_text("Search by name").desired_width(f32::INFINITY);
    ui.add(search);
    let rows = found(shown.scene, &state.search);
    if rows.is_empty() {
        ui.weak(if state.search.is_empty() { "None." } else { "No instance has such a name." });
        return;
    }
    ui.spacing_mut().item_spacing.y = 1.0;
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, ROW_HEIGHT, rows.len(), |ui, range| {
        for (id, instance, number) in &rows[range] {
            let selected = shown.chosen.contains(id);
            let text = title(shown.scene, instance, *number);
            let (dot, help) = dot(shown, *id);
            ui.horizontal(|ui| {
                let (rect, response) = ui.allocate_exact_size(egui::vec2(10.0, ROW_HEIGHT), egui::Sense::hover());
                ui.painter().circle_filled(rect.center(), 3.5, dot);
                response.on_hover_text(help);
                if row(ui, selected, text).clicked() {
                    let how = Pick::of(ui.input(|input| input.modifiers));
                    out.push(Command::Choose(vec![*id], how));
                }
            });
        }
    });
}

/// The instances whose names hold `search`, whatever the case.
fn found<'a>(scene: &'a Scene, search: &str) -> Vec<(InstanceId, &'a SceneInstance, u32)> {
    let search = search.trim().to_lowercase();
    let mut rows = numbered(scene);
    if !search.is_empty() {
        rows.retain(|(_, instance, number)| title(scene, instance, *number).to_lowercase().contains(&search));
    }
    rows
}

/// Colour and meaning of the mark before an instance.
fn dot(shown: &Shown<'_>, id: InstanceId) -> (Color32, &'static str) {
    match shown.world.live(id).map(|live| &live.nav) {
        Some(NavStatus::Waiting) => (color::WARN, "Waits for a path"),
        Some(NavStatus::Walking) => (color::INFO, "Walks to its target"),
        Some(NavStatus::Arrived) => (color::GOOD, "Is at its target"),
        Some(NavStatus::Failed(_)) => (color::BAD, "Has no path to its target"),
        _ => (Color32::from_gray(96), "Does not navigate"),
    }
}
