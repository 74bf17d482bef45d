//! Feet on the ground: where each foot stands or comes down, and how far the pelvis goes along.
//!
//! A clip moves feet over flat ground. For each foot a plane says what takes the place of that ground: under a foot
//! that stands the ground itself, kept while it stands; under one that swings a blend from the plane it left to the
//! one it comes down on, raised where something is in its way. Planes change without a jump: what is missing to the
//! new one fades away within a few hundredths of a second. A foot that stands also stays where it is: what it would
//! slide is taken back, and given back while it swings.

use super::STEP_SECS;
use super::body::{Body, Role};
use super::level::Level;
use super::rig::Rig;
use super::world::Live;
use crate::anim::legs::{FootTarget, LegFix, LegPose, Legs, Place};
use crate::anim::stance::Stance;
use crate::collide::ground::highest_at;
use crate::math::Aabb;
use glam::{Quat, Vec2, Vec3};

/// Time in which half of a jump between planes has faded, seconds.
const HALF_LIFE_SECS: f32 = 0.035;
/// A foot that stands looks at the ground again when it has moved this far, metres.
const MOVED: f32 = 0.03;
/// Farthest that a foot is held back from sliding, as a part of the leg.
const MOST_SLIDE: f32 = 0.2;
/// Room below a foot that swings over something, as a part of the leg.
const CLEARANCE: f32 = 0.025;
/// How far ahead a swinging foot looks for what is in its way, seconds.
const LOOK_AHEAD_SECS: f32 = 0.09;
/// Steepest ground that a foot turns to: rise over run.
const STEEPEST: f32 = 1.0;
/// Part of a leg's length up to which it is stretched.
const STRETCH: f32 = 0.99;
/// Deepest pelvis, as a part of the leg.
const DEEPEST: f32 = 0.5;
/// Stiffness of the spring that the pelvis follows, per second.
const PELVIS_RATE: f32 = 11.0;
/// Time in which the correction comes and goes, seconds.
const EASE_SECS: f32 = 0.25;
/// Farthest way in a step that is walked and not jumped, metres.
const LEAP: f32 = 1.0;
/// Corrections smaller than this are none, metres.
const NOTHING: f32 = 5e-4;

/// A plane of ground: the height over `at` (x and z) and its gradient.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Plane {
    at: Vec2,
    height: f32,
    gradient: Vec2,
}

impl Plane {
    fn height_at(&self, p: Vec2) -> f32 {
        self.height + self.gradient.dot(p - self.at)
    }

    /// Between two planes, as seen from `p`.
    fn mix(&self, other: &Self, p: Vec2, weight: f32) -> Self {
        let (a, b) = (self.height_at(p), other.height_at(p));
        Self { at: p, height: a + (b - a) * weight, gradient: self.gradient.lerp(other.gradient, weight) }
    }
}

/// One foot.
#[derive(Clone, Copy, Debug, Default)]
struct Foot {
    planted: bool,
    /// What it stands on, or comes from.
    ground: Plane,
    /// What is shown.
    shown: Plane,
    /// What the shown plane has on the ground; fades away.
    lag: (f32, Vec2),
    /// How far it is lifted over something.
    raise: f32,
    /// What holds it where it stands, in x and z.
    slide: Vec2,
    /// Heel and ball of the animation in the last step.
    sole: [Vec2; 2],
}

/// The feet of a character.
#[derive(Clone, Copy, Debug, Default)]
pub struct Feet {
    /// Whether the rest holds anything.
    ready: bool,
    feet: [Foot; 2],
    /// How much of the correction is shown, 0…1.
    ease: f32,
    /// Height of the pelvis' reference in the world, its speed, and the speed at which its owner climbs.
    hips: f32,
    hips_speed: f32,
    climb: f32,
}

/// What the feet of one character need to know in a step.
struct Scene<'a> {
    level: &'a Level,
    legs: &'a Legs,
    position: Vec3,
    /// Metres per unit of the model.
    scale: f32,
    /// How fast the clip goes, seconds of the clip per second.
    rate: f32,
    velocity: Vec3,
    facing: Quat,
    high: f32,
    low: f32,
}

fn flat(p: Vec3) -> Vec2 {
    Vec2::new(p.x, p.z)
}

/// Where a character's model stands, its position left out: places are relative to it.
fn root(body: &Body, yaw_rad: f32) -> Place {
    let r = body.saved.rotation_deg;
    let m = crate::scene::instance::placement(
        Vec3::ZERO,
        Vec3::new(r.x, yaw_rad.to_degrees(), r.z),
        1.0,
        body.saved.swap_axes,
    );
    Place { position: Vec3::ZERO, rotation: Quat::from_mat4(&m), scale: body.scale() }
}

