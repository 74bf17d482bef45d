//! View mode: keys and the captured mouse steer the selected character.

use super::App;
use super::keys::{are_held_plainly, axis};
use crate::camera::MouseLook;
use crate::ids::InstanceId;
use crate::math::angle::shortest_turn_rad;
use crate::sim::Steer;
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

/// Facing errors below this are none, radians.
const FACED_RAD: f32 = 0.01;

/// What keys and mouse ask of the character.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerInput {
    /// Right and forward, as the character faces; each -1…1.
    walk: Vec2,
    run: bool,
    action: Option<MoveState>,
    /// Travel of the captured mouse, in its own units; x right, y down.
    travel: Vec2,
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
    turns: bool,
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
/// face ahead; on a diagonal the character turns.
fn steer(keys: &PlayerInput, yaw_rad: f32) -> Option<Steer> {
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
        let (Some(id), Some(input)) = (now, input) else { return };
        let Some((yaw_rad, state)) = self.world.live(id).map(|live| (live.now.yaw_rad, live.state)) else { return };
        let begin = Possessed { id, look: MouseLook::along(yaw_rad), travel: Vec2::ZERO, turns: false };
        let possessed = self.possessed.get_or_insert(begin);
        possessed.travel = input.travel;
        possessed.follow(&input, yaw_rad);
        let stands = Steer { heading_rad: possessed.look.yaw_rad, pace: 0.0, direction: MoveDirection::Forward };
        let asked = steer(&input, possessed.look.yaw_rad).or(possessed.turns.then_some(stands));
        let Some(orders) = self.world.orders_mut(id) else { return };
        orders.player = asked;
        if let Some(action) = input.action {
            let hops = action == MoveState::Jump && state == MoveState::Idle;
            orders.action = Some(if hops { MoveState::Hop } else { action });
        }
    }
}

impl Possessed {
    /// Turns by the mouse; without keys or mouse a character that walks by itself takes the look along.
    fn follow(&mut self, input: &PlayerInput, yaw_rad: f32) {
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
        assert_eq!(steer(&keys(0.0, 0.0, true), 1.0), None);
        let of = |k: PlayerInput| steer(&k, 1.0).unwrap();
        assert_eq!(of(keys(0.0, 1.0, false)), Steer { heading_rad: 1.0, pace: 1.0, direction: MoveDirection::Forward });
        assert_eq!(of(keys(0.0, 1.0, true)).pace, 2.0);
        assert_eq!((of(keys(0.0, -1.0, true)).pace, of(keys(0.0, -1.0, true)).direction), (1.0, MoveDirection::Back));
        assert_eq!(of(keys(1.0, 0.0, false)).direction, MoveDirection::Right);
        assert_eq!(of(keys(-1.0, 0.0, false)).direction, MoveDirection::Left);
        // Facing +Z, the right hand points along -X, where yaw is negative.
        let oblique = steer(&keys(1.0, 1.0, false), 0.0).unwrap();
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
