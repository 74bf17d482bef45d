//! The gaits and actions of a model, and which action may follow which state.

use super::gait::{Gait, GaitClip};
use super::root_motion::RootMotion;
use super::speed_curve::SpeedCurve;
use crate::vocab::{MoveDirection, MoveState};
use std::sync::Arc;

/// Number of states of movement.
const STATE_COUNT: usize = MoveState::ALL.len();

/// The gaits and actions of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimationSet {
    /// Gait by direction, in the order of [`gait_slot`]; `None` where there is no blend set of that name.
    pub gaits: [Option<Gait>; 10],
    /// Phases of each gait's walk at which the left and the right foot pass the other: where a walk begins.
    pub starts: [Option<[f32; 2]>; 10],
    /// Clip by action.
    pub actions: [Option<GaitClip>; STATE_COUNT],
    /// How fast the clip of each action plays from begin to end.
    pub curves: [SpeedCurve; STATE_COUNT],
    /// Root motion of each action that moves its character.
    pub roots: [Option<Arc<RootMotion>>; STATE_COUNT],
    /// Which states, the first index, each action may follow.
    allowed: [[bool; STATE_COUNT]; STATE_COUNT],
    /// Length of the model's longest clip in seconds.
    pub longest_secs: f32,
}

/// Position of a direction in [`AnimationSet::gaits`].
pub fn gait_slot(direction: MoveDirection) -> usize {
    match direction {
        MoveDirection::None => 0,
        MoveDirection::Forward => 1,
        MoveDirection::Back => 2,
        MoveDirection::Right => 3,
        MoveDirection::Left => 4,
        MoveDirection::Any => 5,
        MoveDirection::ForwardRight => 6,
        MoveDirection::ForwardLeft => 7,
        MoveDirection::BackRight => 8,
        MoveDirection::BackLeft => 9,
    }
}

impl AnimationSet {
    /// Allows the transition from the state `from` to the action `to`.
    pub fn allow(&mut self, from: MoveState, to: MoveState) {
        self.allowed[from as usize][to as usize] = true;
    }

    /// Whether the transition from `from` to `to` is allowed and the action has a clip.
    pub fn allows(&self, from: MoveState, to: MoveState) -> bool {
        self.allowed[from as usize][to as usize] && self.duration_secs(to).is_some()
    }

    /// Duration of an action; `None` without a clip that ends.
    pub fn duration_secs(&self, action: MoveState) -> Option<f32> {
        let clip = self.actions[action as usize]?;
        let secs = self.longest_secs / clip.speed.abs();
        (secs.is_finite() && secs > 0.0 && clip.duration_secs > 0.0).then_some(secs)
    }

    /// The gait for a direction of movement, with the direction it is stored under. Falls back to the previous
    /// direction, then `Any`, then `None`.
    pub fn gait(&self, direction: MoveDirection, before: MoveDirection) -> Option<(MoveDirection, &Gait)> {
        let along = direction.components().map(|[along, _]| along);
        [Some(direction), along, Some(before), Some(MoveDirection::Any), Some(MoveDirection::None)]
            .into_iter()
            .flatten()
            .find_map(|d| Some((d, self.gaits[gait_slot(d)].as_ref()?)))
    }

    /// The two directions whose gaits are blended half and half for a diagonal one without a gait of its own.
    pub fn diagonal(&self, direction: MoveDirection) -> Option<[MoveDirection; 2]> {
        let pair = direction.components().filter(|_| self.gaits[gait_slot(direction)].is_none())?;
        let [along, across] = pair.map(|d| self.gaits[gait_slot(d)]);
        (along.is_some() && across.is_some() && along != across).then_some(pair)
    }
}
