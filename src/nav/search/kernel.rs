//! Best-first search over numbered nodes: A*, and Dijkstra's algorithm where a space estimates nothing.
//!
//! (Hart, Nilsson and Raphael, "A Formal Basis for the Heuristic Determination of Minimum Cost Paths", 1968.) What is
//! searched is a [`SearchSpace`]: it says which state a node has, what follows from one, and where to stop. The kernel
//! owns the states and the order in which they are expanded, and is compiled anew for each space. States lie in one array
//! that a stamp invalidates: a search clears nothing and, once the array has grown, allocates nothing. Nodes of equal
//! cost are expanded in the order of their numbers, so that results are the same everywhere.

use super::heap::{Heap, HeapItem, pack, unpack};

/// No node.
pub(in crate::nav) const NONE: u32 = u32::MAX;

/// What a search knows of a node.
pub(in crate::nav) trait NodeState: Copy + Default {
    /// Cost of the path there plus the estimate of the rest; never negative. Smallest first.
    fn total(&self) -> f32;
    /// The [stamp](OpenList::stamp) of the search that wrote it; 0 for none.
    fn stamp(&self) -> u32;
}

/// A graph, a heuristic and a goal.
pub(in crate::nav) trait SearchSpace {
    /// What is known of a node.
    type State: NodeState;
    /// Whether the search ends when it would expand this node.
    fn is_goal(&self, node: u32, state: &Self::State) -> bool;
    /// Offers all successors of a node to the list.
    fn expand(&mut self, node: u32, state: &Self::State, open: &mut OpenList<Self::State>);
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::nav) enum Progress {
    /// The budget is spent.
    Open,
    /// This node is a goal.
    Found(u32),
    /// Everything that can be reached is expanded.
    Exhausted,
}

/// Where spaces put successors.
pub(in crate::nav) struct OpenList<'a, S> {
    states: &'a mut [S],
    heap: &'a mut Heap<u64>,
    /// The best successor of the last expansion, which is often the next to be expanded: it is not in the heap.
    lookahead: u64,
    stamp: u32,
}

impl<S: NodeState> OpenList<'_, S> {
    /// Marks the states of this search.
    #[inline(always)]
    pub(in crate::nav) fn stamp(&self) -> u32 {
        self.stamp
    }

    /// Where the state of a node is kept. It counts if its stamp is that of this search.
    #[inline(always)]
    pub(in crate::nav) fn slot(&mut self, node: u32) -> &mut S {
        &mut self.states[node as usize]
    }

    /// Opens a node whose slot has just been written, with the total of its state.
    #[inline(always)]
    pub(in crate::nav) fn push(&mut self, node: u32, total: f32) {
        self.lookahead = self.heap.keep_larger(self.lookahead, pack(total, node));
    }
}

/// A search that can stop and go on, with memory that is used again. One per thread.
#[derive(Clone, Debug)]
pub(in crate::nav) struct Search<S> {
    states: Vec<S>,
    heap: Heap<u64>,
    lookahead: u64,
    stamp: u32,
    expanded: u32,
}

impl<S> Default for Search<S> {
    fn default() -> Self {
        Self { states: Vec::new(), heap: Heap::default(), lookahead: u64::NONE, stamp: 0, expanded: 0 }
    }
}

impl<S: NodeState> Search<S> {
    /// Forgets the last search, makes room for `count` nodes and lets `open` put the first ones into the list.
    #[inline]
    pub(in crate::nav) fn begin(&mut self, count: usize, open: impl FnOnce(&mut OpenList<S>)) {
        if self.stamp == u32::MAX {
            self.states.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.states.len() < count {
            self.states.resize(count, S::default());
        }
        self.heap.clear();
        (self.lookahead, self.expanded) = (u64::NONE, 0);
        let mut list = self.list();
        open(&mut list);
        self.lookahead = list.lookahead;
    }

    fn list(&mut self) -> OpenList<'_, S> {
        let Self { states, heap, lookahead, stamp, .. } = self;
        OpenList { states, heap, lookahead: *lookahead, stamp: *stamp }
    }

    /// Expands up to `budget` nodes.
    #[inline(always)]
    pub(in crate::nav) fn advance<P: SearchSpace<State = S>>(&mut self, space: &mut P, budget: u32) -> Progress {
        let (mut list, mut left) = (self.list(), budget);
        let progress = loop {
            if left == 0 {
                break Progress::Open;
            }
            let held = std::mem::replace(&mut list.lookahead, u64::NONE);
            let Some(item) = list.heap.replace_top(held) else { break Progress::Exhausted };
            let (total, node) = unpack(item);
            let state = list.states[node as usize];
            // A node that was reached at less cost since then stands elsewhere in the list.
            if state.total() != total {
                continue;
            }
            if space.is_goal(node, &state) {
                break Progress::Found(node);
            }
            left -= 1;
            space.expand(node, &state, &mut list);
        };
        self.lookahead = list.lookahead;
        self.expanded += budget - left;
        progress
    }

    /// Expands nodes until a goal is found or all are expanded.
    #[inline(always)]
    pub(in crate::nav) fn run<P: SearchSpace<State = S>>(&mut self, space: &mut P) -> Progress {
        self.advance(space, u32::MAX)
    }

    /// How many nodes the search has expanded.
    pub(in crate::nav) fn expanded(&self) -> u32 {
        self.expanded
    }

    /// The state of a node that the search has reached.
    #[inline]
    pub(in crate::nav) fn get(&self, node: u32) -> Option<&S> {
        self.states.get(node as usize).filter(|s| s.stamp() == self.stamp)
    }

    /// The state of the parent of a node that the search has reached: that has been reached, too.
    #[inline]
    pub(in crate::nav) fn parent(&self, node: u32) -> &S {
        &self.states[node as usize]
    }

    /// All nodes that the search has reached, with whether they wait to be expanded.
    pub(in crate::nav) fn reached(&self) -> impl Iterator<Item = (u32, &S, bool)> {
        let mut open: Vec<u32> = Vec::new();
        for item in self.heap.items().chain((self.lookahead != u64::NONE).then_some(self.lookahead)) {
            let (total, node) = unpack(item);
            if self.states[node as usize].total() == total {
                open.push(node);
            }
        }
        open.sort_unstable();
        let states = (0u32..).zip(&self.states).filter(|n| n.1.stamp() == self.stamp);
        states.map(move |(node, state)| (node, state, open.binary_search(&node).is_ok()))
    }
}
