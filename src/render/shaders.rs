//! The shader modules of all passes, loaded together: a broken file on disk replaces none of them.

use crate::gpu::GpuError;
use crate::gpu::shader::ShaderLibrary;
use wgpu::ShaderModule;

/// One module per WGSL file with entry points.
#[derive(Clone, Debug)]
pub struct ShaderModules {
    /// `anim/sample.wgsl`.
    pub sample: ShaderModule,
    /// `anim/leg_ik.wgsl`.
    pub leg_ik: ShaderModule,
    /// `anim/local_to_model.wgsl`.
    pub local_to_model: ShaderModule,
    /// `collide/bone_spheres.wgsl`.
    pub bone_spheres: ShaderModule,
    /// `model.wgsl`.
    pub model: ShaderModule,
    /// `shadow.wgsl`.
    pub shadow: ShaderModule,
    /// `pick.wgsl`.
    pub pick: ShaderModule,
    /// `lines.wgsl`.
    pub lines: ShaderModule,
    /// `dust.wgsl`.
    pub dust: ShaderModule,
    /// `outline.wgsl`.
    pub outline: ShaderModule,
    /// `sky.wgsl`.
    pub sky: ShaderModule,
    /// `sky_picture.wgsl`.
    pub sky_picture: ShaderModule,
    /// `occlusion.wgsl`.
    pub occlusion: ShaderModule,
    /// `occlusion_blur.wgsl`.
    pub occlusion_blur: ShaderModule,
    /// `bloom.wgsl`.
    pub bloom: ShaderModule,
    /// `tonemap.wgsl`.
    pub tonemap: ShaderModule,
}

impl ShaderModules {
    /// Loads and validates all shaders. A broken one is an error here and never reaches the device.
    ///
    /// # Errors
    /// As [`ShaderLibrary::module`].
    pub fn load(device: &wgpu::Device, library: &ShaderLibrary) -> Result<Self, GpuError> {
        let module = |name| library.module(device, name);
        Ok(Self {
            sample: module("anim/sample.wgsl")?,
            leg_ik: module("anim/leg_ik.wgsl")?,
            local_to_model: module("anim/local_to_model.wgsl")?,
            bone_spheres: module("collide/bone_spheres.wgsl")?,
            model: module("model.wgsl")?,
            shadow: module("shadow.wgsl")?,
            pick: module("pick.wgsl")?,
            lines: module("lines.wgsl")?,
            dust: module("dust.wgsl")?,
            outline: module("outline.wgsl")?,
            sky: module("sky.wgsl")?,
            sky_picture: module("sky_picture.wgsl")?,
            occlusion: module("occlusion.wgsl")?,
            occlusion_blur: module("occlusion_blur.wgsl")?,
            bloom: module("bloom.wgsl")?,
            tonemap: module("tonemap.wgsl")?,
        })
    }
}
