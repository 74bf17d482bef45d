//! The planners by name: for scenes, panels and command lines.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::vocab::labelled;

labelled! {
    /// An algorithm that finds paths, known in scene files and on command lines by its [`name`](Self::name).
    ///
    /// A new planner is a variant with its name, label and help, and a function that [`find`](Self::find) dispatches to.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(try_from = "String", into = "&'static str")]
    pub enum Planner: name, label, help {
        /// A* over the centres of the level's triangles as the original program links them; it needs no mesh.
        Centers = "centers" "Centres of triangles"
            "A* over the level's triangles as the original program links them, walls ignored; needs no mesh.",
        /// A* over the midpoints of portals; the path leads through them and the centres of polygons.
        EdgeMidpoints = "edge-midpoints" "Edge midpoints"
            "A* over the midpoints of edges; the path leads through the centres of polygons.",
        /// A* over polygons, then the funnel algorithm; the one that keeps agents of any radius off walls.
        #[default]
        Funnel = "funnel" "Funnel" "A* over polygons, then a string pulled tight; keeps any radius from walls.",
        /// Polyanya: shortest any-angle paths, searched over intervals of edges.
        Exact = "exact" "Exact" "The shortest path at any angle, searched over intervals of edges.",
        /// Shortest any-angle paths from hub labels of all corners.
        ExactIndex = "exact-index" "Exact, by index"
            "The shortest path at any angle, from an index of all corners that is built once.",
        /// A* that weighs length against exposure to enemies and against marked areas.
        Tactical = "tactical" "Tactical" "Weighs length against what enemies see and what designers marked.",
    }
}

/// A name that no planner has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no planner '{name}'; choose {}", Planner::names())]
pub struct UnknownPlanner {
    /// The name as given.
    pub name: String,
}

impl Planner {
    /// Those that search a navigation mesh.
    pub const ON_MESH: [Self; 5] = [Self::EdgeMidpoints, Self::Funnel, Self::Exact, Self::ExactIndex, Self::Tactical];

    /// Whether it searches a navigation mesh, rather than the level's own triangles.
    pub const fn needs_mesh(self) -> bool {
        !matches!(self, Self::Centers)
    }

    /// Whether it keeps agents of any radius off walls.
    pub const fn takes_any_radius(self) -> bool {
        matches!(self, Self::Funnel | Self::Exact | Self::ExactIndex)
    }

    /// Whether its paths are proven to be the shortest or the cheapest.
    pub const fn is_exact(&self) -> bool {
        matches!(self, Self::Exact | Self::ExactIndex)
    }

    /// Whether it weighs the marks that designers put on areas.
    pub const fn weighs_marks(self) -> bool {
        matches!(self, Self::Tactical)
    }

    /// Whether it needs nothing of a mesh that takes long to build, so that every thread can search by itself.
    pub const fn is_thread_cheap(self) -> bool {
        matches!(self, Self::EdgeMidpoints | Self::Funnel)
    }

    /// All names, for error messages and help.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Names of [`Planner::ExactIndex`] in earlier scenes and scripts: it had a table of all distances.
pub const EARLIER_PLANNERS: [&str; 1] = ["exact-table"];

impl FromStr for Planner {
    type Err = UnknownPlanner;

    fn from_str(name: &str) -> Result<Self, UnknownPlanner> {
        let name = if EARLIER_PLANNERS.contains(&name) { Self::ExactIndex.name() } else { name };
        let named = Self::ALL.into_iter().find(|planner| planner.name() == name);
        named.ok_or_else(|| UnknownPlanner { name: name.to_owned() })
    }
}

impl TryFrom<String> for Planner {
    type Error = UnknownPlanner;

    fn try_from(name: String) -> Result<Self, UnknownPlanner> {
        name.parse()
    }
}

impl From<Planner> for &'static str {
    fn from(planner: Planner) -> Self {
        planner.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_unknown_ones_list_the_known() {
        for (i, planner) in Planner::ALL.into_iter().enumerate() {
            assert!(Planner::ALL[..i].iter().all(|other| other.name() != planner.name()));
            assert_eq!(planner.name().parse(), Ok(planner));
            assert!(!planner.label().is_empty() && planner.help().ends_with('.'));
            assert_eq!(Planner::ON_MESH.contains(&planner), planner.needs_mesh());
            let text = serde_json::to_string(&planner).unwrap();
            assert_eq!((text.as_str(), serde_json::from_str(&text).ok()), (&*format!("\"{planner}\""), Some(planner)));
        }
        assert_eq!("exact-table".parse(), Ok(Planner::ExactIndex));
        let error = "teleport".parse::<Planner>().unwrap_err();
        assert!(error.to_string().contains("'teleport'") && error.to_string().contains("edge-midpoints, funnel"));
    }
}
