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

/// Other names of theirs that `WGPU_BACKEND` may have.
const OTHER_NAMES: [(&str, &str); 5] =
    [("vk", "vulkan"), ("mtl", "metal"), ("d3d12", "dx12"), ("opengl", "gl"), ("gles", "gl")];

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

    /// The choice of the program, with `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` where nothing was chosen. Empty names choose nothing.
    pub fn of_program() -> Self {
        let chosen = PROGRAM.get().cloned().unwrap_or_default();
        let adapter = chosen.adapter.filter(|name| !name.is_empty());
        Self {
            backends: chosen.backends.or_else(|| backends_of_environment().unwrap_or_default()),
            adapter: adapter.or_else(|| std::env::var("WGPU_ADAPTER_NAME").ok()).filter(|name| !name.is_empty()),
        }
    }

    /// The drawing interfaces to look for first: those of the system, without OpenGL, where nothing was chosen.
    pub fn drawn_by(&self) -> wgpu::Backends {
        self.backends.unwrap_or(wgpu::Backends::PRIMARY)
    }

    /// The choice where no adapter of the system's own drawing interfaces serves: OpenGL, unless others were asked for.
    pub fn last_resort(&self) -> Option<Self> {
        self.backends.is_none().then(|| Self { backends: Some(wgpu::Backends::GL), ..self.clone() })
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

/// The names of drawing interfaces, the likelier first.
pub fn backend_names() -> [&'static str; BACKENDS.len()] {
    BACKENDS.map(|(name, _)| name)
}

/// The drawing interfaces that `WGPU_BACKEND` names; `None` where it is empty or not set.
///
/// # Errors
/// [`GpuError::UnknownBackendVariable`].
pub fn backends_of_environment() -> Result<Option<wgpu::Backends>, GpuError> {
    backends_by_list(&std::env::var("WGPU_BACKEND").unwrap_or_default())
}

fn backends_by_list(list: &str) -> Result<Option<wgpu::Backends>, GpuError> {
    let mut all = None;
    for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let name = name.to_lowercase();
        let known = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name.as_str(), |(_, known)| known);
        let backends = backend_by_name(known).map_err(|_| GpuError::UnknownBackendVariable(list.to_owned()))?;
        all = Some(all.unwrap_or(wgpu::Backends::empty()) | backends);
    }
    Ok(all)
}

/// What to do about no driver of these drawing interfaces, a sentence.
pub(super) fn remedy(backends: Option<wgpu::Backends>) -> &'static str {
    let is_only = |foreign: wgpu::Backends| backends.is_some_and(|asked| foreign.contains(asked));
    if !cfg!(target_vendor = "apple") && is_only(wgpu::Backends::METAL) {
        "Metal is of Apple's systems alone; choose another backend, or none."
    } else if !cfg!(windows) && is_only(wgpu::Backends::DX12) {
        "Direct3D 12 is of Windows alone; choose another backend, or none."
    } else if cfg!(target_vendor = "apple") {
        "Walkabout draws with Metal here; choose no other backend, and update the system where there is none."
    } else if cfg!(windows) {
        "Install the driver of the graphics card's maker, and choose no backend."
    } else {
        "Install a Vulkan driver (Debian: apt-get install libvulkan1 mesa-vulkan-drivers; the latter also draws without a GPU)."
    }
}

/// What drawing needs of a device that old ones lack, by the names of [`wgpu::DownlevelFlags`]: poses are computed and read in the shaders of
/// vertices, lamps in those of pixels, shadows compare, and textures of any size have smaller levels.
const NEEDED_FLAGS: wgpu::DownlevelFlags = wgpu::DownlevelFlags::COMPUTE_SHADERS
    .union(wgpu::DownlevelFlags::VERTEX_STORAGE)
    .union(wgpu::DownlevelFlags::FRAGMENT_STORAGE)
    .union(wgpu::DownlevelFlags::COMPARISON_SAMPLERS)
    .union(wgpu::DownlevelFlags::NON_POWER_OF_TWO_MIPMAPPED_TEXTURES);

