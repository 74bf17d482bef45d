//! The animation of a model: a player for its clips, gaits by direction, actions and which of them may follow which, head
//! movements, bounding spheres and the chains of the feet.

mod bones;
mod moves;
mod player;

use super::model;
use crate::anim::Playback;
use crate::asset::Model;
use crate::ids::{InstanceId, ModelId};
use crate::scene::SceneModel;
use crate::scene::model::ClipSpeed;
use crate::sim::Preview;
use crate::ui::command::Command;
use crate::ui::{UiContext, edits};
use egui::{ComboBox, DragValue, ScrollArea, Ui, WidgetInfo, WidgetType};

/// What of a model is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Page {
    #[default]
    Gaits,
    Actions,
    Orders,
    Head,
    Bones,
}

const PAGES: &[(Page, &str, &str)] = &[
    (Page::Gaits, "Gaits", "Clips for standing, walking and running, by direction of movement."),
    (Page::Actions, "Actions", "Clips for jumping, waving and the like."),
    (Page::Orders, "Orders", "Which action may follow what."),
    (Page::Head, "Head", "Clips that turn and tilt the head, laid over every other pose."),
    (Page::Bones, "Bones", "Bounding spheres, and the chains from the feet to the hips."),
];

/// What the panel keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct Animation {
    page: Page,
    player: player::Player,
    /// The bone that is looked at.
    pub bone: Option<u32>,
    /// Whether bones have their names in the picture.
    pub names: bool,
    /// Who shows the model.
    pub shown_on: Option<InstanceId>,
    /// What the player shows on it.
    shows: Option<Playback>,
}

impl Animation {
    /// What the player wants to see on whom.
    pub fn preview(&self) -> Option<Preview> {
        Some(Preview { id: self.shown_on?, shows: self.shows? })
    }
}

/// A model of the scene with what its file holds.
#[derive(Clone, Copy)]
struct Chosen<'a> {
    id: ModelId,
    entry: &'a SceneModel,
    file: &'a Model,
}

impl Chosen<'_> {
    /// A step that changes the entry; `field` joins those of a drag.
    fn set(&self, what: &str, field: &str, to: SceneModel) -> Command {
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

/// A box to choose a clip from, called `label` for those who cannot see it.
fn clip_box(ui: &mut Ui, label: &str, file: &Model, clip: &mut u32) {
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
        let speed = DragValue::new(&mut value.speed).range(0.0..=15.0).speed(0.01).max_decimals(2).suffix("×");
        let response = ui.add(speed).on_hover_text("Speed relative to the model's longest clip.");
        response.widget_info(|| WidgetInfo::labeled(WidgetType::DragValue, true, format!("speed of {label}")));
    });
}

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut Animation, out: &mut Vec<Command>) {
    let chosen = model::chosen(cx).and_then(|(id, entry)| {
        let (_, file) = cx.assets.by_file(entry).filter(|(_, file)| !file.clips.is_empty())?;
        Some(Chosen { id, entry, file })
    });
    let Some(chosen) = chosen else {
        state.shown_on = None;
        ui.weak("Select a character, or a model with clips, to see its animation.");
        return;
    };
    let of_model =
        |id: &InstanceId| cx.scene.instances.get(*id).is_some_and(|instance| instance.model_id() == Some(chosen.id));
    state.shown_on = cx.selection.instance.filter(of_model).or_else(|| cx.scene.instances.ids().find(of_model));
    player::show(ui, &chosen, state);
    ui.separator();
    ui.horizontal(|ui| {
        for &(page, name, help) in PAGES {
            ui.selectable_value(&mut state.page, page, name).on_hover_text(help);
        }
    });
    ScrollArea::both().auto_shrink(false).show(ui, |ui| match state.page {
        Page::Gaits => moves::gaits(ui, &chosen, &mut state.player, out),
        Page::Actions => moves::actions(ui, &chosen, &mut state.player, out),
        Page::Orders => moves::orders(ui, &chosen, out),
        Page::Head => moves::head(ui, &chosen, &mut state.player, out),
        Page::Bones => bones::show(ui, &chosen, state, out),
    });
    state.shows = state.player.shows(&chosen);
}
