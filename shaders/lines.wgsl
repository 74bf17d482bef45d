// Overlays: anti-aliased lines of constant pixel width, wire spheres made of such lines, and filled triangles.

#import "shared/frame.wgsl"
#import "shared/tone.wgsl"

@group(1) @binding(0) var<storage, read> lines: array<LineData>;
@group(1) @binding(0) var<storage, read> spheres: array<SphereData>;

// Factor on the opacity, below 1 for occluded parts.
override OPACITY: f32 = 1.0;
// Width of the lines of spheres, in sixteenths of a pixel.
override SPHERE_STYLE: u32 = 16u;

// Segments of each of the three circles of a sphere.
const SEGMENTS: u32 = 16u;
// Distance in pixels between the lines of a grid below which they are gone, and above which they are whole.
const DENSE_PX: vec2<f32> = vec2<f32>(4.0, 16.0);

struct VertexOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
    // Distance from the centre line in pixels times w: divided by the w of the pixel it is linear in the picture, as OpenGL ES has no
    // qualifier for.
    @location(1) across_px_w: f32,
    // Half the width, in pixels.
    @location(2) @interpolate(flat) half_px: f32,
}

// Depth bias towards the eye, so that overlays on a surface pass its depth test.
fn lifted(clip: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(clip.xy, clip.z * frame.overlay_bias.x + frame.overlay_bias.y * clip.w, clip.w);
}

fn nothing() -> VertexOut {
    return VertexOut(vec4<f32>(0.0, 0.0, -1.0, 1.0), vec4<f32>(0.0), 0.0, 0.0);
}

// Place in pixels of a point before the camera.
fn to_px(clip: vec4<f32>) -> vec2<f32> {
    return clip.xy / max(clip.w, 1e-6) * 0.5 * frame.size_px.xy;
}

// How much is left of a grid's line at a point: its neighbour must not come too close in the picture.
fn grid_fade(at: vec4<f32>, line: LineData, across_px: vec2<f32>) -> f32 {
    if (line.spacing <= 0.0) {
        return 1.0;
    }
    let along = normalize(line.end - line.start);
    let aside = vec4<f32>(vec3<f32>(-along.z, 0.0, along.x) * line.spacing, 0.0);
    let neighbor = at + frame.clip_from_relative * aside;
    if (neighbor.w <= 1e-6) {
        return 1.0;
    }
    let apart = abs(dot(to_px(neighbor) - to_px(at), across_px));
    return smoothstep(DENSE_PX.x, DENSE_PX.y, apart);
}

// A corner, 0 to 3, of the triangle strip of a line.
fn line_corner(line: LineData, corner: u32) -> VertexOut {
    var a = frame.clip_from_relative * vec4<f32>(line.start, 1.0);
    var b = frame.clip_from_relative * vec4<f32>(line.end, 1.0);
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
    let half = f32(line.style & 0xffffu) / 32.0;
    let shift = f32(bitcast<i32>(line.style) >> 16u) / 16.0;
    let reach = half + 1.0;
    let at_end = (corner & 1u) == 1u;
    let side = select(-1.0, 1.0, corner >= 2u);
    var clip = select(a, b, at_end);
    let ends = select(-unit, unit, at_end) * half;
    let offset = (across * (side * reach + shift) + ends) * 2.0 * frame.size_px.zw;
    let color = vec4<f32>(line.color.rgb, line.color.a * grid_fade(clip, line, across));
    clip = vec4<f32>(clip.xy + offset * clip.w, clip.zw);
    return VertexOut(lifted(clip), color, side * reach * clip.w, half);
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
    return line_corner(LineData(start, SPHERE_STYLE, end, 0.0, drawn.color), corner);
}

@vertex
fn vs_triangle(@location(0) position: vec3<f32>, @location(1) color: vec4<f32>) -> VertexOut {
    return VertexOut(lifted(frame.clip_from_relative * vec4<f32>(position, 1.0)), color, 0.0, 1e6);
}

@fragment
fn fs_main(in: VertexOut) -> @location(0) vec4<f32> {
    // The fourth component of a pixel's place is the inverse of w.
    let edge = clamp(in.half_px + 0.5 - abs(in.across_px_w * in.clip.w), 0.0, 1.0);
    return vec4<f32>(color_to_target(in.color.rgb), in.color.a * edge * OPACITY);
}
