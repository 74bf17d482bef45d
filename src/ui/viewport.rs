//! The part of the window that shows the scene, and what the mouse does in it.

use super::command::{Action, Command, Purpose, info};
use super::nav_tools::{NavTools, Tool, ToolInfo, answer};
use super::viewport_input::ViewportInput;
use super::{Mode, UiContext, UiState};
use crate::scene::nav::MeshSource;
use egui::{Align2, FontId, Rect, Sense, Ui, Vec2, vec2};

/// Wheel travel of one notch, points.
const NOTCH: f32 = 50.0;
/// Mouse travel with Alt and the right button that brings as much nearer as a notch, points.
const NEARER: f32 = 25.0;

/// Takes the space that is left and returns what is done in it.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &UiState, out: &mut Vec<Command>) -> ViewportInput {
    let nav_tools = &state.nav_tools;
    let rect = ui.available_rect_before_wrap();
    let response = ui.allocate_rect(rect, Sense::click_and_drag());
    let round = goes_round(ui);
    let dragged = response.dragged_by(egui::PointerButton::Secondary);
    let looking = dragged && !round;
    let (mut orbit, pan) = around(ui, &response, round, moves_selected(cx, state));
    if dragged || orbit != Vec2::ZERO || pan != Vec2::ZERO {
        ui.ctx().set_cursor_icon(egui::CursorIcon::Grabbing);
    }
    empty_scene(ui, cx, rect, out);
    hints(ui, cx, rect);
    super::legend::show(ui, cx, rect);
    if state.mode == Mode::Edit {
        orbit += super::view_gizmo::show(ui, cx, rect, out);
    }
    bone_names(ui, cx, rect);
    if cx.status.captures_cursor {
        ui.ctx().set_cursor_icon(egui::CursorIcon::None);
        let keys = info(Action::Escape).key_text(ui.ctx());
        drag_hint(ui, rect, &format!("Mouse: turn   W A S D: walk   Shift: run   {keys}: give the cursor back"));
    }
    if let Some(tool) = nav_tools.tool.info() {
        if response.hovered() && !looking {
            ui.ctx().set_cursor_icon(egui::CursorIcon::Crosshair);
        }
        tool_hint(ui, rect, tool, nav_tools, cx);
    }
    if let Some(text) = &state.drag_text {
        drag_hint(ui, rect, text);
    } else if nav_tools.tool == Tool::None && state.mode == Mode::Edit {
        usual_hint(ui, cx, rect);
    }
    if let Some((marquee, _)) = state.marquee {
        let box_of = Rect::from_two_pos(marquee.min, marquee.max);
        let accent = super::theme::color::ACCENT;
        let stroke = egui::Stroke::new(1.0, accent);
        ui.painter_at(rect).rect(box_of, 0.0, accent.gamma_multiply(0.15), stroke, egui::StrokeKind::Inside);
    }
    if let Some(dragged) = response.dnd_release_payload::<super::assets::Dragged>() {
        out.push(Command::PlaceFile(dragged.0.clone(), ui.input(|i| i.pointer.interact_pos())));
    }
    let preview_rect = preview_rect(ui, cx, rect, out);
    let at = response.interact_pointer_pos();
    let (pressed, down, modifiers) = ui.input(|i| (i.pointer.primary_pressed(), i.pointer.primary_down(), i.modifiers));
    let held = response.is_pointer_button_down_on() && down;
    let wheel = if response.hovered() {
        ui.input(|i| i.smooth_scroll_delta.y + if i.modifiers.shift { i.smooth_scroll_delta.x } else { 0.0 }) / NOTCH
    } else {
        0.0
    };
    let middle_drag = if dragged && round { -response.drag_delta().y / NEARER } else { 0.0 };
    ViewportInput {
        press: at.filter(|_| pressed && !round && (held || response.clicked())),
        drag: at.filter(|_| held && !pressed && !round),
        release: at.filter(|_| response.drag_stopped_by(egui::PointerButton::Primary) || response.clicked()),
        orbit,
        pan,
        nearer: if round { wheel + middle_drag } else { 0.0 },
        middle_drag: by(&response, egui::PointerButton::Middle),
        middle_drag_begins: response.drag_started_by(egui::PointerButton::Middle),
        shift: modifiers.shift,
        command: modifiers.command,
        rect,
        look: if looking { response.drag_delta() } else { Vec2::ZERO },
        wheel_notches: if round { 0.0 } else { wheel },
        click: (response.clicked() && !round).then(|| response.interact_pointer_pos()).flatten(),
        hover: response.hover_pos(),
        preview_rect,
    }
}

