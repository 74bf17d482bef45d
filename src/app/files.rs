//! Opens and saves scenes, and keeps what is not saved.

use super::camera_controller::CameraController;
use super::dropped::DroppedFile;
use super::pending_action::PendingAction;
use super::recovery::Draft;
use super::state::App;
use crate::asset::level_guess::looks_like_level;
use crate::asset::sky::PICTURE_EXTENSIONS;
use crate::disk::{absolute, has_extension, name_of, read_text, with_one_of};
use crate::inspect::overlays;
use crate::nav::exchange::recast_demo::is_demo_cases;
use crate::nav::exchange::{MESH_EXTENSIONS, is_mesh_file};
use crate::scene::file::SCENE_ENDINGS;
use crate::scene::history::History;
use crate::scene::nav::MeshSource;
use crate::scene::{Scene, Selection, file};
use crate::ui::Question;
use crate::ui::command::Purpose;
use crate::ui::dialogs::{MODEL_EXTENSIONS, SCENE_EXTENSIONS};
use crate::ui::samples::SAMPLES;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The scene that opens without an argument, relative to the program's own folder.
const DEFAULT_SCENE: &str = "config/plaza.acfg";

/// Steps back and forward whose models stay in memory, so that undo shows them at once.
const STEPS_WITH_MODELS: usize = 8;

/// Largest file that is looked at for test cases, bytes.
const CASES_BYTES: u64 = 1 << 20;

/// Where the default scene lies: below the working folder, beside the program, or in the source tree it was built in.
pub fn default_scene() -> Option<PathBuf> {
    sample(DEFAULT_SCENE)
}

/// Where a scene that comes with the program lies.
pub(in crate::app) fn sample(file: &str) -> Option<PathBuf> {
    // The link in `bin` leads to where the program lies with its files.
    let program = std::env::current_exe().ok();
    let program = program.map(|exe| exe.canonicalize().map_or(exe, without_verbatim_prefix));
    let mut folders = vec![PathBuf::from(".")];
    folders.extend(program.iter().flat_map(|program| folders_of(program)));
    folders.push(PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    folders.into_iter().map(|folder| folder.join(file)).find(|path| path.is_file())
}

/// What a file is that people may take for a scene.
fn no_scene(path: &Path) -> Option<&'static str> {
    let is_cases = || read_text(path, CASES_BYTES).is_ok_and(|text| is_demo_cases(&text));
    match () {
        () if has_extension(path, PICTURE_EXTENSIONS) => {
            Some("This is a picture; open a scene, a model, a level or a navigation mesh.")
        }
        () if is_cases() => Some("These are test cases of RecastDemo, no scene; `walkabout nav-test` runs them."),
        () => None,
    }
}

/// What can be opened, said of a file that cannot.
fn unknown_file(path: &Path) -> String {
    let name = name_of(path);
    let endings = |all: &[&str]| all.iter().map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ");
    format!(
        "{name} is nothing that Walkabout opens: it takes scenes ({}), levels and models ({}), and navigation meshes ({}). The open scene is \
         kept. File: {}",
        endings(SCENE_ENDINGS),
        endings(MODEL_EXTENSIONS),
        endings(&MESH_EXTENSIONS),
        path.display()
    )
}

/// Whether a scene is one that comes with the program, where that lies with its files.
fn is_sample(file: &Path) -> bool {
    let place = |path: &Path| path.canonicalize().ok();
    let samples = || SAMPLES.iter().filter_map(|sample| place(&self::sample(sample.file)?));
    place(file).is_some_and(|file| samples().any(|sample| sample == file))
}

/// Where the files that come with a program may lie: beside it; in `share/walkabout` beside its folder; and in an application of macOS in
/// `Resources` there.
fn folders_of(program: &Path) -> Vec<PathBuf> {
    let Some(folder) = program.parent() else { return Vec::new() };
    let beside = ["share/walkabout", "Resources"].map(|name| folder.parent().map(|prefix| prefix.join(name)));
    std::iter::once(folder.to_path_buf()).chain(beside.into_iter().flatten()).collect()
}

/// A path as people write it: Windows gives canonical ones as `\\?\C:\…`, which not all programs take.
fn without_verbatim_prefix(path: PathBuf) -> PathBuf {
    path.to_str().and_then(plain).map_or(path.clone(), PathBuf::from)
}

/// Longest path that every program of Windows takes, characters.
const MAX_PLAIN_PATH: usize = 259;

