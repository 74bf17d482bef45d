// Bloom: the lit picture through a chain of halves and back (Jimenez 2014, "Next generation post processing in Call of
// Duty: Advanced Warfare"), and the exposure that is measured on the smallest.

#import "shared/screen.wgsl"

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var source_sampler: sampler;

// Whether this is the first halving: bright texels count less there, so that they do not sparkle.
override FIRST: bool = false;

// Light above this is cut off.
const BRIGHTEST: f32 = 12.0;

// Exponent of what is infinite or no number.
const EXPONENT: vec3<u32> = vec3<u32>(0x7f800000u);

// No light in place of what is no number: comparisons of such may give anything, so its bits are looked at.
fn finite(light: vec3<f32>) -> vec3<f32> {
    return select(light, vec3<f32>(0.0), (bitcast<vec3<u32>>(light) & EXPONENT) == EXPONENT);
}

fn light_at(uv: vec2<f32>) -> vec3<f32> {
    let light = finite(textureSampleLevel(source, source_sampler, uv, 0.0).rgb);
    return clamp(light, vec3<f32>(0.0), vec3<f32>(BRIGHTEST));
}

// Weight of a block of texels.
fn weight(light: vec3<f32>) -> f32 {
    if (FIRST) {
        return 1.0 / (1.0 + max(light.r, max(light.g, light.b)));
    }
    return 1.0;
}

// Thirteen samples as five overlapping blocks of four.
@fragment
fn fs_down(in: VertexOut) -> @location(0) vec4<f32> {
    let t = 1.0 / vec2<f32>(textureDimensions(source));
    let uv = in.uv;
    let middle = light_at(uv);
    let inner = array<vec3<f32>, 4>(
        light_at(uv + vec2<f32>(-1.0, -1.0) * t), light_at(uv + vec2<f32>(1.0, -1.0) * t),
        light_at(uv + vec2<f32>(-1.0, 1.0) * t), light_at(uv + vec2<f32>(1.0, 1.0) * t),
    );
    let left = light_at(uv + vec2<f32>(-2.0, 0.0) * t);
    let right = light_at(uv + vec2<f32>(2.0, 0.0) * t);
    let above = light_at(uv + vec2<f32>(0.0, -2.0) * t);
    let below = light_at(uv + vec2<f32>(0.0, 2.0) * t);
    let blocks = array<vec3<f32>, 5>(
        (inner[0] + inner[1] + inner[2] + inner[3]) * 0.25,
        (light_at(uv + vec2<f32>(-2.0, -2.0) * t) + above + left + middle) * 0.25,
        (light_at(uv + vec2<f32>(2.0, -2.0) * t) + above + right + middle) * 0.25,
        (light_at(uv + vec2<f32>(-2.0, 2.0) * t) + below + left + middle) * 0.25,
        (light_at(uv + vec2<f32>(2.0, 2.0) * t) + below + right + middle) * 0.25,
    );
    var sum = blocks[0] * (0.5 * weight(blocks[0]));
    var weights = 0.5 * weight(blocks[0]);
    sum += blocks[1] * (0.125 * weight(blocks[1]));
    sum += blocks[2] * (0.125 * weight(blocks[2]));
    sum += blocks[3] * (0.125 * weight(blocks[3]));
    sum += blocks[4] * (0.125 * weight(blocks[4]));
    weights += 0.125 * (weight(blocks[1]) + weight(blocks[2]) + weight(blocks[3]) + weight(blocks[4]));
    return vec4<f32>(sum / weights, 1.0);
}

// A tent of nine samples; the target mixes it with what it holds.
@fragment
fn fs_up(in: VertexOut) -> @location(0) vec4<f32> {
    let t = 1.0 / vec2<f32>(textureDimensions(source));
    var sum = vec3<f32>(0.0);
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let share = f32((2 - abs(x)) * (2 - abs(y))) / 16.0;
            sum += light_at(in.uv + vec2<f32>(f32(x), f32(y)) * t) * share;
        }
    }
    return vec4<f32>(sum, 1.0);
}

// Mean light at which the exposure is 1.
const MIDDLE: f32 = 0.42;
// How far the exposure follows the light: 1 would make all pictures equally bright.
const FOLLOWS: f32 = 0.25;
const EXPOSURE_RANGE: vec2<f32> = vec2<f32>(0.8, 1.5);

// The exposure that fits the light of the picture, from the last of its halves. The target is one texel that mixes it with the
// exposure before.
@fragment
fn fs_exposure(in: VertexOut) -> @location(0) vec4<f32> {
    var sum = 0.0;
    for (var y = 0; y < 4; y++) {
        for (var x = 0; x < 4; x++) {
            let uv = (vec2<f32>(f32(x), f32(y)) + 0.5) * 0.25;
            let light = finite(textureSampleLevel(source, source_sampler, uv, 0.0).rgb);
            sum += log2(max(dot(light, vec3<f32>(0.2126, 0.7152, 0.0722)), 1e-3));
        }
    }
    let exposure = pow(MIDDLE / exp2(sum / 16.0), FOLLOWS);
    return vec4<f32>(clamp(exposure, EXPOSURE_RANGE.x, EXPOSURE_RANGE.y), 0.0, 0.0, 1.0);
}
