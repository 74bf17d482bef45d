//! Adapter, device and queue.

use super::GpuError;
use super::choice::{GpuBounds, GpuChoice, lacks, remedy, shortfalls};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Adapter, device and queue, opened once.
#[derive(Debug)]
pub struct GpuContext {
    /// Entry to the drivers.
    pub instance: wgpu::Instance,
    /// The chosen adapter.
    pub adapter: wgpu::Adapter,
    /// Creates resources. A function that takes it is for loading, not for every frame.
    pub device: wgpu::Device,
    /// Takes commands and uploads.
    pub queue: wgpu::Queue,
    errors: Arc<Mutex<Vec<String>>>,
    lost: Arc<AtomicBool>,
}

impl GpuContext {
    /// A device without a window.
    pub fn headless() -> Result<Self, GpuError> {
        Self::headless_with(&GpuChoice::of_program(), &GpuBounds::default())
    }

    /// A device without a window, of a choice, within bounds.
    ///
    /// # Errors
    /// When there is no such adapter, or it is below what the program needs.
    pub fn headless_with(choice: &GpuChoice, bounds: &GpuBounds) -> Result<Self, GpuError> {
        first_of(choice, |choice| Self::open(new_instance(choice.drawn_by()), None, choice, bounds))
    }

    /// A device that can draw into `target`, and the surface to do so.
    pub fn for_window<T>(target: T) -> Result<(Self, wgpu::Surface<'static>), GpuError>
    where
        T: wgpu::WindowHandle + wgpu::wgt::WgpuHasDisplayHandle + Clone + 'static,
    {
        first_of(&GpuChoice::of_program(), |choice| {
            // OpenGL has to know the display before it looks for devices.
            let descriptor = wgpu::InstanceDescriptor::new_with_display_handle(Box::new(target.clone()));
            let instance = wgpu::Instance::new(wgpu::InstanceDescriptor { backends: choice.drawn_by(), ..descriptor });
            let surface = match instance.create_surface(target.clone()) {
                Ok(surface) => surface,
                // Without a driver no surface can be made either.
                Err(error) => {
                    choose(&instance, None, choice)?;
                    return Err(GpuError::NoSurface(error.to_string()));
                }
            };
            let context = Self::open(instance, Some(&surface), choice, &GpuBounds::default())?;
            Ok((context, surface))
        })
    }

    /// The adapters that can be chosen, the one that the program would choose first.
    ///
    /// # Errors
    /// When there is none of the choice.
    pub fn adapters(choice: &GpuChoice) -> Result<Vec<wgpu::Adapter>, GpuError> {
        let mut all = Vec::new();
        let others = wgpu::Backends::GL.difference(choice.drawn_by());
        // Another one is named only where none was asked for.
        let turns = if choice.backends.is_some() { 1 } else { 2 };
        for backends in [choice.drawn_by(), others].into_iter().take(turns) {
            let instance = new_instance(backends);
            let Ok(first) = choose(&instance, None, choice) else { continue };
            let chosen = first.get_info();
            let rest = pollster::block_on(instance.enumerate_adapters(backends));
            all.push(first);
            all.extend(rest.into_iter().filter(|adapter| adapter.get_info() != chosen));
        }
        if all.is_empty() {
            return Self::headless_with(choice, &GpuBounds::default()).map(|context| vec![context.adapter]);
        }
        Ok(all)
    }

    fn open(
        instance: wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
        choice: &GpuChoice,
        bounds: &GpuBounds,
    ) -> Result<Self, GpuError> {
        let adapter = choose(&instance, surface, choice)?;
        let offered = bounds.limits.clone().unwrap_or_else(|| adapter.limits());
        let short = if bounds.limits.is_some() { shortfalls(&offered) } else { lacks(&adapter) };
        if !short.is_empty() {
            return Err(GpuError::TooWeak { adapter: adapter.get_info().name, short: short.join(", ") });
        }
        let wanted = if bounds.without_timestamps { wgpu::Features::empty() } else { wgpu::Features::TIMESTAMP_QUERY };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("walkabout"),
            required_features: adapter.features() & wanted,
            required_limits: offered,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|e| GpuError::NoDevice { adapter: adapter.get_info().name, reason: e.to_string() })?;
        let errors = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&errors);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let text = error.to_string();
            tracing::error!("{text}");
            if let Ok(mut errors) = sink.lock()
                && !errors.contains(&text)
            {
                errors.push(text);
            }
        }));
        let lost = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&lost);
        device.set_device_lost_callback(move |reason, text| {
            tracing::warn!("The graphics device is lost ({reason:?}): {text}");
            flag.store(true, Ordering::Relaxed);
        });
        Ok(Self { instance, adapter, device, queue, errors, lost })
    }

    /// Name of the adapter and its driver, for the user.
    pub fn adapter_name(&self) -> String {
        let info = self.adapter.get_info();
        format!("{} ({:?})", info.name, info.backend)
    }

    /// What tells graphics adapters and drivers apart, a line each, for reports.
    pub fn facts(&self) -> Vec<String> {
        let (info, limits) = (self.adapter.get_info(), self.device.limits());
        vec![
            format!("adapter {} ({:?}, {:?})", info.name, info.device_type, info.backend),
            format!("vendor {:#06x}, device {:#06x}", info.vendor, info.device),
            format!("driver {} {}", info.driver, info.driver_info),
            format!(
                "textures to {} pixels, buffers to {} bytes",
                limits.max_texture_dimension_2d, limits.max_buffer_size
            ),
        ]
    }

    /// Whether the device is lost: its resources are unusable, and a new one is needed.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Device errors since the last call, each text once.
    pub fn take_errors(&self) -> Vec<String> {
        self.errors.lock().map(|mut errors| std::mem::take(&mut *errors)).unwrap_or_default()
    }
}

