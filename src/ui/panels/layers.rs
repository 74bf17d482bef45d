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
        let mut change = None;
        for (i, layer) in instance.layers.iter().enumerate() {
            egui::CollapsingHeader::new(label(layer, file, i)).id_salt(("layer", i)).default_open(true).show(
                ui,
                |ui| {
                    form(ui, &format!("layer {i}"), |ui| fields(ui, (i, layer), file, &mut change));
                    if ui.button("✖ Remove layer").on_hover_text("Plays it no more.").clicked() {
                        change = Some(LayerChange::Remove(i));
                    }
                },
            );
        }
        let help = "A clip that plays over the other animation, on the whole body or from one joint on.";
        let has_room = instance.layers.len() < MAX_LAYERS;
        if has_room && ui.button("➕ Layer").on_hover_text(help).clicked() {
            change = Some(LayerChange::Add);
        }
        if let Some(change) = change {
            let what = format!("change the layers of {}", names::name_of_all(cx.scene, cx.chosen));
            let key = change.key(instance.layers.len());
            out.push(edits::change_chosen(what, cx, &key, |one| change.apply(&mut one.layers)));
        }
    });
}

/// What was asked of the layers: the same for all chosen instances, whose other layers stay.
enum LayerChange {
    /// A field of the layer of this number, and its name.
    Set(usize, &'static str, Box<dyn Fn(&mut ClipLayer)>),
    Remove(usize),
    Add,
}

impl LayerChange {
    /// The key that joins the edits of one field of one layer.
    fn key(&self, count: usize) -> String {
        match self {
            Self::Set(i, field, _) => format!("{field} of layer {i}"),
            Self::Remove(_) => format!("layers {}", count - 1),
            Self::Add => format!("layers {}", count + 1),
        }
    }

    fn apply(&self, layers: &mut Vec<ClipLayer>) {
        match self {
            Self::Set(i, _, set) => layers.get_mut(*i).into_iter().for_each(set),
            Self::Remove(i) if *i < layers.len() => drop(layers.remove(*i)),
            Self::Add if layers.len() < MAX_LAYERS => layers.push(ClipLayer::default()),
            Self::Remove(_) | Self::Add => {}
        }
    }
}

/// What people call a layer.
fn label(layer: &ClipLayer, file: &Model, i: usize) -> String {
    let clip = file.clips.get(layer.clip as usize).map(|clip| clip.name.as_str()).filter(|name| !name.is_empty());
    let clip = clip.map_or_else(|| format!("clip {}", layer.clip), str::to_owned);
    let joint = if layer.joint.is_empty() { WHOLE } else { &layer.joint };
    format!("{}: {clip}, {joint}", i + 1)
}

fn fields(ui: &mut Ui, (i, layer): (usize, &ClipLayer), file: &Model, change: &mut Option<LayerChange>) {
    let usual = ClipLayer::default();
    let mut set = |field: &'static str, to: Box<dyn Fn(&mut ClipLayer)>| {
        *change = Some(LayerChange::Set(i, field, to));
    };
    ui.label("Clip").on_hover_text("What plays over the other animation.");
    let mut clip = layer.clip;
    clip_box(ui, &format!("clip of layer {}", i + 1), file, &mut clip);
    if clip != layer.clip {
        set("clip", Box::new(move |layer| layer.clip = clip));
    }
    ui.end_row();
    let help = "Additive adds the difference of the clip to its start; override takes the place of what is below it.";
    let mut kind = layer.kind;
    if choice(ui, "Layer kind", help, (&mut kind, usual.kind), &LayerKind::ALL, LayerKind::label) {
        set("kind", Box::new(move |layer| layer.kind = kind));
    }
    let help = "The joint at which it starts: only what hangs on it is changed.";
    let name = ui.label("From joint").on_hover_text(help);
    let shown = if layer.joint.is_empty() { WHOLE } else { layer.joint.as_str() };
    let list = ComboBox::from_id_salt(("joint", i)).selected_text(shown).width(choice_width(ui, 150.0, 4.0)).truncate();
    let list = list.show_ui(ui, |ui| {
        let mut joint = layer.joint.clone();
        choice_row(ui, &mut joint, String::new(), WHOLE);
        for name in file.skeleton.names.iter().filter(|name| !name.is_empty()) {
            choice_row(ui, &mut joint, name.clone(), name);
        }
        joint
    });
    if let Some(joint) = list.inner.filter(|joint| *joint != layer.joint) {
        set("joint", Box::new(move |layer| layer.joint.clone_from(&joint)));
    }
    list.response.labelled_by(name.id).on_hover_text(help);
    ui.end_row();
    let share = drag(0.0..=1.0, 0.005, "").decimals(2);
    let mut weight = layer.weight;
    let help = "0 shows none of it, 1 all.";
    if number_or(ui, "Layer weight", help, (&mut weight, usual.weight), share).changed() {
        set("weight", Box::new(move |layer| layer.weight = weight));
    }
    let pace = drag(-15.0..=15.0, 0.01, "×").decimals(2);
    let help = "1 plays the clip as it was made, below 0 backwards; 0 holds its end.";
    let mut speed = layer.speed;
    if number_or(ui, "Layer speed", help, (&mut speed, usual.speed), pace).changed() {
        set("speed", Box::new(move |layer| layer.speed = speed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_in_one_layer_leaves_those_of_others_as_they_are() {
        let layer = |clip| ClipLayer { clip, ..ClipLayer::default() };
        let mut layers = vec![layer(3), layer(4)];
        let weigh = |i| LayerChange::Set(i, "weight", Box::new(|layer| layer.weight = 0.5));
        weigh(0).apply(&mut layers);
        weigh(2).apply(&mut layers);
        assert_eq!(layers, [ClipLayer { weight: 0.5, ..layer(3) }, layer(4)]);
        LayerChange::Remove(0).apply(&mut layers);
        LayerChange::Remove(1).apply(&mut layers);
        assert_eq!(layers, [layer(4)]);
        (0..=MAX_LAYERS).for_each(|_| LayerChange::Add.apply(&mut layers));
        assert_eq!(layers.len(), MAX_LAYERS);
    }
}
