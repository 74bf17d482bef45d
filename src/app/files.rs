//! Opening and saving scenes, and taking in model files.

use super::App;
use super::camera_controller::CameraController;
use super::execute::PendingAction;
use super::recovery::Draft;
use crate::asset::ModelFile;
use crate::ids::Arena;
use crate::inspect::overlays;
use crate::scene::edit::Edit;
use crate::scene::file::cases::{self, Case};
use crate::scene::history::History;
use crate::scene::nav::MeshSource;
use crate::scene::sounds::{ActionSound, GroundSound, PlaceSound};
use crate::scene::{Scene, SceneCamera, SceneLevel, SceneModel, SceneNav, Selection, Settings, file};
use crate::ui::command::RestoreChoice;
use crate::ui::dialogs::{MODEL_EXTENSIONS, SCENE_EXTENSIONS, has_extension};
use crate::ui::names::free_name;
use crate::ui::notices::Level;
use crate::ui::sound_choice::SoundChoice;
use crate::ui::{EditStep, Question};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The scene that opens without an argument, relative to the program's own folder.
pub const DEFAULT_SCENE: &str = "config/plaza.acfg";

/// Where the default scene lies: below the working folder, beside the program, or in the source tree it was built in.
pub fn default_scene() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_path_buf));
    let folders = [Some(PathBuf::from(".")), beside, Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")))];
    folders.into_iter().flatten().map(|folder| folder.join(DEFAULT_SCENE)).find(|path| path.is_file())
}

impl App {
    /// Opens a scene, or asks what to do with a model file. On failure the open scene stays as it is.
    pub(super) fn open(&mut self, path: &Path) {
        if has_extension(path, MODEL_EXTENSIONS) {
            self.question = Some(Question::ModelFile(path.to_path_buf()));
            return;
        }
        match file::load(path) {
            Ok(loaded) => {
                self.show_scene(loaded.scene, loaded.selection, loaded.root);
                self.file = Some(path.to_path_buf());
                self.recent.add(path);
                self.note_warnings(path, loaded.warnings);
            }
            Err(error) => {
                if !path.exists() {
                    self.recent.forget(path);
                }
                self.notices.error(format!("{error}\nThe open scene is kept."));
            }
        }
    }

    /// Opens what the command line names: a model file becomes the level of a new scene.
    pub(super) fn open_first(&mut self, path: &Path) {
        if has_extension(path, MODEL_EXTENSIONS) {
            self.open_level(path);
        } else {
            self.open(path);
        }
    }

    fn note_warnings(&mut self, path: &Path, warnings: Vec<String>) {
        if warnings.is_empty() {
            return;
        }
        for warning in &warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
        let text = format!("The scene was opened, but {} of its entries are odd.", warnings.len());
        self.notices.push(crate::ui::notices::Level::Warning, text, warnings);
    }

    /// Puts a scene on stage in place of the open one.
    pub(super) fn show_scene(&mut self, scene: Scene, selection: Selection, root: PathBuf) {
        if self.assets.root() != root {
            self.assets.set_root(root);
        }
        self.camera_controller = CameraController::start(&scene, selection.camera);
        // Names that this version does not know show nothing.
        self.overlays = scene.settings.overlays.iter().filter_map(|name| name.parse().ok()).collect();
        self.pick_queue.forget_scene();
        self.history = History::new(scene.clone(), selection);
        (self.scene, self.selection) = (scene, selection);
        self.restart_world();
        self.file = None;
        self.recovery.forget();
        self.request_models();
        self.reconcile();
        self.ui.camera = None;
        self.ui.rename = None;
    }

    /// An empty scene with a free camera.
    pub(super) fn new_scene(&mut self) {
        let mut cameras = Arena::default();
        cameras.insert(Arc::new(SceneCamera::default()));
        let scene = Scene { cameras, settings: Arc::new(Settings::of_new_scene()), ..Scene::default() };
        let root = self.assets.root().to_path_buf();
        self.show_scene(scene, Selection::default(), root);
    }

    /// A new scene with a model file as its level.
    pub(super) fn open_level(&mut self, path: &Path) {
        self.new_scene();
        self.add_level(path);
    }

    /// Asks for every model that the scene names.
    pub(super) fn request_models(&mut self) {
        let levels = self.scene.levels.values().map(|level| ModelFile::from(&level.file));
        let files = levels.chain(self.scene.models.values().map(ModelFile::from));
        for file in files.filter(|file| !file.file.is_empty()) {
            self.assets.request(file);
        }
        let sky = &self.scene.settings.environment.sky_picture;
        if !sky.is_empty() {
            self.assets.request_sky(sky);
        }
    }

