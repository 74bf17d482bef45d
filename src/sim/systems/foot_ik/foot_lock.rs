//! Feet that stand keep their place and heading: while a clip stands, a foot that is off its place there steps back to it;
//! one that is not at rest yet is let go until it is.

use super::context::{AnimatedLeg, IkContext, left_after_step};
use crate::anim::foot_contacts::FootContact;
use crate::math::angle;
use crate::math::plan::to_plan;
use crate::math::smoothstep;
use crate::sim::STEP_SECS;
use crate::sim::foot_state::{FootState, SOLE_POINTS};
use glam::Vec2;

/// Greatest turn of a foot beyond its clip, radians.
const MAX_TWIST_RAD: f32 = 1.1;
/// Half-life of that turn while the foot swings, seconds.
const TWIST_HALF_LIFE_SECS: f32 = 0.06;
/// Turn below which it has ended, radians, and height below which that of an unfinished step has, metres.
const MIN_FADING: f32 = 1e-5;
/// Time of a step back to its place, seconds: the longest, and the shortest.
const RESTEP_SECS: [f32; 2] = [0.27, 0.12];
/// Turn of the body during such a step, radians: a faster one hurries it, so that the foot that stands is not turned beyond
/// [`MAX_TWIST_RAD`] until it may step.
const RESTEP_TURN_RAD: f32 = 0.9;
/// Offset and turn beyond the clip from which on a foot steps back in a clip that stands: a share of the leg, and radians.
const STANDING_RESTEP: (f32, f32) = (0.05, 0.2);
/// The same in a clip that steps, where the foot would be dragged along. The limits lie so much higher that no foot comes to
/// them within a step.
const STEPPING_RESTEP: (f32, f32) = (0.19, 0.9);
/// Height of such a step, as a share of its length, and at least as a share of the leg.
const RESTEP_ARC: [f32; 2] = [0.15, 0.03];
/// Half-life of the height of a step that is not finished, seconds.
const ARC_HALF_LIFE_SECS: f32 = 0.03;
/// Speed over the ground below which a foot comes to stand in a clip that stands, metres per second at scale 1.
const SETTLED_SPEED: f32 = 0.25;
/// Height over the soles of planted feet from which on a foot is in the air, as a share of the leg.
const HOVER_SHARE: f32 = 0.035;
/// Time and length of the swing that a foot is given that is not settled yet, seconds.
const SETTLING_SECS: [f32; 2] = [0.1, 0.3];

