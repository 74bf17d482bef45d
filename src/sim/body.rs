//! What the world knows about an instance beyond what it shows.

use super::behave::{Errand, Mind};
use super::event::EventSet;
use super::feet::Feet;
use super::orders::{Orders, Steer};
use super::pose::{Features, Gaze};
use super::presence::Role;
use super::rig::Rig;
use crate::anim::controller::{AnimationController, AnimationInput};
use crate::anim::gait::Gait;
use crate::anim::{ClipAt, Playback};
use crate::collide::ground::Vicinity;
use crate::collide::settings::BodySize;
use crate::ids::{ClipId, InstanceId};
use crate::math::{Aabb, angle};
use crate::nav::crowd::AgentId;
use crate::nav::follow::{Pace, Stride};
use crate::nav::ground::GroundNode;
use crate::prefetch;
use crate::scene::instance::Tilt;
use crate::scene::{ClipSpeed, SceneInstance};
use crate::vocab::{MoveDirection, MoveState};
use glam::{Vec2, Vec3};
use std::sync::{Arc, LazyLock};

/// How fast the way of movement turns against where one faces, radians per second.
const COURSE_RATE_RAD: f32 = 10.0;

/// What an instance's model gives it.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    /// What it can do.
    pub role: Role,
    /// What it shares with all instances of its model.
    pub rig: Arc<Rig>,
    /// What it shows where its model has no gait.
    pub fixed: Gait,
    /// Its walk.
    pub stride: Option<Stride>,
    /// Box of the model's rest pose in model space.
    pub rest_bounds: Option<Aabb>,
}

impl Looks {
    /// What `rig` gives to `instance`.
    pub fn of(instance: &SceneInstance, rig: Option<&Arc<Rig>>) -> Self {
        let Some(rig) = rig else { return Self::default() };
        let Some(model) = &rig.model else { return Self::default() };
        let [idle, walk] = instance.clips.map(|clip| rig.clip(ClipSpeed { clip, speed: instance.clip_speed }));
        let weight = if instance.clip_blend.is_finite() { instance.clip_blend.clamp(0.0, 1.0) } else { 0.0 };
        let longest_secs = rig.moves.longest_secs;
        let is_character = !model.clips.is_empty();
        let speed = rig.forward_speed * usable_scale(instance.scale);
        Self {
            role: if is_character { Role::Character } else { Role::Thing },
            rig: rig.clone(),
            fixed: Gait { idle, walk, run: walk, longest_secs, fixed: Some(weight) },
            stride: is_character.then(|| Stride::of_speed(speed)),
            rest_bounds: Some(model.rest_bounds).filter(|b| !b.is_empty()),
        }
    }
}

/// The scale of a body; scales that are no use count as 1.
pub fn usable_scale(scale: f32) -> f32 {
    if scale.is_finite() && scale > 0.0 { scale } else { 1.0 }
}

/// The walk to a target.
#[derive(Clone, Debug, Default)]
pub struct Navigation {
    /// Position of the target in the world's arrays; `None` when there is none.
    pub target: Option<u32>,
    /// The node that the path leads to.
    pub target_node: Option<GroundNode>,
    /// Where the target stood when the path was last bent to it.
    pub target_seen: Vec3,
    /// Level triangles of the path.
    pub triangles: Vec<u32>,
    /// The ground triangle that was last held against the path.
    pub checked_triangle: Option<u32>,
    /// Whether a path is wanted.
    pub wants_path: bool,
    /// Earliest step of the next search.
    pub retry_at: u64,
    /// Searches in a row without success, or paths without progress.
    pub failures: u32,
    /// Islands of start and target that are known not to be connected.
    pub known_apart: Option<(u32, u32)>,
    /// Length of the way from the next point to the target.
    pub beyond_next: f32,
    /// Shortest way left so far on this path, and the step when it got shorter.
    pub best: (f32, u64),
    /// Points at the end of the way that are not rounded yet.
    pub rough: usize,
    /// Distance from walls that the way over the mesh keeps, metres.
    pub room: f32,
    /// Points at the front of the way that have been moved clear of walls.
    pub cleared: usize,
    /// Where it was when it took up the way to the next point.
    pub leg_from: Vec3,
    /// Where the walker last looked for walls beside its way.
    pub looked_from: Vec3,
    /// Buffer for triangles around a point of the way.
    pub near: Vec<u32>,
    /// Whether it lets others pass: that is no lack of progress.
    pub waits: bool,
    /// How far the target has moved since the last search, metres.
    pub drift: f32,
    /// Distance at which it stopped at its target.
    pub stopped_at: f32,
}

