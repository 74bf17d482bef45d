//! The user interface: panels read, and return what a person asks for.
//!
//! [`show`] draws everything for one frame and returns [`Command`]s; it changes neither scene nor world.

pub mod action;
pub mod assets;
pub mod choices;
pub mod command;
pub mod context;
pub mod creation;
pub mod dialogs;
pub mod dock;
mod dock_area;
pub mod edit_rows;
pub mod edits;
pub mod export;
pub mod file_request;
pub mod instance_list;
mod legend;
pub mod menu;
pub mod menu_area;
pub mod mouse_help;
pub mod names;
pub mod native;
pub mod nav_tools;
pub mod notices;
pub mod number;
pub mod panels;
pub mod question;
pub mod rename;
pub mod samples;
pub mod sound_choice;
pub mod stacked_bars;
pub mod state;
mod synonyms;
pub mod theme;
pub mod typed_ahead;
mod view_gizmo;
pub mod viewport;
pub mod viewport_input;
pub mod widgets;

pub use command::{Action, COMMANDS, Command, EditStep, UnsavedChoice};
pub use context::{BoneLabel, Memory, Mode, SoundStatus, Status, UiContext, ViewportCounts};
pub use dock::Dock;
pub use notices::Notices;
pub use question::Question;
pub use state::{UiOutput, UiState};
pub use viewport_input::ViewportInput;

use egui::Panel;

/// Draws the user interface of one frame.
pub fn show(ui: &mut egui::Ui, cx: &UiContext<'_>, state: &mut UiState) -> UiOutput {
    let mut output = UiOutput::default();
    let out = &mut output.commands;
    if state.mode == Mode::Edit {
        Panel::top("menu").show(ui, |ui| menu::bar(ui, cx, state, out));
    }
    Panel::bottom("status").exact_size(28.0).show(ui, |ui| panels::status::show(ui, cx, state, out));
    if state.mode == Mode::Edit {
        dock_area::show(ui, cx, state, &mut output);
        state.graph_windows.show(ui.ctx(), cx, &mut state.graph, &mut output.commands);
    } else {
        output.viewport = viewport::show(ui, cx, state, &mut output.commands);
    }
    let out = &mut output.commands;
    panels::create::show(ui, cx, &mut state.create_many, &mut state.creation, out);
    panels::export::show(ui, cx, &mut state.export, out);
    panels::help::show(ui, &mut state.help);
    panels::guide::show(ui, &mut state.guide);
    panels::guide::about(ui, cx, &mut state.about);
    panels::welcome::show(ui, cx, &mut state.welcome, out);
    if let Some(tool) = panels::palette::show(ui, cx, &mut state.palette, &state.creation, out) {
        state.take_tool(tool);
    }
    panels::toasts::show(ui, cx, output.viewport.rect, out);
    dialogs::show(ui, cx, &mut state.files, out);
    output
}
