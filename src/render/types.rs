//! Structures shared with the shaders: defined once here and once in `shaders/shared/types.wgsl`, with the same names.

use crate::anim::fabrik::MAX_CHAIN;
use crate::anim::inertialization::NodeOffset;
use crate::anim::layer::LayerKind;
use crate::collide::bone_spheres::SphereBone;
use bytemuck::{Pod, Zeroable};
use glam::Mat4;

/// Morph targets per instance that are shown by their number.
pub const MAX_MORPHS: u32 = 4;
/// Pose overrides per instance.
pub const MAX_OVERRIDES: u32 = 16;
/// No pose override.
pub const NO_OVERRIDE: u32 = u32::MAX;
/// No offsets of a transition.
pub const NO_OFFSETS: u32 = u32::MAX;
/// No parent node.
pub const NO_PARENT: u32 = u32::MAX;
/// Shadow cascades.
pub const MAX_CASCADES: usize = 3;
/// Lamps that light a frame.
pub const MAX_LAMPS: usize = 64;
/// Cells along each side of the lamp grid.
pub const LAMP_GRID_CELLS: usize = 32;
/// Lamps in a cell of the lamp grid.
pub const LAMPS_PER_CELL: usize = 8;
/// Vectors of the lamp grid: eight bytes a cell.
pub const LAMP_GRID_VECTORS: usize = LAMP_GRID_CELLS * LAMP_GRID_CELLS / 2;
/// Kinds of outlines.
pub const OUTLINE_KINDS: usize = 3;
/// Bit position of the outline kind in an instance's id: from 1; 0 for none.
pub const OUTLINE_SHIFT: u32 = 30;
/// Invocations per workgroup of the sampling shader.
pub const SAMPLE_WORKGROUP: u32 = 64;
/// Invocations per workgroup of the pose shaders.
pub const POSE_WORKGROUP: u32 = 64;
/// Invocations per workgroup of the leg shader.
pub const LEG_WORKGROUP: u32 = 64;

