//! Between a behaviour graph as it is written and the nodes and wires that the editor shows.
//!
//! What the editor cannot show (links that lead nowhere, a second node with the same number) stays in the graph as it
//! was.

use crate::behavior::graph::{BehaviorGraph, FIRST_OUTPUT, GraphComment, GraphLink, GraphNode, NODE_PINS};
use crate::behavior::kind::{EVENT, ROOT, WAIT};
use crate::behavior::{Problem, compile, layout};
use crate::scene::limits::MAX_GRAPH_ID;
use egui::Pos2;
use egui_snarl::{InPinId, NodeId, OutPinId, Snarl};
use std::collections::{HashMap, HashSet};

/// Number of the first link, as in the original.
const FIRST_LINK: i64 = 10_000;

/// Kind of the nodes in the editor that are comments; no node of a graph has it.
pub const COMMENT: i64 = i64::MIN;
/// Key of a comment's text among the properties of its node.
pub const TEXT: &str = "text";

/// A pin at which a wire begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WireEnd {
    /// An output.
    Output(OutPinId),
    /// An input.
    Input(InPinId),
}

/// A graph in the editor.
#[derive(Clone, Debug, Default)]
pub struct GraphDocument {
    /// The graph as it is written.
    pub graph: BehaviorGraph,
    /// Its nodes and wires.
    pub snarl: Snarl<GraphNode>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// Outputs of each node, by its number.
    outputs: HashMap<i64, usize>,
    /// Where the nodes stood when the graph was taken in, with their numbers, in whole points.
    placed: Vec<(i64, [i64; 2])>,
}

fn whole(at: Pos2) -> [i64; 2] {
    [at.x.round() as i64, at.y.round() as i64]
}

impl GraphDocument {
    /// Takes in a graph.
    pub fn of(graph: &BehaviorGraph) -> Self {
        let mut document = Self { graph: graph.clone(), ..Self::default() };
        let saved = layout::read_positions(&graph.editor_settings);
        let all_saved = graph.nodes.iter().all(|node| saved.contains_key(&node.id));
        let arranged = if all_saved { Vec::new() } else { layout::arrange(graph) };
        for (i, node) in graph.nodes.iter().enumerate() {
            let at = saved.get(&node.id).or_else(|| arranged.get(i)).copied().unwrap_or_default();
            let at = Pos2::from(at);
            document.snarl.insert_node(at, node.clone());
            document.placed.push((node.id, whole(at)));
        }
        for comment in &graph.comments {
            document.snarl.insert_node(Pos2::from(comment.at), comment_node(comment.text.clone()));
        }
        document.check();
        document.wire();
        document
    }

    /// Draws the wires of all links whose pins are there, and no others.
    fn wire(&mut self) {
        let numbers = self.numbers();
        let shown: HashSet<_> = self.graph.links.iter().filter_map(|link| self.wire_of(link, &numbers)).collect();
        let gone: Vec<_> = self.snarl.wires().filter(|wire| !shown.contains(wire)).collect();
        for (from, to) in gone {
            self.snarl.disconnect(from, to);
        }
        for (from, to) in shown {
            self.snarl.connect(from, to);
        }
    }

    /// Finds out what is wrong, and how many outputs the nodes have.
    fn check(&mut self) {
        let (tree, problems) = compile(&self.graph);
        self.problems = problems;
        self.outputs.clear();
        for node in &tree.nodes {
            self.outputs.entry(node.id).or_insert(node.outputs.len());
        }
    }

    /// Outputs of a node.
    pub fn outputs(&self, node: &GraphNode) -> usize {
        if node.kind == COMMENT {
            return 0;
        }
        self.outputs.get(&node.id).copied().unwrap_or(1)
    }

    /// The nodes in the editor by their numbers; the first where several have one.
    fn numbers(&self) -> HashMap<i64, NodeId> {
        let mut numbers = HashMap::new();
        for (id, node) in self.snarl.nodes_ids_data().filter(|(_, node)| node.value.kind != COMMENT) {
            numbers.entry(node.value.id).or_insert(id);
        }
        numbers
    }

