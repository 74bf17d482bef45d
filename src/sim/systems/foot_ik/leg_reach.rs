//! What the legs reach: how far the pelvis goes down for planted feet, and how far heels are lifted where that is not
//! enough.

use super::context::{AnimatedLeg, IkContext, left_after_step, slope_turn};
use crate::anim::legs::FootTarget;
use crate::sim::STEP_SECS;
use crate::sim::foot_state::{FeetState, FootState, SOLE_POINTS};
use glam::{Quat, Vec3};

/// Greatest drop of the pelvis, as a share of the leg.
const MAX_PELVIS_DROP: f32 = 0.5;
/// Stiffness of the spring that the pelvis follows, per second.
const PELVIS_RATE: f32 = 11.0;
/// Greatest speed of a pelvis at its bound relative to the character, metres per second.
const MAX_BOUND_SPEED: f32 = 1.2;
/// Share of the heel's lift that is used before the pelvis drops.
const FREE_HEEL: f32 = 0.25;
/// Half-life of a heel's lift that is not needed any more, seconds.
const HEEL_HALF_LIFE_SECS: f32 = 0.05;
/// Lifts below this are none, radians.
pub(super) const MIN_HEEL_RAD: f32 = 1e-3;
/// Bisections until a lift is known, to a thousandth.
const HALVINGS: u32 = 10;

/// How far the pelvis may be raised, metres; below zero it has to drop.
#[derive(Clone, Copy, Debug)]
pub(super) struct PelvisBounds {
    /// For the planted feet to reach the ground.
    pub reachable: f32,
    /// For the swinging feet to come down as well, with little lift of the heels.
    pub preferred: f32,
}

/// What moves the pelvis in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct PelvisInput {
    /// Height of the character in the world, metres.
    pub height: f32,
    /// Height of planted soles in the clips, relative to the character, metres.
    pub sole: f32,
    /// Vertical speed of the character, metres per second.
    pub climb: f32,
    /// Length of a leg, metres.
    pub leg: f32,
}

impl IkContext<'_> {
    /// Targets of both feet relative to the character, and the bounds of the pelvis.
    pub fn targets(&self, feet: &FeetState, animated: &[AnimatedLeg; 2]) -> ([FootTarget; 2], PelvisBounds) {
        let mut bound = f32::INFINITY;
        let mut wanted = f32::INFINITY;
        let target = |i: usize| {
            let (foot, AnimatedLeg { ankle, points, twist, .. }) = (&feet.feet[i], animated[i]);
            let turn = slope_turn(foot.shown.gradient);
            let low = self.shown_height(&animated[i]);
            let at = ankle + Vec3::new(foot.slide.x, 0.0, foot.slide.y);
            // As high over the ground as the animation is over its own.
            let height = points
                .iter()
                .zip(foot.shown.heights)
                .map(|(p, under)| low + under - self.position.y - (turn * (*p - ankle)).y)
                .fold(f32::NEG_INFINITY, f32::max);
            FootTarget { ankle: Vec3::new(at.x, height, at.z), turn: turn * twist, lift: Quat::IDENTITY }
        };
        let targets = [target(0), target(1)];
        for ((leg, target), foot) in animated.iter().zip(&targets).zip(&feet.feet) {
            if foot.planted {
                // No bound where the foot is too far aside.
                let Some(flat) = leg.highest(target.ankle) else { continue };
                let [free, most] = [FREE_HEEL, 1.0].map(|part| {
                    let lifted = self.lifted(target, leg, part * leg.max_heel_rad);
                    leg.highest(lifted.ankle).map_or(flat, |height| height.max(flat))
                });
                (wanted, bound) = (wanted.min(free), bound.min(most));
            } else {
                // A foot that swings behind need not reach its line: it follows.
                wanted = wanted.min(foot.hip_to_land - self.position.y - leg.hip.y);
            }
        }
        (targets, PelvisBounds { reachable: bound, preferred: wanted.min(bound) })
    }

    /// The target of a foot whose heel is lifted by an angle: turned about its ball, which stays where it is.
    fn lifted(&self, target: &FootTarget, animated: &AnimatedLeg, heel_rad: f32) -> FootTarget {
        let lift = Quat::from_axis_angle(self.facing * Vec3::X, heel_rad);
        let untwist = animated.twist.inverse();
        let from_ball = target.turn * untwist * (animated.ankle - animated.points[SOLE_POINTS - 1]);
        FootTarget { ankle: target.ankle + lift * from_ball - from_ball, lift, ..*target }
    }

    /// Lifts the heel of a foot that stands as far as its leg needs to reach it from hips raised by `raised`: a foot
    /// leaves a step of a climb over its ball. The lift fades while the foot swings.
    pub fn lift_heel(&self, foot: &mut FootState, target: &mut FootTarget, animated: &AnimatedLeg, raised: f32) {
        let hip = animated.hip + Vec3::Y * raised;
        let over = |heel_rad: f32| self.lifted(target, animated, heel_rad).ankle.distance(hip) - animated.reach;
        let mut needed = 0.0;
        let flat_over = target.ankle.distance(hip) - animated.reach;
        let most = if foot.planted { animated.max_heel_rad } else { foot.heel.min(animated.max_heel_rad) };
        if most > 0.0 && flat_over > 0.0 && over(most) < flat_over {
            let (mut low, mut high) = (0.0, most);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if over(middle) > 0.0 { low = middle } else { high = middle }
            }
            needed = high;
        }
        let left = foot.heel * left_after_step(HEEL_HALF_LIFE_SECS);
        foot.heel = needed.max(left.min(animated.max_heel_rad));
        if foot.heel >= MIN_HEEL_RAD {
            *target = self.lifted(target, animated, foot.heel);
        } else {
            foot.heel = 0.0;
        }
    }
}

impl FeetState {
    /// Moves the pelvis towards its preferred height by a critically damped spring, at most to where the legs reach.
    /// Returns how far it is raised, metres.
    pub(super) fn move_pelvis(&mut self, pelvis: &PelvisInput, bounds: PelvisBounds) -> f32 {
        let PelvisInput { height, sole, climb, leg } = *pelvis;
        let preferred = height - sole + (bounds.preferred + sole).clamp(-MAX_PELVIS_DROP * leg, 0.0);
        if !self.ready {
            (self.hips, self.hips_speed, self.climb) = (preferred, 0.0, 0.0);
        }
        self.climb += (climb - self.climb) * (STEP_SECS / 0.25);
        let before = self.hips;
        let acceleration = PELVIS_RATE * PELVIS_RATE * (preferred - self.hips);
        self.hips_speed += (acceleration + 2.0 * PELVIS_RATE * (self.climb - self.hips_speed)) * STEP_SECS;
        self.hips += self.hips_speed * STEP_SECS;
        let lowest = -MAX_PELVIS_DROP * leg;
        let highest = bounds.reachable.min(0.06 * leg).max(lowest);
        let raised = (self.hips - height).clamp(lowest, highest);
        if raised != self.hips - height {
            self.hips = height + raised;
            let speed = (self.hips - before) / STEP_SECS;
            self.hips_speed = speed.clamp(self.climb - MAX_BOUND_SPEED, self.climb + MAX_BOUND_SPEED);
        }
        raised
    }
}
