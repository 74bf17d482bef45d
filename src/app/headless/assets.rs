//! The files of a scene, loaded before a command goes on.

use super::progress::ProgressLine;
use crate::asset::{AssetId, AssetStore, ModelFile};
use crate::scene::Scene;
use std::path::PathBuf;

/// Loads every model and level of a scene, whose files are relative to `root`; logs which could not be.
pub fn load(scene: &Scene, root: PathBuf, progress: &mut ProgressLine) -> AssetStore {
    let mut assets = AssetStore::default();
    assets.set_root(root);
    let levels = scene.levels.values().map(|level| ModelFile::from(&level.file));
    let files = levels.chain(scene.models.values().map(ModelFile::from));
    let sky = &scene.settings.environment.sky_picture;
    if !sky.is_empty() {
        assets.request_sky(sky);
    }
    let mut ids: Vec<AssetId> = files.map(|file| assets.request(file)).collect();
    ids.sort_unstable();
    ids.dedup();
    progress.say(&format!("importing {} models", ids.len()));
    assets.wait();
    if let Some(Err(error)) = assets.sky(sky) {
        tracing::warn!("{error}");
    }
    for error in ids.into_iter().filter_map(|id| assets.failure(id)) {
        tracing::warn!("{error}");
    }
    assets
}
