//! The help window: keys and mouse, from the command table.

use crate::ui::UiState;
use crate::ui::command::{COMMANDS, MENUS, MOUSE, key_text};
use egui::{Align2, Grid, ScrollArea, Ui, Window};

/// Draws the window while it is open.
pub fn show(ui: &mut Ui, state: &mut UiState) {
    if !state.help {
        return;
    }
    Window::new("Keys and mouse")
        .open(&mut state.help)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .resizable(false)
        .collapsible(false)
        .show(ui.ctx(), |ui| {
            let height = (ui.ctx().content_rect().height() * 0.7).max(200.0);
            ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
                Grid::new("help").num_columns(3).striped(true).spacing([20.0, 5.0]).show(ui, |ui| {
                    for &menu in MENUS {
                        ui.strong(menu);
                        ui.end_row();
                        for row in COMMANDS.iter().filter(|row| row.menu == menu) {
                            let keys: Vec<String> = row.keys.iter().map(|k| key_text(ui.ctx(), k)).collect();
                            ui.monospace(keys.join("  "));
                            ui.label(row.label);
                            ui.weak(row.help);
                            ui.end_row();
                        }
                    }
                    ui.strong("Camera and mouse");
                    ui.end_row();
                    for (key, help) in MOUSE {
                        ui.monospace(*key);
                        ui.label("");
                        ui.weak(*help);
                        ui.end_row();
                    }
                });
            });
        });
}
