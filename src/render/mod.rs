//! Rendering: from plain frame data to pixels.
//!
//! [`extract()`] turns scene and world into [`FrameData`], plain data without any GPU type. [`DrawLists`](draw_lists)
//! culls it per view. Every pass under [`pass`] owns its pipelines, targets and buffers and records itself from a
//! [`FrameResources`](frame_resources::FrameResources); [`Renderer`] only orders uploads and passes.

pub mod assets;
pub mod compute;
pub mod cube;
pub mod culling;
pub mod draw_lists;
pub mod error;
pub mod extract;
pub mod frame;
pub mod frame_resources;
pub mod frame_uniforms;
mod instance_data;
pub mod lamps;
pub mod layouts;
pub mod light;
pub mod lod;
pub mod mip_maps;
pub mod named_morphs;
pub mod outline_parts;
pub mod own_poses;
pub mod pass;
pub mod pipeline;
pub mod quality;
pub mod quality_probe;
pub mod renderer;
mod shader_warmup;
pub mod shaders;
pub mod shared_poses;
pub mod static_batching;
pub mod targets;
pub mod thumbnail;
pub mod types;
pub mod upload;
pub mod view_entries;

pub use error::RenderError;
pub use extract::{FrameSources, FrameView, SpentFrame, extract, extract_into, pick_number};
pub use frame::{CameraFrame, FrameData, InstanceDraw, LevelDraw, ModelDraws, Placeholder};
pub use pass::pick::Picked;
pub use quality::Quality;
pub use renderer::{FrameCounts, Renderer};
