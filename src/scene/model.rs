//! A model entry of the scene: a file and how its animations are used.

use super::clip_track::{ClipCurve, ClipEvent};
use crate::anim::speed_curve::SpeedCurve;
use crate::asset::{BoneNumbers, ClipSources, ModelFile, NodeTransforms};
use crate::vocab::{HeadMove, MoveDirection, MoveState};
use glam::Vec4;
use std::sync::Arc;

/// A clip and how fast it plays, relative to the model's longest clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipSpeed {
    /// Clip by position in the model file.
    pub clip: u32,
    /// Speed: the clip plays `speed / longest_clip_secs` times a second.
    pub speed: f32,
}

impl Default for ClipSpeed {
    /// The first clip, in the time of the longest.
    fn default() -> Self {
        Self { clip: 0, speed: 1.0 }
    }
}

/// The three clips blended by speed when moving in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlendSet {
    /// Direction of movement.
    pub direction: MoveDirection,
    /// Standing.
    pub idle: ClipSpeed,
    /// Walking.
    pub walk: ClipSpeed,
    /// Running.
    pub run: ClipSpeed,
}

impl BlendSet {
    /// The set that a direction begins with, before clips are chosen.
    pub fn plain(direction: MoveDirection) -> Self {
        let [idle, walk, run] = [ClipSpeed::default(); 3];
        Self { direction, idle, walk, run }
    }
}

/// The clip of an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionClip {
    /// The action.
    pub state: MoveState,
    /// Its clip; with a speed below 0 it plays backwards.
    pub clip: ClipSpeed,
    /// How fast it plays from begin to end.
    pub curve: SpeedCurve,
    /// Whether the movement of its root joint moves the character.
    pub root_motion: bool,
}

/// A model file and its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneModel {
    /// Unique name, by which instances refer to it in files.
    pub name: String,
    /// Path relative to the folder above `config/`, with forward slashes.
    pub file: String,
    /// Which transforms of the file count.
    pub transforms: NodeTransforms,
    /// Files whose clips it plays after its own, and which of its nodes are bones of a human body where their names do
    /// not tell.
    pub clip_sources: ClipSources,
    /// The clips of its motion matching, by number; all but those of actions and head movements where none is named. It
    /// walks by them where [`ClipSources::root_tracks`] says so, else by its blend sets.
    pub matching_clips: Vec<u32>,
    /// What happens at moments of its clips.
    pub clip_events: Vec<ClipEvent>,
    /// Weights of morph targets over its clips.
    pub clip_curves: Vec<ClipCurve>,
    /// Whether its instances can be walked to.
    pub is_nav_target: bool,
    /// Blend sets per direction.
    pub blend_sets: Vec<BlendSet>,
    /// Actions.
    pub actions: Vec<ActionClip>,
    /// Allowed transitions between states.
    pub allowed_orders: Vec<(MoveState, MoveState)>,
    /// What the numbers of its bones count, those of [cameras](crate::scene::SceneCamera::first_person_bone) that follow
    /// it as well.
    pub bone_numbers: BoneNumbers,
    /// Per bone: offset x, y, z in metres and radius factor w.
    pub sphere_adjustments: Vec<Vec4>,
    /// Walking speed at full tilt in metres per second, before the instance's scale; running is twice that.
    pub forward_speed_factor: f32,
    /// Clips of head movements.
    pub head_clips: Vec<(HeadMove, u32)>,
    /// Left foot chain from effector to root, by number of the bones.
    pub left_foot_chain: Vec<u32>,
    /// Right foot chain from effector to root, by number of the bones.
    pub right_foot_chain: Vec<u32>,
    /// Keys of the file that this version does not know, with their values as YAML; saved again.
    pub extra: super::extra::Extra,
}

impl Default for SceneModel {
    fn default() -> Self {
        Self {
            name: String::new(),
            file: String::new(),
            transforms: NodeTransforms::All,
            clip_sources: ClipSources::default(),
            matching_clips: Vec::new(),
            clip_events: Vec::new(),
            clip_curves: Vec::new(),
            is_nav_target: false,
            blend_sets: Vec::new(),
            actions: Vec::new(),
            allowed_orders: Vec::new(),
            bone_numbers: BoneNumbers::Nodes,
            sphere_adjustments: Vec::new(),
            forward_speed_factor: 4.0,
            head_clips: Vec::new(),
            left_foot_chain: Vec::new(),
            right_foot_chain: Vec::new(),
            extra: super::extra::Extra::new(),
        }
    }
}

impl SceneModel {
    /// The clips of its motion matching, of a file with so many.
    pub fn matched_clips(&self, count: usize) -> Vec<usize> {
        let actions = self.actions.iter().map(|action| action.clip.clip);
        let others: Vec<u32> = actions.chain(self.head_clips.iter().map(|(_, clip)| *clip)).collect();
        let is_matched = |clip: &u32| match self.matching_clips.as_slice() {
            [] => !others.contains(clip),
            named => named.contains(clip),
        };
        (0..count as u32).filter(is_matched).map(|clip| clip as usize).collect()
    }

    /// The blend set for a direction of movement: its own, else that for any direction, else that for none.
    pub fn blend_set(&self, direction: MoveDirection) -> Option<&BlendSet> {
        [direction, MoveDirection::Any, MoveDirection::None]
            .into_iter()
            .find_map(|d| self.blend_sets.iter().find(|set| set.direction == d))
    }
}

impl<'a> From<&'a SceneModel> for ModelFile<'a> {
    fn from(model: &'a SceneModel) -> Self {
        Self { file: &model.file, transforms: model.transforms, clips: &model.clip_sources }
    }
}

impl<'a> From<&'a Arc<SceneModel>> for ModelFile<'a> {
    fn from(model: &'a Arc<SceneModel>) -> Self {
        Self::from(&**model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_that_are_chosen_first_play() {
        let set = BlendSet::plain(MoveDirection::Any);
        assert_eq!([set.idle, set.walk, set.run].map(|one| one.speed), [1.0; 3]);
    }
}
