//! Errors of rendering.

use crate::gpu::GpuError;
use thiserror::Error;

/// An error of rendering.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RenderError {
    /// An error of the device or a shader.
    #[error("{0}")]
    Gpu(#[from] GpuError),
    /// A picture without pixels was requested.
    #[error("The picture cannot be {width} × {height} pixels. Ask for at least 1 × 1.")]
    EmptyPicture {
        /// Width asked for.
        width: u32,
        /// Height asked for.
        height: u32,
    },
}
