//! Feet on the ground: where each foot stands or comes down, and how far the pelvis goes along.
//!
//! A clip moves feet over flat ground. For each foot three heights, under heel, middle and ball, and a slope say what
//! takes the place of that ground: under a foot that stands the ground itself, kept while it stands; under one that
//! swings the line from where it stood to where it comes down, raised where something is in its way. None of it
//! jumps: what is missing to new heights fades away within a few hundredths of a second. A foot that stands also stays
//! where it is: what it would slide is taken back, and given back while it swings.

mod reach;

use super::STEP_SECS;
use super::body::{Body, Own};
use super::level::Level;
use super::presence::Role;
use super::world::Live;
use crate::anim::foot_contacts::FootContact;
use crate::anim::legs::{FootTarget, LegIkResult, Legs, Similarity};
use crate::collide::ground::{ContactMesh, NearTriangle, highest_at};
use crate::math::Aabb;
use crate::math::plan::to_plan;
use glam::{Quat, Vec2, Vec3};
use reach::{Animated, HEEL_LEAST, STRETCH};

/// Time in which half of a jump between planes has faded, seconds.
const HALF_LIFE_SECS: f32 = 0.035;
/// Fastest fall of a foot onto what it comes down on, metres per second.
const FALL: f32 = 3.2;
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
/// How much the pelvis may lag behind a foot that comes down, as a part of the leg: on flat ground it does nothing.
const SLACK: f32 = 0.05;
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
}

/// Points of a sole that are held against the ground: heel, middle, ball.
const POINTS: usize = 3;

/// Heights and slope of what takes the place of flat ground under a foot.
#[derive(Clone, Copy, Debug, Default)]
struct Under {
    /// Height under each point of the sole.
    heights: [f32; POINTS],
    /// What the foot turns to.
    gradient: Vec2,
}

/// What a foot that swings has ahead.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Height of the ground where it comes down, and its slope.
    landing: f32,
    gradient: Vec2,
    /// Height of the highest ground on the way there over the line that the foot takes.
    over: f32,
}

/// One foot.
#[derive(Clone, Copy, Debug, Default)]
struct Foot {
    planted: bool,
    /// What a foot that stands has under each point, and what it turns to.
    ground: [Plane; POINTS],
    gradient: Vec2,
    /// Where one that swings comes from: the place of its ball.
    left: Plane,
    /// Height at which it comes down.
    land: f32,
    /// What is shown.
    shown: Under,
    /// What the shown heights have on the true ones; fades away.
    lag: Under,
    /// How far it is lifted over something.
    raise: f32,
    /// Highest place of its hip, over the ground's zero, from which one that swings will reach the ground it comes
    /// down on: as if its owner were now as high as it will be then.
    hip_to_land: f32,
    /// What one that swings found ahead when it last looked.
    seen: Seen,
    /// What holds it where it stands, in x and z.
    slide: Vec2,
    /// How far its heel is lifted for the leg to reach, radians.
    heel: f32,
    /// The points of its sole in the animation of the last step.
    sole: [Vec2; POINTS],
}

/// The feet of a character.
#[derive(Clone, Copy, Debug, Default)]
pub struct Feet {
    /// Whether the rest holds anything.
    ready: bool,
    /// Which of them stand in the clips, and whether one of them came down in this step.
    stands: [bool; 2],
    came_down: bool,
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
    contact: &'a ContactMesh,
    /// What may carry a foot.
    supports: &'a [NearTriangle],
    legs: &'a Legs,
    position: Vec3,
    /// Metres per unit of the model.
    scale: f32,
    /// How fast the clip goes, seconds of the clip per second.
    rate: f32,
    velocity: Vec3,
    /// How fast it climbs, smoothed, metres per second.
    climb: f32,
    facing: Quat,
    high: f32,
    low: f32,
    /// Whether feet that swing look ahead in this step.
    looks: bool,
}

/// Where a character's model stands, its position left out: places are relative to it.
fn root(own: &Own, yaw_rad: f32) -> Similarity {
    let m = own.tilt.standing_at(Vec3::ZERO, yaw_rad, 1.0);
    Similarity { position: Vec3::ZERO, rotation: Quat::from_mat4(&m), scale: own.scale }
}

/// How feet are put on the ground in a step.
#[derive(Clone, Copy, Debug)]
pub struct Planting {
    /// Whether they are.
    pub on: bool,
    /// Passes of the solver.
    pub iterations: u32,
    /// Number of the step.
    pub step: u64,
}

/// Notes which feet of one character come down on the plane that it stands on: there the clips need no correction.
pub fn step_on_plane(live: &mut Live, body: &mut Body) {
    live.now.feet = LegIkResult::default();
    let Some(legs) = body.looks.rig.legs.as_ref().filter(|_| body.looks.role == Role::Character) else { return };
    let planted = [0, 1].map(|i| legs.stance(&live.now.playback, i).1.planted);
    body.feet.notice(planted, live.on_ground && body.pace.speed > 0.0);
}

