//! Where the menus lie: a press there chooses a command, and leaves what the command means as it is.

use egui::{Context, Id, Order, Pos2, Rect, Ui};

fn bar_id() -> Id {
    Id::new("menu bar")
}

/// Notes where the menu bar lies, whose content `ui` holds.
pub fn note_bar(ui: &Ui) {
    let bar = ui.min_rect();
    ui.data_mut(|data| data.insert_temp(bar_id(), bar));
}

/// Whether a place of the window lies in the menu bar or in an open menu.
pub fn contains(ctx: &Context, at: Pos2) -> bool {
    let in_menu = ctx.layer_id_at(at).is_some_and(|layer| layer.order == Order::Foreground);
    in_menu || ctx.data(|data| data.get_temp(bar_id())).is_some_and(|bar: Rect| bar.contains(at))
}