/// How much room a body takes, as a part of its radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Girth(f32);

impl Default for Girth {
    fn default() -> Self {
        Self::FULL
    }
}

impl Girth {
    /// All of it.
    pub const FULL: Self = Self(1.0);
    /// As slim as a body gets: it passes wherever the ground graph leads.
    pub const LEAST: Self = Self(0.08);
    /// Change per second.
    const RATE: f32 = 2.0;

    /// The part of the radius.
    pub fn share(self) -> f32 {
        self.0
    }

    /// A little slimmer.
    pub fn less(self, dt_secs: f32) -> Self {
        Self((self.0 - Self::RATE * dt_secs).max(Self::LEAST.0))
    }

    /// A little wider.
    pub fn more(self, dt_secs: f32) -> Self {
        Self((self.0 + Self::RATE * dt_secs).min(Self::FULL.0))
    }
}

/// What every step needs of the scene's instance: kept beside the rest, so that a step need not go and look there.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    /// Scale of the model, above zero.
    pub scale: f32,
    /// How the model is turned besides where it faces.
    pub tilt: Tilt,
    /// Whether it walks to the scene's target.
    pub walks: bool,
    /// Head and face while nothing else is asked.
    pub(super) features: Features,
}

impl Default for Own {
    fn default() -> Self {
        Self { scale: 1.0, tilt: Tilt::default(), walks: false, features: Features::default() }
    }
}

impl Own {
    /// What every step needs of `saved`.
    pub(super) fn of(saved: &SceneInstance) -> Self {
        let (scale, features) = (usable_scale(saved.scale), Features::saved(saved));
        Self { scale, tilt: saved.tilt(), walks: saved.navigation, features }
    }
}

/// What all bodies begin with: a clone of it allocates nothing.
static BARE: LazyLock<Body> = LazyLock::new(Body::default);

/// The inner state of an instance.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The scene's instance that it was made from.
    pub saved: Arc<SceneInstance>,
    /// What every step needs of it.
    pub own: Own,
    /// What its model gives it.
    pub looks: Looks,
    /// Its cylinder.
    pub size: BodySize,
    /// Heading and speed.
    pub pace: Pace,
    /// Where it is between gaits and actions.
    pub controller: AnimationController,
    /// Its feet on the ground.
    pub(super) feet: Feet,
    /// Head and face as shown.
    pub(super) features: Features,
    /// What is asked of it.
    pub(super) orders: Orders,
    /// Way of movement as seen from where it faces, and its angle about +Y, which follows smoothly, radians.
    pub course: (MoveDirection, f32),
    /// Its place in the crowd on the mesh.
    pub member: Option<AgentId>,
    /// Whether it was looked for on the mesh and was not there.
    pub is_off_mesh: bool,
    /// The velocity that a member wants, metres per second.
    pub wanted: Vec2,
    /// Where one who stands at the start of a link turns to, about +Y in radians.
    pub turns_to: Option<f32>,
    /// Sideways velocity that others force on it, metres per second.
    pub shove: Vec2,
    /// Downward speed, metres per second.
    pub fall_speed: f32,
    /// Height of what it stands on; its own height follows smoothly.
    pub floor: f32,
    /// Whether it has been put on the ground.
    pub placed: bool,
    /// Whether nothing moves it: contact is not tested then.
    pub resting: bool,
    /// Whether it touched a wall, and the border, in the last step.
    pub touched: (bool, bool),
    /// Where it last stood safely.
    pub safe: Option<Vec3>,
    /// Triangles around it.
    pub vicinity: Vicinity,
    /// Ground node under it and the position for which that holds.
    pub node: (Option<GroundNode>, Vec3),
    /// How much of its girth it keeps: a body that is held up between walls makes itself slim.
    pub girth: Girth,
    /// Its navigation.
    pub nav: Navigation,
    /// What happened to it in this step.
    pub raised: EventSet,
    /// Where its head turns by itself.
    pub(super) gaze: Option<Gaze>,
    /// Its behaviour.
    pub mind: Option<Box<Mind>>,
    /// Where it walks to.
    pub errand: Errand,
    /// What its behaviour will hear of the last step.
    pub heard: crate::behavior::NodeEventSet,
    /// Whether it begins to interact in this step.
    pub interacts: bool,
    /// Whether it touches another instance.
    pub contact: bool,
}

