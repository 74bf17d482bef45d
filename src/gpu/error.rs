//! Errors of the GPU kit.

use thiserror::Error;

/// An error of device, buffers, shaders or readback.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum GpuError {
    /// No driver offers an adapter.
    #[error("No graphics driver was found ({reason}). {remedy}")]
    NoAdapter {
        /// What was looked for.
        reason: String,
        /// What helps on this system, a sentence.
        remedy: &'static str,
    },
    /// No adapter is called as asked.
    #[error(
        "No graphics adapter is called '{asked}'; there are: {found}. Name one of these; `walkabout gpu` lists them."
    )]
    NoSuchAdapter {
        /// What was asked for.
        asked: String,
        /// Names of those that there are.
        found: String,
    },
    /// A drawing interface that is not known.
    #[error("There is no backend '{0}'; give vulkan, metal, dx12 or gl.")]
    UnknownBackend(String),
    /// A drawing interface that is not known, in the environment.
    #[error(
        "WGPU_BACKEND is '{0}', which is no backend; set it to vulkan, metal, dx12 or gl, or to several with commas between."
    )]
    UnknownBackendVariable(String),
    /// The adapter is below what the shaders need.
    #[error(
        "The graphics device {adapter} is too weak: {short}. Choose another with --adapter; `walkabout gpu` lists them."
    )]
    TooWeak {
        /// Name of the adapter.
        adapter: String,
        /// The limits that are too low.
        short: String,
    },
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
    /// A write would pass the end of a buffer.
    #[error(
        "Nothing was written to the GPU buffer '{buffer}': {count} elements from {first} on pass its capacity of \
         {capacity}. Reserve room first."
    )]
    BufferFull {
        /// Name of the buffer.
        buffer: &'static str,
        /// First element of the write.
        first: usize,
        /// Elements to write.
        count: usize,
        /// Elements that fit.
        capacity: usize,
    },
    /// The device cannot hold so much in one buffer.
    #[error(
        "The GPU buffer '{buffer}' cannot hold {asked} elements; this device allows {max}. Show fewer instances or \
         smaller models."
    )]
    TooLarge {
        /// Name of the buffer.
        buffer: &'static str,
        /// Elements asked for.
        asked: usize,
        /// Elements that the device allows.
        max: usize,
    },
    /// A shader imports a file that does not exist, or imports nest too deeply.
    #[error("The shader '{shader}' cannot be put together: {reason}.")]
    ShaderImport {
        /// The shader.
        shader: String,
        /// What is wrong.
        reason: String,
    },
    /// A shader does not pass validation.
    #[error("The shader '{shader}' is broken: {reason}")]
    ShaderBroken {
        /// The shader.
        shader: String,
        /// The validator's words, with the place.
        reason: String,
    },
    /// Data could not be brought back from the device.
    #[error("The picture could not be read back from the graphics device: {0}. Update its driver.")]
    Readback(String),
    /// A texture is larger than the device allows.
    #[error(
        "The picture of {width} × {height} pixels is larger than this device's limit of {limit}. Ask for a smaller one."
    )]
    PictureTooLarge {
        /// Width asked for.
        width: u32,
        /// Height asked for.
        height: u32,
        /// Longest edge allowed.
        limit: u32,
    },
}
