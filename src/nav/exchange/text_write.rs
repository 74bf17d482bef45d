//! Writing meshes as text: for Godot, Unity, modelling programs, the path benchmarks, and scripts.
//!
//! None of these keeps areas, flags, height detail or links unless its function says so.

use std::fmt::Write;

use glam::DVec3;
use serde_json::json;

use crate::nav::mesh::{DetourValues, ExchangeAgent, NONE, NavMesh, PolyId};

/// A polygon in the order of the file that a mesh comes from.
pub struct TextOutline {
    /// Vertices, counter-clockwise in the plane of x and z.
    pub corners: Vec<u32>,
    /// The polygon beyond the edge from each corner.
    beyond: Vec<Option<u32>>,
    area: u8,
    flags: u16,
}

/// The polygons in that order.
pub fn outlines(mesh: &NavMesh) -> Vec<TextOutline> {
    let outline = |number: u32| {
        let id = mesh.from_source(number)?;
        let (edges, polygon) = (mesh.edges_of(id), mesh.polygon(id));
        let beyond = |n: u32| (n != NONE).then(|| mesh.source(PolyId(n)));
        Some(TextOutline {
            corners: edges.iter().map(|e| e.vertex).collect(),
            beyond: edges.iter().map(|e| beyond(e.neighbor)).collect(),
            area: polygon.area,
            flags: polygon.flags,
        })
    };
    (0..mesh.len() as u32).filter_map(outline).collect()
}

fn vertices(mesh: &NavMesh) -> impl Iterator<Item = DVec3> + '_ {
    mesh.vertices().iter().map(|&v| mesh.world(v))
}

/// Numbers with commas between.
fn listed(numbers: impl Iterator<Item = u32>) -> String {
    numbers.map(|n| n.to_string()).collect::<Vec<_>>().join(", ")
}

/// A Wavefront OBJ file with a face for each polygon, seen from above counter-clockwise.
pub fn write_obj(mesh: &NavMesh) -> String {
    let mut out = String::from("# Navigation mesh, metres, Y up: a face for each polygon.\no navmesh\n");
    for v in vertices(mesh) {
        let _ = writeln!(out, "v {} {} {}", v.x, v.y, v.z);
    }
    for outline in outlines(mesh) {
        // Counter-clockwise in x and z faces down: the other way round faces up.
        let corners = outline.corners.iter().rev().map(|v| (v + 1).to_string());
        let _ = writeln!(out, "f {}", corners.collect::<Vec<_>>().join(" "));
    }
    out
}

/// A `NavigationMesh` resource of Godot 4 (`.tres`); metres, Y up, as here.
pub fn write_godot(mesh: &NavMesh, values: Option<&DetourValues>) -> String {
    let numbers: Vec<String> = vertices(mesh).flat_map(|v| v.to_array()).map(|c| c.to_string()).collect();
    let polygon = |o: &TextOutline| format!("PackedInt32Array({})", listed(o.corners.iter().rev().copied()));
    let polygons: Vec<String> = outlines(mesh).iter().map(polygon).collect();
    let agent = values.map_or(String::new(), |values| {
        let ExchangeAgent { height, radius, climb } = values.agent;
        let cell = values
            .cell
            .map_or(String::new(), |[edge, height]| format!("cell_size = {edge:?}\ncell_height = {height:?}\n"));
        format!("{cell}agent_height = {height:?}\nagent_radius = {radius:?}\nagent_max_climb = {climb:?}\n")
    });
    format!(
        "[gd_resource type=\"NavigationMesh\" format=3]\n\n[resource]\nvertices = PackedVector3Array({})\npolygons = [{}]\n\
         {agent}",
        numbers.join(", "),
        polygons.join(", ")
    )
}

/// The fields of Unity's `NavMeshTriangulation` as JSON: `vertices`, `indices`, `areas` (one for each triangle). Unity is
/// left-handed: z is mirrored. A polygon is a fan of triangles, and begins where it does not go on with the one before: a
/// reader takes triangles that do for one polygon.
pub fn write_unity(mesh: &NavMesh) -> String {
    let points: Vec<_> = vertices(mesh).map(|v| json!({ "x": v.x, "y": v.y, "z": -v.z })).collect();
    let (mut indices, mut areas) = (Vec::new(), Vec::new());
    let mut last: Option<[u32; 2]> = None;
    for mut o in outlines(mesh) {
        let goes_on = |at: usize| last == Some([o.corners[at], o.corners[(at + 1) % o.corners.len()]]);
        let first = (0..o.corners.len()).find(|&at| !goes_on(at)).unwrap_or(0);
        o.corners.rotate_left(first);
        last = Some([o.corners[0], o.corners[o.corners.len() - 1]]);
        for i in 1..o.corners.len() - 1 {
            // Mirrored, counter-clockwise in x and z is clockwise seen from above, which faces up in Unity.
            indices.extend([o.corners[0], o.corners[i], o.corners[i + 1]]);
            areas.push(o.area);
        }
    }
    // The key that tells the format comes first.
    format!("{{\"vertices\":{},\"indices\":{},\"areas\":{}}}", json!(points), json!(indices), json!(areas))
}

