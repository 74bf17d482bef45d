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
use crate::gpu::shader::ShaderLibrary;
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
    /// TexelEncoding are left out by alpha.
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
    /// A picture as the sky; see [`Self::sky_picture`].
    sky_picture: OnceLock<wgpu::RenderPipeline>,
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
    outline: OnceLock<wgpu::RenderPipeline>,
}

/// The shaders of the pipelines that are made later.
#[derive(Debug)]
struct Modules {
    model: ShaderModule,
    shadow: ShaderModule,
    pick: ShaderModule,
    lines: ShaderModule,
    outline: ShaderModule,
    bone_spheres: ShaderModule,
    sky_picture: ShaderModule,
}

/// What a pipeline is made of, apart from its bind groups.
struct Recipe<'a> {
    label: &'a str,
    module: &'a ShaderModule,
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

impl<'a> Recipe<'a> {
    /// A triangle over the whole target, without depth.
    fn of_screen(label: &'a str, module: &'a ShaderModule) -> Self {
        Self {
            label,
            module,
            vertex: "vs_main",
            fragment: Some("fs_main"),
            buffers: &[],
            constants: &[],
            target: None,
            blend: false,
            depth: None,
            cull: false,
            strip: false,
            samples: 1,
        }
    }

    /// What all passes have in common that draw models: where the vertices stand, and which are nearest.
    fn of_model(label: &'a str, module: &'a ShaderModule, variant: Variant) -> Self {
        const BUFFERS: &[Option<wgpu::VertexBufferLayout<'static>>] =
            &[Some(GpuVertex::LAYOUT), Some(GpuSkinVertex::LAYOUT)];
        Self {
            vertex: if variant.skinned { "vs_skinned" } else { "vs_static" },
            fragment: None,
            buffers: if variant.skinned { BUFFERS } else { &BUFFERS[..1] },
            depth: depth(CompareFunction::Greater, true),
            cull: !variant.double_sided,
            ..Self::of_screen(label, module)
        }
    }

    fn make(&self, device: &wgpu::Device, groups: &[&BindGroupLayout]) -> wgpu::RenderPipeline {
        let groups: Vec<_> = groups.iter().copied().map(Some).collect();
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(self.label),
            bind_group_layouts: &groups,
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
        library: &ShaderLibrary,
        quality: Quality,
        target: TextureFormat,
    ) -> Result<Self, GpuError> {
        let module = |name| library.module(device, name);
        let modules = Modules {
            model: module("model.wgsl")?,
            shadow: module("shadow.wgsl")?,
            pick: module("pick.wgsl")?,
            lines: module("lines.wgsl")?,
            outline: module("outline.wgsl")?,
            sky_picture: module("sky_picture.wgsl")?,
            bone_spheres: module("anim/bone_spheres.wgsl")?,
        };
        let (sky, tonemap) = (module("sky.wgsl")?, module("tonemap.wgsl")?);
        let compute = ComputePipelines::new(device, layouts, library)?;
        let maker = Maker { device: device.clone(), layouts: layouts.clone(), quality, target };
        Ok(Self {
            compute,
            bone_spheres: OnceLock::new(),
            sky: maker.sky(&sky),
            sky_picture: OnceLock::new(),
            tonemap: maker.tonemap(&tonemap),
            maker,
            modules,
            model: Default::default(),
            shadow: Default::default(),
            pick: Default::default(),
            tested: OnceLock::new(),
            behind: OnceLock::new(),
            on_top: OnceLock::new(),
            outline: OnceLock::new(),
        })
    }

    /// The pipeline that draws a picture as the sky.
    pub fn sky_picture(&self) -> &wgpu::RenderPipeline {
        self.sky_picture.get_or_init(|| self.maker.sky_picture(&self.modules.sky_picture))
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

    /// The pipeline that draws the line around silhouettes.
    pub fn outline(&self) -> &wgpu::RenderPipeline {
        self.outline.get_or_init(|| self.maker.outline(&self.modules.outline))
    }

    /// The device that they are for.
    pub fn device(&self) -> &wgpu::Device {
        &self.maker.device
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
    target: TextureFormat,
}

impl Maker {
    fn model(&self, module: &ShaderModule, variant: Variant) -> wgpu::RenderPipeline {
        let constants = [
            ("ALPHA_TEST", flag(variant.cutout)),
            ("NORMAL_MAP", flag(variant.mapped)),
            ("FINE_SHADOWS", flag(self.quality == Quality::Full)),
            ("SHOWN_TARGET", flag(self.quality.is_shown())),
        ];
        let of_model = Recipe {
            fragment: Some("fs_main"),
            constants: &constants,
            target: Some(self.quality.light_format()),
            samples: self.quality.samples(),
            ..Recipe::of_model("model", module, variant)
        };
        of_model.make(&self.device, &[&self.layouts.frame, &self.layouts.material, &self.layouts.mesh])
    }

    fn shadow(&self, module: &ShaderModule, variant: Variant) -> wgpu::RenderPipeline {
        let mut state = depth(CompareFunction::Less, true);
        if let Some(state) = &mut state {
            state.bias = wgpu::DepthBiasState { constant: 0, slope_scale: 1.6, clamp: 0.01 };
        }
        let of_model = Recipe {
            fragment: variant.cutout.then_some("fs_cutout"),
            depth: state,
            // People are closed; levels may be open from behind and still cast shadows.
            cull: variant.skinned && !variant.double_sided,
            ..Recipe::of_model("shadow", module, variant)
        };
        of_model.make(&self.device, &self.unlit())
    }

    fn pick(&self, module: &ShaderModule, variant: Variant) -> wgpu::RenderPipeline {
        let of_model = Recipe {
            fragment: Some("fs_main"),
            constants: &[("ALPHA_TEST", flag(variant.cutout))],
            target: Some(pick::FORMAT),
            ..Recipe::of_model("pick", module, variant)
        };
        of_model.make(&self.device, &self.unlit())
    }

    /// Groups of the passes that draw models without light.
    fn unlit(&self) -> [&BindGroupLayout; 3] {
        [&self.layouts.frame_unlit, &self.layouts.material, &self.layouts.mesh]
    }

    fn sky(&self, module: &ShaderModule) -> wgpu::RenderPipeline {
        self.dome("sky", module, &[&self.layouts.frame])
    }

    fn sky_picture(&self, module: &ShaderModule) -> wgpu::RenderPipeline {
        self.dome("sky picture", module, &[&self.layouts.frame, &self.layouts.tonemap])
    }

    /// What is drawn where nothing else is.
    fn dome(&self, label: &'static str, module: &ShaderModule, groups: &[&BindGroupLayout]) -> wgpu::RenderPipeline {
        let dome = Recipe {
            constants: &[("SHOWN_TARGET", flag(self.quality.is_shown()))],
            target: Some(self.quality.light_format()),
            depth: depth(CompareFunction::GreaterEqual, false),
            samples: self.quality.samples(),
            ..Recipe::of_screen(label, module)
        };
        dome.make(&self.device, groups)
    }

    fn overlays(&self, module: &ShaderModule, compare: CompareFunction, opacity: f64) -> OverlayPipelines {
        let make = |label, vertex, buffers: &[_], strip| {
            let overlay = Recipe {
                vertex,
                buffers,
                constants: &[
                    ("OPACITY", opacity),
                    ("WIDTH_PX", WIDTH_PX),
                    ("SHOWN_TARGET", flag(self.quality.is_shown())),
                ],
                target: Some(self.quality.light_format()),
                blend: true,
                depth: depth(compare, false),
                strip,
                samples: self.quality.samples(),
                ..Recipe::of_screen(label, module)
            };
            overlay.make(&self.device, &[&self.layouts.frame, &self.layouts.lines])
        };
        OverlayPipelines {
            lines: make("overlay lines", "vs_line", &[], true),
            spheres: make("overlay spheres", "vs_sphere", &[], true),
            triangles: make("overlay triangles", "vs_triangle", &[Some(GpuCorner::LAYOUT)], false),
        }
    }

    fn tonemap(&self, module: &ShaderModule) -> wgpu::RenderPipeline {
        let tonemap = Recipe {
            constants: &[
                ("ENCODE_SRGB", flag(!self.target.is_srgb())),
                ("SMOOTH_EDGES", flag(self.quality.samples() == 1)),
                ("SHOWN_TARGET", flag(self.quality.is_shown())),
            ],
            target: Some(self.target),
            ..Recipe::of_screen("tone mapping", module)
        };
        tonemap.make(&self.device, &[&self.layouts.tonemap])
    }

    fn outline(&self, module: &ShaderModule) -> wgpu::RenderPipeline {
        let several = self.quality.samples() > 1;
        let outline = Recipe {
            vertex: "vs_part",
            strip: true,
            fragment: Some(if several { "fs_samples" } else { "fs_one_sample" }),
            constants: &[("ENCODE_SRGB", flag(!self.target.is_srgb()))],
            target: Some(self.target),
            blend: true,
            ..Recipe::of_screen("outline", module)
        };
        outline.make(&self.device, &[if several { &self.layouts.outline_samples } else { &self.layouts.outline }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::GpuContext;

    #[test]
    fn every_pipeline_is_accepted_by_the_device() {
        let context = GpuContext::headless().unwrap();
        let layouts = Layouts::new(&context.device);
        for quality in [Quality::Full, Quality::Software] {
            let format = TextureFormat::Rgba8UnormSrgb;
            let pipelines =
                Pipelines::new(&context.device, &layouts, &ShaderLibrary::default(), quality, format).unwrap();
            for variant in Variant::all() {
                assert!(std::ptr::eq(pipelines.model(variant), pipelines.model(variant)));
                assert!(std::ptr::eq(pipelines.shadow(variant), pipelines.shadow(variant)));
                assert!(std::ptr::eq(pipelines.pick(variant), pipelines.pick(variant)));
            }
            assert!(std::ptr::eq(pipelines.outline(), pipelines.outline()));
            assert!(std::ptr::eq(pipelines.sky_picture(), pipelines.sky_picture()));
            let made = [Depth::Tested, Depth::Dimmed, Depth::OnTop].map(|depth| pipelines.overlay(depth).len());
            assert_eq!(made, [1, 2, 1]);
            assert_eq!(pipelines.model.iter().filter(|cell| cell.get().is_some()).count(), VARIANTS);
        }
        assert_eq!(context.take_errors(), Vec::<String>::new());
    }
}
