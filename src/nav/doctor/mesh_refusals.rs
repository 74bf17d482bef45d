//! Why a mesh is refused as a whole, though its polygons are sound: it has none, vertices are no places, lists of
//! neighbours do not fit; or most of its polygons stand upright.

use std::collections::HashSet;

use glam::DVec3;

use super::finding::{FaultKind, Finding};
use super::limits::AgentLimits;
use super::mesh_shape::{self, PolygonUse, SoundMesh};
use super::outlines::{corners_of, extent, middle};
use crate::math::plan;
use crate::nav::exchange::{FileAxes, MeshPlacement};
use crate::nav::mesh::{MAX_EXTENT, MeshFile, RawMesh, RawPolygon};

/// Least area of a polygon that stands upright, square metres.
const MIN_UPRIGHT: f64 = 1e-6;
/// Least part of the normal of a polygon along an axis that it faces.
const FACES_ALONG: f64 = 0.7;
/// Share of a mesh that faces along another axis where it lies on its side.
const MIN_SIDEWAYS_SHARE: f64 = 0.6;
/// How much of it faces up or down then, of what faces along the axis.
const MOSTLY_ALONG: f64 = 0.55;

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
    if used == PolygonUse::AsTheyAre {
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
    // Polygons that are there twice are overlaps.
    if let Err(error) = refusal
        && without_repeated(mesh).is_none_or(|once| once.validate().is_err())
    {
        let fault = if mesh.polygons.is_empty() { FaultKind::NoGround } else { FaultKind::BadPolygon };
        let text = error.to_string();
        let cause = format!("No query accepts the mesh: {}.", text.split_once(';').map_or(&text[..], |(why, _)| why));
        let remedy = "Bake the level again, or choose another mesh.".into();
        let finite: Vec<DVec3> = mesh.vertices.iter().copied().filter(|v| v.is_finite()).collect();
        findings.push(Finding::new(fault, middle(&finite), extent(&finite), [cause, remedy]));
    }
    findings
}

/// A mesh without polygons that repeat others; `None` where none does.
fn without_repeated(mesh: &RawMesh) -> Option<RawMesh> {
    let mut seen = HashSet::new();
    let mut is_new = |polygon: &RawPolygon| {
        let mut corners = polygon.vertices.clone();
        corners.sort_unstable();
        seen.insert(corners)
    };
    let kept: Vec<bool> = mesh.polygons.iter().map(&mut is_new).collect();
    kept.contains(&false).then(|| mesh.retain(&kept))
}