/// Puts the feet of one character, the `index`th, on the ground; the change to its pose goes to `live.now.feet`.
pub fn plant(level: &Level, planting: Planting, index: usize, live: &mut Live, body: &mut Body) {
    live.now.feet = LegIkResult::default();
    let Body { looks, own, feet: known, vicinity, pace, .. } = body;
    let Some(legs) = looks.rig.legs.as_ref().filter(|_| looks.role == Role::Character) else { return };
    let foot_contacts = [0, 1].map(|i| legs.stance(&live.now.playback, i));
    known.notice(foot_contacts.map(|(_, stance)| stance.planted), live.on_ground && pace.speed > 0.0);
    let wanted = planting.on && live.on_ground && own.tilt.is_upright();
    let ease = STEP_SECS / EASE_SECS;
    known.ease = (known.ease + if wanted { ease } else { -ease }).clamp(0.0, 1.0);
    if known.ease == 0.0 {
        known.ready = false;
        return;
    }
    let root = root(own, live.now.yaw_rad);
    let pose = legs.pose(&live.now.playback, root);
    let scale = root.scale;
    let leg = legs.legs[0].length * scale;
    let reach = 0.95 * leg;
    let p = live.now.position;
    let around = Aabb::new(p - Vec3::new(reach, leg, reach), p + Vec3::new(reach, leg, reach));
    vicinity.cover(&around, Vec3::new(reach, 0.3 * leg, reach), &level.contact, &level.octree);
    let scene = Scene {
        contact: &level.contact,
        supports: &vicinity.supports,
        legs,
        position: p,
        scale,
        rate: clip_rate(legs, foot_contacts[0].0, live),
        velocity: live.now.velocity,
        climb: known.climb,
        facing: Quat::from_rotation_y(live.now.yaw_rad),
        high: level.settings.step_height.min(0.5 * leg) + 0.03,
        low: -(level.settings.step_height.min(0.4 * leg) + 0.3 * leg),
        // Every second step is often enough; half of all look in each.
        looks: (planting.step + index as u64).is_multiple_of(2),
    };
    if live.now.position.distance(live.before.position) > LEAP {
        known.ready = false;
    }
    let animated = [0, 1].map(|i| Animated::new(legs, &pose, i, scale));
    let mut feet = *known;
    for (i, (_, stance)) in foot_contacts.iter().enumerate() {
        feet.feet[i] = scene.foot(&feet.feet[i], stance, &animated[i], feet.ready);
    }
    let (mut targets, bound, wanted) = scene.targets(&feet, &animated);
    let climb = if feet.ready { (p.y - live.before.position.y) / STEP_SECS } else { 0.0 };
    let raised = feet.hips((p.y, scene.floor()), climb, (bound, wanted), leg);
    for ((foot, target), animated) in feet.feet.iter_mut().zip(&mut targets).zip(&animated) {
        scene.lift_heel(foot, target, animated, raised);
    }
    feet.ready = true;
    *known = feet;
    let eased = smoothstep(feet.ease);
    // On flat ground the whole body moves, and no leg has to be bent.
    let sunk = feet.feet[0].shown.heights[0] - p.y - scene.floor();
    let even = (raised - sunk).abs() < NOTHING && feet.feet.iter().all(|f| f.is_even(sunk + p.y + scene.floor()));
    if even {
        live.now.feet = legs.lift(&pose, Vec3::Y * sunk * eased);
    } else {
        let ahead = scene.facing * Vec3::Z;
        let targets = eased_targets(targets, &animated, eased);
        live.now.feet = legs.solve(&pose, &targets, Vec3::Y * raised * eased, ahead, planting.iterations);
    }
}

/// What a step leaves of something that fades.
fn left_after_step(half_life_secs: f32) -> f32 {
    0.5_f32.powf(STEP_SECS / half_life_secs)
}

