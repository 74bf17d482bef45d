//! Takes files into the scene: levels, pictures of the sky, sounds, navigation meshes; takes in finished imports.

use super::mesh_opener::{MeshSummary, OpenedMesh};
use super::mesh_saver::MeshSave;
use super::scene_setup::add_step;
use super::state::App;
use crate::asset::clip_edit::ClipEdit;
use crate::asset::{AssetId, ClipSources, ModelFile};
use crate::debug::Layer;
use crate::disk::{absolute, folder_of, stem_of, with_one_of};
use crate::ids::ModelId;
use crate::inspect::doctor::Examination;
use crate::nav::exchange::{ExchangeAgent, ExchangeError, MeshPlacement};
use crate::scene::edit::Edit;
use crate::scene::file::cases::{self, Case};
use crate::scene::list_place::place_now;
use crate::scene::nav::MeshSource;
use crate::scene::sounds::{ActionSound, GroundSound, PlaceSound};
use crate::scene::{SceneLevel, SceneModel, SceneNav, Selection};
use crate::ui::EditStep;
use crate::ui::notices::{Level, NoticeAction, NoticeOffer};
use crate::ui::sound_choice::SoundChoice;
use crate::vocab::free_name;
use std::path::{Path, PathBuf};

impl App {
    /// A new scene with a model file as its level.
    pub(super) fn open_level(&mut self, path: &Path) {
        self.new_scene();
        self.add_level(path);
    }

