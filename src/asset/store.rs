//! The owner of all loaded models and pictures of skies.

use super::load_queue::LoadQueue;
use super::{AssetError, ClipSources, Importer, Model, ModelFile, NodeTransforms, SkyPicture};
use crate::background::caught;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Handle of a requested model file; valid until the store [releases](AssetStore::keep_only) it, and never given to another.
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
    /// Models that were asked for by their names below the root, so that a name is looked up without its path.
    by_name: HashMap<String, Vec<NamedModel>>,
    /// By handle; none for those that were released.
    entries: Vec<Option<AssetEntry>>,
    /// Pictures of skies; those that are still loading have none.
    skies: HashMap<PathBuf, Option<Result<Arc<SkyPicture>, AssetError>>>,
    /// The last turns in which they were asked for.
    sky_turns: HashMap<PathBuf, u64>,
    /// Pictures that could not be read, until they are asked for.
    failed_skies: Vec<AssetError>,
    finished: Receiver<Finished>,
    finish: Sender<Finished>,
    loading: usize,
    /// How often something was asked for: the content of a file counts that was asked for last, whichever is read first.
    turns: u64,
    loads: LoadQueue,
    importer: Importer,
    /// How often files that are no models have changed on disk.
    revisions: HashMap<PathBuf, u64>,
    /// Why files that changed on disk were not read again, until it is asked for.
    rejected: Vec<AssetError>,
}

/// A model of the store.
#[derive(Clone, Debug)]
struct AssetEntry {
    state: AssetState,
    /// The last turn in which it was asked for.
    turn: u64,
}

/// A model that was asked for by its file's name.
#[derive(Clone, Debug)]
struct NamedModel {
    transforms: NodeTransforms,
    clips: ClipSources,
    id: AssetId,
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
    Model { id: AssetId, turn: u64, result: Box<Result<Model, AssetError>> },
    Sky { path: PathBuf, turn: u64, result: Result<SkyPicture, AssetError> },
}

/// Why there is nothing of a file whose load panicked.
const PANICKED: &str = "an error of Walkabout's own, which it has printed";

impl Default for AssetStore {
    fn default() -> Self {
        let (finish, finished) = channel();
        Self {
            root: PathBuf::new(),
            by_path: HashMap::new(),
            by_name: HashMap::new(),
            entries: Vec::new(),
            skies: HashMap::new(),
            sky_turns: HashMap::new(),
            failed_skies: Vec::new(),
            finished,
            finish,
            loading: 0,
            turns: 0,
            loads: LoadQueue::default(),
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
            by_name: self.by_name.clone(),
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
        self.by_name.clear();
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
        let file = file.into();
        let key = self.key(file);
        let state = AssetState::Ready(Arc::new(model.with_transforms(key.transforms)));
        let id = match self.by_path.get(&key) {
            Some(&id) => {
                // What is still read of it comes too late.
                self.next_turn(id);
                self.entries[id.0 as usize] = Some(AssetEntry { state, turn: self.turns });
                id
            }
            None => self.add(key, state),
        };
        self.remember(file, id);
        id
    }

    /// Keeps the name under which a model was asked for.
    fn remember(&mut self, file: ModelFile<'_>, id: AssetId) {
        if self.find_by_name(file).is_none() {
            let named = NamedModel { transforms: file.transforms, clips: file.clips.clone(), id };
            self.by_name.entry(file.file.to_owned()).or_default().push(named);
        }
    }

    fn find_by_name(&self, file: ModelFile<'_>) -> Option<AssetId> {
        let mut named = self.by_name.get(file.file)?.iter();
        named.find(|one| one.transforms == file.transforms && one.clips == *file.clips).map(|one| one.id)
    }

    /// The turn in which a model is asked for now.
    fn next_turn(&mut self, id: AssetId) -> u64 {
        self.turns += 1;
        if let Some(Some(entry)) = self.entries.get_mut(id.0 as usize) {
            entry.turn = self.turns;
        }
        self.turns
    }

    fn key(&self, file: ModelFile<'_>) -> ModelKey {
        ModelKey { path: self.resolve(file.file), transforms: file.transforms, clips: file.clips.below(&self.root) }
    }

    fn add(&mut self, key: ModelKey, state: AssetState) -> AssetId {
        let id = AssetId(self.entries.len() as u32);
        self.entries.push(Some(AssetEntry { state, turn: 0 }));
        self.by_path.insert(key, id);
        id
    }

    /// Asks for a file; it is imported in the background. Asking again gives the same handle.
    pub fn request<'a>(&mut self, file: impl Into<ModelFile<'a>>) -> AssetId {
        let file = file.into();
        if let Some(id) = self.find_by_name(file) {
            return id;
        }
        let key = self.key(file);
        let id = match self.by_path.get(&key) {
            Some(&id) => id,
            None => {
                let id = self.add(key.clone(), AssetState::Loading);
                self.start(id, key);
                id
            }
        };
        self.remember(file, id);
        id
    }

