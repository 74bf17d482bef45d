// The exposure that fits the light of the picture. The target is one texel that mixes it with the exposure before.

#import "shared/screen.wgsl"

// The last of the halves of the lit picture.
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var source_sampler: sampler;

// Mean light at which the exposure is 1.
const MIDDLE: f32 = 0.42;
// How far the exposure follows the light: 1 would make all pictures equally bright.
const FOLLOWS: f32 = 0.25;
const RANGE: vec2<f32> = vec2<f32>(0.8, 1.5);

@fragment
fn fs_main(in: VertexOut) -> @location(0) vec4<f32> {
    var sum = 0.0;
    for (var y = 0; y < 4; y++) {
        for (var x = 0; x < 4; x++) {
            let uv = (vec2<f32>(f32(x), f32(y)) + 0.5) * 0.25;
            let light = textureSampleLevel(source, source_sampler, uv, 0.0).rgb;
            sum += log2(max(dot(light, vec3<f32>(0.2126, 0.7152, 0.0722)), 1e-3));
        }
    }
    let exposure = pow(MIDDLE / exp2(sum / 16.0), FOLLOWS);
    return vec4<f32>(clamp(exposure, RANGE.x, RANGE.y), 0.0, 0.0, 1.0);
}