/// What `open` opens by a choice, or else by OpenGL where nothing was chosen; the error is that of the choice.
fn first_of<T>(choice: &GpuChoice, open: impl Fn(&GpuChoice) -> Result<T, GpuError>) -> Result<T, GpuError> {
    open(choice).or_else(|error| choice.last_resort().and_then(|choice| open(&choice).ok()).ok_or(error))
}

fn new_instance(backends: wgpu::Backends) -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor { backends, ..wgpu::InstanceDescriptor::new_without_display_handle() })
}

fn choose(
    instance: &wgpu::Instance,
    surface: Option<&wgpu::Surface<'_>>,
    choice: &GpuChoice,
) -> Result<wgpu::Adapter, GpuError> {
    if let Some(asked) = &choice.adapter {
        let all = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
        let found = all.iter().map(|adapter| adapter.get_info().name).collect::<Vec<_>>().join(", ");
        let serves = |adapter: &wgpu::Adapter| surface.is_none_or(|surface| adapter.is_surface_supported(surface));
        return all
            .into_iter()
            .find(|adapter| choice.fits(&adapter.get_info().name) && serves(adapter))
            .ok_or_else(|| GpuError::NoSuchAdapter { asked: asked.clone(), found });
    }
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        compatible_surface: surface,
        ..Default::default()
    };
    pollster::block_on(instance.request_adapter(&options))
        .map_err(|error| GpuError::NoAdapter { reason: error.to_string(), remedy: remedy(choice.backends) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_without_a_window_and_reports_errors_once() {
        let context = GpuContext::headless().unwrap();
        assert!(!context.adapter_name().is_empty());
        for _ in 0..2 {
            // A buffer whose usages exclude each other.
            let _refused = context.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("wrong"),
                size: 16,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::VERTEX,
                mapped_at_creation: false,
            });
        }
        assert_eq!(context.take_errors().len(), 1);
        assert!(context.take_errors().is_empty());
    }
}