    /// Takes a sound file, or the folder of the music, into the scene.
    pub(super) fn use_sound(&mut self, choice: SoundChoice, path: &Path) {
        if let SoundChoice::ClipEvent(id, event) = choice {
            return self.use_clip_sound(id, event, path);
        }
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
            SoundChoice::Ground => sounds.grounds.push(GroundSound { material: stem_of(path), file }),
            SoundChoice::Place => {
                let position = selected.or(ahead).unwrap_or_default();
                sounds.places.push(PlaceSound { position, reach: 12.0, volume: 1.0, file });
            }
            SoundChoice::Zone(i) => match place_now(&self.scene_when_asked.settings.zones, &to.zones, i) {
                Some(i) => to.zones[i].music = file,
                // It was taken out while the dialog was open.
                None => return,
            },
            SoundChoice::ClipEvent(..) => return,
        }
        let name = format!("use the sound {}", stem_of(path));
        self.edit(EditStep { name, edit: Edit::SetSettings(to), merge: None });
    }

    /// Takes the sound of an event of a clip.
    fn use_clip_sound(&mut self, id: ModelId, event: usize, path: &Path) {
        let (Some(before), Some(entry)) = (self.scene_when_asked.models.get(id), self.scene.models.get(id)) else {
            return;
        };
        let mut to = SceneModel::clone(entry);
        let file = self.name_in_scene(path);
        // It may have been taken out while the dialog was open.
        if let Some(event) = place_now(&before.clip_events, &to.clip_events, event) {
            to.clip_events[event].file = file;
            let name = format!("use the sound {}", stem_of(path));
            self.edit(EditStep { name, edit: Edit::SetModel { id, to }, merge: None });
        }
    }

    /// Takes the sky's picture from a file.
    pub(super) fn use_sky(&mut self, path: &Path) {
        let mut to = (*self.scene.settings).clone();
        to.environment.sky_picture = self.name_in_scene(path);
        to.environment.sky_enabled = true;
        let name = format!("use the sky {}", stem_of(path));
        self.edit(EditStep { name, edit: Edit::SetSettings(to), merge: None });
    }

    /// Takes in finished imports; says which failed, and what is odd about the others.
    pub(super) fn take_imports(&mut self) -> bool {
        let finished = self.assets.poll();
        self.note_failed(&finished);
        finished.iter().for_each(|id| self.note_odd(*id));
        for error in self.assets.take_failed_skies() {
            self.notices.error(format!("{error} Walkabout's own sky is drawn."));
        }
        self.set_up_models();
        self.note_levels();
        if !finished.is_empty() {
            self.release_models();
        }
        !finished.is_empty()
    }

    /// Says which of these files could not be loaded: of one that has just been added nothing stays.
    fn note_failed(&mut self, finished: &[AssetId]) {
        let levels = self.importing_levels.iter().filter_map(|id| Some(ModelFile::from(self.scene.levels.get(*id)?)));
        let models = self.importing_models.iter().filter_map(|id| Some(ModelFile::from(self.scene.models.get(*id)?)));
        let added: Vec<AssetId> = levels.chain(models).filter_map(|file| self.assets.find(file)).collect();
        let (gone, kept): (Vec<AssetId>, Vec<AssetId>) = finished.iter().copied().partition(|id| added.contains(id));
        let of_kept = ["What it belongs to is", "What they belong to is"]
            .map(|what| format!("{what} kept, drawn as boxes, and saved unharmed."));
        let of_gone = ["Nothing was added.", "None of them was added."].map(str::to_owned);
        for (ids, [of_one, of_all]) in [(gone, of_gone), (kept, of_kept)] {
            let failed: Vec<String> = ids.iter().filter_map(|id| self.assets.failure(*id)).collect();
            match &failed[..] {
                [] => {}
                [one] => self.notices.push(Level::Warning, format!("{one}\n{of_one}"), Vec::new()),
                all => {
                    let text = format!("{} models could not be loaded. {of_all}", all.len());
                    self.notices.push(Level::Warning, text, failed);
                }
            }
        }
    }

    /// Says once what is odd about a file that was loaded; what the panels say of clips is not repeated.
    fn note_odd(&mut self, id: AssetId) {
        let (Some(model), Some(path)) = (self.assets.model(id), self.assets.path(id)) else { return };
        let is_of_panel = |text: &&String| ClipEdit::is_warning(text) || ClipSources::is_warning(text);
        let odd: Vec<String> = model.warnings.iter().filter(|text| !is_of_panel(text)).cloned().collect();
        let text = match &odd[..] {
            [] => return,
            [one] => format!("{}: {one}. File: {}", stem_of(path), path.display()),
            all => {
                let shown = all[..all.len().min(MAX_ODD)].join("; ");
                let more = if all.len() > MAX_ODD { " …" } else { "." };
                format!("{}: {shown}{more} File: {}", stem_of(path), path.display())
            }
        };
        if self.noted_files.insert(text.clone()) {
            let details = if odd.len() > MAX_ODD { odd } else { Vec::new() };
            self.notices.push(Level::Warning, text, details);
        }
    }

    /// Takes a model out again whose file could not be loaded.
    pub(super) fn take_back_model(&mut self, id: ModelId) {
        let Some(model) = self.scene.models.get(id) else { return };
        let (step, name) = (add_step(&model.name), model.name.clone());
        self.take_back(&step, &name, Edit::RemoveModel(id));
    }

    /// Takes levels out again whose files could not be loaded: after a drag, which that would cut in two.
    pub(super) fn take_back_levels(&mut self) {
        if self.history.is_dragging() {
            return;
        }
        for id in self.importing_levels.clone() {
            let Some(level) = self.scene.levels.get(id).filter(|level| self.assets.has_failed(*level)) else {
                continue;
            };
            let (step, name) = (add_level_step(&level.name), level.name.clone());
            self.importing_levels.retain(|other| *other != id);
            self.take_back(&step, &name, Edit::RemoveLevel(id));
        }
    }

    /// Takes out what could not be loaded: as if it had never been added where nothing was done since.
    fn take_back(&mut self, added_by: &str, name: &str, removal: Edit) {
        if self.history.undo_name() == Some(added_by)
            && let Some(state) = self.history.take_back()
        {
            return self.put_back(state);
        }
        let name = format!("remove {name}, which could not be loaded");
        self.edit(EditStep { name, edit: removal, merge: None });
    }

    /// Takes the navigation mesh from a file.
    pub(super) fn use_mesh(&mut self, path: &Path) {
        let mesh = MeshSource::File(self.name_in_scene(path));
        let to = SceneNav { mesh, mesh_placement: MeshPlacement::default(), ..(*self.scene.nav).clone() };
        self.edit(crate::ui::edits::nav_step(format!("use the mesh {}", stem_of(path)), None, to));
    }

    /// Takes a navigation mesh of any format into the open scene, once its file is read.
    pub(super) fn open_mesh(&mut self, path: &Path) {
        self.mesh_opener.start(path);
    }

    /// Takes in the mesh that was opened once its file is read, and says what could not be read of it.
    pub(super) fn take_opened_mesh(&mut self) {
        // A step amid a drag would cut that in two.
        if self.history.is_dragging() {
            return;
        }
        let Some((path, opened)) = self.mesh_opener.poll() else { return };
        // A mesh that is only looked at is no work that could be lost.
        let is_alone = self.file.is_none()
            && !self.history.is_dirty()
            && self.scene.levels.is_empty()
            && self.scene.instances.is_empty();
        match opened {
            Some(OpenedMesh::Read(summary)) => self.show_opened_mesh(&path, summary, is_alone),
            Some(OpenedMesh::Refused { error, is_examinable }) => {
                self.open_damaged_mesh(&path, &error, is_alone && is_examinable);
            }
            None => self.notices.error(format!(
                "mesh not opened: reading it ended without a result; the log says why. File: {}\nThe open scene is kept.",
                path.display()
            )),
        }
    }

    fn show_opened_mesh(&mut self, path: &Path, summary: MeshSummary, is_alone: bool) {
        let MeshSummary { text, notes, has_links, points } = summary;
        let of_file = matches!(self.scene.nav.mesh, MeshSource::File(_));
        let replaces = (!is_alone && (of_file || !self.scene.levels.is_empty())).then_some(of_file);
        self.use_mesh(path);
        if is_alone {
            self.history.mark_saved();
        }
        self.show_overlay(Layer::NavMesh, true);
        if has_links {
            self.show_overlay(Layer::NavLinks, true);
        }
        if self.world.triangles().is_empty() {
            self.show_from_above(&points);
        }
        match notes.is_empty() {
            true => self.notices.info(text),
            false => self.notices.push(Level::Warning, format!("{text} Not all of it could be read."), notes),
        }
        if let Some(of_file) = replaces {
            self.note_replaced_mesh(path, of_file);
        }
    }

    /// Says that a mesh that was opened took the place of the scene's, with a button that takes that back.
    fn note_replaced_mesh(&mut self, path: &Path, was_of_file: bool) {
        let before = if was_of_file { "the file before" } else { "its level" };
        let text =
            format!("{} is the navigation mesh of the scene now, in place of the one of {before}.", stem_of(path));
        let name = self.history.undo_name().unwrap_or_default().to_owned();
        let action = NoticeAction::UndoStep { name, done: self.history.count().0 };
        self.notices.offer(text, NoticeOffer { label: "Undo".to_owned(), action });
    }

    /// Says why a mesh is not opened, or lets the doctor examine it.
    fn open_damaged_mesh(&mut self, path: &Path, error: &ExchangeError, is_examined: bool) {
        let file = path.display();
        if !is_examined {
            return self.notices.error(format!("mesh not opened: {error}. File: {file}\nThe open scene is kept."));
        }
        self.use_mesh(path);
        self.history.mark_saved();
        self.notices.error(format!("the mesh is damaged: {error}. File: {file}\nThe doctor examines it as it is."));
        self.examine(Examination::Everything);
    }

    /// Saves the navigation mesh, without the obstacles that stand on it, in the format of the file's name.
    pub(super) fn save_mesh(&mut self, path: PathBuf) {
        let full = if path.extension().is_some() { path.clone() } else { path.with_extension("navmesh") };
        let Some(path) = self.completed(&path, full) else { return };
        let Some(built) = self.world.mesh().built().cloned() else {
            return self.notices.error("There is no navigation mesh to save; bake one first.".to_owned());
        };
        let bake = self.scene.bake_settings();
        let of_scene = ExchangeAgent { height: bake.agent_height, radius: bake.agent_radius, climb: bake.agent_climb };
        // The mesh of a file keeps the agent that it was made for.
        let agent = built.raw.as_ref().and_then(|raw| raw.values.as_ref()).map_or(of_scene, |values| values.agent);
        self.mesh_saver.start(MeshSave { built, agent, path });
    }

    /// Says what came of a mesh that was saved, once it is.
    pub(super) fn note_saved_mesh(&mut self) {
        let Some((path, saved)) = self.mesh_saver.poll() else { return };
        match saved {
            Ok(notes) if notes.is_empty() => {
                let action = NoticeAction::ShowFolder(folder_of(&path).to_path_buf());
                let show = NoticeOffer { label: "Show folder".to_owned(), action };
                self.notices.info_with(format!("Saved {}.", path.display()), show);
            }
            Ok(notes) => {
                let text = format!("Saved {}; the format does not hold all of the mesh.", path.display());
                self.notices.push(Level::Warning, text, notes);
            }
            Err(error) => self.notices.error(format!("mesh not saved: {error}. File: {}", path.display())),
        }
    }

    /// Adds the test path to a file of test cases.
    pub(super) fn record(&mut self, path: &Path) {
        let path = with_one_of(path.to_path_buf(), &["yaml", "yml"]);
        let Some(scene) = self.file.as_ref().filter(|_| !self.history.is_dirty()) else {
            self.notices.error("Save the scene first: a test case names the scene that it is tried in.".to_owned());
            return;
        };
        let scene = absolute(scene);
        let Some(result) = self.inspector.query().results().first() else {
            self.notices.error("There is no test path to record; place its start and end first.".to_owned());
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
        self.question = None;
        let is_first = self.scene.levels.is_empty();
        self.awaits_level |= is_first && self.scene.instances.is_empty();
        let name = free_name(&stem_of(path), |name| self.scene.levels.values().any(|other| other.name == name));
        let level = SceneLevel { name, file: self.name_in_scene(path), ..SceneLevel::default() };
        let name = add_level_step(&level.name);
        let Some(added) = self.apply(EditStep { name, edit: Edit::AddLevel(level), merge: None }) else { return };
        self.importing_levels.extend(&added.levels);
        if !is_first {
            let level = added.levels.last().copied();
            self.set_selection(Selection { level, instance: None, model: None, ..self.selection });
            self.awaited_levels.extend(added.levels);
        }
    }
}

