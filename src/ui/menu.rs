//! The menu bar and the transport controls beside it.

use super::command::{AUTOMATIC_QUALITY, Action, COMMANDS, Command, CommandInfo, MENUS, tip};
use super::dock::PANELS;
use super::nav_tools::Tool;
use super::viewport_input::MiddleDragMode;
use super::{Mode, Status, UiContext, UiState, menu_area};
use crate::disk::name_of;
use crate::ui::widgets::drag;
use crate::vocab::Quality;
use egui::{Align, Button, Layout, Ui};

/// Draws the bar.
pub fn bar(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    ui.add_space(3.0);
    egui::MenuBar::new().ui(ui, |ui| {
        for &menu in MENUS {
            ui.menu_button(menu, |ui| {
                ui.set_min_width(220.0);
                entries(ui, menu, cx, state, out);
            });
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| transport(ui, cx, out));
        menu_area::note_bar(ui);
    });
    ui.add_space(3.0);
}

fn entries(ui: &mut Ui, menu: &str, cx: &UiContext<'_>, state: &UiState, out: &mut Vec<Command>) {
    for (i, row) in COMMANDS.iter().filter(|row| row.menu == menu).enumerate() {
        let begins_group = matches!(
            row.action,
            Action::Quit
                | Action::Save
                | Action::ExportPicture
                | Action::Recover
                | Action::Duplicate
                | Action::Focus
                | Action::ViewFront
                | Action::CameraPreview
                | Action::ResetLayout
        );
        if begins_group && i > 0 {
            ui.separator();
        }
        entry(ui, row, cx, state, out);
        if row.action == Action::Open {
            recent(ui, cx, out);
        }
    }
    if menu == "Panels" {
        ui.separator();
        theme_choice(ui, out);
        quality_choice(ui, cx.status, out);
    }
}

/// One command as a menu entry.
fn entry(ui: &mut Ui, row: &CommandInfo, cx: &UiContext<'_>, state: &UiState, out: &mut Vec<Command>) {
    let label = match row.action {
        Action::Undo => named("Undo", cx.history.undo_name()),
        Action::Redo => named("Redo", cx.history.redo_name()),
        _ => row.label.to_owned(),
    };
    let button = Button::new(label).shortcut_text(row.key_text(ui.ctx())).selected(is_on(row.action, cx, state));
    let is_enabled = is_for_tools(row.action, cx, state) || is_possible(row.action, cx);
    let response = ui.add_enabled(is_enabled, button).on_hover_text(row.help);
    if response.clicked() {
        out.push(Command::Run(row.action));
        ui.close();
    }
}

fn named(verb: &str, step: Option<&str>) -> String {
    step.map_or_else(|| verb.to_owned(), |step| format!("{verb} {step}"))
}

/// Whether a switch command is on.
fn is_on(action: Action, cx: &UiContext<'_>, state: &UiState) -> bool {
    match action {
        Action::ViewMode => state.mode == Mode::View,
        Action::Orthographic => cx.status.is_orthographic,
        Action::Help => state.help,
        Action::Guide => state.guide,
        Action::About => state.about,
        Action::Welcome => state.welcome.open,
        Action::LocalAxes => state.local_axes,
        Action::MiddleDragMoves => state.middle_drag == MiddleDragMode::Move,
        Action::MiddleDragTurns => state.middle_drag == MiddleDragMode::Turn,
        Action::MiddleDragScales => state.middle_drag == MiddleDragMode::Scale,
        Action::CameraPreview => !state.hides_preview,
        Action::CreateMany => state.create_many,
        Action::WalkHere => state.nav_tools.tool == Tool::Send,
        _ => PANELS.iter().any(|row| row.0.action() == Some(action) && state.shows(row.0)),
    }
}

