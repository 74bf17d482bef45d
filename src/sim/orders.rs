//! What is asked of a character from outside its own walk: by a behaviour, an off-mesh link, the keys.

use crate::vocab::{FaceExpression, MoveDirection, MoveState};
use glam::Vec2;

/// Movement in place of navigation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Steer {
    /// Where it faces, about +Y in radians; 0 faces +Z.
    pub heading_rad: f32,
    /// Speed as a multiple of the walking speed: 0 stands, 1 walks, 2 runs.
    pub pace: f32,
    /// Direction of movement relative to where it faces. `None` and `Any` go forward.
    pub direction: MoveDirection,
}

/// Orders to a character. Those that are `None` leave it to itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Orders {
    /// An action to begin once: the next step takes it. One that the model has no clip for, or that is not allowed in
    /// the present state, is dropped.
    pub action: Option<MoveState>,
    /// While given: movement by a player, in place of navigation and of what a behaviour asks for.
    pub player: Option<Steer>,
    /// While given: movement in place of navigation.
    pub steer: Option<Steer>,
    /// While given: shown in place of the saved face, with this weight (0…1).
    pub face: Option<(FaceExpression, f32)>,
    /// While given: left/right and up/down of the head in place of the saved ones, -1 (left, up) … 1 (right, down).
    pub head: Option<Vec2>,
}
