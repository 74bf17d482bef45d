//! Small pieces that several panels share.

use super::choices::choice_row;
pub use super::number::{Drag, axis, drag};
use super::theme::unsigned_zero;
use egui::emath::Numeric;
use egui::{Color32, Response, Ui, WidgetInfo, WidgetType};
use glam::Vec3;

/// Width of the button that sets a value back to its default, points.
const RESET_WIDTH: f32 = 18.0;

/// A heading that opens and closes what stands below it.
pub fn section(ui: &mut Ui, title: &str, open: bool, body: impl FnOnce(&mut Ui)) {
    below(ui, egui::CollapsingHeader::new(egui::RichText::new(title).strong()).default_open(open), body);
}

/// Whether a list is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListState {
    /// Open at first.
    Open,
    /// Closed at first.
    Closed,
    /// Open now: what it holds is to be seen.
    Opens,
}

/// The same for a list, with the number of its entries in the heading; it stays open or closed where that number changes.
pub fn list_section(ui: &mut Ui, title: &str, count: usize, state: ListState, body: impl FnOnce(&mut Ui)) {
    let heading = egui::RichText::new(format!("{title} ({count})")).strong();
    let heading = egui::CollapsingHeader::new(heading).id_salt(title).default_open(state == ListState::Open);
    below(ui, heading.open((state == ListState::Opens).then_some(true)), body);
}

fn below(ui: &mut Ui, heading: egui::CollapsingHeader, body: impl FnOnce(&mut Ui)) {
    heading.show_unindented(ui, |ui| {
        ui.add_space(2.0);
        body(ui);
        ui.add_space(6.0);
    });
}

/// A grid of labels and values with aligned columns.
pub fn form(ui: &mut Ui, id: &str, body: impl FnOnce(&mut Ui)) {
    egui::Grid::new(id).num_columns(2).min_col_width(84.0).spacing([8.0, 6.0]).show(ui, body);
}

/// A row with a label, a number, and, while it differs from its default, a button that sets it back. Changed by either.
pub fn number_or<N: Numeric>(
    ui: &mut Ui,
    label: &str,
    help: &str,
    (value, default): (&mut N, N),
    drag: Drag,
) -> Response {
    let name = ui.label(label).on_hover_text(help);
    let response = ui
        .horizontal(|ui| {
            let response = drag.show(ui, value, help).labelled_by(name.id);
            reset(ui, label, value, default, response)
        })
        .inner;
    ui.end_row();
    response
}

/// A number without a label beside it, which `name` names, and the button that sets it back. Changed by either.
pub fn value_or<N: Numeric>(
    ui: &mut Ui,
    name: &str,
    help: &str,
    (value, default): (&mut N, N),
    drag: Drag,
) -> Response {
    let response = drag.show(ui, value, help);
    response.widget_info(|| WidgetInfo::labeled(WidgetType::DragValue, true, name));
    reset(ui, name, value, default, response)
}

/// The button that sets a value back to its default, beside the widget of `response`; nothing while it has it. The
/// response counts as changed by the button too.
pub fn reset<T: PartialEq>(ui: &mut Ui, label: &str, value: &mut T, default: T, mut response: Response) -> Response {
    if *value == default {
        return response;
    }
    let button = ui.add(egui::Button::new("⟲").small().frame(false).min_size([RESET_WIDTH, 0.0].into()));
    button.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, format!("Reset {label}")));
    if button.on_hover_text("Back to the default").clicked() {
        *value = default;
        response.mark_changed();
    }
    response
}

