// Arithmetic over a whole target, to tell how fast a device shades pixels.

#import "shared/screen.wgsl"

// Multiplications with addition of four numbers at each pixel.
const PROBE_STEPS: u32 = 256u;

@fragment
fn fs_main(in: VertexOut) -> @location(0) vec4<f32> {
    let factor = vec4<f32>(0.9999, 0.9998, 0.9997, 0.9996);
    var sum = vec4<f32>(in.uv, in.clip.xy);
    for (var i = 0u; i < PROBE_STEPS; i++) {
        sum = fma(sum, factor, sum.yzwx * 1e-4);
    }
    return vec4<f32>(to_screen(sum.rgb * 1e-3), 1.0);
}
