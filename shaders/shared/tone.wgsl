// The tone curve and its inverse: the filmic fit of Narkowicz (2016) to the ACES reference, per channel.

const EXPOSURE: f32 = 0.62;

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
