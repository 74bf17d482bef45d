//! What can go wrong with the graphics device.

use thiserror::Error;

/// Why there is no device to draw with.
#[derive(Debug, Error)]
pub enum GpuError {
    /// No driver offers an adapter.
    #[error(
        "No graphics driver was found ({0}). Install a Vulkan driver (Debian: apt-get install libvulkan1 \
         mesa-vulkan-drivers; the latter also draws without a GPU)."
    )]
    NoAdapter(String),
    /// The adapter refused to open.
    #[error("The graphics device {adapter} could not be opened: {reason}. Update its driver.")]
    NoDevice {
        /// Name of the adapter.
        adapter: String,
        /// The driver's words.
        reason: String,
    },
    /// The window cannot be drawn into.
    #[error("The window cannot be drawn into: {0}. Try another driver or desktop session.")]
    NoSurface(String),
}
