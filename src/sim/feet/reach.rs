//! What legs reach: how far the pelvis goes down for feet that stand, and how far heels are lifted where that is not
//! enough.

use super::{Feet, Foot, POINTS, Scene, left_after_step};
use crate::anim::legs::{FootTarget, LegChain, LegPose, Legs};
use crate::math::plan::to_plan;
use crate::sim::STEP_SECS;
use glam::{Quat, Vec3};

/// Part of a leg's length up to which it is stretched.
pub(super) const STRETCH: f32 = 0.99;
/// Deepest pelvis, as a part of the leg.
const DEEPEST: f32 = 0.5;
/// Stiffness of the spring that the pelvis follows, per second.
const PELVIS_RATE: f32 = 11.0;
/// Fastest that a pelvis which its legs have held back goes on, against its owner, metres per second.
const HELD_SPEED: f32 = 1.2;
/// Steepest that a foot with its heel lifted stands on its ball, radians.
const HEEL_MOST: f32 = 1.35;
/// Part of that which is free; the pelvis goes down before more is needed.
const HEEL_FREE: f32 = 0.25;
/// Time in which half of a heel's lift has gone when it is not needed any more, seconds.
const HEEL_HALF_LIFE_SECS: f32 = 0.05;
/// Lifts smaller than this are none, radians.
pub(super) const HEEL_LEAST: f32 = 1e-3;
/// Halvings until a lift is known, to a thousandth.
const HALVINGS: u32 = 10;

/// What the animation has of a leg in a step, relative to the character.
#[derive(Clone, Copy, Debug)]
pub(super) struct Animated {
    /// Where the leg begins.
    pub(super) hip: Vec3,
    /// Where it ends.
    pub(super) ankle: Vec3,
    /// The points of the sole.
    pub(super) points: [Vec3; POINTS],
    /// Height of the lowest of them.
    pub(super) lowest: f32,
    /// Length of the leg, metres.
    pub(super) length: f32,
    /// How far from its hip the ankle is held: farther only where the animation has it farther.
    reach: f32,
    /// How far its heel may be lifted over what the animation does, radians.
    heel_most: f32,
}

impl Animated {
    /// Reads a leg, the first or second, from the pose of a model of this scale.
    pub(super) fn new(legs: &Legs, pose: &LegPose, leg: usize, scale: f32) -> Self {
        let [heel, ball] = legs.sole(pose, leg);
        let points = [heel, (heel + ball) * 0.5, ball];
        let LegChain { chain, length, .. } = &legs.legs[leg];
        let [hip, ankle] = [0, chain.len() - 1].map(|i| pose.places[chain[i]].position);
        let length = length * scale;
        let reach = (STRETCH * length).max(hip.distance(ankle));
        let lifted = (heel.y - ball.y).atan2(to_plan(ball - heel).length());
        let heel_most = (HEEL_MOST - lifted.max(0.0)).max(0.0);
        Self { hip, ankle, points, lowest: heel.y.min(ball.y), length, reach, heel_most }
    }

    /// How far the pelvis may be raised at most for the leg to reach an ankle; `None` for one too far aside.
    fn highest(&self, ankle: Vec3) -> Option<f32> {
        let side_squared = to_plan(ankle - self.hip).length_squared();
        let up_squared = self.reach * self.reach - side_squared;
        (up_squared > 0.0).then(|| ankle.y + up_squared.sqrt() - self.hip.y)
    }
}

