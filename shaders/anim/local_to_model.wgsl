// Forward kinematics and skinning matrices. The twin of src/anim/local_to_model.rs.

#import "shared/types.wgsl"

@group(0) @binding(0) var<storage, read> nodes: array<NodeData>;
@group(0) @binding(4) var<storage, read> joints: array<JointData>;

@group(1) @binding(0) var<uniform> batch: PoseBatch;
@group(1) @binding(1) var<storage, read> jobs: array<PoseJob>;
@group(1) @binding(2) var<storage, read> locals: array<LocalTransform>;
@group(1) @binding(3) var<storage, read_write> model_from_node: array<Affine>;
@group(1) @binding(4) var<storage, read_write> skin: array<Affine>;

const POSE_WORKGROUP: u32 = 64u;

fn affine(local: LocalTransform) -> Affine {
    let q = local.rotation;
    let s = local.scale.xyz;
    let t = local.translation.xyz;
    let d = q.xyz * 2.0;
    let xx = q.x * d.x;
    let xy = q.x * d.y;
    let xz = q.x * d.z;
    let yy = q.y * d.y;
    let yz = q.y * d.z;
    let zz = q.z * d.z;
    let wx = q.w * d.x;
    let wy = q.w * d.y;
    let wz = q.w * d.z;
    return Affine(
        vec4<f32>((1.0 - yy - zz) * s.x, (xy - wz) * s.y, (xz + wy) * s.z, t.x),
        vec4<f32>((xy + wz) * s.x, (1.0 - xx - zz) * s.y, (yz - wx) * s.z, t.y),
        vec4<f32>((xz - wy) * s.x, (yz + wx) * s.y, (1.0 - xx - yy) * s.z, t.z),
    );
}

fn product_row(row: vec4<f32>, b: Affine) -> vec4<f32> {
    return row.x * b.row_0 + row.y * b.row_1 + row.z * b.row_2 + vec4<f32>(0.0, 0.0, 0.0, row.w);
}

fn product(a: Affine, b: Affine) -> Affine {
    return Affine(product_row(a.row_0, b), product_row(a.row_1, b), product_row(a.row_2, b));
}

// One invocation per instance: parents precede children, so one pass over the nodes suffices.
@compute @workgroup_size(POSE_WORKGROUP)
fn local_to_model(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= batch.job_count) {
        return;
    }
    let first = batch.first_node + id.x * batch.node_count;
    let node_limit = min(batch.node_count, arrayLength(&nodes));
    for (var i = 0u; i < node_limit; i++) {
        var m = affine(locals[first + i]);
        let parent = nodes[i].parent;
        if (parent < i) {
            m = product(model_from_node[first + parent], m);
        }
        model_from_node[first + i] = m;
    }
}

// One invocation per instance and joint.
@compute @workgroup_size(POSE_WORKGROUP)
fn model_to_skin(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.y * groups.x * POSE_WORKGROUP + id.x;
    if (index >= batch.job_count * batch.joint_count) {
        return;
    }
    let job = index / batch.joint_count;
    let joint = index % batch.joint_count;
    let node = joints[joint].node;
    var m = Affine(vec4<f32>(1.0, 0.0, 0.0, 0.0), vec4<f32>(0.0, 1.0, 0.0, 0.0), vec4<f32>(0.0, 0.0, 1.0, 0.0));
    if (node < batch.node_count) {
        m = product(model_from_node[batch.first_node + job * batch.node_count + node], joints[joint].node_from_mesh);
    }
    skin[jobs[batch.first_job + job].first_skin + joint] = m;
}