/// Most odd things about a file that a notice joins; more are its details.
const MAX_ODD: usize = 3;

/// The name of the step that adds a level.
fn add_level_step(level: &str) -> String {
    format!("add level {level}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::recent::Recent;
    use crate::scene::{ClipEvent, ClipEventKind, SceneZone, Settings};
    use crate::ui::command::Purpose;

    #[test]
    fn music_of_a_zone_that_is_gone_makes_no_step() {
        let mut app = App::new(Recent::default());
        app.use_sound(SoundChoice::Zone(0), Path::new("/music/calm.ogg"));
        assert_eq!((app.steps(), app.is_dirty()), ((0, 0), false));
    }

    #[test]
    fn music_is_of_the_zone_that_it_was_asked_for() {
        let mut app = App::new(Recent::default());
        let zone = |name: &str| SceneZone { name: name.into(), ..SceneZone::default() };
        let set = |app: &mut App, zones: Vec<SceneZone>| {
            let to = Settings { zones, ..(*app.scene.settings).clone() };
            app.edit(EditStep { name: "zones".into(), edit: Edit::SetSettings(to), merge: None });
        };
        set(&mut app, ["hall", "cellar", "attic"].map(zone).to_vec());
        app.ask(Purpose::Sound(SoundChoice::Zone(1)));
        set(&mut app, ["cellar", "attic"].map(zone).to_vec());
        app.use_sound(SoundChoice::Zone(1), Path::new("/music/drip.ogg"));
        let music: Vec<bool> = app.scene.settings.zones.iter().map(|zone| !zone.music.is_empty()).collect();
        assert_eq!(music, [true, false]);
    }

    #[test]
    fn a_sound_is_of_the_event_that_it_was_asked_for() {
        let mut app = App::new(Recent::default());
        let model = |times: &[f32]| {
            let event = |&time| ClipEvent { kind: ClipEventKind::Sound, time, ..ClipEvent::default() };
            SceneModel { name: "man".into(), clip_events: times.iter().map(event).collect(), ..SceneModel::default() }
        };
        let id = app.scene.models.insert(model(&[0.1, 0.2, 0.3]).into());
        app.ask(Purpose::Sound(SoundChoice::ClipEvent(id, 1)));
        let to = model(&[0.2, 0.3]);
        app.edit(EditStep { name: "events".into(), edit: Edit::SetModel { id, to }, merge: None });
        app.use_sound(SoundChoice::ClipEvent(id, 1), Path::new("/sounds/clap.ogg"));
        let sounds = app.scene.models.get(id).unwrap().clip_events.iter().map(|event| !event.file.is_empty());
        assert_eq!(sounds.collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn meshes_are_saved_one_after_the_other_beside_the_frames() {
        let folder = tempfile::tempdir().unwrap();
        let yard = folder.path().join("yard.json");
        std::fs::write(&yard, r#"{"verts":[[0,0,0],[4,0,0],[4,0,4],[0,0,4]],"polys":[[0,1,2,3]]}"#).unwrap();
        let mut app = App::new(Recent::default());
        app.use_mesh(&yard);
        while app.world.mesh().built().is_none() {
            assert!(app.world.mesh().error().is_none(), "{:?}", app.world.mesh().error());
            app.reconcile();
            std::thread::yield_now();
        }
        let [first, nameless, lost, last] =
            ["first.obj", "second", "third.xyz", "last.navmesh"].map(|name| folder.path().join(name));
        for path in [&first, &nameless, &lost] {
            app.save_mesh(path.clone());
        }
        assert_eq!(app.mesh_saver.file(), Some(first.as_path()), "frames follow until it is written");
        while app.mesh_saver.file().is_some() {
            app.note_saved_mesh();
            std::thread::yield_now();
        }
        let said: Vec<&str> = app.notices().all().iter().map(|notice| notice.text.as_str()).collect();
        let [.., of_first, of_second, of_third] = &said[..] else { panic!("{said:?}") };
        assert!(of_first.starts_with("Saved") && of_first.contains("first.obj"), "{of_first}");
        assert!(of_second.starts_with("Saved") && of_second.contains("second.navmesh"), "{of_second}");
        assert!(of_third.starts_with("mesh not saved") && of_third.contains("third.xyz"), "{of_third}");
        assert!(first.is_file() && nameless.with_extension("navmesh").is_file() && !lost.exists());
        app.save_mesh(first);
        app.save_mesh(last.clone());
        drop(app);
        assert!(last.is_file(), "what was to be saved is, though the program ends");
    }

    #[test]
    fn a_mesh_that_is_being_read_is_for_the_open_scene() {
        let mut app = App::new(Recent::default());
        let said = |app: &App| app.notices().all().last().map(|notice| notice.text.clone()).unwrap_or_default();
        app.open_mesh(Path::new("/nowhere/yard.json"));
        assert!(app.is_building(), "frames follow until it is read");
        app.new_scene();
        assert!(app.mesh_opener.file().is_none() && said(&app).contains("nothing comes of it"), "{}", said(&app));
        app.open_mesh(Path::new("/nowhere/yard.json"));
        while app.mesh_opener.file().is_some() {
            app.take_opened_mesh();
            std::thread::yield_now();
        }
        assert!(said(&app).starts_with("mesh not opened"), "{}", said(&app));
    }
}