/// Whether drags of the left button go round: while Alt is held, which many window managers take for themselves, or O.
fn goes_round(ui: &Ui) -> bool {
    let typing = ui.ctx().egui_wants_keyboard_input();
    ui.input(|i| i.modifiers.alt || !typing && !i.modifiers.command && i.key_down(egui::Key::O))
}

/// Whether the middle button moves what is selected, and not the view.
fn moves_selected(cx: &UiContext<'_>, state: &UiState) -> bool {
    cx.selection.instance.is_some() && state.nav_tools.tool == Tool::None && state.mode == Mode::Edit
}

fn by(response: &egui::Response, button: egui::PointerButton) -> Vec2 {
    if response.dragged_by(button) { response.drag_delta() } else { Vec2::ZERO }
}

/// Mouse travel that orbits, and that shifts the view: with Shift.
fn around(ui: &Ui, response: &egui::Response, round: bool, moves_selected: bool) -> (Vec2, Vec2) {
    let left = if round { by(response, egui::PointerButton::Primary) } else { Vec2::ZERO };
    let middle = if moves_selected { Vec2::ZERO } else { by(response, egui::PointerButton::Middle) };
    if ui.input(|i| i.modifiers.shift) { (Vec2::ZERO, left + middle) } else { (left + middle, Vec2::ZERO) }
}

/// Width of the small picture as a share of the large one, and its limits, points.
const INSET: f32 = 0.27;
const INSET_WIDTH: [f32; 2] = [140.0, 360.0];
/// Its distance from the edges, points.
const INSET_GAP: f32 = 12.0;

/// The frame and the name of the small picture of what the selected camera sees; where it lies.
fn preview_rect(ui: &mut Ui, cx: &UiContext<'_>, rect: Rect, out: &mut Vec<Command>) -> Option<Rect> {
    let id = cx.status.preview_camera?;
    let name = &cx.scene.cameras.get(id)?.name;
    let width = (rect.width() * INSET).clamp(INSET_WIDTH[0], INSET_WIDTH[1]);
    let size = vec2(width, width * rect.height() / rect.width().max(1.0));
    if size.x + 2.0 * INSET_GAP > rect.width() || size.y + 2.0 * INSET_GAP > rect.height() {
        return None;
    }
    let at = Rect::from_min_size(rect.right_bottom() - size - Vec2::splat(INSET_GAP), size);
    let response = ui.interact(at, ui.id().with("inset"), Sense::click());
    let text = format!("Preview of {name}");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Image, true, text.as_str()));
    if response.on_hover_text("What the selected camera sees. Double click: look through it.").double_clicked() {
        out.push(Command::UseCamera(id));
    }
    let painter = ui.painter_at(rect);
    let accent = super::theme::color::ACCENT;
    painter.rect_stroke(at, 0.0, egui::Stroke::new(1.5, accent), egui::StrokeKind::Outside);
    let galley = painter.layout_no_wrap(name.clone(), FontId::proportional(12.5), egui::Color32::WHITE);
    let back = Rect::from_min_size(at.min, vec2(at.width(), galley.size().y + 6.0));
    painter.rect_filled(back, 0.0, egui::Color32::from_black_alpha(150));
    painter.with_clip_rect(back).galley(at.min + vec2(6.0, 3.0), galley, egui::Color32::WHITE);
    let close = Rect::from_center_size(back.right_center() - vec2(12.0, 0.0), Vec2::splat(16.0));
    let close = ui.put(close, egui::Button::new("✖").small().frame(false));
    let help = "Hide this preview; View, Camera preview shows it again.";
    close.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Hide preview"));
    if close.on_hover_text(help).clicked() {
        out.push(Command::Run(Action::CameraPreview));
    }
    Some(at)
}

