//! Polyanya shortest paths on a navigation mesh: any angle, optimal in the xz plane.
//!
//! Polyanya (M. Cui, D. Harabor, A. Grastien, "Compromise-free Pathfinding on a Navigation Mesh", IJCAI 2017). A search
//! node is an interval of an edge together with the root that sees it. Intervals are bounded by directions to original
//! vertices and judged by exact signs, so that collinear walls, the rule on voxel meshes, give correct answers.
//!
//! "Shortest" is in plan view: edges without neighbour are walls, and a path may touch walls and turns at corners.
//! Polygons that share a vertex but no edge are not connected by it, but an end on that vertex lies in all of them. Polygons with reflex corners keep their shape.
//! Heights and area costs do not count; the flags of the filter do.

mod half_edge;
mod hub_labels;
pub mod index;
pub mod index_file;
mod interval;
mod mesh;
mod search;
#[cfg(test)]
mod tests;

use glam::Vec3;

use super::{QueryError, check, check_places};
use crate::math::plan::to_plan_f64;
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
pub use mesh::PolyanyaMesh;
use search::{IntervalSearch, Root};

/// Number of prepared meshes that a searcher keeps.
const MAX_MESHES: usize = 4;

/// A shortest path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShortestPath {
    /// Start, corners, end: local, y on the mesh. Corners in one line are left out.
    pub points: Vec<Vec3>,
    /// The polygons that it leaves from and arrives in: at a vertex where several touch, maybe others than asked for.
    pub ends: [PolyId; 2],
    /// Length in the xz plane.
    pub length_2d: f64,
    /// How many search nodes were expanded.
    pub expanded: u32,
}

/// The search; keeps its memory from query to query. One per thread.
///
/// It derives a [`PolyanyaMesh`] from each mesh and pair of filter flags, which takes milliseconds, and keeps the last
/// four; [`Polyanya::prepare`] does that ahead of the first query.
#[derive(Debug, Default)]
pub struct Polyanya {
    nets: Vec<PolyanyaMesh>,
    search: IntervalSearch,
}

impl Polyanya {
    /// A searcher without memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the first query on this mesh with this filter is as fast as the others.
    pub fn is_prepared(&self, mesh: &NavMesh, filter: &Filter) -> bool {
        self.nets.iter().any(|n| n.key == PolyanyaMesh::key_of(mesh, filter))
    }

    /// As [`prepare`](Self::prepare), with a net that was built elsewhere.
    pub fn adopt(&mut self, net: PolyanyaMesh) {
        self.nets.retain(|n| n.key != net.key);
        if self.nets.len() == MAX_MESHES {
            self.nets.remove(0);
        }
        self.nets.push(net);
    }

    /// Makes the first query on this mesh with this filter as fast as the others.
    pub fn prepare(&mut self, mesh: &NavMesh, filter: &Filter) {
        let key = PolyanyaMesh::key_of(mesh, filter);
        match self.nets.iter().rposition(|n| n.key == key) {
            Some(at) => self.nets[at..].rotate_left(1),
            None => self.adopt(PolyanyaMesh::build(mesh, filter)),
        }
    }

    /// Finds the shortest path from `start` to `end`, local points that lie over their polygons (on an edge or a
    /// vertex is fine; y is ignored). On an error `out` is empty.
    ///
    /// # Errors
    /// There is no path, or the arguments are none; see [`QueryError`].
    pub fn find(
        &mut self,
        mesh: &NavMesh,
        start: NavPoint,
        end: NavPoint,
        filter: &Filter,
        out: &mut ShortestPath,
    ) -> Result<(), QueryError> {
        out.points.clear();
        (out.length_2d, out.expanded) = (0.0, 0);
        check_places(mesh, start, end, filter)?;
        if self.nets.last().is_none_or(|n| n.key != PolyanyaMesh::key_of(mesh, filter)) {
            self.prepare(mesh, filter);
        }
        let net = &self.nets[self.nets.len() - 1];
        let search = &mut self.search;
        let found = search.run(mesh, net, start, end);
        out.expanded = search.expanded;
        let Some((length, last)) = found else {
            // The reason of a mesh whose parts do not hang together is the better one.
            return check(mesh, start, end, filter).and(Err(QueryError::Blocked(start.polygon.0, end.polygon.0)));
        };
        out.length_2d = length;
        out.points.push(Vec3 { y: mesh.height_at(end.polygon, end.point), ..end.point });
        let mut ahead = to_plan_f64(end.point);
        let mut root = last;
        while root != 0 {
            let Root { at, vertex, parent, .. } = search.roots[root as usize];
            if (at - search.roots[parent as usize].at).perp_dot(ahead - at) != 0.0 {
                out.points.push(mesh.vertices()[vertex as usize]);
                ahead = at;
            }
            root = parent;
        }
        out.points.push(Vec3 { y: mesh.height_at(start.polygon, start.point), ..start.point });
        out.points.reverse();
        out.ends = net.polygons_at_ends(mesh, start, end, &out.points);
        Ok(())
    }
}