/// Whether a command means what a tool of the workbench has picked, or nodes of a behaviour editor, whatever else is selected.
fn is_for_tools(action: Action, cx: &UiContext<'_>, state: &UiState) -> bool {
    match action {
        Action::Delete => state.graph_has_keys() || state.nav_tools.picked_with_tool(&cx.scene.nav).is_some(),
        Action::Duplicate | Action::Copy | Action::Cut => state.graph_has_keys(),
        Action::CloseOutline => !state.nav_tools.outline.is_empty(),
        _ => false,
    }
}

/// Whether a command can do anything now to what is selected in the scene.
pub fn is_possible(action: Action, cx: &UiContext<'_>) -> bool {
    match action {
        Action::Undo => cx.history.undo_name().is_some(),
        Action::Redo => cx.history.redo_name().is_some(),
        // These mean the selected camera too.
        Action::Delete | Action::Duplicate | Action::Focus | Action::Rename if cx.camera.is_some() => true,
        Action::Focus if cx.selected_level().is_some() => true,
        Action::Copy | Action::Cut if cx.camera.is_some() => false,
        Action::Delete
        | Action::Duplicate
        | Action::Focus
        | Action::Copy
        | Action::Cut
        | Action::Rename
        | Action::Drop
        | Action::LineUpX
        | Action::LineUpZ
        | Action::TurnAlike => cx.selection.instance.is_some_and(|id| cx.scene.instances.contains(id)),
        Action::FocusTarget => cx
            .selection
            .instance
            .and_then(|id| cx.scene.instances.get(id)?.target)
            .is_some_and(|target| cx.scene.instances.contains(target)),
        // From free flight one camera is another one.
        Action::NextCamera | Action::PreviousCamera => cx.scene.cameras.len() > usize::from(cx.status.camera.is_some()),
        // It is for a tool.
        Action::CloseOutline => false,
        _ => true,
    }
}

fn recent(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    ui.add_enabled_ui(!cx.recent.is_empty(), |ui| {
        ui.menu_button("Recent files", |ui| {
            for path in cx.recent {
                if ui.button(name_of(path)).on_hover_text(path.display().to_string()).clicked() {
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

/// The quality of the drawing.
fn quality_choice(ui: &mut Ui, status: &Status, out: &mut Vec<Command>) {
    ui.menu_button("Quality of the picture", |ui| {
        let automatic = match (status.chosen_quality, status.drawn_quality) {
            (None, Some(drawn)) => format!("Automatic ({})", drawn.label().to_lowercase()),
            _ => "Automatic".to_owned(),
        };
        let label = |level: Quality| match status.drawn_quality {
            // OpenGL draws with one sample per pixel.
            Some(drawn) if status.chosen_quality == Some(level) && drawn < level => {
                format!("{} (drawn as {} over OpenGL)", level.label(), drawn.label().to_lowercase())
            }
            _ => level.label().to_owned(),
        };
        let levels = Quality::ALL.map(|level| (Some(level), label(level), level.help()));
        for (choice, label, help) in std::iter::once((None, automatic, AUTOMATIC_QUALITY)).chain(levels) {
            let button = Button::new(label).selected(status.chosen_quality == choice);
            if ui.add(button).on_hover_text(help).clicked() {
                out.push(Command::Quality(choice));
                ui.close();
            }
        }
    });
}

/// Play, step, restart and speed; laid out from the right.
fn transport(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let mut speed = cx.status.speed;
    let field = drag(0.1..=10.0, 0.05, "×").decimals(1);
    let help = "Simulation speed, as a factor of real time. Drag or type.";
    if field.show(ui, &mut speed, help).changed() {
        out.push(Command::Speed(speed));
    }
    let buttons = [
        (Action::Restart, "⟲ Restart"),
        (Action::Step, "⏭ Step"),
        (Action::PlayPause, if cx.status.playing { "⏸ Pause" } else { "▶ Play" }),
    ];
    for (action, label) in buttons {
        let button = Button::new(label).selected(action == Action::PlayPause && cx.status.playing);
        if ui.add(button).on_hover_text(tip(ui.ctx(), action)).clicked() {
            out.push(Command::Run(action));
        }
    }
}
