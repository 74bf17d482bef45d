//! Motion matching of characters: frames of its clips in place of gaits, by where a character is about to go.

use super::motion_prediction::predict;
use crate::anim::Playback;
use crate::anim::animation_step::{AnimationStep, DepartedPlayback};
use crate::anim::motion_matcher::MotionMatcher;
use crate::anim::root_motion::RootShift;
use crate::math::plan::to_plan;
use crate::sim::STEP_SECS;
use crate::sim::character::CharacterState;
use crate::sim::instance::InstanceState;
use std::sync::Arc;

/// Puts matched frames in the place of a gait in what a step shows; actions stay.
pub fn match_motion(instance: &InstanceState, character: &mut CharacterState, shown: &mut AnimationStep) {
    let Some(database) = character.binding.rig.matching.as_ref().map(Arc::clone) else {
        character.matcher = None;
        return;
    };
    if character.controller.action().is_some() {
        // An action takes over from what was matched.
        if let Some(left) = character.matcher.take().and_then(|matcher| matcher.playback_after(&database, STEP_SECS)) {
            shown.departed = Some(departed(left));
        }
        return;
    }
    let scale = character.scale();
    let speed = to_plan(instance.now.velocity).length() / scale;
    let trajectory = || predict(instance, character);
    let mut matcher = character.matcher;
    let matched = matcher.as_mut().and_then(|matcher| matcher.advance(&database, speed, trajectory, STEP_SECS));
    let Some(matched) = matched else {
        // It begins, after an action from its pose.
        character.matcher =
            MotionMatcher::begin(&database, &predict(instance, character), character.controller.gait.phase);
        if let Some(playback) = character.matcher.and_then(|matcher| matcher.playback(&database)) {
            shown.playback = playback;
        }
        return;
    };
    character.matcher = matcher;
    shown.playback = matched.playback;
    shown.departed = matched.left.map(departed);
}

fn departed(playback: Playback) -> Box<DepartedPlayback> {
    Box::new(DepartedPlayback { playback, root: RootShift::default() })
}
