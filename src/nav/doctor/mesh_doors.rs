//! Passages of a mesh that are too narrow for agents wider than those that it was made for.

use super::finding::{FaultKind, Finding, Mend};
use super::limits::AgentLimits;
use crate::math::disjoint_sets::DisjointSets;
use crate::math::plan;
use crate::nav::mesh::{Filter, NavMesh};
use crate::nav::query::clearance::for_each_way_through;

/// Agents that are wider by less than this are no wider, metres of radius.
const SAME_RADIUS: f32 = 0.005;

/// A way between two parts of the mesh: into a polygon, or through it from one portal to another.
struct MeshPassage {
    parts: [usize; 2],
    /// Metres.
    width: f32,
    /// The narrower of its portals.
    edge: u32,
}

/// The passages that part the mesh for wide agents, the widest between each two parts. What is left of the mesh where its
/// borders are moved inwards by the difference of the radii falls into parts: portals that ways wide enough join
/// (Kruskal's algorithm, the widest first). A part has the area of the polygons whose widest portals are its own.
pub(super) fn examine(mesh: &NavMesh, limits: &AgentLimits) -> Vec<Finding> {
    let extra = limits.radius - limits.mesh_radius;
    if !(extra > SAME_RADIUS && extra.is_finite()) {
        return Vec::new();
    }
    let (need, filter) = (2.0 * extra, Filter::default());
    let edges = mesh.edges().len();
    let portal = |edge: u32| edge.min(mesh.edges()[edge as usize].twin) as usize;
    let length = |edge: u32| {
        let (a, b) = mesh.edge_points(edge);
        plan::distance(a, b)
    };
    let mut areas = vec![0.0; edges + mesh.len()];
    let mut passages = Vec::new();
    for id in mesh.live_polygons() {
        let own = edges + id.index();
        areas[own] = plan::area(mesh.corners_of(id)).abs();
        let portals = mesh.portals().links_of(id.0).iter().map(|link| mesh.portals().portal(link.portal).edge);
        let widest = portals.map(|edge| (length(edge), edge)).max_by(|a, b| a.0.total_cmp(&b.0));
        passages.extend(widest.map(|(width, edge)| MeshPassage { parts: [own, portal(edge)], width, edge }));
    }
    for_each_way_through(mesh, &filter, need, |[a, b], width| {
        let edge = if length(a) < length(b) { a } else { b };
        passages.push(MeshPassage { parts: [portal(a), portal(b)], width, edge });
    });
    passages.sort_by(|a, b| b.width.total_cmp(&a.width));
    let least = limits.min_island();
    let (mut joined, mut findings) = (DisjointSets::new(areas.len()), Vec::new());
    for passage in &passages {
        let [a, b] = passage.parts.map(|part| joined.root(part));
        if a == b {
            continue;
        }
        if passage.width < need && areas[a].min(areas[b]) >= least {
            findings.push(finding(mesh, passage, limits));
        }
        joined.join(a, b);
        areas[joined.root(a)] = areas[a] + areas[b];
    }
    findings
}

fn finding(mesh: &NavMesh, passage: &MeshPassage, limits: &AgentLimits) -> Finding {
    let (a, b) = mesh.edge_points(passage.edge);
    let line = [a, b].map(|end| mesh.world(end));
    let (width, needed) = (passage.width + 2.0 * limits.mesh_radius, 2.0 * limits.radius);
    let cause = format!(
        "A passage is {width:.2} m wide, as a mesh for a radius of {} m tells; an agent needs {needed:.2} m.",
        limits.mesh_radius
    );
    let narrow = ((width * 0.5 - 0.005) * 100.0).floor() / 100.0;
    let remedy = format!("Widen it, or make agents {:.2} m wide.", 2.0 * narrow);
    let place = (line[0] + line[1]) * 0.5;
    let finding = Finding::new(FaultKind::DoorTooThin, place, f64::from(width), [cause, remedy]);
    finding.along(line).mended_by(Mend::Radius(narrow))
}
