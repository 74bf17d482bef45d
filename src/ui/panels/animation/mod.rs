//! The animation of a model: a player for its clips, gaits by direction, actions and which of them may follow which, head
//! movements, bounding spheres and the chains of the feet.

mod body;
mod bones;
mod clip_edits;
pub mod clips;
mod matching;
mod moves;
mod order_graph;
mod order_preview;
mod player;
mod timeline;
mod weights;

use super::model;
use crate::anim::Playback;
use crate::anim::clip_classification::first_shown;
use crate::ids::{InstanceId, ModelId};
use crate::sim::{Ghost, Preview};
use crate::ui::UiContext;
use crate::ui::command::Command;
use clips::Chosen;
use egui::{ScrollArea, Ui};

/// What of a model is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Page {
    #[default]
    Gaits,
    Actions,
    Orders,
    Graph,
    Head,
    Bones,
    Body,
    Matching,
    Edits,
    Timeline,
    Weights,
}

const PAGES: &[(Page, &str, &str)] = &[
    (Page::Gaits, "Gaits", "Clips for standing, walking and running, by direction of movement."),
    (Page::Actions, "Actions", "Clips for jumping, waving and the like."),
    (Page::Orders, "Orders", "Which action may follow what."),
    (Page::Graph, "Order graph", "States with their clips as nodes, allowed orders as wires."),
    (Page::Head, "Head", "Clips that turn and tilt the head, laid over every other pose."),
    (Page::Bones, "Bones", "Bounding spheres, and the chains from the feet to the hips."),
    (Page::Body, "Body", "The bones of its human body, and the files whose clips it plays."),
    (Page::Matching, "Matching", "Motion matching: walking by the frame of its clips that fits best."),
    (Page::Edits, "Edits", "Mirror, trim and loop clips, take out root motion, and compress them."),
    (Page::Timeline, "Timeline", "Events and curves of the clip that the player shows."),
    (Page::Weights, "Weights", "How much each clip counted over the last seconds."),
];

/// What the panel keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct Animation {
    /// The model that it shows.
    of: Option<ModelId>,
    page: Page,
    player: player::Player,
    graph: order_graph::OrderGraph,
    /// The bone that is looked at.
    pub bone: Option<u32>,
    /// The instance that shows the model.
    pub shown_on: Option<InstanceId>,
    edits: clip_edits::ClipEditDraft,
    timeline: timeline::TimelineState,
    weights: weights::WeightHistory,
    body: body::KnownBody,
    /// The second body that the player shows.
    ghost: Option<Ghost>,
    /// What the player shows on it.
    shows: Option<Playback>,
}

impl Animation {
    /// Whether bones have their names in the viewport.
    pub fn shows_bone_names(&self) -> bool {
        self.player.bone_names
    }

    /// Forgets what names a model or an instance: in another scene it stands for others.
    pub fn forget_scene(&mut self) {
        self.take_model(None);
        (self.shown_on, self.shows, self.ghost) = (None, None, None);
    }

    /// Forgets what was begun of the model before.
    fn take_model(&mut self, id: Option<ModelId>) {
        if self.of != id {
            self.of = id;
            (self.bone, self.edits, self.timeline, self.weights) = Default::default();
            self.player.restart_order();
        }
    }

    /// What the player shows, and on which instance.
    pub fn preview(&self) -> Option<Preview> {
        Some(Preview { id: self.shown_on?, shows: self.shows?, ghost: self.ghost })
    }
}

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut Animation, out: &mut Vec<Command>) {
    let chosen = model::chosen(cx).and_then(|(id, entry)| {
        let (_, file) = cx.assets.by_file(entry).filter(|(_, file)| !file.clips.is_empty() || file.is_skinned())?;
        Some(Chosen { id, entry, file })
    });
    let Some(chosen) = chosen else {
        state.shown_on = None;
        ui.weak("Select a character, or a model with bones or clips, to see its animation.");
        return;
    };
    if state.of != Some(chosen.id) {
        let idle = chosen.entry.blend_sets.first().map_or(0, |set| set.idle.clip);
        state.player.begin_with(first_shown(chosen.file, idle));
    }
    state.take_model(Some(chosen.id));
    if chosen.file.clips.is_empty() {
        state.shown_on = None;
        ScrollArea::both().auto_shrink(false).show(ui, |ui| body::show(ui, &chosen, &mut state.body, out));
        return;
    }
    let of_model =
        |id: &InstanceId| cx.scene.instances.get(*id).is_some_and(|instance| instance.model_id() == Some(chosen.id));
    let shown_before = state.shown_on;
    state.shown_on = cx.selection.instance.filter(of_model).or_else(|| cx.scene.instances.ids().find(of_model));
    if state.shown_on != shown_before {
        state.weights = weights::WeightHistory::default();
    }
    if let Some(live) = state.shown_on.and_then(|id| cx.world.live(id)) {
        state.weights.observe(cx.world.secs(), &live.now.playback);
    }
    let is_shown = state.shown_on.is_some();
    player::show(ui, &chosen, is_shown, &mut state.player);
    ui.separator();
    ui.horizontal_wrapped(|ui| {
        for &(page, name, help) in PAGES {
            ui.selectable_value(&mut state.page, page, name).on_hover_text(help);
        }
    });
    if state.page == Page::Graph {
        // It has the whole panel.
        order_graph::show(ui, &chosen, &mut state.graph, out);
    } else {
        page(ui, &chosen, cx, state, out);
    }
    (state.shows, state.ghost) = (state.player.shows(&chosen), state.player.ghost(&chosen));
}

/// Draws the page that is chosen, but for the graph.
fn page(ui: &mut Ui, chosen: &Chosen<'_>, cx: &UiContext<'_>, state: &mut Animation, out: &mut Vec<Command>) {
    ScrollArea::both().auto_shrink(false).show(ui, |ui| match state.page {
        Page::Gaits => moves::gaits(ui, chosen, &mut state.player, out),
        Page::Actions => moves::actions(ui, chosen, &mut state.player, out),
        Page::Orders => moves::orders(ui, chosen, &mut state.player, out),
        Page::Graph => {}
        Page::Head => moves::head(ui, chosen, &mut state.player, out),
        Page::Bones => bones::show(ui, chosen, &mut state.bone, out),
        Page::Body => body::show(ui, chosen, &mut state.body, out),
        Page::Matching => matching::show(ui, chosen, cx, state.shown_on, out),
        Page::Edits => clip_edits::show(ui, chosen, state.player.clip(), &mut state.edits, out),
        Page::Timeline => {
            timeline::show(ui, chosen, (cx, state.shown_on), (&mut state.player, &mut state.timeline), out)
        }
        Page::Weights => weights::show(ui, chosen, &state.weights),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Arena;

    #[test]
    fn weights_are_those_of_the_model_that_is_shown() {
        let (mut ids, mut state) = (Arena::default(), Animation::default());
        let [one, other] = [(); 2].map(|()| ids.insert(()));
        state.take_model(Some(one));
        state.weights.observe(0.0, &Playback::default());
        state.take_model(Some(one));
        assert_ne!(state.weights, Default::default());
        state.take_model(Some(other));
        assert_eq!(state.weights, Default::default());
    }
}
