//! The owner of all loaded models and pictures of skies.

use super::{AssetError, ClipSources, Importer, Model, ModelFile, NodeTransforms, SkyPicture};
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
    by_path: HashMap<ModelKey, AssetId>,
    entries: Vec<AssetState>,
    /// Pictures of skies; those that are still loading have none.
    skies: HashMap<PathBuf, Option<Result<Arc<SkyPicture>, AssetError>>>,
    /// Pictures that could not be read, until they are asked for.
    failed_skies: Vec<AssetError>,
    finished: Receiver<Finished>,
    finish: Sender<Finished>,
    loading: usize,
    importer: Importer,
    /// How often files that are no models have changed on disk.
    revisions: HashMap<PathBuf, u64>,
    /// Why files that changed on disk were not read again, until it is asked for.
    rejected: Vec<AssetError>,
}

/// What makes models different: their file, and what is made of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ModelKey {
    path: PathBuf,
    transforms: NodeTransforms,
    clips: ClipSources,
}

impl ModelKey {
    fn load(&self, importer: &Importer) -> Result<Model, AssetError> {
        let mut model = importer.load(&self.path)?;
        self.clips.add_to(&mut model, |file| importer.load(file));
        Ok(model.with_transforms(self.transforms))
    }

    fn is_of(&self, path: &Path) -> bool {
        self.path == path || self.clips.has(path)
    }
}

/// What a thread has loaded.
enum Finished {
    Model(AssetId, Box<Result<Model, AssetError>>),
    Sky(PathBuf, Result<SkyPicture, AssetError>),
}

impl Default for AssetStore {
    fn default() -> Self {
        let (finish, finished) = channel();
        Self {
            root: PathBuf::new(),
            by_path: HashMap::new(),
            entries: Vec::new(),
            skies: HashMap::new(),
            failed_skies: Vec::new(),
            finished,
            finish,
            loading: 0,
            importer: Importer::default(),
            revisions: HashMap::new(),
            rejected: Vec::new(),
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
            skies: self.skies.clone(),
            importer: self.importer.clone(),
            revisions: self.revisions.clone(),
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
    pub fn insert<'a>(&mut self, file: impl Into<ModelFile<'a>>, model: Model) -> AssetId {
        let key = self.key(file.into());
        let state = AssetState::Ready(Arc::new(model.with_transforms(key.transforms)));
        match self.by_path.get(&key) {
            Some(&id) => {
                self.entries[id.0 as usize] = state;
                id
            }
            None => self.add(key, state),
        }
    }

    fn key(&self, file: ModelFile<'_>) -> ModelKey {
        ModelKey { path: self.resolve(file.file), transforms: file.transforms, clips: file.clips.below(&self.root) }
    }

    fn add(&mut self, key: ModelKey, state: AssetState) -> AssetId {
        let id = AssetId(self.entries.len() as u32);
        self.entries.push(state);
        self.by_path.insert(key, id);
        id
    }

    /// Asks for a file; it is imported in the background. Asking again gives the same handle.
    pub fn request<'a>(&mut self, file: impl Into<ModelFile<'a>>) -> AssetId {
        let key = self.key(file.into());
        if let Some(&id) = self.by_path.get(&key) {
            return id;
        }
        let id = self.add(key.clone(), AssetState::Loading);
        self.start(id, key);
        id
    }

    /// Reads a file again that has changed on disk: a model, a picture of a sky, or another, whose
    /// [revision](Self::revision) grows. Until it is read, and where it cannot be, what is in memory stays.
    pub fn reload(&mut self, path: &Path) {
        let models = self.by_path.iter().filter(|(key, _)| key.is_of(path));
        let models: Vec<_> = models.map(|(key, &id)| (key.clone(), id)).collect();
        for (key, id) in models {
            if let Some(state @ AssetState::Failed(_)) = self.entries.get_mut(id.0 as usize) {
                *state = AssetState::Loading;
            }
            self.start(id, key);
        }
        if self.skies.contains_key(path) {
            self.start_sky(path.to_path_buf());
        }
        *self.revisions.entry(path.to_path_buf()).or_default() += 1;
    }

    /// How often a file has changed on disk since the store was made.
    pub fn revision(&self, path: &Path) -> u64 {
        self.revisions.get(path).copied().unwrap_or(0)
    }

    /// Why files that changed on disk were not read again, since the last call.
    pub fn take_rejected(&mut self) -> Vec<AssetError> {
        std::mem::take(&mut self.rejected)
    }

