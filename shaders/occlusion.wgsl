// Ambient occlusion from the depth of the scene: the estimator of McGuire et al. (2011, "The Alchemy screen-space ambient
// obscurance algorithm"), at half the resolution.

#import "shared/frame.wgsl"
#import "shared/screen.wgsl"

// Depth of the scene, 1 near, 0 far: pictures with ambient occlusion have several samples per pixel.
@group(1) @binding(0) var scene_samples: texture_multisampled_2d<f32>;

override SAMPLES: u32 = 9u;

const MAX_SAMPLES: u32 = 32u;
// Distance up to which things occlude each other, metres.
const RADIUS: f32 = 0.55;
const STRENGTH: f32 = 1.1;
// Distance at which occlusion begins to fade, and where it has, metres.
const FADE: vec2<f32> = vec2<f32>(25.0, 60.0);
// Reach of the samples at most, as a share of the picture's height.
const MAX_REACH: f32 = 0.12;

struct Surface {
    position: vec3<f32>,
    normal: vec3<f32>,
    // From the eye plane, metres.
    distance: f32,
}

// Relative to the eye.
fn place_of(at: vec2<i32>, depth: f32) -> vec3<f32> {
    let uv = (vec2<f32>(at) + 0.5) * frame.size_px.zw;
    // The sky lies at depth 0, whose place has no number.
    let near = max(depth, 1e-6);
    let place = frame.relative_from_clip * vec4<f32>(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, near, 1.0);
    return place.xyz / place.w;
}

fn inside(at: vec2<i32>) -> vec2<i32> {
    return clamp(at, vec2<i32>(0), vec2<i32>(frame.size_px.xy) - 1);
}

// Difference towards the neighbour that lies on the same surface: the smaller of both.
fn smaller(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    return select(b, a, dot(a, a) < dot(b, b));
}

fn surface_of(middle: vec3<f32>, left: vec3<f32>, right: vec3<f32>, up: vec3<f32>, down: vec3<f32>) -> Surface {
    let across = smaller(right - middle, middle - left);
    let along = smaller(down - middle, middle - up);
    let normal = cross(along, across);
    let facing = select(frame.view_direction.xyz, middle, frame.view_direction.w > 0.5);
    let unit = normal * inverseSqrt(max(dot(normal, normal), 1e-20));
    return Surface(middle, select(unit, -unit, dot(unit, facing) > 0.0), dot(middle, frame.view_direction.xyz));
}

// Pixels that the radius spans at a distance.
fn reach_px(distance: f32) -> f32 {
    // The second row of the projection, scaled by the view's rotation: its length is the cotangent of half the field of view.
    let m = frame.clip_from_relative;
    let scale = length(vec3<f32>(m[0].y, m[1].y, m[2].y));
    let depth = select(1.0, max(distance, 0.05), frame.view_direction.w > 0.5);
    return min(RADIUS * scale / depth * 0.5, MAX_REACH) * frame.size_px.y;
}

// Offset of a sample in pixels: a spiral that each pixel turns.
fn spiral(i: u32, at: vec2<i32>, reach: f32) -> vec2<i32> {
    let noise = fract(52.9829189 * fract(dot(vec2<f32>(at), vec2<f32>(0.06711056, 0.00583715))));
    let share = (f32(i) + 0.5) / f32(min(SAMPLES, MAX_SAMPLES));
    let angle = (share * 4.0 + noise) * 6.2831853;
    return vec2<i32>(round(vec2<f32>(cos(angle), sin(angle)) * max(share * reach, 1.5)));
}

fn occlusion_by(surface: Surface, other: vec3<f32>) -> f32 {
    let toward = other - surface.position;
    let squared = dot(toward, toward);
    let bias = 0.004 + 0.0012 * surface.distance;
    let near = max(1.0 - squared / (RADIUS * RADIUS), 0.0);
    return max(dot(toward, surface.normal) - bias, 0.0) / (squared + 0.01) * near;
}

fn result(surface: Surface, sum: f32, depth: f32) -> vec4<f32> {
    let open = max(1.0 - STRENGTH * 0.35 * sum / f32(min(SAMPLES, MAX_SAMPLES)), 0.0);
    let fade = smoothstep(FADE.x, FADE.y, surface.distance);
    let share = select(mix(open, 1.0, fade), 1.0, depth <= 0.0);
    return vec4<f32>(share, min(surface.distance, 6e4), 0.0, 1.0);
}

fn sample_place(at: vec2<i32>) -> vec3<f32> {
    let near = inside(at);
    return place_of(near, textureLoad(scene_samples, near, 0).x);
}

@fragment
fn fs_main(in: VertexOut) -> @location(0) vec4<f32> {
    let at = inside(vec2<i32>(in.uv * frame.size_px.xy));
    let depth = textureLoad(scene_samples, at, 0).x;
    let surface = surface_of(
        place_of(at, depth),
        sample_place(at - vec2<i32>(1, 0)),
        sample_place(at + vec2<i32>(1, 0)),
        sample_place(at - vec2<i32>(0, 1)),
        sample_place(at + vec2<i32>(0, 1)),
    );
    let reach = reach_px(surface.distance);
    var sum = 0.0;
    for (var i = 0u; i < MAX_SAMPLES; i++) {
        if (i >= SAMPLES) {
            break;
        }
        sum += occlusion_by(surface, sample_place(at + spiral(i, at, reach)));
    }
    return result(surface, sum, depth);
}
