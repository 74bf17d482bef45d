//! Effects: requests of behaviour nodes that the simulation executes.

use super::patrol::Waypoints;
use super::task::Movement;
use crate::vocab::{FaceExpression, MoveState};

/// A request of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Change the movement; random values are already drawn.
    Move(MovementOrder),
    /// Start an action; idle, walk and run end the current one.
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
    /// Walk to one of some targets.
    WalkTo(Waypoints),
}

/// A movement with its random values drawn, as the simulation executes it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MovementOrder {
    /// The node's movement.
    pub movement: Movement,
    /// Angle in radians: subtracted from the heading if the movement is relative, else the heading itself.
    pub turn_rad: Option<f32>,
    /// Speed as a multiple of the full walking speed.
    pub speed: Option<f32>,
}
