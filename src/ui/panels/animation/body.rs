//! The body of a model: which of its nodes are bones of a human body, and the files whose clips it plays.

use super::bones::bone_box;
use super::clips::Chosen;
use crate::asset::human_bone::HumanBone;
use crate::asset::humanoid::Humanoid;
use crate::asset::{BoneNames, ClipSources, Model};
use crate::ui::command::Command;
use crate::ui::names::capitalized;
use crate::ui::widgets::form;
use egui::Ui;
use std::sync::{Arc, Weak};

/// The body of the model that was shown last.
#[derive(Clone, Debug, Default)]
pub struct KnownBody {
    of: Weak<Model>,
    bones: BoneNames,
    body: Option<Humanoid>,
}

impl KnownBody {
    /// The body of a model of which some bones are chosen.
    fn of(&mut self, model: &Arc<Model>, bones: &BoneNames) -> Option<&Humanoid> {
        // The weak reference keeps the place in memory, so that no other model has it.
        if self.of.as_ptr() != Arc::as_ptr(model) || self.bones != *bones {
            *self = Self { of: Arc::downgrade(model), bones: bones.clone(), body: Humanoid::of(model, bones) };
        }
        self.body.as_ref()
    }
}

/// Draws the page.
pub fn show(ui: &mut Ui, chosen: &Chosen<'_>, known: &mut KnownBody, out: &mut Vec<Command>) {
    sources(ui, chosen, out);
    ui.add_space(8.0);
    bones(ui, chosen, known.of(chosen.file, &chosen.entry.clip_sources.bones), out);
}

/// The files whose clips are played besides the model's own.
fn sources(ui: &mut Ui, chosen: &Chosen<'_>, out: &mut Vec<Command>) {
    ui.strong("Clips of other files");
    for (i, source) in chosen.entry.clip_sources.files.iter().enumerate() {
        ui.horizontal_wrapped(|ui| {
            let name = source.file.rsplit('/').next().unwrap_or(&source.file);
            ui.label(name).on_hover_text(&source.file);
            let after = if are_last_clips(&chosen.entry.clip_sources, i) {
                "Gaits and actions that use them rest."
            } else {
                "Clips after them get other numbers: choose those of gaits, actions, events and curves anew."
            };
            let help = format!("Play the clips of {name} no more. {after}");
            if ui.button("✖").on_hover_text(help).clicked() {
                let mut to = chosen.entry.clone();
                to.clip_sources.files.remove(i);
                out.push(chosen.set("clips", "clip sources", to));
            }
        });
    }
    for warning in chosen.file.warnings.iter().filter(|warning| ClipSources::is_warning(warning)) {
        ui.colored_label(ui.visuals().warn_fg_color, format!("It {warning}."));
    }
    let help =
        "Choose a model or a file of motion capture (BVH) with a human body; its clips are retargeted to this one.";
    if ui.button("➕ Clips of a file…").on_hover_text(help).clicked() {
        out.push(Command::PlayClips(chosen.id, None));
    }
}

/// Whether the clips of a source are the last of its model, so that no other clip has another number without them.
fn are_last_clips(sources: &ClipSources, i: usize) -> bool {
    i + 1 == sources.files.len() && sources.edits.iter().all(|edit| edit.copy_name.is_empty())
}

/// The bones of the body, told by names or chosen.
fn bones(ui: &mut Ui, chosen: &Chosen<'_>, body: Option<&Humanoid>, out: &mut Vec<Command>) {
    ui.strong("Human body");
    let named = &chosen.entry.clip_sources.bones;
    match body {
        Some(body) => ui.weak(format!("{} bones, told by names and by what hangs from what.", body.len())),
        None => ui.weak("The names of the nodes tell no body with two legs. Choose its bones."),
    };
    let skeleton = &chosen.file.skeleton;
    form(ui, "human-body", |ui| {
        for bone in HumanBone::all().filter(|bone| !matches!(bone, HumanBone::Finger(..))) {
            let label = label(bone);
            let text = ui.label(label.as_str());
            let is_chosen = named.contains_key(&bone);
            let chosen_by_hand = named.get(&bone).and_then(|name| skeleton.find(name));
            let told = body.and_then(|body| body.node(bone));
            let now = if is_chosen { chosen_by_hand } else { told }.map(|node| node.0);
            ui.horizontal(|ui| {
                let wanted = bone_box(ui, &label, skeleton, now, 0..skeleton.len() as u32);
                if wanted != now {
                    let name = wanted.map_or_else(String::new, |node| skeleton.names[node as usize].clone());
                    let mut to = chosen.entry.clone();
                    to.clip_sources.bones.insert(bone, name);
                    out.push(chosen.set("bones", "bones", to));
                }
                let help = "Take the bone that names tell.";
                if is_chosen && ui.button("⟲").on_hover_text(help).clicked() {
                    let mut to = chosen.entry.clone();
                    to.clip_sources.bones.remove(&bone);
                    out.push(chosen.set("bones", "bones", to));
                }
            });
            if is_chosen {
                text.on_hover_text("Chosen by hand");
            }
            ui.end_row();
        }
    });
}

/// A bone's name as people write it.
fn label(bone: HumanBone) -> String {
    capitalized(&bone.to_string().replace('-', " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{ClipEdit, ClipSource};

    #[test]
    fn clips_of_the_last_source_are_last_but_for_copies() {
        let mut sources = ClipSources { files: vec![ClipSource::default(); 2], ..ClipSources::default() };
        assert_eq!([0, 1].map(|i| are_last_clips(&sources, i)), [false, true]);
        sources.edits = vec![ClipEdit { is_mirrored: true, ..ClipEdit::default() }];
        assert!(are_last_clips(&sources, 1));
        sources.edits[0].copy_name = "mirrored".into();
        assert!(!are_last_clips(&sources, 1));
    }

    #[test]
    fn bodies_are_told_anew_when_model_or_bones_change() {
        let (one, other) = (Arc::new(Model::default()), Arc::new(Model::default()));
        let mut known = KnownBody::default();
        let told = |known: &KnownBody| (known.of.as_ptr(), known.bones.len());
        assert!(known.of(&one, &BoneNames::new()).is_none());
        assert_eq!(told(&known), (Arc::as_ptr(&one), 0));
        let named = BoneNames::from([(HumanBone::all().next().unwrap(), "hips".to_owned())]);
        known.of(&one, &named);
        assert_eq!(told(&known), (Arc::as_ptr(&one), 1));
        known.of(&other, &named);
        assert_eq!(told(&known), (Arc::as_ptr(&other), 1));
    }
}