impl IkContext<'_> {
    /// Holds the headings of both feet, lets them step back to their places, and gives the contacts that follow.
    pub fn lock_feet(
        &self,
        feet: &mut [FootState; 2],
        contacts: &[FootContact; 2],
        animated: &mut [AnimatedLeg; 2],
        known: bool,
    ) -> [FootContact; 2] {
        let mut turned_rad = 0.0_f32;
        for ((foot, contact), leg) in feet.iter_mut().zip(contacts).zip(&mut *animated) {
            turned_rad = turned_rad.max(self.hold_heading(foot, contact, leg, known).abs());
        }
        let restep_secs = restep_secs(turned_rad / STEP_SECS);
        let mut out = *contacts;
        for i in 0..2 {
            let others = feet[1 - i].restep > 0.0;
            let (foot, leg) = (&mut feet[i], &animated[i]);
            if !known || !contacts[i].planted {
                (foot.restep, foot.arc) = (0.0, faded(foot.arc * left_after_step(ARC_HALF_LIFE_SECS)));
                continue;
            }
            let steps = contacts[i].steps;
            if foot.restep > 0.0 || foot.planted && (steps || !others) && is_off(foot, leg, steps) {
                self.advance_restep(foot, leg, restep_secs);
            }
            let left = SETTLING_SECS.map(|secs| secs * self.rate);
            if foot.restep > 0.0 {
                let swing_secs = restep_secs * self.rate;
                out[i] = self.swinging(leg, [(1.0 - foot.restep) * swing_secs, swing_secs]);
            } else if !foot.planted && self.is_unsettled(foot, leg, steps) {
                out[i] = self.swinging(leg, left);
            }
        }
        out
    }

    /// Keeps the heading of a foot that stands, by a turn beyond the clip. Returns by how much its clip has turned it since the last
    /// step of the simulation, radians.
    fn hold_heading(&self, foot: &mut FootState, contact: &FootContact, leg: &mut AnimatedLeg, known: bool) -> f32 {
        let along = leg.points[SOLE_POINTS - 1] - leg.points[0];
        let heading = angle::yaw_of_direction(along).unwrap_or(foot.heading);
        let turned = angle::shortest_turn_rad(foot.heading, heading);
        foot.heading = heading;
        if !known {
            foot.twist = 0.0;
        } else if foot.restep > 0.0 {
            foot.twist = foot.restep_from.1 * (1.0 - smoothstep(foot.restep));
        } else if foot.planted && contact.planted {
            foot.twist = (foot.twist - turned).clamp(-MAX_TWIST_RAD, MAX_TWIST_RAD);
        } else {
            foot.twist = faded(foot.twist * left_after_step(TWIST_HALF_LIFE_SECS));
        }
        if foot.twist != 0.0 {
            *leg = leg.twisted(foot.twist);
        }
        if known && contact.planted { turned } else { 0.0 }
    }

    /// Begins a step back to the foot's place, or goes on with it.
    fn advance_restep(&self, foot: &mut FootState, leg: &AnimatedLeg, restep_secs: f32) {
        if foot.restep == 0.0 {
            foot.restep_from = (foot.slide, foot.twist);
        }
        foot.restep += STEP_SECS / restep_secs;
        if foot.restep >= 1.0 {
            (foot.restep, foot.arc, foot.slide, foot.twist) = (0.0, 0.0, Vec2::ZERO, 0.0);
            // It stands from here on.
            foot.planted = true;
            foot.sole = leg.sole_on(foot.shown.gradient).map(|p| p + to_plan(self.position));
            return;
        }
        let [share, least] = RESTEP_ARC;
        let height = (share * foot.restep_from.0.length()).max(least * leg.length);
        foot.arc = height * 4.0 * foot.restep * (1.0 - foot.restep);
    }

    /// A contact of a foot that swings to where the clip has it.
    fn swinging(&self, leg: &AnimatedLeg, [landing_secs, swing_secs]: [f32; 2]) -> FootContact {
        let landing = self.facing.inverse() * leg.points[SOLE_POINTS - 1] / self.scale.max(1e-6);
        FootContact { planted: false, landing_secs, swing_secs, landing, ..FootContact::default() }
    }

    /// Whether a foot that its clip has planted is still on its way there from the clip before: in the air, or moving in a
    /// clip that stands.
    fn is_unsettled(&self, foot: &FootState, leg: &AnimatedLeg, steps: bool) -> bool {
        let hovers = self.height_in_clip(leg) > HOVER_SHARE * leg.length;
        hovers || (!steps && self.sole_speed(foot, leg) > SETTLED_SPEED * self.scale)
    }

    /// Speed over the ground of the carrying part of a foot in the clip.
    fn sole_speed(&self, foot: &FootState, leg: &AnimatedLeg) -> f32 {
        let carrying = leg.carrying(foot.heel);
        let at = leg.sole_on(foot.shown.gradient)[carrying] + to_plan(self.position);
        at.distance(foot.sole[carrying]) / STEP_SECS
    }
}

/// Time of a step back while the body turns so fast, radians per second.
fn restep_secs(turn_rate_rad: f32) -> f32 {
    let [longest, shortest] = RESTEP_SECS;
    (RESTEP_TURN_RAD / turn_rate_rad.max(f32::MIN_POSITIVE)).clamp(shortest, longest)
}

/// What is left of a turn or height that fades away.
fn faded(left: f32) -> f32 {
    if left.abs() < MIN_FADING { 0.0 } else { left }
}

/// Whether a foot is so far off its place that it steps back, in a clip that `steps` or that stands.
fn is_off(foot: &FootState, leg: &AnimatedLeg, steps: bool) -> bool {
    let (slide, twist_rad) = if steps { STEPPING_RESTEP } else { STANDING_RESTEP };
    foot.slide.length() > slide * leg.length || foot.twist.abs() > twist_rad
}
