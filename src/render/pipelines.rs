//! All pipelines, made together so that a changed shader replaces all or none.

use super::compute::ComputePipelines;
use super::layouts::Layouts;
use super::quality::Quality;
use super::targets::DEPTH_FORMAT;
use super::types::{GpuCorner, GpuSkinVertex, GpuVertex};
use crate::debug::Depth;
use crate::gpu::GpuError;
use crate::gpu::shader::Library;
use wgpu::{BindGroupLayout, CompareFunction, Face, ShaderModule, TextureFormat};

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
}

impl Variant {
    fn index(self) -> usize {
        usize::from(self.skinned) | usize::from(self.cutout) << 1 | usize::from(self.double_sided) << 2
    }

    fn all() -> impl Iterator<Item = Self> {
        (0..8).map(|i| Self { skinned: i & 1 != 0, cutout: i & 2 != 0, double_sided: i & 4 != 0 })
    }
}

/// Overlay pipelines for one way of treating depth.
#[derive(Debug)]
pub struct OverlayPipelines {
    /// Lines.
    pub lines: wgpu::RenderPipeline,
    /// Filled triangles.
    pub triangles: wgpu::RenderPipeline,
}

/// The pipelines.
#[derive(Debug)]
pub struct Pipelines {
    /// Poses.
    pub compute: ComputePipelines,
    model: Vec<wgpu::RenderPipeline>,
    shadow: Vec<wgpu::RenderPipeline>,
    /// The sky.
    pub sky: wgpu::RenderPipeline,
    /// Overlays in front of geometry.
    pub tested: OverlayPipelines,
    /// Overlays behind geometry, faint.
    pub behind: OverlayPipelines,
    /// Overlays on top of everything.
    pub on_top: OverlayPipelines,
    /// From light to the target.
    pub tonemap: wgpu::RenderPipeline,
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
    /// Compiles all shaders. Validation comes first: a broken shader is an error here and never reaches the device.
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
        let (model, shadow) = (module("model.wgsl")?, module("shadow.wgsl")?);
        let (sky, lines, tonemap) = (module("sky.wgsl")?, module("lines.wgsl")?, module("tonemap.wgsl")?);
        let compute = ComputePipelines::new(device, layouts, library)?;
        let maker = Maker { device, layouts, quality };
        Ok(Self {
            compute,
            model: Variant::all().map(|v| maker.model(&model, v)).collect(),
            shadow: Variant::all().map(|v| maker.shadow(&shadow, v)).collect(),
            sky: maker.sky(&sky),
            tested: maker.overlays(&lines, CompareFunction::GreaterEqual, 1.0),
            behind: maker.overlays(&lines, CompareFunction::Less, DIMMED),
            on_top: maker.overlays(&lines, CompareFunction::Always, 1.0),
            tonemap: maker.tonemap(&tonemap, target),
        })
    }

    /// The pipeline that lights a model.
    pub fn model(&self, variant: Variant) -> &wgpu::RenderPipeline {
        &self.model[variant.index()]
    }

    /// The pipeline that draws a model's shadow.
    pub fn shadow(&self, variant: Variant) -> &wgpu::RenderPipeline {
        &self.shadow[variant.index()]
    }

    /// The overlay pipelines that a layer goes through, one after the other.
    pub fn overlay(&self, depth: Depth) -> Vec<&OverlayPipelines> {
        match depth {
            Depth::Tested => vec![&self.tested],
            Depth::Dimmed => vec![&self.behind, &self.tested],
            Depth::OnTop => vec![&self.on_top],
        }
    }
}

struct Maker<'a> {
    device: &'a wgpu::Device,
    layouts: &'a Layouts,
    quality: Quality,
}

impl Maker<'_> {
    fn model(&self, module: &ShaderModule, variant: Variant) -> wgpu::RenderPipeline {
        let l = self.layouts;
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
        .make(self.device)
    }

    fn shadow(&self, module: &ShaderModule, variant: Variant) -> wgpu::RenderPipeline {
        let l = self.layouts;
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
        .make(self.device)
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
        .make(self.device)
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
                constants: &[("OPACITY", opacity), ("SHOWN_TARGET", flag(self.quality.is_shown()))],
                target: Some(self.quality.light_format()),
                blend: true,
                depth: depth(compare, false),
                cull: false,
                strip,
                samples: self.quality.samples(),
            }
            .make(self.device)
        };
        OverlayPipelines {
            lines: make("overlay lines", "vs_line", &[], true),
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
        .make(self.device)
    }
}