/// Abilities that drawing needs and a device does not have.
fn missing_flags(has: wgpu::DownlevelFlags) -> Vec<String> {
    NEEDED_FLAGS.difference(has).iter_names().map(|(name, _)| format!("{name} is missing")).collect()
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
    short.extend(missing_flags(adapter.get_downlevel_capabilities().flags));
    let info = adapter.get_info();
    short.extend((info.backend == wgpu::Backend::Gl).then(|| old_opengl(&info.driver_info)).flatten());
    short
}

/// What is wrong with a version of OpenGL as the driver writes it: compute shaders and storage buffers came with 4.3, and with ES 3.1. wgpu 30
/// asks for 3.3, and some drivers open no more than that.
fn old_opengl(version: &str) -> Option<String> {
    let (name, version, least) = match version.strip_prefix("OpenGL ES ") {
        Some(version) => ("OpenGL ES", version, [3, 1]),
        None => ("OpenGL", version, [4, 3]),
    };
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    let [major, minor] = [numbers.next()?.ok()?, numbers.next()?.ok()?];
    ([major, minor] < least).then(|| format!("{name} is {major}.{minor}, {}.{} needed", least[0], least[1]))
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
        assert_eq!(choice.last_resort().unwrap().drawn_by(), wgpu::Backends::GL);
        let vulkan = GpuChoice { backends: Some(wgpu::Backends::VULKAN), ..choice };
        assert_eq!(vulkan.last_resort(), None, "nothing else is taken than what was asked for");
    }

    #[test]
    fn the_environment_names_backends_or_none() {
        assert_eq!(backends_by_list(""), Ok(None));
        assert_eq!(backends_by_list(" , "), Ok(None));
        assert_eq!(backends_by_list("Vulkan"), Ok(Some(wgpu::Backends::VULKAN)));
        assert_eq!(backends_by_list("gles, vk"), Ok(Some(wgpu::Backends::GL | wgpu::Backends::VULKAN)));
        let wrong = backends_by_list("vulkan,glide").unwrap_err().to_string();
        assert!(wrong.contains("WGPU_BACKEND") && wrong.contains("vulkan,glide"), "{wrong}");
        assert!(backend_names().into_iter().all(|name| backend_by_name(name).is_ok()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_helps_fits_what_was_asked_for() {
        assert!(remedy(None).contains("mesa-vulkan-drivers"));
        assert!(remedy(Some(wgpu::Backends::METAL)).contains("another backend"));
        assert!(remedy(Some(wgpu::Backends::DX12)).contains("Windows"));
    }

    #[test]
    fn what_an_adapter_lacks_is_named() {
        assert!(missing_flags(wgpu::DownlevelFlags::all()).is_empty());
        let old = wgpu::DownlevelFlags::all() - wgpu::DownlevelFlags::VERTEX_STORAGE;
        assert_eq!(missing_flags(old), ["VERTEX_STORAGE is missing"]);
        assert_eq!(old_opengl("3.3.0 NVIDIA 580.159.04").unwrap(), "OpenGL is 3.3, 4.3 needed");
        assert_eq!(old_opengl("OpenGL ES 3.0 Mesa 22.3.6").unwrap(), "OpenGL ES is 3.0, 3.1 needed");
        let new_enough =
            ["4.5 (Core Profile) Mesa 22.3.6", "4.3.0", "OpenGL ES 3.2 NVIDIA", "of a kind of its own", ""];
        assert!(new_enough.into_iter().all(|version| old_opengl(version).is_none()));
        assert_eq!(shortfalls(&wgpu::Limits::default()), Vec::<String>::new());
        let lacking = shortfalls(&wgpu::Limits::downlevel_defaults());
        assert_eq!(lacking, ["max_storage_buffers_per_shader_stage is 4, 8 needed"]);
    }
}
