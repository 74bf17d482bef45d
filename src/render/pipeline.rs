//! Building blocks of the passes' pipelines. Pipelines of models, overlays and outlines are created when something is
//! first drawn with them, because many drivers take long to compile them.

use super::layouts::Layouts;
use super::quality::Quality;
use super::targets::DEPTH_FORMAT;
use super::types::{GpuSkinVertex, GpuVertex};
use std::sync::OnceLock;
use wgpu::{BindGroupLayout, CompareFunction, Face, ShaderModule, TextureFormat};

/// What all pipelines are created with.
#[derive(Clone, Debug)]
pub struct PipelineContext {
    /// Creates them.
    pub device: wgpu::Device,
    /// Bind group layouts.
    pub layouts: Layouts,
    /// Formats and sample counts.
    pub quality: Quality,
    /// Format of the target that the finished picture is written to.
    pub target_format: TextureFormat,
    /// Whether a depth bias may have a largest value.
    pub clamps_bias: bool,
}

/// How the alpha of a mesh is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlphaDrawing {
    /// Not at all.
    Opaque,
    /// Texels below the cutoff are discarded.
    Tested,
    /// Blended with what is behind it.
    Blended,
}

/// A permutation of the model shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelVariant {
    /// Skinned by joints.
    pub skinned: bool,
    /// Back faces are drawn.
    pub double_sided: bool,
    /// With textures beside that of the colour: normals, surface, emission.
    pub mapped: bool,
    /// How alpha is drawn.
    pub alpha: AlphaDrawing,
}

/// Number of [`ModelVariant`]s.
const VARIANT_COUNT: usize = 24;

impl ModelVariant {
    fn index(self) -> usize {
        let bits = [self.skinned, self.double_sided, self.mapped];
        bits.iter().rev().fold(self.alpha as usize, |index, &bit| index << 1 | usize::from(bit))
    }

    /// All variants.
    pub fn all() -> impl Iterator<Item = Self> {
        const ALPHA: [AlphaDrawing; 3] = [AlphaDrawing::Opaque, AlphaDrawing::Tested, AlphaDrawing::Blended];
        (0..VARIANT_COUNT).map(|i| Self {
            skinned: i & 1 != 0,
            double_sided: i & 2 != 0,
            mapped: i & 4 != 0,
            alpha: ALPHA[i >> 3],
        })
    }
}

/// The pipelines of one pass for all model variants, each created on first use.
#[derive(Debug)]
pub struct VariantPipelines {
    context: PipelineContext,
    module: ShaderModule,
    create: fn(&PipelineContext, &ShaderModule, ModelVariant) -> wgpu::RenderPipeline,
    /// Whether textures beside that of the colour count. Variants that differ in these alone share a pipeline otherwise: fewer
    /// are compiled, and fewer bound.
    reads_maps: bool,
    cells: [OnceLock<wgpu::RenderPipeline>; VARIANT_COUNT],
}

impl VariantPipelines {
    /// No pipeline yet; `create` makes one.
    pub fn new(
        context: &PipelineContext,
        module: &ShaderModule,
        create: fn(&PipelineContext, &ShaderModule, ModelVariant) -> wgpu::RenderPipeline,
    ) -> Self {
        Self { context: context.clone(), module: module.clone(), create, reads_maps: true, cells: Default::default() }
    }

    /// The same for shaders that read no texture beside that of the colour.
    pub fn without_maps(self) -> Self {
        Self { reads_maps: false, ..self }
    }

    /// The pipeline of a variant.
    pub fn get(&self, variant: ModelVariant) -> &wgpu::RenderPipeline {
        let variant = ModelVariant { mapped: variant.mapped && self.reads_maps, ..variant };
        self.cells[variant.index()].get_or_init(|| (self.create)(&self.context, &self.module, variant))
    }
}

/// Description of a render pipeline.
pub struct PipelineSpec<'a> {
    /// Name in tools and messages.
    pub label: &'a str,
    /// Shader.
    pub module: &'a ShaderModule,
    /// Vertex entry point.
    pub vertex: &'a str,
    /// Fragment entry point; depth only without.
    pub fragment: Option<&'a str>,
    /// Vertex buffers.
    pub buffers: &'a [Option<wgpu::VertexBufferLayout<'static>>],
    /// Pipeline-overridable constants.
    pub constants: &'a [(&'a str, f64)],
    /// Format of the colour target, if there is one.
    pub target: Option<TextureFormat>,
    /// Blend state of the colour target.
    pub blend: Option<wgpu::BlendState>,
    /// Depth test.
    pub depth: Option<wgpu::DepthStencilState>,
    /// Culled faces.
    pub cull_mode: Option<Face>,
    /// Topology.
    pub topology: wgpu::PrimitiveTopology,
    /// Samples per pixel.
    pub samples: u32,
}

impl<'a> PipelineSpec<'a> {
    /// A full-screen triangle without depth.
    pub fn full_screen(label: &'a str, module: &'a ShaderModule) -> Self {
        Self {
            label,
            module,
            vertex: "vs_main",
            fragment: Some("fs_main"),
            buffers: &[],
            constants: &[],
            target: None,
            blend: None,
            depth: None,
            cull_mode: None,
            topology: wgpu::PrimitiveTopology::TriangleList,
            samples: 1,
        }
    }

    /// What all passes that draw models have in common: vertex input, depth test and culling.
    pub fn model(label: &'a str, module: &'a ShaderModule, variant: ModelVariant) -> Self {
        const BUFFERS: &[Option<wgpu::VertexBufferLayout<'static>>] =
            &[Some(GpuVertex::LAYOUT), Some(GpuSkinVertex::LAYOUT)];
        Self {
            vertex: if variant.skinned { "vs_skinned" } else { "vs_static" },
            fragment: None,
            buffers: if variant.skinned { BUFFERS } else { &BUFFERS[..1] },
            depth: depth_state(CompareFunction::Greater, DepthWrite::On),
            cull_mode: (!variant.double_sided).then_some(Face::Back),
            ..Self::full_screen(label, module)
        }
    }

    /// Creates the pipeline with these bind group layouts.
    pub fn create(&self, device: &wgpu::Device, groups: &[&BindGroupLayout]) -> wgpu::RenderPipeline {
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
            blend: self.blend,
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
                topology: self.topology,
                cull_mode: self.cull_mode,
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

/// Whether a pipeline writes depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthWrite {
    /// Writes it.
    On,
    /// Only tests it.
    Off,
}

/// Depth state of a pipeline.
pub fn depth_state(compare: CompareFunction, write: DepthWrite) -> Option<wgpu::DepthStencilState> {
    Some(wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(write == DepthWrite::On),
        depth_compare: Some(compare),
        stencil: Default::default(),
        bias: Default::default(),
    })
}

/// A boolean as the value of a pipeline-overridable constant.
pub fn flag(on: bool) -> f64 {
    f64::from(u8::from(on))
}
