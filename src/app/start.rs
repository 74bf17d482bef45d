//! Starts the application: with a scene, in its window, and with the files that outlive a run.

use super::headless::Usage;
use super::recent::Recent;
use super::state::App;
use super::{display, files, layout, recent, recovery, window};
use crate::disk::has_extension;
use crate::render::Quality;
use crate::ui::dialogs::MODEL_EXTENSIONS;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

impl App {
    /// An application with an empty scene.
    pub fn new(recent: Recent) -> Self {
        let mut app = Self::without_scene(recent);
        app.viewport.quality = Quality::of_program();
        app.new_scene();
        app
    }

    /// Opens a scene, or a model file as the level of a new scene. When that fails, a notice says why, and the open
    /// scene stays as it is.
    pub fn open_at_start(&mut self, path: &Path) {
        if has_extension(path, MODEL_EXTENSIONS) {
            self.open_level(path);
        } else {
            self.open(path);
        }
    }

    /// Keeps unsaved changes in `folder` from now on, and offers those that were left there.
    pub fn keep_unsaved_in(&mut self, folder: PathBuf) {
        self.recovery = recovery::Recovery::in_folder(folder);
        self.offer_found();
    }

    /// Takes the layout of the panels from a file, and keeps it there from now on.
    fn keep_layout_in(&mut self, file: PathBuf) {
        let (layout, dock) = layout::Layout::load(file);
        self.layout = layout;
        self.ui.dock = dock;
        self.viewport.quality = self.viewport.quality.or(self.layout.quality());
    }
}

/// Opens the window on a scene, on the default one without an argument.
///
/// # Errors
/// When the scene named cannot be opened, or there is no display or no graphics device.
pub fn run_window(scene: Option<PathBuf>) -> anyhow::Result<ExitCode> {
    display::leave_console();
    if let Some(path) = scene.as_ref().filter(|path| !path.exists()) {
        let text = format!(
            "There is no such file or command: {}. Name a scene (.acfg) or a level; `walkabout help` lists the commands.",
            path.display()
        );
        // A word alone is a command that was misspelt.
        let is_word = path.components().count() == 1 && path.extension().is_none();
        return Err(if is_word { Usage(text).into() } else { anyhow::Error::msg(text) });
    }
    let mut app = App::new(Recent::load());
    let is_named = scene.is_some();
    if let Some(path) = scene.or_else(files::default_scene) {
        app.open_at_start(&path);
    }
    if let Some(folder) = recent::folder() {
        recovery::write_on_panic(folder.join("reports"));
        app.keep_unsaved_in(folder.join("recovery"));
        app.keep_layout_in(folder.join("layout.txt"));
    }
    app.ui.welcome.open = !is_named && app.layout.has_welcome();
    app.ui.files.use_native();
    app.follow_files();
    app.viewport.prepares_on_threads = true;
    window::run(app)?;
    Ok(ExitCode::SUCCESS)
}
