// Where instances stand. The twin of src/render/instance_data.rs.

#import "shared/types.wgsl"

// A vector turned by a unit quaternion.
fn turned_by(rotation: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return v + 2.0 * cross(rotation.xyz, cross(rotation.xyz, v) + rotation.w * v);
}

// A place in the model of an instance, relative to the eye.
fn relative_place(instance: InstanceData, in_model: vec3<f32>) -> vec3<f32> {
    return instance.position + turned_by(instance.rotation, in_model * instance.scale);
}

// -1 for an instance that is mirrored, else 1.
fn handedness(instance: InstanceData) -> f32 {
    return select(1.0, -1.0, instance.scale < 0.0);
}
