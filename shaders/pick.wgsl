// The id of the nearest instance at each pixel; 0 for the level and the background.

#import "shared/vertex.wgsl"

@group(1) @binding(0) var<uniform> material: MaterialUniforms;
@group(1) @binding(1) var base_color_map: texture_2d<f32>;
@group(1) @binding(3) var surface_sampler: sampler;

// Whether texels below the cutoff are discarded.
override ALPHA_TEST: bool = false;
// Whether the material is blended: all of it that is seen counts.
override BLENDED: bool = false;

const MIN_SEEN_ALPHA: f32 = 0.05;

struct VertexOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
    @location(1) @interpolate(flat) number: u32,
}

fn numbered(position: vec3<f32>, uv: vec2<f32>, instance: InstanceData) -> VertexOut {
    let place = relative_place(instance, position);
    return VertexOut(frame.clip_from_relative * vec4<f32>(place, 1.0), uv, instance.pick);
}

@vertex
fn vs_static(
    v: VertexIn, @builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32,
) -> VertexOut {
    let instance = instances[visible[index]];
    return numbered(morphed(v, vertex, instance).position, v.uv, instance);
}

@vertex
fn vs_skinned(
    v: VertexIn, s: SkinIn, @builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32,
) -> VertexOut {
    let instance = instances[visible[index]];
    return numbered(skinned(v, s, vertex, instance).position, v.uv, instance);
}

@fragment
fn fs_main(in: VertexOut) -> @location(0) u32 {
    let alpha = textureSample(base_color_map, surface_sampler, in.uv).a * material.base_color.a;
    if (ALPHA_TEST && alpha < select(material.emissive.w, MIN_SEEN_ALPHA, BLENDED)) {
        discard;
    }
    return in.number;
}
