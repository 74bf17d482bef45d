//! Polyanya shortest paths on a navigation mesh: any angle, optimal in the xz plane.
//!
//! Polyanya (M. Cui, D. Harabor, A. Grastien, "Compromise-free Pathfinding on a Navigation Mesh", IJCAI 2017). A search
//! node is an interval of an edge together with the root that sees it. Intervals are bounded by directions to original
//! vertices and judged by exact signs, so that collinear walls, the rule on voxel meshes, give correct answers. From a corner
//! the search goes on over corners that it sees, which are found once per mesh.
//!
//! "Shortest" is in plan view: edges without neighbour are walls, and a path may touch walls and turns at corners.
//! Polygons that share a vertex but no edge are not connected by it, but an end on that vertex lies in all of them. Polygons with reflex corners keep their shape.
//! Heights and area costs do not count (see [`weighted`](super::weighted) for both); the flags of the filter do.

pub(in crate::nav::query) mod cell_locator;
mod corner_sight;
mod disc;
pub(in crate::nav::query) mod half_edge;
pub(in crate::nav::query) mod hub_labels;
pub mod index;
pub mod index_file;
mod interval;
mod label_merge;
mod line;
mod mesh;
mod search;
#[cfg(test)]
mod tests;
mod via_labels;
mod visible_corners;

use glam::Vec3;

use super::raycast::raycast;
use super::{QueryError, check, check_places};
use crate::math::plan::to_plan_f64;
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use disc::DiscSearch;
pub use mesh::PolyanyaMesh;
use search::{IntervalSearch, Root};
use visible_corners::VisibleCorners;

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
/// four, each with what its searches have found out about corners; [`Polyanya::prepare`] does that ahead of the first query.
#[derive(Debug, Default)]
pub struct Polyanya {
    nets: Vec<(PolyanyaMesh, VisibleCorners)>,
    search: IntervalSearch,
    disc: DiscSearch,
}

impl Polyanya {
    /// A searcher without memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the first query on this mesh with this filter is as fast as the others.
    pub fn is_prepared(&self, mesh: &NavMesh, filter: &Filter) -> bool {
        self.nets.iter().any(|n| n.0.key == PolyanyaMesh::key_of(mesh, filter))
    }

    /// As [`prepare`](Self::prepare), with a net that was built elsewhere.
    pub fn adopt(&mut self, net: PolyanyaMesh) {
        self.nets.retain(|n| n.0.key != net.key);
        if self.nets.len() == MAX_MESHES {
            self.nets.remove(0);
        }
        self.nets.push((net, VisibleCorners::default()));
    }

    /// Makes the first query on this mesh with this filter as fast as the others.
    pub fn prepare(&mut self, mesh: &NavMesh, filter: &Filter) {
        let key = PolyanyaMesh::key_of(mesh, filter);
        match self.nets.iter().rposition(|n| n.0.key == key) {
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
        if self.nets.last().is_none_or(|n| n.0.key != PolyanyaMesh::key_of(mesh, filter)) {
            self.prepare(mesh, filter);
        }
        let last = self.nets.len() - 1;
        let (net, visible) = &mut self.nets[last];
        let search = &mut self.search;
        let found = search.run(mesh, net, visible, [start, end]);
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
        out.ends = net.touching.at_ends(mesh, [start, end], &out.points);
        Ok(())
    }

    /// Finds the shortest path of a disc's middle that keeps the radius from all walls: lines, and arcs around corners,
    /// drawn as chords (which come at most half a millimetre nearer); [`length_2d`](ShortestPath::length_2d) is that of the
    /// lines and arcs themselves. An end where the disc does not fit is replaced by a point nearby where it does. A
    /// radius that is negative or no number counts as 0. On an error `out` is empty.
    ///
    /// # Errors
    /// There is no path, none is wide enough, or the arguments are none; see [`QueryError`].
    pub fn find_for_disc(
        &mut self,
        mesh: &NavMesh,
        [start, end]: [NavPoint; 2],
        filter: &Filter,
        radius: f32,
        out: &mut ShortestPath,
    ) -> Result<(), QueryError> {
        if radius.is_nan() || radius <= 0.0 {
            return self.find(mesh, start, end, filter, out);
        }
        out.points.clear();
        (out.length_2d, out.expanded) = (0.0, 0);
        check(mesh, start, end, filter)?;
        if radius.is_infinite() {
            return Err(QueryError::TooNarrow(start.polygon.0, end.polygon.0));
        }
        self.prepare(mesh, filter);
        let net = &self.nets[self.nets.len() - 1].0;
        let found = self.disc.find(mesh, net, [start, end], f64::from(radius));
        out.expanded = self.disc.expanded;
        let path = found.ok_or(QueryError::TooNarrow(start.polygon.0, end.polygon.0))?;
        out.length_2d = path.length;
        let mut at = start;
        out.ends = [start.polygon, end.polygon];
        for (i, &(point, vertex)) in path.points.iter().enumerate() {
            let height = mesh.vertices().get(vertex as usize).map_or(end.point.y, |v| v.y);
            let to = Vec3::new(point.x as f32, at.point.y, point.y as f32);
            let hit = raycast(mesh, at, to, filter, |_| ());
            let y = if hit.share >= 1.0 { mesh.height_at(hit.polygon, to) } else { height };
            at = NavPoint::new(hit.polygon, Vec3 { y, ..to });
            if i == 0 {
                out.ends[0] = at.polygon;
            }
            out.points.push(at.point);
        }
        out.ends[1] = at.polygon;
        Ok(())
    }
}
