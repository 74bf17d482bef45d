//! The selected model: whether its instances can be walked to, how fast they walk, and by which clips.

use super::animation::clips::clip_speed;
use crate::asset::NodeTransforms;
use crate::ids::ModelId;
use crate::scene::edit::Edit;
use crate::scene::model::BlendSet;
use crate::scene::{Scene, SceneModel, Selection};
use crate::ui::command::{Action, Command, info};
use crate::ui::edit_rows;
use crate::ui::names::without_extension;
use crate::ui::widgets::{drag, form, section, text};
use crate::ui::{UiContext, edits};
use crate::vocab::MoveDirection;
use egui::Ui;

/// The model of the selected instance, else the selected model.
pub fn of_selection(scene: &Scene, selection: &Selection) -> Option<ModelId> {
    let of_instance = || scene.instances.get(selection.instance?)?.model_id();
    of_instance().or(selection.model)
}

/// The model of the selected instance, else the selected model, else the first.
pub fn chosen<'a>(cx: &UiContext<'a>) -> Option<(ModelId, &'a SceneModel)> {
    let id = of_selection(cx.scene, &cx.selection).or_else(|| cx.scene.models.ids().next())?;
    Some((id, cx.scene.models.get(id)?))
}

/// Draws the section.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    section(ui, "Model", false, |ui| {
        let Some((id, model)) = chosen(cx) else {
            ui.weak("The scene has no model. Drop a model file on the window.");
            return;
        };
        let name = without_extension(&model.name).to_owned();
        form(ui, "model", |ui| {
            text(ui, "Name", name.as_str());
            text(ui, "File", model.file.as_str());
            settings(ui, cx, id, model, &name, out);
        });
        clips(ui, cx, id, model, &name, out);
        ui.horizontal_wrapped(|ui| {
            let help = "Put an instance on the ground in the middle of the viewport.";
            if ui.button("➕ Instance").on_hover_text(help).clicked() {
                out.push(Command::Place(id));
            }
            let many = info(Action::CreateMany);
            if ui.button("➕ Many…").on_hover_text(many.help).clicked() {
                out.push(Command::Run(Action::CreateMany));
            }
            let help =
                "Play the clips of another model, or of a file of motion capture (BVH), retargeted to this body.";
            let has_bones = cx.assets.by_file(model).is_some_and(|(_, file)| file.is_skinned());
            if has_bones && ui.button("➕ Clips…").on_hover_text(help).clicked() {
                out.push(Command::PlayClips(id, None));
            }
            let animation = info(Action::Animation);
            if (has_bones || has_clips(cx, model)) && ui.button("Animation…").on_hover_text(animation.help).clicked()
            {
                out.push(Command::Run(Action::Animation));
            }
            let count = cx.scene.instances.values().filter(|i| i.model_id() == Some(id)).count();
            let help = format!("Take the model out of the scene, with its instances ({count}). Undo brings all back.");
            if ui.button("✖ Remove").on_hover_text(help).clicked() {
                out.push(edits::command(format!("remove model {name}"), Edit::RemoveModel(id)));
            }
        });
    });
}

fn settings(ui: &mut Ui, cx: &UiContext<'_>, id: ModelId, model: &SceneModel, name: &str, out: &mut Vec<Command>) {
    let mut rows = edit_rows::of_model(ui, (id, model), out);
    rows.row("Can be walked to", "Whether its instances are targets that characters can be sent to.")
        .either(format!("make {name} a target"), format!("no longer make {name} a target"), "target")
        .switch(|to| &mut to.is_nav_target);
    let help = "Show it as the original program does: without the transforms of the nodes below the root, where it has no \
                clips, and without the units and axes of an FBX file.";
    let shown = |what: &str| format!("show {name} with {what}");
    rows.row("Root transform alone", help)
        .either(shown("the root's transform"), shown("all transforms"), "transforms")
        .switch_between([NodeTransforms::RootOnly, NodeTransforms::All], |to| &mut to.transforms);
    if has_clips(cx, model) {
        rows.row("Speed", "Full walking speed of an unscaled instance; running is twice that.")
            .edit(format!("change the speed of {name}"), "speed")
            .number(drag(0.0..=20.0, 0.01, " m/s"), |to| &mut to.forward_speed_factor);
    }
}

fn has_clips(cx: &UiContext<'_>, model: &SceneModel) -> bool {
    cx.assets.by_file(model).is_some_and(|(_, file)| !file.clips.is_empty())
}

/// The clips of the way it moves in any direction.
fn clips(ui: &mut Ui, cx: &UiContext<'_>, id: ModelId, model: &SceneModel, name: &str, out: &mut Vec<Command>) {
    let Some((_, file)) = cx.assets.by_file(model).filter(|(_, file)| !file.clips.is_empty()) else { return };
    let mut to = model.clone();
    let at = to.blend_sets.iter().position(|set| set.direction == MoveDirection::Any).or(
        // The only set is the one that is shown.
        (to.blend_sets.len() == 1).then_some(0),
    );
    let mut set = at.map_or_else(|| BlendSet::plain(MoveDirection::Any), |at| to.blend_sets[at]);
    let before = set;
    form(ui, "model-clips", |ui| {
        for (what, one) in [("Idle", &mut set.idle), ("Walk", &mut set.walk), ("Run", &mut set.run)] {
            ui.label(what);
            clip_speed(ui, what, file, one);
            ui.end_row();
        }
    });
    if set != before {
        let fields = [("idle", set.idle != before.idle), ("walk", set.walk != before.walk)];
        let field = fields.into_iter().find(|(_, is_changed)| *is_changed).map_or("run", |(field, _)| field);
        match at {
            Some(at) => to.blend_sets[at] = set,
            None => to.blend_sets.push(set),
        }
        out.push(edits::set_model(format!("change the clips of {name}"), id, &format!("clips {field}"), to));
    }
}
