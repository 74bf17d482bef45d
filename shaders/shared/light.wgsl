// Sun, shadow and ambient light on a surface.

#import "shared/sky.wgsl"

@group(0) @binding(4) var shadow_map: texture_depth_2d_array;
@group(0) @binding(5) var shadow_sampler: sampler_comparison;
// The same maps, to read their texels: OpenGL reads none of what is declared as depth.
@group(0) @binding(6) var shadow_texels: texture_2d_array<f32>;

// Samples of a shadow, each over four texels; below CONTACT_SAMPLES there are four.
override SHADOW_SAMPLES: u32 = 12u;
// Whether surfaces mirror the sky.
override MIRROR_SKY: bool = true;

const PI: f32 = 3.14159265;
const MAX_SHADOW_SAMPLES: u32 = 32u;
// From so many samples on penumbras grow with the distance from what casts them.
const CONTACT_SAMPLES: u32 = 9u;
const BLOCKER_SAMPLES: u32 = 8u;
// Width of a penumbra per metre between caster and receiver: a little more than that of the sun.
const PENUMBRA: f32 = 0.02;
// Reach of the search for casters, metres, and of all filters, texels.
const SEARCH: f32 = 0.3;
const MAX_REACH: f32 = 10.0;
const MIN_REACH: f32 = 1.2;

// The pixel that is shaded: it turns the pattern of the samples.
var<private> shaded_pixel: vec2<f32>;

// Interleaved gradient noise (Jimenez 2014), 0…1.
fn pixel_noise() -> f32 {
    return fract(52.9829189 * fract(dot(shaded_pixel, vec2<f32>(0.06711056, 0.00583715))));
}

// The `i`-th of `count` points spread over a unit disk (Vogel 1979).
fn disk_point(i: u32, count: u32, turn: f32) -> vec2<f32> {
    let radius = sqrt((f32(i) + 0.5) / f32(count));
    let angle = f32(i) * 2.39996323 + turn;
    return radius * vec2<f32>(cos(angle), sin(angle));
}

// Where the light of a point is looked up in a shadow map.
struct ShadowPlace {
    // Texture space.
    at: vec3<f32>,
    layer: i32,
    // Width of a texel, metres.
    texel: f32,
    // Depth per metre.
    depth_scale: f32,
    // Tangent of the angle of incidence.
    slope: f32,
}

// Reach of the filter in texels by percentage-closer soft shadows (Fernando 2005); 0 where nothing casts a shadow.
fn penumbra_reach(place: ShadowPlace, turn: f32) -> f32 {
    let size = vec2<f32>(textureDimensions(shadow_map));
    let reach = min(SEARCH / place.texel, MAX_REACH);
    let bias = reach * place.texel * place.slope * place.depth_scale;
    var sum = 0.0;
    var count = 0.0;
    for (var i = 0u; i < BLOCKER_SAMPLES; i++) {
        let texel = vec2<i32>(place.at.xy * size + disk_point(i, BLOCKER_SAMPLES, turn) * reach);
        let depth = textureLoad(shadow_texels, clamp(texel, vec2<i32>(0), vec2<i32>(size) - 1), place.layer, 0).x;
        let blocks = select(0.0, 1.0, depth < place.at.z - bias);
        sum += depth * blocks;
        count += blocks;
    }
    // Casters nearer than the bias are missed: then the filter is narrow and not left out.
    if (count < 0.5) {
        return MIN_REACH;
    }
    let gap = (place.at.z - sum / count) / place.depth_scale;
    return clamp(0.5 * gap * PENUMBRA / place.texel, MIN_REACH, MAX_REACH);
}

// Share of the light that passes the four texels around a point of the map.
fn shadow_sample(at: vec2<f32>, place: ShadowPlace) -> f32 {
    return textureSampleCompareLevel(shadow_map, shadow_sampler, at, place.layer, place.at.z);
}

