//! The planners by name: for scenes, panels and command lines.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An algorithm that finds paths, known in scene files and on command lines by its [`name`](Self::name).
///
/// A new planner is a variant, a row in each of the methods and a function that [`find`](Self::find) dispatches to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Planner {
    /// A* over the centres of the level's triangles as the original program links them; it needs no mesh.
    Centers,
    /// A* over the midpoints of portals; the path leads through them and the centres of polygons.
    EdgeMidpoints,
    /// A* over polygons, then the funnel algorithm; the one that keeps agents of any radius off walls.
    #[default]
    Funnel,
    /// Polyanya: shortest any-angle paths, searched over intervals of edges.
    Exact,
    /// Shortest any-angle paths from hub labels of all corners.
    ExactIndex,
    /// A* that weighs length against exposure to enemies and against marked areas.
    Tactical,
}

/// A name that no planner has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no planner '{name}'; choose {}", Planner::names())]
pub struct UnknownPlanner {
    /// The name as given.
    pub name: String,
}

impl Planner {
    /// Every planner, in the order of panels and help.
    pub const ALL: [Self; 6] =
        [Self::Centers, Self::EdgeMidpoints, Self::Funnel, Self::Exact, Self::ExactIndex, Self::Tactical];
    /// Those that search a navigation mesh.
    pub const ON_MESH: [Self; 5] = [Self::EdgeMidpoints, Self::Funnel, Self::Exact, Self::ExactIndex, Self::Tactical];

    /// Name in scene files and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Centers => "centers",
            Self::EdgeMidpoints => "edge-midpoints",
            Self::Funnel => "funnel",
            Self::Exact => "exact",
            Self::ExactIndex => "exact-index",
            Self::Tactical => "tactical",
        }
    }

    /// Name in panels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Centers => "Centres of triangles",
            Self::EdgeMidpoints => "Edge midpoints",
            Self::Funnel => "Funnel",
            Self::Exact => "Exact",
            Self::ExactIndex => "Exact, by index",
            Self::Tactical => "Tactical",
        }
    }

    /// What it does, in a sentence.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Centers => {
                "A* over the level's triangles as the original program links them, walls ignored; needs no mesh."
            }
            Self::EdgeMidpoints => "A* over the midpoints of edges; the path leads through the centres of polygons.",
            Self::Funnel => "A* over polygons, then a string pulled tight; keeps any radius from walls.",
            Self::Exact => "The shortest path at any angle, searched over intervals of edges.",
            Self::ExactIndex => "The shortest path at any angle, from an index of all corners that is built once.",
            Self::Tactical => "Weighs length against what enemies see and what designers marked.",
        }
    }

    /// Whether it searches a navigation mesh, rather than the level's own triangles.
    pub const fn needs_mesh(self) -> bool {
        !matches!(self, Self::Centers)
    }

    /// Whether it keeps agents of any radius off walls.
    pub const fn takes_any_radius(self) -> bool {
        matches!(self, Self::Funnel | Self::Exact | Self::ExactIndex)
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

impl FromStr for Planner {
    type Err = UnknownPlanner;

    fn from_str(name: &str) -> Result<Self, UnknownPlanner> {
        // Its name while it had a table of all distances.
        let name = if name == "exact-table" { Self::ExactIndex.name() } else { name };
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
