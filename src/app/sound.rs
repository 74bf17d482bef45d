//! From the world to the mixer: which steps, actions and places are heard, and what is kept between runs.

use super::pick::level_meshes;
use crate::asset::{AssetStore, Model};
use crate::camera::View;
use crate::disk::write::write_with_folder;
use crate::disk::{WriteFault, read_text};
use crate::ids::InstanceId;
use crate::math::Ray;
use crate::scene::{ClipEvent, ClipEventKind, Scene, SceneLevel, zones};
use crate::sim::{LevelParts, World};
use crate::sound::error::SoundError;
use crate::sound::offline::Offline;
use crate::sound::{Footstep, GroundMaterial, Listener, Mixer, MusicCommand, PlacedSound, SoundAt, SoundSettings};
use crate::vocab::MoveState;
use glam::Vec3;
use kira::backend::{Backend, DefaultBackend};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How far above and below a foot its ground is looked for, metres.
const GROUND_ABOVE: f32 = 0.5;
const GROUND_BELOW: f32 = 1.0;
/// Largest file of settings that is read, bytes.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

/// What sounds in the window, or is rendered.
pub struct Sound<B: Backend = DefaultBackend> {
    mixer: Mixer<B>,
    store: Option<PathBuf>,
    /// The settings that are kept.
    kept: SoundSettings,
    grounds: GroundNames,
    /// What instances did in the last step, where actions have sounds.
    states: HashMap<InstanceId, MoveState>,
}

/// Names of the materials of a level's triangles.
#[derive(Default)]
struct GroundNames {
    parts: Vec<(Arc<SceneLevel>, Arc<Model>)>,
    /// The first triangle of each mesh, ascending, and the names of its material and texture.
    starts: Vec<(u32, String)>,
}

impl GroundNames {
    /// Takes in levels that have changed.
    fn reconcile(&mut self, scene: &Scene, assets: &AssetStore, shown: &LevelParts) {
        let levels = || scene.levels.iter().filter(|(id, _)| shown.is_there(*id)).map(|(_, level)| level);
        let parts = || levels().filter_map(|level| Some((level, assets.by_file(level)?.1)));
        let mut known = parts().zip(&self.parts);
        if parts().count() == self.parts.len() && known.all(|(a, b)| Arc::ptr_eq(a.0, &b.0) && Arc::ptr_eq(a.1, &b.1)) {
            return;
        }
        self.parts = parts().map(|(level, model)| (level.clone(), model.clone())).collect();
        self.starts.clear();
        let mut count = 0;
        for (model, mesh) in level_meshes(scene, assets, shown) {
            let material = model.materials.get(mesh.material as usize);
            let image = material.and_then(|m| model.images.get(m.base_color_image? as usize));
            let names = [material.map(|m| &m.name), image.map(|i| &i.name)];
            let names: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
            self.starts.push((count, names.join(" ")));
            count += (mesh.indices.len() / 3) as u32;
        }
    }

    /// The names at a foot; empty in the air.
    fn at(&self, world: &World, position: Vec3) -> &str {
        let ray = Ray { origin: position + Vec3::Y * GROUND_ABOVE, direction: Vec3::NEG_Y };
        let hit = world
            .triangle_tree()
            .and_then(|octree| Some(octree.triangle(octree.raycast(&ray, GROUND_ABOVE + GROUND_BELOW)?.0)));
        let Some(triangle) = hit else { return "" };
        let after = self.starts.partition_point(|(first, _)| *first <= triangle.index);
        after.checked_sub(1).map_or("", |i| &self.starts[i].1)
    }
}

impl<B: Backend<Settings: Default>> Sound<B> {
    /// With the settings that are kept in a folder; those of a file that is not there or unreadable are the default.
    /// Where no `device` can be, none is tried.
    pub fn load(folder: Option<PathBuf>, device: bool) -> Self {
        let store = folder.map(|folder| folder.join("sound.json"));
        let text = store.as_ref().and_then(|path| read_text(path, MAX_SETTINGS_BYTES).ok());
        let settings = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Self { store, ..Self::with_mixer(Mixer::new(settings, device)) }
    }

    fn with_mixer(mixer: Mixer<B>) -> Self {
        let kept = mixer.settings();
        Self { mixer, store: None, kept, grounds: GroundNames::default(), states: HashMap::new() }
    }