    fn wire_of(&self, link: &GraphLink, numbers: &HashMap<i64, NodeId>) -> Option<(OutPinId, InPinId)> {
        let [from, to] = link.nodes();
        let (from, to) = (*numbers.get(&from)?, *numbers.get(&to)?);
        let output = link.output(self.snarl[from].kind == ROOT)?;
        let fits = output < self.outputs(&self.snarl[from]) && link.is_to_input() && inputs(&self.snarl[to]) > 0;
        fits.then_some((OutPinId { node: from, output }, InPinId { node: to, input: 0 }))
    }

    /// A wire as it is written.
    fn link_of(&self, (from, to): (OutPinId, InPinId), id: i64) -> GraphLink {
        let (node, to) = (&self.snarl[from.node], &self.snarl[to.node]);
        let pin = if node.kind == ROOT { 0 } else { FIRST_OUTPUT + from.output as i64 };
        GraphLink { id, from_pin: node.id * NODE_PINS + pin, to_pin: to.id * NODE_PINS }
    }

    /// The graph as the editor shows it now; `None` when nothing has changed.
    pub fn changed(&mut self) -> Option<BehaviorGraph> {
        let nodes: Vec<GraphNode> = self.snarl.nodes().filter(|node| node.kind != COMMENT).cloned().collect();
        let numbers = self.numbers();
        let wires: HashSet<(OutPinId, InPinId)> = self.snarl.wires().collect();
        let (mut links, mut known) = (Vec::new(), HashSet::new());
        for link in &self.graph.links {
            let stays = match self.wire_of(link, &numbers) {
                Some(wire) => {
                    known.insert(wire);
                    wires.contains(&wire)
                }
                // Not shown: it stays as long as it did not lose a node just now.
                None => link.nodes().iter().all(|id| numbers.contains_key(id) || !self.outputs.contains_key(id)),
            };
            if stays {
                links.push(*link);
            }
        }
        let mut new: Vec<_> = wires.difference(&known).copied().collect();
        new.sort_unstable_by_key(order);
        let mut taken: Vec<i64> = links.iter().map(|link| link.id).collect();
        for wire in new {
            let id = free_id(&taken, FIRST_LINK);
            taken.push(id);
            links.push(self.link_of(wire, id));
        }
        let places: Vec<(i64, Pos2)> = self.nodes_at().map(|(at, node)| (node.id, at)).collect();
        let placed: Vec<_> = places.iter().map(|(id, at)| (*id, whole(*at))).collect();
        let mut to = BehaviorGraph { nodes, links, comments: self.comments(), ..self.graph.clone() };
        if placed != self.placed {
            let places: Vec<_> = places.iter().map(|(id, at)| (*id, [at.x, at.y])).collect();
            to.editor_settings = layout::write_positions(&self.graph.editor_settings, &places);
        }
        if to == self.graph {
            return None;
        }
        self.placed = placed;
        self.graph = to.clone();
        self.check();
        // Outputs may have come or gone: a wire without its output would be taken for a new link.
        self.wire();
        Some(to)
    }

    /// The nodes that are no comments, and where they stand.
    fn nodes_at(&self) -> impl Iterator<Item = (Pos2, &GraphNode)> {
        self.snarl.nodes_pos().filter(|(_, node)| node.kind != COMMENT)
    }

    /// The comments as they stand now, in whole points; as they are written where all stand where they did.
    fn comments(&self) -> Vec<GraphComment> {
        let comments = self.snarl.nodes_pos().filter(|(_, node)| node.kind == COMMENT);
        let comments: Vec<_> = comments.filter_map(|(at, node)| comment_of(at, node)).collect();
        let rounded = |comment: &GraphComment| comment_of(comment.at.into(), &comment_node(comment.text.clone()));
        let is_same = self.graph.comments.iter().filter_map(rounded).eq(comments.iter().cloned());
        if is_same { self.graph.comments.clone() } else { comments }
    }

    fn next_id(&self) -> i64 {
        let taken: Vec<i64> = self.nodes_at().map(|(_, node)| node.id).collect();
        free_id(&taken, 0)
    }

    /// Adds a comment.
    pub fn add_comment(&mut self, at: Pos2) {
        self.snarl.insert_node(at, comment_node("Comment".into()));
    }

