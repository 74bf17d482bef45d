//! The help window: keys and mouse, from the command table.

use crate::ui::command::{COMMANDS, MENUS, key_text};
use crate::ui::mouse_help::MOUSE;
use egui::{Align2, Grid, Label, RichText, ScrollArea, Ui, Window};

/// Greatest width of the list, points.
const WIDTH: f32 = 780.0;

fn explained(ui: &mut Ui, help: &str) {
    ui.add(Label::new(RichText::new(help).weak()).wrap());
}

/// Draws the window while it is open.
pub fn show(ui: &mut Ui, open: &mut bool) {
    if !*open {
        return;
    }
    let width = (ui.ctx().content_rect().width() - 80.0).clamp(320.0, WIDTH);
    Window::new("Keys and mouse")
        .open(open)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .resizable(false)
        .collapsible(false)
        .show(ui.ctx(), |ui| {
            let height = (ui.ctx().content_rect().height() * 0.7).max(200.0);
            ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
                ui.set_width(width);
                let grid = |name| Grid::new(name).striped(true).spacing([20.0, 5.0]).max_col_width(width * 0.56);
                grid("help").num_columns(3).show(ui, |ui| {
                    for &menu in MENUS {
                        ui.strong(menu);
                        ui.end_row();
                        for row in COMMANDS.iter().filter(|row| row.menu == menu) {
                            let keys: Vec<String> = row.keys.iter().map(|k| key_text(ui.ctx(), k)).collect();
                            ui.monospace(keys.join("  "));
                            ui.label(row.label);
                            explained(ui, row.help);
                            ui.end_row();
                        }
                    }
                });
                ui.add_space(8.0);
                // In columns of their own: what is done with the mouse takes more words than a key.
                grid("mouse").num_columns(2).show(ui, |ui| {
                    ui.strong("Camera and mouse");
                    ui.end_row();
                    for (key, help) in MOUSE {
                        ui.monospace(*key);
                        explained(ui, help);
                        ui.end_row();
                    }
                });
            });
        });
}
