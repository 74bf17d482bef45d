// A line around the silhouettes of some instances, whose numbers were drawn into a target of their own. It lies outside of
// them, and over whoever stands behind another one of them; where walls hide them it is faint.

#import "shared/types.wgsl"
#import "shared/screen.wgsl"

@group(0) @binding(0) var<uniform> outline: OutlineUniforms;
// Numbers of the instances, with the kind of their line in the top bits; 0 for nothing.
@group(0) @binding(1) var numbers: texture_2d<u32>;
// Their depth, and that of everything: one of the two, by the samples per pixel. 1 near, 0 far.
@group(0) @binding(2) var own_depth: texture_depth_2d;
@group(0) @binding(3) var scene_depth: texture_depth_2d;
@group(0) @binding(4) var scene_samples: texture_depth_multisampled_2d;
// Parts of the picture that may hold lines and do not overlap: left, top, right, bottom, 0…1.
@group(0) @binding(5) var<storage, read> parts: array<vec4<f32>>;

// Bit from which on a number names the kind of its line.
const OUTLINE_SHIFT: u32 = 30u;
// Where is looked for silhouettes: eight texels around, then twelve around those.
const LOOKS: u32 = 20u;
const INNER: u32 = 8u;
const OFFSETS = array<vec2<i32>, 20>(
    vec2<i32>(1, 0), vec2<i32>(-1, 0), vec2<i32>(0, 1), vec2<i32>(0, -1),
    vec2<i32>(1, 1), vec2<i32>(-1, 1), vec2<i32>(1, -1), vec2<i32>(-1, -1),
    vec2<i32>(2, 0), vec2<i32>(-2, 0), vec2<i32>(0, 2), vec2<i32>(0, -2),
    vec2<i32>(2, 1), vec2<i32>(2, -1), vec2<i32>(-2, 1), vec2<i32>(-2, -1),
    vec2<i32>(1, 2), vec2<i32>(-1, 2), vec2<i32>(1, -2), vec2<i32>(-1, -2),
);
// A straight edge is met by three looks of the outer ring: fewer of them make a fainter pixel, so that slanted lines are
// smooth.
const OUTER_WEIGHT: f32 = 1.0 / 3.0;
// How much nearer than a silhouette something must be that hides it, as a part of the distance (perspective) and of the
// range of depth (orthogonal).
const NEARER: f32 = 0.02;
const NEARER_FLAT: f32 = 0.0005;

struct Found {
    // From 1; 0 for no line.
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

// The number at a texel; anything where there is none.
fn number_at(at: vec2<i32>) -> u32 {
    return textureLoad(numbers, at, 0).x;
}

// Whether there is another number than a pixel's own in eight directions: nearly everywhere there is none, and no more is
// to be done.
fn is_near_edge(at: vec2<i32>, own: u32, stride: i32) -> bool {
    let s = 2 * stride;
    let straight = (number_at(at + vec2<i32>(s, 0)) ^ own) | (number_at(at - vec2<i32>(s, 0)) ^ own)
        | (number_at(at + vec2<i32>(0, s)) ^ own) | (number_at(at - vec2<i32>(0, s)) ^ own);
    let slanted = (number_at(at + vec2<i32>(s, s)) ^ own) | (number_at(at - vec2<i32>(s, s)) ^ own)
        | (number_at(at + vec2<i32>(s, -s)) ^ own) | (number_at(at - vec2<i32>(s, -s)) ^ own);
    return (straight | slanted) != 0u;
}

// The silhouette nearest to a pixel that does not hide it.
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
        if (own != 0u && textureLoad(own_depth, there, 0) <= textureLoad(own_depth, at, 0)) {
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
    let own = textureLoad(own_depth, found.at, 0);
    let perspective = outline.look.z > 0.0;
    let hidden = scene > own + select(NEARER_FLAT, own * NEARER, perspective);
    var color = outline.colors[clamp(found.kind, 1u, 3u) - 1u];
    color.a *= found.strength * select(1.0, outline.look.y, hidden);
    return vec4<f32>(to_screen(color.rgb), color.a);
}

@fragment
fn fs_one_sample(in: VertexOut) -> @location(0) vec4<f32> {
    let found = found_or_none(in.uv);
    return colored(found, textureLoad(scene_depth, found.at, 0));
}

@fragment
fn fs_samples(in: VertexOut) -> @location(0) vec4<f32> {
    let found = found_or_none(in.uv);
    return colored(found, textureLoad(scene_samples, found.at, 0));
}
