// Structures shared with the program: each stands once here and once in src/render/types.rs, and a test compares them.

// What all passes of a frame know. World space is right-handed with Y up, in metres; depth is reversed (1 near, 0 far).
struct FrameUniforms {
    clip_from_world: mat4x4<f32>,
    world_from_clip: mat4x4<f32>,
    // Texture space of the shadow map (x, y and depth in 0…1) from world space, per cascade.
    shadow_from_world: array<mat4x4<f32>, 3>,
    // xyz: eye; w: 1 in perspective, 0 in orthogonal projection.
    eye: vec4<f32>,
    // xyz: unit direction to the sun; w: daylight, 0 night … 1 day.
    sun_direction: vec4<f32>,
    // rgb: linear radiance of the sun; w: 1 when the sky is drawn.
    sun_color: vec4<f32>,
    // rgb: linear ambient light from above; w: unused.
    ambient_sky: vec4<f32>,
    // rgb: linear ambient light from below; w: unused.
    ambient_ground: vec4<f32>,
    // xyz: width of a shadow texel in metres per cascade; w: number of cascades.
    shadow_texel: vec4<f32>,
    // xy: size of the picture in pixels; zw: its inverse.
    size_px: vec4<f32>,
    // xyz: unit view direction; w: unused.
    view_direction: vec4<f32>,
    // rgb: linear colour in which fog is shown; w: its density per metre.
    fog: vec4<f32>,
    // Overlay depth: x: factor, y: summand; zw unused.
    overlay_bias: vec4<f32>,
}

// One thing to draw.
struct InstanceData {
    world_from_model: mat4x4<f32>,
    // Linear rgb laid over its colour by the alpha.
    tint: vec4<f32>,
    // Weights of the first MAX_MORPHS morph targets.
    face: vec4<f32>,
    // Its number, with the kind of the line around it in the top two bits.
    pick: u32,
    // Index of its first matrix in the skin buffer.
    first_skin: u32,
    pad_0: u32,
    pad_1: u32,
}

// How lines around silhouettes look.
struct OutlineUniforms {
    // Linear rgba by kind, from 1.
    colors: array<vec4<f32>, 3>,
    // x: texels from one look for a silhouette to the next; y: opacity of what is hidden; z: 1 in perspective; w: unused.
    look: vec4<f32>,
}

// How a surface looks.
struct MaterialUniforms {
    // Linear rgba.
    base_color: vec4<f32>,
    // rgb: linear light given off; w: alpha cutoff.
    emissive: vec4<f32>,
    // x: metallic; y: roughness; z: unused; w: 1 when double-sided.
    surface: vec4<f32>,
}

// What the vertex shader knows about a mesh.
struct MeshUniforms {
    vertex_count: u32,
    morph_count: u32,
    pad_0: u32,
    pad_1: u32,
}

// Difference that a morph target makes to a vertex.
struct MorphDelta {
    position: vec4<f32>,
    normal: vec4<f32>,
}

// Upper three rows of an affine matrix.
struct Affine {
    row_0: vec4<f32>,
    row_1: vec4<f32>,
    row_2: vec4<f32>,
}

// A local transform: scale, then rotation, then translation.
struct LocalTransform {
    translation: vec4<f32>,
    rotation: vec4<f32>,
    scale: vec4<f32>,
}

// A node of a skeleton.
struct NodeData {
    rest: LocalTransform,
    // NO_PARENT for a root; else smaller than the node's own index.
    parent: u32,
    pad_0: u32,
    pad_1: u32,
    pad_2: u32,
}

// Where the keys of one property of one node in one clip lie.
struct KeyRange {
    first: u32,
    count: u32,
}

// A joint: the node, and node space from mesh space.
struct JointData {
    node_from_mesh: Affine,
    node: u32,
    pad_0: u32,
    pad_1: u32,
    pad_2: u32,
}

// The pose of one instance.
struct PoseJob {
    // Two clips, and two that are being left.
    clips: vec4<u32>,
    times_secs: vec4<f32>,
    // x: weight of the second clip; y: of the second of those that are left; z: of those that are left; w: unused.
    weights: vec4<f32>,
    // Turn to the side and tilt; at time 0 they add nothing.
    head_clips: vec2<u32>,
    head_times_secs: vec2<f32>,
    // Where its skin matrices go.
    first_skin: u32,
    // Changes to its nodes, at most MAX_OVERRIDES.
    first_override: u32,
    override_count: u32,
    pad_0: u32,
}

// A change to the pose of a node.
struct PoseOverrideData {
    // Put behind the local rotation.
    rotation: vec4<f32>,
    // xyz: added to the local translation; w: 0.
    translation: vec4<f32>,
    node: u32,
    pad_0: u32,
    pad_1: u32,
    pad_2: u32,
}

// The poses of all instances of one model.
struct PoseBatch {
    node_count: u32,
    joint_count: u32,
    clip_count: u32,
    first_job: u32,
    job_count: u32,
    // Where the nodes of the first job lie in the buffers of locals and model matrices.
    first_node: u32,
    pad_0: u32,
    pad_1: u32,
}

// A line of an overlay.
struct LineData {
    // xyz: world space; w: unused.
    start: vec4<f32>,
    // xyz: world space; w: unused.
    end: vec4<f32>,
    // Linear rgba, straight alpha.
    color: vec4<f32>,
}

// What the bounding sphere of a node is made from.
struct BoneSphereData {
    // xyz: added to the node's place along the world's axes, metres at scale 1; w: part of the bone's half length.
    adjust: vec4<f32>,
    node: u32,
    // NO_PARENT for a root.
    parent: u32,
    pad_0: u32,
    pad_1: u32,
}

// The bounding spheres of one character.
struct SphereJob {
    // Index of its place in the instances.
    instance: u32,
    // Where its nodes lie in the buffer of model matrices.
    first_node: u32,
    first_bone: u32,
    bone_count: u32,
    // Where its spheres go.
    first_sphere: u32,
    // 1 when it touches somebody.
    touches: u32,
    pad_0: u32,
    pad_1: u32,
}

// A sphere of an overlay.
struct SphereData {
    // xyz: centre in world space; w: radius in metres, 0 for none.
    sphere: vec4<f32>,
    // Linear rgba, straight alpha.
    color: vec4<f32>,
}

const NO_PARENT: u32 = 0xffffffffu;
const MAX_MORPHS: u32 = 4u;
const MAX_OVERRIDES: u32 = 16u;
const MAX_CASCADES: u32 = 3u;
