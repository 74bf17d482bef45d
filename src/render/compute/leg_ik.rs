//! Leg IK on the device. The twin of `anim/leg_solve.rs`, its specification.

use super::pipelines::{ComputePipelines, workgroups};
use crate::anim::leg_solve::{LegSolve, UnsolvedLeg};
use crate::render::types::{LEG_WORKGROUP, LegJob, NO_OVERRIDE};
use bytemuck::Zeroable;
use glam::{Quat, Vec3};

/// The job of a leg of an instance whose overrides begin at `first_override`; one that does nothing for values that are
/// not finite.
pub fn job(leg: &UnsolvedLeg, first_override: u32) -> LegJob {
    if !leg.solve.is_finite() {
        return LegJob::zeroed();
    }
    let point = |p: Vec3| p.extend(0.0).to_array();
    let LegSolve { count, joints, rotations, parent, target, turn, lift, toes, ahead, iterations } = leg.solve;
    LegJob {
        joints: joints.map(point),
        rotations: rotations.map(|q| q.to_array()),
        parent: parent.to_array(),
        goal: point(target),
        turn: turn.to_array(),
        lift: lift.to_array(),
        toes_rest: toes.unwrap_or(Quat::IDENTITY).to_array(),
        ahead: point(ahead),
        joint_count: count as u32,
        iterations,
        first_override: first_override + leg.first_override,
        toes_override: leg.toes_override.map_or(NO_OVERRIDE, |at| first_override + at),
    }
}

/// Jobs in whole workgroups: those that fill up the last one do nothing.
pub fn padded(jobs: &[LegJob]) -> Vec<LegJob> {
    let mut all = jobs.to_vec();
    all.resize(jobs.len().next_multiple_of(LEG_WORKGROUP as usize), LegJob::zeroed());
    all
}

/// Records the solving of `count` jobs, whole workgroups; the bind group is set already.
pub fn record(pass: &mut wgpu::ComputePass<'_>, pipelines: &ComputePipelines, count: u32) {
    let [x, y] = workgroups(count, LEG_WORKGROUP);
    pass.set_pipeline(&pipelines.leg_ik);
    pass.dispatch_workgroups(x, y, 1);
}
