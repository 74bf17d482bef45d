//! Outlines of polygons, and what is measured of points.

use glam::DVec3;

use crate::nav::mesh::RawMesh;

/// The corners that are there.
pub(super) fn corners_of(mesh: &RawMesh, polygon: usize) -> Vec<DVec3> {
    let found = mesh.polygons[polygon].vertices.iter().filter_map(|&v| mesh.vertices.get(v as usize).copied());
    found.collect()
}

/// The mean of points; zero for none.
pub(super) fn middle(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len().max(1) as f64
}

/// The diagonal of the box around points.
pub(super) fn extent(points: &[DVec3]) -> f64 {
    let low = points.iter().copied().reduce(DVec3::min);
    let high = points.iter().copied().reduce(DVec3::max);
    low.zip(high).map_or(0.0, |(low, high)| (high - low).length())
}
