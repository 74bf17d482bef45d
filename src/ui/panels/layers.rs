//! Layers of clips over the animation of the selected instance.

use super::animation::clips::clip_box;
use crate::anim::layer::{LayerKind, MAX_LAYERS};
use crate::asset::Model;
use crate::scene::ClipLayer;
use crate::ui::choices::choice_row;
use crate::ui::command::Command;
use crate::ui::widgets::{choice, choice_width, drag, form, number_or, section};
use crate::ui::{UiContext, edits, names};
use egui::{ComboBox, Ui};

/// What a layer without a joint changes.
const WHOLE: &str = "Whole body";

/// Draws the section; nothing without a selected instance whose model has clips.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let selected = cx.selection.instance.and_then(|id| cx.scene.instances.get(id));
    let Some(instance) = selected.filter(|_| cx.camera.is_none()) else { return };
    let entry = instance.model_id().and_then(|id| cx.scene.models.get(id));
    let file = entry.and_then(|entry| cx.assets.by_file(entry)).map(|(_, file)| file);
    let Some(file) = file.filter(|file| !file.clips.is_empty()) else { return };
    section(ui, "Layers", false, |ui| {
        let mut to = instance.layers.clone();
        let mut removed = None;
        for (i, layer) in to.iter_mut().enumerate() {
            egui::CollapsingHeader::new(label(layer, file, i)).id_salt(("layer", i)).default_open(true).show(
                ui,
                |ui| {
                    form(ui, &format!("layer {i}"), |ui| fields(ui, i, layer, file));
                    if ui.button("✖ Remove layer").on_hover_text("Plays it no more.").clicked() {
                        removed = Some(i);
                    }
                },
            );
        }
        if let Some(i) = removed {
            to.remove(i);
        }
        let help = "A clip that plays over the other animation, on the whole body or from one joint on.";
        if to.len() < MAX_LAYERS && ui.button("➕ Layer").on_hover_text(help).clicked() {
            to.push(ClipLayer::default());
        }
        if to != instance.layers {
            let name = names::name_of_all(cx.scene, cx.chosen);
            let field = format!("layers {}", to.len());
            out.push(edits::change_chosen(format!("change the layers of {name}"), cx, &field, |one| {
                one.layers.clone_from(&to);
            }));
        }
    });
}

/// What people call a layer.
fn label(layer: &ClipLayer, file: &Model, i: usize) -> String {
    let clip = file.clips.get(layer.clip as usize).map(|clip| clip.name.as_str()).filter(|name| !name.is_empty());
    let clip = clip.map_or_else(|| format!("clip {}", layer.clip), str::to_owned);
    let joint = if layer.joint.is_empty() { WHOLE } else { &layer.joint };
    format!("{}: {clip}, {joint}", i + 1)
}

fn fields(ui: &mut Ui, i: usize, layer: &mut ClipLayer, file: &Model) {
    let usual = ClipLayer::default();
    ui.label("Clip").on_hover_text("What plays over the other animation.");
    clip_box(ui, &format!("clip of layer {}", i + 1), file, &mut layer.clip);
    ui.end_row();
    let help = "Additive adds the difference of the clip to its start; override takes the place of what is below it.";
    choice(ui, "Layer kind", help, (&mut layer.kind, usual.kind), &LayerKind::ALL, LayerKind::label);
    let help = "The joint at which it starts: only what hangs on it is changed.";
    let name = ui.label("From joint").on_hover_text(help);
    let shown = if layer.joint.is_empty() { WHOLE } else { &layer.joint }.to_owned();
    let list = ComboBox::from_id_salt(("joint", i)).selected_text(shown).width(choice_width(ui, 150.0, 4.0)).truncate();
    let list = list.show_ui(ui, |ui| {
        choice_row(ui, &mut layer.joint, String::new(), WHOLE);
        for joint in file.skeleton.names.iter().filter(|name| !name.is_empty()) {
            choice_row(ui, &mut layer.joint, joint.clone(), joint);
        }
    });
    list.response.labelled_by(name.id).on_hover_text(help);
    ui.end_row();
    let share = drag(0.0..=1.0, 0.005, "").decimals(2);
    number_or(ui, "Layer weight", "0 shows none of it, 1 all.", (&mut layer.weight, usual.weight), share);
    let speed = drag(-15.0..=15.0, 0.01, "×").decimals(2);
    let help = "1 plays the clip as it was made, below 0 backwards; 0 holds its end.";
    number_or(ui, "Layer speed", help, (&mut layer.speed, usual.speed), speed);
}
