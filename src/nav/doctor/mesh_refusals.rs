//! Why a mesh is refused as a whole, though its polygons are sound: it has none, vertices are no places, lists of
//! neighbours do not fit; or most of its polygons stand upright.

use glam::DVec3;

use super::finding::{FaultKind, Finding};
use super::limits::AgentLimits;
use super::mesh_shape::{self, PolygonUse, SoundMesh};
use super::outlines::{corners_of, extent, middle};
use crate::math::plan;
use crate::nav::mesh::{MAX_EXTENT, MeshFile, RawMesh};

/// Least area of a polygon that stands upright, square metres.
const MIN_UPRIGHT: f64 = 1e-6;

/// The shape of a mesh's polygons and of the whole, and the rest of the mesh that is sound.
pub(super) fn examine_shape(file: &MeshFile, limits: &AgentLimits) -> (Vec<Finding>, SoundMesh) {
    examine(file, limits, PolygonUse::AsTheyAre)
}

/// As [`examine_shape`], of polygons that a file lists and that are mended or left out as it is read.
pub(super) fn examine_listed(file: &MeshFile, limits: &AgentLimits) -> (Vec<Finding>, SoundMesh) {
    examine(file, limits, PolygonUse::Mended)
}

fn examine(file: &MeshFile, limits: &AgentLimits, used: PolygonUse) -> (Vec<Finding>, SoundMesh) {
    let (mut findings, sound) = mesh_shape::examine(file, limits, used);
    if let Some(lying) = on_its_side(&file.mesh) {
        findings.retain(|f| f.fault != FaultKind::BadPolygon);
        findings.push(lying);
    } else if used == PolygonUse::AsTheyAre {
        findings.extend(refusals(file, &findings));
    }
    (findings, sound)
}

/// What keeps every query from a mesh, beyond `bad` polygons that were found already.
fn refusals(file: &MeshFile, bad: &[Finding]) -> Vec<Finding> {
    let mesh = &file.mesh;
    let mut findings: Vec<Finding> = lost_vertices(mesh).chain(wrong_neighbors(mesh)).collect();
    let is_told = |fault| bad.iter().chain(&findings).any(|f| f.fault == fault);
    if is_told(FaultKind::BadPolygon) {
        return findings;
    }
    // Whatever else it is.
    let refusal = mesh.validate().and_then(|valid| match &file.detail {
        Some(detail) => valid.with_detail(detail).map(drop),
        None => Ok(()),
    });
    if let Err(error) = refusal {
        let fault = if mesh.polygons.is_empty() { FaultKind::NoGround } else { FaultKind::BadPolygon };
        let text = error.to_string();
        let cause = format!("No query accepts the mesh: {}.", text.split_once(';').map_or(&text[..], |(why, _)| why));
        let remedy = "Bake the level again, or choose another mesh.".into();
        let finite: Vec<DVec3> = mesh.vertices.iter().copied().filter(|v| v.is_finite()).collect();
        findings.push(Finding::new(fault, middle(&finite), extent(&finite), [cause, remedy]));
    }
    findings
}

/// Vertices that are no places, or far from all others.
fn lost_vertices(mesh: &RawMesh) -> impl Iterator<Item = Finding> {
    // One far vertex moves the middle of all, but not the vertex in the middle.
    let middle_of = |axis: fn(&DVec3) -> f64| {
        let mut all: Vec<f64> = mesh.vertices.iter().filter(|v| v.is_finite()).map(axis).collect();
        let at = all.len() / 2;
        if all.is_empty() { 0.0 } else { *all.select_nth_unstable_by(at, f64::total_cmp).1 }
    };
    let origin = DVec3::new(middle_of(|v| v.x), middle_of(|v| v.y), middle_of(|v| v.z));
    let cause = move |v: &DVec3| match () {
        () if !v.is_finite() => Some("is no finite number".to_owned()),
        () if (*v - origin).abs().max_element() > MAX_EXTENT => {
            Some(format!("lies over {MAX_EXTENT} m from the others"))
        }
        () => None,
    };
    mesh.vertices.iter().enumerate().filter_map(move |(number, v)| {
        let cause = format!("Vertex {number} {}, so no query accepts the mesh.", cause(v)?);
        let remedy = "Move or remove it, or bake the level again.".into();
        let place = if v.is_finite() { *v } else { DVec3::ZERO };
        Some(Finding::new(FaultKind::BadPolygon, place, 0.0, [cause, remedy]))
    })
}

/// Polygons that list as a neighbour what is none.
fn wrong_neighbors(mesh: &RawMesh) -> impl Iterator<Item = Finding> {
    let listed = mesh.polygons.iter().enumerate().filter_map(|(i, p)| Some((i, p.neighbors.as_ref()?)));
    listed.filter_map(|(number, list)| {
        let edges = mesh.polygons[number].vertices.len();
        let cause = if list.len() == edges {
            let wrong = (0..edges).find_map(|k| list[k].filter(|&other| !is_shared(mesh, number, k, other)))?;
            format!("names polygon {wrong} as neighbour, which does not share that edge with it")
        } else {
            format!("lists {} neighbours for {edges} edges", list.len())
        };
        let corners: Vec<DVec3> = corners_of(mesh, number).into_iter().filter(|c| c.is_finite()).collect();
        let remedy = "Name the polygon beyond each edge, or none; or leave the lists out.".into();
        let texts = [format!("Polygon {number} {cause}, so no query accepts the mesh."), remedy];
        Some(Finding::new(FaultKind::BadPolygon, middle(&corners), extent(&corners), texts).around(&corners))
    })
}

/// Whether another polygon has the edge from a corner to the next, and names this one there if it lists its neighbours.
fn is_shared(mesh: &RawMesh, polygon: usize, corner: usize, other: u32) -> bool {
    let ends = |vertices: &[u32], k: usize| {
        let (a, b) = (vertices[k], vertices[(k + 1) % vertices.len()]);
        [a.min(b), a.max(b)]
    };
    let own = ends(&mesh.polygons[polygon].vertices, corner);
    let Some(there) = mesh.polygons.get(other as usize) else { return false };
    let names_back = |k: usize| match &there.neighbors {
        Some(list) => list.get(k).copied().flatten() == Some(polygon as u32),
        None => true,
    };
    (0..there.vertices.len()).any(|k| ends(&there.vertices, k) == own && names_back(k))
}

/// One finding in place of those for polygons without area, where most polygons of a mesh have none seen from above.
fn on_its_side(mesh: &RawMesh) -> Option<Finding> {
    let is_upright = |polygon: &usize| {
        let corners = corners_of(mesh, *polygon);
        let Some(&first) = corners.first() else { return false };
        let normal: DVec3 = corners.windows(2).map(|w| (w[0] - first).cross(w[1] - first)).sum();
        plan::area(&corners).abs() < 1e-3 * normal.length() && normal.length() > MIN_UPRIGHT
    };
    let (all, upright) = (mesh.polygons.len(), (0..mesh.polygons.len()).filter(is_upright).count());
    (upright * 2 > all).then(|| {
        let cause = format!(
            "{upright} of {all} polygons stand upright, so that they have no area seen from above: the mesh lies on its side."
        );
        let remedy = "Read it with other axes, as --axes x,z,-y where z is up in its file.".into();
        let finite: Vec<DVec3> = mesh.vertices.iter().copied().filter(|v| v.is_finite()).collect();
        Finding::new(FaultKind::NoGround, middle(&finite), extent(&finite), [cause, remedy])
    })
}
