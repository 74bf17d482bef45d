//! View mode: what keys and mouse ask is handed on to the selected character.

use super::player_input::{PlayerInput, Possessed, steer};
use super::state::App;
use crate::camera::MouseLook;
use crate::ids::InstanceId;
use crate::scene::SceneModel;
use crate::sim::Steer;
use crate::ui::Mode;
use crate::vocab::{MoveDirection, MoveState};
use egui::Context;
use glam::Vec2;

/// Whether a model has clips to go sideways with.
fn strafes(model: &SceneModel) -> bool {
    let has = |direction| model.blend_sets.iter().any(|set| set.direction == direction);
    has(MoveDirection::ForwardRight) || has(MoveDirection::Right) && has(MoveDirection::Left)
}

impl App {
    /// The character that keys steer: the watched one in view mode, if it can walk.
    pub(super) fn steered(&self) -> Option<InstanceId> {
        let id = self.selection.instance.filter(|_| self.ui.mode == Mode::View && self.question.is_none())?;
        self.world.can_walk(id).then_some(id)
    }

    /// Whether the cursor is captured in this frame: while a character is steered in a window that is used.
    pub(super) fn captures_cursor(&self, ctx: &Context) -> bool {
        let is_covered = self.ui.files.is_open() || self.ui.palette.is_some();
        self.steered().is_some() && !is_covered && ctx.input(|input| input.focused)
    }

    /// Tells the camera of the captured mouse. Returns the travel that tilts it then, else `dragged`.
    pub(super) fn take_look(&mut self, dragged: Vec2) -> Vec2 {
        let possessed = self.possessed.filter(|_| self.captured);
        self.camera_controller.set_mouse_look(possessed.map(|possessed| possessed.look));
        possessed.map_or(dragged, |possessed| Vec2::new(0.0, possessed.travel.y))
    }

    /// Hands keys and mouse on to the character; one that is not steered any more is left to itself.
    pub(super) fn order(&mut self, input: Option<PlayerInput>) {
        let now = self.steered();
        if let Some(before) = self.possessed.filter(|before| Some(before.id) != now) {
            if let Some(orders) = self.world.orders_mut(before.id) {
                orders.player = None;
            }
            self.possessed = None;
        }
        let Some(id) = now else { return };
        let Some(input) = input else {
            // Keys that are let go of in another window are not heard.
            if let Some(orders) = self.world.orders_mut(id) {
                orders.player = None;
            }
            return;
        };
        let Some((yaw_rad, state)) = self.world.live(id).map(|live| (live.now.yaw_rad, live.state)) else { return };
        let begin = Possessed { id, look: MouseLook::along(yaw_rad), travel: Vec2::ZERO, turns: false };
        let possessed = self.possessed.get_or_insert(begin);
        possessed.travel = input.travel;
        possessed.follow(&input, yaw_rad);
        let stands = Steer { heading_rad: possessed.look.yaw_rad, pace: 0.0, direction: MoveDirection::Forward };
        let model = self.scene.instances.get(id).and_then(|one| self.scene.models.get(one.model_id()?));
        let strafe = model.is_some_and(|model| strafes(model));
        let asked = steer(&input, possessed.look.yaw_rad, strafe).or(possessed.turns.then_some(stands));
        let Some(orders) = self.world.orders_mut(id) else { return };
        orders.player = asked;
        if let Some(action) = input.action {
            let hops = action == MoveState::Jump && state == MoveState::Idle;
            orders.action = Some(if hops { MoveState::Hop } else { action });
        }
    }
}
