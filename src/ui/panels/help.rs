//! The help window: keys and mouse, from the command table.

use crate::ui::UiState;
use crate::ui::command::{COMMANDS, MENUS, MOUSE};
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
            ScrollArea::vertical().max_height(560.0).show(ui, |ui| {
                Grid::new("help").num_columns(3).striped(true).spacing([20.0, 5.0]).show(ui, |ui| {
                    for &menu in MENUS {
                        ui.strong(menu);
                        ui.end_row();
                        for row in COMMANDS.iter().filter(|row| row.menu == menu) {
                            let keys: Vec<String> = row.keys.iter().map(|k| ui.ctx().format_shortcut(k)).collect();
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
                        ui.label(*help);
                        ui.end_row();
                    }
                });
            });
        });
}