/// Puts the feet of one character on the ground; the change to its pose goes to `live.now.feet`.
pub fn plant(level: &Level, on: bool, iterations: u32, live: &mut Live, body: &mut Body) {
    live.now.feet = LegFix::default();
    let rig = body.looks.rig.clone();
    let Some(legs) = rig.legs.as_ref().filter(|_| body.looks.role == Role::Character) else { return };
    let wanted = on && live.on_ground && body.saved.rotation_deg.x == 0.0 && body.saved.rotation_deg.z == 0.0;
    let ease = STEP_SECS / EASE_SECS;
    body.feet.ease = (body.feet.ease + if wanted { ease } else { -ease }).clamp(0.0, 1.0);
    if body.feet.ease == 0.0 {
        body.feet.ready = false;
        return;
    }
    let root = root(body, live.now.yaw_rad);
    let pose = legs.pose(&live.now.playback, root);
    let scale = root.scale;
    let leg = legs.legs[0].length * scale;
    let reach = 0.95 * leg;
    let p = live.now.position;
    let around = Aabb::new(p - Vec3::new(reach, leg, reach), p + Vec3::new(reach, leg, reach));
    body.vicinity.cover(&around, Vec3::new(reach, 0.3 * leg, reach), &level.contact, &level.octree);
    let scene = Scene {
        level,
        legs,
        position: p,
        scale,
        rate: clip_rate(&rig, live),
        velocity: live.now.velocity,
        facing: Quat::from_rotation_y(live.now.yaw_rad),
        high: level.settings.step_height.min(0.5 * leg) + 0.03,
        low: -(level.settings.step_height.min(0.4 * leg) + 0.3 * leg),
    };
    if live.now.position.distance(live.before.position) > LEAP {
        body.feet.ready = false;
    }
    let mut feet = body.feet;
    for i in 0..2 {
        let stance = legs.stance(&live.now.playback, i).1;
        let sole = legs.sole(&pose, i).map(|s| flat(s + p));
        feet.feet[i] = scene.foot(feet.feet[i], feet.ready, &stance, sole, &pose, i, body);
    }
    let (targets, bound) = scene.targets(&feet, &pose);
    let raised = feet.hips(p.y, live.now.velocity.y, bound, leg);
    feet.ready = true;
    body.feet = feet;
    let still = raised.abs() < NOTHING && feet.feet.iter().all(|f| f.changes_nothing(p.y));
    if !still {
        let ahead = scene.facing * Vec3::Z;
        let eased = smoothstep(feet.ease);
        let targets = eased_targets(targets, &pose, legs, eased);
        live.now.feet = legs.solve(&pose, &targets, Vec3::Y * raised * eased, ahead, iterations);
    }
}

