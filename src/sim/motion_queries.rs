//! Questions to the world about how a character moves: its pose as drawn, its feet, its body, where it stopped.

use super::character::CharacterState;
use super::instance::{InstanceState, NavStatus, Role};
use super::pose::model_from_node;
use super::systems::motion_prediction::predict;
use super::world::World;
use crate::anim::motion_database::{MotionDatabase, Trajectory};
use crate::anim::{Blend, ClipAt, Playback};
use crate::asset::Model;
use crate::collide::settings::BodySize;
use crate::ids::{ClipId, InstanceId};
use glam::{Mat4, Quat, Vec3};

/// Time between the moments of a clip at which feet are asked for, seconds, and most such moments.
const PLANT_GAP_SECS: f32 = 1.0 / 60.0;
const MAX_PLANT_TIMES: f32 = 1800.0;

/// A foot as drawn after the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootPlace {
    /// Contact points below heel and ball, world space.
    pub sole: [Vec3; 2],
    /// Rotation in world space.
    pub rotation: Quat,
    /// Whether it stands on the ground: by foot IK, or else by its clip.
    pub planted: bool,
}

/// What a character plays by motion matching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchedMotion {
    /// The clip at its time.
    pub at: ClipAt,
    /// Its cost at the last search.
    pub cost: f32,
    /// How often the character has jumped from one frame to another.
    pub jumps: u32,
    /// Where the character is about to go, in the space of its root at scale 1.
    pub wanted: Trajectory,
    /// Where the clip would lead, in the same space.
    pub leads: Trajectory,
}

impl World {
    fn character(&self, id: InstanceId) -> Option<(&InstanceState, &CharacterState, &Model)> {
        let i = self.index_of(id)?;
        let (instance, character) = (&self.instances.states[i], &self.instances.characters[i]);
        let model = character.binding.rig.model.as_deref()?;
        (character.binding.role == Role::Character).then_some((instance, character, model))
    }

    /// The model of a character; `None` for what is no character.
    pub fn model_of(&self, id: InstanceId) -> Option<&Model> {
        self.character(id).map(|(_, _, model)| model)
    }

    /// Model-space matrices of a character's nodes after the last step as its clips have them, before its feet are put
    /// on the ground.
    pub fn clip_pose(&self, id: InstanceId) -> Option<Vec<Mat4>> {
        let (instance, _, model) = self.character(id)?;
        Some(model_from_node(model, instance, &[], 1.0))
    }

    /// World-space matrices of a character's nodes as drawn after the last step.
    pub fn drawn_pose(&self, id: InstanceId) -> Option<Vec<Mat4>> {
        let (instance, character, model) = self.character(id)?;
        let mut overrides = Vec::new();
        self.overrides(id, 1.0, &mut overrides);
        let now = &instance.now;
        let place = character.params.tilt.standing_at(now.position, now.yaw_rad, character.scale());
        let nodes = model_from_node(model, instance, &overrides, 1.0);
        Some(nodes.into_iter().map(|m| place * m).collect())
    }

    /// When the left and the right foot stand in a clip of a character's model, seconds; `None` where it names no foot
    /// chains.
    pub fn plants(&self, id: InstanceId, clip: u32) -> Option<Vec<Vec<[f32; 2]>>> {
        let legs = self.character(id)?.1.binding.rig.legs.as_ref()?;
        let duration_secs = legs.duration_secs(clip as usize);
        let count = (duration_secs / PLANT_GAP_SECS).ceil().clamp(1.0, MAX_PLANT_TIMES) as usize;
        let spans = |leg: usize| {
            let mut spans: Vec<[f32; 2]> = Vec::new();
            let mut stood = false;
            for i in 0..=count {
                let time_secs = duration_secs * i as f32 / count as f32;
                let at = ClipAt { clip: ClipId(clip), time_secs };
                let stands = legs.stance(&Playback::of(Blend::from(at)), leg).1.planted;
                match spans.last_mut().filter(|_| stood) {
                    Some(span) if stands => span[1] = time_secs,
                    None if stands => spans.push([time_secs; 2]),
                    _ => {}
                }
                stood = stands;
            }
            spans
        };
        Some(vec![spans(0), spans(1)])
    }

    /// Both feet of a character in a pose of [`Self::drawn_pose`]; `None` where its model names no foot chains.
    pub fn feet(&self, id: InstanceId, drawn: &[Mat4]) -> Option<[FootPlace; 2]> {
        let (instance, character, _) = self.character(id)?;
        let legs = character.binding.rig.legs.as_ref()?;
        let foot = |leg: usize| {
            let parts = &legs.legs[leg];
            let node = drawn.get(legs.nodes[*parts.chain.last()?] as usize)?;
            let clip = || legs.stance(&instance.now.playback, leg).1.planted;
            let planted = character.feet.is_planted(leg).unwrap_or_else(clip);
            let rotation = node.to_scale_rotation_translation().1;
            Some(FootPlace { sole: parts.sole.map(|p| node.transform_point3(p)), rotation, planted })
        };
        Some([foot(0)?, foot(1)?])
    }

    /// The upright cylinder of a character that others keep off.
    pub fn body(&self, id: InstanceId) -> Option<BodySize> {
        self.character(id).map(|(_, character, _)| character.size)
    }

    /// Full walking speed of a character, metres per second.
    pub fn full_speed(&self, id: InstanceId) -> Option<f32> {
        self.character(id)
            .and_then(|(_, character, _)| character.binding.locomotion_params)
            .map(|locomotion_params| locomotion_params.full_speed)
    }

    /// The frames that a character's motion matching takes from; `None` where it walks by blend sets.
    pub fn motion_database(&self, id: InstanceId) -> Option<&MotionDatabase> {
        self.character(id).and_then(|(_, character, _)| character.binding.rig.matching.as_deref())
    }

    /// What a character plays by motion matching; `None` while it plays an action, or walks by blend sets.
    pub fn matched_motion(&self, id: InstanceId) -> Option<MatchedMotion> {
        let (instance, character, _) = self.character(id)?;
        let (database, matcher) = (self.motion_database(id)?, character.matcher?);
        Some(MatchedMotion {
            at: database.clip_at(matcher.frame())?,
            cost: matcher.cost(),
            jumps: matcher.jumps(),
            wanted: predict(instance, character),
            leads: database.trajectory(matcher.frame())?,
        })
    }

    /// How far short of (above zero) or past (below zero) its place at its target a character is that has arrived,
    /// metres.
    pub fn stop_error(&self, id: InstanceId) -> Option<f32> {
        let (instance, character, _) = self.character(id)?;
        let left = instance.distance_left.filter(|_| instance.nav == NavStatus::Arrived)?;
        Some(left - character.nav.stop_distance)
    }
}
