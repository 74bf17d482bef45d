//! Foot IK: puts the feet of characters on the ground, and the pelvis where the legs reach.
//!
//! A clip moves feet over flat ground. Three heights a foot, under heel, middle and ball, and a slope replace that
//! ground: a planted foot keeps the ground it came down on; a swinging foot follows the line from where it left the
//! ground to where it comes down, raised over obstacles. Heights never jump: the difference to new ones decays within
//! hundredths of a second. A planted foot does not slide: its offset against the clip is given back while it swings.

mod context;
mod foot_lock;
mod leg_reach;
mod sole_heights;

use crate::anim::Playback;
use crate::anim::controller::MAX_SHORTENING;
use crate::anim::foot_contacts::FootContact;
use crate::anim::inertialization::Transition;
use crate::anim::leg_solve::LegSolve;
use crate::anim::legs::{FootTarget, LegIkResult, LegPose, Legs, Similarity};
use crate::collide::ground::Vicinity;
use crate::math::plan::to_plan;
use crate::math::{Aabb, smoothstep};
use crate::sim::STEP_SECS;
use crate::sim::character::{CharacterState, InstanceParams};
use crate::sim::derived::level::LevelGeometry;
use crate::sim::foot_state::{FeetState, UnsolvedLegs};
use crate::sim::instance::{InstanceState, Role};
use crate::sim::pose::inertia_at;
use context::{AnimatedLeg, IkContext};
use glam::{Quat, Vec3};
use leg_reach::PelvisInput;
use sole_heights::MIN_CORRECTION;

/// Time in which the correction comes and goes, seconds.
const EASE_SECS: f32 = 0.25;
/// Share by which strides are shorter for each metre of climb a metre of way.
const SHORTENING: f32 = 0.5;
/// Time in which strides adapt to a slope, seconds.
const SHORTENING_SECS: f32 = 0.3;
/// Shortenings below this are none.
const MIN_SHORTENING: f32 = 0.01;
/// Speed below which a movement counts as less of a climb, metres per second.
const MIN_CLIMBING_SPEED: f32 = 0.7;
/// How far around the feet triangles are loaded beyond what a step needs, as a share of the leg: with more of them each
/// step tests more, with fewer they are loaded more often.
const VICINITY_MARGIN: f32 = 0.35;
/// Steps in which a swinging foot probes the ground ahead once, among few: a thirtieth of a second is often enough.
pub const PROBE_PERIOD: u64 = 2;
/// Longest movement in a step that is no teleport, metres.
const MAX_STEP_DISTANCE: f32 = 1.0;

/// Settings of foot IK in a step.
#[derive(Clone, Copy, Debug)]
pub struct FootIkSettings {
    /// Whether feet are corrected.
    pub enabled: bool,
    /// Whether legs are left to the graphics device.
    pub on_device: bool,
    /// Iterations of the solver.
    pub iterations: u32,
    /// Number of the step.
    pub step: u64,
    /// Steps in which each swinging foot probes the ground ahead once.
    pub probe_period: u64,
}

/// Rotation and scale of a character's model; positions are relative to the character.
fn root(params: &InstanceParams, yaw_rad: f32) -> Similarity {
    let m = params.tilt.standing_at(Vec3::ZERO, yaw_rad, 1.0);
    Similarity { position: Vec3::ZERO, rotation: Quat::from_mat4(&m), scale: params.scale }
}

/// Tracks which feet of a character are planted on its plane; the clips need no correction there.
pub fn track_on_plane(instance: &mut InstanceState, character: &mut CharacterState) {
    instance.now.feet = LegIkResult::default();
    character.unsolved_legs = None;
    let CharacterState { binding, feet, locomotion, .. } = character;
    let Some(legs) = binding.rig.legs.as_ref().filter(|_| binding.role == Role::Character) else { return };
    let planted = [0, 1].map(|i| legs.stance(&instance.now.playback, i).1.planted);
    feet.update_planted(planted, instance.on_ground && locomotion.speed > 0.0);
}

