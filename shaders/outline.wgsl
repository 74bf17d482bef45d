// Outlines around the silhouettes of some instances, whose ids were drawn into a target of their own. An outline lies
// outside of its instance and over instances behind it; occluded parts are faint.

#import "shared/types.wgsl"
#import "shared/screen.wgsl"

@group(0) @binding(0) var<uniform> outline: OutlineUniforms;
// Ids of the instances, with the outline kind in the top bits; 0 for none.
@group(0) @binding(1) var numbers: texture_2d<u32>;
// Their depth, and that of the scene: one of two bindings, by samples per pixel. 1 near, 0 far. Not declared as depth, of which OpenGL reads
// no texels.
@group(0) @binding(2) var own_depth: texture_2d<f32>;
@group(0) @binding(3) var scene_depth: texture_2d<f32>;
@group(0) @binding(4) var scene_samples: texture_multisampled_2d<f32>;
// Disjoint rectangles that contain the outlines: left, top, right, bottom, 0…1.
@group(0) @binding(5) var<storage, read> parts: array<vec4<f32>>;

// Bit position of the outline kind in an id.
const OUTLINE_SHIFT: u32 = 30u;
// Offsets of the silhouette search: a ring of eight texels, then one of twelve.
const LOOKS: u32 = 20u;
const INNER: u32 = 8u;
const OFFSETS = array<vec2<i32>, 20>(
    vec2<i32>(1, 0), vec2<i32>(-1, 0), vec2<i32>(0, 1), vec2<i32>(0, -1),
    vec2<i32>(1, 1), vec2<i32>(-1, 1), vec2<i32>(1, -1), vec2<i32>(-1, -1),
    vec2<i32>(2, 0), vec2<i32>(-2, 0), vec2<i32>(0, 2), vec2<i32>(0, -2),
    vec2<i32>(2, 1), vec2<i32>(2, -1), vec2<i32>(-2, 1), vec2<i32>(-2, -1),
    vec2<i32>(1, 2), vec2<i32>(-1, 2), vec2<i32>(1, -2), vec2<i32>(-1, -2),
);
// A straight edge hits three samples of the outer ring: fewer hits make a fainter pixel, which anti-aliases slanted
// outlines.
const OUTER_WEIGHT: f32 = 1.0 / 3.0;
// Depth tolerance of the occlusion test, as a fraction of the distance (perspective) and of the depth range
// (orthographic).
const NEARER: f32 = 0.02;
const NEARER_FLAT: f32 = 0.0005;

struct Found {
    // From 1; 0 for no outline.
    kind: u32,
    // The texel of the silhouette.
    at: vec2<i32>,
    // 0…1.
    strength: f32,
}

@vertex
fn vs_part(@builtin(vertex_index) corner: u32, @builtin(instance_index) index: u32) -> VertexOut {
    let part = parts[index];
    let uv = mix(part.xy, part.zw, vec2<f32>(f32(corner & 1u), f32(corner >> 1u)));
    return VertexOut(vec4<f32>(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}

// The id at a texel; undefined outside of the picture.
fn number_at(at: vec2<i32>) -> u32 {
    return textureLoad(numbers, at, 0).x;
}

// Whether any of eight neighbours has another id than the pixel: an early out for nearly all pixels.
fn is_near_edge(at: vec2<i32>, own: u32, stride: i32) -> bool {
    let s = 2 * stride;
    let straight = (number_at(at + vec2<i32>(s, 0)) ^ own) | (number_at(at - vec2<i32>(s, 0)) ^ own)
        | (number_at(at + vec2<i32>(0, s)) ^ own) | (number_at(at - vec2<i32>(0, s)) ^ own);
    let slanted = (number_at(at + vec2<i32>(s, s)) ^ own) | (number_at(at - vec2<i32>(s, s)) ^ own)
        | (number_at(at + vec2<i32>(s, -s)) ^ own) | (number_at(at - vec2<i32>(s, -s)) ^ own);
    return (straight | slanted) != 0u;
}

// The nearest silhouette that the pixel does not occlude.
fn found(uv: vec2<f32>) -> Found {
    let size = vec2<i32>(textureDimensions(numbers));
    let at = min(vec2<i32>(uv * vec2<f32>(size)), size - 1);
    let own = number_at(at);
    let stride = max(i32(outline.look.x), 1);
    var out = Found(0u, at, 0.0);
    if (!is_near_edge(at, own, stride)) {
        return out;
    }
    var offsets = OFFSETS;
    for (var i = 0u; i < LOOKS; i++) {
        let there = clamp(at + offsets[i] * stride, vec2<i32>(0), size - 1);
        let number = number_at(there);
        if (number == 0u || number == own) {
            continue;
        }
        if (own != 0u && textureLoad(own_depth, there, 0).x <= textureLoad(own_depth, at, 0).x) {
            continue;
        }
        if (out.kind == 0u) {
            out.kind = number >> OUTLINE_SHIFT;
            out.at = there;
        }
        out.strength += select(OUTER_WEIGHT, 1.0, i < INNER);
    }
    out.strength = min(out.strength, 1.0);
    return out;
}

// The same, and no pixel where there is none.
fn found_or_none(uv: vec2<f32>) -> Found {
    let out = found(uv);
    if (out.kind == 0u) {
        discard;
    }
    return out;
}

fn colored(found: Found, scene: f32) -> vec4<f32> {
    let own = textureLoad(own_depth, found.at, 0).x;
    let perspective = outline.look.z > 0.0;
    let hidden = scene > own + select(NEARER_FLAT, own * NEARER, perspective);
    var color = outline.colors[clamp(found.kind, 1u, 3u) - 1u];
    color.a *= found.strength * select(1.0, outline.look.y, hidden);
    return vec4<f32>(to_screen(color.rgb), color.a);
}

@fragment
fn fs_one_sample(in: VertexOut) -> @location(0) vec4<f32> {
    let found = found_or_none(in.uv);
    return colored(found, textureLoad(scene_depth, found.at, 0).x);
}

@fragment
fn fs_samples(in: VertexOut) -> @location(0) vec4<f32> {
    let found = found_or_none(in.uv);
    return colored(found, textureLoad(scene_samples, found.at, 0).x);
}
