//! Leg IK of a single leg as plain data: the joints of its pose and its foot's target, which the processor or the device
//! ([`crate::render::compute::leg_ik`]) turns into rotations.

use super::fabrik::{MAX_CHAIN, shortest_arc, solve_chain};
use glam::{Quat, Vec3};

/// A leg to be solved. Positions and rotations are in any one space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegSolve {
    /// Number of joints, hip to foot: 2 to [`MAX_CHAIN`].
    pub count: usize,
    /// Their positions.
    pub joints: [Vec3; MAX_CHAIN],
    /// Their rotations.
    pub rotations: [Quat; MAX_CHAIN],
    /// Rotation of the node that carries the hip.
    pub parent: Quat,
    /// Where the last joint shall be.
    pub target: Vec3,
    /// Rotation on top of the foot's.
    pub turn: Quat,
    /// Rotation on top of `turn` that lifts the heel; the toes stay flat.
    pub lift: Quat,
    /// Rotation of the toes relative to the foot at rest, where the foot has toes.
    pub toes: Option<Quat>,
    /// Where knees bend to.
    pub ahead: Vec3,
    /// Most iterations of FABRIK.
    pub iterations: u32,
}

/// What is multiplied onto the local rotations of a leg from the right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegTurns {
    /// Of the joints, hip first.
    pub chain: [Quat; MAX_CHAIN],
    /// Of the toes.
    pub toes: Quat,
}

/// A leg that is left to the device, and the pose overrides that take its turns, counted from the first of its instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnsolvedLeg {
    /// What is solved.
    pub solve: LegSolve,
    /// The override of the hip; those of the other joints follow.
    pub first_override: u32,
    /// The override of the toes, where they bend.
    pub toes_override: Option<u32>,
}

impl LegSolve {
    /// Whether all of it is finite.
    pub fn is_finite(&self) -> bool {
        let n = self.count.min(MAX_CHAIN);
        let rotations = [self.parent, self.turn, self.lift];
        self.joints[..n].iter().chain([&self.target, &self.ahead]).all(|p| p.is_finite())
            && self.rotations[..n].iter().chain(&rotations).all(|q| q.is_finite())
    }

    /// Whether the toes are turned against the foot.
    pub fn bends_toes(&self) -> bool {
        self.toes.is_some() && self.lift != Quat::IDENTITY
    }

    /// Between this and another leg of the same chain.
    pub fn blend(&self, other: &Self, weight: f32) -> Self {
        let mut out = *other;
        for i in 0..out.count.min(MAX_CHAIN) {
            out.joints[i] = self.joints[i].lerp(other.joints[i], weight);
            out.rotations[i] = self.rotations[i].slerp(other.rotations[i], weight);
        }
        out.parent = self.parent.slerp(other.parent, weight);
        out.target = self.target.lerp(other.target, weight);
        out.turn = self.turn.slerp(other.turn, weight);
        out.lift = self.lift.slerp(other.lift, weight);
        out.ahead = self.ahead.lerp(other.ahead, weight);
        out
    }

    /// Solves it on the processor.
    pub fn solve(&self) -> LegTurns {
        let mut out = LegTurns { chain: [Quat::IDENTITY; MAX_CHAIN], toes: Quat::IDENTITY };
        let n = self.count.min(MAX_CHAIN);
        let old = self.joints;
        let mut new = old;
        solve_chain(&mut new[..n], self.target, self.ahead, self.iterations);
        let (mut parent, mut parent_before) = (self.parent, self.parent);
        for i in 0..n {
            let before = self.rotations[i];
            let turn = if i + 1 < n {
                let (a, b) = ((old[i + 1] - old[i]).try_normalize(), (new[i + 1] - new[i]).try_normalize());
                a.zip(b).map_or(Quat::IDENTITY, |(a, b)| shortest_arc(a, b))
            } else {
                self.lift * self.turn
            };
            let after = turn * before;
            // Right factor: parent' · local · turn = after.
            let local = parent_before.inverse() * before;
            out.chain[i] = (local.inverse() * parent.inverse() * after).normalize();
            (parent_before, parent) = (before, after);
        }
        if let Some(rest) = self.toes.filter(|_| self.bends_toes()) {
            // Right factor: lift · turn · foot · rest · toes = turn · foot · rest.
            let (lifted, resting) = (parent * rest, self.lift.inverse() * parent * rest);
            out.toes = (lifted.inverse() * resting).normalize();
        }
        out
    }
}
