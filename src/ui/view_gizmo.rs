//! The view gizmo in a corner of the viewport: the axes as the camera sees them. A click on one looks along it, a drag
//! orbits.

use super::UiContext;
use super::command::{Action, Command, info, tip, with_keys};
use super::widgets::AXIS_COLORS;
use egui::{Align2, Color32, CursorIcon, FontId, Pos2, Rect, Sense, Stroke, Ui, Vec2, vec2};
use glam::Vec3;

/// Length of an axis, points.
const ARM: f32 = 34.0;
/// Radius of the disc at its end, points.
const BALL: f32 = 9.0;
/// Distance from the edges of the viewport, points.
const GAP: f32 = 12.0;
/// Size of the button below, points.
const LENS: Vec2 = vec2(92.0, 18.0);
/// Width of the corner that it takes, points.
pub const WIDTH: f32 = 2.0 * (ARM + BALL + GAP);
/// The smallest viewport that has one, points.
const MIN_SIDE: f32 = 240.0;

/// Each end of an axis: its direction, what looks from there, the letter of a positive one.
const ENDS: [(Vec3, Action, &str); 6] = [
    (Vec3::X, Action::ViewRight, "X"),
    (Vec3::NEG_X, Action::ViewLeft, ""),
    (Vec3::Y, Action::ViewTop, "Y"),
    (Vec3::NEG_Y, Action::ViewBottom, ""),
    (Vec3::Z, Action::ViewFront, "Z"),
    (Vec3::NEG_Z, Action::ViewBack, ""),
];

/// Draws it. Returns the mouse travel of a drag, which orbits.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, viewport: Rect, out: &mut Vec<Command>) -> Vec2 {
    let Some((_, ahead)) = cx.status.eye.filter(|_| viewport.width().min(viewport.height()) > MIN_SIDE) else {
        return Vec2::ZERO;
    };
    let center = viewport.right_top() + vec2(-0.5 * WIDTH, 0.5 * WIDTH);
    let right = ahead.cross(Vec3::Y).try_normalize().unwrap_or(Vec3::X);
    let up = right.cross(ahead);
    let place = |axis: Vec3| center + vec2(axis.dot(right), -axis.dot(up)) * ARM;
    let ground = Rect::from_center_size(center, Vec2::splat(2.0 * (ARM + BALL)));
    let drag = ui.interact(ground, ui.id().with("view gizmo"), Sense::drag()).on_hover_cursor(CursorIcon::Grab);
    if drag.hovered() || drag.dragged() {
        ui.painter_at(viewport).circle_filled(center, ARM + BALL, ui.visuals().window_fill.gamma_multiply(0.7));
    }
    let mut travel = drag.drag_delta();
    // The nearest last: it lies over the others, and is the one that is clicked.
    let mut ends = ENDS;
    ends.sort_by(|a, b| b.0.dot(ahead).total_cmp(&a.0.dot(ahead)));
    for (axis, action, letter) in ends {
        travel += end(ui, viewport, [center, place(axis)], (axis, action, letter), out);
    }
    let label = if cx.status.is_orthographic { "Orthographic" } else { "Perspective" };
    let at = Rect::from_center_size(center + vec2(0.0, ARM + BALL + 14.0), LENS);
    let button = ui.put(at, egui::Button::new(egui::RichText::new(label).size(11.5)).small());
    let name = info(Action::Orthographic).label;
    button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, format!("{name} view")));
    if button.on_hover_text(tip(ui.ctx(), Action::Orthographic)).clicked() {
        out.push(Command::Run(Action::Orthographic));
    }
    travel
}

/// One end of an axis. Returns the travel of a drag that began on it.
fn end(
    ui: &Ui,
    viewport: Rect,
    [center, at]: [Pos2; 2],
    (axis, action, letter): (Vec3, Action, &str),
    out: &mut Vec<Command>,
) -> Vec2 {
    let color = AXIS_COLORS[[axis.x, axis.y, axis.z].iter().position(|c| *c != 0.0).unwrap_or(0)];
    let ball = Rect::from_center_size(at, Vec2::splat(2.0 * BALL));
    let label = format!("Look {}", info(action).label.to_lowercase());
    let response = ui.interact(ball, ui.id().with(&label), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, label.as_str()));
    let painter = ui.painter_at(viewport);
    let rim = if response.hovered() { Stroke::new(2.0, Color32::WHITE) } else { Stroke::new(1.5, color) };
    if letter.is_empty() {
        painter.circle(at, BALL - 2.0, color.gamma_multiply(0.35), rim);
    } else {
        painter.line_segment([center, at], Stroke::new(2.5, color));
        painter.circle(at, BALL, color, rim);
        painter.text(at, Align2::CENTER_CENTER, letter, FontId::proportional(12.0), Color32::BLACK);
    }
    if response.clicked() {
        out.push(Command::Run(action));
    }
    let delta = response.drag_delta();
    response.on_hover_text(with_keys(ui.ctx(), info(action).help, action));
    delta
}
