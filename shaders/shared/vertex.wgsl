// Vertex transformation: morph targets, skinning, placement.

#import "shared/frame.wgsl"
#import "shared/placement.wgsl"

@group(2) @binding(0) var<uniform> mesh: MeshUniforms;
@group(2) @binding(1) var<storage, read> morphs: array<MorphDelta>;

struct VertexIn {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec4<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) color: vec4<f32>,
}

struct SkinIn {
    @location(4) joints: vec4<u32>,
    @location(5) weights: vec4<f32>,
}

struct Placed {
    position: vec3<f32>,
    normal: vec3<f32>,
}

fn blended(first: u32, joints: vec4<u32>, weights: vec4<f32>) -> Affine {
    let w = weights / max(weights.x + weights.y + weights.z + weights.w, 1e-6);
    let a = skin[first + joints.x];
    var out = Affine(a.row_0 * w.x, a.row_1 * w.x, a.row_2 * w.x);
    if (w.y > 0.0) {
        let b = skin[first + joints.y];
        out = Affine(out.row_0 + b.row_0 * w.y, out.row_1 + b.row_1 * w.y, out.row_2 + b.row_2 * w.y);
    }
    if (w.z > 0.0) {
        let c = skin[first + joints.z];
        let d = skin[first + joints.w];
        out = Affine(
            out.row_0 + c.row_0 * w.z + d.row_0 * w.w,
            out.row_1 + c.row_1 * w.z + d.row_1 * w.w,
            out.row_2 + c.row_2 * w.z + d.row_2 * w.w,
        );
    }
    return out;
}

fn byte_of(word: u32, number: u32) -> u32 {
    return (word >> ((number & 3u) * 8u)) & 255u;
}

// Adds a morph target of the mesh.
fn add_morph(shape: Placed, vertex: u32, target_number: u32, weight: f32) -> Placed {
    let delta = morphs[target_number * mesh.vertex_count + vertex - mesh.first_vertex];
    return Placed(shape.position + delta.position.xyz * weight, shape.normal + delta.normal.xyz * weight);
}

// A vertex with its morph targets applied, in mesh space.
fn morphed(v: VertexIn, vertex: u32, instance: InstanceData) -> Placed {
    var out = Placed(v.position, v.normal.xyz);
    let face = unpack4x8unorm(instance.face);
    let morph_limit = min(mesh.morph_count, MAX_MORPHS);
    for (var i = 0u; i < morph_limit; i++) {
        let weight = face[i];
        if (weight != 0.0) {
            out = add_morph(out, vertex, i, weight);
        }
    }
    if (mesh.morph_count == 0u || (instance.named_weights.x | instance.named_weights.y) == 0u) {
        return out;
    }
    for (var i = 0u; i < MAX_NAMED_MORPHS; i++) {
        let weight = byte_of(instance.named_weights[i >> 2u], i);
        let named = byte_of(instance.named_targets[i >> 2u], i);
        let own = byte_of(mesh.own_targets[named >> 4u][(named >> 2u) & 3u], named);
        if (weight > 0u && own < mesh.morph_count) {
            out = add_morph(out, vertex, own, f32(weight) / 255.0);
        }
    }
    return out;
}

// A vertex of a skinned mesh in model space.
fn skinned(v: VertexIn, s: SkinIn, vertex: u32, instance: InstanceData) -> Placed {
    let shape = morphed(v, vertex, instance);
    let position = shape.position;
    let normal = shape.normal;
    let m = blended(instance.first_skin, s.joints, s.weights);
    let p = vec4<f32>(position, 1.0);
    return Placed(
        vec3<f32>(dot(m.row_0, p), dot(m.row_1, p), dot(m.row_2, p)),
        vec3<f32>(dot(m.row_0.xyz, normal), dot(m.row_1.xyz, normal), dot(m.row_2.xyz, normal)),
    );
}
