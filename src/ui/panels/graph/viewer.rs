//! How nodes, pins and menus of the behaviour editor look, and what they do.

use super::fields;
use super::sync::{self, COMMENT, GraphDocument, TEXT, WireEnd, inputs};
use crate::behavior::graph::GraphNode;
use crate::behavior::kind::{self, EVENT, KINDS, NodeKind, ROOT};
use crate::behavior::{ActiveNode, ProblemNode, Severity};
use crate::ids::InstanceId;
use crate::scene::Scene;
use crate::ui::names;
use crate::ui::theme::{color, ink};
use egui::{Color32, Pos2, RichText, Stroke, Ui};
use egui_snarl::ui::{AnyPins, PinInfo, SnarlPin, SnarlViewer};
use egui_snarl::{InPin, NodeId, OutPin, Snarl};

/// What the menus ask for; done when the nodes have been drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GraphRequest {
    /// Another node of a kind.
    Add(i64, Pos2),
    /// Another node of a kind at the end of a wire that was let go.
    AddWired(i64, Pos2, WireEnd),
    /// A copy of a node.
    Duplicate(NodeId),
    /// A comment.
    Comment(Pos2),
    /// A node, or all that are selected when it is one of them, into the clipboard.
    Copy(NodeId),
    /// What the clipboard holds.
    Paste(Pos2),
    /// Fire the test node of this number in the watched instance.
    Fire(i64),
    /// End the active node of this number in the watched instance.
    Deactivate(i64),
}

/// What the nodes are drawn from.
pub struct GraphViewer<'a> {
    /// Outputs and problems; its nodes are lent to the editor while it draws.
    pub document: &'a GraphDocument,
    /// Nodes that are active in the watched instance.
    pub active: &'a [ActiveNode],
    /// The watched instance, and the scene that names it.
    pub watched: Option<InstanceId>,
    pub scene: &'a Scene,
    /// Text that filters the kinds in the menu.
    pub search: &'a mut String,
    /// What the menus asked for.
    pub wanted: Vec<GraphRequest>,
    /// The middle of what is seen, in the space of the nodes.
    pub middle: Pos2,
    /// Where the open menu was asked for, in the space of the nodes: on screen at first.
    pub menu_at: Option<Pos2>,
    /// Where a new node begins that the bar asks for, in the space of the nodes: on screen at first.
    pub landing: Pos2,
    /// Where the map was clicked: this comes to the middle.
    pub jump: Option<Pos2>,
    /// What is to be brought into view, in the space of the nodes.
    pub frame: Option<Vec<egui::Rect>>,
    /// What is seen of the space of the nodes: its rectangle on screen at first.
    pub seen: egui::Rect,
    /// Where the cursor is, in the space of the nodes: on screen at first.
    pub cursor: Option<Pos2>,
    /// The node under it.
    pub under: Option<NodeId>,
    /// Where the nodes lie, each with the colour that it has on the map.
    pub rects: Vec<(egui::Rect, Color32)>,
}

impl GraphViewer<'_> {
    /// Name of the watched instance.
    fn name(&self) -> Option<String> {
        self.watched.map(|id| names::instance_name(self.scene, id))
    }

    fn active_as(&self, node: &GraphNode) -> Option<&ActiveNode> {
        self.active.iter().find(|watched| watched.id == node.id)
    }
}

/// Smallest scale at which nodes that come into view can be read, and free space around them in points.
const READABLE: f32 = 0.8;
const MARGIN: f32 = 14.0;

/// From the space of the nodes to the screen, so that `area` shows all of them, or as much as can be read beside the
/// leftmost, where a behaviour begins.
pub fn framing(nodes: &[egui::Rect], area: egui::Rect) -> egui::emath::TSTransform {
    let Some(all) = nodes.iter().copied().reduce(egui::Rect::union) else { return egui::emath::TSTransform::IDENTITY };
    let first = nodes.iter().min_by(|a, b| a.left().total_cmp(&b.left())).unwrap_or(&all);
    let room = area.shrink(MARGIN);
    let scaling = (room.size() / all.size().max(egui::vec2(1.0, 1.0))).min_elem().clamp(READABLE, 1.0);
    let at = |axis: usize| {
        let (free, length) = (room.size()[axis], all.size()[axis] * scaling);
        let before_first = (first.center()[axis] - all.min[axis]) * scaling;
        let shift =
            if length <= free { (free - length) * 0.5 } else { (free * 0.5 - before_first).clamp(free - length, 0.0) };
        room.min[axis] + shift
    };
    egui::emath::TSTransform::new(egui::pos2(at(0), at(1)) - all.min * scaling, scaling)
}

