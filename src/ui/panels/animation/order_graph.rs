//! The mappings of a model as a graph: states are nodes with their clips, allowed orders are wires.

use super::clips::{Chosen, clip_speed};
use super::moves::{has_root_motion, plain_action, speed_curve};
use crate::scene::SceneModel;
use crate::ui::command::Command;
use crate::ui::panels::graph::{framing, pin};
use crate::ui::theme::color;
use crate::vocab::MoveState;
use egui::{Pos2, Rect, RichText, Ui, emath::TSTransform, pos2};
use egui_snarl::ui::{SnarlPin, SnarlViewer, SnarlWidget};
use egui_snarl::{InPin, InPinId, NodeId, OutPin, OutPinId, Snarl};

/// Distance between columns and between rows of nodes, points.
const COLUMN: f32 = 330.0;
const ROW: f32 = 120.0;
/// Actions in a column.
const ACTIONS_IN_COLUMN: usize = 4;

/// The graph as it is edited.
#[derive(Clone, Debug, Default)]
pub struct OrderGraph {
    snarl: Snarl<MoveState>,
    /// Whether its nodes were brought into view.
    is_framed: bool,
}

/// Where the node of a state stands at first: gaits on the left, actions in columns beside them.
fn place(state: MoveState) -> Pos2 {
    let gaits = MoveState::ALL.iter().filter(|state| !state.is_action()).count();
    let i = MoveState::ALL.iter().position(|other| *other == state).unwrap_or(0);
    match i.checked_sub(gaits) {
        None => pos2(0.0, i as f32 * ROW),
        Some(i) => pos2((1 + i / ACTIONS_IN_COLUMN) as f32 * COLUMN, (i % ACTIONS_IN_COLUMN) as f32 * ROW),
    }
}

impl OrderGraph {
    fn node(&self, state: MoveState) -> Option<NodeId> {
        self.snarl.nodes_ids_data().find(|(_, node)| node.value == state).map(|(id, _)| id)
    }

    /// The orders that its wires stand for.
    fn orders(&self) -> Vec<(MoveState, MoveState)> {
        self.snarl.wires().map(|(from, to)| (self.snarl[from.node], self.snarl[to.node])).collect()
    }

    /// Makes nodes and wires show what the scene says.
    fn follow(&mut self, entry: &SceneModel) {
        for &state in MoveState::ALL {
            if self.node(state).is_none() {
                self.snarl.insert_node(place(state), state);
            }
        }
        let shown = self.orders();
        let pins = |graph: &Self, (from, to): (MoveState, MoveState)| {
            let (from, to) = graph.node(from).zip(graph.node(to))?;
            Some((OutPinId { node: from, output: 0 }, InPinId { node: to, input: 0 }))
        };
        for order in shown.iter().filter(|order| !entry.allowed_orders.contains(order)) {
            if let Some((from, to)) = pins(self, *order) {
                self.snarl.disconnect(from, to);
            }
        }
        for order in entry.allowed_orders.iter().filter(|order| !shown.contains(order)) {
            if let Some((from, to)) = pins(self, *order) {
                self.snarl.connect(from, to);
            }
        }
    }
}

/// Draws the page.
pub fn show(ui: &mut Ui, chosen: &Chosen<'_>, graph: &mut OrderGraph, out: &mut Vec<Command>) {
    ui.weak("Wires lead from a state to the actions that may follow it when asked for.");
    graph.follow(chosen.entry);
    let area = ui.available_rect_before_wrap();
    let mut viewer =
        OrderViewer { chosen, to: chosen.entry.clone(), area, rects: Vec::new(), frames: !graph.is_framed };
    // All models have the same nodes at the same places, and one view of them.
    let widget = SnarlWidget::new().id(egui::Id::new("orders"));
    widget.show(&mut graph.snarl, &mut viewer, ui);
    let (mut to, is_drawn) = (viewer.to, !viewer.rects.is_empty());
    graph.is_framed |= is_drawn;
    let shown = graph.orders();
    if shown.iter().any(|order| !to.allowed_orders.contains(order))
        || to.allowed_orders.iter().any(|order| !shown.contains(order))
    {
        to.allowed_orders.retain(|order| shown.contains(order));
        to.allowed_orders.extend(shown.iter().filter(|order| !chosen.entry.allowed_orders.contains(order)));
        out.push(chosen.set("orders", "orders", to));
    } else if to != *chosen.entry {
        out.push(chosen.set("actions", "actions", to));
    }
}