/// Puts the feet of the character at `index` in the arrays on the ground; the correction goes to
/// `instance.now.feet`.
pub fn solve(
    level: &LevelGeometry,
    settings: FootIkSettings,
    index: usize,
    instance: &mut InstanceState,
    character: &mut CharacterState,
) {
    instance.now.feet = LegIkResult::default();
    let transition = character.transition;
    let CharacterState { binding, params, feet, vicinity, locomotion, unsolved_legs, size, .. } = character;
    let left_before = unsolved_legs.take();
    let Some(legs) = binding.rig.legs.as_ref().filter(|_| binding.role == Role::Character) else { return };
    let contacts = [0, 1].map(|i| legs.stance(&instance.now.playback, i));
    feet.update_planted(contacts.map(|(_, contact)| contact.planted), instance.on_ground && locomotion.speed > 0.0);
    let is_wanted = settings.enabled && instance.on_ground && params.tilt.is_upright();
    let wanted = f32::from(is_wanted);
    let change = STEP_SECS / EASE_SECS;
    let ease = feet.ease.map_or(wanted, |ease| ease + (wanted - ease).clamp(-change, change));
    feet.ease = Some(ease);
    if ease == 0.0 {
        (feet.ready, feet.shortening) = (false, 0.0);
        return;
    }
    if instance.now.position.distance(instance.before.position) > MAX_STEP_DISTANCE {
        feet.ready = false;
    }
    let mut root = root(params, instance.now.yaw_rad);
    root.position = root.rotation * instance.now.root_in_model() * root.scale;
    let leg = legs.legs[0].length * root.scale;
    cover_feet(level, instance.now.position, leg, size.height, vicinity);
    let shortening = shorten_strides(feet, instance, transition);
    let rate = clip_rate(legs, contacts[0].0, instance);
    let contacts = contacts.map(|(_, contact)| if rate < 0.0 { contact.backwards() } else { contact });
    let context = IkContext {
        shortening,
        contact: level.contact(),
        supports: &vicinity.supports,
        legs,
        position: instance.now.position,
        scale: root.scale,
        rate: rate.abs(),
        velocity: instance.now.velocity,
        climb: feet.climb,
        facing: Quat::from_rotation_y(instance.now.yaw_rad),
        high: level.settings.step_height.min(0.5 * leg) + 0.03,
        low: -(level.settings.step_height.min(0.4 * leg) + 0.3 * leg),
        probes_ahead: (settings.step + index as u64).is_multiple_of(settings.probe_period),
    };
    let pose = legs.pose(&instance.now.playback, inertia_at(instance, 1.0), root);
    let climb = if feet.ready { (instance.now.position.y - instance.before.position.y) / STEP_SECS } else { 0.0 };
    let (change, legs) = solve_legs(&context, feet, &pose, &contacts, climb, settings.iterations);
    let Some(to_solve) = legs else {
        instance.now.feet = change;
        return;
    };
    instance.now.feet = if settings.on_device { change } else { context.legs.solved(change, &to_solve) };
    if settings.on_device {
        let before = left_before.map_or(to_solve, |legs| legs.now);
        *unsolved_legs = Some(Box::new(UnsolvedLegs { before, now: to_solve }));
    }
}

/// Share by which strides are shortened on slopes and stairs, smoothly: as people climb, and so that legs need not stretch.
/// Cross-fades have the strides of the clips.
fn shorten_strides(feet: &mut FeetState, instance: &InstanceState, transition: Transition) -> f32 {
    let speed = to_plan(instance.now.velocity).length();
    let slope = feet.climb.abs() / speed.max(MIN_CLIMBING_SPEED);
    let wanted = match transition {
        Transition::Inertial => (SHORTENING * slope).min(MAX_SHORTENING),
        Transition::CrossFade => 0.0,
    };
    feet.shortening += (wanted - feet.shortening) * (STEP_SECS / SHORTENING_SECS);
    if wanted < MIN_SHORTENING && feet.shortening < MIN_SHORTENING {
        feet.shortening = 0.0;
    }
    feet.shortening
}

/// Loads the triangles around the feet of a body of this height, and as far up as its contact with the level needs them:
/// it would load them again in the next step, for less than the feet reach.
fn cover_feet(level: &LevelGeometry, p: Vec3, leg: f32, height: f32, vicinity: &mut Vicinity) {
    let reach = 0.95 * leg;
    let up = leg.max(level.settings.step_height.max(0.02) + height);
    let around = Aabb::new(p - Vec3::new(reach, leg, reach), p + Vec3::new(reach, up, reach));
    vicinity.cover(&around, Vec3::splat(VICINITY_MARGIN * leg), level.contact(), &level.tree);
}