/// A row with a label, a list to choose from, each choice with its name, and, while another than its default is chosen,
/// a button that sets it back. Returns whether it was changed by either.
pub fn choice<'a, T: Copy + PartialEq>(
    ui: &mut Ui,
    label: &str,
    help: &str,
    (value, default): (&mut T, T),
    all: &[T],
    named: impl Fn(T) -> &'a str,
) -> bool {
    let name = ui.label(label).on_hover_text(help);
    let before = *value;
    ui.horizontal(|ui| {
        let beside = if before == default { 4.0 } else { 4.0 + ui.spacing().item_spacing.x + RESET_WIDTH };
        let width = choice_width(ui, 150.0, beside);
        let list = egui::ComboBox::from_id_salt(label).selected_text(named(before)).width(width);
        let shown = list.truncate().show_ui(ui, |ui| {
            for &one in all {
                choice_row(ui, value, one, named(one));
            }
        });
        reset(ui, label, value, default, shown.response.labelled_by(name.id).on_hover_text(help));
    });
    ui.end_row();
    *value != before
}

/// A number with so many decimals; what rounds to zero has no sign.
pub fn fixed(value: f32, decimals: usize) -> String {
    unsigned_zero(format!("{value:.decimals$}"))
}

/// Three coordinates in metres.
pub fn coordinates(at: Vec3, decimals: usize) -> String {
    let [x, y, z] = at.to_array().map(|value| fixed(value, decimals));
    format!("{x}  {y}  {z} m")
}

/// Whether Return was pressed in a search field: it takes the first hit.
pub fn takes_first(ui: &Ui, field: &egui::Response) -> bool {
    field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter))
}

/// Scrolls to a row of a list once it is selected, and not again while it stays so.
pub fn follow_selected(ui: &Ui, list: &'static str, number: usize, row: &egui::Response) {
    let id = egui::Id::new(list);
    if ui.data(|data| data.get_temp(id)) != Some(number) {
        ui.data_mut(|data| data.insert_temp(id, number));
        row.scroll_to_me(None);
    }
}

/// Colours of the axes, as those of the handles in the viewport.
pub(super) const AXIS_COLORS: [Color32; 3] =
    [Color32::from_rgb(224, 82, 82), Color32::from_rgb(96, 184, 84), Color32::from_rgb(84, 136, 236)];

/// A row with a label and three numbers, and a button that sets them back while they differ from `default`.
pub fn vector(ui: &mut Ui, label: &str, help: &str, (value, default): (&mut Vec3, Vec3), drag: Drag) -> Response {
    let (unit, drag) = drag.without_unit();
    let name = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let name = ui.label(label).on_hover_text(help);
        ui.weak(unit);
        name
    });
    let name = name.inner;
    let response = ui
        .horizontal(|ui| {
            let gap = 3.0;
            ui.spacing_mut().item_spacing.x = gap;
            // All three are to be seen in a narrow panel, too.
            let beside = if *value == default { 2.0 * gap } else { 3.0 * gap + RESET_WIDTH };
            let width = ((ui.available_width() - beside) / 3.0).clamp(36.0, 58.0);
            let mut all: Option<Response> = None;
            for (i, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
                let help = format!("{axis} in {unit}. {help}");
                let one = drag.show_sized(ui, Some(width), &mut value[i], &help).labelled_by(name.id);
                let mark = egui::Rect::from_min_size(one.rect.min, egui::vec2(3.0, one.rect.height()));
                ui.painter().rect_filled(mark, 1.5, AXIS_COLORS[i]);
                all = Some(all.map_or(one.clone(), |all| all | one));
            }
            all.map(|all| reset(ui, label, value, default, all))
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

/// A button that stays down while it is on: it looks like one while it is off, too.
pub fn toggle(ui: &mut Ui, is_on: bool, label: &str) -> Response {
    ui.add(egui::Button::new(label).selected(is_on))
}

/// A row with a switch, and, while it is not as it is at first, a button that sets it back. Changed by either.
pub fn switch(ui: &mut Ui, label: &str, help: &str, (value, default): (&mut bool, bool)) -> Response {
    ui.label("");
    let response = ui.horizontal(|ui| {
        let response = ui.checkbox(value, label).on_hover_text(help);
        reset(ui, label, value, default, response)
    });
    ui.end_row();
    response.inner
}