// Share of the light that passes a tent of three by three texels, by four samples between texels (Castaño 2013, "Shadow
// mapping summary"): edges without steps, and without the noise of turned patterns.
fn shadow_tent(place: ShadowPlace) -> f32 {
    let size = vec2<f32>(textureDimensions(shadow_map));
    let corner = floor(place.at.xy * size + 0.5);
    let s = place.at.xy * size + 0.5 - corner;
    let low = 3.0 - 2.0 * s;
    let high = 1.0 + 2.0 * s;
    let a = (corner - 1.5 + (2.0 - s) / low) / size;
    let b = (corner + 0.5 + s / high) / size;
    var lit = low.x * low.y * shadow_sample(a, place);
    lit += high.x * low.y * shadow_sample(vec2<f32>(b.x, a.y), place);
    lit += low.x * high.y * shadow_sample(vec2<f32>(a.x, b.y), place);
    lit += high.x * high.y * shadow_sample(b, place);
    return lit / 16.0;
}

// Share of the light that passes a filter of the shadow map.
fn shadow_filtered(place: ShadowPlace) -> f32 {
    if (SHADOW_SAMPLES < CONTACT_SAMPLES) {
        return shadow_tent(place);
    }
    let turn = pixel_noise() * 2.0 * PI;
    let reach = penumbra_reach(place, turn);
    let texel = 1.0 / vec2<f32>(textureDimensions(shadow_map));
    let depth = place.at.z - (reach - MIN_REACH) * place.texel * place.slope * place.depth_scale;
    var lit = 0.0;
    for (var i = 0u; i < MAX_SHADOW_SAMPLES; i++) {
        if (i >= SHADOW_SAMPLES) {
            break;
        }
        let at = place.at.xy + disk_point(i, SHADOW_SAMPLES, turn) * reach * texel;
        lit += textureSampleCompareLevel(shadow_map, shadow_sampler, at, place.layer, depth);
    }
    return lit / f32(min(SHADOW_SAMPLES, MAX_SHADOW_SAMPLES));
}

// Share of the sun that reaches a point of a surface: the first cascade that holds it decides; beyond the last all is
// lit. `normal` is the geometric one.
fn sunlight(position: vec3<f32>, normal: vec3<f32>) -> f32 {
    let cascades = min(u32(frame.shadow_texel.w), MAX_CASCADES);
    let n_l = dot(normal, frame.sun_direction.xyz);
    if (n_l <= 0.0) {
        return 0.0;
    }
    let sine = sqrt(1.0 - min(n_l * n_l, 1.0));
    // Normal offset (Holbert 2011): a filter that reaches r texels needs r times the sine of the angle of incidence.
    let offset = 0.25 + select(2.2, 1.3, SHADOW_SAMPLES < CONTACT_SAMPLES) * sine;
    for (var i = 0u; i < MAX_CASCADES; i++) {
        if (i >= cascades) {
            break;
        }
        let texel = frame.shadow_texel[i];
        let lifted = position + normal * (texel * offset);
        let at = (frame.shadow_from_relative[i] * vec4<f32>(lifted, 1.0)).xyz;
        let edge = max(abs(at.x - 0.5), abs(at.y - 0.5));
        if (edge < 0.495 && at.z > 0.0 && at.z < 1.0) {
            let m = frame.shadow_from_relative[i];
            let depth_scale = length(vec3<f32>(m[0].z, m[1].z, m[2].z));
            let lit = shadow_filtered(ShadowPlace(at, i32(i), texel, depth_scale, sine / max(n_l, 0.25)));
            let fade = select(0.0, smoothstep(0.42, 0.495, edge), i + 1u == cascades);
            return mix(lit, 1.0, fade);
        }
    }
    return 1.0;
}

// Light of a lamp on a surface: it falls on what faces it, and a little on what does not.
fn lamplight_of(lamp: LampData, position: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let to_lamp = lamp.place.xyz - position;
    let squared = dot(to_lamp, to_lamp);
    let window = max(1.0 - squared * lamp.place.w, 0.0);
    let near = inverseSqrt(squared + 1.0);
    let facing = max(dot(normal, to_lamp) * near, 0.0) * 0.85 + 0.15;
    let fade = window * near;
    return lamp.color.rgb * (facing * fade * fade);
}

