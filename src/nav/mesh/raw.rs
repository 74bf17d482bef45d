//! The unchecked mesh that files hold and bakers produce.

use glam::DVec3;

/// A polygon of a [`RawMesh`].
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RawPolygon {
    /// Corners in order, of either winding, as indices of [`RawMesh::vertices`].
    pub vertices: Vec<u32>,
    /// The polygon beyond the edge from each corner to the next, `None` for a wall; without the list, polygons that
    /// share both vertices of an edge are neighbours.
    pub neighbors: Option<Vec<Option<u32>>>,
    /// Area type, 0 to 63.
    pub area: u8,
    /// User-defined flags, tested by filters; no filter passes a polygon with flags 0.
    pub flags: u16,
}

impl RawPolygon {
    /// Plain ground with these corners, and neighbours by shared edges.
    pub fn new(vertices: impl Into<Vec<u32>>) -> Self {
        Self { vertices: vertices.into(), neighbors: None, area: 0, flags: 1 }
    }
}

/// An unchecked mesh.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RawMesh {
    /// World space, Y up; double precision, so that a mesh far away keeps its shape.
    pub vertices: Vec<DVec3>,
    /// The polygons.
    pub polygons: Vec<RawPolygon>,
}

impl RawMesh {
    /// The middle of some vertices, where the local space of a mesh of them has its origin: a whole number of metres, so
    /// that subtracting it is exact for vertices of single precision. Zero where it is not finite.
    pub(super) fn origin_of(vertices: impl Iterator<Item = DVec3>) -> DVec3 {
        let widen = |(low, high): (DVec3, DVec3), v| (low.min(v), high.max(v));
        let (low, high) = vertices.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), widen);
        if low.is_finite() { ((low + high) * 0.5).round() } else { DVec3::ZERO }
    }

    /// Per vertex whether a polygon has it as a corner.
    pub(in crate::nav) fn used_vertices(&self) -> Vec<bool> {
        let mut is_used = vec![false; self.vertices.len()];
        for &corner in self.polygons.iter().flat_map(|polygon| &polygon.vertices) {
            if let Some(is_used) = is_used.get_mut(corner as usize) {
                *is_used = true;
            }
        }
        is_used
    }

    /// Moves every vertex.
    pub fn translate(&mut self, offset: DVec3) {
        for v in &mut self.vertices {
            *v += offset;
        }
    }
}
