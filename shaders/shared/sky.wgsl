// The colour of the sky in a direction, and fog.

#import "shared/frame.wgsl"
#import "shared/tone.wgsl"

// Linear radiance of the clear sky, without the sun's disc and without clouds.
fn sky_gradient(direction: vec3<f32>) -> vec3<f32> {
    if (frame.sun_color.w < 0.5) {
        // The plain background: half of the light's colour × intensity.
        return light_shown_as(frame.fog.rgb * 2.0);
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

// Share of the light that fog takes away over a distance, metres: exponential in the squared depth.
fn fog_amount(distance: f32) -> f32 {
    let depth = frame.fog.w * distance;
    return 1.0 - exp(-depth * depth);
}

// Light reaching the eye from `color` through the fog over `toward` (from the eye, metres).
fn fogged(color: vec3<f32>, toward: vec3<f32>) -> vec3<f32> {
    if (frame.fog.w <= 0.0) {
        return color;
    }
    return mix(color, light_shown_as(frame.fog.rgb), fog_amount(length(toward)));
}

// Height of the layer in which fog lies in front of the sky, metres.
const FOG_HEIGHT: f32 = 20.0;

// Light of the sky in a direction behind the fog.
fn fogged_sky(color: vec3<f32>, direction: vec3<f32>) -> vec3<f32> {
    if (frame.fog.w <= 0.0 || frame.sun_color.w < 0.5) {
        return color;
    }
    return mix(color, light_shown_as(frame.fog.rgb), fog_amount(FOG_HEIGHT / max(direction.y, 0.001)));
}
