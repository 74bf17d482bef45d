//! The edges of a mesh that no neighbour shares.

use std::collections::HashMap;

use glam::DVec3;

use crate::nav::mesh::RawMesh;

/// An edge without a neighbour.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenEdge {
    /// Its polygon.
    pub polygon: u32,
    /// Its ends, world space, in the order of the polygon.
    pub ends: [DVec3; 2],
    /// Whether its polygon lists its neighbours, so that having none is meant.
    pub is_listed: bool,
}

impl OpenEdge {
    /// An edge of a polygon that lists no neighbours.
    #[cfg(test)]
    pub fn plain(polygon: u32, ends: [DVec3; 2]) -> Self {
        Self { polygon, ends, is_listed: false }
    }
}

/// The edges of a mesh without a neighbour. Corners that are not there or not finite have none.
pub(super) fn open_edges(mesh: &RawMesh) -> Vec<OpenEdge> {
    let mut users: HashMap<[u32; 2], u32> = HashMap::new();
    let edges = || {
        mesh.polygons.iter().enumerate().flat_map(|(p, polygon)| {
            let count = polygon.vertices.len();
            (0..count).map(move |k| (p as u32, k, [polygon.vertices[k], polygon.vertices[(k + 1) % count]]))
        })
    };
    for (_, _, mut ends) in edges() {
        ends.sort_unstable();
        *users.entry(ends).or_default() += 1;
    }
    let is_open = |polygon: u32, k: usize, mut ends: [u32; 2]| match &mesh.polygons[polygon as usize].neighbors {
        Some(list) => list.get(k).is_none_or(Option::is_none),
        None => {
            ends.sort_unstable();
            users.get(&ends) == Some(&1)
        }
    };
    edges()
        .filter(|&(polygon, k, ends)| is_open(polygon, k, ends))
        .filter_map(|(polygon, _, ends)| {
            let [a, b] = ends.map(|v| mesh.vertices.get(v as usize).copied().filter(|v| v.is_finite()));
            let is_listed = mesh.polygons[polygon as usize].neighbors.is_some();
            Some(OpenEdge { polygon, ends: [a?, b?], is_listed })
        })
        .collect()
}
