//! A corridor search in slices: for time budgets, and to be watched step by step.

use glam::Vec3;

use super::path::{Corridor, CorridorSearch, MOVED};
use super::{QueryError, check};
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId};
use crate::nav::search::kernel::Progress;

/// State of a sliced search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// It can be advanced.
    Open,
    /// The end is reached.
    Found,
    /// The end cannot be reached.
    Failed,
}

/// A polygon that a search has reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchNode {
    /// The polygon.
    pub polygon: PolyId,
    /// Its position: the middle of the portal by which the search first reached it, or the start; local.
    pub at: Vec3,
    /// The polygon and the portal that it is now reached by; `None` for the start.
    pub from: Option<(PolyId, u32)>,
    /// Cost of the path to its position.
    pub cost: f32,
    /// Cost plus heuristic.
    pub total: f32,
    /// Whether it waits to be expanded.
    pub open: bool,
}

/// A search that runs a limited number of expansions at a time.
#[derive(Clone, Debug)]
pub struct SlicedPath {
    search: CorridorSearch,
    mesh: u64,
    filter: Filter,
    ends: (PolyId, PolyId),
    partial: bool,
    reason: Option<QueryError>,
    slice: Slice,
}

impl SlicedPath {
    /// Begins a search. With `partial`, an end that cannot be reached is searched for too: the corridor then leads to the
    /// polygon nearest to it.
    ///
    /// # Errors
    /// As [`CorridorFinder::find`](super::path::CorridorFinder::find); with `partial` as `find_partial`.
    pub fn begin(
        mesh: &NavMesh,
        start: NavPoint,
        end: NavPoint,
        filter: &Filter,
        partial: bool,
    ) -> Result<Self, QueryError> {
        let reason = check(mesh, start, end, filter).err();
        if let Some(reason) = reason.filter(|r| !(partial && r.leaves_a_part())) {
            return Err(reason);
        }
        let mut search = CorridorSearch::default();
        search.begin(mesh, start, end, filter);
        let ends = (start.polygon, end.polygon);
        Ok(Self { search, mesh: mesh.id(), filter: filter.clone(), ends, partial, reason, slice: Slice::Open })
    }

    /// Expands up to `expansions` polygons. The mesh has to be that of the beginning, else the search fails.
    pub fn advance(&mut self, mesh: &NavMesh, expansions: u32) -> Slice {
        if mesh.id() != self.mesh {
            self.reason = Some(QueryError::OtherMesh);
            self.slice = Slice::Failed;
        }
        if self.slice == Slice::Open {
            self.slice = match self.search.advance(mesh, &self.filter, !self.partial, expansions) {
                Progress::Open => Slice::Open,
                Progress::Found(_) => Slice::Found,
                Progress::Exhausted => Slice::Failed,
            };
        }
        self.slice
    }

    /// How many polygons were expanded.
    pub fn expanded(&self) -> u32 {
        self.search.expanded()
    }

    /// What the search knows, in the order of the polygons.
    pub fn nodes(&self) -> impl Iterator<Item = SearchNode> {
        self.search.known().map(|(polygon, node, open)| SearchNode {
            polygon: PolyId(polygon),
            at: node.at,
            from: (node.portal != NONE).then_some((PolyId(node.parent & !MOVED), node.portal)),
            cost: node.cost,
            total: node.total,
            open,
        })
    }

    /// Writes the corridor found so far: to the end, or with `partial` to the polygon nearest to it by now, else
    /// nothing. The answer is why it does not reach the end; `None` also for a search that is not done.
    pub fn corridor(&self, mesh: &NavMesh, out: &mut Corridor) -> Option<QueryError> {
        out.clear();
        if mesh.id() != self.mesh {
            return Some(QueryError::OtherMesh);
        }
        match self.slice {
            Slice::Found => self.search.trace(mesh, self.ends.1.0, out),
            _ if self.partial => self.search.trace(mesh, self.search.closest(), out),
            _ => {}
        }
        let failed = self.slice == Slice::Failed;
        failed.then(|| self.reason.unwrap_or(QueryError::Blocked(self.ends.0.0, self.ends.1.0)))
    }
}
