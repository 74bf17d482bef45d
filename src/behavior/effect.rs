//! What a behaviour wants to happen: values that the simulation carries out.

use super::task::Movement;
use crate::vocab::{FaceExpression, MoveState};

/// Something that a node asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Change how the character moves; random values are drawn already.
    Move(Drawn),
    /// Start an action, or with idle, walk and run end the present one.
    Action(MoveState),
    /// Show a face with a weight, 0…1.
    Face(FaceExpression, f32),
    /// Turn the head, -1…1; an axis that is `None` stays as it is.
    Head {
        /// Left (negative) and right.
        left_right: Option<f32>,
        /// Up (negative) and down.
        up_down: Option<f32>,
    },
    /// Write to the log.
    Log(String),
    /// Walk to a random target.
    WalkSomewhere,
}

/// A movement with its random values drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drawn {
    /// What the node says.
    pub movement: Movement,
    /// Angle in radians: subtracted from the heading if the movement is relative, else the heading itself.
    pub turn_rad: Option<f32>,
    /// Speed as a multiple of the full walking speed.
    pub speed: Option<f32>,
}
