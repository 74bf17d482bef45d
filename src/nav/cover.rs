//! Cover: what hides a walker from an enemy, and ways that make use of it.
//!
//! After Daniel Brewer, "Tactical Pathfinding on a NavMesh" (Game AI Pro 3): cover is a line along the outline of an
//! obstacle ([`CoverSegment`]), every polygon knows the few segments that matter for an enemy who stands in it, and
//! a part of a path is hidden where it lies behind a segment as seen from the enemy ([`Lee`]). No ray is cast while
//! a way is searched.
//!
//! Space: everything here is in the mesh's local space, y up; lengths are metres.

mod floor;
mod map;
mod markup;
mod obstacle;
mod pull;
mod rays;
mod search;
mod segment;
mod threats;
mod wedge;

pub use floor::floors;
pub use map::{Cover, CoverId, CoverMap, MapSettings};
pub use markup::{Biases, Marks, Markup};
pub use obstacle::Obstacles;
pub use rays::{exposure_by_rays, rays_cast};
pub use search::{Effort, Leg, TacticalError, TacticalPath, TacticalQuery, TacticalSearch};
pub use segment::{CoverClass, CoverSegment, CoverSettings, extract};
pub use threats::{Threats, polygon_below};
pub use wedge::{Enemy, Intervals, Lee, Sight, Wedge};

#[cfg(test)]
mod fixture;