/// Vertices that are no places, and corners of polygons far from all others.
fn lost_vertices(mesh: &RawMesh) -> impl Iterator<Item = Finding> {
    let is_used = mesh.used_vertices();
    // One far vertex moves the middle of all, but not the vertex in the middle.
    let middle_of = |axis: fn(&DVec3) -> f64| {
        let used = mesh.vertices.iter().zip(&is_used).filter(|(v, is_used)| **is_used && v.is_finite());
        let mut all: Vec<f64> = used.map(|(v, _)| axis(v)).collect();
        let at = all.len() / 2;
        if all.is_empty() { 0.0 } else { *all.select_nth_unstable_by(at, f64::total_cmp).1 }
    };
    let origin = DVec3::new(middle_of(|v| v.x), middle_of(|v| v.y), middle_of(|v| v.z));
    let cause = move |v: &DVec3, is_used: bool| match () {
        () if !v.is_finite() => Some("is no finite number".to_owned()),
        () if is_used && (*v - origin).abs().max_element() > MAX_EXTENT => {
            Some(format!("lies over {MAX_EXTENT} m from the others"))
        }
        () => None,
    };
    mesh.vertices.iter().zip(is_used).enumerate().filter_map(move |(number, (v, is_used))| {
        let cause = format!("Vertex {number} {}, so no query accepts the mesh.", cause(v, is_used)?);
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

/// That a mesh lies on its side, in place of findings of its polygons: most have no area seen from above, or face along another
/// axis for the most part. `placement` is how it was read.
pub(super) fn on_its_side(mesh: &RawMesh, placement: &MeshPlacement) -> Option<Finding> {
    let (mut upright, mut facing, mut sums, mut all) = (0, [0_usize; 2], [DVec3::ZERO; 3], 0.0);
    for polygon in 0..mesh.polygons.len() {
        let corners = corners_of(mesh, polygon);
        let Some(&first) = corners.first() else { continue };
        let normal: DVec3 = corners.windows(2).map(|w| (w[0] - first).cross(w[1] - first)).sum();
        let length = normal.length();
        if !(length > MIN_UPRIGHT && length.is_finite()) {
            continue;
        }
        upright += usize::from(plan::area(&corners).abs() < 1e-3 * length);
        all += length;
        for (axis, along) in [normal.x, normal.z].into_iter().enumerate() {
            if along.abs() >= FACES_ALONG * length {
                facing[axis] += 1;
                sums[axis] += normal.abs();
            }
        }
        sums[2] += normal.abs();
    }
    let count = mesh.polygons.len();
    let axis = [0, 2].into_iter().find(|&axis| {
        let own = sums[axis / 2];
        own.length() > MIN_SIDEWAYS_SHARE * all && sums[2].y < MOSTLY_ALONG * sums[2][axis]
    });
    let cause = match axis {
        _ if upright * 2 > count => format!(
            "{upright} of {count} polygons stand upright, so that they have no area seen from above: the mesh lies on its side."
        ),
        Some(axis) => format!(
            "{} of {count} polygons face along {} more than up: the mesh lies on its side.",
            facing[axis / 2],
            ["x", "y", "z"][axis]
        ),
        None => return None,
    };
    let remedy = other_axes(axis.unwrap_or(2), placement.axes);
    let finite: Vec<DVec3> = mesh.vertices.iter().copied().filter(|v| v.is_finite()).collect();
    Some(Finding::new(FaultKind::NoGround, middle(&finite), extent(&finite), [cause, remedy]))
}

/// By which axes of the file to read what faces along an axis as it is read now.
fn other_axes(axis: usize, read_by: FileAxes) -> String {
    let turns = if axis == 0 { ["-y,x,z", "y,-x,z"] } else { ["x,z,-y", "x,-z,y"] };
    if read_by == FileAxes::default() {
        return format!(
            "Read it with other axes, as --axes {} where {} is up in its file.",
            turns[0],
            ["x", "y", "z"][axis]
        );
    }
    let mut all: Vec<FileAxes> = turns.iter().filter_map(|turn| Some(read_by.turned(turn.parse().ok()?))).collect();
    // That the axes that are given are needless is the likeliest.
    all.sort_by_key(|axes| *axes != FileAxes::default());
    let all: Vec<String> = all.iter().map(|axes| format!("--axes {axes}")).collect();
    format!("Read it with other axes than {read_by}, as {}.", all.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hilly mesh whose slopes are about as steep as the given share.
    fn hills(steep: f64) -> RawMesh {
        let mut mesh = RawMesh::default();
        let height = |x: u32, z: u32| steep * (f64::from(x) * 0.9).sin() + steep * (f64::from(z) * 0.7).cos();
        for (z, x) in (0..9).flat_map(|z| (0..9).map(move |x| (z, x))) {
            mesh.vertices.push(DVec3::new(x.into(), height(x, z), z.into()));
        }
        for (z, x) in (0..8).flat_map(|z| (0..8).map(move |x| (z, x))) {
            let at = z * 9 + x;
            mesh.polygons.push(RawPolygon::new([at, at + 9, at + 10]));
            mesh.polygons.push(RawPolygon::new([at, at + 10, at + 1]));
        }
        mesh
    }

    #[test]
    fn hills_on_their_side_are_told_by_what_they_face() {
        for steep in [0.0, 0.2, 0.5, 0.7] {
            let mesh = hills(steep);
            let told = |mesh: &RawMesh| on_its_side(mesh, &MeshPlacement::default());
            assert!(told(&mesh).is_none(), "{steep}");
            let turns: [fn(DVec3) -> DVec3; 2] = [|v| DVec3::new(v.x, -v.z, v.y), |v| DVec3::new(v.y, -v.x, v.z)];
            for (turn, axes) in turns.into_iter().zip(["--axes x,z,-y", "--axes -y,x,z"]) {
                let vertices = mesh.vertices.iter().map(|&v| turn(v)).collect();
                let found = told(&RawMesh { vertices, ..mesh.clone() }).expect("on its side");
                assert!(found.remedy.contains(axes), "{steep}: {found:?}");
            }
        }
    }

    #[test]
    fn remedies_are_the_axes_to_read_the_file_by() {
        let said = |axis: usize, read_by: &str| other_axes(axis, read_by.parse().unwrap());
        assert_eq!(said(2, "x,y,z"), "Read it with other axes, as --axes x,z,-y where z is up in its file.");
        let needless = said(2, "x,z,-y");
        assert_eq!(needless, "Read it with other axes than x,z,-y, as --axes x,y,z or --axes x,-y,-z.");
        assert_eq!(said(0, "z,y,-x"), "Read it with other axes than z,y,-x, as --axes -y,z,-x or --axes y,-z,-x.");
    }
}
