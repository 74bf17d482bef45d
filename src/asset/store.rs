//! The owner of all loaded models.

use super::{AssetError, Importer, Model};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

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
    /// Could not be loaded.
    Failed(AssetError),
}

/// Models by file. Files are named relative to the root, the folder above a scene's `config/`.
#[derive(Debug)]
pub struct AssetStore {
    root: PathBuf,
    by_path: HashMap<PathBuf, AssetId>,
    entries: Vec<(PathBuf, AssetState)>,
    finished: Receiver<Finished>,
    finish: Sender<Finished>,
    loading: usize,
    importer: Importer,
}

type Finished = (AssetId, Result<Model, AssetError>);

impl Default for AssetStore {
    fn default() -> Self {
        let (finish, finished) = channel();
        Self {
            root: PathBuf::new(),
            by_path: HashMap::new(),
            entries: Vec::new(),
            finished,
            finish,
            loading: 0,
            importer: Importer::default(),
        }
    }
}

/// Loads one model file and waits for it.
///
/// # Errors
/// As [`Importer::load`].
pub fn load_model(path: &Path) -> Result<Model, AssetError> {
    Importer::default().load(path)
}

impl AssetStore {
    /// A store with its own importer settings.
    pub fn with_importer(importer: Importer) -> Self {
        Self { importer, ..Self::default() }
    }

    /// A store with the same models under the same handles, shared. Imports that are still running do not arrive in it.
    pub fn copy(&self) -> Self {
        Self {
            root: self.root.clone(),
            by_path: self.by_path.clone(),
            entries: self.entries.clone(),
            importer: self.importer.clone(),
            ..Self::default()
        }
    }

    /// Sets the folder against which relative file names resolve. Models already loaded stay.
    pub fn set_root(&mut self, root: impl Into<PathBuf>) {
        self.root = root.into();
    }

    /// The folder against which relative file names resolve.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of `file` below the root.
    pub fn resolve(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// Stores a model under a file name and replaces the one there.
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

    /// Starts the import of a file in the background. A second request returns the same handle.
    pub fn request(&mut self, file: &str) -> AssetId {
        let path = self.resolve(file);
        if let Some(&id) = self.by_path.get(&path) {
            return id;
        }
        let id = AssetId(self.entries.len() as u32);
        self.entries.push((path.clone(), AssetState::Loading));
        self.by_path.insert(path.clone(), id);
        self.start(id, path);
        id
    }

    /// Imports a file again whose import failed before.
    pub fn retry(&mut self, file: &str) -> AssetId {
        let path = self.resolve(file);
        match self.by_path.get(&path).copied() {
            Some(id) => {
                if let Some((_, state @ AssetState::Failed(_))) = self.entries.get_mut(id.0 as usize) {
                    *state = AssetState::Loading;
                    self.start(id, path);
                }
                id
            }
            None => self.request(file),
        }
    }

    fn start(&mut self, id: AssetId, path: PathBuf) {
        self.loading += 1;
        let (finish, importer) = (self.finish.clone(), self.importer.clone());
        std::thread::spawn(move || {
            // The receiver is gone once the store is dropped; the result is not needed then.
            let _ = finish.send((id, importer.load(&path)));
        });
    }

    /// Stores the imports that have finished since the last call and returns their handles.
    pub fn poll(&mut self) -> Vec<AssetId> {
        let finished: Vec<Finished> = self.finished.try_iter().collect();
        finished.into_iter().map(|done| self.store_result(done)).collect()
    }

    /// Waits for all imports, stores them and returns their handles.
    pub fn wait(&mut self) -> Vec<AssetId> {
        let mut done = Vec::new();
        while self.loading > 0 {
            match self.finished.recv() {
                Ok(finished) => done.push(self.store_result(finished)),
                Err(_) => break,
            }
        }
        done
    }

    fn store_result(&mut self, (id, result): Finished) -> AssetId {
        self.loading = self.loading.saturating_sub(1);
        if let Some((_, state)) = self.entries.get_mut(id.0 as usize) {
            *state = match result {
                Ok(model) => AssetState::Ready(Arc::new(model)),
                Err(error) => AssetState::Failed(error),
            };
        }
        id
    }

    /// Number of files that are done, and number of files requested.
    pub fn progress(&self) -> (usize, usize) {
        (self.entries.len() - self.loading, self.entries.len())
    }

    /// The handle of a requested file.
    pub fn find(&self, file: &str) -> Option<AssetId> {
        self.by_path.get(&self.resolve(file)).copied()
    }

    /// The state of a handle.
    pub fn state(&self, id: AssetId) -> Option<&AssetState> {
        self.entries.get(id.0 as usize).map(|(_, state)| state)
    }

    /// Why a model could not be loaded.
    pub fn failure(&self, id: AssetId) -> Option<String> {
        match self.state(id)? {
            AssetState::Failed(error) => Some(error.to_string()),
            _ => None,
        }
    }

    /// Whether a file could not be loaded.
    pub fn has_failed(&self, file: &str) -> bool {
        self.find(file).is_some_and(|id| self.failure(id).is_some())
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
