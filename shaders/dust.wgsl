// Grains of dust: soft discs that face the eye, lit by sky and sun.

#import "shared/frame.wgsl"
#import "shared/tone.wgsl"

// Colour of dust.
const ALBEDO: vec3<f32> = vec3<f32>(0.46, 0.40, 0.32);
// Share of the sun's light that a cloud scatters to any side.
const SCATTERED: f32 = 0.22;

struct VertexOut {
    @builtin(position) clip: vec4<f32>,
    // From -1 to 1 across the disc.
    @location(0) at: vec2<f32>,
    @location(1) @interpolate(flat) opacity: f32,
}

@vertex
fn vs_main(
    @builtin(vertex_index) corner: u32,
    @location(0) place: vec3<f32>,
    @location(1) radius: f32,
    @location(2) opacity: f32,
) -> VertexOut {
    let at = vec2<f32>(select(-1.0, 1.0, (corner & 1u) == 1u), select(-1.0, 1.0, corner >= 2u));
    let forward = frame.view_direction.xyz;
    // Looking straight down or up any axis is to the side.
    let level = cross(forward, vec3<f32>(0.0, 1.0, 0.0));
    let right = select(vec3<f32>(1.0, 0.0, 0.0), normalize(level), dot(level, level) > 1e-6);
    let up = cross(right, forward);
    let point = place + (right * at.x + up * at.y) * radius;
    return VertexOut(frame.clip_from_relative * vec4<f32>(point, 1.0), at, opacity);
}

@fragment
fn fs_main(in: VertexOut) -> @location(0) vec4<f32> {
    let inside = clamp(1.0 - dot(in.at, in.at), 0.0, 1.0);
    let ambient = mix(frame.ambient_ground.rgb, frame.ambient_sky.rgb, 0.5);
    let light = ALBEDO * (ambient + frame.sun_color.rgb * SCATTERED);
    return vec4<f32>(light_to_target(light), in.opacity * inside * inside);
}
