// What is drawn behind everything.

#import "shared/sky.wgsl"

struct DomeOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) ndc: vec2<f32>,
}

@vertex
fn vs_main(@builtin(vertex_index) index: u32) -> DomeOut {
    let ndc = vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    return DomeOut(vec4<f32>(ndc, 0.0, 1.0), ndc);
}

// Unit direction from the eye through a point of the picture.
fn dome_direction(ndc: vec2<f32>) -> vec3<f32> {
    // Depth 1 is the near plane; 0.5 still lies far in front of it in both projections.
    let near = frame.relative_from_clip * vec4<f32>(ndc, 1.0, 1.0);
    let deep = frame.relative_from_clip * vec4<f32>(ndc, 0.5, 1.0);
    return normalize(deep.xyz / deep.w - near.xyz / near.w);
}
