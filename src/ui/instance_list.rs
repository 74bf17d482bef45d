//! The rows of the list of instances: made anew when the scene or the search has changed, and not in every frame, as there may be
//! ten thousands.

use super::names::{NumberedInstance, numbered};
use crate::ids::{Arena, InstanceId, kind};
use crate::scene::{Scene, SceneInstance, SceneModel};
use std::sync::Arc;

/// An instance of the list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstanceRow {
    /// Which.
    pub id: InstanceId,
    /// Its number among those of its model, from 1.
    number: u32,
}

impl InstanceRow {
    /// What people call it; empty where it is gone.
    pub fn title(&self, scene: &Scene) -> String {
        let Self { id, number } = *self;
        let instance = scene.instances.get(id);
        instance.map_or_else(String::new, |instance| NumberedInstance { id, instance, number }.title(scene))
    }
}

/// The rows, and what they were made of.
#[derive(Clone, Debug, Default)]
pub struct InstanceList {
    instances: Arena<kind::Instance, Arc<SceneInstance>>,
    models: Arena<kind::Model, Arc<SceneModel>>,
    search: String,
    rows: Vec<InstanceRow>,
}

impl InstanceList {
    /// Brings the rows in line with a scene: the instances whose names hold `search`, whatever the case. Returns whether they were made anew.
    pub fn refresh(&mut self, scene: &Scene, search: &str) -> bool {
        let is_same = scene.instances.is_shared_with(&self.instances) && scene.models.is_shared_with(&self.models);
        if is_same && self.search == search {
            return false;
        }
        // Clones share until one is changed: they cost nothing.
        (self.instances, self.models, self.search) = (scene.instances.clone(), scene.models.clone(), search.to_owned());
        let wanted = search.trim().to_lowercase();
        let mut rows = numbered(scene);
        if !wanted.is_empty() {
            rows.retain(|row| row.title(scene).to_lowercase().contains(&wanted));
        }
        self.rows = rows.into_iter().map(|row| InstanceRow { id: row.id, number: row.number }).collect();
        true
    }

    /// The rows.
    pub fn rows(&self) -> &[InstanceRow] {
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::instance::ModelRef;

    #[test]
    fn rows_are_made_anew_when_something_changes() {
        let mut scene = Scene::default();
        let model = scene.models.insert(Arc::new(SceneModel { name: "Cone.glb".into(), ..SceneModel::default() }));
        let cone = || Arc::new(SceneInstance { model: ModelRef::Known(model), ..SceneInstance::default() });
        let ids = [scene.instances.insert(cone()), scene.instances.insert(cone())];
        let mut list = InstanceList::default();
        let titles = |list: &InstanceList, scene: &Scene| -> Vec<String> {
            list.rows().iter().map(|row| row.title(scene)).collect()
        };
        assert!(list.refresh(&scene, "") && !list.refresh(&scene, "") && !list.refresh(&scene.clone(), ""));
        assert_eq!(titles(&list, &scene), ["Cone 1", "Cone 2"]);
        assert!(list.refresh(&scene, " CONE 2") && !list.refresh(&scene, " CONE 2"));
        assert_eq!(list.rows().iter().map(|row| row.id).collect::<Vec<_>>(), [ids[1]]);
        if let Some(instance) = scene.instances.get_mut(ids[0]) {
            Arc::make_mut(instance).name = "Old cone 2".into();
        }
        assert!(list.refresh(&scene, " CONE 2"));
        assert_eq!(titles(&list, &scene), ["Old cone 2", "Cone 2"]);
        if let Some(model) = scene.models.get_mut(model) {
            Arc::make_mut(model).name = "Ball".into();
        }
        assert!(list.refresh(&scene, "ball"), "names of models count, too");
        assert_eq!(titles(&list, &scene), ["Ball 2"]);
    }
}
