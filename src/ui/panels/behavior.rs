//! The selected instance's behaviour: which template it lives by, and the nodes that are active now.

use crate::behavior::{TreeInstance, kind};
use crate::ids::BehaviorId;
use crate::ui::command::{Action, Command, info};
use crate::ui::theme::{color, ink};
use crate::ui::widgets::{form, section};
use crate::ui::{UiContext, edit_rows, edits, names};
use egui::{ProgressBar, RichText, Ui};

/// Most active nodes that are listed.
const MAX_ROWS: usize = 12;

/// Draws the section; nothing without a selected instance.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let selected = cx.selection.instance.and_then(|id| Some((id, cx.scene.instances.get(id)?)));
    let Some((id, instance)) = selected else { return };
    section(ui, "Behaviour", true, |ui| {
        let row = info(Action::BehaviorEditor);
        if ui.button("Open the editor").on_hover_text(row.help).clicked() {
            out.push(Command::Run(Action::BehaviorEditor));
        }
        let behaviors = &cx.scene.behaviors;
        if behaviors.is_empty() {
            return;
        }
        let all: Vec<Option<BehaviorId>> = std::iter::once(None).chain(behaviors.ids().map(Some)).collect();
        let named =
            |id: Option<BehaviorId>| id.and_then(|id| behaviors.get(id)).map_or("none", |graph| graph.name.as_str());
        form(ui, "behavior", |ui| {
            let name = names::name_of_all(cx.scene, cx.chosen);
            let mut rows = edit_rows::of_chosen(ui, cx, instance, out);
            rows.row("Template", "The behaviour by which what is selected lives.")
                .edit(format!("give {name} a behaviour"), "behavior")
                .choice(&all, named, |to| &mut to.behavior);
        });
        if let Some(model) = instance.model_id()
            && ui
                .button("Give it to all of this model")
                .on_hover_text("Every instance of the same model lives by it")
                .clicked()
        {
            out.push(edits::set_model_behavior(cx.scene, model, instance.behavior));
        }
        if let Some(running) = cx.world.behavior(id) {
            watch(ui, running);
        }
    });
}

/// The active nodes, those at work with the time that is left.
fn watch(ui: &mut Ui, running: &TreeInstance) {
    ui.add_space(4.0);
    form(ui, "active nodes", |ui| {
        for node in running.active_nodes().take(MAX_ROWS) {
            let label = format!("{} {}", kind::label(node.kind), node.id);
            let working = node.time.is_some();
            let tint = if working { ink(ui, color::ACCENT) } else { ui.visuals().weak_text_color() };
            let help = kind::by_number(node.kind).map_or("", |kind| kind.help);
            ui.label(RichText::new(label).color(tint)).on_hover_text(help);
            match node.time {
                Some((left, total)) => {
                    let share = 1.0 - left / total.max(f32::MIN_POSITIVE);
                    ui.add(ProgressBar::new(share).desired_width(120.0).text(format!("{left:.1} s")));
                }
                None => {
                    ui.weak("waits");
                }
            }
            ui.end_row();
        }
    });
    if running.active_nodes().next().is_none() {
        ui.weak("No node is active.");
    }
}
