//! Which graph search, and by which estimate: textbook algorithms to compare with A*.
//!
//! (Russell and Norvig, "Artificial Intelligence: A Modern Approach", chapter 3, has them all.)

use std::str::FromStr;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// In which order a search expands the nodes that it has reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchAlgorithm {
    /// By the cost so far and the estimate of the rest.
    #[default]
    AStar,
    /// By the cost so far.
    Dijkstra,
    /// By the estimate of the rest alone; greedy best-first search.
    Greedy,
    /// By the number of hops from the start.
    BreadthFirst,
    /// The node that was reached last.
    DepthFirst,
}

/// How the rest of a path is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Heuristic {
    /// The straight line, or what distances from four landmarks prove, whichever is longer.
    #[default]
    Landmarks,
    /// The straight line.
    Euclidean,
    /// The sum of the distances along the three axes. Longer than the straight line, so that A* may miss the shortest path.
    Manhattan,
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
    /// All of them, in the order of panels and help.
    pub const ALL: [Self; 5] = [Self::AStar, Self::Dijkstra, Self::Greedy, Self::BreadthFirst, Self::DepthFirst];

    /// Name in scene files and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AStar => "a-star",
            Self::Dijkstra => "dijkstra",
            Self::Greedy => "greedy",
            Self::BreadthFirst => "breadth-first",
            Self::DepthFirst => "depth-first",
        }
    }

    /// Name in panels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::AStar => "A*",
            Self::Dijkstra => "Dijkstra",
            Self::Greedy => "Greedy",
            Self::BreadthFirst => "Breadth first",
            Self::DepthFirst => "Depth first",
        }
    }

    /// What it does, in a sentence.
    pub const fn help(self) -> &'static str {
        match self {
            Self::AStar => "The node with the least cost so far plus estimate first; the shortest path.",
            Self::Dijkstra => "The node with the least cost so far first; the shortest path without any estimate.",
            Self::Greedy => "The node that seems nearest to the target first; quick, and often a detour.",
            Self::BreadthFirst => "All nodes of as many hops before those of one more; the fewest triangles.",
            Self::DepthFirst => "The node that was found last first; any path at all.",
        }
    }

    /// Whether it estimates the rest of the path.
    pub const fn estimates(self) -> bool {
        matches!(self, Self::AStar | Self::Greedy)
    }
}

impl Heuristic {
    /// All of them, in the order of panels and help.
    pub const ALL: [Self; 3] = [Self::Landmarks, Self::Euclidean, Self::Manhattan];

    /// Name in scene files and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Landmarks => "landmarks",
            Self::Euclidean => "euclidean",
            Self::Manhattan => "manhattan",
        }
    }

    /// Name in panels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Landmarks => "Landmarks",
            Self::Euclidean => "Euclidean",
            Self::Manhattan => "Manhattan",
        }
    }

    /// What it says, in a sentence.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Landmarks => "The straight line, or more where distances from four landmarks prove it.",
            Self::Euclidean => "The straight line, as the original program estimates.",
            Self::Manhattan => "Along the axes: too long in general, so that A* expands less and may take a detour.",
        }
    }

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
