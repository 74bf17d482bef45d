//! Files that change on disk while the window runs are read again: the scene, models with their textures, the sky, the
//! navigation mesh, sounds. What cannot be read leaves what was there.

use super::history::TAKE_FILE;
use super::state::App;
use crate::disk::name_of;
use crate::scene::nav::MeshSource;
use crate::scene::{Scene, Selection, file};
use crate::ui::notices::Level;
use std::path::Path;

impl App {
    /// Reads files again when they change on disk, from now on.
    pub fn follow_files(&mut self) {
        self.live.start();
    }

    /// Looks at the files when [`App::look_at_files`] is called, and at no other time.
    pub fn follow_files_by_calls(&mut self) {
        self.live.start_by_calls();
        self.watch_named_files();
    }

    /// Notes which files have changed: they are read again in the next frame.
    pub fn look_at_files(&mut self) {
        self.live.look();
    }

    /// Reads again what has changed on disk.
    pub(super) fn reload_changed(&mut self, context: &egui::Context) {
        let waker = context.clone();
        if !self.live.is_on(move || waker.request_repaint()) {
            return;
        }
        let changed = self.live.take_changed();
        for path in &changed {
            // What is still wrong with it is said anew.
            self.notices.close_errors_of(&name_of(path));
            if self.file.as_ref() == Some(path) {
                self.reload_scene(path);
            } else if sound_files(&self.scene).any(|name| self.assets.resolve(name) == *path) {
                self.sound.reload(path);
            } else {
                tracing::info!("{} has changed and is read again", path.display());
                self.assets.reload(path);
                self.stale = true;
            }
        }
        self.watch_named_files();
        for error in self.assets.take_rejected() {
            self.notices.error(format!("{error} It changed on disk; what was read of it before is kept."));
        }
        if let Some(error) = self.world.take_rejected_mesh() {
            self.notices
                .error(format!("mesh not read again: {error}\nIt changed on disk; the mesh as it was is kept."));
        }
    }

    /// Watches what the scene names now.
    fn watch_named_files(&mut self) {
        let (root, file) = (self.assets.root(), self.file.as_deref());
        if !self.live.is_set(root, file, named_files(&self.scene)) {
            self.live.set(root, file, named_files(&self.scene));
        }
    }

    /// Takes the scene's file, which another program has written: a step of the history. Unsaved changes are kept
    /// instead.
    fn reload_scene(&mut self, path: &Path) {
        if self.history.is_dirty() {
            let text = format!(
                "{} changed on disk. Your unsaved changes are kept; open it again to drop them.",
                path.display()
            );
            return self.notices.push(Level::Warning, text, Vec::new());
        }
        let loaded = match file::load(path) {
            Ok(loaded) => loaded,
            Err(error) => return self.notices.error(format!("{error}\nIt changed on disk; the open scene is kept.")),
        };
        if self.assets.root() != loaded.root {
            self.assets.set_root(loaded.root);
        }
        let (before, names) = (self.selection, &loaded.scene.settings.overlays);
        if *names != self.scene.settings.overlays {
            self.overlays = names.iter().filter_map(|name| name.parse().ok()).collect();
        }
        let places = places_of(&self.scene, before);
        let camera = self.take_read(loaded.scene);
        self.selection = Selection { camera, ..at_places(&self.scene, places) };
        self.prune_selection();
        self.history.push(TAKE_FILE, None, &self.scene, before, self.selection);
        self.history.mark_saved();
        self.request_models();
        self.stale = true;
        self.notices.info(format!("{} changed on disk and was read again.", path.display()));
        self.note_warnings(path, loaded.warnings);
    }
}

/// Places in the lists of a scene: of an instance, a model, a level and a behaviour.
type Places = [Option<usize>; 4];

/// Where in the lists of a scene things lie that are selected.
fn places_of(scene: &Scene, selection: Selection) -> Places {
    [
        selection.instance.and_then(|id| scene.instances.position(id)),
        selection.model.and_then(|id| scene.models.position(id)),
        selection.level.and_then(|id| scene.levels.position(id)),
        selection.behavior.and_then(|id| scene.behaviors.position(id)),
    ]
}