/// A verbatim path of a drive without its prefix; `None` for another, and for one that means something else without it.
fn plain(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(r"\\?\")?;
    let (drive, inside) = rest.split_once(r":\")?;
    let is_drive = drive.len() == 1 && drive.chars().all(|letter| letter.is_ascii_alphabetic());
    // Such endings and names are taken away or mean devices where the prefix does not forbid it.
    let is_usual = |part: &str| {
        let stem = part.split('.').next().unwrap_or_default().trim_end();
        let device = ["CON", "PRN", "AUX", "NUL"].iter().any(|name| stem.eq_ignore_ascii_case(name));
        let port = stem.len() == 4 && ["COM", "LPT"].iter().any(|name| stem[..].to_uppercase().starts_with(name));
        !part.ends_with(['.', ' ']) && !part.contains('/') && !device && !port
    };
    (is_drive && rest.chars().count() <= MAX_PLAIN_PATH && inside.split('\\').all(is_usual)).then_some(rest)
}

impl App {
    /// Opens a scene, takes a navigation mesh into the open one, or asks what to do with a model file. On failure the open scene stays as it is.
    pub(super) fn open(&mut self, path: &Path) {
        if is_mesh_file(path) {
            return self.open_mesh(path);
        }
        if has_extension(path, MODEL_EXTENSIONS) {
            return self.ask_about_model(path, None);
        }
        if let Some(what) = no_scene(path) {
            return self.notices.error(format!("{what} The open scene is kept. File: {}", path.display()));
        }
        match file::load(path) {
            Ok(loaded) => {
                self.show_scene(loaded.scene, loaded.selection, loaded.root);
                // What another program wrote is saved under a name of its own.
                self.file = (!loaded.is_foreign).then(|| path.to_path_buf());
                self.clock.playing = true;
                self.recent.add(path);
                self.note_warnings(path, loaded.warnings);
                self.hold_scene();
            }
            Err(error) => {
                if !path.exists() {
                    self.recent.forget(path);
                }
                if path.exists() && !file::is_scene_file(path) {
                    return self.notices.error(unknown_file(path));
                }
                self.notices.error(format!("{error}\nThe open scene is kept."));
            }
        }
    }

    /// Asks what a model file is, which was dropped on a point of the window where there is one.
    pub(super) fn ask_about_model(&mut self, path: &Path, at: Option<egui::Pos2>) {
        let is_level = looks_like_level(path);
        self.question = Some(Question::ModelFile { path: path.to_path_buf(), is_level, at });
    }

    /// Opens the next of the files that were dropped on the window: one by one, as each may ask something.
    pub(super) fn open_dropped(&mut self) {
        if self.question.is_some() || !self.pending.is_empty() {
            return;
        }
        let Some(DroppedFile { path, at }) = self.dropped.pop() else { return };
        match has_extension(&path, MODEL_EXTENSIONS) {
            true => self.ask_about_model(&path, at),
            false => self.ask_to_open(path),
        }
    }

    /// Opens a file. Where that puts another scene in place of unsaved changes, it is asked first what becomes of them: not for a file that
    /// cannot be opened.
    pub(super) fn ask_to_open(&mut self, path: PathBuf) {
        let is_no_model = || !has_extension(&path, MODEL_EXTENSIONS) && !is_mesh_file(&path);
        let is_scene = || is_no_model() && no_scene(&path).is_none() && file::load(&path).is_ok();
        // Without changes there is nothing to lose, and the file is read once, when it is opened. After the question it is read again: it may
        // be the open scene's own, saved meanwhile.
        if !self.history.is_dirty() || is_scene() {
            self.unless_dirty(PendingAction::Open(path), "opening another scene");
        } else {
            self.open(&path);
        }
    }

    /// Opens a scene that comes with the program.
    pub(super) fn open_sample(&mut self, file: &str) {
        match sample(file) {
            Some(path) => self.unless_dirty(PendingAction::Open(path), "opening another scene"),
            None => self.notices.error(format!("The sample was not found beside the program. File: {file}")),
        }
    }

    /// Says what of a scene's file is odd.
    pub(super) fn note_warnings(&mut self, path: &Path, warnings: Vec<String>) {
        if warnings.is_empty() {
            return;
        }
        for warning in &warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
        let are = if warnings.len() == 1 { "is" } else { "are" };
        let text = format!("The scene was opened, but {} of its entries {are} odd.", warnings.len());
        self.notices.push(crate::ui::notices::Level::Warning, text, warnings);
    }

    /// Puts a scene on stage in place of the open one.
    pub(super) fn show_scene(&mut self, scene: Scene, selection: Selection, root: PathBuf) {
        if self.assets.root() != root {
            self.assets.set_root(root);
        }
        self.camera_controller = CameraController::start(&scene, selection.camera);
        // Names and places of the scene before mean nothing here.
        self.ui.search.clear();
        self.ui.map.show_all();
        // Names that this version does not know show nothing.
        self.overlays = scene.settings.overlays.iter().filter_map(|name| name.parse().ok()).collect();
        self.pick_queue.forget_scene();
        if self.mesh_opener.cancel() {
            self.notices.info("The navigation mesh that was being read was for the scene before; nothing comes of it.");
        }
        self.autosave_pending = false;
        self.history = History::new(scene.clone(), selection);
        (self.scene, self.selection) = (scene, selection);
        self.restart_world();
        self.file = None;
        self.scene_lock.release();
        self.recovery.forget();
        self.release_models();
        if matches!(self.question, Some(Question::Unsaved(_) | Question::SaveFirst(_))) {
            self.question = None;
        }
        self.request_models();
        self.reconcile();
        self.forget_ids();
    }

    /// Forgets what names things of the scene by ids, or by places in its lists: in another scene they stand for others.
    pub(super) fn forget_ids(&mut self) {
        self.group.clear();
        self.importing_models.clear();
        self.importing_levels.clear();
        self.fallen.clear();
        self.level_fit.cancel();
        self.notices.forget_scene();
        self.awaits_level = false;
        self.awaited_levels.clear();
        (self.hovered, self.possessed, self.hovered_handle, self.orbits) = (None, None, None, None);
        (self.gizmo_drag, self.middle_drag, self.before_drag) = (None, None, None);
        let ui = &mut self.ui;
        (ui.camera, ui.rename, ui.marquee, ui.drag_text) = (None, None, None, None);
        ui.nav_tools.forget_places();
        ui.animation.forget_scene();
        (ui.creation.model, ui.graph, ui.graph_windows) = Default::default();
        ui.creation.corners.clear();
        if ui.files.forget_scene() {
            self.notices.info("The file dialog was about the scene before; nothing comes of it.");
        }
    }

    /// An empty scene with a free camera.
    pub(super) fn new_scene(&mut self) {
        let root = self.assets.root().to_path_buf();
        self.show_scene(Scene::fresh(), Selection::default(), root);
        // What is put into it stays where it is until it is told to walk.
        self.clock.playing = false;
    }

    /// Asks for every model that the scene names, and for the letters of its names.
    pub(super) fn request_models(&mut self) {
        self.note_names();
        for file in self.scene.model_files().filter(|file| !file.file.is_empty()) {
            self.assets.request(file);
        }
        self.scene.request_sky(&mut self.assets);
    }

    /// Releases the models that neither the scene nor one of the next steps of the history names: those of scenes before, and of values of
    /// clip edits that were tried. A step further back asks for its models again.
    pub(super) fn release_models(&mut self) {
        let near = || self.history.scenes_within(STEPS_WITH_MODELS).chain([&self.scene]);
        let skies = near().map(|scene| scene.settings.environment.sky_picture.as_str()).filter(|sky| !sky.is_empty());
        self.assets.keep_only(near().flat_map(Scene::model_files), skies);
    }

    /// Saves under `path`; asks for a name when there is none. Returns whether it is saved.
    pub(super) fn save(&mut self, path: Option<PathBuf>) -> bool {
        // Samples stay as they came.
        let Some(path) = path.or_else(|| self.file.clone().filter(|file| !is_sample(file))) else {
            self.ask(Purpose::Save);
            return false;
        };
        // A scene that came in another format is saved beside it.
        let named = if has_extension(&path, SCENE_ENDINGS) { path.with_extension("acfg") } else { path.clone() };
        let Some(path) = self.completed(&path, with_one_of(named, SCENE_EXTENSIONS)) else { return false };
        if !self.scene_lock.hold(&path) {
            self.notices.error(format!(
                "Not saved: another window of Walkabout has this scene open, and would lose its work. Close it there and save again, or save \
                 under another name. File: {}",
                path.display()
            ));
            return false;
        }
        let scene = file::root::to_save_at(&path, &self.scene_to_save(), self.assets.root());
        match file::save(&scene, &self.selection_to_save(), &path) {
            Ok(()) => {
                self.history.mark_saved();
                self.recovery.forget();
                self.recent.add(&path);
                self.live.take_in(&path);
                self.notices.info(format!("Saved {}.", path.display()));
                self.file = Some(path);
                true
            }
            Err(error) => {
                self.notices.error(error.to_string());
                // The lock is that of the open scene again.
                match &self.file {
                    Some(file) => _ = self.scene_lock.hold(file),
                    None => self.scene_lock.release(),
                }
                false
            }
        }
    }

    /// The path under which something is written that was asked for as `chosen`. Where that lacked its extension the dialog has
    /// not asked about a file of the completed name, so that one that is there stays.
    pub(super) fn completed(&mut self, chosen: &Path, path: PathBuf) -> Option<PathBuf> {
        if path == chosen || !path.exists() {
            return Some(path);
        }
        self.notices.error(format!(
            "Not saved: there is a file of that name with its extension already. Save under another name, or type {} in full to replace it. \
             File: {}",
            name_of(&path),
            path.display()
        ));
        None
    }

    /// Takes the lock of the open scene's file; where another program has it, says what that means.
    fn hold_scene(&mut self) {
        let Some(path) = self.file.clone().filter(|path| !self.scene_lock.hold(path)) else { return };
        let text = format!(
            "{} is open in another window of Walkabout: here it can be looked at and changed, but not saved under this name until it is \
             closed there.",
            name_of(&path)
        );
        self.notices.push(crate::ui::notices::Level::Warning, text, Vec::new());
    }

    /// The scene with what is not undoable written into it: the free camera's place and the overlays.
    fn scene_to_save(&self) -> Scene {
        let mut scene = self.scene.clone();
        let ids: Vec<_> = scene.cameras.ids().collect();
        for id in ids {
            if let Some(camera) = scene.cameras.get_mut(id) {
                let stored = self.camera_controller.store(id, camera);
                if stored != **camera {
                    *camera = Arc::new(stored);
                }
            }
        }
        let names: BTreeSet<&str> = self.overlays.iter().filter_map(|&layer| Some(overlays::of(layer)?.name)).collect();
        Arc::make_mut(&mut scene.settings).overlays = names.into_iter().map(str::to_owned).collect();
        scene
    }

    /// Notes what is not saved for the case of a crash. Where the camera stands and which overlays are on goes along with
    /// edits; looking around alone loses nothing.
    pub(super) fn keep_unsaved(&mut self) {
        if self.history.is_dirty() {
            let (scene, selection) = (self.scene_to_save(), self.selection_to_save());
            let (path, root) = (self.file.clone(), self.assets.root().to_path_buf());
            self.recovery.changed(Draft { scene, selection, path, root });
        } else {
            self.recovery.forget();
        }
    }

    /// Asks what becomes of unsaved work that was left behind. Returns whether there is some.
    pub(super) fn offer_found(&mut self) -> bool {
        let offer = self.recovery.found().into_iter().next();
        if let Some(found) = &offer {
            self.recovery.has_offered();
            let age = found.when.elapsed().map_or(0, |age| age.as_secs());
            self.question = Some(Question::Restore { scene: found.scene.clone(), age_secs: age });
        }
        self.recovery_offer = offer;
        self.recovery_offer.is_some()
    }

    /// Puts unsaved work that was left behind on stage: a step after what is saved.
    pub(super) fn restore_found(&mut self) {
        let Some(found) = self.recovery_offer.take() else { return };
        let loaded = match found.load() {
            Ok(loaded) => loaded,
            Err(error) => return self.notices.error(format!("The unsaved work was not restored. {error}")),
        };
        let saved = found.scene.as_ref().and_then(|path| file::load(path).ok());
        let before = saved.map_or_else(|| (loaded.scene.clone(), loaded.selection), |s| (s.scene, s.selection));
        self.show_scene(loaded.scene, loaded.selection, loaded.root);
        self.history = History::new(before.0, before.1);
        self.history.push("restore unsaved work", None, &self.scene, before.1, self.selection);
        self.file = found.scene.clone();
        self.hold_scene();
        self.keep_unsaved();
        self.recovery.flush();
        found.remove();
        self.notices.info("The unsaved work is restored. Save it to keep it.");
    }

    fn selection_to_save(&self) -> Selection {
        Selection { camera: self.camera_controller.active(), ..self.selection }
    }

    /// The folder in which file dialogs start.
    pub(super) fn folder(&self) -> PathBuf {
        let of_mesh = match &self.scene.nav.mesh {
            MeshSource::File(name) => Some(self.assets.resolve(name)),
            MeshSource::Triangles | MeshSource::Baked | MeshSource::Level => None,
        };
        let of_file = self.file.as_ref().or(of_mesh.as_ref()).and_then(|file| file.parent()).map(Path::to_path_buf);
        let folder = of_file.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| PathBuf::from("."));
        absolute(&folder)
    }

    /// The folder in which a dialog starts that asks for a purpose: beside the scene's level where a level is wanted, or where
    /// the scene has no file yet and its level lies outside the root, as one's own does.
    pub(super) fn dialog_folder(&self, purpose: Purpose) -> PathBuf {
        let level = self.scene.levels.values().next().map(|level| level.file.as_str()).filter(|file| !file.is_empty());
        let counts = |file: &&str| purpose == Purpose::Level || (self.file.is_none() && Path::new(file).is_absolute());
        let of_level = level.filter(counts).map(|file| self.assets.resolve(file));
        let folder = of_level.as_deref().and_then(Path::parent).filter(|folder| folder.is_dir());
        folder.map_or_else(|| self.folder(), absolute)
    }

    /// How a file is named inside the scene: relative to the root where it lies below it.
    pub(super) fn name_in_scene(&self, path: &Path) -> String {
        file::root::name_in(self.assets.root(), path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::recent::Recent;
    use crate::scene::SceneLevel;

    #[test]
    fn a_second_file_dialog_is_refused_in_words() {
        let mut app = App::new(Recent::default());
        app.ask(Purpose::Open);
        let said = app.notices().all().len();
        app.ask(Purpose::Save);
        let [notice] = &app.notices().all()[said..] else { panic!("{:?}", app.notices().all()) };
        assert!(notice.text.contains("file dialog is open"), "{}", notice.text);
    }

    #[test]
    fn a_name_without_its_extension_replaces_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("gone.acfg");
        std::fs::write(&other, "another scene").unwrap();
        let mut app = App::new(Recent::default());
        assert!(!app.save(Some(folder.path().join("gone"))));
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "another scene");
        let text = &app.notices().all().last().unwrap().text;
        assert!(text.contains("already") && text.contains("gone.acfg"), "{text}");
        assert!(app.save(Some(other.clone())), "its full name");
        assert!(app.save(Some(folder.path().join("scene v1.2"))));
        assert_eq!(app.file, Some(folder.path().join("scene v1.2.acfg")));
        assert!(app.save(None), "the same again");
    }

    #[test]
    fn files_lie_beside_the_program_or_in_the_shared_folder() {
        let folders = folders_of(Path::new("/usr/local/bin/walkabout"));
        assert_eq!(
            folders,
            ["/usr/local/bin", "/usr/local/share/walkabout", "/usr/local/Resources"].map(PathBuf::from)
        );
        let bundled = folders_of(Path::new("/Applications/Walkabout.app/Contents/MacOS/walkabout"));
        assert!(bundled.contains(&PathBuf::from("/Applications/Walkabout.app/Contents/Resources")));
        assert!(folders_of(Path::new("/")).is_empty());
    }

    #[test]
    fn dialogs_begin_beside_a_level_of_ones_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut app = App::new(Recent::default());
        let file = folder.path().join("yard.obj").display().to_string();
        app.scene.levels.insert(SceneLevel { file, ..SceneLevel::default() }.into());
        assert_eq!(app.dialog_folder(Purpose::Save), folder.path());
        app.file = Some(folder.path().join("scenes/yard.acfg"));
        assert_eq!(app.dialog_folder(Purpose::Save), folder.path().join("scenes"));
        assert_eq!(app.dialog_folder(Purpose::Level), folder.path());
    }

    #[test]
    fn paths_of_windows_are_as_people_write_them() {
        assert_eq!(
            plain(r"\\?\C:\Program Files\Walkabout\walkabout.exe"),
            Some(r"C:\Program Files\Walkabout\walkabout.exe")
        );
        let long = format!(r"\\?\D:\{}", "a".repeat(300));
        for kept in [
            r"\\?\UNC\server\share\walkabout.exe",
            r"\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\walkabout.exe",
            r"\\?\C:\ends with a dot.\walkabout.exe",
            r"\\?\C:\aux.d\walkabout.exe",
            r"\\?\C:\com1\walkabout.exe",
            r"C:\walkabout.exe",
            "/usr/bin/walkabout",
            long.as_str(),
        ] {
            assert_eq!(plain(kept), None, "{kept}");
        }
        assert_eq!(without_verbatim_prefix("/usr/bin/walkabout".into()), Path::new("/usr/bin/walkabout"));
    }
}
