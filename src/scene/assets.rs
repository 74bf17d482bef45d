//! The files that a scene names, as the asset store takes them.

use super::data::Scene;
use super::nav::MeshSource;
use crate::asset::{AssetId, AssetStore, ModelFile};
use std::path::PathBuf;
use std::sync::Arc;

impl Scene {
    /// The files of all levels and models, in their order.
    pub fn model_files(&self) -> impl Iterator<Item = ModelFile<'_>> {
        let levels = self.levels.values().map(ModelFile::from);
        levels.chain(self.models.values().map(ModelFile::from))
    }

    /// Gives every file and folder that the scene names the name that `rename` answers for it.
    pub fn rename_files(&mut self, rename: impl Fn(&str) -> String) {
        let change = |name: &mut String| {
            if !name.is_empty() {
                *name = rename(name);
            }
        };
        for id in self.levels.ids().collect::<Vec<_>>() {
            self.levels.get_mut(id).into_iter().for_each(|level| change(&mut Arc::make_mut(level).file));
        }
        for id in self.models.ids().collect::<Vec<_>>() {
            if let Some(model) = self.models.get_mut(id) {
                let model = Arc::make_mut(model);
                change(&mut model.file);
                model.clip_sources.files.iter_mut().for_each(|source| change(&mut source.file));
                model.clip_events.iter_mut().for_each(|event| change(&mut event.file));
            }
        }
        let settings = Arc::make_mut(&mut self.settings);
        change(&mut settings.environment.sky_picture);
        settings.zones.iter_mut().for_each(|zone| change(&mut zone.music));
        let sounds = &mut settings.sounds;
        change(&mut sounds.music_folder);
        sounds.actions.iter_mut().for_each(|one| change(&mut one.file));
        sounds.grounds.iter_mut().for_each(|one| change(&mut one.file));
        sounds.places.iter_mut().for_each(|one| change(&mut one.file));
        if let MeshSource::File(file) = &mut Arc::make_mut(&mut self.nav).mesh {
            change(file);
        }
    }

    /// Requests the picture of the sky, if the scene names one.
    pub fn request_sky(&self, assets: &mut AssetStore) {
        let sky = &self.settings.environment.sky_picture;
        if !sky.is_empty() {
            assets.request_sky(sky);
        }
    }

    /// Requests every file that is drawn or walked on: levels, models and the picture of the sky. They are imported in the
    /// background, a few at a time; [`AssetStore::wait`] waits for them. Returns the ids of the levels and models, each once.
    pub fn request_assets(&self, assets: &mut AssetStore) -> Vec<AssetId> {
        self.request_sky(assets);
        let mut ids: Vec<AssetId> = self.model_files().map(|file| assets.request(file)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Loads every file that is drawn or walked on, whose paths are relative to `root`. What could not be loaded is in the
    /// store as failed.
    pub fn load_assets(&self, root: impl Into<PathBuf>) -> AssetStore {
        let mut assets = AssetStore::default();
        assets.set_root(root);
        self.request_assets(&mut assets);
        assets.wait();
        assets
    }
}