/// Advances both feet and the pelvis by a step of a character that climbs by `climb` metres per second. Returns what
/// moves the pelvis, and the legs to be solved where they do not go with it.
fn solve_legs(
    context: &IkContext,
    feet: &mut FeetState,
    pose: &LegPose,
    contacts: &[FootContact; 2],
    climb: f32,
    iterations: u32,
) -> (LegIkResult, Option<[LegSolve; 2]>) {
    let (legs, height, sole) = (context.legs, context.position.y, context.floor());
    let mut animated = [0, 1].map(|i| AnimatedLeg::new(legs, pose, i, context.scale));
    let mut contacts = *contacts;
    if context.shortening > 0.0 {
        let ahead = context.facing * Vec3::Z;
        for (contact, leg) in contacts.iter_mut().zip(&mut animated) {
            let hip = (context.facing.inverse() * leg.hip).z / context.scale.max(1e-6);
            contact.landing.z += (hip - contact.landing.z) * context.shortening;
            *leg = leg.shortened(ahead, context.shortening);
        }
    }
    let contacts = context.lock_feet(&mut feet.feet, &contacts, &mut animated, feet.ready);
    for (i, contact) in contacts.iter().enumerate() {
        feet.feet[i] = context.foot(&feet.feet[i], contact, &animated[i], feet.ready);
    }
    let (mut targets, bounds) = context.targets(feet, &animated);
    let leg = legs.legs[0].length * context.scale;
    let raised = feet.move_pelvis(&PelvisInput { height, sole, climb, leg }, bounds);
    for ((foot, target), animated) in feet.feet.iter_mut().zip(&mut targets).zip(&animated) {
        context.lift_heel(foot, target, animated, raised);
    }
    feet.ready = true;
    let eased = smoothstep(feet.ease.unwrap_or(1.0));
    // On flat ground the whole body moves, and no leg has to be bent.
    let sunk = feet.feet[0].shown.heights[0] - height - sole;
    let is_even = context.shortening == 0.0
        && (raised - sunk).abs() < MIN_CORRECTION
        && feet.feet.iter().all(|foot| foot.is_even(sunk + height + sole))
        && !animated.iter().any(|leg| context.sinks(leg));
    if is_even {
        (legs.lift(pose, Vec3::Y * sunk * eased), None)
    } else {
        let ahead = context.facing * Vec3::Z;
        let targets = ease_targets(targets, &animated, eased);
        let raised = Vec3::Y * raised * eased;
        (legs.lift(pose, raised), Some(legs.to_solve(pose, &targets, raised, ahead, iterations)))
    }
}

/// The targets, at a share of the way from where the clip has the feet.
fn ease_targets(mut targets: [FootTarget; 2], animated: &[AnimatedLeg; 2], share: f32) -> [FootTarget; 2] {
    if share >= 1.0 {
        return targets;
    }
    for (target, animated) in targets.iter_mut().zip(animated) {
        target.ankle = animated.ankle.lerp(target.ankle, share);
        target.turn = Quat::IDENTITY.slerp(target.turn, share);
        target.lift = Quat::IDENTITY.slerp(target.lift, share);
    }
    targets
}

/// Rate of the clip that the legs follow, seconds of the clip per second; below 0 it plays backwards.
fn clip_rate(legs: &Legs, clip: usize, instance: &InstanceState) -> f32 {
    let time = |p: &Playback| {
        let all = [p.clips[0], p.clips[1], p.from.clips[0], p.from.clips[1]];
        all.into_iter().find(|c| c.clip.0 as usize == clip).map(|c| c.time_secs)
    };
    let (Some(before), Some(now)) = (time(&instance.before.playback), time(&instance.now.playback)) else { return 1.0 };
    rate_between(before, now, legs.duration_secs(clip))
}

/// Rate of a clip of this duration that goes from one time to another in a step, by the shorter way round its end.
fn rate_between(before: f32, now: f32, duration_secs: f32) -> f32 {
    let forwards = if now < before { now - before + duration_secs } else { now - before };
    let backwards = duration_secs - forwards;
    let rate = |elapsed_secs: f32| (elapsed_secs / STEP_SECS).clamp(0.05, 8.0);
    if 0.0 < backwards && backwards < forwards { -rate(backwards) } else { rate(forwards) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_have_their_rate_in_both_directions() {
        let step = STEP_SECS;
        let cases =
            [(0.5, 0.5 + step, 1.0), (1.0 - 0.5 * step, 0.5 * step, 1.0), (0.5, 0.5, 0.05), (0.5, 0.5 - step, -1.0)];
        for (before, now, rate) in cases.into_iter().chain([(0.5 * step, 1.0 - 0.5 * step, -1.0), (0.0, 0.4, 8.0)]) {
            let found = rate_between(before, now, 1.0);
            assert!((found - rate).abs() < 1e-3, "from {before} to {now}: {found}");
        }
        assert!((rate_between(0.2, 0.2 + step, 0.0) - 1.0).abs() < 1e-3, "a clip of unknown length");
    }
}
