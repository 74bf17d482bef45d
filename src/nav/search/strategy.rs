//! Which graph search, and by which estimate: textbook algorithms to compare with A*.
//!
//! (Russell and Norvig, "Artificial Intelligence: A Modern Approach", chapter 3, has them all.)

use std::str::FromStr;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::vocab::labelled;

labelled! {
    /// In which order a search expands the nodes that it has reached.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum SearchAlgorithm: name, label, help {
        /// By the cost so far and the estimate of the rest.
        #[default]
        AStar = "a-star" "A*" "The node with the least cost so far plus estimate first; the shortest path.",
        /// By the cost so far.
        Dijkstra = "dijkstra" "Dijkstra"
            "The node with the least cost so far first; the shortest path without any estimate.",
        /// By the estimate of the rest alone; greedy best-first search.
        Greedy = "greedy" "Greedy" "The node that seems nearest to the target first; quick, and often a detour.",
        /// By the number of hops from the start.
        BreadthFirst = "breadth-first" "Breadth first"
            "All nodes of as many hops before those of one more; the fewest triangles.",
        /// The node that was reached last.
        DepthFirst = "depth-first" "Depth first" "The node that was found last first; any path at all.",
    }
}

labelled! {
    /// How the rest of a path is estimated.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Heuristic: name, label, help {
        /// The straight line, or what distances from four landmarks prove, whichever is longer.
        #[default]
        Landmarks = "landmarks" "Landmarks" "The straight line, or more where distances from four landmarks prove it.",
        /// The straight line.
        Euclidean = "euclidean" "Euclidean" "The straight line, as the original program estimates.",
        /// The sum of the distances along the three axes. Longer than the straight line, so that A* may miss the shortest path.
        Manhattan = "manhattan" "Manhattan"
            "Along the axes: too long in general, so that A* expands less and may take a detour.",
    }
}

/// An algorithm and its estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct SearchStrategy {
    /// In which order nodes are expanded.
    pub algorithm: SearchAlgorithm,
    /// How the rest of a path is estimated, by algorithms that estimate.
    pub heuristic: Heuristic,
}

/// A name that no algorithm, or no estimate, has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no {kind} '{name}'; choose {names}")]
pub struct UnknownStrategy {
    kind: &'static str,
    name: String,
    names: String,
}

impl SearchAlgorithm {
    /// Whether it estimates the rest of the path.
    pub const fn estimates(self) -> bool {
        matches!(self, Self::AStar | Self::Greedy)
    }
}

impl Heuristic {
    /// The estimate between two places, metres; that of landmarks without what they prove.
    pub(in crate::nav) fn between(self, a: Vec3, b: Vec3) -> f32 {
        match self {
            Self::Landmarks | Self::Euclidean => a.distance(b),
            Self::Manhattan => (a - b).abs().element_sum(),
        }
    }
}

impl SearchStrategy {
    /// Name for people.
    pub fn label(self) -> String {
        match self.algorithm.estimates() {
            true => format!("{}, {}", self.algorithm.label(), self.heuristic.label()),
            false => self.algorithm.label().to_owned(),
        }
    }
}

impl FromStr for SearchAlgorithm {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let named = Self::ALL.into_iter().find(|one| one.name() == name);
        named.ok_or_else(|| UnknownStrategy { kind: "search", name: name.into(), names: names() })
    }
}

impl FromStr for Heuristic {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let named = Self::ALL.into_iter().find(|one| one.name() == name);
        named.ok_or_else(|| UnknownStrategy { kind: "heuristic", name: name.into(), names: names() })
    }
}
