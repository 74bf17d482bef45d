//! Notices over the corner of the picture.

use crate::ui::UiContext;
use crate::ui::command::Command;
use crate::ui::notices::Notice;
use crate::ui::theme::ink;
use egui::{Align2, Area, Button, CollapsingHeader, Frame, Id, Order, Rect, RichText, ScrollArea, Stroke, Ui, vec2};

/// Height of the details of a notice from which on they are scrolled, points.
const MAX_DETAILS: f32 = 220.0;
/// Most details that are shown.
const MAX_LINES: usize = 20;
/// Distance of the toasts from the edges, points.
const MARGIN: f32 = 12.0;

/// How many toasts fit on the screen, since the newest of them came.
#[derive(Clone, Copy, Debug)]
struct ToastFit {
    newest: usize,
    most: usize,
}

/// Draws the toasts in the top right corner of `viewport`; where not all fit, the newest.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, viewport: Rect, out: &mut Vec<Command>) {
    let toasts: Vec<(usize, &Notice)> = cx.notices.toasts().collect();
    let Some(&(newest, _)) = toasts.last() else { return };
    let id = Id::new("toasts that fit");
    let fit = ui.data(|data| data.get_temp::<ToastFit>(id)).filter(|fit| fit.newest == newest);
    let most = fit.map_or(toasts.len(), |fit| fit.most.min(toasts.len()));
    let corner = viewport.right_top() + vec2(-MARGIN, MARGIN);
    let width = 380.0_f32.min(viewport.width() - 2.0 * MARGIN).max(160.0);
    let shown = &toasts[toasts.len() - most..];
    let area = Area::new(Id::new("toasts")).order(Order::Foreground).pivot(Align2::RIGHT_TOP).fixed_pos(corner);
    let drawn = area.show(ui.ctx(), |ui| {
        for (number, notice) in shown {
            toast(ui, *number, notice, width, out);
        }
    });
    let room = ui.ctx().content_rect().bottom() - corner.y - MARGIN;
    if drawn.response.rect.height() > room && most > 1 {
        // Those that are left out are in the log.
        ui.data_mut(|data| data.insert_temp(id, ToastFit { newest, most: most - 1 }));
        ui.ctx().request_repaint();
    }
}

fn toast(ui: &mut Ui, number: usize, notice: &Notice, width: f32, out: &mut Vec<Command>) {
    let stroke = Stroke::new(1.0, notice.level.color());
    Frame::popup(ui.style()).stroke(stroke).inner_margin(10).show(ui, |ui| {
        ui.set_width(width);
        ui.horizontal_top(|ui| {
            ui.label(RichText::new(notice.level.label()).color(ink(ui, notice.level.color())).strong());
            ui.with_layout(egui::Layout::right_to_left(egui::Align::TOP), |ui| {
                if ui.add(Button::new("✖").frame(false)).on_hover_text("Close").clicked() {
                    out.push(Command::CloseNotice(number));
                }
            });
        });
        let times = if notice.count > 1 { format!(" (×{})", notice.count) } else { String::new() };
        ui.add(egui::Label::new(format!("{}{times}", notice.text)).wrap());
        if let Some(offer) = &notice.offer
            && ui.button(&offer.label).clicked()
        {
            out.extend([Command::Notice(offer.action.clone()), Command::CloseNotice(number)]);
        }
        if !notice.details.is_empty() {
            let title = format!("Details ({})", notice.details.len());
            CollapsingHeader::new(title).id_salt(number).show(ui, |ui| {
                ScrollArea::vertical().id_salt(("details", number)).max_height(MAX_DETAILS).show(ui, |ui| {
                    for line in notice.details.iter().take(MAX_LINES) {
                        ui.add(egui::Label::new(RichText::new(line).weak()).wrap());
                    }
                });
                if notice.details.len() > MAX_LINES {
                    ui.weak(format!("{} more in the log", notice.details.len() - MAX_LINES));
                }
            });
        }
    });
}
