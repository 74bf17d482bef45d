//! Ends of paths where polygons touch: at a vertex at which several fans of polygons meet that share no edge there. No path
//! leads through such a vertex, but an end on it lies in all of them.

use glam::Vec3;
use smallvec::{SmallVec, smallvec};

use super::surface::passable_neighbor;
use crate::math::plan::to_plan_f64;
use crate::nav::mesh::{Edge, Filter, NavMesh, NavPoint, PolyId};

/// Sines of angles up to this are rounding: points of paths are of single precision.
const SAME_WAY: f64 = 1e-6;

/// The polygons at the vertices where several fans of them touch, for one mesh and the flags of a filter.
#[derive(Clone, Debug, Default)]
pub(in crate::nav) struct TouchingPolygons {
    /// Vertex and polygon, sorted.
    at: Vec<(u32, PolyId)>,
}

impl TouchingPolygons {
    /// Finds them, in a time that grows with the size of the mesh.
    pub(in crate::nav) fn find(mesh: &NavMesh, filter: &Filter) -> Self {
        let passable = || (0..mesh.len() as u32).map(PolyId).filter(|&p| filter.passes(mesh.polygon(p)));
        // At a vertex begins one wall for each fan.
        let mut fans = vec![0_u32; mesh.vertices().len()];
        for polygon in passable() {
            let first = mesh.polygon(polygon).first_edge;
            for (e, edge) in (first..).zip(mesh.edges_of(polygon)) {
                fans[edge.vertex as usize] += u32::from(passable_neighbor(mesh, filter, e).is_none());
            }
        }
        let at_vertices = |polygon: PolyId| mesh.edges_of(polygon).iter().map(move |edge| (edge.vertex, polygon));
        let mut at: Vec<_> = passable().flat_map(at_vertices).filter(|t| fans[t.0 as usize] > 1).collect();
        at.sort_unstable();
        Self { at }
    }

    /// Size of its list in memory.
    pub(in crate::nav) fn bytes(&self) -> usize {
        size_of_val(&self.at[..])
    }

    /// The polygons that touch at a place, its own among them; none where it is no such vertex.
    pub(in crate::nav) fn at(&self, mesh: &NavMesh, place: NavPoint) -> impl Iterator<Item = PolyId> + Clone {
        self.with_vertex(mesh, place).iter().map(|t| t.1)
    }

    fn with_vertex(&self, mesh: &NavMesh, place: NavPoint) -> &[(u32, PolyId)] {
        if self.at.is_empty() {
            return &[];
        }
        let Some(vertex) = vertex_at(mesh, place) else { return &[] };
        let first = self.at.partition_point(|t| t.0 < vertex);
        &self.at[first..first + self.at[first..].partition_point(|t| t.0 == vertex)]
    }

    /// One polygon of each fan that touches at a place, its own first; its own alone where it is no such vertex.
    pub(in crate::nav) fn fans(&self, mesh: &NavMesh, filter: &Filter, place: NavPoint) -> SmallVec<[PolyId; 4]> {
        let mut fans: SmallVec<[PolyId; 4]> = smallvec![place.polygon];
        let touching = self.with_vertex(mesh, place);
        let Some(&(vertex, _)) = touching.first() else { return fans };
        let mut met: SmallVec<[PolyId; 16]> = smallvec![place.polygon];
        let (mut next, mut others) = (0, touching.iter().map(|t| t.1));
        loop {
            // The fan of each polygon is met before the next begins.
            while let Some(&polygon) = met.get(next) {
                next += 1;
                let (first, edges) = (mesh.polygon(polygon).first_edge, mesh.edges_of(polygon));
                for i in 0..edges.len() {
                    let ends = [edges[i].vertex, edges[(i + 1) % edges.len()].vertex];
                    let beyond = passable_neighbor(mesh, filter, first + i as u32).filter(|_| ends.contains(&vertex));
                    met.extend(beyond.filter(|beyond| !met.contains(beyond)));
                }
            }
            let Some(polygon) = others.find(|polygon| !met.contains(polygon)) else { return fans };
            fans.push(polygon);
            met.push(polygon);
        }
    }

    /// The polygons that a path over these points leaves from and arrives in: where polygons touch at an end, those that
    /// its first and its last leg lead over.
    pub(in crate::nav) fn at_ends(&self, mesh: &NavMesh, [start, end]: [NavPoint; 2], points: &[Vec3]) -> [PolyId; 2] {
        let (first, last) = (points.get(1).copied(), points.len().checked_sub(2).map(|i| points[i]));
        [(start, first), (end, last)].map(|(place, next)| {
            let way = to_plan_f64(next.unwrap_or(place.point)) - to_plan_f64(place.point);
            let leads_into = |&&(vertex, polygon): &&(u32, PolyId)| {
                let (edges, at) = (mesh.edges_of(polygon), to_plan_f64(mesh.vertices()[vertex as usize]));
                let Some(i) = edges.iter().position(|edge| edge.vertex == vertex) else { return false };
                let beside = [i + 1, i + edges.len() - 1].map(|i| edges[i % edges.len()].vertex);
                let [next, before] = beside.map(|v| to_plan_f64(mesh.vertices()[v as usize]) - at);
                next.perp_dot(way) >= -SAME_WAY * next.length() * way.length()
                    && way.perp_dot(before) >= -SAME_WAY * before.length() * way.length()
            };
            self.with_vertex(mesh, place).iter().find(leads_into).map_or(place.polygon, |t| t.1)
        })
    }
}

/// The vertex of its polygon that a place lies on, if it does.
pub(in crate::nav) fn vertex_at(mesh: &NavMesh, place: NavPoint) -> Option<u32> {
    let at = to_plan_f64(place.point);
    let is_here = |edge: &&Edge| to_plan_f64(mesh.vertices()[edge.vertex as usize]) == at;
    mesh.edges_of(place.polygon).iter().find(is_here).map(|edge| edge.vertex)
}
