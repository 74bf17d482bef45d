//! The edges of a mesh that no neighbour shares.

use std::collections::HashMap;

use glam::DVec3;

use super::outlines::corners_of;
use crate::math::plan;
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
    /// The winding of its polygon seen from above: 1 or -1, so that what lies on the same side of the edge by
    /// [`plan::cross`] is inside; 0 where it is not known.
    pub winding: f64,
}

impl OpenEdge {
    /// An edge of a polygon that lists no neighbours.
    #[cfg(test)]
    pub fn plain(polygon: u32, ends: [DVec3; 2]) -> Self {
        Self { polygon, ends, is_listed: false, winding: 0.0 }
    }

    /// How far outside of its polygon a place lies seen from above, metres; less than nothing for places inside.
    pub fn outside(&self, place: DVec3) -> f64 {
        let [a, b] = self.ends;
        -plan::cross(a, b, place) * self.winding / (b - a).with_y(0.0).length().max(1e-9)
    }
}

/// The edges of a mesh without a neighbour. Corners that are not there or not finite have none.
pub(super) fn open_edges(mesh: &RawMesh) -> Vec<OpenEdge> {
    let mut users: HashMap<[u32; 2], u32> = HashMap::new();
    let edges_of = |polygon: usize| {
        let ring = &mesh.polygons[polygon].vertices;
        (0..ring.len()).map(move |k| [ring[k], ring[(k + 1) % ring.len()]])
    };
    for mut ends in (0..mesh.polygons.len()).flat_map(edges_of) {
        ends.sort_unstable();
        *users.entry(ends).or_default() += 1;
    }
    let is_open = |polygon: usize, k: usize, mut ends: [u32; 2]| match &mesh.polygons[polygon].neighbors {
        Some(list) => list.get(k).is_none_or(Option::is_none),
        None => {
            ends.sort_unstable();
            users.get(&ends) == Some(&1)
        }
    };
    let mut found = Vec::new();
    for polygon in 0..mesh.polygons.len() {
        let mut winding = None;
        for (_, ends) in edges_of(polygon).enumerate().filter(|&(k, ends)| is_open(polygon, k, ends)) {
            let [a, b] = ends.map(|v| mesh.vertices.get(v as usize).copied().filter(|v| v.is_finite()));
            let (Some(a), Some(b)) = (a, b) else { continue };
            let winding = *winding.get_or_insert_with(|| plan::area(&corners_of(mesh, polygon)).signum());
            let is_listed = mesh.polygons[polygon].neighbors.is_some();
            found.push(OpenEdge { polygon: polygon as u32, ends: [a, b], is_listed, winding });
        }
    }
    found
}