/// Names of bones, each with a dot at its bone. A name that would cover another is left out, that of the bone that is
/// looked at never.
fn bone_names(ui: &Ui, cx: &UiContext<'_>, rect: Rect) {
    let painter = ui.painter_at(rect);
    let (chosen, others): (Vec<_>, Vec<_>) = cx.status.bones.iter().partition(|label| label.chosen);
    let mut taken: Vec<Rect> = Vec::new();
    for label in chosen.into_iter().chain(others) {
        let at = rect.lerp_inside(Vec2::from(label.at));
        let color = if label.chosen { super::theme::color::ACCENT } else { egui::Color32::WHITE };
        painter.circle_filled(at, if label.chosen { 4.5 } else { 2.0 }, color);
        let galley = painter.layout_no_wrap(label.name.clone(), FontId::proportional(10.5), color);
        let back = Rect::from_min_size(at + vec2(6.0, -0.5 * galley.size().y), galley.size());
        if taken.iter().any(|other| other.intersects(back)) {
            continue;
        }
        taken.push(back);
        painter.rect_filled(back.expand(1.5), 2.0, egui::Color32::from_black_alpha(140));
        painter.galley(back.min, galley, color);
    }
}

/// Size of what stands in the middle of an empty scene, points.
const EMPTY_SIZE: Vec2 = vec2(360.0, 140.0);

/// What can be done with an empty scene, as buttons.
fn empty_scene(ui: &mut Ui, cx: &UiContext<'_>, rect: Rect, out: &mut Vec<Command>) {
    let has_mesh = matches!(cx.scene.nav.mesh, MeshSource::File(_));
    let is_empty = cx.scene.levels.is_empty() && cx.scene.instances.is_empty() && !has_mesh;
    if !is_empty || rect.width() < EMPTY_SIZE.x + 40.0 || rect.height() < EMPTY_SIZE.y + 40.0 {
        return;
    }
    let at = Rect::from_center_size(rect.center(), EMPTY_SIZE);
    // Darker than its buttons. The panels' own colour is clear in the viewport.
    ui.painter_at(rect).rect_filled(at.expand(14.0), 8.0, ui.visuals().extreme_bg_color.gamma_multiply(0.9));
    let layout = egui::Layout::top_down(egui::Align::Center);
    ui.scope_builder(egui::UiBuilder::new().max_rect(at).layout(layout), |ui| {
        ui.label(egui::RichText::new("This scene is empty.").size(16.0));
        let keys = info(Action::Open).key_text(ui.ctx());
        ui.weak(format!("Drop a scene or a model file here, or press {keys}."));
        let size = vec2(EMPTY_SIZE.x, 24.0);
        if ui
            .add_sized(size, egui::Button::new("Open a level…"))
            .on_hover_text("Ground and walls to walk on.")
            .clicked()
        {
            out.push(Command::Ask(Purpose::Level));
        }
        let sample = super::samples::SAMPLES[0];
        let label = format!("Open the sample {}", sample.title.to_lowercase());
        if ui.add_sized(size, egui::Button::new(label)).on_hover_text(sample.help).clicked() {
            out.push(Command::OpenSample(sample.file));
        }
        let models = "Add a character or a thing…";
        if ui.add_sized(size, egui::Button::new(models)).on_hover_text(info(Action::Assets).help).clicked() {
            out.push(Command::Run(Action::Assets));
        }
    });
}

/// What the mouse does while no tool is at hand, in a line over the lower edge of the picture; the half of it where all has
/// no room.
fn usual_hint(ui: &Ui, cx: &UiContext<'_>, rect: Rect) {
    let texts = if cx.selection.instance.is_some() {
        [
            "Drag a handle: move, turn, scale · F: look at it · Esc: deselect · right drag: look · W A S D: fly",
            "Drag a handle: move, turn, scale · F: look at it · Esc: deselect",
        ]
    } else {
        [
            "Click: select · right drag: look · W A S D: fly · middle drag: orbit · wheel: zoom · Home: show all",
            "Click: select · right drag: look · W A S D: fly · Home: show all",
        ]
    };
    let painter = ui.painter_at(rect);
    let color = ui.visuals().weak_text_color();
    for text in texts {
        let galley = painter.layout_no_wrap(text.into(), FontId::proportional(12.0), color);
        let bar = Rect::from_center_size(rect.center_bottom() - vec2(0.0, 14.0), galley.size() + vec2(16.0, 6.0));
        if bar.width() + 20.0 < rect.width() {
            painter.rect_filled(bar, 6.0, ui.visuals().window_fill.gamma_multiply(0.8));
            painter.galley(bar.min + vec2(8.0, 3.0), galley, color);
            return;
        }
    }
}

