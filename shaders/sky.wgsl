// The sky behind everything: gradient, sun and a layer of soft clouds.

#import "shared/dome.wgsl"
#import "shared/tone.wgsl"

// Whether clouds are drawn.
override CLOUDS: bool = true;

const OCTAVES: u32 = 4u;

fn hash(p: vec2<f32>) -> f32 {
    var q = vec2<u32>(vec2<i32>(p));
    q = q * vec2<u32>(1597334673u, 3812015801u);
    let n = (q.x ^ q.y) * 1597334673u;
    return f32(n >> 8u) / 16777216.0;
}

fn noise(p: vec2<f32>) -> f32 {
    let cell = floor(p);
    let f = p - cell;
    let s = f * f * (3.0 - 2.0 * f);
    let low = mix(hash(cell), hash(cell + vec2<f32>(1.0, 0.0)), s.x);
    let high = mix(hash(cell + vec2<f32>(0.0, 1.0)), hash(cell + vec2<f32>(1.0, 1.0)), s.x);
    return mix(low, high, s.y);
}

fn clouds(direction: vec3<f32>) -> f32 {
    var p = direction.xz / (direction.y + 0.12) * 1.6 + vec2<f32>(3.7, 11.3);
    var sum = 0.0;
    var weight = 0.5;
    for (var i = 0u; i < OCTAVES; i++) {
        sum += noise(p) * weight;
        p = vec2<f32>(p.x * 1.6 - p.y * 1.2, p.x * 1.2 + p.y * 1.6) + 17.0;
        weight *= 0.5;
    }
    return smoothstep(0.44, 0.78, sum) * smoothstep(0.02, 0.30, direction.y);
}

// Few cells of a grid over the dome hold a star, each somewhere else and of another brightness.
fn stars(direction: vec3<f32>) -> f32 {
    let p = direction.xz / max(1.0 + direction.y, 1e-3) * 140.0;
    let cell = floor(p);
    let chance = hash(cell + vec2<f32>(512.0, 512.0));
    let place = 0.25 + 0.5 * vec2<f32>(hash(cell + vec2<f32>(611.0, 87.0)), hash(cell + vec2<f32>(233.0, 919.0)));
    let away = length(p - cell - place);
    return (1.0 - smoothstep(0.02, 0.16, away)) * smoothstep(0.965, 1.0, chance) * smoothstep(0.0, 0.2, direction.y);
}

@fragment
fn fs_main(in: DomeOut) -> @location(0) vec4<f32> {
    let direction = dome_direction(in.ndc);
    var color = sky_gradient(direction);
    if (frame.sun_color.w > 0.5) {
        let sun = dot(direction, frame.sun_direction.xyz);
        let night = 1.0 - smoothstep(0.0, 0.2, frame.sun_direction.w);
        color += vec3<f32>(0.75, 0.85, 1.0) * (stars(direction) * night);
        if (CLOUDS && direction.y > 0.0) {
            let cover = clouds(direction) * 0.75;
            let lit = frame.ambient_sky.rgb * 0.75 + frame.sun_color.rgb * (0.27 + 0.2 * pow(max(sun, 0.0), 6.0));
            color = mix(color, lit, cover);
        }
        color += frame.sun_color.rgb * smoothstep(0.99955, 0.99975, sun) * 6.0;
    }
    return vec4<f32>(light_to_target(fogged_sky(color, direction)), 1.0);
}
