//! Node positions in the graph editor, stored as the INI text of the original's editor: a section `[node.N]` with a line
//! `origin=x,y` for each node. All other content is kept.

use super::graph::BehaviorGraph;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};

/// Distance between the columns and rows of a layout made here, points.
const COLUMN: f32 = 330.0;
const ROW: f32 = 190.0;

/// Number of the node of a section.
fn node_of(header: &str) -> Option<i64> {
    header.trim().strip_prefix("[node.")?.strip_suffix(']')?.parse().ok()
}

/// Parses the position of each node, in points.
pub fn read_positions(text: &str) -> HashMap<i64, [f32; 2]> {
    let mut found = HashMap::new();
    let mut node = None;
    for line in text.lines() {
        if line.trim_start().starts_with('[') {
            node = node_of(line);
        } else if let (Some(id), Some(origin)) = (node, line.trim().strip_prefix("origin="))
            && let Some((x, y)) = origin.split_once(',')
            && let (Ok(x), Ok(y)) = (x.trim().parse::<f32>(), y.trim().parse::<f32>())
            && x.is_finite()
            && y.is_finite()
        {
            found.insert(id, [x, y]);
        }
    }
    found
}

/// The text with these positions, rounded to points. Other node sections are removed, other sections kept.
pub fn write_positions(text: &str, places: &[(i64, [f32; 2])]) -> String {
    let mut out = String::new();
    let mut ours = false;
    for line in text.lines() {
        if line.trim_start().starts_with('[') {
            ours = node_of(line).is_some();
        }
        if !ours {
            out += line;
            out.push('\n');
        }
    }
    if out.trim().is_empty() {
        out = "[editor]\npanning=0,0\n\n".into();
    }
    for (id, [x, y]) in places {
        out += &format!("[node.{id}]\norigin={:.0},{:.0}\n\n", x.round() + 0.0, y.round() + 0.0);
    }
    out
}

/// A layered layout: a position per node, in their order, with the column by distance from the root.
pub fn arrange(graph: &BehaviorGraph) -> Vec<[f32; 2]> {
    let (mut children, mut fired) = (HashMap::<i64, Vec<i64>>::new(), HashSet::new());
    for link in &graph.links {
        let [from, to] = link.nodes();
        children.entry(from).or_default().push(to);
        fired.insert(to);
    }
    let ids = || graph.nodes.iter().map(|node| node.id);
    let mut queue: VecDeque<(i64, usize)> = ids().filter(|id| !fired.contains(id)).map(|id| (id, 0)).collect();
    // Once all that roots reach is placed, nodes that are only reachable through a cycle.
    let mut others = ids().map(|id| (id, 0));
    let mut depth: HashMap<i64, usize> = HashMap::new();
    while let Some((id, at)) = queue.pop_front().or_else(|| others.next()) {
        let Entry::Vacant(place) = depth.entry(id) else { continue };
        place.insert(at);
        queue.extend(children.get(&id).into_iter().flatten().map(|child| (*child, at + 1)));
    }
    let mut rows: HashMap<usize, usize> = HashMap::new();
    let place = |node: &super::graph::GraphNode| {
        let column = depth.get(&node.id).copied().unwrap_or(0);
        let row = rows.entry(column).or_default();
        *row += 1;
        [column as f32 * COLUMN, (*row - 1) as f32 * ROW]
    };
    graph.nodes.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behavior::graph::{GraphLink, GraphNode};

    #[test]
    fn places_are_read_written_and_the_rest_is_kept() {
        let text = "[editor]\npanning=-528,-89\n\n[node.0]\norigin=-79,102\n\n[node.9]\norigin=1014,520\n\n[node.x]\n";
        let found = read_positions(text);
        assert_eq!(found, HashMap::from([(0, [-79.0, 102.0]), (9, [1014.0, 520.0])]));
        let to = write_positions(text, &[(0, [1.4, -0.2]), (3, [7.0, 8.0])]);
        assert_eq!(to, "[editor]\npanning=-528,-89\n\n[node.x]\n[node.0]\norigin=1,0\n\n[node.3]\norigin=7,8\n\n");
        assert_eq!(read_positions(&to), HashMap::from([(0, [1.0, 0.0]), (3, [7.0, 8.0])]));
        assert!(write_positions("", &[]).starts_with("[editor]"));
        assert!(read_positions("[node.1]\norigin=nan,2\n[node.2]\norigin=3").is_empty());
    }

    #[test]
    fn what_is_fired_stands_to_the_right_of_what_fires_it() {
        let node = |id| GraphNode { kind: 3, id, ..GraphNode::default() };
        let link = |from: i64, to: i64| GraphLink { id: 0, from_pin: from * 1000 + 200, to_pin: to * 1000 };
        let graph = BehaviorGraph {
            nodes: (0..5).map(node).collect(),
            // 3 and 4 form a circle.
            links: vec![link(0, 1), link(0, 2), link(3, 4), link(4, 3)],
            ..BehaviorGraph::default()
        };
        let at = arrange(&graph);
        assert!(at[1][0] > at[0][0] && at[2][0] == at[1][0] && at[2][1] > at[1][1] && at[4][0] > at[3][0]);
        let mut distinct = at.iter().map(|p| p.map(|v| v as i32)).collect::<Vec<_>>();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 5, "no two nodes lie on each other");
    }

    #[test]
    fn a_column_is_the_distance_from_the_root() {
        let node = |id| GraphNode { kind: 3, id, ..GraphNode::default() };
        let link = |from: i64, to: i64| GraphLink { id: 0, from_pin: from * 1000 + 200, to_pin: to * 1000 };
        let graph = BehaviorGraph {
            nodes: (0..6).map(node).collect(),
            // Node 3 is reached on a long way and a short one, node 5 from a root that comes late.
            links: vec![link(0, 1), link(1, 2), link(2, 3), link(0, 3), link(2, 5), link(4, 5)],
            ..BehaviorGraph::default()
        };
        let columns = arrange(&graph).iter().map(|at| (at[0] / COLUMN).round() as usize).collect::<Vec<_>>();
        assert_eq!(columns, [0, 1, 2, 1, 0, 1]);
    }
}
