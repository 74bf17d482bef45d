//! What planners answer: the path with its cost and notes, or why there is none.

use glam::Vec3;
use thiserror::Error;

use super::kind::Planner;
use crate::nav::mesh::PolyId;
use crate::nav::mesh::off_mesh::OffMeshExit;
use crate::nav::query::QueryError;
use crate::nav::tactical::TacticalError;

/// The answer of a planner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathResult {
    /// From the start to the end, local; empty when there is no path.
    pub points: Vec<Vec3>,
    /// The polygons walked over.
    pub polygons: Vec<PolyId>,
    /// The links taken, each with the place in `points` where it begins; it ends at the point after.
    pub links: Vec<(usize, OffMeshExit)>,
    /// Length of the line through the points, metres.
    pub length: f64,
    /// The same seen from above.
    pub length_2d: f64,
    /// What it costs, from the exact planners where areas cost differently or lengths count along the surface; not with
    /// links.
    pub cost: Option<PathCost>,
    /// How many nodes the search expanded, in the planner's own measure.
    pub expanded: u32,
    /// How many nodes searches expanded that serve all queries with the same end that are [`shared`](super::SearchHints::shared),
    /// whenever they were made.
    pub shared_expanded: u32,
    /// Expanded nodes per node of the path before it is tightened, from the planner that weighs exposure; the maximum
    /// over segments when links are taken.
    pub expanded_ratio: Option<f32>,
    /// Whether it is more than [`Tactics::excessive_ratio`](super::Tactics::excessive_ratio).
    pub is_excessive: bool,
    /// Why there is no path.
    pub reason: Option<PlanError>,
    /// What the planner could not do as asked, and did instead.
    pub notes: Vec<&'static str>,
}

/// What a path costs, in metres times what a metre costs, and what is proven of all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathCost {
    /// Of this path.
    pub cost: f64,
    /// No path costs less.
    pub lower_bound: f64,
}

/// Why a planner finds no path.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlanError {
    /// The search on the mesh failed.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The search that weighs exposure failed.
    #[error(transparent)]
    Tactical(#[from] TacticalError),
    /// The planner does not keep agents off walls.
    #[error("planner '{0}' knows agents of radius 0 alone; choose 'funnel' or 'exact' for a radius")]
    NeedsRadiusZero(Planner),
    /// The planner does not search a mesh.
    #[error("the planner '{0}' needs the triangles of a level; choose another")]
    NeedsTriangles(Planner),
}

/// Said by the exact planners where a metre does not cost the same on all ground and they cannot weigh that: for a radius, and
/// where areas cost nothing or without end.
pub const AREAS_DIFFER: &str =
    "areas cost differently: searched by A* with funnel, since exact paths weigh positive costs for radius 0 alone";
/// Said by the exact planners for a radius where lengths shall count along the surface.
pub const SURFACE_FOR_NO_RADIUS: &str = "lengths count along the surface for radius 0 alone: measured in plan";
/// Said by them where a search over areas of different cost, or along the surface, took too much memory.
pub const GAVE_UP: &str = "the cheapest path was not found within the memory of a search: searched by A* with funnel";
/// Said by them while a mesh that changed is prepared.
pub const PREPARING: &str = "the mesh is being prepared for exact paths: searched by A* with funnel";
/// Said by all planners that do not weigh marks, where there are some.
pub const MARKS_LEFT_OUT: &str = "marks of areas do not count: only the planner 'tactical' weighs them";

impl PathResult {
    /// Resets it, keeping its memory.
    pub(super) fn clear(&mut self) {
        self.points.clear();
        self.polygons.clear();
        self.links.clear();
        self.notes.clear();
        (self.length, self.length_2d, self.cost, self.expanded, self.reason) = (0.0, 0.0, None, 0, None);
        (self.shared_expanded, self.expanded_ratio, self.is_excessive) = (0, None, false);
    }
}
