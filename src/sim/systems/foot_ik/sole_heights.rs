//! The heights of the ground under each sole, over time: planted feet keep theirs, swinging feet take a line over what is
//! in their way, and no height jumps.

use super::context::{AnimatedLeg, IkContext, MAX_SLIDE, MAX_STRETCH, left_after_step};
use super::leg_reach::MIN_HEEL_RAD;
use crate::anim::foot_contacts::FootContact;
use crate::math::plan::to_plan;
use crate::math::smoothstep;
use crate::sim::STEP_SECS;
use crate::sim::foot_state::{FootProbe, FootState, GroundPlane, SOLE_POINTS, SoleHeights};
use glam::Vec2;

/// Half-life of a jump between heights, seconds.
const HALF_LIFE_SECS: f32 = 0.035;
/// Greatest speed of a foot down onto its ground, metres per second at scale 1.
const MAX_FOOT_FALL_SPEED: f32 = 3.2;
/// A planted foot probes the ground again after this distance, metres at scale 1.
const REPROBE_DISTANCE: f32 = 0.03;
/// Turns beyond the clip below this are none, radians.
const MIN_TWIST_RAD: f32 = 2e-3;
/// Clearance below a foot that swings over an obstacle, as a share of the leg.
const SWING_CLEARANCE: f32 = 0.025;
/// How far ahead a swinging foot probes for obstacles, seconds.
const LOOK_AHEAD_SECS: f32 = 0.09;
/// Allowance of the pelvis for a foot that comes down, as a share of the leg: on flat ground it has no effect.
const PELVIS_SLACK: f32 = 0.05;
/// Slopes, rise over run, and slides, metres, that fade away end below this: what decays by a share in each step is never
/// zero by itself, and a foot would be turned by it ever after.
const MIN_FADING: f32 = 1e-5;
/// Corrections below this are none, metres.
pub(super) const MIN_CORRECTION: f32 = 5e-4;

impl FootState {
    /// Whether it is over flat ground at this height without any correction.
    pub fn is_even(&self, floor: f32) -> bool {
        self.shown.heights.iter().all(|h| (h - floor).abs() < MIN_CORRECTION)
            && self.shown.gradient.length_squared() < 1e-6
            && self.slide.length() < MIN_CORRECTION
            && self.twist.abs() < MIN_TWIST_RAD
            && self.restep == 0.0
            && self.heel < MIN_HEEL_RAD
    }

    /// Makes the new heights continue the shown ones: the difference becomes lag.
    fn carry_over(&mut self, old: &Self, points: &[Vec2; SOLE_POINTS], new: &SoleHeights) {
        self.lag.heights = std::array::from_fn(|i| {
            let moved = points[i] - (old.sole[i] + old.slide);
            old.shown.heights[i] - old.arc + old.shown.gradient.dot(moved) - new.heights[i]
        });
        self.lag.gradient = old.shown.gradient - new.gradient;
    }

    /// Lets the lag decay by one step.
    fn fade(&mut self, scale: f32) {
        let fade = left_after_step(HALF_LIFE_SECS);
        let most = MAX_FOOT_FALL_SPEED * scale * STEP_SECS;
        for lag in &mut self.lag.heights {
            *lag = (*lag * fade).abs().min((lag.abs() - most).max(0.0)).copysign(*lag);
        }
        self.lag.gradient = faded(self.lag.gradient * fade);
    }
}

/// What is left of a slope or slide that fades away.
fn faded(left: Vec2) -> Vec2 {
    if left.length_squared() < MIN_FADING * MIN_FADING { Vec2::ZERO } else { left }
}

