//! The window's surface: its format and size, and what to do when the window system has no picture to draw into.

use crate::gpu::{GpuContext, GpuError};
use std::sync::Arc;
use winit::dpi::PhysicalSize;
use winit::window::Window;

/// What the surface has for a frame.
pub(super) enum Acquired {
    /// A picture to draw into; to be handed to [`WindowSurface::present`].
    Picture(wgpu::SurfaceTexture),
    /// Nothing now: the frame is left out, and another tried a little later.
    Nothing,
}

/// The surface of a window and how it is configured.
pub(super) struct WindowSurface {
    /// `None` when it was lost and could not be made anew yet.
    surface: Option<wgpu::Surface<'static>>,
    config: wgpu::SurfaceConfiguration,
    /// Longest side that the device draws, pixels.
    longest: u32,
    fit: SurfaceFit,
}

/// How well the pictures fit what the window system asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SurfaceFit {
    /// As far as is known, well.
    Good,
    /// No longer: the surface is configured anew once the picture is shown.
    Outgrown,
    /// Not, and configuring did not help.
    Poor,
}

/// The format to draw in: one of eight bits whose values are shown as they are, because the interface blends in gamma space; else one of
/// eight bits; else the first that the system offers.
fn format_of(offered: &[wgpu::TextureFormat]) -> Option<wgpu::TextureFormat> {
    use wgpu::TextureFormat::{Bgra8Unorm, Bgra8UnormSrgb, Rgba8Unorm, Rgba8UnormSrgb};
    let of = |wanted: [wgpu::TextureFormat; 2]| offered.iter().copied().find(|format| wanted.contains(format));
    of([Bgra8Unorm, Rgba8Unorm]).or_else(|| of([Bgra8UnormSrgb, Rgba8UnormSrgb])).or(offered.first().copied())
}

/// A size that a surface can have: no side is 0, none is longer than the device draws.
fn clamped(size: PhysicalSize<u32>, longest: u32) -> [u32; 2] {
    [size.width, size.height].map(|side| side.clamp(1, longest.max(1)))
}

/// Whether the device is gone, and with it all surfaces: the driver tells of it when it is asked.
fn is_lost(gpu: &GpuContext) -> bool {
    // What it is doing is not waited for, and whether it has done it does not matter here.
    drop(gpu.device.poll(wgpu::PollType::Poll));
    gpu.is_lost()
}

impl WindowSurface {
    /// Configures the surface of a window.
    ///
    /// # Errors
    /// The adapter cannot draw into it.
    pub fn new(gpu: &GpuContext, surface: wgpu::Surface<'static>, size: PhysicalSize<u32>) -> Result<Self, GpuError> {
        let longest = gpu.device.limits().max_texture_dimension_2d;
        let [width, height] = clamped(size, longest);
        let unsupported = || GpuError::NoSurface("the adapter does not support it".into());
        let mut config = surface.get_default_config(&gpu.adapter, width, height).ok_or_else(unsupported)?;
        config.format = format_of(&surface.get_capabilities(&gpu.adapter).formats).ok_or_else(unsupported)?;
        config.present_mode = wgpu::PresentMode::AutoVsync;
        surface.configure(&gpu.device, &config);
        Ok(Self { surface: Some(surface), config, longest, fit: SurfaceFit::Good })
    }

    /// Format of the pictures.
    pub fn format(&self) -> wgpu::TextureFormat {
        self.config.format
    }

    /// Width and height of the pictures, pixels.
    pub fn size_px(&self) -> [u32; 2] {
        [self.config.width, self.config.height]
    }

    /// Follows the window's size; a window without any keeps the last one.
    pub fn resize(&mut self, gpu: &GpuContext, size: PhysicalSize<u32>) {
        let wanted = clamped(size, self.longest);
        if size.width > 0 && size.height > 0 && wanted != self.size_px() {
            [self.config.width, self.config.height] = wanted;
            self.fit = SurfaceFit::Good;
            self.configure(gpu);
        }
    }

    fn configure(&self, gpu: &GpuContext) {
        if let Some(surface) = &self.surface {
            surface.configure(&gpu.device, &self.config);
        }
    }

    /// Another surface in place of a lost one. The old one goes first: a window has one at a time.
    fn renew(&mut self, gpu: &GpuContext, window: &Arc<Window>) {
        self.surface = None;
        match gpu.instance.create_surface(Arc::clone(window)) {
            Ok(surface) if gpu.adapter.is_surface_supported(&surface) => self.surface = Some(surface),
            Ok(_) => tracing::debug!("The new surface is not one of the adapter's."),
            Err(error) => tracing::debug!("The surface could not be made anew: {error}"),
        }
        self.configure(gpu);
    }

    /// The next picture.
    pub fn acquire(&mut self, gpu: &GpuContext, window: &Arc<Window>) -> Acquired {
        use wgpu::CurrentSurfaceTexture as Current;
        // What is changed here is tried once at once; a frame later if that does not help.
        for _ in 0..2 {
            if is_lost(gpu) {
                break;
            }
            match self.surface.as_ref().map(wgpu::Surface::get_current_texture) {
                Some(Current::Success(texture)) => {
                    self.fit = SurfaceFit::Good;
                    return Acquired::Picture(texture);
                }
                Some(Current::Suboptimal(texture)) => {
                    self.fit = if self.fit == SurfaceFit::Good { SurfaceFit::Outgrown } else { SurfaceFit::Poor };
                    return Acquired::Picture(texture);
                }
                Some(Current::Outdated) => {
                    self.resize(gpu, window.inner_size());
                    self.configure(gpu);
                }
                None | Some(Current::Lost) => self.renew(gpu, window),
                Some(Current::Timeout | Current::Occluded | Current::Validation) => break,
            }
        }
        Acquired::Nothing
    }

    /// Shows a picture.
    pub fn present(&mut self, gpu: &GpuContext, window: &Window, picture: wgpu::SurfaceTexture) {
        gpu.queue.present(picture);
        if self.fit == SurfaceFit::Outgrown {
            self.resize(gpu, window.inner_size());
            self.configure(gpu);
            // Where it stays so, it is drawn all the same.
            self.fit = SurfaceFit::Poor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::TextureFormat::{Bgra8Unorm, Bgra8UnormSrgb, Rgb10a2Unorm, Rgba8Unorm, Rgba16Float};

    #[test]
    fn pictures_have_eight_bits_where_the_system_offers_them() {
        assert_eq!(format_of(&[Bgra8UnormSrgb, Bgra8Unorm]), Some(Bgra8Unorm));
        assert_eq!(format_of(&[Rgba16Float, Rgb10a2Unorm, Rgba8Unorm]), Some(Rgba8Unorm));
        assert_eq!(
            format_of(&[Rgba16Float, Bgra8UnormSrgb]),
            Some(Bgra8UnormSrgb),
            "what is not offered is not asked for"
        );
        assert_eq!(format_of(&[Rgba16Float]), Some(Rgba16Float));
        assert_eq!(format_of(&[]), None);
    }

    #[test]
    fn sizes_are_those_that_a_surface_can_have() {
        assert_eq!(clamped(PhysicalSize::new(0, 5), 8192), [1, 5]);
        assert_eq!(clamped(PhysicalSize::new(9000, 400), 8192), [8192, 400]);
    }
}
