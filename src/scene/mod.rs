//! The written scene: what is saved, loaded and undone.
//!
//! [`Scene`] is plain data. Angles stand here in degrees, as in the files, so that loading and saving loses no bit;
//! functions that hand out matrices and directions convert. The only way to change a scene that is shown is
//! [`Scene::apply`].

pub mod camera;
mod daytime;
pub mod edit;
pub mod file;
pub mod history;
pub mod instance;
pub mod level;
pub mod limits;
pub mod model;
pub mod nav;
pub mod rule;
pub mod settings;

pub use camera::SceneCamera;
pub use edit::{Applied, Edit, EditError};
pub use history::History;
pub use instance::SceneInstance;
pub use level::SceneLevel;
pub use model::{ActionClip, BlendSet, ClipSpeed, SceneModel};
pub use nav::SceneNav;
pub use settings::{Adjacency, Environment, NavSettings, Settings};

use crate::behavior::graph::BehaviorGraph;
use crate::ids::{Arena, BehaviorId, CameraId, InstanceId, LevelId, ModelId, kind};
use std::sync::Arc;

/// Keys that this version does not know, each with its value as one line of YAML.
pub type Extra = Vec<(String, String)>;

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
