//! Questions and file dialogs.

use super::command::{Command, UnsavedChoice};
use super::{Shown, UiState};
use egui::{Id, Modal, Ui};
use egui_file_dialog::FileDialog;
use std::path::{Path, PathBuf};

/// A question that holds things up until it is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// There are unsaved changes; the text says what would lose them: "opening another scene".
    Unsaved(&'static str),
    /// A model file came in; what is it?
    ModelFile(PathBuf),
}

/// Extensions of scene files.
pub const SCENE_EXTENSIONS: &[&str] = &["acfg"];
/// Extensions of model files.
pub const MODEL_EXTENSIONS: &[&str] = crate::asset::import::EXTENSIONS;

/// Whether `path` ends in one of `extensions`, whatever the case.
pub fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|e| extensions.contains(&e.to_string_lossy().to_lowercase().as_str()))
}

/// What a picked file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Open,
    Save,
}

/// The one file dialog.
pub struct FilePicker {
    dialog: FileDialog,
    purpose: Purpose,
}

impl Default for FilePicker {
    fn default() -> Self {
        Self { dialog: FileDialog::new(), purpose: Purpose::Open }
    }
}

impl FilePicker {
    /// Asks for a scene or level file to open, starting in `folder`.
    pub fn ask_open(&mut self, folder: &Path) {
        let models: Vec<&'static str> = MODEL_EXTENSIONS.to_vec();
        let all: Vec<&'static str> = SCENE_EXTENSIONS.iter().chain(MODEL_EXTENSIONS).copied().collect();
        self.dialog = dialog("Open a scene or a level", folder)
            .add_file_filter_extensions("Scenes and models", all)
            .add_file_filter_extensions("Scenes", SCENE_EXTENSIONS.to_vec())
            .add_file_filter_extensions("Models", models)
            .default_file_filter("Scenes and models");
        self.purpose = Purpose::Open;
        self.dialog.pick_file();
    }

    /// Asks where to save, starting in `folder` with `name`.
    pub fn ask_save(&mut self, folder: &Path, name: &str) {
        self.dialog = dialog("Save the scene", folder)
            .default_file_name(name)
            .add_save_extension("Scene", "acfg")
            .default_save_extension("Scene");
        self.purpose = Purpose::Save;
        self.dialog.save_file();
    }

    /// Whether the dialog is on screen.
    pub fn is_open(&self) -> bool {
        *self.dialog.state() == egui_file_dialog::DialogState::Open
    }

    fn show(&mut self, ui: &Ui, out: &mut Vec<Command>) {
        self.dialog.update(ui.ctx());
        if let Some(path) = self.dialog.take_picked() {
            out.push(match self.purpose {
                Purpose::Open => Command::Open(path),
                Purpose::Save => Command::SaveTo(path),
            });
        }
    }
}

fn dialog(title: &str, folder: &Path) -> FileDialog {
    FileDialog::new().title(title).initial_directory(folder.to_path_buf()).default_size([760.0, 480.0])
}

/// Draws whatever is asked now.
pub fn show(ui: &mut Ui, shown: &Shown<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    state.files.show(ui, out);
    match shown.question {
        Some(Question::Unsaved(what)) => unsaved(ui, shown, what, out),
        Some(Question::ModelFile(path)) => model_file(ui, path, out),
        None => {}
    }
}

fn unsaved(ui: &Ui, shown: &Shown<'_>, what: &str, out: &mut Vec<Command>) {
    let modal = Modal::new(Id::new("unsaved")).show(ui.ctx(), |ui| {
        ui.set_width(380.0);
        ui.heading("Save the changes first?");
        ui.add_space(6.0);
        let file = if shown.status.file.is_empty() { "This scene" } else { shown.status.file.as_str() };
        ui.label(format!("{file} has changes that are not saved. They are lost by {what}."));
        ui.add_space(10.0);
        ui.horizontal(|ui| {
            let choices =
                [("Save", UnsavedChoice::Save), ("Discard", UnsavedChoice::Discard), ("Cancel", UnsavedChoice::Cancel)];
            for (label, choice) in choices {
                if ui.button(label).clicked() {
                    out.push(Command::Unsaved(choice));
                }
            }
        });
    });
    if modal.should_close() {
        out.push(Command::Unsaved(UnsavedChoice::Cancel));
    }
}

fn model_file(ui: &Ui, path: &Path, out: &mut Vec<Command>) {
    let modal = Modal::new(Id::new("model-file")).show(ui.ctx(), |ui| {
        ui.set_width(420.0);
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        ui.heading(format!("What is {name}?"));
        ui.add_space(10.0);
        ui.horizontal(|ui| {
            if ui.button("Add as model").on_hover_text("A character or thing, with one instance").clicked() {
                out.push(Command::AddModel(path.to_path_buf()));
            }
            if ui.button("Add as level").on_hover_text("Ground and walls of this scene").clicked() {
                out.push(Command::AddLevel(path.to_path_buf()));
            }
            if ui.button("New scene").on_hover_text("Open it as the level of a new scene").clicked() {
                out.push(Command::OpenLevel(path.to_path_buf()));
            }
            if ui.button("Cancel").clicked() {
                out.push(Command::Unsaved(UnsavedChoice::Cancel));
            }
        });
    });
    if modal.should_close() {
        out.push(Command::Unsaved(UnsavedChoice::Cancel));
    }
}
