// Sun, shadow and ambient light on a surface.

#import "shared/sky.wgsl"

@group(0) @binding(4) var shadow_map: texture_depth_2d_array;
@group(0) @binding(5) var shadow_sampler: sampler_comparison;

// Whether shadows are smoothed by nine samples or one, each of them over four texels.
override FINE_SHADOWS: bool = true;

const PI: f32 = 3.14159265;

fn shadow_taps(uv: vec2<f32>, layer: i32, depth: f32) -> f32 {
    let texel = 1.0 / vec2<f32>(textureDimensions(shadow_map));
    var lit = 0.0;
    if (FINE_SHADOWS) {
        for (var y = -1; y <= 1; y++) {
            for (var x = -1; x <= 1; x++) {
                let at = uv + vec2<f32>(f32(x), f32(y)) * texel;
                lit += textureSampleCompareLevel(shadow_map, shadow_sampler, at, layer, depth);
            }
        }
        return lit / 9.0;
    }
    return textureSampleCompareLevel(shadow_map, shadow_sampler, uv, layer, depth);
}

// Share of the sun that reaches a point: the first cascade that holds it decides; beyond the last all is lit.
fn sunlight(position: vec3<f32>, normal: vec3<f32>) -> f32 {
    let cascades = min(u32(frame.shadow_texel.w), MAX_CASCADES);
    let slope = 1.0 - clamp(dot(normal, frame.sun_direction.xyz), 0.0, 1.0);
    for (var i = 0u; i < MAX_CASCADES; i++) {
        if (i >= cascades) {
            break;
        }
        // Moved off the surface, so that it does not shade itself; by texels, so that shadows stay attached.
        let lifted = position + normal * frame.shadow_texel[i] * (0.6 + 1.8 * slope);
        let at = (frame.shadow_from_world[i] * vec4<f32>(lifted, 1.0)).xyz;
        let edge = max(abs(at.x - 0.5), abs(at.y - 0.5));
        if (edge < 0.495 && at.z > 0.0 && at.z < 1.0) {
            let lit = shadow_taps(at.xy, i32(i), at.z);
            let fade = select(0.0, smoothstep(0.42, 0.495, edge), i + 1u == cascades);
            return mix(lit, 1.0, fade);
        }
    }
    return 1.0;
}

// Light of the lamps on a surface: it falls on what faces them, and a little on what does not.
fn lamplight(position: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    let count = min(u32(frame.ambient_sky.w), MAX_LAMPS);
    for (var i = 0u; i < MAX_LAMPS; i++) {
        if (i >= count) {
            break;
        }
        let to_lamp = frame.lamps[i].place.xyz - position;
        let squared = dot(to_lamp, to_lamp);
        let window = max(1.0 - squared * frame.lamps[i].place.w, 0.0);
        let near = inverseSqrt(squared + 1.0);
        let facing = max(dot(normal, to_lamp) * near, 0.0) * 0.85 + 0.15;
        let fade = window * near;
        sum += frame.lamps[i].color.rgb * (facing * fade * fade);
    }
    return sum;
}

// Light that the surface sends to the eye. `view` is the unit direction to the eye; `ao` darkens the ambient light.
// Specular: GGX with the visibility approximation of Hammon (GDC 2017) and Schlick's Fresnel term.
fn shaded(
    albedo: vec3<f32>, metallic: f32, roughness: f32, normal: vec3<f32>, view: vec3<f32>, position: vec3<f32>, ao: f32,
) -> vec3<f32> {
    let sun = frame.sun_direction.xyz;
    let n_l = dot(normal, sun);
    let n_v = max(dot(normal, view), 0.001);
    let diffuse = albedo * (1.0 - metallic);
    let f0 = mix(vec3<f32>(0.04), albedo, metallic);
    var light = vec3<f32>(0.0);
    if (n_l > 0.0) {
        let lit = sunlight(position, normal) * n_l;
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
    light += ambient * ao * (diffuse + f0 * 0.5 + vec3<f32>(rim) * up);
    if (frame.ambient_sky.w > 0.5) {
        light += lamplight(position, normal) * (diffuse + f0 * 0.5);
    }
    return light;
}
