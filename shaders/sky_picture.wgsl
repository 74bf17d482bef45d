// A picture as the sky: equirectangular, north in the middle, shown in the light's colour.

#import "shared/dome.wgsl"
#import "shared/tone.wgsl"

@group(1) @binding(0) var picture: texture_2d<f32>;
@group(1) @binding(1) var picture_sampler: sampler;

const PI: f32 = 3.14159265;

@fragment
fn fs_main(in: DomeOut) -> @location(0) vec4<f32> {
    let direction = dome_direction(in.ndc);
    let across = atan2(direction.x, -direction.z) / (2.0 * PI) + 0.5;
    let half_texel = 0.5 / f32(textureDimensions(picture).y);
    let down = clamp(acos(clamp(direction.y, -1.0, 1.0)) / PI, half_texel, 1.0 - half_texel);
    // Without mip levels: at the seam the derivatives of `across` jump.
    let texel = textureSampleLevel(picture, picture_sampler, vec2<f32>(across, down), 0.0).rgb;
    // Fog has a quarter of colour × intensity of the light.
    let color = light_shown_as(texel * frame.fog.rgb * 4.0);
    return vec4<f32>(light_to_target(fogged_sky(color, direction)), 1.0);
}
