//! Questions and file dialogs.

use super::UiContext;
use super::command::{Command, CompareCommand, RestoreChoice, UnsavedChoice};
use super::file_request::{Ask, AskFor, Purpose};
use super::native::{self, DialogAnswer, NativeDialog};
use super::question::Question;
use super::sound_choice::SoundChoice;
use super::typed_ahead::TypedPath;
use crate::asset::sky::PICTURE_EXTENSIONS;
use crate::disk::name_of;
use crate::nav::exchange::{MESH_EXTENSIONS, SURFACE_EXTENSIONS, WRITTEN_FORMATS};
use crate::scene::file::SCENE_ENDINGS;
use crate::vocab::counted;
use egui::{Id, Modal, Ui};
use egui_file_dialog::FileDialog;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Extensions of scene files that are written.
pub const SCENE_EXTENSIONS: &[&str] = &["acfg"];
/// Extensions of model files.
pub const MODEL_EXTENSIONS: &[&str] = crate::asset::import::EXTENSIONS;

/// How often the dialog of the system is asked for its answer.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// The one file dialog: that of the system where there is one, else one inside the window.
pub struct FilePicker {
    dialog: FileDialog,
    purpose: Purpose,
    /// The text field for the file's name, which has the keyboard from the start when saving.
    name_field: Option<Id>,
    /// What had the keyboard in the last frame.
    focused: Option<Id>,
    typed_path: TypedPath,
    /// Whether the system's are used.
    native: bool,
    /// That of the system, and what it asks.
    open: Option<(NativeDialog, Ask)>,
}

impl Default for FilePicker {
    fn default() -> Self {
        Self {
            dialog: FileDialog::new(),
            purpose: Purpose::Open,
            name_field: None,
            focused: None,
            typed_path: TypedPath::default(),
            native: false,
            open: None,
        }
    }
}

impl FilePicker {
    /// Uses the dialogs of the system from now on, where there are some.
    pub fn use_native(&mut self) {
        self.native = native::is_there();
    }

    /// Asks for a file or a folder for a purpose, starting in `folder`, with a name where something is to be saved. No other dialog is to be
    /// open.
    pub fn ask(&mut self, purpose: Purpose, folder: &Path, name: Option<String>) {
        let (wanted, title, filters) = purpose.question();
        let ask = Ask { wanted, title, folder: folder.into(), name, filters, purpose };
        match self.native.then(|| NativeDialog::open(&ask)).flatten() {
            Some(dialog) => self.open = Some((dialog, ask)),
            None => self.ask_inside(ask),
        }
    }

    /// Asks inside the window.
    fn ask_inside(&mut self, ask: Ask) {
        let mut dialog = dialog(ask.title, &ask.folder);
        if let Some(name) = &ask.name {
            dialog = dialog.default_file_name(name);
        }
        let first = ask.filters.first().map(|filter| filter.0);
        for (name, extensions) in ask.filters {
            dialog = match (ask.wanted, extensions.first()) {
                (AskFor::Save, Some(extension)) => dialog.add_save_extension(name, extension),
                _ => dialog.add_file_filter_extensions(name, extensions),
            };
        }
        if let Some(first) = first {
            dialog = match ask.wanted {
                AskFor::Save => dialog.default_save_extension(first),
                _ => dialog.default_file_filter(first),
            };
        }
        self.dialog = dialog;
        (self.purpose, self.name_field, self.typed_path) = (ask.purpose, None, TypedPath::default());
        match ask.wanted {
            AskFor::Open => self.dialog.pick_file(),
            AskFor::Save => self.dialog.save_file(),
            AskFor::Folder => self.dialog.pick_directory(),
        }
    }

    /// Whether the dialog is on screen.
    pub fn is_open(&self) -> bool {
        self.open.is_some() || *self.dialog.state() == egui_file_dialog::DialogState::Open
    }

    /// Another scene is open: lets go of a dialog about the one before. One of the system may stay on screen; nothing comes of it. Returns
    /// whether there was one.
    pub fn forget_scene(&mut self) -> bool {
        let native = self.open.take_if(|(_, ask)| ask.purpose.is_of_scene()).is_some();
        let is_inside = *self.dialog.state() == egui_file_dialog::DialogState::Open && self.purpose.is_of_scene();
        if is_inside {
            self.dialog = FileDialog::new();
        }
        native || is_inside
    }

    /// Looks after the dialog of the system.
    fn follow_native(&mut self, ui: &Ui, out: &mut Vec<Command>) {
        let Some((dialog, ask)) = self.open.take() else { return };
        match dialog.poll() {
            DialogAnswer::Waiting => {
                ui.ctx().request_repaint_after(LOOK_AGAIN);
                self.open = Some((dialog, ask));
            }
            DialogAnswer::Chosen(path) => out.push(ask.purpose.command(path)),
            DialogAnswer::Cancelled => {}
            DialogAnswer::Failed => {
                self.native = false;
                self.ask_inside(ask);
            }
        }
    }

