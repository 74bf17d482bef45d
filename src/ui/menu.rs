//! The menu bar and the transport controls beside it.

use super::command::{Action, COMMANDS, Command, CommandInfo, MENUS, tip};
use super::dock::PANELS;
use super::viewport::Pull;
use super::{Mode, Shown, UiState};
use egui::{Align, Button, Layout, Ui};

/// Draws the bar.
pub fn bar(ui: &mut Ui, shown: &Shown<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    ui.add_space(3.0);
    egui::MenuBar::new().ui(ui, |ui| {
        for &menu in MENUS {
            ui.menu_button(menu, |ui| {
                ui.set_min_width(220.0);
                entries(ui, menu, shown, state, out);
            });
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| transport(ui, shown, out));
    });
    ui.add_space(3.0);
}

fn entries(ui: &mut Ui, menu: &str, shown: &Shown<'_>, state: &UiState, out: &mut Vec<Command>) {
    for row in COMMANDS.iter().filter(|row| row.menu == menu) {
        if matches!(
            row.action,
            Action::Undo
                | Action::Quit
                | Action::Save
                | Action::ExportPicture
                | Action::Recover
                | Action::Duplicate
                | Action::Focus
        ) && row.action != Action::Undo
        {
            ui.separator();
        }
        entry(ui, row, shown, state, out);
        if row.action == Action::Open {
            recent(ui, shown, out);
        }
    }
    if menu == "View" {
        ui.separator();
        theme_choice(ui, out);
    }
}

/// One command as a menu entry.
fn entry(ui: &mut Ui, row: &CommandInfo, shown: &Shown<'_>, state: &UiState, out: &mut Vec<Command>) {
    let label = match row.action {
        Action::Undo => named("Undo", shown.undo),
        Action::Redo => named("Redo", shown.redo),
        _ => row.label.to_owned(),
    };
    let button = Button::new(label).shortcut_text(row.key_text(ui.ctx())).selected(is_on(row.action, state));
    let response = ui.add_enabled(is_possible(row.action, shown), button).on_hover_text(row.help);
    if response.clicked() {
        out.push(Command::Run(row.action));
        ui.close();
    }
}

fn named(verb: &str, step: Option<&str>) -> String {
    step.map_or_else(|| verb.to_owned(), |step| format!("{verb} {step}"))
}

/// Whether a switch command is on.
fn is_on(action: Action, state: &UiState) -> bool {
    match action {
        Action::ViewMode => state.mode == Mode::View,
        Action::Help => state.help,
        Action::LocalAxes => state.local_axes,
        Action::PullMoves => state.pull == Pull::Move,
        Action::PullTurns => state.pull == Pull::Turn,
        Action::PullScales => state.pull == Pull::Scale,
        Action::CameraPreview => state.preview,
        Action::CreateMany => state.create_many,
        _ => PANELS.iter().any(|row| row.0.action() == Some(action) && state.dock.shows(row.0)),
    }
}

/// Whether a command can do anything now.
pub fn is_possible(action: Action, shown: &Shown<'_>) -> bool {
    match action {
        Action::Undo => shown.undo.is_some(),
        Action::Redo => shown.redo.is_some(),
        // These mean the selected camera too.
        Action::Delete | Action::Duplicate | Action::Focus if shown.camera.is_some() => true,
        Action::Copy | Action::Cut if shown.camera.is_some() => false,
        Action::Delete
        | Action::Duplicate
        | Action::Focus
        | Action::Copy
        | Action::Cut
        | Action::Drop
        | Action::LineUpX
        | Action::LineUpZ
        | Action::TurnAlike => shown.selection.instance.is_some_and(|id| shown.scene.instances.contains(id)),
        Action::FocusTarget => shown
            .selection
            .instance
            .and_then(|id| shown.scene.instances.get(id)?.target)
            .is_some_and(|target| shown.scene.instances.contains(target)),
        Action::NextCamera | Action::PreviousCamera => shown.scene.cameras.len() > 1,
        _ => true,
    }
}

fn recent(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    ui.add_enabled_ui(!shown.recent.is_empty(), |ui| {
        ui.menu_button("Recent files", |ui| {
            for path in shown.recent {
                let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
                if ui.button(name).on_hover_text(path.display().to_string()).clicked() {
                    out.push(Command::Open(path.clone()));
                    ui.close();
                }
            }
        });
    });
}

fn theme_choice(ui: &mut Ui, out: &mut Vec<Command>) {
    let now = ui.ctx().theme();
    for (theme, label) in [(egui::Theme::Dark, "Dark theme"), (egui::Theme::Light, "Light theme")] {
        if ui.add(Button::new(label).selected(now == theme)).clicked() {
            out.push(Command::Theme(theme));
            ui.close();
        }
    }
}

/// Play, step, restart and speed; laid out from the right.
fn transport(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    let mut speed = shown.status.speed;
    let slider = egui::DragValue::new(&mut speed).range(0.1..=10.0).speed(0.05).max_decimals(1).suffix("×");
    if ui.add(slider).on_hover_text("Simulation speed, as a factor of real time. Drag or type.").changed() {
        out.push(Command::Speed(speed));
    }
    let buttons = [
        (Action::Restart, "⟲ Restart"),
        (Action::Step, "⏭ Step"),
        (Action::PlayPause, if shown.status.playing { "⏸ Pause" } else { "▶ Play" }),
    ];
    for (action, label) in buttons {
        let button = Button::new(label).selected(action == Action::PlayPause && shown.status.playing);
        if ui.add(button).on_hover_text(tip(ui.ctx(), action)).clicked() {
            out.push(Command::Run(action));
        }
    }
}
