//! Scene files: YAML `.acfg`, every version of the original.
//!
//! Reading: text → [`census`] (size, repeats, duplicate keys) → [`v9`] structs → [`migrate`] (older versions) →
//! [`load`] (a checked [`Scene`](super::Scene)). Writing: [`emit`] (text) → [`save`] (whole or not at all).

pub mod cases;
mod census;
mod emit;
pub mod error;
pub mod load;
mod loaded;
mod migrate;
mod nav;
mod near_keys;
pub mod part;
mod recast_demo;
pub mod root;
pub mod save;
mod sounds;
mod v9;
mod wording;
mod yaml;

pub use emit::to_string;
pub use error::SceneError;
pub use load::{MAX_SIZE, load, load_str};
pub use loaded::{LoadedScene, SCENE_ENDINGS, is_scene_file};
pub use save::save;
