// Structures shared with the program: defined once here and once in src/render/types.rs; a test compares them.

// Uniforms of a frame, shared by all passes. Depth is reversed (1 near, 0 far). All places are relative to the eye: along the axes of
// world space (right-handed, Y up, metres), with the eye as origin. They are as precise far from the world's origin as near it.
struct FrameUniforms {
    clip_from_relative: mat4x4<f32>,
    relative_from_clip: mat4x4<f32>,
    // Texture space of the shadow map (x, y and depth in 0…1) from places relative to the eye, per cascade.
    shadow_from_relative: array<mat4x4<f32>, 3>,
    // xyz: unit direction to the sun; w: daylight, 0 night … 1 day.
    sun_direction: vec4<f32>,
    // rgb: linear radiance of the sun; w: 1 when the sky is drawn.
    sun_color: vec4<f32>,
    // rgb: linear ambient light from above; w: unused.
    ambient_sky: vec4<f32>,
    // rgb: linear ambient light from below; w: how much of the night's light is on, 0 by day … 1.
    ambient_ground: vec4<f32>,
    // xyz: width of a shadow texel in metres per cascade; w: number of cascades.
    shadow_texel: vec4<f32>,
    // xy: size of the picture in pixels; zw: its inverse.
    size_px: vec4<f32>,
    // xyz: unit view direction; w: 1 in perspective, 0 in orthogonal projection.
    view_direction: vec4<f32>,
    // rgb: linear colour in which fog is shown; w: its density per metre.
    fog: vec4<f32>,
    // Overlay depth: x: factor, y: summand; zw unused.
    overlay_bias: vec4<f32>,
    // Plan view of the lamp grid: xy: its corner of least x and z; z: cells per metre; w: lamps per cell that are used, 0 by day.
    lamp_grid_place: vec4<f32>,
    lamps: array<LampData, 64>,
    // Per cell, row by row along x, eight indices of lamps in bytes of two words, the nearest first; 255 for none. Two cells to a vector.
    lamp_grid: array<vec4<u32>, 512>,
}

// A lamp.
struct LampData {
    // xyz: relative to the eye; w: 1 over the square of the distance at which nothing is left of its light.
    place: vec4<f32>,
    // rgb: linear radiance at a metre's distance; w: unused.
    color: vec4<f32>,
}

// One instance to draw.
struct InstanceData {
    // Relative to the eye.
    position: vec3<f32>,
    // Along all axes; below 0 where it mirrors.
    scale: f32,
    // A unit quaternion.
    rotation: vec4<f32>,
    // Its id, with the outline kind in the top two bits.
    pick: u32,
    // Index of its first matrix in the skin buffer.
    first_skin: u32,
    // Linear rgb, blended over its colour by the alpha; all in 255ths, red in the lowest byte.
    tint: u32,
    // Weights of the first MAX_MORPHS morph targets, likewise.
    face: u32,
    // Numbers of the morph targets that are shown by name, four to a word, and their weights in 255ths.
    named_targets: vec2<u32>,
    named_weights: vec2<u32>,
}

// Appearance of the outlines.
struct OutlineUniforms {
    // Linear rgba by kind, from 1.
    colors: array<vec4<f32>, 3>,
    // x: texels between the rings of the silhouette search; y: opacity of occluded parts; z: 1 in perspective; w: unused.
    look: vec4<f32>,
}

// Material parameters (metallic-roughness).
struct MaterialUniforms {
    // Linear rgba.
    base_color: vec4<f32>,
    // rgb: linear emission; w: alpha cutoff.
    emissive: vec4<f32>,
    // x: metallic; y: roughness; z: 1 for windows; w: 1 when double-sided.
    surface: vec4<f32>,
}

// Uniforms of a mesh.
struct MeshUniforms {
    vertex_count: u32,
    morph_count: u32,
    // Number of its first vertex in buffers that it shares with other meshes.
    first_vertex: u32,
    pad_0: u32,
    // Per morph target of the model the number of the mesh's own one, four to a word; 255 where it has none.
    own_targets: array<vec4<u32>, 16>,
}

// Difference of a morph target to a vertex.
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

