//! Matrices down the skeleton on the device. The twin of `anim/pose.rs`, which says what it computes.

use super::{ComputePipelines, workgroups};
use crate::asset::{Joint, Skeleton};
use crate::render::types::{Joint as GpuJoint, NO_PARENT, Node, POSE_WORKGROUP};

/// Nodes as the device reads them.
pub fn pack_nodes(skeleton: &Skeleton) -> Vec<Node> {
    let parents = skeleton.parents.iter().map(|p| p.map_or(NO_PARENT, |p| p.0));
    parents
        .zip(&skeleton.rest)
        .map(|(parent, rest)| Node { rest: rest.into(), parent, pad_0: 0, pad_1: 0, pad_2: 0 })
        .collect()
}

/// Joints as the device reads them.
pub fn pack_joints(joints: &[Joint]) -> Vec<GpuJoint> {
    joints
        .iter()
        .map(|j| GpuJoint { node_from_mesh: (&j.node_from_mesh).into(), node: j.node.0, pad_0: 0, pad_1: 0, pad_2: 0 })
        .collect()
}

/// Records the matrices of `instances` instances with `joints` joints in all.
pub fn record(
    pass: &mut wgpu::ComputePass<'_>,
    pipelines: &ComputePipelines,
    skeleton: &wgpu::BindGroup,
    posing: &wgpu::BindGroup,
    instances: u32,
    joints: u32,
) {
    pass.set_bind_group(0, skeleton, &[]);
    pass.set_bind_group(1, posing, &[]);
    pass.set_pipeline(&pipelines.local_to_model);
    pass.dispatch_workgroups(instances.div_ceil(POSE_WORKGROUP), 1, 1);
    let [x, y] = workgroups(joints, POSE_WORKGROUP);
    pass.set_pipeline(&pipelines.model_to_skin);
    pass.dispatch_workgroups(x, y, 1);
}