    fn show(&mut self, ui: &Ui, out: &mut Vec<Command>) {
        self.follow_native(ui, out);
        if *self.dialog.state() != egui_file_dialog::DialogState::Open {
            return;
        }
        // The dialog keeps Escape from closing it while a text field has the keyboard. The field for the name has it
        // from the start, so that there Escape has to close at once.
        let escape = ui.input(|input| input.key_pressed(egui::Key::Escape));
        if escape && self.name_field.is_some() && self.name_field == self.focused {
            self.dialog = FileDialog::new();
            return;
        }
        self.typed_path.follow(ui.ctx());
        self.dialog.update(ui.ctx());
        self.focused = ui.memory(egui::Memory::focused);
        if matches!(self.purpose, Purpose::Save | Purpose::SaveMesh | Purpose::Record) {
            self.name_field = self.name_field.or(self.focused);
        }
        if let Some(path) = self.dialog.take_picked() {
            out.push(self.purpose.command(path));
        }
    }
}

impl Purpose {
    /// What is wanted, the title, and the kinds of files with their extensions.
    fn question(self) -> (AskFor, &'static str, Vec<(&'static str, Vec<&'static str>)>) {
        let models = |name| vec![(name, MODEL_EXTENSIONS.to_vec())];
        let meshes = || vec![("Navigation meshes", [&MESH_EXTENSIONS[..], &SURFACE_EXTENSIONS].concat())];
        match self {
            Self::Open => {
                let all = SCENE_ENDINGS.iter().chain(MODEL_EXTENSIONS).chain(&MESH_EXTENSIONS).copied().collect();
                let filters = vec![
                    ("Scenes, models and meshes", all),
                    ("Scenes", SCENE_ENDINGS.to_vec()),
                    ("Models", MODEL_EXTENSIONS.to_vec()),
                    ("Navigation meshes", MESH_EXTENSIONS.to_vec()),
                ];
                (AskFor::Open, "Open a scene, a level or a navigation mesh", filters)
            }
            Self::Level => (AskFor::Open, "Open a level", models("Levels")),
            Self::Save => (AskFor::Save, "Save the scene", vec![("Scene", SCENE_EXTENSIONS.to_vec())]),
            Self::Mesh => (AskFor::Open, "Use a navigation mesh", meshes()),
            Self::Compare => (AskFor::Open, "Compare with a navigation mesh", meshes()),
            Self::Sound(SoundChoice::MusicFolder) => (AskFor::Folder, "Play the tracks of a folder", Vec::new()),
            Self::Sound(_) => (AskFor::Open, "Choose a sound", vec![("Sounds", crate::sound::EXTENSIONS.to_vec())]),
            Self::Sky => (AskFor::Open, "Use a picture as the sky", vec![("Pictures", PICTURE_EXTENSIONS.to_vec())]),
            Self::Clips(_) => (AskFor::Open, "Play the clips of a file", models("Models and motion capture")),
            Self::SaveMesh => {
                let kinds = WRITTEN_FORMATS.iter().map(|[ending, format]| (*format, vec![*ending]));
                (AskFor::Save, "Save the navigation mesh", kinds.collect())
            }
            Self::Record => {
                let title = "Record a test case (an existing file gets one more)";
                (AskFor::Save, title, vec![("Test cases", vec!["yaml"])])
            }
            Self::ExportFolder => (AskFor::Folder, "Export pictures into a folder", Vec::new()),
        }
    }

    /// What becomes of a path that was chosen.
    fn command(self, path: PathBuf) -> Command {
        match self {
            Self::Open => Command::Open(path),
            Self::Level => Command::OpenLevel(path),
            Self::Save => Command::SaveTo(path),
            Self::Mesh => Command::UseMesh(path),
            Self::Compare => Command::Compare(CompareCommand::File(path)),
            Self::Sky => Command::UseSky(path),
            Self::Clips(model) => Command::PlayClips(model, Some(path)),
            Self::Sound(choice) => Command::UseSound(choice, path),
            Self::SaveMesh => Command::SaveMesh(path),
            Self::Record => Command::Record(path),
            Self::ExportFolder => Command::ExportFolder(path),
        }
    }
}

fn dialog(title: &str, folder: &Path) -> FileDialog {
    FileDialog::new()
        .title(title)
        .initial_directory(folder.to_path_buf())
        .default_size([760.0, 440.0])
        .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
        // Its field is black in the light theme too, where nothing can be read in it.
        .show_search(false)
}

/// Draws whatever is asked now.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, files: &mut FilePicker, out: &mut Vec<Command>) {
    files.show(ui, out);
    match cx.question {
        Some(Question::Unsaved(what)) => unsaved(ui, cx, what, out),
        Some(Question::SaveFirst(why)) => save_first(ui, cx, why, out),
        Some(Question::Restore { scene, age_secs }) => restore(ui, scene.as_deref(), *age_secs, out),
        Some(Question::ModelFile { path, is_level, at }) => model_file(ui, path, *is_level, *at, out),
        None => {}
    }
}