/// What lies at these places; no camera.
fn at_places(scene: &Scene, [instance, model, level, behavior]: Places) -> Selection {
    Selection {
        instance: instance.and_then(|place| scene.instances.at(place)),
        model: model.and_then(|place| scene.models.at(place)),
        level: level.and_then(|place| scene.levels.at(place)),
        behavior: behavior.and_then(|place| scene.behaviors.at(place)),
        camera: None,
    }
}

/// The sounds that a scene names, without music, which is read whenever it begins.
fn sound_files(scene: &Scene) -> impl Iterator<Item = &str> {
    let events = scene.models.values().flat_map(|model| model.clip_events.iter().map(|event| event.file.as_str()));
    scene.settings.sounds.files().chain(events)
}

/// The files that a scene names and that are read again: models, levels, the sky, the mesh, sounds.
fn named_files(scene: &Scene) -> impl Iterator<Item = &str> {
    let mesh = match &scene.nav.mesh {
        MeshSource::File(file) => Some(file.as_str()),
        MeshSource::Triangles | MeshSource::Baked | MeshSource::Level => None,
    };
    let sky = scene.settings.environment.sky_picture.as_str();
    scene
        .model_files()
        .flat_map(|file| std::iter::once(file.file).chain(file.clips.files.iter().map(|source| source.file.as_str())))
        .chain([sky])
        .chain(mesh)
        .chain(sound_files(scene))
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::recent::Recent;
    use crate::app::sound::Sound;
    use crate::app::window::FrameHandler;
    use crate::scene::edit::Edit;
    use crate::scene::{SceneInstance, SceneModel};
    use crate::sound::offline::{SAMPLE_RATE, write_wav};
    use crate::ui::command::EditStep;
    use crate::ui::nav_tools::PlacedItem;
    use std::sync::Arc;
    use std::time::{Duration, Instant, SystemTime};

    /// A frame of a window that draws nothing.
    fn frame(app: &mut App, context: &egui::Context) {
        let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1440.0, 900.0)));
        let input = egui::RawInput { screen_rect, ..egui::RawInput::default() };
        let mut output = context.run_ui(input, |ui| {
            app.update(ui, Duration::from_millis(20));
        });
        output.textures_delta.clear();
    }

    /// Updates a window until something holds.
    fn wait(app: &mut App, context: &egui::Context, what: &str, holds: &dyn Fn(&mut App) -> bool) {
        let begin = Instant::now();
        while !holds(app) {
            assert!(begin.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
            app.look_at_files();
            frame(app, context);
        }
    }

    #[test]
    fn what_is_selected_stays_so_when_a_scene_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("four.acfg");
        let mut scene = Scene::default();
        for x in [0.0, 1.0, 2.0, 3.0] {
            let position = glam::Vec3::X * x;
            scene.instances.insert(SceneInstance { position, ..SceneInstance::default() }.into());
        }
        file::save(&scene, &Selection::default(), &path).unwrap();
        let mut app = App::new(Recent::default());
        app.open_at_start(&path);
        app.follow_files_by_calls();
        let context = egui::Context::default();
        crate::ui::theme::install(&context);
        let ids: Vec<_> = app.scene.instances.ids().collect();
        let remove = Edit::RemoveInstance(ids[0]);
        app.edit(EditStep { name: "delete".into(), edit: remove, merge: None });
        (app.selection.instance, app.group) = (Some(ids[2]), [ids[1], ids[2]].into());
        assert!(app.save(None));
        // Another program moves the first of the three that are left.
        let mut written = file::load(&path).unwrap().scene;
        let first = written.instances.at(0).unwrap();
        Arc::make_mut(written.instances.get_mut(first).unwrap()).position.z = 5.0;
        file::save(&written, &Selection::default(), &path).unwrap();
        let later = SystemTime::now() + Duration::from_secs(60);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        let is_read = |app: &mut App| app.scene.instances.values().any(|one| one.position.z == 5.0);
        wait(&mut app, &context, "the scene", &is_read);
        let selected = app.selected();
        assert_eq!(selected.len(), 1, "ids stand for others now");
        assert_eq!(app.scene.instances.get(selected[0]).unwrap().position.x, 2.0);
        // Undo goes back to a scene whose ids stand for others: what was live under them is not taken for these.
        let placed = |app: &App| {
            let near =
                |id| app.world.live(id).zip(app.scene.instances.get(id)).map(|(a, b)| a.now.position.x - b.position.x);
            app.scene.instances.ids().filter_map(near).all(|off| off.abs() < 0.1)
        };
        frame(&mut app, &context);
        app.undo();
        frame(&mut app, &context);
        assert!(app.scene.instances.ids().count() == 3 && placed(&app), "they stand where the scene has them");
        app.redo();
        frame(&mut app, &context);
        assert!(app.scene.instances.values().any(|one| one.position.z == 5.0) && placed(&app));
    }

    #[test]
    fn odd_entries_of_a_scene_that_is_read_again_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("yard.acfg");
        std::fs::write(&path, "version: 9.0\n").unwrap();
        let mut app = App::new(Recent::default());
        app.open_at_start(&path);
        app.follow_files_by_calls();
        let context = egui::Context::default();
        crate::ui::theme::install(&context);
        frame(&mut app, &context);
        std::fs::write(&path, "version: 9.0\ninstances:\n  - model-file: gone.glb\n").unwrap();
        let later = SystemTime::now() + Duration::from_secs(60);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        wait(&mut app, &context, "the warning", &|app| {
            app.notices().all().iter().any(|notice| notice.details.iter().any(|line| line.contains("gone.glb")))
        });
    }

    #[test]
    fn another_scene_has_nothing_of_what_was_selected_before() {
        let mut app = App::new(Recent::default());
        let of = |count: usize| {
            let mut scene = Scene::default();
            (0..count).for_each(|_| _ = scene.instances.insert(SceneInstance::default().into()));
            scene.models.insert(SceneModel::default().into());
            scene
        };
        let root = std::path::PathBuf::new();
        app.show_scene(of(3), Selection::default(), root.clone());
        app.group = app.scene.instances.ids().collect();
        app.selection.instance = app.scene.instances.at(1);
        app.importing_models = app.scene.models.ids().collect();
        app.ui.nav_tools.picked = Some(PlacedItem::Threat(2));
        assert_eq!(app.selected().len(), 3);
        let scene = of(3);
        let selection = Selection { instance: scene.instances.at(1), ..Selection::default() };
        app.show_scene(scene, selection, root);
        assert_eq!((app.selected().len(), app.importing_models.len(), app.ui.nav_tools.picked), (1, 0, None));
        // What changes nothing is no step.
        let nothing = EditStep { name: "nothing".into(), edit: Edit::Many(Vec::new()), merge: None };
        assert_eq!((app.apply(nothing), app.history.is_dirty()), (None, false));
    }

    #[test]
    fn sounds_that_change_are_read_again_while_the_window_runs() {
        let folder = tempfile::tempdir().unwrap();
        let [scene, sound] = ["yard.acfg", "jump.wav"].map(|name| folder.path().join(name));
        std::fs::write(&scene, "version: 10.0\nwalkabout:\n  sounds:\n    actions: [{state: 3, file: jump.wav}]\n")
            .unwrap();
        let stamp = |secs: u64| {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(secs);
            std::fs::File::options().write(true).open(&sound).unwrap().set_modified(time).unwrap();
        };
        let write = |tenths: u32| {
            write_wav(&sound, &vec![0.1; (SAMPLE_RATE / 10 * tenths * 2) as usize]).unwrap();
            stamp(u64::from(tenths));
        };
        write(1);
        let mut app = App::new(Recent::default());
        app.open_at_start(&scene);
        // The device is tried when there is something to be heard: never, here.
        app.sound = Sound::load(None, true);
        app.follow_files_by_calls();
        let context = egui::Context::default();
        crate::ui::theme::install(&context);
        let wait = |app: &mut App, what: &str, holds: &dyn Fn(&mut App) -> bool| wait(app, &context, what, holds);
        let lasts = |tenths: u64| {
            let sound = &sound;
            move |app: &mut App| app.sound.duration(sound) == Some(Duration::from_millis(100 * tenths))
        };
        wait(&mut app, "the sound", &lasts(1));
        write(3);
        wait(&mut app, "the longer sound", &lasts(3));
        let says = |app: &mut App| app.notices().all().iter().any(|notice| notice.text.contains("jump.wav"));
        assert!(!says(&mut app));
        std::fs::write(&sound, "no sound").unwrap();
        stamp(4);
        wait(&mut app, "the notice", &says);
        assert!(lasts(3)(&mut app), "what cannot be read leaves what was there");
        write(5);
        wait(&mut app, "the mended sound", &lasts(5));
    }
}
