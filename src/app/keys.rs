//! The keyboard: shortcuts of the command table, and the keys of free flight.

use crate::input::Input;
use crate::ui::{Action, COMMANDS, Command, typed_ahead};
use egui::{Context, Id, Key};
use glam::{Vec2, Vec3};

/// Commands whose shortcuts were pressed in this frame. While a text field has the keyboard, only those with Ctrl
/// and the function keys count.
pub fn shortcuts(ctx: &Context) -> Vec<Command> {
    let (typing, in_text) = (ctx.egui_wants_keyboard_input(), ctx.text_edit_focused());
    // By then Escape has taken the keyboard from the field: it gives up what was typed, and nothing else.
    let was_typing = Id::new("was typing");
    let leaves_field = ctx.data_mut(|data| {
        let before = data.get_temp(was_typing).unwrap_or(false);
        data.insert_temp(was_typing, typing);
        before
    });
    // An open menu or list takes these itself.
    let in_menu = egui::Popup::is_any_open(ctx);
    let mut keys: Vec<_> = COMMANDS.iter().flat_map(|row| row.keys.iter().map(move |key| (row.action, key))).collect();
    // Those with more modifiers first: Ctrl+Shift+S must not be taken for Ctrl+S.
    keys.sort_by_key(|(_, key)| std::cmp::Reverse(key.modifiers.shift));
    let mut asked = ctx.input(|input| clipboard(input, typing));
    // What is typed after it is for the field that it opens.
    let ahead = if typing { None } else { ctx.input(typed_into_opening_field) };
    let opens_field = ahead.is_some();
    ahead.into_iter().for_each(|text| typed_ahead::keep(ctx, text));
    asked.extend(ctx.input_mut(|input| {
        keys.into_iter()
            .filter(|(action, key)| {
                // They mean the text while one is typed.
                let of_text = *action == Action::SelectAll || in_text && matches!(action, Action::Undo | Action::Redo);
                !(typing || opens_field) || (is_with_ctrl(key) && !of_text) || is_function_key(key.logical_key)
            })
            .filter(|(_, key)| !in_menu || key.modifiers.any())
            .filter(|(_, key)| !leaves_field || key.logical_key != Key::Escape)
            .flat_map(|(action, key)| {
                let repeats = matches!(action, Action::Undo | Action::Redo | Action::Duplicate);
                let most = if repeats { usize::MAX } else { 1 };
                std::iter::repeat_n(Command::Run(action), presses(input, key).min(most))
            })
            .collect::<Vec<_>>()
    }));
    asked
}

/// What was typed in this frame after a key that opens a text field; `None` without such a key.
fn typed_into_opening_field(input: &egui::InputState) -> Option<String> {
    let opens = |action: Action| matches!(action, Action::Rename | Action::Palette);
    let openers = || COMMANDS.iter().filter(|row| opens(row.action)).flat_map(|row| row.keys.iter());
    let is_opener = |event: &egui::Event| match event {
        egui::Event::Key { key, pressed: true, repeat: false, modifiers, .. } => {
            openers().any(|opener| opener.logical_key == *key && modifiers.matches_logically(opener.modifiers))
        }
        _ => false,
    };
    let at = input.events.iter().position(is_opener)?;
    Some(input.events[at..].iter().filter_map(typed_ahead::typed).collect())
}

/// What the system's keys for the clipboard ask for: they come as events of their own.
fn clipboard(input: &egui::InputState, typing: bool) -> Vec<Command> {
    let command = |event: &egui::Event| match event {
        egui::Event::Copy => Some(Command::Run(Action::Copy)),
        egui::Event::Cut => Some(Command::Run(Action::Cut)),
        egui::Event::Paste(text) => Some(Command::Paste(text.clone())),
        _ => None,
    };
    input.events.iter().filter(|_| !typing).filter_map(command).collect()
}

/// Consumes the presses of `key`, and any repeats of them: holding a key down runs its command once. Returns how many there were, which slow
/// frames take in together.
fn presses(input: &mut egui::InputState, key: &egui::KeyboardShortcut) -> usize {
    let is_fresh = |event: &&egui::Event| {
        matches!(event, egui::Event::Key { key: k, pressed: true, repeat: false, modifiers, .. }
            if *k == key.logical_key && modifiers.matches_logically(key.modifiers))
    };
    let fresh = input.events.iter().filter(is_fresh).count();
    if input.consume_shortcut(key) { fresh } else { 0 }
}

/// Whether keys mean a command and no letter: Shift alone makes a capital of it.
fn is_with_ctrl(key: &egui::KeyboardShortcut) -> bool {
    key.modifiers.command || key.modifiers.ctrl || key.modifiers.alt
}

fn is_function_key(key: Key) -> bool {
    (Key::F1..=Key::F12).contains(&key)
}

/// Whether keys that are held mean movement: nothing with Ctrl or Alt does, and nothing while another window is used.
pub fn are_held_plainly(input: &egui::InputState) -> bool {
    input.focused && !(input.modifiers.command || input.modifiers.ctrl || input.modifiers.alt)
}

/// Where two opposite keys push: 1, -1, or 0 for none or both.
pub fn axis(input: &egui::InputState, plus: Key, minus: Key) -> f32 {
    f32::from(i8::from(input.key_down(plus)) - i8::from(input.key_down(minus)))
}

/// Free flight keys held down in this frame; none while a text field has the keyboard or Ctrl is down.
pub fn flight(ctx: &Context) -> Input {
    if ctx.egui_wants_keyboard_input() {
        return Input::default();
    }
    ctx.input(|input| {
        if !are_held_plainly(input) {
            return Input::default();
        }
        let axis = |plus, minus| axis(input, plus, minus);
        Input {
            fly: Vec3::new(axis(Key::D, Key::A), axis(Key::E, Key::Q), axis(Key::W, Key::S)),
            fast: input.modifiers.shift,
            look_px: Vec2::ZERO,
            ..Input::default()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Event, Modifiers, RawInput};

    /// What is asked for by a key with modifiers while a text is typed.
    fn asked_while_typing(key: Key, modifiers: Modifiers) -> Vec<Command> {
        let (ctx, mut text, mut asked) = (Context::default(), String::from("some"), Vec::new());
        for is_pressed in [false, false, true] {
            let press = Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
            let events = if is_pressed { vec![Event::ModifiersChanged(modifiers), press] } else { Vec::new() };
            let mut output = ctx.run_ui(RawInput { events, ..RawInput::default() }, |ui| {
                asked = shortcuts(ui.ctx());
                ui.text_edit_singleline(&mut text).request_focus();
            });
            output.textures_delta.clear();
        }
        asked
    }

    #[test]
    fn what_belongs_to_a_text_is_no_command_while_one_is_typed() {
        for (key, modifiers) in [
            (Key::F, Modifiers::SHIFT),
            (Key::A, Modifiers::COMMAND),
            (Key::Z, Modifiers::COMMAND),
            (Key::Y, Modifiers::COMMAND),
            (Key::Space, Modifiers::NONE),
        ] {
            let asked = asked_while_typing(key, modifiers);
            assert!(asked.is_empty(), "{key:?} with {modifiers:?} asks for {asked:?}");
        }
        let asked = asked_while_typing(Key::S, Modifiers::COMMAND);
        assert!(matches!(asked[..], [Command::Run(Action::Save)]), "{asked:?}");
    }
}