    /// How it stands.
    pub fn status(&self) -> crate::ui::SoundStatus {
        crate::ui::SoundStatus {
            settings: self.mixer.settings(),
            is_missing: self.mixer.is_missing(),
            music: self.mixer.music(),
        }
    }

    /// Changes what is to be heard. It is for the next run, too, once it is [kept](Self::keep).
    pub fn set(&mut self, settings: SoundSettings) {
        self.mixer.set(settings);
    }

    /// Carries out what is asked of the music.
    ///
    /// # Errors
    /// As [`Self::keep`].
    pub fn run(&mut self, command: MusicCommand) -> Result<(), WriteFault> {
        self.mixer.run(command);
        self.keep()
    }

    /// Keeps what was changed for the next run: not in each frame of a drag, as a file is written.
    ///
    /// # Errors
    /// The settings could not be written; they hold for this run.
    pub fn keep(&mut self) -> Result<(), WriteFault> {
        let settings = self.mixer.settings();
        if std::mem::replace(&mut self.kept, settings) == settings {
            return Ok(());
        }
        let text = serde_json::to_string_pretty(&settings);
        let (Some(store), Ok(text)) = (&self.store, text) else { return Ok(()) };
        write_with_folder(store, text.as_bytes())
    }

    /// Keeps the music of a scene going. Returns whether there is to be any, and why files could not be played.
    pub fn follow(&mut self, scene: &Scene, assets: &AssetStore) -> (bool, Vec<SoundError>) {
        self.mixer.set_folder(&assets.resolve(scene.settings.sounds.folder()));
        self.mixer.poll_files();
        self.mixer.poll();
        (self.mixer.settings().music && !self.mixer.is_missing(), self.mixer.take_failures())
    }

    /// Reads a sound again, which has changed on disk; until it is read, and where it cannot be, it stays as it was.
    pub fn reload(&mut self, file: &Path) {
        self.mixer.reload(file);
    }

    /// How long the sound of a file lasts, once it is decoded.
    #[cfg(test)]
    pub fn duration(&mut self, file: &Path) -> Option<std::time::Duration> {
        self.mixer.duration(file)
    }

    /// Plays the footsteps and actions of the last step, heard at the place of `view`.
    pub fn hear(&mut self, world: &World, scene: &Scene, assets: &AssetStore, view: &View) {
        let listener = listener(view);
        let sounds = &scene.settings.sounds;
        self.grounds.reconcile(scene, assets, world.parts());
        let near = world.footfalls().filter(|step| listener.hear(step.position).is_some());
        let steps: Vec<Footstep> = near
            .map(|step| {
                let names = self.grounds.at(world, step.position);
                let file = sounds.of_ground(names).map(|one| assets.resolve(&one.file));
                Footstep { position: step.position, speed: step.speed, ground: GroundMaterial::of_name(names), file }
            })
            .collect();
        self.mixer.play_steps(&steps, &listener);
        let mut begun = self.begun_actions(world, scene, assets);
        begun.extend(self.sounds_of_clips(world, scene, assets));
        self.mixer.play_at(&begun, &listener);
    }

    /// Keeps the sounds of the scene's places and the music of its zones going, heard at the place of `view`; also while the simulation is paused.
    pub fn hear_places(&mut self, scene: &Scene, assets: &AssetStore, view: &View) {
        let place = |one: &crate::scene::sounds::PlaceSound| PlacedSound {
            file: assets.resolve(&one.file),
            position: one.position,
            reach: one.reach,
            volume: one.volume,
        };
        let track = zones::music_at(&scene.settings.zones, view.position);
        self.mixer.set_interlude(track.map(|file| assets.resolve(file)));
        let places: Vec<PlacedSound> = scene.settings.sounds.places.iter().map(place).collect();
        self.mixer.play_places(&places, &listener(view));
    }

