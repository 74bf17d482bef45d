//! Cheapest paths where a metre does not cost the same on all ground (the weighted region problem), and shortest paths along
//! the surface in place of the plan.
//!
//! J. S. B. Mitchell, C. H. Papadimitriou, "The Weighted Region Problem: Finding Shortest Paths Through a Weighted Planar
//! Subdivision", Journal of the ACM 1991: paths bend at sides where the cost changes as light does (Snell's law), run along the cheaper
//! side of one and leave it at the critical angle, and turn at vertices. Here this is a search by A* as Polyanya's: a node is a
//! beam, all paths from one source that cross the same sides. The cost over a beam is a convex function of where
//! it arrives, so its tangents bound it from below; the least bound that is left when the search ends bounds every path. On a
//! surface cells are triangles in space, laid flat one beside the other as a beam crosses them (J. S. B. Mitchell, D. M. Mount,
//! C. H. Papadimitriou, "The Discrete Geodesic Problem", SIAM Journal on Computing 1987).

mod beam;
mod bound;
mod corner_labels;
mod fan;
mod landmarks;
mod line_cost;
mod meeting;
mod mesh;
mod metric;
mod path;
mod search;
#[cfg(test)]
mod tests;
mod ways;

use glam::Vec3;

use super::{QueryError, check, check_places};
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
pub use line_cost::line_cost;
pub use mesh::WeightedMesh;
pub use metric::Metric;
use path::keep_bends;
use search::{Outcome, WeightedSearch};

/// A cheapest path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightedPath {
    /// Start, where it bends, end: local, y on the mesh.
    pub points: Vec<Vec3>,
    /// Its length times what a metre costs.
    pub cost: f64,
    /// No path costs less.
    pub lower_bound: f64,
    /// The polygons that it leaves from and arrives in: at a vertex where several touch, maybe others than asked for.
    pub ends: [PolyId; 2],
    /// How many beams and vertices were expanded.
    pub expanded: u32,
}

/// The searcher; keeps the mesh that it derived and its memory from query to query. One per thread.
#[derive(Debug, Default)]
pub struct WeightedPaths {
    net: Option<WeightedMesh>,
    search: WeightedSearch,
}

impl WeightedPaths {
    /// Whether a filter's costs can be weighed: all positive and finite.
    pub fn takes(filter: &Filter) -> bool {
        filter.cost.iter().all(|&cost| cost > 0.0 && cost.is_finite())
    }

    /// Whether the first query on this mesh with this filter in this metric is as fast as the others.
    pub fn is_prepared(&self, mesh: &NavMesh, filter: &Filter, metric: Metric) -> bool {
        self.net.as_ref().is_some_and(|net| net.is_of(mesh, filter, metric))
    }

    /// From now on, queries on the mesh that it was made of are answered from it.
    pub fn adopt(&mut self, net: WeightedMesh) {
        self.net = Some(net);
    }

    /// Finds the cheapest path from `start` to `end`, local points that lie over their polygons. On an error `out` has no points;
    /// after [`QueryError::GaveUp`] its lower bound holds all the same.
    ///
    /// # Errors
    /// There is no path, or the arguments are none; see [`QueryError`].
    pub fn find(
        &mut self,
        mesh: &NavMesh,
        [start, end]: [NavPoint; 2],
        filter: &Filter,
        metric: Metric,
        out: &mut WeightedPath,
    ) -> Result<(), QueryError> {
        out.points.clear();
        (out.cost, out.lower_bound, out.expanded) = (0.0, 0.0, 0);
        check_places(mesh, start, end, filter)?;
        let island = check(mesh, start, end, filter);
        if !self.is_prepared(mesh, filter, metric) {
            self.adopt(WeightedMesh::build(mesh, filter, metric));
        }
        let Some(net) = &self.net else { return Err(QueryError::OtherMesh) };
        let [from, to] = [start, end].map(|p| Vec3 { y: mesh.height_at(p.polygon, p.point), ..p.point });
        net.locate(mesh, start, &mut self.search.starts);
        net.locate(mesh, end, &mut self.search.ends);
        let target = if metric == Metric::Plan { Vec3 { y: 0.0, ..to } } else { to };
        let outcome = self.search.run(net, target.as_dvec3());
        out.expanded = self.search.expanded;
        let polygons = (start.polygon.0, end.polygon.0);
        let path = match outcome {
            Outcome::Found { path, lower_bound } => {
                (out.cost, out.lower_bound) = (path.cost, rounded_down(lower_bound));
                path
            }
            Outcome::NoPath => return Err(island.err().unwrap_or(QueryError::Blocked(polygons.0, polygons.1))),
            Outcome::GaveUp { lower_bound } => {
                out.lower_bound = rounded_down(lower_bound);
                return Err(QueryError::GaveUp(polygons.0, polygons.1));
            }
        };
        let points = self.search.points_of(mesh, net, &path, [from, to]);
        keep_bends(&points, metric, &mut out.points);
        out.ends = net.touching.at_ends(mesh, [start, end], &out.points);
        Ok(())
    }
}

/// Vertices and ends of paths are of single precision: on the ground that they were rounded from, a path may cost less by this
/// share.
const ROUNDING: f64 = 2e-6;

/// A lower bound on a mesh as one on the ground that its vertices were rounded from.
pub fn rounded_down(lower_bound: f64) -> f64 {
    lower_bound * (1.0 - ROUNDING)
}
