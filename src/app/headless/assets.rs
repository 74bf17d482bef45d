//! The files of a scene, loaded before a command goes on.

use super::progress::ProgressLine;
use crate::asset::AssetStore;
use crate::scene::Scene;
use crate::vocab::counted;
use std::path::PathBuf;

/// Loads every model and level of a scene, whose files are relative to `root`; logs which could not be.
pub fn load(scene: &Scene, root: PathBuf, progress: &mut ProgressLine) -> AssetStore {
    let mut assets = AssetStore::default();
    assets.set_root(root);
    let ids = scene.request_assets(&mut assets);
    progress.say(&format!("importing {}", counted(ids.len(), "model")));
    assets.wait();
    if let Some(Err(error)) = assets.sky(&scene.settings.environment.sky_picture) {
        tracing::warn!("{error}");
    }
    for error in ids.into_iter().filter_map(|id| assets.failure(id)) {
        tracing::warn!("{error}");
    }
    assets
}
