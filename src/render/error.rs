//! What can go wrong when drawing.

use crate::gpu::GpuError;
use thiserror::Error;

/// Why a picture could not be drawn.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RenderError {
    /// The device or a shader refused.
    #[error("{0}")]
    Gpu(#[from] GpuError),
    /// A picture with no pixels was asked for.
    #[error("The picture cannot be {width} × {height} pixels. Ask for at least 1 × 1.")]
    EmptyPicture {
        /// Width asked for.
        width: u32,
        /// Height asked for.
        height: u32,
    },
}
