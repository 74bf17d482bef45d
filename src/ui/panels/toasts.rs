//! Notices over the corner of the picture.

use crate::ui::UiContext;
use crate::ui::command::Command;
use crate::ui::theme::ink;
use egui::{Align2, Area, Button, CollapsingHeader, Frame, Id, Order, Rect, RichText, Stroke, Ui, vec2};

/// Draws the toasts in the top right corner of `viewport`.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, viewport: Rect, out: &mut Vec<Command>) {
    if cx.notices.toasts().next().is_none() {
        return;
    }
    let width = 380.0_f32.min(viewport.width() - 24.0).max(160.0);
    Area::new(Id::new("toasts"))
        .order(Order::Foreground)
        .pivot(Align2::RIGHT_TOP)
        .fixed_pos(viewport.right_top() + vec2(-12.0, 12.0))
        .show(ui.ctx(), |ui| {
            for (number, notice) in cx.notices.toasts() {
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
                            for line in notice.details.iter().take(20) {
                                ui.add(egui::Label::new(RichText::new(line).weak()).wrap());
                            }
                        });
                    }
                });
            }
        });
}