/// How far the imports are.
fn hints(ui: &Ui, cx: &UiContext<'_>, rect: Rect) {
    let painter = ui.painter_at(rect);
    let visuals = ui.visuals();
    let (done, total) = cx.status.imports;
    if done < total {
        let bar = Rect::from_center_size(rect.center_bottom() - vec2(0.0, 34.0), vec2(260.0, 34.0));
        painter.rect_filled(bar, 6.0, visuals.window_fill.gamma_multiply(0.9));
        let track = Rect::from_min_size(bar.left_bottom() + vec2(10.0, -10.0), vec2(bar.width() - 20.0, 4.0));
        painter.rect_filled(track, 2.0, visuals.extreme_bg_color);
        let filled = Rect::from_min_size(track.min, vec2(track.width() * done as f32 / total.max(1) as f32, 4.0));
        painter.rect_filled(filled, 2.0, super::theme::color::ACCENT);
        let text = format!("Importing models: {done} of {total}");
        let at = bar.center_top() + vec2(0.0, 4.0);
        painter.text(at, Align2::CENTER_TOP, text, FontId::proportional(14.0), visuals.text_color());
    }
}

/// A line of text over the lower edge of the picture.
fn drag_hint(ui: &Ui, rect: Rect, text: &str) {
    let painter = ui.painter_at(rect);
    let visuals = ui.visuals();
    let galley = painter.layout_no_wrap(text.into(), FontId::monospace(14.0), visuals.strong_text_color());
    let bar = Rect::from_center_size(rect.center_bottom() - vec2(0.0, 30.0), galley.size() + vec2(24.0, 12.0));
    painter.rect_filled(bar, 8.0, visuals.window_fill.gamma_multiply(0.92));
    painter.galley(bar.min + vec2(12.0, 6.0), galley, visuals.strong_text_color());
}

/// Over the picture: what a click does, and below what was found.
fn tool_hint(ui: &Ui, rect: Rect, tool: &ToolInfo, nav_tools: &NavTools, cx: &UiContext<'_>) {
    let painter = ui.painter_at(rect);
    let visuals = ui.visuals();
    let pending = nav_tools.tool.joins() && nav_tools.joint.is_some();
    let hint = if nav_tools.is_drawing() {
        "Click: a corner · click the first, or Enter: close"
    } else if pending {
        "Click: where it ends"
    } else {
        tool.hint
    };
    let found = answer::of_tool(tool.tool, cx.inspector.query(), &cx.scene.nav.probe);
    let found = nav_tools.missed.map(str::to_owned).or(found).map_or(String::new(), |found| format!("\n{found}"));
    let text = format!("{}   {hint} · Esc: done{found}", tool.label);
    let width = (rect.width() - 2.0 * super::view_gizmo::WIDTH).max(60.0);
    let galley = painter.layout(text, FontId::proportional(14.0), visuals.strong_text_color(), width);
    let bar = Rect::from_center_size(rect.center_top() + vec2(0.0, 24.0), galley.size() + vec2(24.0, 12.0));
    let bar = bar.translate(vec2(0.0, (galley.size().y - 16.0).max(0.0) * 0.5));
    painter.rect_filled(bar, 8.0, visuals.window_fill.gamma_multiply(0.92));
    painter.rect_stroke(bar, 8.0, egui::Stroke::new(1.0, super::theme::color::ACCENT), egui::StrokeKind::Inside);
    painter.galley(bar.min + vec2(12.0, 6.0), galley, visuals.strong_text_color());
}