    fn start(&mut self, id: AssetId, key: ModelKey) {
        self.loading += 1;
        let (finish, importer) = (self.finish.clone(), self.importer.clone());
        std::thread::spawn(move || {
            let model = key.load(&importer);
            // The receiver is gone once the store is dropped; the result is not needed then.
            let _ = finish.send(Finished::Model(id, Box::new(model)));
        });
    }

    /// Asks for a picture of the sky; it is read in the background. Asking again changes nothing.
    pub fn request_sky(&mut self, file: &str) {
        let path = self.resolve(file);
        if self.skies.contains_key(&path) {
            return;
        }
        self.skies.insert(path.clone(), None);
        self.start_sky(path);
    }

    fn start_sky(&mut self, path: PathBuf) {
        self.loading += 1;
        let finish = self.finish.clone();
        std::thread::spawn(move || {
            let sky = SkyPicture::load(&path);
            // As in `start`.
            let _ = finish.send(Finished::Sky(path, sky));
        });
    }

    /// Puts a picture of the sky under a file name, in place of what was there.
    pub fn insert_sky(&mut self, file: &str, sky: SkyPicture) {
        self.skies.insert(self.resolve(file), Some(Ok(Arc::new(sky))));
    }

    /// The picture of a file, once it is ready; or why there is none.
    pub fn sky(&self, file: &str) -> Option<Result<&Arc<SkyPicture>, &AssetError>> {
        self.skies.get(&self.resolve(file))?.as_ref().map(Result::as_ref)
    }

    /// Why pictures of skies could not be read, since the last call.
    pub fn take_failed_skies(&mut self) -> Vec<AssetError> {
        std::mem::take(&mut self.failed_skies)
    }

    /// Stores what has finished since the last call and returns the handles of models.
    pub fn poll(&mut self) -> Vec<AssetId> {
        let finished: Vec<Finished> = self.finished.try_iter().collect();
        finished.into_iter().filter_map(|done| self.store_result(done)).collect()
    }

    /// Waits for all imports, stores them and returns their handles.
    pub fn wait(&mut self) -> Vec<AssetId> {
        let mut done = Vec::new();
        while self.loading > 0 {
            match self.finished.recv() {
                Ok(finished) => done.extend(self.store_result(finished)),
                Err(_) => break,
            }
        }
        done
    }

    fn store_result(&mut self, finished: Finished) -> Option<AssetId> {
        self.loading = self.loading.saturating_sub(1);
        let (id, result) = match finished {
            Finished::Model(id, result) => (id, *result),
            Finished::Sky(path, result) => {
                let is_there = self.skies.get(&path).is_some_and(|sky| matches!(sky, Some(Ok(_))));
                if let (true, Err(error)) = (is_there, &result) {
                    self.rejected.push(error.clone());
                    return None;
                }
                self.failed_skies.extend(result.as_ref().err().cloned());
                self.skies.insert(path, Some(result.map(Arc::new)));
                return None;
            }
        };
        if let Some(state) = self.entries.get_mut(id.0 as usize) {
            *state = match (result, &*state) {
                (Ok(model), _) => AssetState::Ready(Arc::new(model)),
                (Err(error), AssetState::Ready(_)) => {
                    self.rejected.push(error);
                    return Some(id);
                }
                (Err(error), _) => AssetState::Failed(error),
            };
        }
        Some(id)
    }

    /// Number of files that are done, and number of files requested.
    pub fn progress(&self) -> (usize, usize) {
        let all = self.entries.len() + self.skies.len();
        (all.saturating_sub(self.loading), all)
    }

    /// The handle of a requested file.
    pub fn find<'a>(&self, file: impl Into<ModelFile<'a>>) -> Option<AssetId> {
        self.by_path.get(&self.key(file.into())).copied()
    }

    /// The state of a handle.
    pub fn state(&self, id: AssetId) -> Option<&AssetState> {
        self.entries.get(id.0 as usize)
    }

    /// Why a model could not be loaded.
    pub fn failure(&self, id: AssetId) -> Option<String> {
        match self.state(id)? {
            AssetState::Failed(error) => Some(error.to_string()),
            _ => None,
        }
    }

    /// Whether a file could not be loaded.
    pub fn has_failed<'a>(&self, file: impl Into<ModelFile<'a>>) -> bool {
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
    pub fn by_file<'a>(&self, file: impl Into<ModelFile<'a>>) -> Option<(AssetId, &Arc<Model>)> {
        let id = self.find(file)?;
        Some((id, self.model(id)?))
    }
}
