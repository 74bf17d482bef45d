//! Forward kinematics on the device. The twin of `anim/local_to_model.rs`, its specification.

use super::pipelines::{ComputePipelines, workgroups};
use crate::asset::{Joint, Skeleton};
use crate::render::types::{JointData, NO_PARENT, NodeData, POSE_WORKGROUP};

/// Nodes in device layout.
pub fn pack_nodes(skeleton: &Skeleton) -> Vec<NodeData> {
    let parents = skeleton.parents.iter().map(|p| p.map_or(NO_PARENT, |p| p.0));
    parents
        .zip(&skeleton.rest)
        .map(|(parent, rest)| NodeData { rest: rest.into(), parent, pad_0: 0, pad_1: 0, pad_2: 0 })
        .collect()
}

/// Joints in device layout.
pub fn pack_joints(joints: &[Joint]) -> Vec<JointData> {
    joints
        .iter()
        .map(|j| JointData { node_from_mesh: (&j.node_from_mesh).into(), node: j.node.0, pad_0: 0, pad_1: 0, pad_2: 0 })
        .collect()
}

/// Records the matrices of `instances` instances with `joints` joints in all; the bind groups are set already.
pub fn record(pass: &mut wgpu::ComputePass<'_>, pipelines: &ComputePipelines, instances: u32, joints: u32) {
    pass.set_pipeline(&pipelines.local_to_model);
    pass.dispatch_workgroups(instances.div_ceil(POSE_WORKGROUP), 1, 1);
    let [x, y] = workgroups(joints, POSE_WORKGROUP);
    pass.set_pipeline(&pipelines.model_to_skin);
    pass.dispatch_workgroups(x, y, 1);
}
