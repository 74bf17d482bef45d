//! Which driver and device to draw with, and how much is asked of it.

use super::GpuError;
use std::sync::OnceLock;

/// Drawing interfaces by the names that are typed, the likelier first.
const BACKENDS: [(&str, wgpu::Backends); 4] = [
    ("vulkan", wgpu::Backends::VULKAN),
    ("metal", wgpu::Backends::METAL),
    ("dx12", wgpu::Backends::DX12),
    ("gl", wgpu::Backends::GL),
];

/// What was chosen on the command line, for every device that the program opens.
static PROGRAM: OnceLock<GpuChoice> = OnceLock::new();

/// Which driver and device to draw with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuChoice {
    /// The only drawing interfaces to look for.
    pub backends: Option<wgpu::Backends>,
    /// Part of the adapter's name, in any case.
    pub adapter: Option<String>,
}

/// Most that is asked of a device, for tests of weaker ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuBounds {
    /// Limits in place of all that the adapter offers.
    pub limits: Option<wgpu::Limits>,
    /// Go without timestamps: no times of passes are measured.
    pub without_timestamps: bool,
}

impl GpuChoice {
    /// Makes this the choice of the whole program. The first call decides.
    pub fn for_program(self) {
        let _earlier = PROGRAM.set(self);
    }

    /// The choice of the program, with `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` where nothing was chosen.
    pub fn of_program() -> Self {
        let chosen = PROGRAM.get().cloned().unwrap_or_default();
        Self {
            backends: chosen.backends.or_else(wgpu::Backends::from_env),
            adapter: chosen.adapter.or_else(|| std::env::var("WGPU_ADAPTER_NAME").ok()),
        }
    }

    /// The drawing interfaces to look for: those of the system, without OpenGL, where nothing was chosen.
    pub fn drawn_by(&self) -> wgpu::Backends {
        self.backends.unwrap_or(wgpu::Backends::PRIMARY)
    }

    /// Whether an adapter of this name is asked for.
    pub fn fits(&self, name: &str) -> bool {
        self.adapter.as_ref().is_none_or(|part| name.to_lowercase().contains(&part.to_lowercase()))
    }
}

/// The drawing interfaces that a name stands for.
///
/// # Errors
/// [`GpuError::UnknownBackend`].
pub fn backend_by_name(name: &str) -> Result<wgpu::Backends, GpuError> {
    let known = BACKENDS.iter().find(|(known, _)| *known == name);
    known.map(|(_, backends)| *backends).ok_or_else(|| GpuError::UnknownBackend(name.to_owned()))
}

/// The least that the shaders and bind groups need of a device: wgpu's limits for older devices, with storage buffers as
/// the poses of characters take them.
pub fn least_limits() -> wgpu::Limits {
    wgpu::Limits { max_storage_buffers_per_shader_stage: 8, ..wgpu::Limits::downlevel_defaults() }
}

/// Limits that are below what the program needs, as "name is …, … needed".
pub fn shortfalls(offered: &wgpu::Limits) -> Vec<String> {
    let mut short = Vec::new();
    least_limits().check_limits_with_fail_fn(offered, false, |name, needed, has| {
        short.push(format!("{name} is {has}, {needed} needed"));
    });
    short
}

/// What an adapter lacks for drawing with it.
pub fn lacks(adapter: &wgpu::Adapter) -> Vec<String> {
    let mut short = shortfalls(&adapter.limits());
    if adapter.get_info().backend == wgpu::Backend::Gl {
        short.push("over OpenGL, shaders cannot read texels of depth textures".into());
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choose_backends_and_adapters() {
        assert_eq!(backend_by_name("gl").unwrap(), wgpu::Backends::GL);
        assert!(backend_by_name("glide").unwrap_err().to_string().contains("vulkan, metal, dx12 or gl"));
        let choice = GpuChoice { adapter: Some("LLVM".into()), ..GpuChoice::default() };
        assert!(choice.fits("llvmpipe (LLVM 15)") && !choice.fits("Radeon"));
        assert!(GpuChoice::default().fits("anything"));
    }

    #[test]
    fn what_an_adapter_lacks_is_named() {
        assert_eq!(shortfalls(&wgpu::Limits::default()), Vec::<String>::new());
        let lacking = shortfalls(&wgpu::Limits::downlevel_defaults());
        assert_eq!(lacking, ["max_storage_buffers_per_shader_stage is 4, 8 needed"]);
    }
}
