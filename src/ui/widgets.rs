//! Small pieces that several panels share.

use egui::{DragValue, Response, Ui};
use glam::Vec3;

/// A heading that opens and closes what stands below it.
pub fn section(ui: &mut Ui, title: &str, open: bool, body: impl FnOnce(&mut Ui)) {
    egui::CollapsingHeader::new(egui::RichText::new(title).strong()).default_open(open).show_unindented(ui, |ui| {
        ui.add_space(2.0);
        body(ui);
        ui.add_space(6.0);
    });
}

/// A grid of labels and values with aligned columns.
pub fn form(ui: &mut Ui, id: &str, body: impl FnOnce(&mut Ui)) {
    egui::Grid::new(id).num_columns(2).min_col_width(84.0).spacing([8.0, 6.0]).show(ui, body);
}

/// A row with a label and a number.
pub fn number(ui: &mut Ui, label: &str, help: &str, value: DragValue<'_>) -> Response {
    let name = ui.label(label).on_hover_text(help);
    let response = ui.add(value).labelled_by(name.id).on_hover_text(help);
    ui.end_row();
    response
}

/// A row with a label and three numbers.
pub fn vector(ui: &mut Ui, label: &str, help: &str, value: &mut Vec3, speed: f32, unit: &str) -> Response {
    let name = ui.label(label).on_hover_text(help);
    let response = ui
        .horizontal(|ui| {
            let gap = 3.0;
            ui.spacing_mut().item_spacing.x = gap;
            // All three are to be seen in a narrow panel, too.
            let width = ((ui.available_width() - 2.0 * gap) / 3.0).clamp(36.0, 58.0);
            let mut all: Option<Response> = None;
            for (i, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
                let widget = DragValue::new(&mut value[i]).speed(speed).max_decimals(2).range(-1e6..=1e6);
                let one = ui
                    .add_sized([width, 22.0], widget)
                    .labelled_by(name.id)
                    .on_hover_text(format!("{axis} in {unit}. {help}"));
                all = Some(all.map_or(one.clone(), |all| all | one));
            }
            all
        })
        .inner;
    ui.end_row();
    response.unwrap_or(name)
}

/// Width for a list to choose from, at most so wide, that leaves room for what stands beside it.
pub fn choice_width(ui: &Ui, most: f32, beside: f32) -> f32 {
    (ui.available_width() - beside).clamp(60.0, most)
}

/// A row with a label and a text.
pub fn text(ui: &mut Ui, label: &str, value: impl Into<egui::WidgetText>) {
    ui.label(label);
    ui.add(egui::Label::new(value).truncate());
    ui.end_row();
}

/// A row with a switch.
pub fn switch(ui: &mut Ui, label: &str, help: &str, value: &mut bool) -> Response {
    ui.label("");
    let response = ui.checkbox(value, label).on_hover_text(help);
    ui.end_row();
    response
}