fn unsaved(ui: &Ui, cx: &UiContext<'_>, what: &str, out: &mut Vec<Command>) {
    let file = if cx.status.file.is_empty() { "This scene" } else { cx.status.file.as_str() };
    let text = format!("{file} has changes that are not saved. They are lost by {what}.");
    let choices = [
        ("Save", "Save, then go on (Enter)", UnsavedChoice::Save),
        ("Discard", "Go on without saving", UnsavedChoice::Discard),
        ("Cancel", "Stay (Escape)", UnsavedChoice::Cancel),
    ];
    let choices = choices.map(|(label, help, choice)| (label, help, Command::Unsaved(choice)));
    ask(ui, ("unsaved", 380.0), ("Save the changes first?", &text), choices, out);
}

fn save_first(ui: &Ui, cx: &UiContext<'_>, why: &str, out: &mut Vec<Command>) {
    let state = match cx.status.file.as_str() {
        "" => "This scene was never saved.".to_owned(),
        file => format!("{file} has changes that are not saved."),
    };
    let choices = [
        ("Save", "Save, then go on (Enter)", Command::Unsaved(UnsavedChoice::Save)),
        ("Cancel", "Stay (Escape)", Command::Unsaved(UnsavedChoice::Cancel)),
    ];
    ask(ui, ("save-first", 380.0), ("Save the scene first?", &format!("{state} {why}")), choices, out);
}

fn restore(ui: &Ui, scene: Option<&Path>, age_secs: u64, out: &mut Vec<Command>) {
    let of = match scene {
        Some(path) => format!("There are unsaved changes of {}", path.display()),
        None => "There is a scene that was never saved".to_owned(),
    };
    let text = format!("{of}, kept {}. Walkabout ended before they were saved.", ago(age_secs));
    let choices = [
        ("Restore", "Open them; the saved file stays until you save (Enter)", RestoreChoice::Restore),
        ("Delete", "Throw them away for good", RestoreChoice::Delete),
        ("Later", "Keep them; File, Restore unsaved work… asks again (Escape)", RestoreChoice::Later),
    ];
    let choices = choices.map(|(label, help, choice)| (label, help, Command::Restore(choice)));
    ask(ui, ("restore", 420.0), ("Restore unsaved work?", &text), choices, out);
}

/// A time span for people: "3 minutes ago".
fn ago(secs: u64) -> String {
    let (count, unit) = match secs {
        0..60 => return "less than a minute ago".into(),
        60..3600 => (secs / 60, "minute"),
        3600..86400 => (secs / 3600, "hour"),
        _ => (secs / 86400, "day"),
    };
    format!("{} ago", counted(count as usize, unit))
}

/// What is seen as the likelier comes first, and has the keyboard.
fn model_file(ui: &Ui, path: &Path, is_level: bool, at: Option<egui::Pos2>, out: &mut Vec<Command>) {
    let name = name_of(path);
    let text = if is_level {
        "It has no bones and looks like a level. Levels are ground and walls to walk on; models are characters and \
         things that stand in them."
    } else {
        "It looks like a model: a character or a thing. Models stand in the scene; levels are the ground and walls \
         that they walk on."
    };
    let path = path.to_path_buf();
    let mut choices = [
        ("Add as model", "A character or thing, with one instance", Command::AddModel(path.clone(), at)),
        ("Add as level", "Ground and walls of this scene", Command::AddLevel(path.clone())),
        ("New scene", "Open it as the level of a new scene", Command::OpenLevel(path)),
        ("Cancel", "Leave it (Escape)", Command::Unsaved(UnsavedChoice::Cancel)),
    ];
    if is_level {
        choices.swap(0, 1);
    }
    ask(ui, ("model-file", 420.0), (&format!("What is {name}?"), text), choices, out);
}

/// Room that a question leaves of a narrow window, and its least width, points.
const MODAL_MARGINS: f32 = 48.0;
const MIN_MODAL_WIDTH: f32 = 200.0;

/// Label, help and command of an answer.
type Answer<'a> = (&'a str, &'a str, Command);

/// A question of such a width over the window, which waits until it is answered; Escape gives the last answer.
fn ask<const N: usize>(
    ui: &Ui,
    (id, width): (&str, f32),
    (heading, text): (&str, &str),
    choices: [Answer<'_>; N],
    out: &mut Vec<Command>,
) {
    let cancel = choices.last().map(|(_, _, command)| command.clone());
    let modal = Modal::new(Id::new(id)).show(ui.ctx(), |ui| {
        ui.set_width(width.min(ui.ctx().content_rect().width() - MODAL_MARGINS).max(MIN_MODAL_WIDTH));
        ui.heading(heading);
        ui.add_space(6.0);
        ui.label(text);
        ui.add_space(10.0);
        answers(ui, choices, out);
    });
    if modal.should_close() {
        out.extend(cancel);
    }
}

/// A row of answers with what each says on hovering. The first has the keyboard unless another was chosen with Tab, so
/// that Enter confirms it.
fn answers<const N: usize>(ui: &mut Ui, choices: [Answer<'_>; N], out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        let mut first = None;
        let mut chosen = false;
        for (label, help, command) in choices {
            let response = ui.button(label).on_hover_text(help);
            if response.clicked() {
                out.push(command);
            }
            chosen |= response.has_focus();
            first.get_or_insert(response);
        }
        if let Some(first) = first.filter(|_| !chosen) {
            first.request_focus();
        }
    });
}
