//! Bind group layouts, by rate of change: 0 frame, 1 material or pass, 2 mesh.

use wgpu::{BindGroupLayout, BindGroupLayoutEntry, BindingType, BufferBindingType, ShaderStages};

/// All bind group layouts of the renderer.
#[derive(Clone, Debug)]
pub struct Layouts {
    /// Frame uniforms, instances, visible list, skin matrices, shadow map.
    pub frame: BindGroupLayout,
    /// The same without the shadow map, for the pass that draws it.
    pub frame_unlit: BindGroupLayout,
    /// Material uniforms, base colour, normal map, sampler, surface and emission.
    pub material: BindGroupLayout,
    /// Mesh uniforms and morph deltas.
    pub mesh: BindGroupLayout,
    /// Lines or spheres of an overlay.
    pub lines: BindGroupLayout,
    /// The lit picture and its sampler.
    pub tonemap: BindGroupLayout,
    /// The lit picture and its sampler, ambient occlusion, bloom and exposure.
    pub graded: BindGroupLayout,
    /// Depth of a multisampled scene.
    pub depth_samples: BindGroupLayout,
    /// Outline uniforms, ids, their depth, depth of the scene, and the rectangles to search.
    pub outline: BindGroupLayout,
    /// The same for a multisampled scene.
    pub outline_samples: BindGroupLayout,
    /// Nodes and keys of a model, for sampling.
    pub clips: BindGroupLayout,
    /// Legs to be solved, and pose overrides.
    pub legs: BindGroupLayout,
    /// Jobs, local transforms and pose overrides, for sampling.
    pub sampling: BindGroupLayout,
    /// Nodes and joints of a model, for forward kinematics.
    pub skeleton: BindGroupLayout,
    /// Jobs, local transforms, node and skin matrices, for forward kinematics.
    pub posing: BindGroupLayout,
    /// Jobs, bones, node matrices, instances and spheres, for the bounding spheres of bones.
    pub spheres: BindGroupLayout,
}

const DRAW: ShaderStages = ShaderStages::VERTEX_FRAGMENT;
const COMPUTE: ShaderStages = ShaderStages::COMPUTE;

fn entry(binding: u32, visibility: ShaderStages, ty: BindingType) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

fn buffer(binding: u32, visibility: ShaderStages, ty: BufferBindingType) -> BindGroupLayoutEntry {
    entry(binding, visibility, BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None })
}

fn uniform(binding: u32, visibility: ShaderStages) -> BindGroupLayoutEntry {
    buffer(binding, visibility, BufferBindingType::Uniform)
}

fn read(binding: u32, visibility: ShaderStages) -> BindGroupLayoutEntry {
    buffer(binding, visibility, BufferBindingType::Storage { read_only: true })
}

fn write(binding: u32) -> BindGroupLayoutEntry {
    buffer(binding, COMPUTE, BufferBindingType::Storage { read_only: false })
}

fn texture(binding: u32, sample_type: wgpu::TextureSampleType, array: bool) -> BindGroupLayoutEntry {
    let view_dimension = if array { wgpu::TextureViewDimension::D2Array } else { wgpu::TextureViewDimension::D2 };
    entry(binding, ShaderStages::FRAGMENT, BindingType::Texture { sample_type, view_dimension, multisampled: false })
}

fn sampler(binding: u32, ty: wgpu::SamplerBindingType) -> BindGroupLayoutEntry {
    entry(binding, ShaderStages::FRAGMENT, BindingType::Sampler(ty))
}

impl Layouts {
    /// Creates all layouts.
    pub fn new(device: &wgpu::Device) -> Self {
        let make = |label, entries: &[BindGroupLayoutEntry]| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
        };
        let color = wgpu::TextureSampleType::Float { filterable: true };
        let filtering = wgpu::SamplerBindingType::Filtering;
        let vertex = ShaderStages::VERTEX;
        let frame = [uniform(0, DRAW), read(1, vertex), read(2, vertex), read(3, vertex)];
        // Read texel by texel.
        let depth = wgpu::TextureSampleType::Float { filterable: false };
        let numbers = texture(1, wgpu::TextureSampleType::Uint, false);
        let numbered = [uniform(0, ShaderStages::FRAGMENT), numbers, texture(2, depth, false), read(5, vertex)];
        let mut samples = texture(4, depth, false);
        if let BindingType::Texture { multisampled, .. } = &mut samples.ty {
            *multisampled = true;
        }
        let lit = [
            texture(4, wgpu::TextureSampleType::Depth, true),
            sampler(5, wgpu::SamplerBindingType::Comparison),
            texture(6, depth, true),
        ];
        Self {
            frame: make("frame", &[frame.as_slice(), &lit].concat()),
            frame_unlit: make("frame without shadows", &frame),
            material: make(
                "material",
                &[
                    uniform(0, ShaderStages::FRAGMENT),
                    texture(1, color, false),
                    texture(2, color, false),
                    sampler(3, filtering),
                    texture(4, color, false),
                    texture(5, color, false),
                ],
            ),
            mesh: make("mesh", &[uniform(0, vertex), read(1, vertex)]),
            lines: make("lines", &[read(0, vertex)]),
            tonemap: make("tone mapping", &[texture(0, color, false), sampler(1, filtering)]),
            graded: make(
                "graded picture",
                &[
                    texture(0, color, false),
                    sampler(1, filtering),
                    texture(2, color, false),
                    texture(3, color, false),
                    texture(4, color, false),
                ],
            ),
            depth_samples: make("depth of the samples", &[BindGroupLayoutEntry { binding: 0, ..samples }]),
            outline: make("outline", &[numbered.as_slice(), &[texture(3, depth, false)]].concat()),
            outline_samples: make("outline of samples", &[numbered.as_slice(), &[samples]].concat()),
            clips: make("clips", &[read(0, COMPUTE), read(1, COMPUTE), read(2, COMPUTE), read(3, COMPUTE)]),
            legs: make("legs", &[read(0, COMPUTE), write(1)]),
            sampling: make("sampling", &[uniform(0, COMPUTE), read(1, COMPUTE), write(2), read(3, COMPUTE)]),
            skeleton: make("skeleton", &[read(0, COMPUTE), read(4, COMPUTE)]),
            posing: make("posing", &[uniform(0, COMPUTE), read(1, COMPUTE), read(2, COMPUTE), write(3), write(4)]),
            spheres: make(
                "spheres",
                &[read(0, COMPUTE), read(1, COMPUTE), read(2, COMPUTE), read(3, COMPUTE), write(4)],
            ),
        }
    }
}

/// A bind group of whole buffers by binding.
pub fn bind_buffers(
    device: &wgpu::Device,
    label: &str,
    layout: &BindGroupLayout,
    buffers: &[(u32, &wgpu::Buffer)],
) -> wgpu::BindGroup {
    let entries: Vec<_> = buffers
        .iter()
        .map(|(binding, buffer)| wgpu::BindGroupEntry { binding: *binding, resource: buffer.as_entire_binding() })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries: &entries })
}
