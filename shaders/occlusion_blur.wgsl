// Smooths ambient occlusion over four by four texels of one surface.

#import "shared/screen.wgsl"

// x: share of the ambient light; y: distance from the eye plane, metres.
@group(0) @binding(0) var occlusion: texture_2d<f32>;
@group(0) @binding(1) var occlusion_sampler: sampler;

@fragment
fn fs_main(in: VertexOut) -> @location(0) vec4<f32> {
    let texel = 1.0 / vec2<f32>(textureDimensions(occlusion));
    let own = textureSampleLevel(occlusion, occlusion_sampler, in.uv, 0.0).xy;
    var sum = own.x * 0.01;
    var weights = 0.01;
    for (var y = 0; y < 4; y++) {
        for (var x = 0; x < 4; x++) {
            let at = in.uv + (vec2<f32>(f32(x), f32(y)) - 1.5) * texel;
            let other = textureSampleLevel(occlusion, occlusion_sampler, at, 0.0).xy;
            let weight = max(1.0 - abs(other.y - own.y) / (0.05 + 0.03 * own.y), 0.0);
            sum += other.x * weight;
            weights += weight;
        }
    }
    return vec4<f32>(sum / weights, own.y, 0.0, 1.0);
}
