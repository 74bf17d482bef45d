//! The GPU kit: device, buffers, textures, shaders, readback.

pub mod context;
pub mod error;

pub use context::Context;
pub use error::GpuError;
