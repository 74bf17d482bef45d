//! How characters interact, and what becomes of instances that fall out of the level.

use crate::scene::settings::LostRule;
use crate::sim::EventKind;
use crate::ui::command::Command;
use crate::ui::edit_rows;
use crate::ui::widgets::{drag, form, section, text};
use crate::ui::{UiContext, names};
use egui::Ui;

/// Draws the section.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    section(ui, "Interaction", false, |ui| {
        form(ui, "interaction", |ui| {
            let mut rows = edit_rows::of_settings(ui, cx, out);
            rows.row("Characters interact", "Whether they answer each other.")
                .either("switch interaction on", "switch interaction off", "interaction")
                .switch(|to| &mut to.interaction_enabled);
            let metres = drag(0.0..=20.0, 0.05, " m");
            rows.row("Nearest", "Those nearer than this do not answer, in metres.")
                .edit("change the least range", "least range")
                .number(metres, |to| &mut to.interaction_min_range);
            let help = "Edge of the box in which partners are sought, in metres: they are in reach up to half of it.";
            let row = rows.row("Reach", help).edit("change the range", "range");
            row.number(metres, |to| &mut to.interaction_max_range);
            rows.row("View", "Angle within which both must face each other, in degrees.")
                .edit("change the field of view", "view")
                .number(drag(0.0..=180.0, 0.2, "°"), |to| &mut to.interaction_fov_deg);
            let label = |rule| match rule {
                LostRule::PutBack => "Put back",
                LostRule::Delete => "Delete",
            };
            if rows.to.interaction_enabled {
                let of_kind = |row: &(EventKind, u64)| row.0 == EventKind::Interaction;
                let count = cx.world.event_counts().find(of_kind).map_or(0, |row| row.1);
                text(rows.ui, "So far", format!("{count} interactions"));
                partners(rows.ui, cx);
            }
            rows.row("The lost", "What becomes of instances that fall out of the level.")
                .edit("change what becomes of the lost", "lost")
                .choice(&[LostRule::PutBack, LostRule::Delete], label, |to| &mut to.lost);
        });
    });
}

/// How many characters the selected one reaches, and which would answer.
fn partners(ui: &mut Ui, cx: &UiContext<'_>) {
    let settings = &cx.scene.settings;
    let view = cx.selection.instance.and_then(|id| Some((id, cx.world.interaction_view(id, settings)?)));
    let Some((id, view)) = view else { return };
    text(ui, "In reach", format!("{} characters", view.candidates.len()));
    let partner = cx.world.interaction_partner(id, settings);
    text(ui, "Would answer", partner.map_or("none".to_owned(), |id| names::instance_name(cx.scene, id)));
}