/// A pin's look.
pub fn pin(color: Color32) -> PinInfo {
    PinInfo::circle().with_fill(color).with_wire_color(color)
}

/// The pin at which a wire began that was let go between the nodes.
fn wire_end(pins: AnyPins<'_>) -> Option<WireEnd> {
    match pins {
        AnyPins::Out(outputs) => outputs.first().map(|pin| WireEnd::Output(*pin)),
        AnyPins::In(inputs) => inputs.first().map(|pin| WireEnd::Input(*pin)),
    }
}

/// Fields and a list of all kinds whose names hold the text; answers which one was chosen.
pub fn kinds(ui: &mut Ui, search: &mut String) -> Option<i64> {
    kinds_that(ui, search, |_| true)
}

/// The same, for kinds that `fit` alone.
fn kinds_that(ui: &mut Ui, search: &mut String, fit: impl Fn(&NodeKind) -> bool) -> Option<i64> {
    ui.set_min_width(190.0);
    let id = ui.id().with("search");
    // Keys go to it from the moment at which the menu opens, also where another field had them.
    let is_new = ui.ctx().read_response(id).is_none();
    let field = ui.add(egui::TextEdit::singleline(search).id(id).hint_text("Search").desired_width(180.0));
    // Before it takes the keys again: Return has just taken them from it.
    let enter = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
    if is_new || ui.memory(|memory| memory.focused().is_none()) {
        field.request_focus();
    }
    let wanted = search.trim().to_lowercase();
    let fits = |kind: &&NodeKind| fit(kind) && kind.label.to_lowercase().contains(&wanted);
    let mut chosen = None;
    for (i, kind) in KINDS.iter().filter(fits).enumerate() {
        if ui.button(kind.label).on_hover_text(kind.help).clicked() || (enter && i == 0) {
            chosen = Some(kind.number);
        }
    }
    if chosen.is_some() {
        search.clear();
        ui.close();
    }
    chosen
}

