//! Questions to a navigation mesh.
//!
//! Points are local to the mesh (see [`NavMesh::local`]); a place on the mesh is a polygon and a point over it. A
//! searcher keeps its memory from query to query; use one per thread.

pub mod clearance;
pub mod funnel;
pub mod island_gap;
pub mod multi_goal;
pub mod nearest;
pub mod off_mesh;
pub mod path;
pub mod polyanya;
pub mod random;
pub mod raycast;
pub mod sliced;
pub mod smooth;
pub mod spline;
pub mod surface;
pub(in crate::nav) mod touching;
pub mod weighted;

use thiserror::Error;

use crate::nav::mesh::{Filter, NavMesh, NavPoint};

/// Which end of a query an error speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where the path begins.
    Start,
    /// Where it ends.
    End,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if *self == Self::Start { "start" } else { "end" })
    }
}

/// Why there is no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum QueryError {
    /// The polygon is not of this mesh.
    #[error("the path's {0} names polygon {1}, but the mesh has only {2}; look it up in this mesh")]
    NoSuchPolygon(Place, u32, usize),
    /// A coordinate is infinite or not a number.
    #[error("the path's {0} is not a finite point")]
    NotFinite(Place),
    /// Nothing to stand on near the place.
    #[error("no ground of the mesh lies near the path's {0}; choose a place on or just over the mesh")]
    NoGround(Place),
    /// The filter does not pass the polygon.
    #[error("the path's {0} lies on polygon {1}, which the filter excludes; choose another place or filter")]
    Excluded(Place, u32),
    /// Start and end lie on different islands, by their numbers in the mesh; known without a search.
    #[error("the path's start and end lie on different islands of the mesh; no edge leads across")]
    OtherIsland(u32, u32),
    /// Only polygons that the filter excludes connect start and end.
    #[error("every way from polygon {0} to polygon {1} leads over polygons that the filter excludes")]
    Blocked(u32, u32),
    /// There are ways, but none has room for the agent.
    #[error("every way from polygon {0} to polygon {1} is too narrow for the agent; choose a smaller radius")]
    TooNarrow(u32, u32),
    /// A search for the cheapest path took more memory than it may before it knew one.
    #[error(
        "the cheapest way from polygon {0} to polygon {1} was not found within the memory of a search; choose 'funnel'"
    )]
    GaveUp(u32, u32),
    /// A table of another mesh.
    #[error("the table of exact paths belongs to another mesh; build one for this mesh")]
    OtherMesh,
}

impl QueryError {
    /// Whether a part of the way can be walked all the same.
    pub fn leaves_a_part(&self) -> bool {
        matches!(self, Self::OtherIsland(..) | Self::Blocked(..) | Self::Excluded(Place::End, _))
    }
}

/// What can be said without a search.
fn check(mesh: &NavMesh, start: NavPoint, end: NavPoint, filter: &Filter) -> Result<(), QueryError> {
    check_places(mesh, start, end, filter)?;
    let (a, b) = (mesh.polygon(start.polygon).island, mesh.polygon(end.polygon).island);
    if a == b { Ok(()) } else { Err(QueryError::OtherIsland(a, b)) }
}

/// What can be said of the ends alone.
fn check_places(mesh: &NavMesh, start: NavPoint, end: NavPoint, filter: &Filter) -> Result<(), QueryError> {
    for (place, NavPoint { polygon: id, point }) in [(Place::Start, start), (Place::End, end)] {
        if id.index() >= mesh.len() {
            return Err(QueryError::NoSuchPolygon(place, id.0, mesh.len()));
        }
        if !(point.x.is_finite() && point.z.is_finite()) {
            return Err(QueryError::NotFinite(place));
        }
        if !filter.passes(mesh.polygon(id)) {
            return Err(QueryError::Excluded(place, id.0));
        }
    }
    Ok(())
}
