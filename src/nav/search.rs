//! A* over any graph: nodes are numbers, costs are numbers, nothing here knows about geometry.
//!
//! (Hart, Nilsson and Raphael, "A Formal Basis for the Heuristic Determination of Minimum Cost Paths", 1968.)
//! State lies in flat arrays that a generation stamp invalidates, so that a query clears nothing and, once the
//! arrays have grown, allocates nothing. Equal keys are taken in node order: results are the same everywhere.

/// What a search needs to know of a graph.
pub trait Graph {
    /// Number of nodes; they are numbered from 0.
    fn node_count(&self) -> usize;
    /// Calls `f` with every node that can be reached from `node` in one hop, and the cost of the hop (≥ 0).
    fn for_each_hop(&self, node: u32, f: impl FnMut(u32, f32));
    /// A lower bound of the cost from `node` to `target`; 0 turns the search into Dijkstra's.
    fn estimate(&self, node: u32, target: u32) -> f32;
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Default)]
struct State {
    cost: f32,
    estimate: f32,
    parent: u32,
    /// Twice the generation while open, one more once expanded; anything less is of an earlier query.
    stamp: u32,
}

/// Key and node in one number: a float that is not negative orders as its bits do, and equal keys order by node.
fn packed(key: f32, node: u32) -> u64 {
    (u64::from(key.max(0.0).to_bits()) << 32) | u64::from(node)
}

/// A search with buffers that are used again. One per thread.
#[derive(Clone, Debug, Default)]
pub struct Search {
    states: Vec<State>,
    heap: Vec<u64>,
    generation: u32,
    expanded: u32,
}

impl Search {
    /// The cheapest way from `start` to `target`: puts its nodes, both ends included, into `way` (cleared before)
    /// and returns its cost. `None`, with `way` empty, when there is none or a number is not a node.
    pub fn find<G: Graph>(&mut self, graph: &G, start: u32, target: u32, way: &mut Vec<u32>) -> Option<f64> {
        way.clear();
        self.expanded = 0;
        let count = graph.node_count();
        if start as usize >= count || target as usize >= count {
            return None;
        }
        self.begin(count);
        let open = self.generation * 2;
        let estimate = graph.estimate(start, target);
        self.states[start as usize] = State { cost: 0.0, estimate, parent: NONE, stamp: open };
        self.push(packed(estimate, start));
        while let Some(top) = self.pop() {
            let node = top as u32;
            let state = self.states[node as usize];
            if state.stamp != open {
                continue;
            }
            if node == target {
                self.trace(target, way);
                return Some(f64::from(state.cost));
            }
            self.states[node as usize].stamp = open + 1;
            self.expanded += 1;
            graph.for_each_hop(node, |next, hop| {
                let cost = state.cost + hop;
                let known = &mut self.states[next as usize];
                if known.stamp < open {
                    *known = State { cost, estimate: graph.estimate(next, target), parent: node, stamp: open };
                } else if cost < known.cost {
                    *known = State { cost, estimate: known.estimate, parent: node, stamp: open };
                } else {
                    return;
                }
                let key = cost + known.estimate;
                self.push(packed(key, next));
            });
        }
        None
    }

    /// Calls `f` with every node that can be reached from `start` and the cost of the cheapest way, nearest first.
    pub fn flood<G: Graph>(&mut self, graph: &G, start: u32, mut f: impl FnMut(u32, f32)) {
        let count = graph.node_count();
        if start as usize >= count {
            return;
        }
        self.begin(count);
        let open = self.generation * 2;
        self.states[start as usize] = State { cost: 0.0, estimate: 0.0, parent: NONE, stamp: open };
        self.push(packed(0.0, start));
        while let Some(top) = self.pop() {
            let node = top as u32;
            let state = self.states[node as usize];
            if state.stamp != open {
                continue;
            }
            self.states[node as usize].stamp = open + 1;
            f(node, state.cost);
            graph.for_each_hop(node, |next, hop| {
                let cost = state.cost + hop;
                let known = &mut self.states[next as usize];
                if known.stamp < open || (known.stamp == open && cost < known.cost) {
                    *known = State { cost, estimate: 0.0, parent: node, stamp: open };
                    self.push(packed(cost, next));
                }
            });
        }
    }

    /// Nodes expanded by the last query.
    pub fn expanded(&self) -> u32 {
        self.expanded
    }

    /// Sets the count of expanded nodes to 0: for queries that are answered without a search.
    pub fn reset_expanded(&mut self) {
        self.expanded = 0;
    }

    fn begin(&mut self, count: usize) {
        self.heap.clear();
        if self.states.len() < count {
            self.states.resize(count, State::default());
        }
        if self.generation >= (u32::MAX - 1) / 2 {
            self.states.fill(State::default());
            self.generation = 0;
        }
        self.generation += 1;
    }

    fn trace(&self, target: u32, way: &mut Vec<u32>) {
        let mut node = target;
        while node != NONE {
            way.push(node);
            node = self.states[node as usize].parent;
        }
        way.reverse();
    }

    /// Adds to the heap (four children per node: fewer cache misses than two).
    fn push(&mut self, open: u64) {
        let mut at = self.heap.len();
        self.heap.push(open);
        while at > 0 {
            let up = (at - 1) / 4;
            if open >= self.heap[up] {
                break;
            }
            self.heap[at] = self.heap[up];
            at = up;
        }
        self.heap[at] = open;
    }

    fn pop(&mut self) -> Option<u64> {
        let top = *self.heap.first()?;
        let last = self.heap.pop()?;
        let count = self.heap.len();
        if count == 0 {
            return Some(top);
        }
        let mut at = 0;
        loop {
            let first = at * 4 + 1;
            let children = first..(first + 4).min(count);
            let Some(least) = children.reduce(|a, b| if self.heap[b] < self.heap[a] { b } else { a }) else {
                break;
            };
            if self.heap[least] >= last {
                break;
            }
            self.heap[at] = self.heap[least];
            at = least;
        }
        self.heap[at] = last;
        Some(top)
    }
}

#[cfg(test)]
mod tests;
