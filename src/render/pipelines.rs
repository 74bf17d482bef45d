//! All pipelines. Their shaders are checked together, so that a changed one replaces all or none; the pipelines of
//! models and overlays are made when something is first drawn with them, for many drivers take long to compile them.

use super::compute::{self, ComputePipelines};
use super::layouts::Layouts;
use super::pick;
use super::quality::Quality;
use super::targets::DEPTH_FORMAT;
use super::types::{GpuCorner, GpuSkinVertex, GpuVertex};
use crate::debug::Depth;
use crate::gpu::GpuError;
use crate::gpu::shader::Library;
use std::sync::OnceLock;
use wgpu::{BindGroupLayout, CompareFunction, Face, ShaderModule, TextureFormat};

/// Width of overlay lines in pixels.
const WIDTH_PX: f64 = 2.2;

/// Opacity of overlays behind geometry, for layers that are dimmed there.
const DIMMED: f64 = 0.22;

/// Which model pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Moved by joints.
    pub skinned: bool,
    /// Texels are left out by alpha.
    pub cutout: bool,
    /// Back faces are drawn.
    pub double_sided: bool,
    /// Normals come from a map.
    pub mapped: bool,
}

const VARIANTS: usize = 16;

impl Variant {
    fn index(self) -> usize {
        let bits = [self.skinned, self.cutout, self.double_sided, self.mapped];
        bits.iter().rev().fold(0, |index, &bit| index << 1 | usize::from(bit))
    }

    #[cfg(test)]
    fn all() -> impl Iterator<Item = Self> {
        (0..VARIANTS).map(|i| Self {
            skinned: i & 1 != 0,
            cutout: i & 2 != 0,
            double_sided: i & 4 != 0,
            mapped: i & 8 != 0,
        })
    }
}

/// Overlay pipelines for one way of treating depth.
#[derive(Debug)]
pub struct OverlayPipelines {
    /// Lines.
    pub lines: wgpu::RenderPipeline,
    /// Spheres.
    pub spheres: wgpu::RenderPipeline,
    /// Filled triangles.
    pub triangles: wgpu::RenderPipeline,
}

/// The pipelines.
#[derive(Debug)]
pub struct Pipelines {
    /// Poses.
    pub compute: ComputePipelines,
    bone_spheres: OnceLock<wgpu::ComputePipeline>,
    /// The sky.
    pub sky: wgpu::RenderPipeline,
    /// From light to the target.
    pub tonemap: wgpu::RenderPipeline,
    maker: Maker,
    modules: Modules,
    model: [OnceLock<wgpu::RenderPipeline>; VARIANTS],
    shadow: [OnceLock<wgpu::RenderPipeline>; VARIANTS],
    pick: [OnceLock<wgpu::RenderPipeline>; VARIANTS],
    /// In front of geometry.
    tested: OnceLock<OverlayPipelines>,
    /// Behind geometry, faint.
    behind: OnceLock<OverlayPipelines>,
    /// On top of everything.
    on_top: OnceLock<OverlayPipelines>,
}

/// The shaders of the pipelines that are made later.
#[derive(Debug)]
struct Modules {
    model: ShaderModule,
    shadow: ShaderModule,
    pick: ShaderModule,
    lines: ShaderModule,
    bone_spheres: ShaderModule,
}

/// What a pipeline is made of.
struct Recipe<'a> {
    label: &'a str,
    module: &'a ShaderModule,
    groups: &'a [Option<&'a BindGroupLayout>],
    vertex: &'a str,
    fragment: Option<&'a str>,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'static>>],
    constants: &'a [(&'a str, f64)],
    target: Option<TextureFormat>,
    blend: bool,
    depth: Option<wgpu::DepthStencilState>,
    cull: bool,
    strip: bool,
    samples: u32,
}

