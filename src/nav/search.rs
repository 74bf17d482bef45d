//! Best-first search: the [heap], the [kernel] that every search of a mesh runs on, and A* over any graph.

pub(in crate::nav) mod heap;
pub(in crate::nav) mod hot_queue;
pub(in crate::nav) mod kernel;
pub mod strategy;

use strategy::SearchAlgorithm;

use kernel::{NONE, NodeState, OpenList, Progress, SearchSpace};

/// What a search needs to know of a graph.
pub trait Graph {
    /// Number of nodes; they are numbered from 0.
    fn node_count(&self) -> usize;
    /// Calls `f` with every node that can be reached from `node` in one hop, and the cost of the hop (≥ 0).
    fn for_each_hop(&self, node: u32, f: impl FnMut(u32, f32));
    /// A lower bound of the cost from `node` to `target`; 0 turns the search into Dijkstra's.
    fn estimate(&self, node: u32, target: u32) -> f32;
}

/// The total of the first node that a depth-first search reaches; later ones have 1 less each.
const DEEPEST: f32 = 16_777_215.0;
/// The total of a node that a depth-first search has expanded.
const CLOSED: f32 = 0.0;

/// What the search knows of a node.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    cost: f32,
    estimate: f32,
    /// Place in the order of expansion: smallest first.
    total: f32,
    parent: u32,
    stamp: u32,
}

impl NodeState for State {
    #[inline]
    fn total(&self) -> f32 {
        self.total
    }

    #[inline]
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

/// From a node to another, or with [`NONE`] for it to all that can be reached.
struct Space<'a, G, F> {
    graph: &'a G,
    target: u32,
    algorithm: SearchAlgorithm,
    /// Nodes that a depth-first search has reached, which is also how far later ones go before earlier ones.
    reached: f32,
    /// Called with each node before it is expanded, and its cost.
    visit: F,
}

impl<G: Graph, F: FnMut(u32, f32)> Space<'_, G, F> {
    fn estimate(&self, node: u32) -> f32 {
        if self.target == NONE || !self.algorithm.estimates() { 0.0 } else { self.graph.estimate(node, self.target) }
    }

    /// Whether a node that is known already is reached better by this cost.
    fn improves(&self, cost: f32, known: &State) -> bool {
        match self.algorithm {
            SearchAlgorithm::AStar | SearchAlgorithm::Dijkstra => cost < known.cost,
            SearchAlgorithm::Greedy | SearchAlgorithm::BreadthFirst => false,
            SearchAlgorithm::DepthFirst => known.total != CLOSED,
        }
    }

    /// The total of a node that is reached from another.
    fn total(&mut self, parent: &State, cost: f32, estimate: f32) -> f32 {
        match self.algorithm {
            SearchAlgorithm::AStar => (cost + estimate).max(0.0),
            SearchAlgorithm::Dijkstra => cost.max(0.0),
            SearchAlgorithm::Greedy => estimate.max(0.0),
            SearchAlgorithm::BreadthFirst => parent.total + 1.0,
            SearchAlgorithm::DepthFirst => {
                self.reached += 1.0;
                (DEEPEST - self.reached).max(1.0)
            }
        }
    }
}

impl<G: Graph, F: FnMut(u32, f32)> SearchSpace for Space<'_, G, F> {
    type State = State;

    fn is_goal(&self, node: u32, _: &State) -> bool {
        node == self.target
    }

    fn expand(&mut self, node: u32, state: &State, open: &mut OpenList<State>) {
        (self.visit)(node, state.cost);
        let stamp = open.stamp();
        if self.algorithm == SearchAlgorithm::DepthFirst {
            open.slot(node).total = CLOSED;
        }
        let graph = self.graph;
        graph.for_each_hop(node, |next, hop| {
            let cost = state.cost + hop;
            let known = open.slot(next);
            let is_known = known.stamp == stamp;
            if is_known && !self.improves(cost, known) {
                return;
            }
            let estimate = if is_known { known.estimate } else { self.estimate(next) };
            let total = self.total(state, cost, estimate);
            *known = State { cost, estimate, total, parent: node, stamp };
            open.push(next, total);
        });
    }
}

/// A search with buffers that are used again. One per thread.
#[derive(Clone, Debug, Default)]
pub struct Search {
    kernel: kernel::Search<State>,
    expanded: u32,
}

impl Search {
    /// The cheapest path from `start` to `target`: puts its nodes, both ends included, into `path` (cleared before)
    /// and returns its cost. `None`, with `path` empty, when there is none or a number is not a node.
    pub fn find<G: Graph>(&mut self, graph: &G, start: u32, target: u32, path: &mut Vec<u32>) -> Option<f64> {
        self.find_by(SearchAlgorithm::AStar, graph, [start, target], path)
    }

    /// The path from the first end to the second that an algorithm finds, and its cost, as [`find`](Self::find) does.
    pub fn find_by<G: Graph>(
        &mut self,
        algorithm: SearchAlgorithm,
        graph: &G,
        [start, target]: [u32; 2],
        path: &mut Vec<u32>,
    ) -> Option<f64> {
        path.clear();
        self.expanded = 0;
        if start as usize >= graph.node_count() || target as usize >= graph.node_count() {
            return None;
        }
        let progress = self.run(&mut Space { graph, target, algorithm, reached: 0.0, visit: |_, _| () }, start);
        self.expanded = self.kernel.expanded();
        if progress != Progress::Found(target) {
            return None;
        }
        let mut node = target;
        while let Some(state) = self.kernel.get(node) {
            path.push(node);
            node = state.parent;
        }
        path.reverse();
        self.kernel.get(target).map(|state| f64::from(state.cost))
    }

    /// Calls `f` with every node that can be reached from `start` and the cost of the cheapest path, nearest first.
    pub fn flood<G: Graph>(&mut self, graph: &G, start: u32, f: impl FnMut(u32, f32)) {
        if (start as usize) < graph.node_count() {
            let algorithm = SearchAlgorithm::Dijkstra;
            self.run(&mut Space { graph, target: NONE, algorithm, reached: 0.0, visit: f }, start);
        }
    }

    fn run<G: Graph, F: FnMut(u32, f32)>(&mut self, space: &mut Space<G, F>, start: u32) -> Progress {
        let estimate = space.estimate(start);
        let total = if space.algorithm == SearchAlgorithm::DepthFirst { DEEPEST } else { estimate.max(0.0) };
        self.kernel.begin(space.graph.node_count(), |open| {
            *open.slot(start) = State { cost: 0.0, estimate, total, parent: NONE, stamp: open.stamp() };
            open.push(start, total);
        });
        self.kernel.run(space)
    }

    /// The nodes that the last query reached, each with the node from which it was reached; the start with none.
    pub fn tree(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        self.kernel.reached().map(|(node, state, _)| (node, (state.parent != NONE).then_some(state.parent)))
    }

    /// Nodes expanded by the last query.
    pub fn expanded(&self) -> u32 {
        self.expanded
    }

    /// Sets the count of expanded nodes to 0: for queries that are answered without a search.
    pub fn reset_expanded(&mut self) {
        self.expanded = 0;
    }
}
