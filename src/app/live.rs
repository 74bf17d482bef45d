//! Files that change on disk while the window runs are read again: the scene, models with their textures, the sky, the
//! navigation mesh, sounds. What cannot be read leaves what was there.

use super::state::App;
use crate::ids::InstanceId;
use crate::scene::nav::MeshSource;
use crate::scene::{Scene, file};
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
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            name.iter().for_each(|name| self.notices.close_errors_of(name));
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
        let loaded = match file::load(path) {
            Ok(loaded) => loaded,
            Err(error) => return self.notices.error(format!("{error}\nIt changed on disk; the open scene is kept.")),
        };
        if self.history.is_dirty() {
            let text = format!(
                "{} changed on disk. Your unsaved changes are kept; open it again to drop them.",
                path.display()
            );
            return self.notices.push(Level::Warning, text, Vec::new());
        }
        if self.assets.root() != loaded.root {
            self.assets.set_root(loaded.root);
        }
        let (before, names) = (self.selection, &loaded.scene.settings.overlays);
        if *names != self.scene.settings.overlays {
            self.overlays = names.iter().filter_map(|name| name.parse().ok()).collect();
        }
        self.scene = loaded.scene;
        let is_there = |id: &InstanceId| self.scene.instances.contains(*id);
        self.selection.instance = self.selection.instance.filter(is_there);
        self.history.push("take the scene's file", None, &self.scene, before, self.selection);
        self.history.mark_saved();
        self.request_models();
        self.stale = true;
        self.notices.info(format!("{} changed on disk and was read again.", path.display()));
    }
}

/// The sounds that a scene names.
fn sound_files(scene: &Scene) -> impl Iterator<Item = &str> {
    let sounds = &scene.settings.sounds;
    let of_actions = sounds.actions.iter().map(|one| &one.file);
    let all = of_actions.chain(sounds.grounds.iter().map(|one| &one.file));
    all.chain(sounds.places.iter().map(|one| &one.file)).map(String::as_str)
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
    use crate::sound::offline::{SAMPLE_RATE, write_wav};
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
        let wait = |app: &mut App, what: &str, holds: &dyn Fn(&mut App) -> bool| {
            let begin = Instant::now();
            while !holds(app) {
                assert!(begin.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
                app.look_at_files();
                frame(app, &context);
            }
        };
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
