//! What is asked of a character from outside its own walk: by a behaviour, a link, the keys.

use super::reconcile::restart;
use super::world::World;
use crate::ids::InstanceId;
use crate::vocab::{FaceExpression, MoveDirection, MoveState};
use glam::Vec2;

/// Movement in place of navigation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Steer {
    /// Where it faces, about +Y in radians; 0 faces +Z.
    pub heading_rad: f32,
    /// How fast: 0 stands, 1 walks, 2 runs.
    pub pace: f32,
    /// Where it goes, as seen from where it faces. `None` and `Any` go forward.
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

impl World {
    /// The orders to an instance, to be changed between steps.
    pub fn orders_mut(&mut self, id: InstanceId) -> Option<&mut Orders> {
        let i = self.index_of(id)?;
        Some(&mut self.bodies[i].orders)
    }

    /// Ends where an instance is on its way to and how it is steered: it stands until its behaviour or another target
    /// moves it again.
    pub fn stop(&mut self, id: InstanceId) {
        let Some(i) = self.index_of(id) else { return };
        let (live, body) = (&mut self.live[i], &mut self.bodies[i]);
        body.halt();
        body.nav.target = None;
        body.reset_navigation();
        restart(live);
    }

    /// Whether an instance is a character: one that has clips to walk with.
    pub fn can_walk(&self, id: InstanceId) -> bool {
        self.index_of(id).is_some_and(|i| self.bodies[i].looks.stride.is_some())
    }

    /// Whether an instance plays an action.
    pub fn is_busy(&self, id: InstanceId) -> bool {
        self.index_of(id).is_some_and(|i| self.bodies[i].is_busy())
    }
}
