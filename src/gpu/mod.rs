//! The GPU kit: device, buffers, textures, shaders, readback.

pub mod buffer;
pub mod choice;
pub mod context;
pub mod error;
pub mod readback;
pub mod shader;
pub mod texture;
pub mod timer;

pub use buffer::{GrowBuffer, MeteredQueue};
pub use context::GpuContext;
pub use error::GpuError;