impl SnarlViewer<GraphNode> for GraphViewer<'_> {
    fn title(&mut self, node: &GraphNode) -> String {
        if node.kind == COMMENT {
            return "Comment".into();
        }
        format!("{} {}", kind::label(node.kind), node.id)
    }

    fn node_frame(
        &mut self,
        default: egui::Frame,
        node: NodeId,
        _: &[InPin],
        _: &[OutPin],
        snarl: &Snarl<GraphNode>,
    ) -> egui::Frame {
        if snarl[node].kind == COMMENT {
            let fill = color::WARN.gamma_multiply(0.12);
            return default.fill(fill).stroke(Stroke::new(1.0, color::WARN.gamma_multiply(0.5)));
        }
        match self.active_as(&snarl[node]) {
            Some(watched) => {
                let tint = if watched.time.is_some() { color::ACCENT } else { color::ACCENT.gamma_multiply(0.5) };
                default.stroke(Stroke::new(2.5, tint))
            }
            None => default,
        }
    }

    fn show_header(&mut self, node: NodeId, _: &[InPin], _: &[OutPin], ui: &mut Ui, snarl: &mut Snarl<GraphNode>) {
        let node = &snarl[node];
        if node.kind == COMMENT {
            ui.label(RichText::new("Comment").small().weak());
            return;
        }
        let help = kind::by_number(node.kind).map_or("Not known to this version; kept as it is.", |kind| kind.help);
        ui.label(RichText::new(self.title(node)).strong()).on_hover_text(help);
        let of_node = |at: &Option<ProblemNode>| at.is_some_and(|at| at.id == node.id);
        for problem in self.document.problems.iter().filter(|problem| of_node(&problem.node)) {
            let tint = if problem.severity == Severity::Error { color::BAD } else { color::WARN };
            ui.label(RichText::new("⚠").color(ink(ui, tint))).on_hover_text(problem.to_string());
        }
        if let Some((left, _)) = self.active_as(node).and_then(|watched| watched.time) {
            ui.label(RichText::new(format!("{left:.1} s")).color(ink(ui, color::ACCENT)));
        }
    }

    fn inputs(&mut self, node: &GraphNode) -> usize {
        inputs(node)
    }

    fn show_input(&mut self, _: &InPin, _: &mut Ui, _: &mut Snarl<GraphNode>) -> impl SnarlPin + 'static {
        pin(color::INFO)
    }

    fn outputs(&mut self, node: &GraphNode) -> usize {
        self.document.outputs(node)
    }

    fn show_output(&mut self, out: &OutPin, ui: &mut Ui, snarl: &mut Snarl<GraphNode>) -> impl SnarlPin + 'static {
        if self.document.outputs(&snarl[out.id.node]) > 1 {
            ui.label((out.id.output + 1).to_string());
        }
        pin(color::GOOD)
    }

    fn has_body(&mut self, node: &GraphNode) -> bool {
        node.kind == COMMENT
            || node.kind == kind::TEST
            || kind::by_number(node.kind).is_some_and(|kind| !kind.properties.is_empty())
    }

    fn show_body(&mut self, node: NodeId, _: &[InPin], _: &[OutPin], ui: &mut Ui, snarl: &mut Snarl<GraphNode>) {
        let node = &mut snarl[node];
        if node.kind == COMMENT {
            if let Some((_, text)) = node.properties.iter_mut().find(|(key, _)| key == TEXT) {
                let field = egui::TextEdit::multiline(text).desired_rows(1).desired_width(180.0).char_limit(2000);
                ui.add(field.frame(egui::Frame::NONE));
            }
            return;
        }
        if node.kind == kind::TEST {
            let button = ui.add_enabled(self.watched.is_some(), egui::Button::new("Fire"));
            let help = match self.name() {
                Some(name) => format!("Let {name} do now what hangs on this node."),
                None => "No character lives by this behaviour yet.".into(),
            };
            if button.on_hover_text(&help).on_disabled_hover_text(help).clicked() {
                self.wanted.push(GraphRequest::Fire(node.id));
            }
        }
        fields::show(ui, node);
    }

    fn final_node_rect(&mut self, node: NodeId, rect: egui::Rect, _: &mut Ui, snarl: &mut Snarl<GraphNode>) {
        if self.cursor.is_some_and(|at| rect.contains(at)) {
            self.under = Some(node);
        }
        let node = &snarl[node];
        let is_wrong = self.document.problems.iter().any(|p| p.node.is_some_and(|at| at.id == node.id));
        let tint = match node.kind {
            COMMENT => color::WARN.gamma_multiply(0.4),
            _ if self.active_as(node).is_some() => color::ACCENT,
            _ if is_wrong => color::BAD,
            _ => color::INFO,
        };
        self.rects.push((rect, tint));
    }

    fn has_graph_menu(&mut self, _: Pos2, _: &mut Snarl<GraphNode>) -> bool {
        true
    }

    fn show_graph_menu(&mut self, corner: Pos2, ui: &mut Ui, _: &mut Snarl<GraphNode>) {
        let pos = self.menu_at.unwrap_or(corner);
        if ui.button("Comment").on_hover_text("A note beside the nodes").clicked() {
            self.wanted.push(GraphRequest::Comment(pos));
            ui.close();
        }
        if ui.button("Paste nodes").on_hover_text("Put down the nodes that were copied").clicked() {
            self.wanted.push(GraphRequest::Paste(pos));
            ui.close();
        }
        ui.separator();
        ui.label("Add a node");
        if let Some(kind) = kinds(ui, self.search) {
            self.wanted.push(GraphRequest::Add(kind, pos));
        }
    }

    fn has_dropped_wire_menu(&mut self, pins: AnyPins<'_>, _: &mut Snarl<GraphNode>) -> bool {
        wire_end(pins).is_some()
    }

    fn show_dropped_wire_menu(&mut self, corner: Pos2, ui: &mut Ui, pins: AnyPins<'_>, _: &mut Snarl<GraphNode>) {
        let pos = self.menu_at.unwrap_or(corner);
        let Some(end) = wire_end(pins) else { return };
        let from_output = matches!(end, WireEnd::Output(_));
        ui.label(if from_output { "Fires a new" } else { "Is fired by a new" });
        let has_input = |kind: &NodeKind| !matches!(kind.number, ROOT | EVENT);
        if let Some(kind) = kinds_that(ui, self.search, |kind| !from_output || has_input(kind)) {
            self.wanted.push(GraphRequest::AddWired(kind, pos, end));
        }
    }

    fn connect(&mut self, from: &OutPin, to: &InPin, snarl: &mut Snarl<GraphNode>) {
        sync::connect(snarl, from.id, to.id);
    }

    fn has_node_menu(&mut self, _: &GraphNode) -> bool {
        true
    }

    fn show_node_menu(&mut self, node: NodeId, _: &[InPin], _: &[OutPin], ui: &mut Ui, snarl: &mut Snarl<GraphNode>) {
        if ui.button("Duplicate").on_hover_text("Put a node like this one beside it").clicked() {
            self.wanted.push(GraphRequest::Duplicate(node));
            ui.close();
        }
        let help = "Copy this node, or all that are selected, as text; drag a box with Shift to select";
        if ui.button("Copy nodes").on_hover_text(help).clicked() {
            self.wanted.push(GraphRequest::Copy(node));
            ui.close();
        }
        let active = self.active_as(&snarl[node]).map(|watched| watched.id);
        let button = ui.add_enabled(active.is_some(), egui::Button::new("Deactivate"));
        let help = match self.name() {
            Some(name) => {
                format!("End it in {name}, with all that it fired; the node that fired it goes on. It is not saved.")
            }
            None => "Ends an active node. No character lives by this behaviour yet.".into(),
        };
        if button.on_hover_text(&help).on_disabled_hover_text(format!("{help} This node is not active now.")).clicked()
        {
            self.wanted.extend(active.map(GraphRequest::Deactivate));
            ui.close();
        }
        if ui.button("Delete").on_hover_text("Take this node out, with its links").clicked() {
            snarl.remove_node(node);
            ui.close();
        }
    }

    fn current_transform(&mut self, to_global: &mut egui::emath::TSTransform, _: &mut Snarl<GraphNode>) {
        if let Some(nodes) = self.frame.take() {
            *to_global = framing(&nodes, self.seen);
        }
        if let Some(jump) = self.jump.take() {
            to_global.translation += self.middle - *to_global * jump;
        }
        self.middle = to_global.inverse() * self.middle;
        self.landing = to_global.inverse() * self.landing;
        self.menu_at = self.menu_at.map(|at| to_global.inverse() * at);
        self.seen = to_global.inverse() * self.seen;
        self.cursor = self.cursor.map(|at| to_global.inverse() * at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Rect, pos2, vec2};

    #[test]
    fn nodes_come_into_view_as_large_as_they_can_be_read() {
        let area = Rect::from_min_size(pos2(300.0, 600.0), vec2(800.0, 180.0));
        let small = Rect::from_min_size(pos2(-70.0, 40.0), vec2(300.0, 90.0));
        let view = framing(&[small], area);
        assert_eq!(view.scaling, 1.0, "not larger than they are");
        assert!((view * small).center().distance(area.center()) < 1e-3, "in the middle");
        let wide = Rect::from_min_size(pos2(10.0, 10.0), vec2(900.0, 100.0));
        let view = framing(&[wide], area);
        assert!(view.scaling < 1.0 && area.contains_rect(view * wide), "all of them are seen");
        let many = [
            Rect::from_min_size(pos2(900.0, 10.0), vec2(100.0, 60.0)),
            Rect::from_min_size(pos2(10.0, 700.0), vec2(100.0, 60.0)),
            Rect::from_min_size(pos2(3000.0, 900.0), vec2(100.0, 60.0)),
        ];
        let view = framing(&many, area);
        assert_eq!(view.scaling, READABLE);
        let first = view * many[1];
        assert!(area.contains_rect(first), "where they begin, not the empty corner above: {first}");
        assert!(
            (first.left() - area.left() - MARGIN).abs() < 1e-3 && (first.center().y - area.center().y).abs() < 1e-3
        );
    }
}
