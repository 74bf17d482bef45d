// Bind group 0 of all drawing passes.

#import "shared/types.wgsl"

@group(0) @binding(0) var<uniform> frame: FrameUniforms;
@group(0) @binding(1) var<storage, read> instances: array<InstanceData>;
// Indices into `instances`, in drawing order.
@group(0) @binding(2) var<storage, read> visible: array<u32>;
// Model space from mesh space per instance and joint.
@group(0) @binding(3) var<storage, read> skin: array<Affine>;