// Light of the lamps whose cells of the grid hold a point (clustered shading, Olsson et al. 2012, in plan view).
fn lamplight(position: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let cell = vec2<i32>(floor((position.xz - frame.lamp_grid_place.xy) * frame.lamp_grid_place.z));
    if (any(cell < vec2<i32>(0)) || any(cell >= vec2<i32>(i32(LAMP_GRID_CELLS)))) {
        return vec3<f32>(0.0);
    }
    let number = u32(cell.y) * LAMP_GRID_CELLS + u32(cell.x);
    let two_cells = frame.lamp_grid[number >> 1u];
    let indices = select(two_cells.xy, two_cells.zw, (number & 1u) == 1u);
    let count = min(u32(frame.lamp_grid_place.w), LAMPS_PER_CELL);
    var sum = vec3<f32>(0.0);
    for (var i = 0u; i < LAMPS_PER_CELL; i++) {
        let word = select(indices.x, indices.y, i >= 4u);
        let index = (word >> ((i & 3u) * 8u)) & 255u;
        if (i >= count || index >= MAX_LAMPS) {
            break;
        }
        sum += lamplight_of(frame.lamps[index], position, normal);
    }
    return sum;
}

// Light of the sky that a surface mirrors: the blurrier, the rougher it is. The share that is mirrored is the fit of
// Karis (2014, "Physically based shading on mobile") to the split-sum approximation.
fn mirrored_sky(
    f0: vec3<f32>, roughness: f32, normal: vec3<f32>, view: vec3<f32>, n_v: f32, ambient: vec3<f32>,
) -> vec3<f32> {
    let direction = reflect(-view, normal);
    let sky = mix(frame.ambient_ground.rgb, sky_gradient(direction), smoothstep(-0.25, 0.15, direction.y));
    let seen = mix(sky, ambient, smoothstep(0.2, 0.9, roughness));
    let r = roughness * vec4<f32>(-1.0, -0.0275, -0.572, 0.022) + vec4<f32>(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * n_v)) * r.x + r.y;
    let share = vec2<f32>(-1.04, 1.04) * a + r.zw;
    return seen * (f0 * share.x + share.y);
}

// Light that the surface sends to the eye. `normal` may come from a normal map, `geometric` is that of the triangle's
// surface; `view` is the unit direction to the eye.
// Specular: GGX with the visibility approximation of Hammon (GDC 2017) and Schlick's Fresnel term.
fn shaded(
    albedo: vec3<f32>, metallic: f32, roughness: f32, normal: vec3<f32>, geometric: vec3<f32>, view: vec3<f32>,
    position: vec3<f32>,
) -> vec3<f32> {
    let sun = frame.sun_direction.xyz;
    let n_l = dot(normal, sun);
    let n_v = max(dot(normal, view), 0.001);
    let diffuse = albedo * (1.0 - metallic);
    let f0 = mix(vec3<f32>(0.04), albedo, metallic);
    var light = vec3<f32>(0.0);
    if (n_l > 0.0) {
        let lit = sunlight(position, geometric) * n_l;
        let half_way = normalize(sun + view);
        let n_h = max(dot(normal, half_way), 0.0);
        let a = max(roughness * roughness, 0.02);
        let d = n_h * n_h * (a * a - 1.0) + 1.0;
        let distribution = a * a / (PI * d * d);
        let visibility = 0.5 / mix(2.0 * n_l * n_v, n_l + n_v, a);
        let grazing = 1.0 - max(dot(view, half_way), 0.0);
        let grazing_2 = grazing * grazing;
        let fresnel = f0 + (1.0 - f0) * grazing_2 * grazing_2 * grazing;
        let specular = fresnel * min(distribution * visibility, 8.0);
        light += frame.sun_color.rgb * lit * (diffuse * (1.0 - fresnel) + specular);
    }
    let up = normal.y * 0.5 + 0.5;
    let ambient = mix(frame.ambient_ground.rgb, frame.ambient_sky.rgb, up);
    let edge = (1.0 - n_v) * (1.0 - n_v);
    let rim = edge * edge * (1.0 - roughness * 0.7) * 0.25;
    if (MIRROR_SKY) {
        light += ambient * diffuse + mirrored_sky(f0, roughness, normal, view, n_v, ambient);
    } else {
        light += ambient * (diffuse + f0 * 0.5 + vec3<f32>(rim) * up);
    }
    if (frame.lamp_grid_place.w > 0.5) {
        light += lamplight(position, normal) * (diffuse + f0 * 0.5);
    }
    return light;
}