/// Memory layout of a structure.
#[derive(Clone, Debug)]
pub struct StructLayout {
    /// Its name.
    pub name: &'static str,
    /// Its size in bytes.
    pub size: usize,
    /// Its fields by name, with their offsets in bytes.
    pub fields: Vec<(&'static str, usize)>,
}

macro_rules! pods {
    ($($(#[$meta:meta])* $name:ident { $($field:ident: $ty:ty,)+ })+) => {
        $(
            $(#[$meta])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
            #[allow(missing_docs, reason = "the fields are documented in shaders/shared/types.wgsl")]
            pub struct $name { $(pub $field: $ty,)+ }
        )+

        /// Memory layout of each structure, for comparison with the shaders.
        pub fn layouts() -> Vec<StructLayout> {
            vec![$(StructLayout {
                name: stringify!($name),
                size: size_of::<$name>(),
                fields: vec![$((stringify!($field), std::mem::offset_of!($name, $field)),)+],
            },)+]
        }
    };
}

pods! {
    /// Uniforms of a frame, shared by all passes.
    FrameUniforms {
        clip_from_relative: [[f32; 4]; 4],
        relative_from_clip: [[f32; 4]; 4],
        shadow_from_relative: [[[f32; 4]; 4]; MAX_CASCADES],
        sun_direction: [f32; 4],
        sun_color: [f32; 4],
        ambient_sky: [f32; 4],
        ambient_ground: [f32; 4],
        shadow_texel: [f32; 4],
        size_px: [f32; 4],
        view_direction: [f32; 4],
        fog: [f32; 4],
        overlay_bias: [f32; 4],
        lamp_grid_place: [f32; 4],
        lamps: [LampData; MAX_LAMPS],
        lamp_grid: [[u32; 4]; LAMP_GRID_VECTORS],
    }
    /// A lamp.
    LampData {
        place: [f32; 4],
        color: [f32; 4],
    }
    /// One instance to draw.
    InstanceData {
        position: [f32; 3],
        scale: f32,
        rotation: [f32; 4],
        pick: u32,
        first_skin: u32,
        tint: u32,
        face: u32,
        named_targets: [u32; 2],
        named_weights: [u32; 2],
    }
    /// Appearance of the outlines.
    OutlineUniforms {
        colors: [[f32; 4]; OUTLINE_KINDS],
        look: [f32; 4],
    }
    /// Material parameters.
    MaterialUniforms {
        base_color: [f32; 4],
        emissive: [f32; 4],
        surface: [f32; 4],
    }
    /// Uniforms of a mesh.
    MeshUniforms {
        vertex_count: u32,
        morph_count: u32,
        first_vertex: u32,
        pad_0: u32,
        own_targets: [[u32; 4]; 16],
    }
    /// Difference of a morph target to a vertex.
    MorphDelta {
        position: [f32; 4],
        normal: [f32; 4],
    }
    /// Upper three rows of an affine matrix.
    Affine {
        row_0: [f32; 4],
        row_1: [f32; 4],
        row_2: [f32; 4],
    }
    /// A local transform.
    LocalTransform {
        translation: [f32; 4],
        rotation: [f32; 4],
        scale: [f32; 4],
    }
    /// A node of a skeleton.
    NodeData {
        rest: LocalTransform,
        parent: u32,
        pad_0: u32,
        pad_1: u32,
        pad_2: u32,
    }
    /// The keys of one property of one node in one clip.
    KeyRange {
        first: u32,
        count: u32,
    }
    /// A joint.
    JointData {
        node_from_mesh: Affine,
        node: u32,
        pad_0: u32,
        pad_1: u32,
        pad_2: u32,
    }
    /// The pose of one instance.
    PoseJob {
        clips: [u32; 4],
        times_secs: [f32; 4],
        weights: [f32; 4],
        head_clips: [u32; 2],
        head_times_secs: [f32; 2],
        layer_clips: [u32; 4],
        layer_times_secs: [f32; 4],
        layer_weights: [f32; 4],
        layer_first_nodes: [u32; 4],
        layer_end_nodes: [u32; 4],
        first_skin: u32,
        first_override: u32,
        override_count: u32,
        override_layers: u32,
        first_offset: u32,
        pad_0: u32,
        pad_1: u32,
        pad_2: u32,
    }
    /// A pose override of one node.
    PoseOverrideData {
        rotation: [f32; 4],
        translation: [f32; 4],
        node: u32,
        pad_0: u32,
        pad_1: u32,
        pad_2: u32,
    }
    /// A leg to be solved.
    LegJob {
        joints: [[f32; 4]; MAX_CHAIN],
        rotations: [[f32; 4]; MAX_CHAIN],
        parent: [f32; 4],
        goal: [f32; 4],
        turn: [f32; 4],
        lift: [f32; 4],
        toes_rest: [f32; 4],
        ahead: [f32; 4],
        joint_count: u32,
        iterations: u32,
        first_override: u32,
        toes_override: u32,
    }
    /// The pose jobs of one model.
    PoseBatch {
        node_count: u32,
        joint_count: u32,
        clip_count: u32,
        first_job: u32,
        job_count: u32,
        first_node: u32,
        pad_0: u32,
        pad_1: u32,
    }
    /// A line of an overlay.
    LineData {
        start: [f32; 3],
        style: u32,
        end: [f32; 3],
        spacing: f32,
        color: [f32; 4],
    }
    /// Parameters of the bounding sphere of one bone.
    BoneSphereData {
        adjust: [f32; 4],
        node: u32,
        parent: u32,
        pad_0: u32,
        pad_1: u32,
    }
    /// The bounding spheres of one character.
    SphereJob {
        instance: u32,
        first_node: u32,
        first_bone: u32,
        bone_count: u32,
        first_sphere: u32,
        touches: u32,
        pad_0: u32,
        pad_1: u32,
    }
    /// A sphere to draw.
    SphereData {
        sphere: [f32; 4],
        color: [f32; 4],
    }
}

impl From<&SphereBone> for BoneSphereData {
    fn from(bone: &SphereBone) -> Self {
        Self {
            adjust: bone.offset.extend(bone.factor).to_array(),
            node: bone.node,
            parent: bone.parent.unwrap_or(NO_PARENT),
            pad_0: 0,
            pad_1: 0,
        }
    }
}

impl From<&Mat4> for Affine {
    fn from(m: &Mat4) -> Self {
        Self { row_0: m.row(0).to_array(), row_1: m.row(1).to_array(), row_2: m.row(2).to_array() }
    }
}

impl PoseJob {
    /// The pose of a playback with a half-open range of `overrides`.
    pub fn new(playback: &crate::anim::Playback, first_skin: u32, overrides: [u32; 2]) -> Self {
        let number = |x: f32| if x.is_finite() { x } else { 0.0 };
        let weight = |x: f32| number(x).clamp(0.0, 1.0);
        let p = playback;
        let four = [p.clips[0], p.clips[1], p.from.clips[0], p.from.clips[1]];
        Self {
            clips: four.map(|c| c.clip.0),
            times_secs: four.map(|c| number(c.time_secs)),
            weights: [weight(p.weight), weight(p.from.weight), weight(p.from_weight), 0.0],
            head_clips: p.head.map(|c| c.clip.0),
            head_times_secs: p.head.map(|c| number(c.time_secs)),
            layer_clips: p.layers.map(|l| l.clip.0),
            layer_times_secs: p.layers.map(|l| number(l.time_secs)),
            layer_weights: p.layers.map(|l| weight(l.weight)),
            layer_first_nodes: p.layers.map(|l| l.nodes[0]),
            layer_end_nodes: p.layers.map(|l| l.nodes[1]),
            first_skin,
            first_override: overrides[0],
            override_count: overrides[1].saturating_sub(overrides[0]).min(MAX_OVERRIDES),
            override_layers: (0..)
                .zip(&p.layers)
                .filter(|(_, l)| l.kind == LayerKind::Override)
                .fold(0, |bits, (i, _)| bits | 1 << i),
            first_offset: NO_OFFSETS,
            pad_0: 0,
            pad_1: 0,
            pad_2: 0,
        }
    }

    /// The pose with offsets of all nodes on top of its clips, which begin there among the overrides.
    pub fn with_offsets(self, first_offset: u32) -> Self {
        Self { first_offset, ..self }
    }
}

impl From<&crate::anim::sample::PoseOverride> for PoseOverrideData {
    fn from(change: &crate::anim::sample::PoseOverride) -> Self {
        Self {
            rotation: change.rotation.to_array(),
            translation: change.translation.extend(0.0).to_array(),
            node: change.node,
            pad_0: 0,
            pad_1: 0,
            pad_2: 0,
        }
    }
}

impl From<NodeOffset> for PoseOverrideData {
    fn from(offset: NodeOffset) -> Self {
        let NodeOffset { rotation, translation } = offset;
        Self::from(&crate::anim::sample::PoseOverride { node: 0, rotation, translation })
    }
}

impl From<&crate::math::Trs> for LocalTransform {
    fn from(trs: &crate::math::Trs) -> Self {
        Self {
            translation: trs.translation.extend(0.0).to_array(),
            rotation: trs.rotation.to_array(),
            scale: trs.scale.extend(0.0).to_array(),
        }
    }
}

impl Affine {
    /// The full matrix.
    pub fn to_mat4(&self) -> Mat4 {
        Mat4::from_cols_array_2d(&[self.row_0, self.row_1, self.row_2, [0.0, 0.0, 0.0, 1.0]]).transpose()
    }
}

/// A vertex of the first vertex buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct GpuVertex {
    /// Position.
    pub position: [f32; 3],
    /// Normal as signed normalised integers; the last is 0.
    pub normal: [i16; 4],
    /// Texture coordinates.
    pub uv: [f32; 2],
    /// Colour.
    pub color: [u8; 4],
}

/// Skinning weights of a vertex, of the second vertex buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct GpuSkinVertex {
    /// Indices into the joints of the model.
    pub joints: [u16; 4],
    /// Weights as normalised integers.
    pub weights: [u16; 4],
}

/// A corner of an overlay triangle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct GpuCorner {
    /// Position relative to the eye, along the axes of world space.
    pub position: [f32; 3],
    /// Linear RGBA, straight alpha.
    pub color: [f32; 4],
}

/// A grain of dust.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct GrainData {
    /// Middle relative to the eye, along the axes of world space.
    pub place: [f32; 3],
    /// Metres.
    pub radius: f32,
    /// Opacity of its middle, 0…1.
    pub opacity: f32,
}

/// Gives vertices the layout of their buffer: one for each vertex, or one for all corners of an instance.
macro_rules! vertex_layouts {
    ($($vertex:ty, $step:ident, [$($attribute:tt)*];)*) => {$(
        impl $vertex {
            /// Layout of its vertex buffer.
            pub const LAYOUT: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
                array_stride: size_of::<Self>() as u64,
                step_mode: wgpu::VertexStepMode::$step,
                attributes: &wgpu::vertex_attr_array![$($attribute)*],
            };
        }
    )*};
}

vertex_layouts! {
    GpuVertex, Vertex, [0 => Float32x3, 1 => Snorm16x4, 2 => Float32x2, 3 => Unorm8x4];
    GpuSkinVertex, Vertex, [4 => Uint16x4, 5 => Unorm16x4];
    GpuCorner, Vertex, [0 => Float32x3, 1 => Float32x4];
    GrainData, Instance, [0 => Float32x3, 1 => Float32, 2 => Float32];
}
