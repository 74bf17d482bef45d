//! Paths over the original's ground: the triangles to walk over and the line through their centres, or why there is none.

use super::{GroundGraph, GroundNode};
use crate::nav::search::strategy::{Heuristic, SearchStrategy};
use crate::nav::search::{Graph, Search};
use glam::Vec3;
use thiserror::Error;

/// Why there is no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoPath {
    /// The start is no node.
    #[error("the start is not on walkable ground")]
    StartOffGround,
    /// The target is no node.
    #[error("the target is not on walkable ground")]
    TargetOffGround,
    /// No way leads from the start's part of the ground to the target's.
    #[error("start and target lie on parts of the ground that no way connects")]
    OtherIsland,
}

/// The answer to a path query.
#[derive(Clone, Debug, PartialEq)]
pub struct TrianglePath {
    /// Nodes from start to target, both included; empty without a path.
    pub nodes: Vec<GroundNode>,
    /// Level triangles from start to target; empty without a path.
    pub triangles: Vec<u32>,
    /// The line through the centres of all triangles, world space.
    pub points: Vec<Vec3>,
    /// Its length, metres; 0 without a path.
    pub length: f64,
    /// Nodes that the search expanded.
    pub expanded: u32,
    /// Whether there is a path, or why not.
    pub outcome: Result<(), NoPath>,
}

/// The graph with another estimate.
struct Estimated<'a> {
    graph: &'a GroundGraph,
    heuristic: Heuristic,
}

impl Graph for Estimated<'_> {
    fn node_count(&self) -> usize {
        self.graph.node_count()
    }

    fn for_each_hop(&self, node: u32, f: impl FnMut(u32, f32)) {
        self.graph.for_each_hop(node, f);
    }

    fn estimate(&self, node: u32, target: u32) -> f32 {
        let center = |n: u32| self.graph.center(GroundNode(n));
        self.heuristic.between(center(node), center(target))
    }
}

/// Finds paths; keeps its buffers between queries. One per thread.
#[derive(Clone, Debug, Default)]
pub struct PathFinder {
    /// How it searches; by default for the shortest path.
    pub strategy: SearchStrategy,
    search: Search,
    path: Vec<u32>,
}

impl PathFinder {
    /// The nodes of the path between two nodes, both ends included: the shortest by the distances between centres with
    /// the default strategy.
    /// Allocates nothing once the buffers have grown to the graph; other islands are refused without a search.
    ///
    /// # Errors
    /// Why there is no path.
    pub fn find_nodes(
        &mut self,
        graph: &GroundGraph,
        start: GroundNode,
        target: GroundNode,
    ) -> Result<impl ExactSizeIterator<Item = GroundNode> + '_, NoPath> {
        self.search_nodes(graph, start, target)?;
        Ok(self.path.iter().map(|&n| GroundNode(n)))
    }

    /// Nodes that the last search expanded.
    pub fn expanded(&self) -> u32 {
        self.search.expanded()
    }

    fn search_nodes(&mut self, graph: &GroundGraph, start: GroundNode, target: GroundNode) -> Result<(), NoPath> {
        self.search.reset_expanded();
        let known = |n: GroundNode| (n.0 as usize) < graph.len();
        if !known(start) {
            return Err(NoPath::StartOffGround);
        }
        if !known(target) {
            return Err(NoPath::TargetOffGround);
        }
        if graph.component(start) != graph.component(target) {
            return Err(NoPath::OtherIsland);
        }
        let SearchStrategy { algorithm, heuristic } = self.strategy;
        let (search, ends, path) = (&mut self.search, [start.0, target.0], &mut self.path);
        let found = match heuristic {
            Heuristic::Landmarks => search.find_by(algorithm, graph, ends, path),
            heuristic => search.find_by(algorithm, &Estimated { graph, heuristic }, ends, path),
        };
        found.map(|_| ()).ok_or(NoPath::OtherIsland)
    }

    /// The hops by which the last search reached its nodes, each from centre to centre, world space; empty where there
    /// was no search.
    pub fn search_tree<'a>(&'a self, graph: &'a GroundGraph) -> impl Iterator<Item = [Vec3; 2]> + 'a {
        let center = |n: u32| graph.center(GroundNode(n));
        let tree = self.search.tree().filter(|_| self.search.expanded() > 0);
        tree.filter_map(move |(node, parent)| Some([center(parent?), center(node)]))
    }

    /// The path between two nodes, with its triangles and its line from centre to centre.
    pub fn find_path(&mut self, graph: &GroundGraph, start: GroundNode, target: GroundNode) -> TrianglePath {
        match self.search_nodes(graph, start, target) {
            Ok(()) => self.result(graph),
            Err(reason) => self.refusal(reason),
        }
    }

    /// The path between two nodes, refused where one is not there.
    pub fn find_between(
        &mut self,
        graph: &GroundGraph,
        start: Option<GroundNode>,
        target: Option<GroundNode>,
    ) -> TrianglePath {
        match (start, target) {
            (None, _) => self.refusal(NoPath::StartOffGround),
            (_, None) => self.refusal(NoPath::TargetOffGround),
            (Some(start), Some(target)) => self.find_path(graph, start, target),
        }
    }

    fn refusal(&self, reason: NoPath) -> TrianglePath {
        TrianglePath {
            nodes: Vec::new(),
            triangles: Vec::new(),
            points: Vec::new(),
            length: 0.0,
            expanded: self.search.expanded(),
            outcome: Err(reason),
        }
    }

    fn result(&self, graph: &GroundGraph) -> TrianglePath {
        let nodes: Vec<GroundNode> = self.path.iter().map(|&n| GroundNode(n)).collect();
        let points: Vec<Vec3> = nodes.iter().map(|&n| graph.center(n)).collect();
        let leg = |w: &[Vec3]| w[0].as_dvec3().distance(w[1].as_dvec3());
        TrianglePath {
            length: points.windows(2).map(leg).sum(),
            triangles: nodes.iter().map(|&n| graph.triangle(n)).collect(),
            nodes,
            points,
            expanded: self.search.expanded(),
            outcome: Ok(()),
        }
    }
}

/// The line that the original walks: from `from` through the centres of the nodes between the first and the last to `to`.
pub fn centers_line(graph: &GroundGraph, from: Vec3, to: Vec3, nodes: &[GroundNode]) -> Vec<Vec3> {
    let inner = nodes.get(1..nodes.len().saturating_sub(1)).unwrap_or(&[]);
    std::iter::once(from).chain(inner.iter().map(|&n| graph.center(n))).chain([to]).collect()
}