// The keys of one property of one node in one clip.
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
    // Two current clips, and two that fade out.
    clips: vec4<u32>,
    times_secs: vec4<f32>,
    // x: weight of the second current clip; y: of the second that fades out; z: of the fading blend; w: unused.
    weights: vec4<f32>,
    // Head yaw and pitch; at time 0 they add nothing.
    head_clips: vec2<u32>,
    head_times_secs: vec2<f32>,
    // Layers over all of it; one of weight 0 is none.
    layer_clips: vec4<u32>,
    layer_times_secs: vec4<f32>,
    layer_weights: vec4<f32>,
    // Half-open ranges of the nodes that they change.
    layer_first_nodes: vec4<u32>,
    layer_end_nodes: vec4<u32>,
    // Index of its first skin matrix.
    first_skin: u32,
    // Its pose overrides, at most MAX_OVERRIDES.
    first_override: u32,
    override_count: u32,
    // A bit for each layer that takes the place of the pose; the others are additive.
    override_layers: u32,
    // Its node offsets among the overrides, one per node: what is left of a transition; NO_OFFSETS for none.
    first_offset: u32,
    pad_0: u32,
    pad_1: u32,
    pad_2: u32,
}

// A pose override of one node.
struct PoseOverrideData {
    // Multiplied onto the local rotation from the right.
    rotation: vec4<f32>,
    // xyz: added to the local translation; w: 0.
    translation: vec4<f32>,
    node: u32,
    pad_0: u32,
    pad_1: u32,
    pad_2: u32,
}

// A leg to be solved, in any one space.
struct LegJob {
    // xyz: positions of the joints, hip to foot.
    joints: array<vec4<f32>, 5>,
    // Their rotations (quaternions).
    rotations: array<vec4<f32>, 5>,
    // Rotation of the node that carries the hip.
    parent: vec4<f32>,
    // xyz: where the last joint shall be.
    goal: vec4<f32>,
    // Rotation on top of the foot's.
    turn: vec4<f32>,
    // Rotation on top of `turn` that lifts the heel.
    lift: vec4<f32>,
    // Rotation of the toes relative to the foot at rest.
    toes_rest: vec4<f32>,
    // xyz: where knees bend to.
    ahead: vec4<f32>,
    // 2 to 5; 0 does nothing.
    joint_count: u32,
    iterations: u32,
    // Index of the pose override of the hip; those of the other joints follow.
    first_override: u32,
    // That of the toes, or NO_OVERRIDE.
    toes_override: u32,
}

// The pose jobs of one model.
struct PoseBatch {
    node_count: u32,
    joint_count: u32,
    clip_count: u32,
    first_job: u32,
    job_count: u32,
    // Index of the first job's nodes in the buffers of local transforms and node matrices.
    first_node: u32,
    pad_0: u32,
    pad_1: u32,
}

// A line of an overlay.
struct LineData {
    // Relative to the eye.
    start: vec3<f32>,
    // In sixteenths of a pixel: the width in the lower half, in the upper half, signed, how far it lies to the left.
    style: u32,
    // Relative to the eye.
    end: vec3<f32>,
    // Of a line of a horizontal grid: distance to its neighbours in metres; else 0.
    spacing: f32,
    // Linear rgba, straight alpha.
    color: vec4<f32>,
}

// Parameters of the bounding sphere of one bone.
struct BoneSphereData {
    // xyz: offset along the world's axes, metres at scale 1; w: radius as a multiple of the bone's half length.
    adjust: vec4<f32>,
    node: u32,
    // NO_PARENT for a root.
    parent: u32,
    pad_0: u32,
    pad_1: u32,
}

// The bounding spheres of one character.
struct SphereJob {
    // Index of its instance.
    instance: u32,
    // Index of its first node matrix.
    first_node: u32,
    first_bone: u32,
    bone_count: u32,
    // Index of its first sphere.
    first_sphere: u32,
    // 1 when it touches another character.
    touches: u32,
    pad_0: u32,
    pad_1: u32,
}

// A sphere to draw.
struct SphereData {
    // xyz: centre, relative to the eye; w: radius in metres, 0 for none.
    sphere: vec4<f32>,
    // Linear rgba, straight alpha.
    color: vec4<f32>,
}

const NO_PARENT: u32 = 0xffffffffu;
const NO_OVERRIDE: u32 = 0xffffffffu;
const NO_OFFSETS: u32 = 0xffffffffu;
const MAX_MORPHS: u32 = 4u;
const MAX_NAMED_MORPHS: u32 = 8u;
const MAX_OVERRIDES: u32 = 16u;
const MAX_CASCADES: u32 = 3u;
const MAX_LAMPS: u32 = 64u;
const LAMP_GRID_CELLS: u32 = 32u;
const LAMPS_PER_CELL: u32 = 8u;
