//! Text that is typed after the key that opens a field, before the field has the keyboard: where frames are slow, whole words.

use egui::{Context, Event, Id, Key, Modifiers};

/// Frames after which a field that was asked for has not come: nothing was selected that has a name.
const FRAMES: u64 = 4;

fn id() -> Id {
    Id::new("typed ahead")
}

/// Keeps what was typed after the key, in the frame of its press.
pub fn keep(ctx: &Context, text: String) {
    let frame = ctx.cumulative_frame_nr();
    ctx.data_mut(|data| data.insert_temp(id(), (frame, text)));
}

/// What was typed since the key, for the field that is shown for the first time in this frame.
pub fn take(ctx: &Context) -> String {
    let kept = ctx.data_mut(|data| data.remove_temp::<(u64, String)>(id()));
    let Some((frame, mut text)) = kept else { return String::new() };
    if ctx.cumulative_frame_nr() > frame + FRAMES {
        return String::new();
    }
    // The field hears nothing yet.
    ctx.input(|input| text.extend(input.events.iter().filter_map(typed)));
    text
}

/// A path that is typed into a dialog before its field has the keyboard.
#[derive(Default)]
pub struct TypedPath(Option<String>);

impl TypedPath {
    /// Keeps what is typed from a slash on, the key that opens the field, and types it in place of what the field holds once
    /// that has the keyboard.
    pub fn follow(&mut self, ctx: &Context) {
        let has_field = ctx.memory(egui::Memory::focused).is_some();
        ctx.input_mut(|input| match (&mut self.0, has_field) {
            (None, true) => {}
            (None, false) => {
                let is_slash = |event: &Event| typed(event).is_some_and(|text| text.starts_with('/'));
                let at = input.events.iter().position(is_slash);
                self.0 = at.map(|at| input.events[at..].iter().filter_map(typed).collect());
            }
            (Some(text), false) => text.extend(input.events.iter().filter_map(typed)),
            (Some(text), true) => {
                let text = Event::Text(std::mem::take(text));
                let (key, modifiers) = (Key::A, Modifiers::COMMAND);
                let select_all = Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
                input.events.splice(0..0, [select_all, text]);
                self.0 = None;
            }
        });
    }
}

/// What an event types.
pub fn typed(event: &Event) -> Option<&str> {
    match event {
        Event::Text(text) => Some(text),
        _ => None,
    }
}
