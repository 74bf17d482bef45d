// The tone curve and its inverse: the filmic fit of Narkowicz (2016) to the ACES reference, per channel.

// Whether the drawing passes write the square root of what the screen shows, which eight bits can hold, in place of
// light: then edges are smoothed and blended without mapping each texel again.
override SHOWN_TARGET: bool = false;

const EXPOSURE: f32 = 0.62;
// Brightest light that is kept, the largest number of 16 bits: the curve has no value for infinity.
const MAX_LIGHT: f32 = 65504.0;

fn tone_mapped(light: vec3<f32>) -> vec3<f32> {
    let x = max(light, vec3<f32>(0.0)) * EXPOSURE;
    return clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), vec3<f32>(0.0), vec3<f32>(1.0));
}

// The light that the curve shows as `color`.
fn light_shown_as(color: vec3<f32>) -> vec3<f32> {
    let y = clamp(color, vec3<f32>(0.0), vec3<f32>(0.97));
    let a = 2.51 - 2.43 * y;
    let b = 0.59 * y - 0.03;
    return (b + sqrt(b * b + 0.56 * y * a)) / (2.0 * a) / EXPOSURE;
}

// What a drawing pass writes for light that reaches the eye.
fn light_to_target(light: vec3<f32>) -> vec3<f32> {
    let kept = min(light, vec3<f32>(MAX_LIGHT));
    if (SHOWN_TARGET) {
        return sqrt(tone_mapped(kept));
    }
    return kept;
}

// What a drawing pass writes for a colour that is to appear as it is.
fn color_to_target(color: vec3<f32>) -> vec3<f32> {
    if (SHOWN_TARGET) {
        return sqrt(max(color, vec3<f32>(0.0)));
    }
    return light_shown_as(color);
}