    /// Some of the nodes and comments with the wires between the nodes and where they stand, as a graph of its own.
    pub fn copied(&self, ids: &[NodeId]) -> BehaviorGraph {
        let mut part = BehaviorGraph { name: self.graph.name.clone(), ..BehaviorGraph::default() };
        let mut places = Vec::new();
        // In the order of the graph, whatever the order in which they were selected.
        for (_, at, node) in self.snarl.nodes_pos_ids().filter(|(id, ..)| ids.contains(id)) {
            if node.kind == COMMENT {
                part.comments.extend(comment_of(at, node));
            } else {
                places.push((node.id, [at.x, at.y]));
                part.nodes.push(node.clone());
            }
        }
        part.editor_settings = layout::write_positions("", &places);
        let mut wires: Vec<_> =
            self.snarl.wires().filter(|(from, to)| ids.contains(&from.node) && ids.contains(&to.node)).collect();
        wires.sort_unstable_by_key(order);
        part.links = wires.into_iter().zip(FIRST_LINK..).map(|(wire, id)| self.link_of(wire, id)).collect();
        part
    }

    /// Puts a copied part down, around `middle`, its nodes under new numbers.
    pub fn paste(&mut self, part: &BehaviorGraph, middle: Pos2) {
        let part = Self::of(part);
        let count = part.snarl.nodes().count().max(1) as f32;
        let center = part.snarl.nodes_pos().fold(egui::Vec2::ZERO, |sum, (at, _)| sum + at.to_vec2()) / count;
        let mut made = HashMap::new();
        for (old, at, node) in part.snarl.nodes_pos_ids() {
            let id = if node.kind == COMMENT { node.id } else { self.next_id() };
            let node = self.snarl.insert_node(middle + (at.to_vec2() - center), GraphNode { id, ..node.clone() });
            made.insert(old, node);
        }
        for (from, to) in part.snarl.wires() {
            self.snarl.connect(OutPinId { node: made[&from.node], ..from }, InPinId { node: made[&to.node], ..to });
        }
    }

    /// Adds a node of a kind.
    pub fn add(&mut self, kind: i64, at: Pos2) -> NodeId {
        let id = self.next_id();
        self.snarl.insert_node(at, GraphNode { kind, id, ..GraphNode::default() })
    }

    /// Adds a node of a kind and wires it to a pin.
    pub fn add_wired(&mut self, kind: i64, at: Pos2, end: WireEnd) {
        let node = self.add(kind, at);
        match end {
            WireEnd::Output(from) => connect(&mut self.snarl, from, InPinId { node, input: 0 }),
            WireEnd::Input(to) => connect(&mut self.snarl, OutPinId { node, output: 0 }, to),
        }
    }

    /// Adds a node like another, beside it.
    pub fn duplicate(&mut self, node: NodeId) {
        let Some(info) = self.snarl.get_node_info(node) else { return };
        let id = if info.value.kind == COMMENT { info.value.id } else { self.next_id() };
        let (at, copy) = (info.pos + egui::vec2(40.0, 40.0), GraphNode { id, ..info.value.clone() });
        self.snarl.insert_node(at, copy);
    }

    /// Puts all nodes where their links say.
    pub fn arrange(&mut self) {
        let at = layout::arrange(&self.graph);
        let by_id: HashMap<i64, [f32; 2]> = self.graph.nodes.iter().map(|node| node.id).zip(at).collect();
        for info in self.snarl.nodes_info_mut() {
            if let Some(at) = by_id.get(&info.value.id).filter(|_| info.value.kind != COMMENT) {
                info.pos = Pos2::from(*at);
            }
        }
    }
}

/// Wires two pins, unless the node of one has been taken out while the wire was drawn.
pub fn connect(snarl: &mut Snarl<GraphNode>, from: OutPinId, to: InPinId) {
    if [from.node, to.node].iter().all(|node| snarl.get_node(*node).is_some()) {
        snarl.connect(from, to);
    }
}

/// The number after those that are `taken`; where none is allowed there, the first free one. At least `first`.
fn free_id(taken: &[i64], first: i64) -> i64 {
    let after = taken.iter().max().map_or(first, |max| max.saturating_add(1).max(first));
    if after <= MAX_GRAPH_ID {
        return after;
    }
    let taken: HashSet<i64> = taken.iter().copied().collect();
    (first..).find(|id| !taken.contains(id)).unwrap_or(first)
}