/// Our JSON: vertices, polygons, neighbours, areas and flags.
pub fn write_json(mesh: &NavMesh) -> String {
    let outlines = outlines(mesh);
    let neighbor = |n: &Option<u32>| n.map_or(-1, i64::from);
    let rest = json!({
        "polys": outlines.iter().map(|o| o.corners.clone()).collect::<Vec<_>>(),
        "neis": outlines.iter().map(|o| o.beyond.iter().map(neighbor).collect()).collect::<Vec<Vec<i64>>>(),
        "areas": outlines.iter().map(|o| o.area).collect::<Vec<_>>(),
        "flags": outlines.iter().map(|o| o.flags).collect::<Vec<_>>(),
    });
    let verts = json!(vertices(mesh).map(|v| v.to_array()).collect::<Vec<_>>());
    // The key that tells the format comes first.
    format!("{{\"verts\":{verts},{}", rest.to_string().trim_start_matches('{'))
}

/// A mesh of the path benchmarks, version 2: x and z as its plane, without heights. Polygons are counter-clockwise, and
/// around a vertex stand its polygons in the same order, with -1 for each obstacle between them.
pub fn write_polyanya(mesh: &NavMesh) -> String {
    let outlines = outlines(mesh);
    let around = polygons_around(mesh.vertices().len(), &outlines);
    let mut out = format!("mesh\n2\n{} {}\n", around.len(), outlines.len());
    for (v, around) in vertices(mesh).zip(&around) {
        let _ = write!(out, "{} {} {}", v.x, v.z, around.len());
        around.iter().for_each(|n| {
            let _ = write!(out, " {n}");
        });
        out.push('\n');
    }
    for o in &outlines {
        let _ = write!(out, "{}", o.corners.len());
        o.corners.iter().for_each(|v| {
            let _ = write!(out, " {v}");
        });
        // An edge belongs to the corner that it ends at.
        (0..o.beyond.len()).for_each(|k| {
            let _ = write!(out, " {}", number_or_none(o.beyond[(k + o.beyond.len() - 1) % o.beyond.len()]));
        });
        out.push('\n');
    }
    out
}

fn number_or_none(polygon: Option<u32>) -> i64 {
    polygon.map_or(-1, i64::from)
}

/// A polygon's corner at a vertex.
#[derive(Clone, Copy)]
struct VertexCorner {
    polygon: u32,
    /// What lies beyond the edge that ends here: counter-clockwise around the vertex this polygon is the next.
    next: Option<u32>,
    /// Whether the edge that begins here is a wall, so that an obstacle lies clockwise of the polygon.
    is_first: bool,
}

/// For each vertex the polygons around it, counter-clockwise, and -1 where an obstacle lies between two.
fn polygons_around(vertices: usize, outlines: &[TextOutline]) -> Vec<Vec<i64>> {
    let mut corners: Vec<Vec<VertexCorner>> = vec![Vec::new(); vertices];
    for (i, o) in outlines.iter().enumerate() {
        for (k, &v) in o.corners.iter().enumerate() {
            let next = o.beyond[(k + o.beyond.len() - 1) % o.beyond.len()];
            corners[v as usize].push(VertexCorner { polygon: i as u32, next, is_first: o.beyond[k].is_none() });
        }
    }
    corners.into_iter().map(|corners| fans(&corners)).collect()
}

/// The corners of one vertex, fan by fan: from a wall counter-clockwise to the next, where an obstacle follows.
fn fans(corners: &[VertexCorner]) -> Vec<i64> {
    let mut around = Vec::with_capacity(corners.len() + 1);
    let mut is_done = vec![false; corners.len()];
    // Without a wall the polygons close a circle, which begins anywhere.
    let firsts = (0..corners.len()).filter(|&i| corners[i].is_first).chain(0..corners.len());
    for first in firsts {
        let mut at = Some(first).filter(|&i| !is_done[i]);
        while let Some(i) = at {
            is_done[i] = true;
            around.push(i64::from(corners[i].polygon));
            if corners[i].next.is_none() {
                around.push(-1);
            }
            at = (0..corners.len()).find(|&k| !is_done[k] && Some(corners[k].polygon) == corners[i].next);
        }
    }
    around
}