fn smoothstep(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

fn eased_targets(targets: [FootTarget; 2], animated: &[Animated; 2], eased: f32) -> [FootTarget; 2] {
    let mut out = targets;
    if eased >= 1.0 {
        return out;
    }
    for (out, animated) in out.iter_mut().zip(animated) {
        out.ankle = animated.ankle.lerp(out.ankle, eased);
        out.turn = Quat::IDENTITY.slerp(out.turn, eased);
        out.lift = Quat::IDENTITY.slerp(out.lift, eased);
    }
    out
}

/// How fast the clip that the legs follow goes, seconds of the clip per second.
fn clip_rate(legs: &Legs, clip: usize, live: &Live) -> f32 {
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
    /// Whether it stands or swings over flat ground at this height, and is held nowhere.
    fn is_even(&self, floor: f32) -> bool {
        self.shown.heights.iter().all(|h| (h - floor).abs() < NOTHING)
            && self.shown.gradient.length_squared() < 1e-6
            && self.slide.length() < 4.0 * NOTHING
            && self.heel < HEEL_LEAST
    }

    /// Lets the new heights begin where the shown ones were.
    fn carry_over(&mut self, old: &Self, points: &[Vec2; POINTS], new: &Under) {
        self.lag.heights = std::array::from_fn(|i| {
            let moved = points[i] - (old.sole[i] + old.slide);
            old.shown.heights[i] + old.shown.gradient.dot(moved) - new.heights[i]
        });
        self.lag.gradient = old.shown.gradient - new.gradient;
    }

    /// Lets what is shown come nearer to what is true.
    fn fade(&mut self, scale: f32) {
        let fade = left_after_step(HALF_LIFE_SECS);
        let most = FALL * scale * STEP_SECS;
        for lag in &mut self.lag.heights {
            *lag = (*lag * fade).abs().min((lag.abs() - most).max(0.0)).copysign(*lag);
        }
        self.lag.gradient *= fade;
    }
}

impl Scene<'_> {
    /// The ground at a point, and its gradient.
    fn ground(&self, p: Vec2) -> Option<Plane> {
        let y = self.position.y;
        let contact = self.contact;
        let hit = highest_at(contact, self.supports, p, y + self.low, y + self.high)?;
        let gradient = contact.triangle(hit.triangle).gradient().filter(|g| g.length_squared() <= STEEPEST * STEEPEST);
        let gradient = gradient.unwrap_or(Vec2::ZERO);
        Some(Plane { at: p, height: hit.height, gradient })
    }

    /// What a foot with these points stands on: the ground under each, and the slope that it turns to.
    fn support(&self, points: [Vec2; POINTS]) -> ([Plane; POINTS], Vec2) {
        let found = points.map(|p| self.ground(p));
        let nothing = self.low + self.position.y;
        let planes: [Plane; POINTS] =
            std::array::from_fn(|i| found[i].unwrap_or(Plane { at: points[i], height: nothing, gradient: Vec2::ZERO }));
        if found.iter().all(Option::is_none) {
            return (points.map(|at| Plane { at, height: self.position.y, gradient: Vec2::ZERO }), Vec2::ZERO);
        }
        let [h, _, b] = planes;
        let (heel, ball) = (points[0], points[2]);
        let (over_ball, over_heel) = (h.height_at(ball) - b.height, b.height_at(heel) - h.height);
        let slack = 0.01 * self.scale;
        let gradient = if over_ball >= -slack && (over_ball <= over_heel || over_heel < -slack) {
            h.gradient
        } else if over_heel >= -slack {
            b.gradient
        } else {
            // A hollow: the foot bridges it.
            let along = ball - heel;
            along * ((b.height - h.height) / along.length_squared().max(1e-6))
        };
        (planes, gradient)
    }

    /// A foot after a step of the animation.
    fn foot(&self, old: &Foot, stance: &FootContact, animated: &Animated, known: bool) -> Foot {
        let sole = animated.points.map(|p| to_plan(p + self.position));
        let mut foot = *old;
        if !known {
            let (ground, gradient) = self.support(sole);
            let shown = Under { heights: std::array::from_fn(|i| ground[i].height_at(sole[i])), gradient };
            let left = Plane { at: sole[2], height: shown.heights[2], gradient };
            return Foot {
                planted: stance.planted,
                ground,
                gradient,
                shown,
                left,
                land: left.height,
                sole,
                ..Foot::default()
            };
        }
        foot.fade(self.scale);
        foot.planted = stance.planted;
        self.hold(&mut foot, old.planted, stance, sole, animated);
        let points = sole.map(|s| s + foot.slide);
        let under = if stance.planted {
            let moved = points[2].distance(foot.ground[2].at) > MOVED * self.scale;
            if !old.planted || moved {
                (foot.ground, foot.gradient) = self.support(points);
                foot.raise = 0.0;
            }
            let heights = std::array::from_fn(|i| foot.ground[i].height_at(points[i]));
            let under = Under { heights, gradient: foot.gradient };
            if !old.planted || moved {
                foot.carry_over(old, &points, &under);
            }
            under
        } else {
            if old.planted {
                foot.left = Plane { at: points[2], height: old.shown.heights[2], gradient: old.shown.gradient };
            }
            let under = self.swing(&mut foot, old.planted, stance, points, animated);
            if old.planted {
                foot.carry_over(old, &points, &under);
            }
            under
        };
        foot.shown.heights = std::array::from_fn(|i| under.heights[i] + foot.lag.heights[i]);
        foot.shown.gradient = under.gradient + foot.lag.gradient;
        foot.sole = sole;
        foot
    }

    /// What is under a foot that swings: the line from where it stood to where it comes down, raised over what is in
    /// its way.
    fn swing(
        &self,
        foot: &mut Foot,
        begins: bool,
        stance: &FootContact,
        points: [Vec2; POINTS],
        animated: &Animated,
    ) -> Under {
        let left_secs = stance.landing_secs / self.rate;
        let share = if stance.swing_secs > 0.0 { 1.0 - stance.landing_secs / stance.swing_secs } else { 1.0 };
        let ball = points[2];
        // Where it comes down if nothing changes until then.
        let there = to_plan(self.position + self.velocity * left_secs + self.facing * (stance.landing * self.scale));
        let looks = begins || self.looks;
        if looks {
            let (landing, gradient) = self.support(points.map(|p| there + p - ball));
            let heights = landing.iter().map(|g| g.height + gradient.dot(there - g.at));
            foot.seen.landing = heights.fold(f32::NEG_INFINITY, f32::max);
            foot.seen.gradient = gradient;
        }
        let Seen { landing: height, gradient, .. } = foot.seen;
        let nearer = if begins { 1.0 } else { 1.0 - left_after_step(HALF_LIFE_SECS) };
        foot.land += (height - foot.land) * nearer;
        let (gone, whole) = (ball - foot.left.at, there - foot.left.at);
        let progress = if whole.length() > 0.1 * self.scale {
            (gone.dot(whole) / whole.length_squared()).clamp(0.0, 1.0)
        } else {
            smoothstep(share)
        };
        let base = foot.left.height + (foot.land - foot.left.height) * progress;
        let gradient = foot.left.gradient.lerp(gradient, smoothstep(share));
        let heights = points.map(|p| base + gradient.dot(p - ball));
        let length = animated.length;
        let ahead = (ball - foot.sole[2] - foot.slide) * (LOOK_AHEAD_SECS.min(left_secs) / STEP_SECS);
        let ahead = ball + ahead.clamp_length_max((there - ball).length());
        let low = animated.lowest - self.floor();
        let room = CLEARANCE * length * (4.0 * (1.0 - share)).min(1.0);
        if looks {
            foot.seen.over = [points[0], points[1], ball, ball + (ball - points[0]) * 0.5, ahead]
                .into_iter()
                .filter_map(|p| Some(self.ground(p)?.height - base - gradient.dot(p - ball)))
                .fold(f32::NEG_INFINITY, f32::max);
        }
        let needed = (foot.seen.over + room - low.max(0.0)).max(0.0);
        let toe_out = points[2] - foot.slide - to_plan(animated.ankle + self.position);
        let side = to_plan(self.facing * (stance.landing * self.scale) - animated.hip) - toe_out;
        let side = side.length().min(STRETCH * length);
        let stretched = ((STRETCH * length).powi(2) - side * side).max(0.0).sqrt();
        let over_sole = animated.ankle.y - animated.lowest;
        // By then its owner will have climbed or gone down a little more.
        let land = foot.land - self.climb * left_secs;
        foot.hip_to_land = if share > 0.3 { land + over_sole + stretched + SLACK * length } else { f32::INFINITY };
        let most = FALL * self.scale * STEP_SECS;
        foot.raise = needed.clamp((foot.raise - most).max(0.0), foot.raise + 1.5 * most);
        Under { heights: heights.map(|h| h + foot.raise), gradient }
    }

    /// Height at which the animation has soles that stand.
    fn floor(&self) -> f32 {
        self.legs.floor * self.scale
    }

    /// Holds a foot that stands where it is.
    fn hold(&self, foot: &mut Foot, stood: bool, stance: &FootContact, sole: [Vec2; POINTS], animated: &Animated) {
        let low = if animated.points[2].y < animated.points[0].y { 2 } else { 0 };
        if foot.planted && stood {
            foot.slide -= sole[low] - foot.sole[low];
            // In a pose that never steps the feet come back by themselves.
            let back = if stance.swing_secs == 0.0 && self.velocity.length_squared() < 1e-4 { 0.5 } else { 0.0 };
            foot.slide *= 1.0 - back * STEP_SECS;
        } else if !foot.planted {
            let left_secs = (stance.landing_secs / self.rate).max(STEP_SECS);
            foot.slide *= (1.0 - 3.0 * STEP_SECS / left_secs).clamp(0.0, 0.97);
        }
        foot.slide = foot.slide.clamp_length_max(MOST_SLIDE * animated.length);
    }
}

impl Feet {
    /// Takes in which feet stand in the clips of this step.
    fn notice(&mut self, stands: [bool; 2], walks: bool) {
        self.came_down = walks && (0..2).any(|i| stands[i] && !self.stands[i]);
        self.stands = stands;
    }

    /// Whether a foot of a walker came down in this step.
    pub fn came_down(&self) -> bool {
        self.came_down
    }
}