    /// Asks for a picture of the sky.
    pub(super) fn ask_sky(&mut self) {
        let folder = self.folder();
        self.ui.files.ask_sky(&folder);
    }

    /// Asks for a sound file, or for the folder of the music.
    pub(super) fn ask_sound(&mut self, choice: SoundChoice) {
        let folder = self.folder();
        self.ui.files.ask_sound(&folder, choice);
    }

    /// Takes a sound file, or the folder of the music, into the scene.
    pub(super) fn use_sound(&mut self, choice: SoundChoice, path: &Path) {
        let mut to = (*self.scene.settings).clone();
        let file = self.name_in_scene(path);
        let selected = self.selection.instance.and_then(|id| self.world.live(id)).map(|live| live.now.position);
        let ahead = self.status.eye.map(|(eye, direction)| eye + direction * 3.0);
        let sounds = &mut to.sounds;
        match choice {
            SoundChoice::MusicFolder => sounds.music_folder = file,
            SoundChoice::Action(state) => {
                sounds.actions.retain(|one| one.state != state);
                sounds.actions.push(ActionSound { state, file });
            }
            SoundChoice::Ground => sounds.grounds.push(GroundSound { material: stem(path), file }),
            SoundChoice::Place => {
                let position = selected.or(ahead).unwrap_or_default();
                sounds.places.push(PlaceSound { position, reach: 12.0, volume: 1.0, file });
            }
        }
        let name = format!("use the sound {}", stem(path));
        self.edit(EditStep { name, edit: Edit::SetSettings(to), merge: None });
    }

    /// Takes the sky's picture from a file.
    pub(super) fn use_sky(&mut self, path: &Path) {
        let mut to = (*self.scene.settings).clone();
        to.environment.sky_picture = self.name_in_scene(path);
        to.environment.sky_enabled = true;
        let name = format!("use the sky {}", stem(path));
        self.edit(EditStep { name, edit: Edit::SetSettings(to), merge: None });
    }

    /// Takes in finished imports; says which failed.
    pub(super) fn take_imports(&mut self) -> bool {
        let finished = self.assets.poll();
        let failed: Vec<String> = finished.iter().filter_map(|id| self.assets.failure(*id)).collect();
        if !failed.is_empty() {
            let text = match &failed[..] {
                [one] => format!("{one} What it belongs to is kept, drawn as boxes, and saved unharmed."),
                all => format!(
                    "{} models could not be loaded. What they belong to is kept, drawn as boxes, and saved unharmed.",
                    all.len()
                ),
            };
            let details = if failed.len() > 1 { failed } else { Vec::new() };
            self.notices.push(Level::Warning, text, details);
        }
        for error in self.assets.take_failed_skies() {
            self.notices.error(format!("{error} Walkabout's own sky is drawn."));
        }
        self.set_up_models();
        !finished.is_empty()
    }

    /// Saves under `path`; asks for a name when there is none. Returns whether it is saved.
    pub(super) fn save(&mut self, path: Option<PathBuf>) -> bool {
        let Some(path) = path.or_else(|| self.file.clone()) else {
            let folder = self.folder();
            self.ui.files.ask_save(&folder, "scene.acfg");
            return false;
        };
        let path = if has_extension(&path, SCENE_EXTENSIONS) { path } else { path.with_extension("acfg") };
        match crate::scene::file::save(&self.scene_to_save(), &self.selection_to_save(), &path) {
            Ok(()) => {
                self.history.mark_saved();
                self.recovery.forget();
                self.recent.add(&path);
                self.notices.info(format!("Saved {}.", path.display()));
                self.file = Some(path);
                true
            }
            Err(error) => {
                self.notices.error(error.to_string());
                false
            }
        }
    }

