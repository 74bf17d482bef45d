//! Samples of feet, headings and stops.

use crate::math::plan::to_plan;
use crate::math::{Ray, angle};
use crate::nav::follow::heading_to;
use crate::sim::{FootPlace, InstanceState, NavStatus, STEP_SECS, World};
use glam::{Quat, Vec3};

/// Smallest bend of a path that counts as a corner, radians.
const MIN_CORNER_RAD: f32 = 0.35;
/// Time after a corner at which the heading is measured, seconds.
const CORNER_SECS: f32 = 0.3;
/// Shortest way to the next corner at which the heading is measured, metres.
const MIN_STRAIGHT: f32 = 0.5;
/// Height above a sole from which the ground below it is looked for, metres.
const GROUND_ABOVE: f32 = 0.3;
/// Farthest ground below a sole that is measured, metres.
const MAX_GROUND_BELOW: f32 = 1.0;
/// Share of the full walking speed above which steps are counted.
const STEADY_SHARE: f32 = 0.9;

/// What a character did until the last step.
#[derive(Clone, Debug, Default)]
pub(super) struct CharacterTrack {
    pub feet: Option<[FootPlace; 2]>,
    pub yaw_rad: f32,
    /// Time since it last moved, seconds.
    pub rested_secs: f32,
    /// Where the leg to the next point of its path began, and that point.
    leg: Option<[Vec3; 2]>,
    /// Time since it passed a corner, seconds.
    corner_secs: Option<f32>,
    /// Whether it walked to a target.
    is_walking: bool,
    /// Whether it has arrived and not yet come to rest.
    is_stopping: bool,
}

/// Samples of the measures, in the units of the report.
#[derive(Clone, Debug, Default)]
pub(super) struct MotionSamples {
    pub drift: Vec<f64>,
    pub turn: Vec<f64>,
    pub off_ground: Vec<f64>,
    pub heading: Vec<f64>,
    pub stop: Vec<f64>,
    /// Simulation steps.
    pub steps: usize,
    /// Character steps at walking speed, and feet that came down in them.
    pub steady_steps: usize,
    pub steady_landings: usize,
    pub steady_way: f64,
    pub walked: f64,
    pub overlaps: usize,
    pub overlap_steps: usize,
}

impl MotionSamples {
    /// Drift, turn and height of the feet of a character that moves.
    pub fn add_feet(&mut self, world: &World, old: &[FootPlace; 2], new: &[FootPlace; 2]) {
        for (old, new) in old.iter().zip(new) {
            if let Some(low) = height_over_ground(world, new) {
                let off = if new.planted { low.abs() } else { (-low).max(0.0) };
                self.off_ground.push(f64::from(off) * 100.0);
            }
            if !(old.planted && new.planted) {
                continue;
            }
            let way = |point: usize| to_plan(new.sole[point]).distance(to_plan(old.sole[point]));
            // A foot rolls over its heel or its ball while the other end comes down or lifts.
            let drift = way(0).min(way(1));
            self.drift.push(f64::from(drift / STEP_SECS) * 100.0);
            let turn = yaw_of(new.rotation * old.rotation.inverse());
            self.turn.push(f64::from((turn / STEP_SECS).to_degrees()));
        }
    }

    /// Counts the steps of a character at walking speed.
    pub fn count_steps(&mut self, old: &[FootPlace; 2], new: &[FootPlace; 2], speed: f32, full_speed: f32) {
        if speed < STEADY_SHARE * full_speed || speed > full_speed / STEADY_SHARE || full_speed <= 0.0 {
            return;
        }
        self.steady_steps += 1;
        self.steady_way += f64::from(speed * STEP_SECS);
        self.steady_landings += old.iter().zip(new).filter(|(old, new)| new.planted && !old.planted).count();
    }

    /// Corners that a character passes, and where it stops; `stop_error` is that of one that rests at its target.
    pub fn follow(&mut self, track: &mut CharacterTrack, live: &InstanceState, stop_error: Option<f32>) {
        let walks = live.nav == NavStatus::Walking;
        let heading = live.path.first().and_then(|next| heading_to(live.now.position, *next));
        track.corner_secs = track.corner_secs.filter(|_| walks).map(|secs| secs + STEP_SECS);
        let next = live.path.first().filter(|_| walks);
        let passed = track.leg.zip(next).filter(|(leg, next)| leg[1] != **next);
        if let Some(([start, corner], next)) = passed {
            let bend = heading_to(start, corner).zip(heading_to(corner, *next));
            if bend.is_some_and(|(from, to)| angle::shortest_turn_rad(from, to).abs() > MIN_CORNER_RAD) {
                track.corner_secs = Some(0.0);
            }
        }
        track.leg = match (track.leg, next) {
            (Some(leg), Some(next)) if leg[1] == *next => Some(leg),
            (_, next) => next.map(|next| [live.now.position, *next]),
        };
        if let Some((_, heading)) = track.corner_secs.zip(heading).filter(|(secs, _)| *secs >= CORNER_SECS) {
            let off = angle::shortest_turn_rad(live.now.yaw_rad, heading).abs();
            // Right before another corner the path has two headings.
            if next.is_some_and(|next| next.distance(live.now.position) > MIN_STRAIGHT) {
                self.heading.push(f64::from(off.to_degrees()));
            }
            track.corner_secs = None;
        }
        let arrived = live.nav == NavStatus::Arrived;
        track.is_stopping = arrived && (track.is_stopping || track.is_walking);
        if let Some(error) = stop_error.filter(|_| track.is_stopping) {
            self.stop.push(f64::from(error.abs()) * 100.0);
            track.is_stopping = false;
        }
        track.is_walking = walks;
    }
}

/// Height of the lowest of heel, middle and ball over the ground below each; `None` where there is none.
fn height_over_ground(world: &World, foot: &FootPlace) -> Option<f32> {
    let tree = world.triangle_tree()?;
    let points = [foot.sole[0], (foot.sole[0] + foot.sole[1]) * 0.5, foot.sole[1]];
    let over = points.into_iter().filter_map(|point| {
        let ray = Ray { origin: point + Vec3::Y * GROUND_ABOVE, direction: Vec3::NEG_Y };
        let (_, way) = tree.raycast(&ray, GROUND_ABOVE + MAX_GROUND_BELOW)?;
        Some(way - GROUND_ABOVE)
    });
    over.reduce(f32::min)
}

/// Size of the turn about the upright axis of a rotation, radians.
fn yaw_of(rotation: Quat) -> f32 {
    2.0 * rotation.y.abs().atan2(rotation.w.abs())
}
