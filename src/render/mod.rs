//! Drawing: from plain frame data to pixels.

pub mod assets;
pub mod compute;
pub mod cube;
pub mod error;
pub mod extract;
pub mod frame;
mod inset;
pub mod layouts;
pub mod light;
pub mod lod;
pub mod merge;
mod outline;
pub mod pass;
pub mod pick;
pub mod pipelines;
pub mod portrait;
pub mod prepare;
pub mod quality;
pub mod renderer;
mod sky;
pub mod targets;
pub mod types;
pub mod values;
mod warm;

pub use error::RenderError;
pub use frame::{CameraFrame, FrameData, InstanceDraw, LevelDraw, ModelDraws, Placeholder, extract};
pub use pick::Picked;
pub use quality::Quality;
pub use renderer::Renderer;