impl Body {
    /// The body of an instance at its saved place.
    pub fn new(id: InstanceId, saved: Arc<SceneInstance>, looks: Looks, seed: u64) -> Self {
        let phase = (mix(seed ^ mix(id.to_bits())) >> 40) as f32 / (1_u64 << 24) as f32;
        Self {
            own: Own::of(&saved),
            size: BodySize::PERSON.scaled(saved.scale),
            pace: Pace { yaw_rad: angle::wrap_rad(saved.rotation_deg.y.to_radians()), speed: 0.0 },
            controller: AnimationController::at_phase(phase),
            node: (None, Vec3::NAN),
            saved,
            looks,
            ..BARE.clone()
        }
    }

    /// Its scale.
    #[inline]
    pub fn scale(&self) -> f32 {
        self.own.scale
    }

    /// Fetches what hangs on it into the caches, for a step that begins, see [`prefetch`].
    #[inline]
    pub(super) fn prefetch(&self) {
        if let Some(mind) = &self.mind {
            prefetch::value(&**mind);
        }
        prefetch::slice(&self.vicinity.supports, 512);
        prefetch::slice(&self.vicinity.walls, 256);
    }

    /// Whether an action plays.
    pub fn is_busy(&self) -> bool {
        self.controller.action().is_some()
    }

    /// Speed over full walking speed: 1 walks, 2 runs.
    pub fn relative_speed(&self) -> f32 {
        let full = self.looks.stride.map_or(0.0, |s| s.full_speed);
        if full > 0.0 { self.pace.speed / full } else { 0.0 }
    }

    /// How it moves by orders in place of navigation.
    pub fn steering(&self) -> Option<Steer> {
        self.orders.player.or(self.orders.steer).filter(|s| s.heading_rad.is_finite())
    }

    /// Whether it moves by orders in place of navigation.
    pub fn is_steered(&self) -> bool {
        self.steering().is_some()
    }

    /// Turns the way of movement towards a direction, at once from standing.
    pub fn turn_course(&mut self, direction: MoveDirection) {
        let direction = if matches!(direction, MoveDirection::None | MoveDirection::Any) {
            MoveDirection::Forward
        } else {
            direction
        };
        let turn = angle::shortest_turn_rad(self.course.1, direction.angle_rad());
        let most = if self.pace.speed == 0.0 { std::f32::consts::PI } else { COURSE_RATE_RAD * super::STEP_SECS };
        self.course = (direction, angle::wrap_rad(self.course.1 + turn.clamp(-most, most)));
    }

    /// The pose after `dt_secs` more of what it does now; begins `order`.
    pub fn advance_clips(&mut self, state: MoveState, order: Option<MoveState>, dt_secs: f32) -> Playback {
        if self.looks.role != Role::Character {
            let clips = self.saved.clips.map(|c| ClipAt { clip: ClipId(c), time_secs: 0.0 });
            return Playback { clips, ..Playback::default() };
        }
        let direction = if state == MoveState::Idle { MoveDirection::None } else { self.course.0 };
        let input = AnimationInput { pace: self.relative_speed(), state, direction, order };
        self.controller.advance(&self.looks.rig.moves, &self.looks.fixed, &input, dt_secs)
    }

    /// Forgets path and progress; the target stays.
    pub fn reset_navigation(&mut self) {
        self.nav = Navigation {
            target: self.nav.target,
            triangles: std::mem::take(&mut self.nav.triangles),
            ..Navigation::default()
        };
        self.nav.triangles.clear();
    }
}

/// Bits of `x` well mixed (the finaliser of splitmix64, Steele et al. 2014).
pub fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
