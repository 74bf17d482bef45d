//! What the world knows about an instance beyond what it shows.

use super::event::EventSet;
use crate::anim::ClipAt;
use crate::anim::state::{Gait, GaitClip, GaitState};
use crate::asset::Model;
use crate::collide::ground::Vicinity;
use crate::collide::settings::BodySize;
use crate::ids::{ClipId, InstanceId};
use crate::math::{Aabb, angle};
use crate::nav::follow::{Pace, Stride};
use crate::nav::ground::GroundNode;
use crate::scene::{ClipSpeed, SceneInstance, SceneModel};
use crate::vocab::MoveDirection;
use glam::{Vec2, Vec3};
use std::sync::Arc;

/// What an instance can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Its model is not (yet) there: stays where it is.
    #[default]
    Absent,
    /// A thing without clips: falls, does not walk.
    Thing,
    /// Walks.
    Character,
}

/// Clips of an instance whose model has no blend sets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixedClips {
    /// The two clips.
    pub clips: [GaitClip; 2],
    /// Weight of the second.
    pub weight: f32,
    /// Length of the model's longest clip, seconds.
    pub longest_secs: f32,
}

/// What an instance's model gives it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looks {
    /// What it can do.
    pub role: Role,
    /// Its way to walk; `None` when its model has no blend sets.
    pub gait: Option<Gait>,
    /// What it shows without a gait.
    pub fixed: FixedClips,
    /// Its walk.
    pub stride: Option<Stride>,
    /// Box of the model's rest pose in model space.
    pub rest_bounds: Option<Aabb>,
}

impl Looks {
    /// What `model` and its entry in the scene give to `instance`.
    pub fn of(instance: &SceneInstance, entry: Option<&SceneModel>, model: Option<&Model>) -> Self {
        let (Some(entry), Some(model)) = (entry, model) else { return Self::default() };
        let clip = |c: ClipSpeed| GaitClip {
            clip: ClipId(c.clip),
            speed: if c.speed.is_finite() { c.speed } else { 0.0 },
            duration_secs: model.clips.get(c.clip as usize).map_or(0.0, |c| c.duration_secs),
        };
        let longest_secs = model.longest_clip_secs();
        let gait = entry.blend_set(MoveDirection::Forward).map(|set| Gait {
            idle: clip(set.idle),
            walk: clip(set.walk),
            run: clip(set.run),
            longest_secs,
        });
        let fixed = FixedClips {
            clips: instance.clips.map(|c| clip(ClipSpeed { clip: c, speed: instance.clip_speed })),
            weight: instance.clip_blend,
            longest_secs,
        };
        let factor = entry.forward_speed_factor;
        let speed = if factor.is_finite() { factor.clamp(0.0, 1000.0) } else { 0.0 } * usable_scale(instance.scale);
        let is_character = !model.clips.is_empty();
        Self {
            role: if is_character { Role::Character } else { Role::Thing },
            gait: gait.filter(|_| is_character),
            fixed,
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
    /// Points at the front of the way that have been moved clear of walls.
    pub cleared: usize,
    /// Where it was when it took up the way to the next point.
    pub leg_from: Vec3,
    /// Where the walker last looked for walls beside its way.
    pub looked_from: Vec3,
    /// Buffer for triangles around a point of the way.
    pub near: Vec<u32>,
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

/// The inner state of an instance.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The scene's instance that it was made from.
    pub saved: Arc<SceneInstance>,
    /// What its model gives it.
    pub looks: Looks,
    /// Its cylinder.
    pub size: BodySize,
    /// Heading and speed.
    pub pace: Pace,
    /// Where it is in its gait.
    pub gait: GaitState,
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
}

impl Body {
    /// The body of an instance at its saved place.
    pub fn new(id: InstanceId, saved: Arc<SceneInstance>, looks: Looks, seed: u64) -> Self {
        let phase = (mix(seed ^ mix(id.to_bits())) >> 40) as f32 / (1_u64 << 24) as f32;
        Self {
            size: BodySize::PERSON.scaled(saved.scale),
            pace: Pace { yaw_rad: angle::wrap_rad(saved.rotation_deg.y.to_radians()), speed: 0.0 },
            gait: GaitState { phase, pace: 0.0 },
            node: (None, Vec3::NAN),
            saved,
            looks,
            ..Self::default()
        }
    }

    /// Its scale.
    pub fn scale(&self) -> f32 {
        usable_scale(self.saved.scale)
    }

    /// The pose after `dt_secs` more at its present speed.
    pub fn advance_clips(&mut self, dt_secs: f32) -> crate::anim::Playback {
        let full = self.looks.stride.map_or(0.0, |s| s.full_speed);
        let pace = if full > 0.0 { self.pace.speed / full } else { 0.0 };
        let fixed = self.looks.fixed;
        match (self.looks.role, &self.looks.gait) {
            (Role::Character, Some(gait)) => self.gait.advance(gait, pace, dt_secs),
            (Role::Character, None) => self.gait.advance_fixed(fixed.clips, fixed.weight, fixed.longest_secs, dt_secs),
            _ => {
                let clips = self.saved.clips.map(|c| ClipAt { clip: ClipId(c), time_secs: 0.0 });
                crate::anim::Playback { clips, weight: 0.0 }
            }
        }
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