    /// Releases the models that are not among `files`, and the pictures that are not among `skies`. What is being read for the first time
    /// stays. What was released can be requested again.
    pub fn keep_only<'a>(
        &mut self,
        files: impl IntoIterator<Item = ModelFile<'a>>,
        skies: impl IntoIterator<Item = &'a str>,
    ) {
        let kept: HashSet<AssetId> = files.into_iter().filter_map(|file| self.find(file)).collect();
        let skies: HashSet<PathBuf> = skies.into_iter().map(|file| self.resolve(file)).collect();
        for (i, slot) in self.entries.iter_mut().enumerate() {
            let is_done = slot.as_ref().is_some_and(|entry| !matches!(entry.state, AssetState::Loading));
            if is_done && !kept.contains(&AssetId(i as u32)) {
                *slot = None;
            }
        }
        let entries = &self.entries;
        let is_there = |id: AssetId| entries.get(id.0 as usize).is_some_and(Option::is_some);
        self.by_path.retain(|_, id| is_there(*id));
        self.by_name.retain(|_, named| {
            named.retain(|one| is_there(one.id));
            !named.is_empty()
        });
        self.skies.retain(|path, sky| sky.is_none() || skies.contains(path));
        let skies = &self.skies;
        self.sky_turns.retain(|path, _| skies.contains_key(path));
    }

    /// Reads a file again that has changed on disk: a model, a picture of a sky, or another, whose
    /// [revision](Self::revision) grows. Until it is read, and where it cannot be, what is in memory stays.
    pub fn reload(&mut self, path: &Path) {
        let models = self.by_path.iter().filter(|(key, _)| key.is_of(path));
        let models: Vec<_> = models.map(|(key, &id)| (key.clone(), id)).collect();
        for (key, id) in models {
            if let Some(Some(entry)) = self.entries.get_mut(id.0 as usize)
                && matches!(entry.state, AssetState::Failed(_))
            {
                entry.state = AssetState::Loading;
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
        let turn = self.next_turn(id);
        let (finish, importer) = (self.finish.clone(), self.importer.clone());
        self.loads.push(move || {
            let crashed = || Err(AssetError::Crashed { path: key.path.clone(), reason: PANICKED.into() });
            let result = Box::new(caught(|| key.load(&importer)).unwrap_or_else(crashed));
            // The receiver is gone once the store is dropped; the result is not needed then.
            let _ = finish.send(Finished::Model { id, turn, result });
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
        let turn = self.next_sky_turn(path.clone());
        let finish = self.finish.clone();
        self.loads.push(move || {
            let failed = || Err(AssetError::Picture { path: path.clone(), reason: PANICKED.into() });
            let result = caught(|| SkyPicture::load(&path)).unwrap_or_else(failed);
            // As in `start`.
            let _ = finish.send(Finished::Sky { path, turn, result });
        });
    }

    fn next_sky_turn(&mut self, path: PathBuf) -> u64 {
        self.turns += 1;
        self.sky_turns.insert(path, self.turns);
        self.turns
    }

    /// Puts a picture of the sky under a file name, in place of what was there.
    pub fn insert_sky(&mut self, file: &str, sky: SkyPicture) {
        let path = self.resolve(file);
        self.next_sky_turn(path.clone());
        self.skies.insert(path, Some(Ok(Arc::new(sky))));
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

    /// Stores what a thread has loaded, unless its file was asked for again since.
    fn store_result(&mut self, finished: Finished) -> Option<AssetId> {
        self.loading = self.loading.saturating_sub(1);
        match finished {
            Finished::Model { id, turn, result } => self.store_model(id, turn, *result),
            Finished::Sky { path, turn, result } => {
                if self.sky_turns.get(&path) == Some(&turn) {
                    self.store_sky(path, result);
                }
                None
            }
        }
    }

    fn store_sky(&mut self, path: PathBuf, result: Result<SkyPicture, AssetError>) {
        let is_there = self.skies.get(&path).is_some_and(|sky| matches!(sky, Some(Ok(_))));
        if let (true, Err(error)) = (is_there, &result) {
            self.rejected.push(error.clone());
            return;
        }
        self.failed_skies.extend(result.as_ref().err().cloned());
        self.skies.insert(path, Some(result.map(Arc::new)));
    }

    fn store_model(&mut self, id: AssetId, turn: u64, result: Result<Model, AssetError>) -> Option<AssetId> {
        let entry = self.entries.get_mut(id.0 as usize)?.as_mut().filter(|entry| entry.turn == turn)?;
        entry.state = match (result, &entry.state) {
            (Ok(model), _) => AssetState::Ready(Arc::new(model)),
            (Err(error), AssetState::Ready(_)) => {
                self.rejected.push(error);
                return Some(id);
            }
            (Err(error), _) => AssetState::Failed(error),
        };
        Some(id)
    }

    /// Number of files that are done, and number of files requested and not released.
    pub fn progress(&self) -> (usize, usize) {
        let all = self.by_path.len() + self.skies.len();
        (all.saturating_sub(self.loading), all)
    }

    /// The handle of a requested file.
    pub fn find<'a>(&self, file: impl Into<ModelFile<'a>>) -> Option<AssetId> {
        let file = file.into();
        self.find_by_name(file).or_else(|| self.by_path.get(&self.key(file)).copied())
    }

    /// The state of a handle.
    pub fn state(&self, id: AssetId) -> Option<&AssetState> {
        Some(&self.entries.get(id.0 as usize)?.as_ref()?.state)
    }

    /// Why a model could not be loaded.
    pub fn failure(&self, id: AssetId) -> Option<String> {
        match self.state(id)? {
            AssetState::Failed(error) => Some(error.to_string()),
            _ => None,
        }
    }

    /// The file of a handle.
    pub fn path(&self, id: AssetId) -> Option<&Path> {
        self.by_path.iter().find(|(_, known)| **known == id).map(|(key, _)| key.path.as_path())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Model {
        Model { warnings: vec![name.into()], ..Model::default() }
    }

    #[test]
    fn content_that_was_asked_for_last_counts() {
        let mut store = AssetStore::default();
        let id = store.insert("man.glb", named("first"));
        let (before, after) = (store.next_turn(id), store.next_turn(id));
        let model = |turn, name| Finished::Model { id, turn, result: Box::new(Ok(named(name))) };
        assert_eq!(store.store_result(model(after, "after")), Some(id));
        assert_eq!(store.store_result(model(before, "before")), None, "it was read before the last change");
        assert_eq!(store.model(id).unwrap().warnings, ["after"]);
        // Nor does it replace what was put in its place.
        let asked = store.next_turn(id);
        store.insert("man.glb", named("put"));
        assert_eq!(store.store_result(model(asked, "asked")), None);
        assert_eq!(store.model(id).unwrap().warnings, ["put"]);
    }

    #[test]
    fn a_name_is_found_below_the_root_that_holds_it() {
        let mut store = AssetStore::default();
        store.set_root("one");
        let id = store.insert("man.glb", named("man"));
        assert_eq!((store.find("man.glb"), store.request("man.glb")), (Some(id), id));
        let clips = ClipSources { root_tracks: true, ..ClipSources::default() };
        let in_place = ModelFile { clips: &clips, ..ModelFile::from("man.glb") };
        assert_eq!(store.find(in_place), None);
        let other = store.insert(in_place, named("other"));
        assert_eq!((store.find("man.glb"), store.find(in_place)), (Some(id), Some(other)));
        store.set_root("two");
        assert_eq!(store.find("man.glb"), None);
        store.set_root("one");
        assert_eq!((store.find("man.glb"), store.copy().find("man.glb")), (Some(id), Some(id)));
    }

    #[test]
    fn what_no_scene_names_is_released() {
        let mut store = AssetStore::default();
        let (man, hut) = (store.insert("man.glb", named("man")), store.insert("hut.glb", named("hut")));
        store.keep_only([ModelFile::from("man.glb")], []);
        assert_eq!((store.find("man.glb"), store.find("hut.glb")), (Some(man), None));
        assert!(store.model(man).is_some() && store.model(hut).is_none());
        assert_eq!(store.progress(), (1, 1));
        // What was still read of it comes too late, and another handle is given to it.
        let late = Finished::Model { id: hut, turn: 0, result: Box::new(Ok(named("late"))) };
        assert_eq!(store.store_result(late), None);
        let again = store.insert("hut.glb", named("again"));
        assert!(again != hut && store.model(again).is_some());
        // A file that is being read stays until it is.
        let loading = store.request("absent.glb");
        store.keep_only([ModelFile::from("hut.glb")], []);
        assert!(store.model(man).is_none() && store.state(loading).is_some());
        store.wait();
        store.keep_only([ModelFile::from("hut.glb")], []);
        assert!(store.state(loading).is_none());
    }
}
