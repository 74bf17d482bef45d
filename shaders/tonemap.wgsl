// From linear light to what a screen shows.

#import "shared/tone.wgsl"
#import "shared/screen.wgsl"

@group(0) @binding(0) var light: texture_2d<f32>;
@group(0) @binding(1) var light_sampler: sampler;

// Of pictures that are graded: share of the ambient light, bloom, and the exposure.
@group(0) @binding(2) var occlusion: texture_2d<f32>;
@group(0) @binding(3) var bloom: texture_2d<f32>;
@group(0) @binding(4) var exposure: texture_2d<f32>;

// Share of bloom in the picture.
const BLOOM: f32 = 0.06;

// Whether edges are smoothed here, for pictures drawn with one sample per pixel and SHOWN_TARGET.
override SMOOTH_EDGES: bool = false;

// The square root of what the screen shows, linear: near to how bright it looks, so that edges are told by it.
fn shown(uv: vec2<f32>) -> vec3<f32> {
    let texel = textureSampleLevel(light, light_sampler, uv, 0.0).rgb;
    if (SHOWN_TARGET) {
        return texel;
    }
    return sqrt(tone_mapped(texel));
}

// Blurs along edges: the short form of fast approximate anti-aliasing (Lottes 2009), which tells them by the means of
// the four texels at each corner of the pixel; green stands for brightness there.
fn smoothed(uv: vec2<f32>) -> vec3<f32> {
    let size = textureDimensions(light);
    let px = 1.0 / vec2<f32>(size);
    let last = vec2<i32>(size) - 1;
    let at = vec2<i32>(uv * vec2<f32>(size));
    // Each gather yields, from x to w: lower left, lower right, upper right, upper left.
    let upper = textureGather(1, light, light_sampler, uv - 0.5 * px);
    let lower = textureGather(1, light, light_sampler, uv + 0.5 * px);
    let right = textureLoad(light, clamp(at + vec2<i32>(1, -1), vec2<i32>(0), last), 0).g;
    let left = textureLoad(light, clamp(at + vec2<i32>(-1, 1), vec2<i32>(0), last), 0).g;
    let m = upper.y;
    let nw = (upper.x + upper.y + upper.z + upper.w) * 0.25;
    let se = (lower.x + lower.y + lower.z + lower.w) * 0.25;
    let ne = (upper.z + right + m + lower.z) * 0.25;
    let sw = (upper.x + m + left + lower.x) * 0.25;
    let middle = shown(uv);
    let low = min(m, min(min(nw, ne), min(sw, se)));
    let high = max(m, max(max(nw, ne), max(sw, se)));
    if (high - low < max(0.04, high * 0.10)) {
        return middle;
    }
    var along = vec2<f32>(-((nw + ne) - (sw + se)), (nw + sw) - (ne + se));
    let least = min(abs(along.x), abs(along.y)) + max((nw + ne + sw + se) * 0.03125, 0.0078125);
    along = clamp(along / least, vec2<f32>(-8.0), vec2<f32>(8.0)) * px;
    let near = 0.5 * (shown(uv - along / 6.0) + shown(uv + along / 6.0));
    let wide = near * 0.5 + 0.25 * (shown(uv - along * 0.5) + shown(uv + along * 0.5));
    let b = wide.g;
    return select(wide, near, b < low || b > high);
}

// The picture with ambient occlusion, bloom and exposure. What is lit brightly by the sun or a lamp is occluded less, for
// the lit picture does not tell its ambient light apart.
@fragment
fn fs_graded(in: VertexOut) -> @location(0) vec4<f32> {
    let own = textureSampleLevel(light, light_sampler, in.uv, 0.0).rgb;
    let open = textureSampleLevel(occlusion, light_sampler, in.uv, 0.0).x;
    let direct = clamp(dot(own, vec3<f32>(0.2126, 0.7152, 0.0722)) * 0.5, 0.0, 0.7);
    let halo = textureSampleLevel(bloom, light_sampler, in.uv, 0.0).rgb;
    let graded = mix(own * mix(open, 1.0, direct), halo, BLOOM) * textureLoad(exposure, vec2<i32>(0), 0).x;
    return vec4<f32>(to_screen(tone_mapped(graded)), 1.0);
}

@fragment
fn fs_main(in: VertexOut) -> @location(0) vec4<f32> {
    var color: vec3<f32>;
    if (SMOOTH_EDGES) {
        color = smoothed(in.uv);
    } else {
        color = shown(in.uv);
    }
    color *= color;
    return vec4<f32>(to_screen(color), 1.0);
}
