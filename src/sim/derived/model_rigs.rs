//! The rigs of a scene's models.

use crate::asset::{AssetStore, Model};
use crate::ids::ModelId;
use crate::scene::{Scene, SceneInstance, SceneModel};
use crate::sim::model_rig::{ModelBinding, ModelRig};
use std::sync::Arc;

/// The rigs of a scene's models, with the entries and files that they were made from.
#[derive(Clone, Debug, Default)]
pub struct ModelRigs(Vec<ModelRigEntry>);

#[derive(Clone, Debug)]
struct ModelRigEntry {
    id: ModelId,
    entry: Arc<SceneModel>,
    model: Option<Arc<Model>>,
    rig: Option<Arc<ModelRig>>,
}

impl ModelRigEntry {
    fn same_file(&self, other: &Self) -> bool {
        match (&self.model, &other.model) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    fn same(&self, other: &Self) -> bool {
        self.id == other.id && Arc::ptr_eq(&self.entry, &other.entry) && self.same_file(other)
    }

    /// Its rig for what follows it, where that has the same file and differs in events and curves of clips at most.
    fn kept_for(&self, next: &Self) -> Option<Arc<ModelRig>> {
        let rig = self.rig.as_ref().filter(|_| self.same_file(next))?;
        if Arc::ptr_eq(&self.entry, &next.entry) {
            return Some(rig.clone());
        }
        let mut as_next = (*self.entry).clone();
        (as_next.clip_events, as_next.clip_curves) = (next.entry.clip_events.clone(), next.entry.clip_curves.clone());
        if as_next != *next.entry {
            return None;
        }
        let mut kept = (**rig).clone();
        (kept.events, kept.curves) = (as_next.clip_events, as_next.clip_curves);
        Some(Arc::new(kept))
    }
}

impl ModelRigs {
    /// Brings the rigs in line with a scene and its files. Returns whether one has changed.
    pub fn reconcile(&mut self, scene: &Scene, assets: &AssetStore) -> bool {
        let entry = |(id, entry): (ModelId, &Arc<SceneModel>)| {
            let model = assets.by_file(entry).map(|(_, model)| model.clone());
            ModelRigEntry { id, entry: entry.clone(), model, rig: None }
        };
        let mut entries: Vec<ModelRigEntry> = scene.models.iter().map(entry).collect();
        if self.0.len() == entries.len() && self.0.iter().zip(&entries).all(|(a, b)| a.same(b)) {
            return false;
        }
        for entry in &mut entries {
            let old = self.0.iter().find(|old| old.id == entry.id);
            let kept = old.and_then(|old| old.kept_for(entry));
            let earlier = old.and_then(|old| old.rig.as_deref());
            let make = || Arc::new(ModelRig::new(&entry.entry, entry.model.as_ref(), earlier));
            entry.rig = Some(kept.unwrap_or_else(make));
        }
        self.0 = entries;
        true
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &ModelRig> {
        self.0.iter().filter_map(|entry| entry.rig.as_deref())
    }

    /// The binding of an instance to the rig of its model.
    pub fn bind(&self, instance: &SceneInstance) -> ModelBinding {
        let entry = instance.model_id().and_then(|id| self.0.iter().find(|entry| entry.id == id));
        ModelBinding::new(instance, entry.and_then(|entry| entry.rig.as_ref()))
    }
}