struct OrderViewer<'a> {
    chosen: &'a Chosen<'a>,
    /// The entry with what the nodes changed.
    to: SceneModel,
    /// The panel on screen.
    area: Rect,
    /// Where the nodes lie, in their space.
    rects: Vec<Rect>,
    /// Whether the nodes are to be brought into view.
    frames: bool,
}

impl SnarlViewer<MoveState> for OrderViewer<'_> {
    fn title(&mut self, state: &MoveState) -> String {
        state.label().to_owned()
    }

    fn show_header(&mut self, node: NodeId, _: &[InPin], _: &[OutPin], ui: &mut Ui, snarl: &mut Snarl<MoveState>) {
        ui.label(RichText::new(snarl[node].label()).strong());
    }

    fn inputs(&mut self, _: &MoveState) -> usize {
        1
    }

    fn show_input(&mut self, _: &InPin, _: &mut Ui, _: &mut Snarl<MoveState>) -> impl SnarlPin + 'static {
        pin(color::INFO)
    }

    fn outputs(&mut self, _: &MoveState) -> usize {
        1
    }

    fn show_output(&mut self, _: &OutPin, _: &mut Ui, _: &mut Snarl<MoveState>) -> impl SnarlPin + 'static {
        pin(color::GOOD)
    }

    fn has_body(&mut self, state: &MoveState) -> bool {
        state.is_action()
    }

    fn show_body(&mut self, node: NodeId, _: &[InPin], _: &[OutPin], ui: &mut Ui, snarl: &mut Snarl<MoveState>) {
        let state = snarl[node];
        let at = self.to.actions.iter().position(|action| action.state == state);
        ui.vertical(|ui| match at {
            Some(at) => {
                let action = &mut self.to.actions[at];
                clip_speed(ui, &format!("clip of {} in the graph", state.label()), self.chosen.file, &mut action.clip);
                ui.horizontal(|ui| {
                    speed_curve(ui, state, &mut action.curve);
                    has_root_motion(ui, state, &mut action.root_motion);
                });
            }
            None => {
                let help = "The model cannot do this yet.";
                if ui.button("➕ Clip").on_hover_text(help).clicked() {
                    self.to.actions.push(plain_action(state, self.chosen.file));
                }
            }
        });
    }

    fn final_node_rect(&mut self, _: NodeId, rect: Rect, _: &mut Ui, _: &mut Snarl<MoveState>) {
        self.rects.push(rect);
    }

    fn current_transform(&mut self, to_global: &mut TSTransform, snarl: &mut Snarl<MoveState>) {
        if std::mem::take(&mut self.frames) {
            let nodes = snarl.nodes_pos().map(|(at, _)| Rect::from_min_size(at, [COLUMN, ROW].into()));
            *to_global = framing(&nodes.collect::<Vec<_>>(), self.area);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Clip, Model};
    use crate::ids::Arena;
    use egui::{Context, RawInput, Shape, vec2};
    use std::sync::Arc;

    /// Where the names of the states stand on screen after a few frames.
    fn names(context: &Context, chosen: &Chosen<'_>, graph: &mut OrderGraph) -> Vec<(String, Pos2)> {
        let mut names = Vec::new();
        for _ in 0..3 {
            let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, vec2(4000.0, 3000.0)));
            let input = RawInput { screen_rect, ..RawInput::default() };
            let mut output = context.run_ui(input, |ui| show(ui, chosen, graph, &mut Vec::new()));
            output.textures_delta.clear();
            names.clear();
            for clipped in output.shapes {
                if let Shape::Text(text) = clipped.shape
                    && MoveState::ALL.iter().any(|state| state.label() == text.galley.text())
                {
                    names.push((text.galley.text().to_owned(), text.pos));
                }
            }
        }
        names
    }

    #[test]
    fn the_nodes_of_every_model_are_in_view() {
        let file = Arc::new(Model { clips: vec![Clip::default()], ..Model::default() });
        let entries = [(); 2].map(|()| SceneModel::default());
        let mut ids = Arena::default();
        let (context, mut graph) = (Context::default(), OrderGraph::default());
        let seen = entries.each_ref().map(|entry| {
            let chosen = Chosen { id: ids.insert(()), entry, file: &file };
            names(&context, &chosen, &mut graph)
        });
        assert!(seen[0].len() >= MoveState::ALL.len(), "{:?}", seen[0]);
        assert_eq!(seen[0], seen[1]);
    }
}
