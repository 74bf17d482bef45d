//! Scene files: YAML `.acfg`, every version of the original.

pub mod error;
pub mod load;
mod v9;

pub use error::SceneError;
pub use load::{Loaded, load, load_str};