fn smoothstep(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

fn eased_targets(targets: [FootTarget; 2], pose: &LegPose, legs: &Legs, eased: f32) -> [FootTarget; 2] {
    let mut out = targets;
    for (out, leg) in out.iter_mut().zip(&legs.legs) {
        let animated = pose.places[leg.chain[leg.chain.len() - 1]].position;
        out.ankle = animated.lerp(out.ankle, eased);
        out.turn = Quat::IDENTITY.slerp(out.turn, eased);
    }
    out
}

/// How fast the clip that the legs follow goes, seconds of the clip per second.
fn clip_rate(rig: &Rig, live: &Live) -> f32 {
    let Some(legs) = &rig.legs else { return 1.0 };
    let clip = legs.stance(&live.now.playback, 0).0;
    let time = |p: &crate::anim::Playback| {
        let all = [p.clips[0], p.clips[1], p.from.clips[0], p.from.clips[1]];
        all.into_iter().find(|c| c.clip.0 as usize == clip).map(|c| c.time_secs)
    };
    let (Some(before), Some(now)) = (time(&live.before.playback), time(&live.now.playback)) else { return 1.0 };
    let duration = legs.duration_secs(clip);
    let gone = if now < before { now - before + duration } else { now - before };
    (gone / STEP_SECS).clamp(0.05, 8.0)
}

impl Foot {
    fn changes_nothing(&self, floor: f32) -> bool {
        (self.shown.height - floor).abs() < NOTHING
            && self.shown.gradient.length_squared() < 1e-6
            && self.slide.length_squared() < NOTHING * NOTHING
    }
}

impl Scene<'_> {
    /// The ground at a point, and its gradient.
    fn ground(&self, p: Vec2, body: &Body) -> Option<Plane> {
        let y = self.position.y;
        let contact = &self.level.contact;
        let hit = highest_at(contact, &body.vicinity.supports, p, y + self.low, y + self.high)?;
        let n = crate::math::triangle::normal(&contact.triangle(hit.triangle).points)?;
        let gradient = if n.y.abs() > 1e-3 { Vec2::new(-n.x / n.y, -n.z / n.y) } else { Vec2::ZERO };
        let gradient = if gradient.length() <= STEEPEST { gradient } else { Vec2::ZERO };
        Some(Plane { at: p, height: hit.height, gradient })
    }

    /// What a foot with this heel and ball stands on: no part of it lies above the plane.
    fn support(&self, [heel, ball]: [Vec2; 2], body: &Body) -> Plane {
        let (h, b) = match (self.ground(heel, body), self.ground(ball, body)) {
            (Some(h), Some(b)) => (h, b),
            (Some(one), None) | (None, Some(one)) => return one,
            (None, None) => return Plane { at: ball, height: self.position.y, gradient: Vec2::ZERO },
        };
        let (over_ball, over_heel) = (h.height_at(ball) - b.height, b.height_at(heel) - h.height);
        let slack = 0.01 * self.scale;
        if over_ball >= -slack && (over_ball <= over_heel || over_heel < -slack) {
            h
        } else if over_heel >= -slack {
            b
        } else {
            // A hollow: the foot bridges it.
            let along = ball - heel;
            let rise = (b.height - h.height) / along.length_squared().max(1e-6);
            Plane { at: ball, height: b.height, gradient: along * rise }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "what one foot is, and what it was")]
    fn foot(
        &self,
        old: Foot,
        known: bool,
        stance: &Stance,
        sole: [Vec2; 2],
        pose: &LegPose,
        leg: usize,
        body: &Body,
    ) -> Foot {
        let mut foot = old;
        let ball = sole[1] + foot.slide;
        let held = sole.map(|s| s + foot.slide);
        if !known {
            let ground = self.support(sole, body);
            return Foot { planted: stance.planted, ground, shown: ground, sole, ..Foot::default() };
        }
        let fade = 0.5_f32.powf(STEP_SECS / HALF_LIFE_SECS);
        foot.lag = (foot.lag.0 * fade, foot.lag.1 * fade);
        foot.planted = stance.planted;
        if stance.planted {
            let landed = !old.planted;
            if landed || ball.distance(foot.ground.at) > MOVED * self.scale {
                let before = if landed { old.shown } else { old.ground };
                let mut ground = self.support(held, body);
                ground = Plane { at: ball, height: ground.height_at(ball), ..ground };
                let gap = (before.height_at(ball) - ground.height, before.gradient - ground.gradient);
                let kept = if landed { (0.0, Vec2::ZERO) } else { foot.lag };
                foot.lag = (kept.0 + gap.0, kept.1 + gap.1);
                foot.ground = ground;
                foot.raise = 0.0;
            }
            foot.shown = Plane { at: ball, height: foot.ground.height_at(ball), ..foot.ground };
        } else {
            if old.planted {
                foot.ground = old.shown;
                foot.lag = (0.0, Vec2::ZERO);
            }
            foot.shown = self.swing(&mut foot, stance, sole, pose, leg, body);
        }
        foot.shown.height += foot.lag.0;
        foot.shown.gradient += foot.lag.1;
        self.hold(&mut foot, old.planted, stance, sole, pose, leg);
        foot.sole = sole;
        foot
    }

    /// The plane under a foot that swings.
    fn swing(
        &self,
        foot: &mut Foot,
        stance: &Stance,
        sole: [Vec2; 2],
        pose: &LegPose,
        leg: usize,
        body: &Body,
    ) -> Plane {
        let left_secs = stance.landing_secs / self.rate;
        let share = if stance.swing_secs > 0.0 { 1.0 - stance.landing_secs / stance.swing_secs } else { 1.0 };
        let [heel, ball] = sole.map(|s| s + foot.slide);
        // Where it comes down if nothing changes until then.
        let there = flat(self.position + self.velocity * left_secs + self.facing * (stance.landing * self.scale));
        let landing = self.support([there - (ball - heel), there], body);
        let mut plane = foot.ground.mix(&landing, ball, smoothstep(share));
        let speed = (sole[1] - foot.sole[1]) / STEP_SECS;
        let ahead = ball + speed * LOOK_AHEAD_SECS.min(left_secs);
        let length = self.legs.legs[leg].length * self.scale;
        let low = self.legs.sole(pose, leg).map(|s| s.y).into_iter().fold(f32::INFINITY, f32::min);
        let room = CLEARANCE * length * (4.0 * (1.0 - share)).min(1.0);
        let over = [heel, ball, ball + (ball - heel) * 0.5, ahead]
            .into_iter()
            .filter_map(|p| Some(self.ground(p, body)?.height - plane.height_at(p)))
            .fold(f32::NEG_INFINITY, f32::max);
        let needed = (over + room - low.max(0.0)).max(0.0);
        foot.raise = if needed > foot.raise {
            needed.min(foot.raise + 5.0 * length * STEP_SECS)
        } else {
            needed.max(foot.raise * (1.0 - 12.0 * STEP_SECS))
        };
        plane.height += foot.raise;
        plane
    }

    /// Holds a foot that stands where it is.
    fn hold(&self, foot: &mut Foot, stood: bool, stance: &Stance, sole: [Vec2; 2], pose: &LegPose, leg: usize) {
        let length = self.legs.legs[leg].length * self.scale;
        let soles = self.legs.sole(pose, leg);
        let low = usize::from(soles[1].y < soles[0].y);
        if foot.planted && stood {
            foot.slide -= sole[low] - foot.sole[low];
            // In a pose that never steps the feet come back by themselves.
            let back = if stance.swing_secs == 0.0 && self.velocity.length_squared() < 1e-4 { 0.5 } else { 0.0 };
            foot.slide *= 1.0 - back * STEP_SECS;
        } else if !foot.planted {
            let left_secs = (stance.landing_secs / self.rate).max(STEP_SECS);
            foot.slide *= (1.0 - 3.0 * STEP_SECS / left_secs).clamp(0.0, 0.97);
        }
        foot.slide = foot.slide.clamp_length_max(MOST_SLIDE * length);
    }

    /// Where both feet are wanted, relative to the character, and how high the pelvis may go for the legs to reach.
    fn targets(&self, feet: &Feet, pose: &LegPose) -> ([FootTarget; 2], f32) {
        let mut bound = f32::INFINITY;
        let target = |i: usize| {
            let foot = &feet.feet[i];
            let leg = &self.legs.legs[i];
            let ankle = pose.places[leg.chain[leg.chain.len() - 1]].position;
            let g = foot.shown.gradient;
            let normal = Vec3::new(-g.x, 1.0, -g.y).normalize();
            let turn = Quat::from_rotation_arc(Vec3::Y, normal);
            let soles = self.legs.sole(pose, i);
            let low = soles[0].y.min(soles[1].y);
            let at = ankle + Vec3::new(foot.slide.x, 0.0, foot.slide.y);
            // As high over the plane as the animation is over flat ground.
            let height = soles
                .map(|s| {
                    let s = at + turn * (s - ankle);
                    low + foot.shown.height_at(flat(s + self.position)) - self.position.y - (s.y - at.y)
                })
                .into_iter()
                .fold(f32::NEG_INFINITY, f32::max);
            FootTarget { ankle: Vec3::new(at.x, height, at.z), turn }
        };
        let targets = [target(0), target(1)];
        for (leg, target) in self.legs.legs.iter().zip(&targets) {
            let hip = pose.places[leg.chain[0]].position;
            let ankle = pose.places[leg.chain[leg.chain.len() - 1]].position;
            let reach = (STRETCH * leg.length * self.scale).max(hip.distance(ankle));
            let side = flat(target.ankle - hip).length();
            if side < reach {
                bound = bound.min(target.ankle.y + (reach * reach - side * side).sqrt() - hip.y);
            }
        }
        (targets, bound)
    }
}

impl Feet {
    /// How far the pelvis is raised, at most by `bound`: its height in the world follows smoothly.
    fn hips(&mut self, floor: f32, climb: f32, bound: f32, leg: f32) -> f32 {
        let wanted = floor + bound.min(0.0);
        if !self.ready {
            (self.hips, self.hips_speed, self.climb) = (wanted, 0.0, 0.0);
        }
        self.climb += (climb - self.climb) * (STEP_SECS / 0.25);
        let pull = PELVIS_RATE * PELVIS_RATE * (wanted - self.hips);
        self.hips_speed += (pull + 2.0 * PELVIS_RATE * (self.climb - self.hips_speed)) * STEP_SECS;
        self.hips += self.hips_speed * STEP_SECS;
        let least = -DEEPEST * leg;
        let most = bound.min(0.06 * leg).max(least);
        let raised = (self.hips - floor).clamp(least, most);
        if raised != self.hips - floor {
            self.hips = floor + raised;
            self.hips_speed = self.climb;
        }
        raised
    }
}
