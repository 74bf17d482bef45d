//! Text that is typed after the key that opens a field, before the field has the keyboard: where frames are slow, whole words.

use egui::{Context, Event, Id};

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

/// What an event types.
pub fn typed(event: &Event) -> Option<&str> {
    match event {
        Event::Text(text) => Some(text),
        _ => None,
    }
}
