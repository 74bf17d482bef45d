//! The scene as plain data, and what is selected in it.

use super::camera::SceneCamera;
use super::extra::Extra;
use super::instance::{ModelRef, SceneInstance};
use super::level::SceneLevel;
use super::model::SceneModel;
use super::nav::SceneNav;
use super::settings::Settings;
use crate::behavior::graph::BehaviorGraph;
use crate::ids::{Arena, BehaviorId, CameraId, InstanceId, LevelId, ModelId, kind};
use crate::nav::bake::BakeSettings;
use std::sync::Arc;

/// Everything that a scene file holds. Large parts are shared, so that a clone is cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Global settings.
    pub settings: Arc<Settings>,
    /// Navigation meshes and what is placed on them.
    pub nav: Arc<SceneNav>,
    /// Levels in file order.
    pub levels: Arena<kind::Level, Arc<SceneLevel>>,
    /// Cameras in file order; the first is the free camera.
    pub cameras: Arena<kind::Camera, Arc<SceneCamera>>,
    /// Models in file order.
    pub models: Arena<kind::Model, Arc<SceneModel>>,
    /// Behaviour templates in file order.
    pub behaviors: Arena<kind::Behavior, Arc<BehaviorGraph>>,
    /// Instances in file order.
    pub instances: Arena<kind::Instance, Arc<SceneInstance>>,
    /// Keys of the file that this version does not know, with their values as YAML; saved again.
    pub extra: Extra,
}

/// The selected things; ids may be stale and then select nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Selected instance.
    pub instance: Option<InstanceId>,
    /// Selected model entry.
    pub model: Option<ModelId>,
    /// Selected level entry.
    pub level: Option<LevelId>,
    /// Active camera.
    pub camera: Option<CameraId>,
    /// Selected behaviour template.
    pub behavior: Option<BehaviorId>,
}

impl Scene {
    /// An empty scene with a free camera, as *File → New* makes it.
    pub fn fresh() -> Self {
        let mut cameras = Arena::default();
        cameras.insert(Arc::new(SceneCamera::default()));
        Self { cameras, settings: Arc::new(Settings::of_new_scene()), ..Self::default() }
    }

    /// Name of the model that an instance shows, as the scene's file gives it; empty where the scene does not hold it.
    pub fn model_name<'a>(&'a self, instance: &'a SceneInstance) -> &'a str {
        match &instance.model {
            ModelRef::Known(id) => self.models.get(*id).map_or("", |model| model.name.as_str()),
            ModelRef::Missing(name) => name,
        }
    }

    /// The settings of its bake: a mesh leads nowhere that the scene's characters cannot climb.
    pub fn bake_settings(&self) -> BakeSettings {
        let (bake, ground) = (&self.nav.bake, &self.settings.nav);
        BakeSettings {
            agent_climb: bake.agent_climb.min(ground.max_step_height),
            slope_rad: bake.slope_rad.min(ground.ground_slope_deg.to_radians()),
            ..bake.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::SceneModel;

    #[test]
    fn models_have_names_where_the_scene_holds_them() {
        let mut scene = Scene::default();
        let man = scene.models.insert(Arc::new(SceneModel { name: "man".into(), ..SceneModel::default() }));
        let shown = |model| SceneInstance { model, ..SceneInstance::default() };
        assert_eq!(scene.model_name(&shown(ModelRef::Missing("ghost".into()))), "ghost");
        let of_man = shown(ModelRef::Known(man));
        assert_eq!(scene.model_name(&of_man), "man");
        scene.models.remove(man);
        assert_eq!(scene.model_name(&of_man), "");
    }
}