impl IkContext<'_> {
    /// The state of a foot after a step of the clip.
    pub fn foot(&self, old: &FootState, stance: &FootContact, animated: &AnimatedLeg, known: bool) -> FootState {
        let mut foot = *old;
        let at = to_plan(self.position);
        // A foot turns to the slope about its ankle, which moves its sole: here by the slope of the last step.
        let sole = animated.sole_on(old.shown.gradient).map(|p| p + at);
        if !known {
            let (ground, gradient) = self.support(sole);
            let sole = animated.sole_on(gradient).map(|p| p + at);
            let shown = SoleHeights { heights: std::array::from_fn(|i| ground[i].height_at(sole[i])), gradient };
            let lift_off = GroundPlane { at: sole[2], height: shown.heights[2], gradient };
            return FootState {
                heading: old.heading,
                planted: stance.planted,
                ground,
                gradient,
                shown,
                lift_off,
                land: lift_off.height,
                sole,
                ..FootState::default()
            };
        }
        foot.fade(self.scale);
        foot.planted = stance.planted;
        self.hold(&mut foot, old.planted, stance, sole, animated);
        let points = sole.map(|s| s + foot.slide);
        let under = if stance.planted {
            let moved = points[2].distance(foot.ground[2].at) > REPROBE_DISTANCE * self.scale;
            if !old.planted || moved {
                (foot.ground, foot.gradient) = self.support(points);
                foot.raise = 0.0;
            }
            let heights = std::array::from_fn(|i| foot.ground[i].height_at(points[i]));
            let under = SoleHeights { heights, gradient: foot.gradient };
            if !old.planted || moved {
                foot.carry_over(old, &points, &under);
            }
            under
        } else {
            if !old.planted {
                self.swing(&mut foot, false, stance, points, animated)
            } else {
                let old = &FootState { shown: animated.carried(&old.shown), ..*old };
                foot.lift_off =
                    GroundPlane { at: points[2], height: old.shown.heights[2] - old.arc, gradient: old.shown.gradient };
                let under = self.swing(&mut foot, true, stance, points, animated);
                foot.carry_over(old, &points, &under);
                under
            }
        };
        foot.shown.heights = std::array::from_fn(|i| under.heights[i] + foot.lag.heights[i] + foot.arc);
        foot.shown.gradient = under.gradient + foot.lag.gradient;
        foot.sole = animated.sole_on(foot.shown.gradient).map(|p| p + at);
        if stance.planted && old.planted {
            // What carries stays where it is while the slope still changes.
            let carrying = animated.carrying(old.heel);
            foot.slide -= foot.sole[carrying] - sole[carrying];
        }
        for (i, height) in foot.shown.heights.iter_mut().enumerate() {
            *height += foot.shown.gradient.dot(foot.sole[i] + foot.slide - points[i]);
        }
        foot
    }

    /// The ground under a swinging foot: the line from where it stood to where it comes down, raised over obstacles.
    fn swing(
        &self,
        foot: &mut FootState,
        begins: bool,
        stance: &FootContact,
        points: [Vec2; SOLE_POINTS],
        animated: &AnimatedLeg,
    ) -> SoleHeights {
        let left_secs = stance.landing_secs / self.rate;
        let share = if stance.swing_secs > 0.0 { 1.0 - stance.landing_secs / stance.swing_secs } else { 1.0 };
        let ball = points[2];
        // Where it comes down if velocity and heading stay as they are.
        let there = to_plan(self.position + self.velocity * left_secs + self.facing * (stance.landing * self.scale));
        let probes = begins || self.probes_ahead;
        if probes {
            let (landing, gradient) = self.support(points.map(|p| there + p - ball));
            let heights = landing.iter().map(|g| g.height + gradient.dot(there - g.at));
            foot.probe.landing = heights.fold(f32::NEG_INFINITY, f32::max);
            foot.probe.gradient = gradient;
        }
        let FootProbe { landing: height, gradient, .. } = foot.probe;
        let nearer = if begins { 1.0 } else { 1.0 - left_after_step(HALF_LIFE_SECS) };
        foot.land += (height - foot.land) * nearer;
        let (gone, whole) = (ball - foot.lift_off.at, there - foot.lift_off.at);
        let progress = if whole.length() > 0.1 * self.scale {
            (gone.dot(whole) / whole.length_squared()).clamp(0.0, 1.0)
        } else {
            smoothstep(share)
        };
        let base = foot.lift_off.height + (foot.land - foot.lift_off.height) * progress;
        let gradient = foot.lift_off.gradient.lerp(gradient, smoothstep(share));
        let heights = points.map(|p| base + gradient.dot(p - ball));
        let length = animated.length;
        let ahead = (ball - foot.sole[2] - foot.slide) * (LOOK_AHEAD_SECS.min(left_secs) / STEP_SECS);
        let ahead = ball + ahead.clamp_length_max((there - ball).length());
        let low = self.height_in_clip(animated);
        let room = SWING_CLEARANCE * length * (4.0 * (1.0 - share)).min(1.0);
        if probes {
            foot.probe.over = [points[0], points[1], ball, ball + (ball - points[0]) * 0.5, ahead]
                .into_iter()
                .filter_map(|p| Some(self.ground(p)?.height - base - gradient.dot(p - ball)))
                .fold(f32::NEG_INFINITY, f32::max);
        }
        let needed = (foot.probe.over + room - low.max(0.0)).max(0.0);
        let toe_out = points[2] - foot.slide - to_plan(animated.ankle + self.position);
        let side = to_plan(self.facing * (stance.landing * self.scale) - animated.hip) - toe_out;
        let side = side.length().min(MAX_STRETCH * length);
        let stretched = ((MAX_STRETCH * length).powi(2) - side * side).max(0.0).sqrt();
        let over_sole = animated.ankle.y - animated.lowest;
        // Less the height that the character will have climbed by then.
        let land = foot.land - self.climb * left_secs;
        foot.hip_to_land =
            if share > 0.3 { land + over_sole + stretched + PELVIS_SLACK * length } else { f32::INFINITY };
        let most = MAX_FOOT_FALL_SPEED * self.scale * STEP_SECS;
        foot.raise = needed.clamp((foot.raise - most).max(0.0), foot.raise + 1.5 * most);
        SoleHeights { heights: heights.map(|h| h + foot.raise), gradient }
    }

    /// Keeps a planted foot from sliding.
    fn hold(
        &self,
        foot: &mut FootState,
        stood: bool,
        stance: &FootContact,
        sole: [Vec2; SOLE_POINTS],
        animated: &AnimatedLeg,
    ) {
        let low = animated.carrying(foot.heel);
        if foot.restep > 0.0 {
            foot.slide = foot.restep_from.0 * (1.0 - smoothstep(foot.restep));
            return;
        }
        if foot.planted && stood {
            foot.slide -= sole[low] - foot.sole[low];
        } else if !foot.planted {
            let left_secs = (stance.landing_secs / self.rate).max(STEP_SECS);
            foot.slide = faded(foot.slide * (1.0 - 3.0 * STEP_SECS / left_secs).clamp(0.0, 0.97));
        }
        foot.slide = foot.slide.clamp_length_max(MAX_SLIDE * animated.length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lags_behind_the_ground_comes_to_an_end() {
        let lag = SoleHeights { heights: [0.2, -0.2, 0.01], gradient: Vec2::new(0.5, -0.8) };
        let mut foot = FootState { lag, ..FootState::default() };
        foot.fade(1.0);
        assert!(foot.lag.heights[0] > 0.1 && foot.lag.gradient.length() > 0.5, "{:?}", foot.lag);
        for _ in 0..59 {
            foot.fade(1.0);
        }
        assert_eq!((foot.lag.heights, foot.lag.gradient), ([0.0; SOLE_POINTS], Vec2::ZERO), "after a second");
    }
}
