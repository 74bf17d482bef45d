//! Tactical path finding: cover along walls, and paths that trade length against exposure to enemies.
//!
//! After Daniel Brewer, "Tactical Pathfinding on a NavMesh" (Game AI Pro 3). Cover is a line along the outline of an
//! obstacle ([`CoverSegment`]); a part of a path is hidden where it lies in the [`Shadow`] of a cover as seen from the
//! enemy. [`Threats`] know the shadows of all covers, so that exposure is the true geometry's; a [`CoverMap`] lists
//! besides, per polygon, the few covers that matter most for an enemy standing in it. The search cuts polygons along the
//! outlines of the shadows, and casts no rays.
//!
//! Space: the mesh's local space, Y up, metres.

mod cell_graph;
mod cells;
mod cover;
mod floor_slabs;
mod map;
mod markup;
mod obstacle_heights;
mod search;
mod segment;
mod shadow;
mod taut;
mod threats;

pub use cover::Cover;
pub use floor_slabs::floor_slabs;
pub use map::{CoverId, CoverMap, MapSettings};
pub use markup::{Biases, Marks, Markup};
pub use obstacle_heights::ObstacleHeights;
pub(in crate::nav) use search::MIN_GAIN;
pub use search::{SearchStats, TacticalError, TacticalLeg, TacticalPath, TacticalQuery, TacticalSearch};
pub use segment::{CoverClass, CoverSegment, CoverSettings, extract};
pub use shadow::{Enemy, Intervals, Shadow, ShadowVolume, VisibilityModel};
pub use threats::{Threats, polygon_below};

#[cfg(test)]
#[path = "../../tests/nav/tactical_fixture.rs"]
#[allow(dead_code, reason = "tests from outside use the rest")]
mod fixture;
