//! Widgets for the clips of a model.

use crate::anim::animation_set::{AnimationSet, gait_slot};
use crate::anim::gait::{Gait, GaitClip};
use crate::asset::Model;
use crate::ids::{ClipId, ModelId};
use crate::scene::SceneModel;
use crate::scene::model::ClipSpeed;
use crate::ui::choices::choice_row;
use crate::ui::command::Command;
use crate::ui::edits;
use crate::ui::widgets::{drag, value_or};
use egui::{ComboBox, Ui, WidgetInfo, WidgetType};
use std::sync::Arc;

/// A model of the scene with what its file holds.
#[derive(Clone, Copy)]
pub struct Chosen<'a> {
    /// Its entry.
    pub id: ModelId,
    /// What the scene says.
    pub entry: &'a SceneModel,
    /// What its file holds.
    pub file: &'a Arc<Model>,
}

impl Chosen<'_> {
    /// Its gaits and actions, as its instances have them.
    pub fn animation_set(&self) -> AnimationSet {
        let mut set = AnimationSet::default();
        set.longest_secs = self.file.longest_clip_secs();
        let clip = |one: ClipSpeed| GaitClip {
            clip: ClipId(one.clip),
            speed: one.speed,
            duration_secs: self.file.clips.get(one.clip as usize).map_or(0.0, |clip| clip.duration_secs),
        };
        for one in &self.entry.blend_sets {
            let (idle, walk, run) = (clip(one.idle), clip(one.walk), clip(one.run));
            let gait = Gait { idle, walk, run, longest_secs: set.longest_secs, fixed: None };
            set.gaits[gait_slot(one.direction)].get_or_insert(gait);
        }
        for action in self.entry.actions.iter().filter(|action| action.state.is_action()) {
            set.actions[action.state as usize] = Some(clip(action.clip));
            set.curves[action.state as usize] = action.curve;
        }
        self.entry.allowed_orders.iter().for_each(|&(from, to)| set.allow(from, to));
        set
    }

    /// A step that changes the entry; `field` joins those of a drag.
    pub fn set(&self, what: &str, field: &str, to: SceneModel) -> Command {
        let name = crate::ui::names::without_extension(&self.entry.name);
        edits::set_model(format!("change the {what} of {name}"), self.id, field, to)
    }
}

/// Name of a clip, or its number.
pub fn clip_name(file: &Model, clip: u32) -> String {
    match file.clips.get(clip as usize) {
        Some(clip) if !clip.name.is_empty() => clip.name.clone(),
        _ => format!("clip {clip}"),
    }
}

/// A box to choose a clip from, called `label` for screen readers.
pub fn clip_box(ui: &mut Ui, label: &str, file: &Model, clip: &mut u32) {
    let combo = ComboBox::from_id_salt(label).selected_text(clip_name(file, *clip)).width(110.0).truncate();
    let response = combo.show_ui(ui, |ui| {
        for other in 0..file.clips.len() as u32 {
            choice_row(ui, clip, other, clip_name(file, other));
        }
    });
    response.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, label));
}

/// A clip and how fast it plays.
pub fn clip_speed(ui: &mut Ui, label: &str, file: &Model, value: &mut ClipSpeed) {
    ui.horizontal(|ui| {
        clip_box(ui, label, file, &mut value.clip);
        let speed = drag(-15.0..=15.0, 0.01, "×").decimals(2);
        let help = "Speed relative to the model's longest clip; below 0 it plays backwards.";
        value_or(ui, &format!("speed of {label}"), help, (&mut value.speed, 1.0), speed);
    });
}
