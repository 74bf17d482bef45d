//! How characters interact, and what becomes of instances that fall out of the level.

use crate::scene::Settings;
use crate::scene::settings::LostRule;
use crate::sim::EventKind;
use crate::ui::command::Command;
use crate::ui::widgets::{Drag, choice, drag, form, number_or, section, switch, text};
use crate::ui::{UiContext, edits, names};
use egui::Ui;

/// Draws the section.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    section(ui, "Interaction", false, |ui| {
        let (mut to, usual) = ((*cx.scene.settings).clone(), Settings::of_new_scene());
        form(ui, "interaction", |ui| {
            let on = (&mut to.interaction_enabled, usual.interaction_enabled);
            if switch(ui, "Characters interact", "Whether they answer each other.", on).changed() {
                let what = if to.interaction_enabled { "switch interaction on" } else { "switch interaction off" };
                out.push(edits::set_settings(what, "interaction", to.clone()));
            }
            let help = "Those nearer than this do not answer, in metres.";
            if number_or(ui, "Nearest", help, (&mut to.interaction_min_range, usual.interaction_min_range), range())
                .changed()
            {
                out.push(edits::set_settings("change the least range", "least range", to.clone()));
            }
            let help = "Edge of the box in which partners are sought, in metres: they are in reach up to half of it.";
            if number_or(ui, "Reach", help, (&mut to.interaction_max_range, usual.interaction_max_range), range())
                .changed()
            {
                out.push(edits::set_settings("change the range", "range", to.clone()));
            }
            let help = "Angle within which both must face each other, in degrees.";
            let angle = (&mut to.interaction_fov_deg, usual.interaction_fov_deg);
            if number_or(ui, "View", help, angle, drag(0.0..=180.0, 0.2, "°")).changed() {
                out.push(edits::set_settings("change the field of view", "view", to.clone()));
            }
            let label = |rule| match rule {
                LostRule::PutBack => "Put back",
                LostRule::Delete => "Delete",
            };
            if to.interaction_enabled {
                let of_kind = |row: &(EventKind, u64)| row.0 == EventKind::Interaction;
                let count = cx.world.event_counts().find(of_kind).map_or(0, |row| row.1);
                text(ui, "So far", format!("{count} interactions"));
                partners(ui, cx);
            }
            let help = "What becomes of instances that fall out of the level.";
            let rule = (&mut to.lost, usual.lost);
            if choice(ui, "The lost", help, rule, &[LostRule::PutBack, LostRule::Delete], label) {
                out.push(edits::set_settings("change what becomes of the lost", "lost", to.clone()));
            }
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

/// A distance of interaction.
fn range() -> Drag {
    drag(0.0..=20.0, 0.05, " m")
}
