//! What uploads to the device take.

use super::layouts::Layouts;
use crate::gpu::MeteredQueue;

/// Device, queue and bind group layouts.
#[derive(Clone, Copy, Debug)]
pub struct UploadContext<'a> {
    /// Creates resources.
    pub device: &'a wgpu::Device,
    /// Takes uploads.
    pub queue: MeteredQueue<'a>,
    /// Bind group layouts.
    pub layouts: &'a Layouts,
}
