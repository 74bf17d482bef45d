// Overlays: anti-aliased lines of constant pixel width, wire spheres made of such lines, and filled triangles.

#import "shared/frame.wgsl"
#import "shared/tone.wgsl"

@group(1) @binding(0) var<storage, read> lines: array<LineData>;
@group(1) @binding(0) var<storage, read> spheres: array<SphereData>;

// Factor on the opacity, below 1 for occluded parts.
override OPACITY: f32 = 1.0;
// Width of lines in pixels.
override WIDTH_PX: f32 = 1.0;

// Segments of each of the three circles of a sphere.
const SEGMENTS: u32 = 16u;

struct VertexOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
    // Distance from the centre line and half the width, in pixels.
    @location(1) @interpolate(linear) across_px: f32,
    @location(2) @interpolate(flat) half_px: f32,
}

// Depth bias towards the eye, so that overlays on a surface pass its depth test.
fn lifted(clip: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(clip.xy, clip.z * frame.overlay_bias.x + frame.overlay_bias.y * clip.w, clip.w);
}

fn nothing() -> VertexOut {
    return VertexOut(vec4<f32>(0.0, 0.0, -1.0, 1.0), vec4<f32>(0.0), 0.0, 0.0);
}

// A corner, 0 to 3, of the triangle strip of a line.
fn line_corner(line: LineData, corner: u32) -> VertexOut {
    var a = frame.clip_from_world * vec4<f32>(line.start.xyz, 1.0);
    var b = frame.clip_from_world * vec4<f32>(line.end.xyz, 1.0);
    // Clipped at the near plane, where depth is 1, before the division.
    let in_a = a.w - a.z;
    let in_b = b.w - b.z;
    if (in_a < 0.0 && in_b < 0.0) {
        return nothing();
    }
    if (in_a < 0.0) {
        a = mix(a, b, in_a / (in_a - in_b));
    } else if (in_b < 0.0) {
        b = mix(b, a, in_b / (in_b - in_a));
    }
    let along_px = (b.xy / b.w - a.xy / a.w) * frame.size_px.xy;
    let long = length(along_px);
    let unit = select(vec2<f32>(1.0, 0.0), along_px / max(long, 1e-6), long > 1e-6);
    let across = vec2<f32>(-unit.y, unit.x);
    let half = WIDTH_PX * 0.5;
    let reach = half + 1.0;
    let at_end = (corner & 1u) == 1u;
    let side = select(-1.0, 1.0, corner >= 2u);
    var clip = select(a, b, at_end);
    let ends = select(-unit, unit, at_end) * half;
    let offset = (across * side * reach + ends) * 2.0 * frame.size_px.zw;
    clip = vec4<f32>(clip.xy + offset * clip.w, clip.zw);
    return VertexOut(lifted(clip), line.color, side * reach, half);
}

@vertex
fn vs_line(@builtin(vertex_index) corner: u32, @builtin(instance_index) index: u32) -> VertexOut {
    return line_corner(lines[index], corner);
}

// A point of a unit circle about +Z, +X or +Y.
fn on_circle(circle: u32, segment: u32) -> vec3<f32> {
    let angle = f32(segment) / f32(SEGMENTS) * 6.2831853;
    let p = vec3<f32>(cos(angle), sin(angle), 0.0);
    return select(select(p.zxy, p.yzx, circle == 2u), p, circle == 0u);
}

@vertex
fn vs_sphere(@builtin(vertex_index) corner: u32, @builtin(instance_index) index: u32) -> VertexOut {
    let drawn = spheres[index / (3u * SEGMENTS)];
    if (drawn.sphere.w <= 0.0) {
        return nothing();
    }
    let circle = index / SEGMENTS % 3u;
    let segment = index % SEGMENTS;
    let start = drawn.sphere.xyz + on_circle(circle, segment) * drawn.sphere.w;
    let end = drawn.sphere.xyz + on_circle(circle, segment + 1u) * drawn.sphere.w;
    return line_corner(LineData(vec4<f32>(start, 1.0), vec4<f32>(end, 1.0), drawn.color), corner);
}

@vertex
fn vs_triangle(@location(0) position: vec3<f32>, @location(1) color: vec4<f32>) -> VertexOut {
    return VertexOut(lifted(frame.clip_from_world * vec4<f32>(position, 1.0)), color, 0.0, 1e6);
}

@fragment
fn fs_main(in: VertexOut) -> @location(0) vec4<f32> {
    let edge = clamp(in.half_px + 0.5 - abs(in.across_px), 0.0, 1.0);
    return vec4<f32>(color_to_target(in.color.rgb), in.color.a * edge * OPACITY);
}
