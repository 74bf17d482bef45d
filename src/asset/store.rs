//! The owner of all loaded models.

use super::{AssetError, Model};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Handle of a requested model file; valid for the life of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetId(pub u32);

/// How far a requested file has come.
#[derive(Clone, Debug)]
pub enum AssetState {
    /// Being imported.
    Loading,
    /// In memory.
    Ready(Arc<Model>),
    /// Not to be had.
    Failed(AssetError),
}

/// Models by file. Files are named relative to the root, the folder above a scene's `config/`.
#[derive(Debug, Default)]
pub struct AssetStore {
    root: PathBuf,
    by_path: HashMap<PathBuf, AssetId>,
    entries: Vec<(PathBuf, AssetState)>,
}

impl AssetStore {
    /// Sets the folder against which relative file names resolve. Models already loaded stay.
    pub fn set_root(&mut self, root: impl Into<PathBuf>) {
        self.root = root.into();
    }

    /// The folder against which relative file names resolve.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path that `file` stands for.
    pub fn resolve(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// Puts a model under a file name, in place of what was there.
    pub fn insert(&mut self, file: &str, model: Model) -> AssetId {
        let path = self.resolve(file);
        let state = AssetState::Ready(Arc::new(model));
        match self.by_path.get(&path) {
            Some(&id) => {
                self.entries[id.0 as usize].1 = state;
                id
            }
            None => {
                let id = AssetId(self.entries.len() as u32);
                self.entries.push((path.clone(), state));
                self.by_path.insert(path, id);
                id
            }
        }
    }

    /// The handle of a requested file.
    pub fn find(&self, file: &str) -> Option<AssetId> {
        self.by_path.get(&self.resolve(file)).copied()
    }

    /// The state of a handle.
    pub fn state(&self, id: AssetId) -> Option<&AssetState> {
        self.entries.get(id.0 as usize).map(|(_, state)| state)
    }

    /// The model of a handle, once it is ready.
    pub fn model(&self, id: AssetId) -> Option<&Arc<Model>> {
        match self.state(id)? {
            AssetState::Ready(model) => Some(model),
            _ => None,
        }
    }

    /// The model of a file, once it is ready.
    pub fn by_file(&self, file: &str) -> Option<(AssetId, &Arc<Model>)> {
        let id = self.find(file)?;
        Some((id, self.model(id)?))
    }
}
