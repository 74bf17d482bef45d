//! The written scene: what is saved, loaded and undone.
//!
//! [`Scene`] is plain data. Angles stand here in degrees, as in the files, so that loading and saving loses no bit;
//! functions that hand out matrices and directions convert. The only way to change a scene that is shown is
//! [`Scene::apply`].

mod assets;
pub mod barred_cells;
pub mod camera;
mod camera_motion;
mod clip_layer;
mod clip_track;
mod data;
mod daytime;
pub mod door;
pub mod edit;
mod extra;
pub mod file;
pub mod history;
pub mod instance;
pub mod level;
pub mod limits;
pub mod list_place;
pub mod model;
pub mod nav;
pub mod rule;
pub mod settings;
pub mod sounds;
mod zone_light;
pub mod zones;

pub use camera::SceneCamera;
pub use camera_motion::CameraMotion;
pub use clip_layer::ClipLayer;
pub use clip_track::{ClipCurve, ClipEvent, ClipEventKind};
pub use data::{Scene, Selection};
pub use door::SceneDoor;
pub use edit::{Applied, Edit, EditError};
pub use extra::Extra;
pub use history::History;
pub use instance::SceneInstance;
pub use level::SceneLevel;
pub use model::{ActionClip, BlendSet, ClipSpeed, SceneModel};
pub use nav::SceneNav;
pub use settings::{Environment, NavSettings, Settings};
pub use sounds::SceneSounds;
pub use zones::SceneZone;
