//! The list of what is in the scene: levels, models, cameras, instances.

use crate::ids::InstanceId;
use crate::scene::{Scene, Selection};
use crate::sim::NavStatus;
use crate::ui::command::{Command, SelectionMode};
use crate::ui::instance_list::InstanceRow;
use crate::ui::names::{instance_name, without_extension};
use crate::ui::rename::{MAX_NAME_LETTERS, Named, Rename};
use crate::ui::theme::{ROW_HEIGHT, color, ink};
use crate::ui::widgets::{ListState, list_section, takes_first};
use crate::ui::{UiContext, UiState, typed_ahead};
use egui::text::{CCursor, CCursorRange};
use egui::{Color32, ScrollArea, TextEdit, Ui};

/// The field of the name that is being changed, in the place of its row: Enter and a click elsewhere take it; on
/// Escape the application forgets it.
fn rename_field(ui: &mut Ui, scene: &Scene, rename: &mut Option<Rename>, out: &mut Vec<Command>) {
    let Some(now) = rename else { return };
    let ahead = if now.shown { String::new() } else { typed_ahead::take(ui.ctx()) };
    // What is typed replaces the name.
    let is_typed = !ahead.is_empty();
    if is_typed {
        now.text = ahead.chars().take(MAX_NAME_LETTERS).collect();
    }
    let hint = match now.named {
        Named::Camera(_) => "Name".to_owned(),
        Named::Instance(id) => instance_name(scene, id),
    };
    let field = TextEdit::singleline(&mut now.text).hint_text(hint).desired_width(f32::INFINITY);
    let mut output = field.char_limit(MAX_NAME_LETTERS).show(ui);
    let response = output.response.response.clone();
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "New name"));
    if !std::mem::replace(&mut now.shown, true) {
        let end = CCursor::new(now.text.chars().count());
        let all = CCursorRange::two(if is_typed { end } else { CCursor::new(0) }, end);
        output.state.cursor.set_char_range(Some(all));
        output.state.store(ui.ctx(), response.id);
        response.request_focus();
        response.scroll_to_me(None);
    } else if !response.has_focus() {
        out.extend(now.step(scene));
        *rename = None;
    }
}

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    ui.add_space(6.0);
    let scene = cx.scene;
    list_section(ui, "Levels", scene.levels.len(), ListState::Open, |ui| levels(ui, cx, out));
    // The field of a new name stands in the list.
    let is_renamed = |rename: &Rename| !rename.shown && matches!(rename.named, Named::Camera(_));
    let of_cameras = if state.rename.as_ref().is_some_and(is_renamed) { ListState::Opens } else { ListState::Closed };
    list_section(ui, "Cameras", scene.cameras.len(), of_cameras, |ui| cameras(ui, cx, state, out));
    list_section(ui, "Models", scene.models.len(), ListState::Closed, |ui| models(ui, cx, out));
    ui.separator();
    instances(ui, cx, state, out);
}

/// A row over the whole width that can be selected.
fn selectable(ui: &mut Ui, selected: bool, text: impl Into<egui::WidgetText>) -> egui::Response {
    let size = egui::vec2(ui.available_width(), ROW_HEIGHT);
    let layout = egui::Layout::left_to_right(egui::Align::Center).with_main_justify(true);
    ui.allocate_ui_with_layout(size, layout.with_main_align(egui::Align::Min), |ui| {
        ui.add(egui::Button::selectable(selected, text.into()).truncate())
    })
    .inner
}

fn levels(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    if cx.scene.levels.is_empty() {
        ui.weak("No level. Drop a model file on the window.");
    }
    for (id, level) in cx.scene.levels.iter() {
        let selected = cx.selects_entry() && cx.selection.level == Some(id);
        let name = without_extension(&level.name).to_owned();
        if file_row(ui, selected, name, (&level.file, cx.file_fault(level))).clicked() {
            out.push(Command::Select(Selection { level: Some(id), model: None, instance: None, ..cx.selection }));
        }
    }
}

/// The row of a level or a model: its file, and where that cannot be read a mark and the reason.
fn file_row(ui: &mut Ui, selected: bool, name: String, (help, fault): (&str, Option<String>)) -> egui::Response {
    match fault {
        Some(fault) => {
            let text = egui::RichText::new(format!("⚠ {name}")).color(ink(ui, color::BAD));
            selectable(ui, selected, text).on_hover_text(format!("{help}\nIt cannot be read. {fault}"))
        }
        None => selectable(ui, selected, name).on_hover_text(help),
    }
}