    /// The scene with what is not undoable written into it: the free camera's place and the overlays.
    fn scene_to_save(&self) -> Scene {
        let mut scene = self.scene.clone();
        let ids: Vec<_> = scene.cameras.ids().collect();
        for id in ids {
            if let Some(camera) = scene.cameras.get_mut(id) {
                let stored = self.camera_controller.store(&self.scene, camera);
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

    /// Asks what becomes of unsaved work that was left behind; says whether there is some.
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

    /// Does what was answered to the offer of unsaved work.
    pub(super) fn restore(&mut self, choice: RestoreChoice) {
        self.question = None;
        let Some(found) = self.recovery_offer.take() else { return };
        match choice {
            RestoreChoice::Later => {}
            RestoreChoice::Delete => {
                found.remove();
                self.offer_found();
            }
            RestoreChoice::Restore => {
                self.recovery_offer = Some(found);
                self.unless_dirty(PendingAction::Restore, "restoring another scene");
            }
        }
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
        let of_file = self.file.as_ref().and_then(|file| file.parent()).map(Path::to_path_buf);
        let folder = of_file.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| PathBuf::from("."));
        std::path::absolute(&folder).unwrap_or(folder)
    }

    /// How a file is named inside the scene: relative to the root where it lies below it.
    pub(super) fn name_in_scene(&self, path: &Path) -> String {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let root = std::path::absolute(self.assets.root()).unwrap_or_default();
        let inside = absolute.strip_prefix(&root).map_or(absolute.clone(), Path::to_path_buf);
        inside.to_string_lossy().replace('\\', "/")
    }

    /// Takes the navigation mesh from a file.
    pub(super) fn use_mesh(&mut self, path: &Path) {
        let mesh = MeshSource::File(self.name_in_scene(path));
        let to = SceneNav { mesh, ..(*self.scene.nav).clone() };
        self.edit(crate::ui::edits::nav_step(format!("use the mesh {}", stem(path)), None, to));
    }

    /// Saves the navigation mesh, without the obstacles that stand on it.
    pub(super) fn save_mesh(&mut self, path: PathBuf) {
        let path = if has_extension(&path, &["navmesh"]) { path } else { path.with_extension("navmesh") };
        let file = self.world.mesh().built().map(|built| built.file());
        match file.map(|file| file.save(&path)) {
            None => self.notices.error("There is no navigation mesh to save; bake one first.".to_owned()),
            Some(Ok(())) => self.notices.info(format!("Saved {}.", path.display())),
            Some(Err(error)) => self.notices.error(format!("mesh not saved: {error}. File: {}", path.display())),
        }
    }

    /// Adds the tried path to a file of test cases.
    pub(super) fn record(&mut self, path: &Path) {
        let path = if has_extension(path, &["yaml", "yml"]) { path.to_path_buf() } else { path.with_extension("yaml") };
        let Some(scene) = self.file.as_ref().filter(|_| !self.history.is_dirty()) else {
            self.notices.error("Save the scene first: a test case names the scene that it is tried in.".to_owned());
            return;
        };
        let scene = std::path::absolute(scene).unwrap_or_else(|_| scene.clone());
        let Some(result) = self.inspector.query().results().first() else {
            self.notices.error("There is no tried path to record; place its start and end first.".to_owned());
            return;
        };
        let length = result.reason.is_none().then_some(result.length);
        let case = Case::of_scene(&self.scene.nav, &scene, length, result.reason.as_deref());
        match cases::append(&path, case) {
            Ok(count) => self.notices.info(format!("Recorded test case {count} in {}.", path.display())),
            Err(error) => self.notices.error(error.to_string()),
        }
    }

    /// Adds a model file as a level.
    pub(super) fn add_level(&mut self, path: &Path) {
        let level = SceneLevel { name: stem(path), file: self.name_in_scene(path), ..SceneLevel::default() };
        let name = format!("add level {}", level.name);
        self.edit(EditStep { name, edit: Edit::AddLevel(level), merge: None });
    }

    /// Adds a model file with one instance in front of the camera.
    pub(super) fn add_model(&mut self, path: &Path) {
        self.add_model_at(path, None);
    }

    /// Adds a model file with one instance at a place, else in front of the camera.
    pub(super) fn add_model_at(&mut self, path: &Path, at: Option<glam::Vec3>) {
        let mut model = SceneModel { name: stem(path), file: self.name_in_scene(path), ..SceneModel::default() };
        let taken = |name: &str| self.scene.models.values().any(|other| other.name == name);
        if taken(&model.name) {
            model.name = free_name(&model.name, taken);
        }
        let name = format!("add model {}", model.name);
        self.edit(EditStep { name, edit: Edit::AddModel(model), merge: None });
        let Some(id) = self.scene.models.ids().last() else { return };
        self.importing_models.push(id);
        self.place_at(id, at);
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