impl Scene<'_> {
    /// Where both feet are wanted, relative to the character, and how high the pelvis may go for the legs to reach.
    /// The last is how high it goes at most if it heeds feet that come down.
    pub(super) fn targets(&self, feet: &Feet, animated: &[Animated; 2]) -> ([FootTarget; 2], f32, f32) {
        let mut bound = f32::INFINITY;
        let mut wanted = f32::INFINITY;
        let target = |i: usize| {
            let (foot, Animated { ankle, points, lowest, .. }) = (&feet.feet[i], animated[i]);
            let g = foot.shown.gradient;
            let turn = Quat::from_rotation_arc(Vec3::Y, Vec3::new(-g.x, 1.0, -g.y).normalize());
            let low = lowest - self.floor();
            let at = ankle + Vec3::new(foot.slide.x, 0.0, foot.slide.y);
            // As high over the ground as the animation is over its own.
            let height = points
                .iter()
                .zip(foot.shown.heights)
                .map(|(p, under)| {
                    let (flat_way, way) = (*p - ankle, turn * (*p - ankle));
                    low + under + g.dot(to_plan(way - flat_way)) - self.position.y - way.y
                })
                .fold(f32::NEG_INFINITY, f32::max);
            FootTarget { ankle: Vec3::new(at.x, height, at.z), turn, lift: Quat::IDENTITY }
        };
        let targets = [target(0), target(1)];
        for ((leg, target), foot) in animated.iter().zip(&targets).zip(&feet.feet) {
            if foot.planted {
                // No bound where the foot is too far aside.
                let Some(flat) = leg.highest(target.ankle) else { continue };
                let [free, most] = [HEEL_FREE, 1.0].map(|part| {
                    let lifted = self.lifted(target, leg, part * leg.heel_most);
                    leg.highest(lifted.ankle).map_or(flat, |height| height.max(flat))
                });
                (wanted, bound) = (wanted.min(free), bound.min(most));
            } else {
                // One that swings behind need not reach the line it is to take: it is drawn along.
                wanted = wanted.min(foot.hip_to_land - self.position.y - leg.hip.y);
            }
        }
        (targets, bound, wanted.min(bound))
    }

    /// The target of a foot whose heel is lifted by an angle: turned about its ball, which stays where it is.
    fn lifted(&self, target: &FootTarget, animated: &Animated, heel_rad: f32) -> FootTarget {
        let lift = Quat::from_axis_angle(self.facing * Vec3::X, heel_rad);
        let from_ball = target.turn * (animated.ankle - animated.points[POINTS - 1]);
        FootTarget { ankle: target.ankle + lift * from_ball - from_ball, lift, ..*target }
    }

    /// Lifts the heel of a foot that stands as far as its leg needs to reach it from hips raised by `raised`: who
    /// climbs leaves a step over the ball of the foot. The lift fades while the foot swings.
    pub(super) fn lift_heel(&self, foot: &mut Foot, target: &mut FootTarget, animated: &Animated, raised: f32) {
        let hip = animated.hip + Vec3::Y * raised;
        let over = |heel_rad: f32| self.lifted(target, animated, heel_rad).ankle.distance(hip) - animated.reach;
        let mut needed = 0.0;
        let flat_over = target.ankle.distance(hip) - animated.reach;
        let most = if foot.planted { animated.heel_most } else { foot.heel.min(animated.heel_most) };
        if most > 0.0 && flat_over > 0.0 && over(most) < flat_over {
            let (mut low, mut high) = (0.0, most);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if over(middle) > 0.0 { low = middle } else { high = middle }
            }
            needed = high;
        }
        let left = foot.heel * left_after_step(HEEL_HALF_LIFE_SECS);
        foot.heel = needed.max(left.min(animated.heel_most));
        if foot.heel >= HEEL_LEAST {
            *target = self.lifted(target, animated, foot.heel);
        } else {
            foot.heel = 0.0;
        }
    }
}

impl Feet {
    /// How far the pelvis is raised, at most by `bound`: its height in the world follows what is wanted smoothly.
    /// `floor` is the height of its owner, who climbs by `climb` metres per second, `sole` that of soles that stand in
    /// its clips; `leg` is the length of a leg.
    pub(super) fn hips(&mut self, (floor, sole): (f32, f32), climb: f32, (bound, wanted): (f32, f32), leg: f32) -> f32 {
        let wanted = floor - sole + (wanted + sole).clamp(-DEEPEST * leg, 0.0);
        if !self.ready {
            (self.hips, self.hips_speed, self.climb) = (wanted, 0.0, 0.0);
        }
        self.climb += (climb - self.climb) * (STEP_SECS / 0.25);
        let before = self.hips;
        let pull = PELVIS_RATE * PELVIS_RATE * (wanted - self.hips);
        self.hips_speed += (pull + 2.0 * PELVIS_RATE * (self.climb - self.hips_speed)) * STEP_SECS;
        self.hips += self.hips_speed * STEP_SECS;
        let least = -DEEPEST * leg;
        let most = bound.min(0.06 * leg).max(least);
        let raised = (self.hips - floor).clamp(least, most);
        if raised != self.hips - floor {
            self.hips = floor + raised;
            let speed = (self.hips - before) / STEP_SECS;
            self.hips_speed = speed.clamp(self.climb - HELD_SPEED, self.climb + HELD_SPEED);
        }
        raised
    }
}