fn cameras(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    for (id, camera) in cx.scene.cameras.iter() {
        if state.rename.as_ref().is_some_and(|rename| rename.named == Named::Camera(id)) {
            rename_field(ui, cx.scene, &mut state.rename, out);
            continue;
        }
        let looks = cx.status.camera == Some(id);
        ui.horizontal(|ui| {
            let eye = egui::Button::selectable(looks, "👁").min_size(egui::vec2(26.0, ROW_HEIGHT));
            let eye = ui.add(eye);
            let help = format!("Look through {}", camera.name);
            eye.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, looks, help.as_str()));
            if eye.on_hover_text(&help).clicked() {
                out.push(Command::UseCamera(id));
            }
            let response = selectable(ui, state.camera == Some(id), camera.name.as_str());
            let help = "Click: preview what it sees. Double click or F2: rename.";
            let response = response.on_hover_text(format!("{}. {help}", camera.kind.label()));
            if response.double_clicked() {
                state.rename = Some(Rename::of(cx.scene, Named::Camera(id)));
            } else if response.clicked() {
                out.push(Command::PickCamera(id));
            }
        });
    }
}

fn models(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    for (id, model) in cx.scene.models.iter() {
        let selected = cx.selects_entry() && cx.selection.model == Some(id);
        let mark = if model.is_nav_target { " ⚑" } else { "" };
        let help = if model.is_nav_target { "Its instances can be walked to." } else { "A character or thing." };
        let (name, help) = (format!("{}{mark}", without_extension(&model.name)), format!("{}\n{help}", model.file));
        if file_row(ui, selected, name, (&help, cx.file_fault(model))).clicked() {
            out.push(Command::Select(Selection { model: Some(id), level: None, instance: None, ..cx.selection }));
        }
    }
}

fn instances(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.strong(format!("Instances ({})", cx.scene.instances.len()));
    });
    let search = egui::TextEdit::singleline(&mut state.search).hint_text("Search by name").desired_width(f32::INFINITY);
    let search = ui.add(search);
    let mut list = std::mem::take(&mut state.instance_list);
    list.refresh(cx.scene, &state.search);
    let rows = list.rows();
    if takes_first(ui, &search)
        && let Some(first) = rows.first().filter(|_| !state.search.is_empty())
    {
        out.push(Command::Choose(vec![first.id], SelectionMode::of(egui::Modifiers::NONE)));
    }
    instance_rows(ui, cx, state, rows, out);
    state.instance_list = list;
}

/// The rows of the instances.
fn instance_rows(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, rows: &[InstanceRow], out: &mut Vec<Command>) {
    if rows.is_empty() {
        ui.weak(if state.search.is_empty() { "None." } else { "No instance has such a name." });
        return;
    }
    ui.spacing_mut().item_spacing.y = 1.0;
    let mut area = ScrollArea::vertical().auto_shrink(false);
    if let Some(at) = to_scroll_to(state.rename.as_ref(), rows) {
        area = area.vertical_scroll_offset(at as f32 * (ROW_HEIGHT + ui.spacing().item_spacing.y));
    }
    area.show_rows(ui, ROW_HEIGHT, rows.len(), |ui, range| {
        for row in &rows[range] {
            let id = row.id;
            if state.rename.as_ref().is_some_and(|rename| rename.named == Named::Instance(id)) {
                rename_field(ui, cx.scene, &mut state.rename, out);
                continue;
            }
            let selected = cx.chosen.contains(&id);
            let text = row.title(cx.scene);
            let (dot, help) = dot(cx, id);
            ui.horizontal(|ui| {
                let (rect, response) = ui.allocate_exact_size(egui::vec2(10.0, ROW_HEIGHT), egui::Sense::hover());
                ui.painter().circle_filled(rect.center(), 3.5, dot);
                response.on_hover_text(help);
                let response = selectable(ui, selected, text);
                if response.double_clicked() {
                    state.rename = Some(Rename::of(cx.scene, Named::Instance(id)));
                } else if response.clicked() {
                    let how = SelectionMode::of(ui.input(|input| input.modifiers));
                    out.push(Command::Choose(vec![id], how));
                }
            });
        }
    });
}

/// The row whose field has not been shown yet.
fn to_scroll_to(rename: Option<&Rename>, rows: &[InstanceRow]) -> Option<usize> {
    let Named::Instance(id) = rename.filter(|rename| !rename.shown)?.named else { return None };
    rows.iter().position(|row| row.id == id)
}

/// Colour and meaning of the mark before an instance.
fn dot(cx: &UiContext<'_>, id: InstanceId) -> (Color32, &'static str) {
    match cx.world.live(id).map(|live| &live.nav) {
        Some(NavStatus::Waiting) => (color::WARN, "Waits for a path"),
        Some(NavStatus::Walking) => (color::INFO, "Walks to its target"),
        Some(NavStatus::Arrived) => (color::GOOD, "Is at its target"),
        Some(NavStatus::Failed(_)) => (color::BAD, "Has no path to its target"),
        _ => (Color32::from_gray(96), "Does not navigate"),
    }
}
