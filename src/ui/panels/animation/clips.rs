//! Widgets for the clips of a model.

use crate::asset::Model;
use crate::ids::ModelId;
use crate::scene::SceneModel;
use crate::scene::model::ClipSpeed;
use crate::ui::command::Command;
use crate::ui::edits;
use egui::{ComboBox, DragValue, Ui, WidgetInfo, WidgetType};

/// A model of the scene with what its file holds.
#[derive(Clone, Copy)]
pub struct Chosen<'a> {
    /// Its entry.
    pub id: ModelId,
    /// What the scene says.
    pub entry: &'a SceneModel,
    /// What its file holds.
    pub file: &'a Model,
}

impl Chosen<'_> {
    /// A step that changes the entry; `field` joins those of a drag.
    pub fn set(&self, what: &str, field: &str, to: SceneModel) -> Command {
        let name = crate::ui::names::without_extension(&self.entry.name);
        edits::set_model(format!("change the {what} of {name}"), self.id, field, to)
    }
}

/// Name of a clip, or its number.
fn clip_name(file: &Model, clip: u32) -> String {
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
            ui.selectable_value(clip, other, clip_name(file, other));
        }
    });
    response.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, label));
}

/// A clip and how fast it plays.
pub fn clip_speed(ui: &mut Ui, label: &str, file: &Model, value: &mut ClipSpeed) {
    ui.horizontal(|ui| {
        clip_box(ui, label, file, &mut value.clip);
        let speed = DragValue::new(&mut value.speed).range(-15.0..=15.0).speed(0.01).max_decimals(2).suffix("×");
        let help = "Speed relative to the model's longest clip; below 0 it plays backwards.";
        let response = ui.add(speed).on_hover_text(help);
        response.widget_info(|| WidgetInfo::labeled(WidgetType::DragValue, true, format!("speed of {label}")));
    });
}
