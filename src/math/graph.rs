//! Structure of undirected graphs whose nodes are numbers.

/// No node, no component.
pub const NONE: u32 = u32::MAX;

/// The biconnected components of a graph as a tree: components and the cut nodes that join them.
///
/// Every edge is in one component. An edge that lies on no cycle is a component of its own; all edges of a cycle are in
/// the same one. A node in several components is all that connects them.
#[derive(Clone, Debug, Default)]
pub struct Biconnected {
    /// All nodes in the order in which the depth-first search found them.
    pub order: Vec<u32>,
    /// Per node its place in [`order`](Self::order).
    pub found: Vec<u32>,
    /// Per node the component that leads up the tree, [`NONE`] for the root of each connected part.
    pub above: Vec<u32>,
    /// Per component its node nearest to the root.
    pub tops: Vec<u32>,
}

impl Biconnected {
    /// Finds the components (Hopcroft and Tarjan, "Efficient algorithms for graph manipulation", 1973).
    /// `neighbor(node, i)` gives the neighbour over the node's edge number `i`: `None` past the last one, [`NONE`] where
    /// nothing is beyond. Every edge appears at both of its nodes.
    pub fn find(count: usize, neighbor: impl Fn(u32, u32) -> Option<u32>) -> Self {
        let mut all = Self {
            order: Vec::with_capacity(count),
            found: vec![NONE; count],
            above: vec![NONE; count],
            tops: Vec::new(),
        };
        // Per node the first one, by order, that it or a node below reaches by one edge.
        let mut low = vec![0u32; count];
        let (mut open, mut stack) = (Vec::new(), Vec::new());
        for root in 0..count as u32 {
            if all.found[root as usize] != NONE {
                continue;
            }
            all.enter(root, &mut low);
            stack.push((root, 0));
            while let Some(top) = stack.last_mut() {
                let at = top.0;
                if let Some(next) = neighbor(at, top.1) {
                    top.1 += 1;
                    if next == NONE {
                        continue;
                    }
                    if all.found[next as usize] == NONE {
                        all.enter(next, &mut low);
                        open.push(next);
                        stack.push((next, 0));
                    } else {
                        low[at as usize] = low[at as usize].min(all.found[next as usize]);
                    }
                    continue;
                }
                stack.pop();
                let Some(&(parent, _)) = stack.last() else { continue };
                low[parent as usize] = low[parent as usize].min(low[at as usize]);
                if low[at as usize] >= all.found[parent as usize] {
                    all.close(parent, at, &mut open);
                }
            }
        }
        all
    }

    fn enter(&mut self, node: u32, low: &mut [u32]) {
        let time = self.order.len() as u32;
        (self.found[node as usize], low[node as usize]) = (time, time);
        self.order.push(node);
    }

    /// The open nodes down to `last` are a component below `top`.
    fn close(&mut self, top: u32, last: u32, open: &mut Vec<u32>) {
        while let Some(member) = open.pop() {
            self.above[member as usize] = self.tops.len() as u32;
            if member == last {
                break;
            }
        }
        self.tops.push(top);
    }

    /// The component of the edge between two neighbours: the one above the later of them.
    pub fn component_of_edge(&self, a: u32, b: u32) -> u32 {
        self.above[if self.found[a as usize] > self.found[b as usize] { a } else { b } as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components(count: usize, edges: &[(u32, u32)]) -> (Biconnected, Vec<u32>) {
        let mut neighbors = vec![Vec::new(); count];
        for &(a, b) in edges {
            neighbors[a as usize].push(b);
            neighbors[b as usize].push(a);
        }
        let all = Biconnected::find(count, |node, i| neighbors[node as usize].get(i as usize).copied());
        let of_edges = edges.iter().map(|&(a, b)| all.component_of_edge(a, b)).collect();
        (all, of_edges)
    }

    #[test]
    fn cycles_and_bridges_are_components() {
        // A triangle, a bridge from it to a square, and one node alone.
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 6), (6, 3)];
        let (all, of) = components(8, &edges);
        assert!(of[0] == of[1] && of[1] == of[2] && of[4..].iter().all(|&c| c == of[4]));
        assert!(of[0] != of[3] && of[3] != of[4] && of[0] != of[4]);
        assert_eq!((all.tops.len(), all.order.len()), (3, 8));
        assert_eq!((all.above[0], all.above[7]), (NONE, NONE));
        assert_eq!(all.tops[all.above[4] as usize], 3);
    }

    #[test]
    fn edges_share_a_component_exactly_when_a_cycle_holds_both() {
        let mut seed = 5u32;
        let mut chance = move |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        };
        let mut several = 0;
        for _ in 0..300 {
            let count = 3 + chance(6);
            let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
            let edges: Vec<(u32, u32)> = pairs.filter(|_| chance(3) == 0).collect();
            let (_, of) = components(count as usize, &edges);
            for (i, &(a, b)) in edges.iter().enumerate() {
                for (k, &(c, d)) in edges.iter().enumerate().filter(|e| e.0 != i) {
                    // On one cycle: from a to c and from b to d, or crosswise, without a common node.
                    let cycle = [(c, d), (d, c)].iter().any(|&(c, d)| disjoint(&edges, count, (a, c), (b, d)));
                    assert_eq!(of[i] == of[k], cycle, "{a}-{b} and {c}-{d} of {edges:?}");
                    several += usize::from(cycle);
                }
            }
        }
        assert!(several > 1000, "{several}");
    }

    /// Whether two paths join the ends of two pairs without a common node: tried by all subsets of nodes for the first.
    fn disjoint(edges: &[(u32, u32)], count: u32, first: (u32, u32), second: (u32, u32)) -> bool {
        let joined = |nodes: u32, (from, to): (u32, u32)| {
            if nodes >> from & 1 == 0 || nodes >> to & 1 == 0 {
                return false;
            }
            let mut reached = 1 << from;
            loop {
                let mut next = reached;
                for &(a, b) in edges.iter().filter(|&&(a, b)| nodes >> a & nodes >> b & 1 == 1) {
                    if (reached >> a | reached >> b) & 1 == 1 {
                        next |= 1 << a | 1 << b;
                    }
                }
                if next == reached {
                    return reached >> to & 1 == 1;
                }
                reached = next;
            }
        };
        (0..1u32 << count).any(|nodes| joined(nodes, first) && joined(!nodes & ((1 << count) - 1), second))
    }
}
