// Lit models: levels, props and characters.

#import "shared/vertex.wgsl"
#import "shared/light.wgsl"
#import "shared/tone.wgsl"

@group(1) @binding(0) var<uniform> material: MaterialUniforms;
@group(1) @binding(1) var base_color_map: texture_2d<f32>;
@group(1) @binding(2) var normal_map: texture_2d<f32>;
@group(1) @binding(3) var surface_sampler: sampler;
// Green multiplies the roughness, blue the metallic.
@group(1) @binding(4) var surface_map: texture_2d<f32>;
@group(1) @binding(5) var emission_map: texture_2d<f32>;

// Whether texels below the cutoff are discarded.
override ALPHA_TEST: bool = false;
// Whether what is drawn is blended with what is behind it.
override BLENDED: bool = false;
// Whether there are textures beside that of the colour.
override MAPPED: bool = true;

// Light from behind a lit window.
const WINDOW_GLOW: vec3<f32> = vec3<f32>(0.95, 0.52, 0.17);
// How much brighter than by day what shines of itself is by night.
const LIT_LAMP: f32 = 5.0;

struct VertexOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) color: vec4<f32>,
    @location(4) @interpolate(flat) tint: vec4<f32>,
    @location(5) @interpolate(flat) handed: f32,
}

fn placed_out(v: VertexIn, p: Placed, instance: InstanceData) -> VertexOut {
    let place = relative_place(instance, p.position);
    let handed = handedness(instance);
    var out: VertexOut;
    out.clip = frame.clip_from_relative * vec4<f32>(place, 1.0);
    out.position = place;
    // Mirrored models keep their outside.
    out.normal = turned_by(instance.rotation, p.normal) * handed;
    out.uv = v.uv;
    out.color = v.color;
    out.tint = unpack4x8unorm(instance.tint);
    out.handed = handed;
    return out;
}

@vertex
fn vs_static(
    v: VertexIn, @builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32,
) -> VertexOut {
    let instance = instances[visible[index]];
    return placed_out(v, morphed(v, vertex, instance), instance);
}

@vertex
fn vs_skinned(
    v: VertexIn, s: SkinIn, @builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32,
) -> VertexOut {
    let instance = instances[visible[index]];
    return placed_out(v, skinned(v, s, vertex, instance), instance);
}

// The normal map's normal, in a tangent frame from screen-space derivatives (Mikkelsen 2010, "Bump mapping
// unparametrized surfaces on the GPU").
fn mapped_normal(normal: vec3<f32>, position: vec3<f32>, uv: vec2<f32>) -> vec3<f32> {
    let texel = textureSample(normal_map, surface_sampler, uv).xyz * 2.0 - 1.0;
    let dp_x = dpdx(position);
    let dp_y = dpdy(position);
    let duv_x = dpdx(uv);
    let duv_y = dpdy(uv);
    let across_y = cross(dp_y, normal);
    let across_x = cross(normal, dp_x);
    let tangent = across_y * duv_x.x + across_x * duv_y.x;
    let bitangent = across_y * duv_x.y + across_x * duv_y.y;
    let longest = max(dot(tangent, tangent), dot(bitangent, bitangent));
    if (longest < 1e-20) {
        return normal;
    }
    // The screen's y points down: towards the viewer the determinant is negative, and both vectors point the other way.
    let scale = select(-1.0, 1.0, dot(dp_x, across_y) > 0.0) * inverseSqrt(longest);
    return normalize(tangent * scale * texel.x - bitangent * scale * texel.y + normal * texel.z);
}

@fragment
fn fs_main(in: VertexOut, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    shaded_pixel = in.clip.xy;
    let texel = textureSample(base_color_map, surface_sampler, in.uv);
    let base = texel * material.base_color;
    // Vertex colours hold tint and baked occlusion: dark ones reduce the ambient light.
    let color = base.rgb * in.color.rgb;
    // Where normals of opposite faces meet, nothing is left of them.
    let length_squared = dot(in.normal, in.normal);
    var geometric = select(vec3<f32>(0.0, 1.0, 0.0), in.normal * inverseSqrt(max(length_squared, 1e-30)), length_squared > 1e-30);
    var normal = geometric;
    var metallic = material.surface.x;
    var roughness = material.surface.y;
    var emission = material.emissive.rgb;
    // Before texels are discarded: derivatives need all of a block of four.
    if (MAPPED) {
        normal = mapped_normal(normal, in.position, in.uv);
        let surface = textureSample(surface_map, surface_sampler, in.uv);
        metallic *= surface.b;
        roughness *= surface.g;
        emission *= textureSample(emission_map, surface_sampler, in.uv).rgb;
    }
    if (ALPHA_TEST && base.a < material.emissive.w) {
        discard;
    }
    if (material.surface.w > 0.5 && front != (in.handed > 0.0)) {
        normal = -normal;
        geometric = -geometric;
    }
    // The eye is the origin.
    let toward = in.position;
    let view = select(-frame.view_direction.xyz, normalize(-toward), frame.view_direction.w > 0.5);
    let albedo = mix(color, in.tint.rgb, in.tint.a);
    var light = shaded(albedo, metallic, roughness, normal, geometric, view, in.position);
    // Lamps shine brighter when they are lit.
    light += emission * (1.0 + LIT_LAMP * frame.ambient_ground.w) + in.tint.rgb * in.tint.a * 0.25;
    if (material.surface.z > 0.5) {
        // The glass of lit windows is dark in the texture, frame and bars are light.
        let glass = 1.0 - smoothstep(0.2, 0.45, max(texel.r, max(texel.g, texel.b)));
        light += WINDOW_GLOW * (glass * in.color.a * frame.ambient_ground.w);
    }
    return vec4<f32>(light_to_target(fogged(light, toward)), select(1.0, base.a, BLENDED));
}
