//! The passes of a frame, in order: poses, shadows, scene (models, sky, overlays), tone mapping.

pub mod models;
pub mod overlays;
pub mod tonemap;

pub use overlays::Overlays;
