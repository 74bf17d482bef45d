//! Paths over a ground graph: the triangles to walk over, or why there are none, and the line to walk along.

mod line;

pub use line::walk_line;

use super::ground::{Adjacency, GroundGraph, GroundNode};
use super::search::Search;
use glam::Vec3;
use thiserror::Error;

/// Distance that points of a path keep from solid corners where there is room, metres.
pub const DEFAULT_MARGIN: f32 = 0.3;

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
pub struct PathResult {
    /// Nodes from start to target, both included; empty without a path.
    pub nodes: Vec<GroundNode>,
    /// Level triangles from start to target, without repetition in a row; empty without a path.
    pub triangles: Vec<u32>,
    /// The line from the start's centre to the target's: along the ground under the `shared` rule, through the
    /// centres of all triangles under the `original` rule. World space.
    pub points: Vec<Vec3>,
    /// Length of that line, metres; 0 without a path.
    pub length: f64,
    /// Nodes that the search expanded.
    pub expanded: u32,
    /// Whether there is a path, or why not.
    pub outcome: Result<(), NoPath>,
}

/// Finds paths; keeps its buffers between queries. One per thread.
#[derive(Clone, Debug, Default)]
pub struct PathFinder {
    search: Search,
    way: Vec<u32>,
}

impl PathFinder {
    /// The nodes of the shortest path between two nodes by the distances between centres, both ends included.
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
        Ok(self.way.iter().map(|&n| GroundNode(n)))
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
        self.search.find(graph, start.0, target.0, &mut self.way).map(|_| ()).ok_or(NoPath::OtherIsland)
    }

    /// The path between two nodes, with its triangles and its line from centre to centre.
    pub fn find_path(&mut self, graph: &GroundGraph, start: GroundNode, target: GroundNode) -> PathResult {
        match self.search_nodes(graph, start, target) {
            Ok(()) => self.result(graph, graph.center(start), graph.center(target)),
            Err(reason) => self.refusal(reason),
        }
    }

    /// The path between the level triangles with these numbers.
    pub fn find_between(&mut self, graph: &GroundGraph, start_triangle: u32, target_triangle: u32) -> PathResult {
        let Some(start) = graph.node_of(start_triangle) else { return self.refusal(NoPath::StartOffGround) };
        let Some(target) = graph.node_of(target_triangle) else { return self.refusal(NoPath::TargetOffGround) };
        self.find_path(graph, start, target)
    }

    /// The path between two points that stand on the ground, or at most a step (and at least half a metre) off it.
    pub fn find_way(&mut self, graph: &GroundGraph, from: Vec3, to: Vec3) -> PathResult {
        let reach = graph.step_height().max(0.5);
        let Some(start) = graph.nearest(from, reach, reach) else { return self.refusal(NoPath::StartOffGround) };
        let Some(target) = graph.nearest(to, reach, reach) else { return self.refusal(NoPath::TargetOffGround) };
        match self.search_nodes(graph, start, target) {
            Ok(()) => self.result(graph, from, to),
            Err(reason) => self.refusal(reason),
        }
    }

    fn refusal(&self, reason: NoPath) -> PathResult {
        PathResult {
            nodes: Vec::new(),
            triangles: Vec::new(),
            points: Vec::new(),
            length: 0.0,
            expanded: self.search.expanded(),
            outcome: Err(reason),
        }
    }

    fn result(&self, graph: &GroundGraph, from: Vec3, to: Vec3) -> PathResult {
        let nodes: Vec<GroundNode> = self.way.iter().map(|&n| GroundNode(n)).collect();
        let mut triangles: Vec<u32> = nodes.iter().map(|&n| graph.triangle(n)).collect();
        triangles.dedup();
        let points = match graph.adjacency() {
            Adjacency::Original => nodes.iter().map(|&n| graph.center(n)).collect(),
            Adjacency::Shared => walk_line(graph, from, to, &nodes, DEFAULT_MARGIN),
        };
        PathResult {
            length: length(&points),
            nodes,
            triangles,
            points,
            expanded: self.search.expanded(),
            outcome: Ok(()),
        }
    }
}

/// Length of a polyline, metres.
pub fn length(points: &[Vec3]) -> f64 {
    points.windows(2).map(|w| w[0].as_dvec3().distance(w[1].as_dvec3())).sum()
}
