//! What uploads to the device take.

use super::layouts::Layouts;

/// Device, queue and bind group layouts.
#[derive(Clone, Copy, Debug)]
pub struct UploadContext<'a> {
    /// Creates resources.
    pub device: &'a wgpu::Device,
    /// Takes uploads.
    pub queue: &'a wgpu::Queue,
    /// Bind group layouts.
    pub layouts: &'a Layouts,
}
