// From linear light to what a screen shows.

#import "shared/tone.wgsl"

@group(0) @binding(0) var light: texture_2d<f32>;
@group(0) @binding(1) var light_sampler: sampler;

// Whether the target does not encode sRGB by itself.
override ENCODE_SRGB: bool = true;
// Whether edges are smoothed here, for pictures drawn with one sample per pixel.
override SMOOTH_EDGES: bool = false;

struct VertexOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn vs_main(@builtin(vertex_index) index: u32) -> VertexOut {
    let uv = vec2<f32>(f32(index & 1u) * 2.0, f32(index >> 1u) * 2.0);
    return VertexOut(vec4<f32>(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}

fn mapped(uv: vec2<f32>) -> vec3<f32> {
    return tone_mapped(textureSampleLevel(light, light_sampler, uv, 0.0).rgb);
}

fn brightness(color: vec3<f32>) -> f32 {
    return sqrt(dot(color, vec3<f32>(0.299, 0.587, 0.114)));
}

// Blurs along edges: the short form of fast approximate anti-aliasing (Lottes 2009).
fn smoothed(uv: vec2<f32>) -> vec3<f32> {
    let px = 1.0 / vec2<f32>(textureDimensions(light));
    let middle = mapped(uv);
    let m = brightness(middle);
    let nw = brightness(mapped(uv + vec2<f32>(-0.5, -0.5) * px));
    let ne = brightness(mapped(uv + vec2<f32>(0.5, -0.5) * px));
    let sw = brightness(mapped(uv + vec2<f32>(-0.5, 0.5) * px));
    let se = brightness(mapped(uv + vec2<f32>(0.5, 0.5) * px));
    let low = min(m, min(min(nw, ne), min(sw, se)));
    let high = max(m, max(max(nw, ne), max(sw, se)));
    if (high - low < max(0.04, high * 0.10)) {
        return middle;
    }
    var along = vec2<f32>(-((nw + ne) - (sw + se)), (nw + sw) - (ne + se));
    let least = min(abs(along.x), abs(along.y)) + max((nw + ne + sw + se) * 0.03125, 0.0078125);
    along = clamp(along / least, vec2<f32>(-8.0), vec2<f32>(8.0)) * px;
    let near = 0.5 * (mapped(uv - along / 6.0) + mapped(uv + along / 6.0));
    let wide = near * 0.5 + 0.25 * (mapped(uv - along * 0.5) + mapped(uv + along * 0.5));
    let b = brightness(wide);
    return select(wide, near, b < low || b > high);
}

fn encoded(color: vec3<f32>) -> vec3<f32> {
    let low = color * 12.92;
    let high = 1.055 * pow(max(color, vec3<f32>(0.0)), vec3<f32>(1.0 / 2.4)) - 0.055;
    return select(high, low, color <= vec3<f32>(0.0031308));
}

@fragment
fn fs_main(in: VertexOut) -> @location(0) vec4<f32> {
    var color = mapped(in.uv);
    if (SMOOTH_EDGES) {
        color = smoothed(in.uv);
    }
    if (ENCODE_SRGB) {
        color = encoded(color);
    }
    return vec4<f32>(color, 1.0);
}
