//! Widgets for the clips of a model.

use crate::anim::animation_set::AnimationSet;
use crate::asset::Model;
use crate::ids::ModelId;
use crate::scene::SceneModel;
use crate::scene::model::ClipSpeed;
use crate::sim::model_rig::animation_set;
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
    /// Its gaits and actions, as its instances have them, without root motion.
    pub fn animation_set(&self) -> AnimationSet {
        animation_set(self.entry, Some(&**self.file))
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

/// How far a speed may lie off another and count as the same: scene files round it.
const SAME_SPEED: f32 = 0.005;

/// A clip and how fast it plays. Another clip plays as it was made where the one before did, or had no speed yet.
pub fn clip_speed(ui: &mut Ui, label: &str, file: &Model, value: &mut ClipSpeed) {
    ui.horizontal(|ui| {
        let (before, natural_before) = (*value, file.natural_speed(value.clip));
        clip_box(ui, label, file, &mut value.clip);
        let natural = file.natural_speed(value.clip);
        let is_natural = |natural: f32| (before.speed - natural).abs() < SAME_SPEED;
        if value.clip != before.clip && (before.speed == 0.0 || is_natural(natural_before)) {
            value.speed = natural;
        }
        let usual = if (value.speed - natural).abs() < SAME_SPEED { value.speed } else { natural };
        let speed = drag(-15.0..=15.0, 0.01, "×").decimals(2);
        let help = format!(
            "{natural:.2}× plays it as it was made; 1× makes it as long as the model's longest clip. Below 0 it plays backwards."
        );
        value_or(ui, &format!("speed of {label}"), &help, (&mut value.speed, usual), speed);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Clip;
    use crate::ids::Arena;
    use crate::scene::{ActionClip, BlendSet};
    use crate::sim::model_rig::ModelRig;
    use crate::vocab::{MoveDirection, MoveState};

    #[test]
    fn a_clip_plays_as_it_was_made_at_its_natural_speed() {
        let clips = [2.0, 0.5, 0.0].map(|duration_secs| Clip { duration_secs, ..Clip::default() });
        let file = Model { clips: clips.to_vec(), ..Model::default() };
        assert_eq!([0, 1].map(|clip| file.natural_speed(clip)), [1.0, 4.0]);
        assert_eq!([2, 9].map(|clip| file.natural_speed(clip)), [1.0, 1.0], "a pose, and a clip that is not there");
        let extended = Model { speed_base_secs: Some(1.0), ..file };
        assert_eq!(extended.natural_speed(0), 0.5, "a clip that was added is longer than what speeds are relative to");
    }

    #[test]
    fn previews_choose_among_entries_as_instances_do() {
        let clips = [1.0, 2.0].map(|duration_secs| Clip { duration_secs, ..Clip::default() });
        let file = Arc::new(Model { clips: clips.to_vec(), ..Model::default() });
        let [first, second] = [1.0, f32::NAN].map(|speed| ClipSpeed { clip: u32::from(speed.is_nan()), speed });
        let action = |state, clip| ActionClip { state, clip, curve: Default::default(), root_motion: false };
        let gait = |idle| BlendSet { direction: MoveDirection::Any, idle, walk: first, run: second };
        let entry = SceneModel {
            blend_sets: vec![gait(first), gait(second)],
            actions: [(MoveState::Punch, first), (MoveState::Punch, second), (MoveState::Wave, second)]
                .map(|(state, clip)| action(state, clip))
                .to_vec(),
            allowed_orders: vec![(MoveState::Idle, MoveState::Punch)],
            ..SceneModel::default()
        };
        let chosen = Chosen { id: Arena::default().insert(()), entry: &entry, file: &file };
        let set = chosen.animation_set();
        assert_eq!(set, ModelRig::new(&entry, Some(&file), None).moves);
        assert_eq!(set.actions[MoveState::Punch as usize].unwrap().speed, 1.0);
        assert_eq!(set.actions[MoveState::Wave as usize].unwrap().speed, 0.0);
    }
}
