//! The models that can be put into the scene, as pictures: a double click or a drag into the picture adds one.

use crate::ui::assets::{AssetFile, Dragged, ThumbnailState};
use crate::ui::command::Command;
use crate::ui::theme::{color, ink};
use crate::ui::widgets::takes_first;
use crate::ui::{UiContext, UiState};
use egui::{Align2, Color32, FontId, Rect, RichText, ScrollArea, Sense, Ui, Vec2, vec2};

/// Edge of a picture, and height of the name below it, points.
const EDGE: f32 = 112.0;
const NAME_HEIGHT: f32 = 20.0;
/// Between two pictures, points.
const GAP: f32 = 8.0;

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    ui.add_space(4.0);
    let enter = ui.horizontal_wrapped(|ui| {
        let field = egui::TextEdit::singleline(&mut state.asset_search).hint_text("Search models").desired_width(220.0);
        let response = ui.add(field);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "Search models"));
        ui.weak("Double click a model, or drag it into the viewport.");
        takes_first(ui, &response)
    });
    ui.add_space(4.0);
    let search = state.asset_search.trim().to_lowercase();
    let files: Vec<&AssetFile> =
        cx.models.iter().filter(|file| search.is_empty() || file.name.to_lowercase().contains(&search)).collect();
    if files.is_empty() {
        ui.weak(if cx.models.is_empty() {
            "No models were found beside the scene. Drop a model file on the window."
        } else {
            "No model has such a name."
        });
        return;
    }
    let first = files.first().filter(|file| enter.inner && !search.is_empty() && !is_failed(file));
    out.extend(first.map(|file| Command::PlaceFile(file.path.clone(), None)));
    let columns = ((ui.available_width() - 12.0) / (EDGE + GAP)).floor().max(1.0) as usize;
    let rows = files.len().div_ceil(columns);
    ui.spacing_mut().item_spacing = Vec2::splat(GAP);
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, EDGE + NAME_HEIGHT, rows, |ui, range| {
        for row in range {
            ui.horizontal(|ui| {
                for file in files.iter().skip(row * columns).take(columns) {
                    cell(ui, file, out);
                }
            });
        }
    });
}

fn is_failed(file: &AssetFile) -> bool {
    matches!(file.look, ThumbnailState::Failed(_))
}

/// One model.
fn cell(ui: &mut Ui, file: &AssetFile, out: &mut Vec<Command>) {
    let (rect, response) = ui.allocate_exact_size(vec2(EDGE, EDGE + NAME_HEIGHT), Sense::click_and_drag());
    let usable = !is_failed(file);
    let label = format!("Model {}", file.name);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, usable, label.as_str()));
    let picture = Rect::from_min_size(rect.min, Vec2::splat(EDGE));
    paint(ui, file, rect, picture, response.hovered() || response.has_focus());
    let path = file.path.display();
    let response = match &file.look {
        ThumbnailState::Failed(why) => response.on_hover_text(format!("{path}\nIt cannot be used: {why}")),
        ThumbnailState::NotMade => response.on_hover_text(format!(
            "{path}\nNo picture was made: there are too many models.\nDouble click, or Return: put one into the scene."
        )),
        _ => response.on_hover_text(format!("{path}\nDouble click, or Return: put one into the scene.")),
    };
    if !usable {
        return;
    }
    response.dnd_set_drag_payload(Dragged(file.path.clone()));
    let is_taken = response.has_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
    if response.double_clicked() || is_taken {
        out.push(Command::PlaceFile(file.path.clone(), None));
    }
    if response.dragged()
        && let Some(at) = ui.input(|input| input.pointer.hover_pos())
    {
        ui.ctx().set_cursor_icon(egui::CursorIcon::Grabbing);
        let layer = egui::LayerId::new(egui::Order::Tooltip, ui.id().with("dragged"));
        let painter = ui.ctx().layer_painter(layer);
        let ghost = Rect::from_center_size(at, Vec2::splat(EDGE * 0.6));
        match &file.look {
            ThumbnailState::Picture(texture) => painter.image(texture.id(), ghost, UV, Color32::from_white_alpha(190)),
            _ => painter.rect_filled(ghost, 6.0, color::ACCENT.gamma_multiply(0.4)),
        };
    }
}

/// All of a texture.
const UV: Rect = Rect { min: egui::Pos2::ZERO, max: egui::pos2(1.0, 1.0) };

fn paint(ui: &mut Ui, file: &AssetFile, rect: Rect, picture: Rect, marked: bool) {
    let painter = ui.painter_at(rect);
    let visuals = ui.visuals();
    painter.rect_filled(picture, 6.0, visuals.extreme_bg_color);
    match &file.look {
        ThumbnailState::Picture(texture) => {
            egui::Image::new((texture.id(), picture.size())).corner_radius(6).paint_at(ui, picture);
        }
        ThumbnailState::Waiting | ThumbnailState::NotMade => {
            let mark = if matches!(file.look, ThumbnailState::Waiting) { "…" } else { "3D" };
            painter.text(
                picture.center(),
                Align2::CENTER_CENTER,
                mark,
                FontId::proportional(22.0),
                visuals.weak_text_color(),
            );
        }
        ThumbnailState::Failed(why) => {
            let text = RichText::new(format!("⚠ {why}")).small().color(ink(ui, color::BAD));
            let inner = picture.shrink(6.0);
            let mut child = ui.new_child(egui::UiBuilder::new().max_rect(inner));
            child.set_clip_rect(inner.intersect(ui.clip_rect()));
            child.add(egui::Label::new(text).wrap().selectable(false));
        }
    }
    if marked {
        let stroke = egui::Stroke::new(1.5, color::ACCENT);
        painter.rect_stroke(picture, 6.0, stroke, egui::StrokeKind::Inside);
    }
    let color = ui.visuals().text_color();
    let mut job = egui::text::LayoutJob::simple_singleline(file.name.clone(), FontId::proportional(12.5), color);
    job.wrap = egui::text::TextWrapping::truncate_at_width(EDGE);
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
    let at = picture.center_bottom() + vec2(-0.5 * galley.size().x, 3.0);
    painter.galley(at, galley, color);
}
