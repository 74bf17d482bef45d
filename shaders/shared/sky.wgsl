// The colour of the sky in a direction; fog takes it too.

#import "shared/frame.wgsl"

// Linear radiance of the clear sky, without the sun's disc and without clouds.
fn sky_gradient(direction: vec3<f32>) -> vec3<f32> {
    if (frame.sun_color.w < 0.5) {
        return vec3<f32>(0.30, 0.33, 0.37);
    }
    let daylight = frame.sun_direction.w;
    let toward_sun = max(dot(direction, frame.sun_direction.xyz), 0.0);
    let height = clamp(direction.y, 0.0, 1.0);
    let low_sun = 1.0 - smoothstep(0.05, 0.45, frame.sun_direction.y);
    let zenith = mix(vec3<f32>(0.010, 0.016, 0.035), vec3<f32>(0.115, 0.30, 0.74), daylight);
    var horizon = mix(vec3<f32>(0.02, 0.026, 0.045), vec3<f32>(0.66, 0.80, 0.95), daylight);
    let glow = frame.sun_color.rgb * vec3<f32>(0.5, 0.27, 0.12) * low_sun;
    let narrow = toward_sun * toward_sun * toward_sun;
    horizon += glow * (0.25 + 0.75 * narrow);
    let up = 1.0 - height;
    var color = mix(zenith, horizon, up * up * up * (0.25 + 0.75 * up));
    let halo = toward_sun * toward_sun;
    // The 48th power.
    let bright_6 = narrow * narrow;
    let bright_12 = bright_6 * bright_6;
    let bright_24 = bright_12 * bright_12;
    color += frame.sun_color.rgb * (0.035 * halo * halo + 0.09 * bright_24 * bright_24) * daylight;
    return color;
}

// Light reaching the eye from `color` through the fog over `toward` (from the eye, metres).
fn fogged(color: vec3<f32>, toward: vec3<f32>) -> vec3<f32> {
    let density = frame.ambient_sky.w;
    let distance = length(toward);
    if (density <= 0.0 || distance < 0.001) {
        return color;
    }
    // Density falls off with height above the eye's own; integrated along the ray in closed form.
    let falloff = 0.035;
    let climb = toward.y * falloff;
    let thickness = select((1.0 - exp(-climb)) / climb, 1.0, abs(climb) < 0.001);
    // Fog lies on the ground: whoever looks from above looks through less of it.
    let here = density * exp(-falloff * max(frame.eye.y, 0.0));
    let depth = here * distance * clamp(thickness, 0.0, 8.0);
    let direction = toward / distance;
    let flat_direction = normalize(vec3<f32>(direction.x, max(direction.y, 0.02), direction.z));
    return mix(sky_gradient(flat_direction), color, exp(-depth));
}
