//! Graphs of behaviours in a few lines, and characters that live by them.

use std::sync::Arc;
use walkabout::behavior::compile::{Severity, compile};
use walkabout::behavior::graph::{BehaviorGraph, GraphLink, GraphNode};
use walkabout::behavior::{Effect, NodeEventSet, TreeInstance};
use walkabout::vocab::NodeEvent;

/// Time of a step, seconds.
pub const DT: f32 = 0.25;

/// A node: number, kind, properties.
pub type Row<'a> = (i64, i64, &'a [(&'a str, &'a str)]);

/// A graph of nodes (number, kind, properties) and links (from, output, to). Node 0 is the root.
pub fn graph(nodes: &[Row<'_>], links: &[(i64, i64, i64)]) -> BehaviorGraph {
    let node = |&(id, kind, properties): &Row<'_>| GraphNode {
        kind,
        id,
        properties: properties.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect(),
        extra: Vec::new(),
    };
    let pin = |from, output| if from == 0 { 0 } else { from * 1000 + 200 + output };
    let link = |(&(from, output, to), id): (&(i64, i64, i64), i64)| GraphLink {
        id,
        from_pin: pin(from, output),
        to_pin: to * 1000,
    };
    BehaviorGraph {
        name: "test".into(),
        nodes: [(0, 1, &[][..])].iter().chain(nodes).map(node).collect(),
        links: links.iter().zip(10_000..).map(link).collect(),
        ..BehaviorGraph::default()
    }
}

/// A character that lives by a graph without faults.
pub fn live(graph: &BehaviorGraph) -> TreeInstance {
    let (tree, problems) = compile(graph);
    assert!(problems.iter().all(|p| p.severity == Severity::Warning), "{problems:?}");
    TreeInstance::new(Arc::new(tree), 1)
}

/// What a step with these events asks for.
pub fn step(r: &mut TreeInstance, events: &[NodeEvent]) -> Vec<Effect> {
    let mut set = NodeEventSet::default();
    events.iter().for_each(|e| set.add(*e));
    let mut out = Vec::new();
    r.step(DT, set, &mut out);
    out
}