    /// The sounds of clips that passed in the last step.
    fn sounds_of_clips(&mut self, world: &World, scene: &Scene, assets: &AssetStore) -> Vec<SoundAt> {
        let is_sound = |event: &&ClipEvent| event.kind == ClipEventKind::Sound && !event.file.is_empty();
        let named = scene.models.values().flat_map(|model| &model.clip_events).filter(is_sound);
        let files: Vec<PathBuf> = named.map(|event| assets.resolve(&event.file)).collect();
        if files.is_empty() {
            return Vec::new();
        }
        self.mixer.prepare(files.iter().map(PathBuf::as_path));
        let passed = world.clip_events().filter(|passed| is_sound(&passed.event));
        passed
            .map(|passed| SoundAt {
                file: assets.resolve(&passed.event.file),
                position: passed.position,
                volume: passed.event.strength,
            })
            .collect()
    }

    /// The sounds of actions that began in the last step.
    fn begun_actions(&mut self, world: &World, scene: &Scene, assets: &AssetStore) -> Vec<SoundAt> {
        let actions = &scene.settings.sounds.actions;
        if actions.is_empty() {
            self.states.clear();
            return Vec::new();
        }
        let files: Vec<PathBuf> = actions.iter().map(|one| assets.resolve(&one.file)).collect();
        self.mixer.prepare(files.iter().map(PathBuf::as_path));
        let before = std::mem::take(&mut self.states);
        self.states = world.iter().map(|(id, live)| (id, live.state)).collect();
        let begins = |id: InstanceId, state: MoveState| before.get(&id).is_some_and(|last| *last != state);
        world
            .iter()
            .filter(|(id, live)| begins(*id, live.state))
            .filter_map(|(_, live)| {
                let file = files.get(actions.iter().position(|one| one.state == live.state)?)?.clone();
                Some(SoundAt { file, position: live.now.position, volume: 1.0 })
            })
            .collect()
    }
}

impl Sound<Offline> {
    /// Sound that is rendered: all of it, with music where the scene's folder has tracks.
    pub fn offline(scene: &Scene, assets: &AssetStore) -> Self {
        let folder = assets.resolve(scene.settings.sounds.folder());
        let in_zones = scene.settings.zones.iter().any(|zone| !zone.music.is_empty());
        let music = in_zones || !crate::sound::playlist::tracks_in(&folder).is_empty();
        let settings = SoundSettings { footsteps: true, effects: true, ..SoundSettings::default() };
        let mut sound = Self::with_mixer(Mixer::offline(settings));
        sound.mixer.set_folder(&folder);
        sound.mixer.set(SoundSettings { music, ..settings });
        sound
    }

    /// Appends so many moments of what is heard.
    pub fn render(&mut self, moments: usize, out: &mut Vec<f32>) {
        self.mixer.render(moments, out);
    }

    /// Lets the music fade out.
    pub fn stop_music(&mut self) {
        self.mixer.run(MusicCommand::Stop);
    }
}

/// Where the camera of `view` hears.
fn listener(view: &View) -> Listener {
    Listener { position: view.position, right: view.view_from_world.row(0).truncate().normalize_or(Vec3::X) }
}

/// Whether there may be a sound device. Linux's sound library complains aloud where there is none, so it is not asked
/// when neither the kernel nor a sound server offers one.
pub fn may_have_device() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).unwrap_or_default();
    let places = [Path::new("/dev/snd").into(), runtime.join("pipewire-0"), runtime.join("pulse/native")];
    std::env::var_os("PULSE_SERVER").is_some() || places.iter().any(|place: &PathBuf| place.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_kept_and_older_ones_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let load = || Sound::<Offline>::load(Some(folder.path().into()), false);
        assert_eq!(load().status().settings, SoundSettings::default());
        let last = SoundSettings { footsteps: false, music: true, effects_volume: 0.7, ..SoundSettings::default() };
        let mut sound = load();
        sound.set(last);
        assert_eq!(load().status().settings, SoundSettings::default(), "a drag goes on");
        sound.keep().unwrap();
        assert_eq!(load().status().settings, last);
        load().run(MusicCommand::Stop).unwrap();
        assert!(!load().status().settings.music, "stopped is stopped in the next run");
        std::fs::write(folder.path().join("sound.json"), "{\"footsteps\": false, \"music\": false, \"volume\": 0.4}")
            .unwrap();
        assert_eq!(load().status().settings.effects_volume, 0.4);
        std::fs::write(folder.path().join("sound.json"), "{").unwrap();
        assert_eq!(load().status().settings, SoundSettings::default());
    }
}
