//! What the animation controller takes in and gives out in one step.

use super::Playback;
use super::inertialization::Transition;
use super::root_motion::RootShift;
use crate::vocab::{MoveDirection, MoveState};

/// Input of the controller in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AnimationInput {
    /// Speed relative to full walking speed: 1 walks, 2 runs.
    pub pace: f32,
    /// Whether it stands, walks or runs.
    pub state: MoveState,
    /// Direction of movement; `None` standing.
    pub direction: MoveDirection,
    /// The requested action.
    pub order: Option<MoveState>,
    /// How one state goes over into another.
    pub transition: Transition,
    /// Share by which strides are shorter than in the clip: as many more are taken.
    pub shortening: f32,
}

/// What a step of the animation shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimationStep {
    /// What plays.
    pub playback: Playback,
    /// What would have played without the transition that began in this step, where it is inertialized.
    pub departed: Option<Box<DepartedPlayback>>,
}

/// A playback that was left, at the moment of the transition.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepartedPlayback {
    /// What would have played.
    pub playback: Playback,
    /// What takes its root motion out of it.
    pub root: RootShift,
}
