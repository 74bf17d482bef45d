// What is drawn over the whole of a target that goes to the screen.

// Whether the target does not encode sRGB by itself.
override ENCODE_SRGB: bool = true;

struct VertexOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn vs_main(@builtin(vertex_index) index: u32) -> VertexOut {
    let uv = vec2<f32>(f32(index & 1u) * 2.0, f32(index >> 1u) * 2.0);
    return VertexOut(vec4<f32>(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}

// A linear colour as the target takes it.
fn to_screen(color: vec3<f32>) -> vec3<f32> {
    if (!ENCODE_SRGB) {
        return color;
    }
    let low = color * 12.92;
    let high = 1.055 * pow(max(color, vec3<f32>(0.0)), vec3<f32>(1.0 / 2.4)) - 0.055;
    return select(high, low, color <= vec3<f32>(0.0031308));
}
