//! What keys and the captured mouse ask of the character that they steer in view mode.

use super::keys::{are_held_plainly, axis};
use crate::camera::MouseLook;
use crate::ids::InstanceId;
use crate::math::angle::shortest_turn_rad;
use crate::sim::Steer;
use crate::vocab::{MoveDirection, MoveState};
use egui::{Context, Key, Modifiers};
use glam::Vec2;

/// Keys that begin an action, once a press.
const ACTIONS: &[(Key, MoveState)] = &[
    (Key::R, MoveState::Roll),
    (Key::E, MoveState::Punch),
    (Key::Q, MoveState::Kick),
    (Key::F, MoveState::Wave),
    (Key::P, MoveState::Pick),
    (Key::U, MoveState::Interact),
    (Key::Space, MoveState::Jump),
];

/// Facing errors below this are none, radians.
const FACED_RAD: f32 = 0.01;

/// What keys and mouse ask of the character.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerInput {
    /// Right and forward, as the character faces; each -1…1.
    pub(super) walk: Vec2,
    pub(super) run: bool,
    pub(super) action: Option<MoveState>,
    /// Travel of the captured mouse, in its own units; x right, y down.
    pub(super) travel: Vec2,
}

/// The character that is steered.
#[derive(Clone, Copy, Debug)]
pub struct Possessed {
    /// Which.
    pub id: InstanceId,
    /// Where it is to face.
    pub look: MouseLook,
    /// Travel of the mouse in this frame.
    pub travel: Vec2,
    /// Whether it still turns there.
    pub(super) turns: bool,
}

/// Takes this frame's keys, so that they mean nothing else, and the travel of the mouse.
pub fn take(ctx: &Context) -> PlayerInput {
    if ctx.egui_wants_keyboard_input() {
        return PlayerInput::default();
    }
    ctx.input_mut(|input| {
        if !are_held_plainly(input) {
            return PlayerInput::default();
        }
        let moved = |event: &egui::Event| match event {
            egui::Event::MouseMoved(by) => Some(Vec2::new(by.x, by.y)),
            _ => None,
        };
        let travel = input.events.iter().filter_map(moved).sum();
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
        PlayerInput { walk, run, action, travel }
    })
}

/// The movement that keys ask of a character that is to face along `yaw_rad`: forward and back, or sideways with the
/// face ahead; on a diagonal a character turns that has no `strafe` clips.
pub(super) fn steer(keys: &PlayerInput, yaw_rad: f32, strafe: bool) -> Option<Steer> {
    let Vec2 { x: right, y: forward } = keys.walk;
    // Right of a heading about +Y is the side to which the yaw falls.
    let slant = std::f32::consts::FRAC_PI_4 * right.signum();
    let (direction, turn) = match (forward, right) {
        (0.0, 0.0) => return None,
        (f, r) if strafe && f != 0.0 && r != 0.0 => {
            let direction = match (f > 0.0, r > 0.0) {
                (true, true) => MoveDirection::ForwardRight,
                (true, false) => MoveDirection::ForwardLeft,
                (false, true) => MoveDirection::BackRight,
                (false, false) => MoveDirection::BackLeft,
            };
            (direction, 0.0)
        }
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

impl Possessed {
    /// Turns by the mouse; without keys or mouse a character that walks by itself takes the look along.
    pub(super) fn follow(&mut self, input: &PlayerInput, yaw_rad: f32) {
        self.look.turn(input.travel);
        let is_asked = input.walk != Vec2::ZERO || input.travel.x != 0.0;
        self.turns = is_asked || (self.turns && shortest_turn_rad(yaw_rad, self.look.yaw_rad).abs() > FACED_RAD);
        if !self.turns {
            self.look.yaw_rad = yaw_rad;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(right: f32, forward: f32, run: bool) -> PlayerInput {
        PlayerInput { walk: Vec2::new(right, forward), run, ..PlayerInput::default() }
    }

    #[test]
    fn keys_move_as_the_character_faces() {
        assert_eq!(steer(&keys(0.0, 0.0, true), 1.0, true), None);
        let of = |k: PlayerInput| steer(&k, 1.0, false).unwrap();
        assert_eq!(of(keys(0.0, 1.0, false)), Steer { heading_rad: 1.0, pace: 1.0, direction: MoveDirection::Forward });
        assert_eq!(of(keys(0.0, 1.0, true)).pace, 2.0);
        assert_eq!((of(keys(0.0, -1.0, true)).pace, of(keys(0.0, -1.0, true)).direction), (1.0, MoveDirection::Back));
        assert_eq!(of(keys(1.0, 0.0, false)).direction, MoveDirection::Right);
        assert_eq!(of(keys(-1.0, 0.0, false)).direction, MoveDirection::Left);
        // Facing +Z, the right hand points along -X, where yaw is negative.
        let strafing = steer(&keys(-1.0, -1.0, false), 1.0, true).unwrap();
        assert_eq!((strafing.direction, strafing.heading_rad), (MoveDirection::BackLeft, 1.0));
        let oblique = steer(&keys(1.0, 1.0, false), 0.0, false).unwrap();
        assert!(crate::math::angle::direction_of_yaw(oblique.heading_rad).x < -0.5);
    }

    #[test]
    fn the_mouse_turns_until_the_character_faces_there() {
        let mut arena: crate::ids::Arena<crate::ids::kind::Instance, ()> = crate::ids::Arena::default();
        let id = arena.insert(());
        let mut possessed = Possessed { id, look: MouseLook::along(0.0), travel: Vec2::ZERO, turns: false };
        possessed.follow(&PlayerInput { travel: Vec2::X * -900.0, ..PlayerInput::default() }, 0.0);
        let left = std::f32::consts::FRAC_PI_2;
        assert!(possessed.turns && (possessed.look.yaw_rad - left).abs() < 1e-3);
        possessed.follow(&PlayerInput::default(), 0.5);
        assert!(possessed.turns && (possessed.look.yaw_rad - left).abs() < 1e-3, "it is still on its way there");
        possessed.follow(&PlayerInput::default(), left);
        assert!(!possessed.turns);
        possessed.follow(&PlayerInput::default(), -1.0);
        assert_eq!(possessed.look.yaw_rad, -1.0, "one that walks by itself takes the look along");
    }
}
