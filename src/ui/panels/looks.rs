//! How the selected instances look besides where they stand: face, head, and which axis of their model is up.

use crate::asset::Model;
use crate::scene::SceneInstance;
use crate::ui::command::Command;
use crate::ui::edit_rows;
use crate::ui::widgets::{choice, drag, form, number_or, section};
use crate::ui::{UiContext, edits, names};
use crate::vocab::FaceExpression;
use egui::Ui;

/// Draws the section; nothing without a selected instance.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let selected = cx.selection.instance.and_then(|id| cx.scene.instances.get(id));
    let Some(instance) = selected.filter(|_| cx.camera.is_none()) else { return };
    let entry = instance.model_id().and_then(|id| cx.scene.models.get(id));
    let file = entry.and_then(|entry| cx.assets.by_file(entry)).map(|(_, file)| file);
    section(ui, "Looks", false, |ui| {
        form(ui, "looks", |ui| {
            if let Some(file) = file {
                material_variant(ui, cx, instance, file, out);
            }
            fields(ui, cx, instance, out);
        });
        if let Some(file) = file {
            morph_targets(ui, cx, instance, file, out);
        }
    });
}

/// The material variant, where the model has some.
fn material_variant(ui: &mut Ui, cx: &UiContext<'_>, instance: &SceneInstance, model: &Model, out: &mut Vec<Command>) {
    if model.material_variants.is_empty() {
        return;
    }
    let known: Vec<&str> = ["none"].into_iter().chain(model.material_variants.iter().map(String::as_str)).collect();
    let own = instance.material_variant.as_deref();
    let mut number = own.and_then(|own| known[1..].iter().position(|name| *name == own)).map_or(0, |i| i + 1);
    let numbers: Vec<usize> = (0..known.len()).collect();
    let help = "Material variant of the model in which it is drawn: another dress, colour or finish.";
    if choice(ui, "Variant", help, (&mut number, 0), &numbers, |number| known[number]) {
        let what = format!("change the material variant of {}", names::name_of_all(cx.scene, cx.chosen));
        let variant = (number > 0).then(|| known[number].to_owned());
        out.push(edits::change_chosen(what, cx, "variant", |one| one.material_variant.clone_from(&variant)));
    }
}

/// A weight for every morph target of the model, by name; nothing where it has none.
fn morph_targets(ui: &mut Ui, cx: &UiContext<'_>, instance: &SceneInstance, model: &Model, out: &mut Vec<Command>) {
    let names = model.morph_names();
    if names.is_empty() {
        return;
    }
    let whose = names::name_of_all(cx.scene, cx.chosen);
    let title = format!("{} ({})", "Morph targets", names.len());
    egui::CollapsingHeader::new(title).id_salt("morph-targets").show(ui, |ui| {
        form(ui, "morph-targets", |ui| {
            for target in names {
                let mut weight = instance.morphs.get(target).copied().unwrap_or_default();
                let share = drag(0.0..=1.0, 0.005, "").decimals(2);
                let help = "0 shows none of it, 1 all, on top of the expression. The eight largest are shown at once.";
                if number_or(ui, target, help, (&mut weight, 0.0), share).changed() {
                    let what = format!("change the morph targets of {whose}");
                    out.push(edits::change_chosen(what, cx, target, |one| {
                        match weight > 0.0 {
                            true => drop(one.morphs.insert(target.to_owned(), weight)),
                            false => drop(one.morphs.remove(target)),
                        };
                    }));
                }
            }
        });
    });
}

fn fields(ui: &mut Ui, cx: &UiContext<'_>, instance: &SceneInstance, out: &mut Vec<Command>) {
    let name = names::name_of_all(cx.scene, cx.chosen);
    let (mut to, usual) = (instance.clone(), SceneInstance::default());
    let help = "The expression that it begins with, where its model has one.";
    if choice(ui, "Face", help, (&mut to.face, usual.face), FaceExpression::ALL, FaceExpression::label) {
        // One that is chosen is to be seen.
        let (face, weight) = (to.face, if to.face == FaceExpression::None { 0.0 } else { 1.0 });
        out.push(edits::change_chosen(format!("change the face of {name}"), cx, "face", |one| {
            one.face = face;
            one.face_weight = if one.face_weight > 0.0 { one.face_weight } else { weight };
        }));
    }
    let mut rows = edit_rows::of_chosen(ui, cx, instance, out);
    let (share, side) = (drag(0.0..=1.0, 0.005, "").decimals(2), drag(-1.0..=1.0, 0.01, "").decimals(2));
    rows.row("Face weight", "0 shows none of it, 1 all.")
        .edit(format!("change the face of {name}"), "face weight")
        .number(share, |to| &mut to.face_weight);
    rows.row("Head turn", "-1 looks to the left, 1 to the right, as far as the clips of its model go.")
        .edit(format!("turn the head of {name}"), "head turn")
        .number(side, |to| &mut to.head_left_right);
    rows.row("Head tilt", "-1 looks up, 1 down, as far as the clips of its model go.")
        .edit(format!("tilt the head of {name}"), "head tilt")
        .number(side, |to| &mut to.head_up_down);
    rows.row("Looks at", "Turn the head to the nearest character within so many metres; 0 looks at none.")
        .edit(format!("let {name} look at neighbours"), "look at")
        .number(drag(0.0..=100.0, 0.05, " m"), |to| &mut to.look_at_range);
    rows.row("Smiles", "How much it smiles at the character that it looks at, where its model has a smile.")
        .edit(format!("let {name} smile at neighbours"), "smile")
        .number(share, |to| &mut to.look_at_smile);
    let row = rows.row("Z is up in the model", "Turns the model upright.").edit(format!("swap axes of {name}"), "axes");
    row.switch(|to| &mut to.swap_axes);
}
