//! The status bar: one line about everything.

use crate::sim::NavStatus;
use crate::ui::command::{Action, Command, info, with_keys};
use crate::ui::dock::Panel;
use crate::ui::theme::{color, ink};
use crate::ui::{Mode, UiContext, UiState, names};
use crate::vocab::counted;
use egui::{Align, Button, Layout, Response, RichText, Ui};

/// Room that frames a second and triangles take, points.
const NUMBERS_WIDTH: f32 = 190.0;
/// Most room for the name of a camera or a file, and for what is selected with what it does, points.
const CAMERA_WIDTH: f32 = 160.0;
const NAME_WIDTH: f32 = 320.0;

/// Draws the bar.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    let status = cx.status;
    ui.horizontal_centered(|ui| {
        let [keys, escape] = [Action::ViewMode, Action::Escape].map(|action| info(action).key_text(ui.ctx()));
        let (mode, help) = match state.mode {
            Mode::Edit => ("Edit mode".to_owned(), "Watch the selected instance without panels"),
            Mode::View => (format!("View mode – {keys} or {escape} brings the panels back"), "Back to edit mode"),
        };
        let button = Button::new(mode).selected(state.mode == Mode::View);
        if ui.add(button).on_hover_text(with_keys(ui.ctx(), help, Action::ViewMode)).clicked() {
            out.push(Command::Run(Action::ViewMode));
        }
        ui.separator();
        let (mode, tint) = if status.playing { ("▶ Playing", color::GOOD) } else { ("⏸ Paused", color::WARN) };
        ui.label(RichText::new(mode).color(ink(ui, tint)));
        ui.separator();
        let camera = status.camera.and_then(|id| cx.scene.cameras.get(id));
        short(ui, camera.map_or("Free flight", |camera| camera.name.as_str()), CAMERA_WIDTH).on_hover_text("Camera");
        ui.separator();
        people(ui, cx);
        if let Some((id, live)) = cx.selection.instance.and_then(|id| Some((id, cx.world.live(id)?))) {
            ui.separator();
            let speed = live.now.velocity.with_y(0.0).length();
            let does = names::interrupted_walk(&live.nav, live.state);
            let does = does.unwrap_or_else(|| format!("{}, {speed:.1} m/s", live.state.label()));
            short(ui, &format!("{}: {does}", names::instance_name(cx.scene, id)), NAME_WIDTH);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            // Where there is no room, what is selected and what people do comes first.
            if ui.available_width() > NUMBERS_WIDTH * 0.5 {
                let digits = usize::from(status.fps < 2.0);
                let fps = ui.label(format!("{:.digits$} fps", status.fps));
                fps.on_hover_text(format!("Drawn by {}", status.adapter));
            }
            if ui.available_width() > NUMBERS_WIDTH {
                ui.separator();
                ui.label(format!("{} triangles", grouped(status.triangles)));
            }
            if let Some((done, total)) = status.export {
                ui.separator();
                // Nothing turns here: that would draw the window all the time, and pictures need the processor.
                let text = format!("image {done} of {total}");
                if ui.button(text).on_hover_text("Pictures are being written: open their window").clicked() {
                    state.export.open = true;
                }
            }
            let (done, total) = status.imports;
            if done < total {
                ui.separator();
                ui.spinner();
                ui.label(format!("{done} of {total} models"));
            }
            for (verb, name) in [("reading", &status.reading), ("saving", &status.saving)] {
                if let Some(name) = name {
                    ui.separator();
                    ui.spinner();
                    short(ui, &format!("{verb} {name}"), CAMERA_WIDTH);
                }
            }
            if cx.world.is_building() {
                ui.separator();
                ui.spinner();
                ui.label("building the ground");
            }
            let errors = cx.notices.all().iter().filter(|n| n.level >= crate::ui::notices::Level::Warning).count();
            if errors > 0 {
                ui.separator();
                let text = RichText::new(format!("⚠ {errors}")).color(ink(ui, color::WARN));
                if ui
                    .button(text)
                    .on_hover_text(with_keys(ui.ctx(), "Warnings and errors: open the log", Action::Log))
                    .clicked()
                {
                    state.open_panel(Panel::Log);
                }
            }
        });
    });
}

/// A text that ends in dots where it is wider: names may be of any length.
fn short(ui: &mut Ui, text: &str, most: f32) -> Response {
    let shown = ui.scope(|ui| {
        ui.set_max_width(most.min(ui.available_width()));
        ui.add(egui::Label::new(text).truncate())
    });
    shown.inner
}

/// How many instances there are and how they get on, and the agents of crowds.
fn people(ui: &mut Ui, cx: &UiContext<'_>) {
    let (walking, arrived, failed) = tally(cx);
    ui.label(counted(cx.scene.instances.len(), "instance"));
    if walking + arrived + failed > 0 {
        ui.label(RichText::new(format!("{walking} walking")).color(ink(ui, color::INFO)));
        ui.label(RichText::new(format!("{arrived} arrived")).color(ink(ui, color::GOOD)));
    }
    if failed > 0 {
        ui.label(RichText::new(format!("{failed} without path")).color(ink(ui, color::BAD)));
    }
    let agents = cx.inspector.crowd().iter().count();
    if agents > 0 {
        ui.label(counted(agents, "agent")).on_hover_text("Agents of the crowds that the tool Crowd has placed");
    }
}

/// How many walk, have arrived, have no path.
fn tally(cx: &UiContext<'_>) -> (usize, usize, usize) {
    cx.world.iter().fold((0, 0, 0), |(walking, arrived, failed), (_, live)| match live.nav {
        NavStatus::Walking | NavStatus::Waiting => (walking + 1, arrived, failed),
        NavStatus::Arrived => (walking, arrived + 1, failed),
        NavStatus::Failed(_) => (walking, arrived, failed + 1),
        NavStatus::Off => (walking, arrived, failed),
    })
}

/// A number with thin spaces between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1234567), "1\u{2009}234\u{2009}567");
        assert_eq!(grouped(999), "999");
    }
}
