//! Passages of a mesh that are too narrow for agents wider than those that it was made for.

use super::finding::{FaultKind, Finding, Mend, length_words};
use super::limits::AgentLimits;
use super::measures::radius_through;
use crate::math::disjoint_sets::DisjointSets;
use crate::math::plan;
use crate::nav::mesh::{Filter, NavMesh, PolyId};
use crate::nav::query::clearance::for_each_way_through;

/// Agents that are wider by less than this are no wider, metres of radius.
const SAME_RADIUS: f32 = 0.005;

/// A way between two parts of the mesh: into a polygon, or through it from one portal to another.
#[derive(Clone, Copy)]
struct MeshPassage {
    parts: [usize; 2],
    /// Metres.
    width: f32,
    /// The narrower of its portals.
    edge: u32,
}

/// A mesh for wide agents. What is left of it where its borders are moved inwards by the difference of the radii falls
/// into parts: portals that ways wide enough join (Kruskal's algorithm, the widest first). A part has the area of the
/// polygons whose widest portals are its own.
pub(super) struct WideGround {
    /// Portals, by their edges, and after them polygons, in sets that ways join which are wide enough or lead to small
    /// ground alone.
    joined: DisjointSets,
    /// Number of edges.
    edges: usize,
    /// The widest passages between parts, too narrow all the same.
    narrow: Vec<MeshPassage>,
}

impl WideGround {
    /// `None` where agents are no wider than those that the mesh was made for.
    pub fn of(mesh: &NavMesh, limits: &AgentLimits) -> Option<Self> {
        let extra = limits.radius - limits.mesh_radius;
        if !(extra > SAME_RADIUS && extra.is_finite()) {
            return None;
        }
        let (need, least, edges) = (2.0 * extra, limits.min_island(), mesh.edges().len());
        let mut areas = vec![0.0; edges + mesh.len()];
        for id in mesh.live_polygons() {
            areas[edges + id.index()] = plan::area(mesh.corners_of(id)).abs();
        }
        let nodes = areas.len();
        let mut ground = Self { joined: DisjointSets::new(nodes), edges, narrow: Vec::new() };
        let mut all = DisjointSets::new(nodes);
        for passage in passages(mesh, need) {
            let [a, b] = passage.parts.map(|part| all.root(part));
            if a == b {
                continue;
            }
            if passage.width < need && areas[a].min(areas[b]) >= least {
                ground.narrow.push(passage);
            } else {
                ground.joined.join(passage.parts[0], passage.parts[1]);
            }
            all.join(a, b);
            areas[all.root(a)] = areas[a] + areas[b];
        }
        Some(ground)
    }

    /// The number of parts; their own numbers are below it.
    pub fn count(&self, mesh: &NavMesh) -> usize {
        self.edges + mesh.len()
    }

    /// The part that a polygon belongs to.
    pub fn part_of(&mut self, polygon: PolyId) -> usize {
        self.joined.root(self.edges + polygon.index())
    }

    /// The passages that are too narrow, and the parts that they lead from and to.
    pub fn narrow(&mut self, mesh: &NavMesh, limits: &AgentLimits) -> Vec<([usize; 2], Finding)> {
        let joined = &mut self.joined;
        let all = self.narrow.iter();
        all.map(|p| (p.parts.map(|part| joined.root(part)), finding(mesh, p, limits))).collect()
    }
}

/// The passages that part the mesh for wide agents, the widest between each two parts.
pub(super) fn examine(mesh: &NavMesh, limits: &AgentLimits) -> Vec<Finding> {
    let Some(mut ground) = WideGround::of(mesh, limits) else { return Vec::new() };
    ground.narrow(mesh, limits).into_iter().map(|(_, finding)| finding).collect()
}

/// The ways of a mesh, the widest first.
fn passages(mesh: &NavMesh, need: f32) -> Vec<MeshPassage> {
    let (filter, edges) = (Filter::default(), mesh.edges().len());
    let portal = |edge: u32| edge.min(mesh.edges()[edge as usize].twin) as usize;
    let length = |edge: u32| {
        let (a, b) = mesh.edge_points(edge);
        plan::distance(a, b)
    };
    // By which portal, and how wide, one gets into each polygon.
    let mut widest: Vec<Option<(f32, u32)>> = vec![None; mesh.len()];
    let mut polygon_of = vec![0; edges];
    for id in mesh.live_polygons() {
        let portals = mesh.portals().links_of(id.0).iter().map(|link| mesh.portals().portal(link.portal).edge);
        for edge in portals {
            polygon_of[edge as usize] = id.index();
            let known = &mut widest[id.index()];
            *known = known.filter(|(width, _)| *width >= length(edge)).or(Some((length(edge), edge)));
        }
    }
    let mut passages = Vec::new();
    for_each_way_through(mesh, &filter, need, |[a, b], width| {
        let edge = if length(a) < length(b) { a } else { b };
        passages.push(MeshPassage { parts: [portal(a), portal(b)], width, edge });
        // Portals are as wide as what stands beside them, which may be more than they are long.
        let known = &mut widest[polygon_of[a as usize]];
        *known = known.filter(|(known, _)| *known >= width).or(Some((width, edge)));
    });
    let into = widest.iter().enumerate().filter_map(|(polygon, widest)| {
        let (width, edge) = (*widest)?;
        Some(MeshPassage { parts: [edges + polygon, portal(edge)], width, edge })
    });
    passages.extend(into);
    passages.sort_by(|a, b| b.width.total_cmp(&a.width));
    passages
}

fn finding(mesh: &NavMesh, passage: &MeshPassage, limits: &AgentLimits) -> Finding {
    let (a, b) = mesh.edge_points(passage.edge);
    let line = [a, b].map(|end| mesh.world(end));
    let (width, needed) = (passage.width + 2.0 * limits.mesh_radius, 2.0 * limits.radius);
    let [told, limit] = length_words([width, needed]);
    let cause = format!(
        "A passage is {told} wide, as a mesh for a radius of {} m tells; an agent needs {limit}.",
        limits.mesh_radius
    );
    let place = (line[0] + line[1]) * 0.5;
    let finding = Finding::new(FaultKind::DoorTooThin, place, f64::from(width), [cause, String::new()]);
    finding.along(line).mended_by_agents(radius_through(width).map(Mend::Radius))
}

#[cfg(test)]
mod tests {
    use super::super::limits::PERSON;
    use super::*;
    use crate::nav::mesh::{RawMesh, RawPolygon};
    use glam::DVec3;

    #[test]
    fn agents_are_made_as_wide_as_a_passage_lets() {
        let mut mesh = RawMesh::default();
        mesh.vertices.extend([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]].map(|[x, z]| DVec3::new(x, 0.0, z)));
        mesh.polygons.push(RawPolygon::new([0, 1, 2, 3]));
        let mesh = mesh.validate().unwrap();
        let of = |width| {
            let passage = MeshPassage { parts: [0, 1], width, edge: 0 };
            finding(&mesh, &passage, &AgentLimits { mesh_radius: 0.0, ..PERSON })
        };
        assert_eq!(of(0.5).remedy, "Widen it, or make agents 0.48 m wide.");
        let slit = of(0.004);
        assert_eq!((&slit.remedy[..], slit.mend), ("Widen it, or place a link.", None));
        assert_eq!(
            of(0.598).cause,
            "A passage is 0.598 m wide, as a mesh for a radius of 0 m tells; an agent needs 0.600 m."
        );
    }
}
