//! A person's hands on the character that is watched in view mode: keys become its orders.

use super::App;
use super::keys::{are_held_plainly, axis};
use crate::ids::InstanceId;
use crate::math::angle::yaw_of_direction;
use crate::sim::orders::Steer;
use crate::ui::Mode;
use crate::vocab::{MoveDirection, MoveState};
use egui::{Context, Key, Modifiers};
use glam::Vec2;

/// Keys that begin an action, once a press.
pub const ACTIONS: &[(Key, MoveState)] = &[
    (Key::R, MoveState::Roll),
    (Key::E, MoveState::Punch),
    (Key::Q, MoveState::Kick),
    (Key::F, MoveState::Wave),
    (Key::P, MoveState::Pick),
    (Key::U, MoveState::Interact),
    (Key::Space, MoveState::Jump),
];

/// What the keys ask of the character.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Keys {
    /// Right and forward, as the picture shows it; each -1…1.
    walk: Vec2,
    run: bool,
    action: Option<MoveState>,
}

/// Takes this frame's keys, so that they mean nothing else.
pub fn take(ctx: &Context) -> Keys {
    if ctx.egui_wants_keyboard_input() {
        return Keys::default();
    }
    ctx.input_mut(|input| {
        if !are_held_plainly(input) {
            return Keys::default();
        }
        let walk = Vec2::new(axis(input, Key::D, Key::A), axis(input, Key::W, Key::S));
        let run = input.modifiers.shift;
        let fresh = |input: &egui::InputState, key: Key| {
            let press = |event: &egui::Event| matches!(event, egui::Event::Key { key: k, pressed: true, repeat: false, .. } if *k == key);
            input.events.iter().any(press)
        };
        let mut action = None;
        for &(key, state) in ACTIONS {
            if fresh(input, key) {
                action = Some(state);
            }
            let modifiers = if run { Modifiers::SHIFT } else { Modifiers::NONE };
            input.consume_key(modifiers, key);
        }
        Keys { walk, run, action }
    })
}

/// The movement that keys ask of a character while the camera looks along `yaw_rad`: forward and back, or
/// sideways with the face ahead; on a diagonal the character turns.
fn steer(keys: &Keys, yaw_rad: f32) -> Option<Steer> {
    let Vec2 { x: right, y: forward } = keys.walk;
    // Right of a heading about +Y is the side to which the yaw falls.
    let slant = std::f32::consts::FRAC_PI_4 * right.signum();
    let (direction, turn) = match (forward, right) {
        (0.0, 0.0) => return None,
        (0.0, _) if right > 0.0 => (MoveDirection::Right, 0.0),
        (0.0, _) => (MoveDirection::Left, 0.0),
        (f, 0.0) if f > 0.0 => (MoveDirection::Forward, 0.0),
        (_, 0.0) => (MoveDirection::Back, 0.0),
        (f, _) if f > 0.0 => (MoveDirection::Forward, -slant),
        _ => (MoveDirection::Back, slant),
    };
    // Running is for going ahead.
    let pace = if keys.run && forward > 0.0 { 2.0 } else { 1.0 };
    Some(Steer { heading_rad: yaw_rad + turn, pace, direction })
}

impl App {
    /// The character that keys steer: the watched one in view mode, if it can walk.
    pub(super) fn steered(&self) -> Option<InstanceId> {
        let id = self.selection.instance.filter(|_| self.ui.mode == Mode::View && self.question.is_none())?;
        self.world.can_walk(id).then_some(id)
    }

    /// Hands the keys on to the character; one that is not steered any more is left to itself.
    pub(super) fn order(&mut self, keys: Option<Keys>) {
        let now = self.steered();
        if let Some(before) = self.possessed.filter(|before| Some(*before) != now)
            && let Some(orders) = self.world.orders_mut(before)
        {
            orders.steer = None;
        }
        self.possessed = now;
        let (Some(id), Some(keys)) = (now, keys) else { return };
        let yaw_rad = self.viewport.look().and_then(yaw_of_direction).unwrap_or_default();
        let moves = self.world.live(id).is_some_and(|live| live.state != MoveState::Idle);
        let Some(orders) = self.world.orders_mut(id) else { return };
        orders.steer = steer(&keys, yaw_rad);
        if let Some(action) = keys.action {
            let hops = action == MoveState::Jump && !moves;
            orders.action = Some(if hops { MoveState::Hop } else { action });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(right: f32, forward: f32, run: bool) -> Keys {
        Keys { walk: Vec2::new(right, forward), run, action: None }
    }

    #[test]
    fn keys_move_as_the_picture_shows_it() {
        assert_eq!(steer(&keys(0.0, 0.0, true), 1.0), None);
        let of = |k: Keys| steer(&k, 1.0).unwrap();
        assert_eq!(of(keys(0.0, 1.0, false)), Steer { heading_rad: 1.0, pace: 1.0, direction: MoveDirection::Forward });
        assert_eq!(of(keys(0.0, 1.0, true)).pace, 2.0);
        assert_eq!((of(keys(0.0, -1.0, true)).pace, of(keys(0.0, -1.0, true)).direction), (1.0, MoveDirection::Back));
        assert_eq!(of(keys(1.0, 0.0, false)).direction, MoveDirection::Right);
        assert_eq!(of(keys(-1.0, 0.0, false)).direction, MoveDirection::Left);
        // Facing +Z, the right hand points along -X, where yaw is negative.
        let oblique = steer(&keys(1.0, 1.0, false), 0.0).unwrap();
        assert!(crate::math::angle::direction_of_yaw(oblique.heading_rad).x < -0.5);
    }
}