/// Inputs of a node.
pub fn inputs(node: &GraphNode) -> usize {
    usize::from(!matches!(node.kind, ROOT | EVENT | COMMENT))
}

/// The order in which new wires are written.
fn order((from, to): &(OutPinId, InPinId)) -> (usize, usize, usize) {
    (from.node.0, from.output, to.node.0)
}

/// A comment as it is written, in whole points.
fn comment_of(at: Pos2, node: &GraphNode) -> Option<GraphComment> {
    let text = node.properties.iter().find(|(key, _)| key == TEXT)?.1.clone();
    Some(GraphComment { at: [at.x.round(), at.y.round()], text })
}

fn comment_node(text: String) -> GraphNode {
    // Its number is none that a node has.
    GraphNode { kind: COMMENT, id: -1, properties: vec![(TEXT.into(), text)], ..GraphNode::default() }
}

/// A graph that does something from the start: a root that waits.
pub fn beginning(name: String) -> BehaviorGraph {
    let node = |kind, id| GraphNode { kind, id, ..GraphNode::default() };
    let nodes = vec![node(ROOT, 0), node(WAIT, 1)];
    let links = vec![GraphLink { id: FIRST_LINK, from_pin: 0, to_pin: NODE_PINS }];
    BehaviorGraph { name, nodes, links, ..BehaviorGraph::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::limits::check_behavior;

    fn graph() -> BehaviorGraph {
        let mut graph = beginning("wait".into());
        graph.nodes.push(GraphNode { kind: 3, id: 7, ..GraphNode::default() });
        // A link to nowhere, which no editor can show.
        graph.links.push(GraphLink { id: 10_004, from_pin: 1200, to_pin: 99_000 });
        graph.editor_settings = "[editor]\npanning=1,2\n\n[node.0]\norigin=5,6\n\n".into();
        graph
    }

    #[test]
    fn taking_in_a_graph_changes_nothing() {
        let mut document = GraphDocument::of(&graph());
        assert_eq!(document.changed(), None);
        assert_eq!(document.snarl.wires().count(), 1);
        assert!(!document.problems.is_empty(), "the link to nowhere is reported");

        // Two nodes of one number, two links between the same pins, a comment between two points.
        let mut odd = graph();
        odd.nodes.push(GraphNode { kind: 10, id: 7, ..GraphNode::default() });
        odd.links.push(GraphLink { id: 10_009, ..odd.links[0] });
        odd.comments.push(GraphComment { at: [1.25, -3.5], text: "as typed".into() });
        let mut document = GraphDocument::of(&odd);
        assert_eq!(document.changed(), None);
        document.add_comment(Pos2::new(9.6, 0.0));
        assert_eq!(document.changed().unwrap().links, odd.links);
    }

    #[test]
    fn links_of_an_output_that_goes_stay_and_come_back_with_it() {
        let mut graph = beginning("choose".into());
        graph.nodes[1].kind = 5;
        graph.nodes.push(GraphNode { kind: 10, id: 2, ..GraphNode::default() });
        graph.links.push(GraphLink { id: 10_001, from_pin: 1202, to_pin: 2000 });
        let mut document = GraphDocument::of(&graph);
        let selector = document.numbers()[&1];
        for (outputs, wires) in [("2", 1), ("3", 2)] {
            document.snarl[selector].properties = vec![("selector-num-outs".into(), outputs.into())];
            assert_eq!(document.changed().unwrap().links, graph.links);
            assert_eq!(document.snarl.wires().count(), wires);
            assert_eq!(document.changed(), None, "said once");
        }
    }

    #[test]
    fn a_wire_from_a_node_that_is_gone_leads_nowhere() {
        let mut document = GraphDocument::of(&beginning("wait".into()));
        let root = document.numbers()[&0];
        document.snarl.remove_node(root);
        document.add_wired(3, Pos2::ZERO, WireEnd::Output(OutPinId { node: NodeId(999), output: 0 }));
        document.add_wired(3, Pos2::ZERO, WireEnd::Input(InPinId { node: NodeId(999), input: 0 }));
        let to = document.changed().unwrap();
        assert_eq!((to.nodes.len(), to.links.len()), (3, 0));
    }

    #[test]
    fn nodes_links_and_places_are_written_and_the_rest_is_kept() {
        let mut document = GraphDocument::of(&graph());
        let [first, last] = [1, 7].map(|id| document.numbers()[&id]);
        document.snarl.connect(OutPinId { node: first, output: 0 }, InPinId { node: last, input: 0 });
        document.add(5, Pos2::new(300.0, 10.2));
        let to = document.changed().unwrap();
        assert_eq!(to.links[2], GraphLink { id: 10_005, from_pin: 1200, to_pin: 7000 });
        assert_eq!((to.links.len(), to.nodes[3].id, to.nodes[3].kind), (3, 8, 5));
        assert!(to.editor_settings.starts_with("[editor]\npanning=1,2\n\n[node.0]\norigin=5,6\n"));
        assert!(to.editor_settings.contains("[node.8]\norigin=300,10\n"));
        assert_eq!(document.changed(), None, "said once");
        assert_eq!(document.outputs(&to.nodes[3]), 3, "a selector has three outputs at first");
        assert_eq!(GraphDocument::of(&to).changed(), None);

        let mut copies = GraphDocument::of(&to);
        let part = copies.copied(&[1, 7].map(|id| copies.numbers()[&id]));
        copies.paste(&part, Pos2::new(100.0, 700.0));
        let twice = copies.changed().unwrap();
        let ids: Vec<i64> = twice.nodes.iter().map(|node| node.id).collect();
        assert_eq!(ids, [0, 1, 7, 8, 9, 10]);
        assert!(twice.links.iter().any(|link| (link.from_pin, link.to_pin) == (9200, 10_000)), "{:?}", twice.links);

        copies.add_comment(Pos2::new(-5.4, 3.0));
        let noted = copies.changed().unwrap();
        assert_eq!((noted.nodes.len(), noted.comments.len()), (6, 1));
        assert_eq!((noted.comments[0].at, &*noted.comments[0].text), ([-5.0, 3.0], "Comment"));
        assert_eq!(noted.editor_settings, twice.editor_settings, "the original's layout does not know of it");
        assert_eq!(GraphDocument::of(&noted).changed(), None);

        let first_input = WireEnd::Input(InPinId { node: first, input: 0 });
        document.add_wired(5, Pos2::new(0.0, 300.0), first_input);
        document.add_wired(3, Pos2::new(600.0, 0.0), WireEnd::Output(OutPinId { node: last, output: 0 }));
        let wired = document.changed().unwrap();
        let pins: Vec<_> = wired.links.iter().rev().take(2).map(|link| (link.from_pin, link.to_pin)).collect();
        assert_eq!(pins, [(9200, 1000), (7200, 10_000)], "wires that were let go lead to the new nodes");
        for id in [9, 10] {
            let node = document.numbers()[&id];
            document.snarl.remove_node(node);
        }
        document.changed().unwrap();

        document.snarl.remove_node(first);
        let to = document.changed().unwrap();
        assert_eq!((to.nodes.len(), to.links.len()), (3, 0), "links go with their node");
        document.arrange();
        assert!(document.changed().is_some());
    }

    #[test]
    fn new_numbers_are_allowed_ones() {
        let mut graph = beginning("wait".into());
        graph.nodes.push(GraphNode { kind: 3, id: MAX_GRAPH_ID, ..GraphNode::default() });
        graph.links.push(GraphLink { id: MAX_GRAPH_ID, from_pin: 1200, to_pin: MAX_GRAPH_ID * NODE_PINS });
        let mut document = GraphDocument::of(&graph);
        let last = document.numbers()[&MAX_GRAPH_ID];
        document.add_wired(3, Pos2::ZERO, WireEnd::Output(OutPinId { node: last, output: 0 }));
        let to = document.changed().unwrap();
        assert_eq!(check_behavior(&to), Ok(()));
        assert_eq!(to.nodes[3].id, 2);
        let link = GraphLink { id: 10_001, from_pin: MAX_GRAPH_ID * NODE_PINS + FIRST_OUTPUT, to_pin: 2000 };
        assert_eq!(to.links[2], link);
        let part = document.copied(&[last]);
        document.paste(&part, Pos2::ZERO);
        assert_eq!(document.changed().unwrap().nodes[4].id, 3);
    }
}
