// Shadow maps: depth as seen from the sun.

#import "shared/vertex.wgsl"

@group(1) @binding(0) var<uniform> material: MaterialUniforms;
@group(1) @binding(1) var base_color_map: texture_2d<f32>;
@group(1) @binding(3) var surface_sampler: sampler;

// Bit position of the cascade in an entry of the visible list.
const CASCADE_SHIFT: u32 = 30u;
const INSTANCE_MASK: u32 = 0x3fffffffu;

struct VertexOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

fn seen_from_sun(position: vec3<f32>, uv: vec2<f32>, instance: InstanceData, cascade: u32) -> VertexOut {
    let place = relative_place(instance, position);
    let at = frame.shadow_from_relative[min(cascade, MAX_CASCADES - 1u)] * vec4<f32>(place, 1.0);
    // From texture space to clip space.
    return VertexOut(vec4<f32>(at.x * 2.0 - 1.0, 1.0 - at.y * 2.0, at.z, 1.0), uv);
}

@vertex
fn vs_static(
    v: VertexIn, @builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32,
) -> VertexOut {
    let entry = visible[index];
    let instance = instances[entry & INSTANCE_MASK];
    return seen_from_sun(morphed(v, vertex, instance).position, v.uv, instance, entry >> CASCADE_SHIFT);
}

@vertex
fn vs_skinned(
    v: VertexIn, s: SkinIn, @builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32,
) -> VertexOut {
    let entry = visible[index];
    let instance = instances[entry & INSTANCE_MASK];
    let m = blended(instance.first_skin, s.joints, s.weights);
    let p = vec4<f32>(morphed(v, vertex, instance).position, 1.0);
    return seen_from_sun(vec3<f32>(dot(m.row_0, p), dot(m.row_1, p), dot(m.row_2, p)), v.uv, instance, entry >> CASCADE_SHIFT);
}

@fragment
fn fs_cutout(in: VertexOut) {
    let alpha = textureSample(base_color_map, surface_sampler, in.uv).a * material.base_color.a;
    if (alpha < material.emissive.w) {
        discard;
    }
}