impl Recipe<'_> {
    fn make(&self, device: &wgpu::Device) -> wgpu::RenderPipeline {
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(self.label),
            bind_group_layouts: self.groups,
            immediate_size: 0,
        });
        let options =
            wgpu::PipelineCompilationOptions { constants: self.constants, zero_initialize_workgroup_memory: false };
        let targets = [self.target.map(|format| wgpu::ColorTargetState {
            format,
            blend: self.blend.then_some(wgpu::BlendState::ALPHA_BLENDING),
            write_mask: wgpu::ColorWrites::ALL,
        })];
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.label),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(self.vertex),
                compilation_options: options.clone(),
                buffers: self.buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: if self.strip {
                    wgpu::PrimitiveTopology::TriangleStrip
                } else {
                    wgpu::PrimitiveTopology::TriangleList
                },
                cull_mode: self.cull.then_some(Face::Back),
                ..Default::default()
            },
            depth_stencil: self.depth.clone(),
            multisample: wgpu::MultisampleState { count: self.samples, ..Default::default() },
            fragment: self.fragment.map(|entry| wgpu::FragmentState {
                module: self.module,
                entry_point: Some(entry),
                compilation_options: options,
                targets: if self.target.is_some() { &targets } else { &[] },
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

fn depth(compare: CompareFunction, write: bool) -> Option<wgpu::DepthStencilState> {
    Some(wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(write),
        depth_compare: Some(compare),
        stencil: Default::default(),
        bias: Default::default(),
    })
}

fn flag(on: bool) -> f64 {
    f64::from(u8::from(on))
}

impl Pipelines {
    /// Reads all shaders. Validation comes first: a broken shader is an error here and never reaches the device.
    ///
    /// # Errors
    /// When a shader is broken.
    pub fn new(
        device: &wgpu::Device,
        layouts: &Layouts,
        library: &Library,
        quality: Quality,
        target: TextureFormat,
    ) -> Result<Self, GpuError> {
        let module = |name| library.module(device, name);
        let modules = Modules {
            model: module("model.wgsl")?,
            shadow: module("shadow.wgsl")?,
            pick: module("pick.wgsl")?,
            lines: module("lines.wgsl")?,
            bone_spheres: module("anim/bone_spheres.wgsl")?,
        };
        let (sky, tonemap) = (module("sky.wgsl")?, module("tonemap.wgsl")?);
        let compute = ComputePipelines::new(device, layouts, library)?;
        let maker = Maker { device: device.clone(), layouts: layouts.clone(), quality };
        Ok(Self {
            compute,
            bone_spheres: OnceLock::new(),
            sky: maker.sky(&sky),
            tonemap: maker.tonemap(&tonemap, target),
            maker,
            modules,
            model: Default::default(),
            shadow: Default::default(),
            pick: Default::default(),
            tested: OnceLock::new(),
            behind: OnceLock::new(),
            on_top: OnceLock::new(),
        })
    }

    /// The pipeline that lights a model.
    pub fn model(&self, variant: Variant) -> &wgpu::RenderPipeline {
        self.model[variant.index()].get_or_init(|| self.maker.model(&self.modules.model, variant))
    }

    /// The pipeline that draws a model's shadow.
    pub fn shadow(&self, variant: Variant) -> &wgpu::RenderPipeline {
        let variant = Variant { mapped: false, ..variant };
        self.shadow[variant.index()].get_or_init(|| self.maker.shadow(&self.modules.shadow, variant))
    }

    /// The pipeline that draws the number of an instance.
    pub fn pick(&self, variant: Variant) -> &wgpu::RenderPipeline {
        let variant = Variant { mapped: false, ..variant };
        self.pick[variant.index()].get_or_init(|| self.maker.pick(&self.modules.pick, variant))
    }

    /// The pipeline that finds the bounding spheres of bones.
    pub fn bone_spheres(&self) -> &wgpu::ComputePipeline {
        let Maker { device, layouts, .. } = &self.maker;
        let make = || compute::pipeline(device, &self.modules.bone_spheres, "bone_spheres", &[&layouts.spheres]);
        self.bone_spheres.get_or_init(make)
    }

    /// The overlay pipelines that a layer goes through, one after the other.
    pub fn overlay(&self, depth: Depth) -> Vec<&OverlayPipelines> {
        let make = |compare, opacity| self.maker.overlays(&self.modules.lines, compare, opacity);
        let tested = || self.tested.get_or_init(|| make(CompareFunction::GreaterEqual, 1.0));
        match depth {
            Depth::Tested => vec![tested()],
            Depth::Dimmed => vec![self.behind.get_or_init(|| make(CompareFunction::Less, DIMMED)), tested()],
            Depth::OnTop => vec![self.on_top.get_or_init(|| make(CompareFunction::Always, 1.0))],
        }
    }
}

#[derive(Debug)]
struct Maker {
    device: wgpu::Device,
    layouts: Layouts,
    quality: Quality,
}

impl Maker {
    fn model(&self, module: &ShaderModule, variant: Variant) -> wgpu::RenderPipeline {
        let l = &self.layouts;
        let buffers = [Some(GpuVertex::LAYOUT), Some(GpuSkinVertex::LAYOUT)];
        Recipe {
            label: "model",
            module,
            groups: &[Some(&l.frame), Some(&l.material), Some(&l.mesh)],
            vertex: if variant.skinned { "vs_skinned" } else { "vs_static" },
            fragment: Some("fs_main"),
            buffers: if variant.skinned { &buffers } else { &buffers[..1] },
            constants: &[
                ("ALPHA_TEST", flag(variant.cutout)),
                ("NORMAL_MAP", flag(variant.mapped)),
                ("FINE_SHADOWS", flag(self.quality == Quality::Full)),
                ("SHOWN_TARGET", flag(self.quality.is_shown())),
            ],
            target: Some(self.quality.light_format()),
            blend: false,
            depth: depth(CompareFunction::Greater, true),
            cull: !variant.double_sided,
            strip: false,
            samples: self.quality.samples(),
        }
        .make(&self.device)
    }

    fn shadow(&self, module: &ShaderModule, variant: Variant) -> wgpu::RenderPipeline {
        let l = &self.layouts;
        let buffers = [Some(GpuVertex::LAYOUT), Some(GpuSkinVertex::LAYOUT)];
        let mut state = depth(CompareFunction::Less, true);
        if let Some(state) = &mut state {
            state.bias = wgpu::DepthBiasState { constant: 0, slope_scale: 1.6, clamp: 0.01 };
        }
        Recipe {
            label: "shadow",
            module,
            groups: &[Some(&l.frame_unlit), Some(&l.material), Some(&l.mesh)],
            vertex: if variant.skinned { "vs_skinned" } else { "vs_static" },
            fragment: variant.cutout.then_some("fs_cutout"),
            buffers: if variant.skinned { &buffers } else { &buffers[..1] },
            constants: &[],
            target: None,
            blend: false,
            depth: state,
            // People are closed; levels may be open from behind and still cast shadows.
            cull: variant.skinned && !variant.double_sided,
            strip: false,
            samples: 1,
        }
        .make(&self.device)
    }

    fn pick(&self, module: &ShaderModule, variant: Variant) -> wgpu::RenderPipeline {
        let l = &self.layouts;
        let buffers = [Some(GpuVertex::LAYOUT), Some(GpuSkinVertex::LAYOUT)];
        Recipe {
            label: "pick",
            module,
            groups: &[Some(&l.frame_unlit), Some(&l.material), Some(&l.mesh)],
            vertex: if variant.skinned { "vs_skinned" } else { "vs_static" },
            fragment: Some("fs_main"),
            buffers: if variant.skinned { &buffers } else { &buffers[..1] },
            constants: &[("ALPHA_TEST", flag(variant.cutout))],
            target: Some(pick::FORMAT),
            blend: false,
            depth: depth(CompareFunction::Greater, true),
            cull: !variant.double_sided,
            strip: false,
            samples: 1,
        }
        .make(&self.device)
    }

    fn sky(&self, module: &ShaderModule) -> wgpu::RenderPipeline {
        Recipe {
            label: "sky",
            module,
            groups: &[Some(&self.layouts.frame)],
            vertex: "vs_main",
            fragment: Some("fs_main"),
            buffers: &[],
            constants: &[("SHOWN_TARGET", flag(self.quality.is_shown()))],
            target: Some(self.quality.light_format()),
            blend: false,
            depth: depth(CompareFunction::GreaterEqual, false),
            cull: false,
            strip: false,
            samples: self.quality.samples(),
        }
        .make(&self.device)
    }

    fn overlays(&self, module: &ShaderModule, compare: CompareFunction, opacity: f64) -> OverlayPipelines {
        let make = |label, vertex, buffers: &[_], strip| {
            Recipe {
                label,
                module,
                groups: &[Some(&self.layouts.frame), Some(&self.layouts.lines)],
                vertex,
                fragment: Some("fs_main"),
                buffers,
                constants: &[
                    ("OPACITY", opacity),
                    ("WIDTH_PX", WIDTH_PX),
                    ("SHOWN_TARGET", flag(self.quality.is_shown())),
                ],
                target: Some(self.quality.light_format()),
                blend: true,
                depth: depth(compare, false),
                cull: false,
                strip,
                samples: self.quality.samples(),
            }
            .make(&self.device)
        };
        OverlayPipelines {
            lines: make("overlay lines", "vs_line", &[], true),
            spheres: make("overlay spheres", "vs_sphere", &[], true),
            triangles: make("overlay triangles", "vs_triangle", &[Some(GpuCorner::LAYOUT)], false),
        }
    }

    fn tonemap(&self, module: &ShaderModule, target: TextureFormat) -> wgpu::RenderPipeline {
        Recipe {
            label: "tone mapping",
            module,
            groups: &[Some(&self.layouts.tonemap)],
            vertex: "vs_main",
            fragment: Some("fs_main"),
            buffers: &[],
            constants: &[
                ("ENCODE_SRGB", flag(!target.is_srgb())),
                ("SMOOTH_EDGES", flag(self.quality.samples() == 1)),
                ("SHOWN_TARGET", flag(self.quality.is_shown())),
            ],
            target: Some(target),
            blend: false,
            depth: None,
            cull: false,
            strip: false,
            samples: 1,
        }
        .make(&self.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::Context;

    #[test]
    fn every_pipeline_is_accepted_by_the_device() {
        let context = Context::headless().unwrap();
        let layouts = Layouts::new(&context.device);
        for quality in [Quality::Full, Quality::Software] {
            let format = TextureFormat::Rgba8UnormSrgb;
            let pipelines = Pipelines::new(&context.device, &layouts, &Library::default(), quality, format).unwrap();
            for variant in Variant::all() {
                assert!(std::ptr::eq(pipelines.model(variant), pipelines.model(variant)));
                assert!(std::ptr::eq(pipelines.shadow(variant), pipelines.shadow(variant)));
                assert!(std::ptr::eq(pipelines.pick(variant), pipelines.pick(variant)));
            }
            let made = [Depth::Tested, Depth::Dimmed, Depth::OnTop].map(|depth| pipelines.overlay(depth).len());
            assert_eq!(made, [1, 2, 1]);
            assert_eq!(pipelines.model.iter().filter(|cell| cell.get().is_some()).count(), VARIANTS);
        }
        assert_eq!(context.take_errors(), Vec::<String>::new());
    }
}
