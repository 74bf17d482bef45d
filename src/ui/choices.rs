//! The rows of a list to choose from: the arrow keys go through them, Return takes one, and the keyboard goes back to
//! what had it before.

use egui::{Id, Key, Modifiers, Response, Stroke, StrokeKind, Ui, WidgetText};

/// Where the keys are in an open list.
#[derive(Clone, Copy, Debug, Default)]
struct ListKeys {
    /// The last pass in which the list was shown.
    pass: u64,
    /// How many rows were drawn in it so far.
    drawn: usize,
    /// The row that the arrow keys have come to; none until the chosen one is drawn.
    at: Option<usize>,
    /// Whether Return was pressed.
    takes: bool,
    /// Whether the keys have moved, so that the row is to be scrolled to and marked.
    moved: bool,
    /// What had the keyboard before.
    before: Option<Id>,
}

/// A row of a list to choose from, which sets `value`.
pub fn choice_row<T: PartialEq>(ui: &mut Ui, value: &mut T, one: T, text: impl Into<WidgetText>) -> Response {
    let is_chosen = *value == one;
    let mut response = ui.selectable_label(is_chosen, text);
    if is_taken(ui, &response, is_chosen) && !is_chosen {
        *value = one;
        response.mark_changed();
    }
    response
}

/// Whether a row of a list is taken, by a click or by Return; the list closes then.
pub fn is_taken(ui: &Ui, row: &Response, is_chosen: bool) -> bool {
    let key = Id::new(("list keys", ui.layer_id()));
    let mut list: ListKeys = ui.data(|data| data.get_temp(key)).unwrap_or_default();
    let pass = ui.ctx().cumulative_pass_nr();
    if list.pass != pass {
        list = next_pass(ui, list, pass);
    }
    let i = list.drawn;
    list.drawn += 1;
    if is_chosen && list.at.is_none() {
        list.at = Some(i);
    }
    let is_here = list.at == Some(i);
    if is_here && list.moved {
        let stroke = Stroke::new(1.0, ui.visuals().selection.stroke.color);
        ui.painter().rect_stroke(row.rect, 4.0, stroke, StrokeKind::Inside);
        row.scroll_to_me(None);
    }
    let is_taken = row.clicked() || is_here && list.takes;
    if is_taken {
        if let Some(before) = list.before {
            ui.memory_mut(|memory| memory.request_focus(before));
        }
        ui.close();
    }
    ui.data_mut(|data| data.insert_temp(key, list));
    is_taken
}

/// The state of a list at the first row of a pass, with the keys of this pass.
fn next_pass(ui: &Ui, last: ListKeys, pass: u64) -> ListKeys {
    if last.pass + 1 != pass {
        // It opens: what had the keyboard lets go of it, or Return would close the list.
        let before = ui.memory(|memory| memory.focused());
        if let Some(before) = before {
            ui.memory_mut(|memory| memory.surrender_focus(before));
        }
        return ListKeys { pass, before, ..ListKeys::default() };
    }
    let count = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
    let [down, up, takes] = [count(Key::ArrowDown), count(Key::ArrowUp), count(Key::Enter)];
    let at = match last.at {
        Some(at) => Some((at + down).saturating_sub(up).min(last.drawn.saturating_sub(1))),
        None => (down + up > 0).then_some(0),
    };
    ListKeys { pass, drawn: 0, at, takes: takes > 0, moved: last.moved || down + up > 0, before: last.before }
}
