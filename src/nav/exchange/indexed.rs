//! Polygons that name their corners by number in one list of vertices, as most text formats keep them.

use std::collections::HashSet;

use glam::DVec3;

use super::{ExchangeError, ForeignMesh, ForeignPolygon};
use crate::nav::mesh::{RawMesh, RawPolygon};

/// Largest coordinate that is taken, metres.
const MAX_COORDINATE: f64 = 1e9;
/// Most corners of all polygons of a file, each polygon counted as one at least.
pub const MAX_CORNERS: usize = 1 << 22;
/// Borders that lie within this distance seen from above are the same, metres.
pub const SAME_BORDER: f64 = 0.01;
/// Largest difference of heights of such borders, metres.
pub const SAME_HEIGHT: f64 = 0.05;

/// Vertices and the polygons that name them.
#[derive(Debug, Default)]
pub struct IndexedPolygons {
    corners: usize,
    known: HashSet<Vec<u32>>,
    /// Vertices and polygons as they are given, with those that repeat others.
    pub listed: RawMesh,
    /// The polygons so far.
    pub polygons: Vec<ForeignPolygon>,
    /// Polygons that repeat an earlier one and were left out.
    pub repeated: usize,
}

impl IndexedPolygons {
    /// Takes the vertices.
    ///
    /// # Errors
    /// One is not finite or too far away.
    pub fn new(vertices: Vec<DVec3>) -> Result<Self, ExchangeError> {
        match vertices.iter().position(|v| !(v.abs().max_element() <= MAX_COORDINATE)) {
            Some(index) => Err(ExchangeError::Element { what: "vertex", index }),
            None => Ok(Self { listed: RawMesh { vertices, ..RawMesh::default() }, ..Self::default() }),
        }
    }

    /// Adds a polygon; one with the same corners as an earlier one is left out.
    ///
    /// # Errors
    /// It names a vertex that is not there, or there are too many.
    pub fn add(&mut self, corners: &[u32], area: u8, flags: u16) -> Result<(), ExchangeError> {
        let index = self.listed.polygons.len();
        let vertex = |&i: &u32| self.listed.vertices.get(i as usize).copied();
        let places = corners.iter().map(vertex).collect::<Option<Vec<DVec3>>>();
        let places = places.ok_or(ExchangeError::Element { what: "polygon", index })?;
        // One without corners takes memory, too.
        self.corners += corners.len().max(1);
        if self.corners > MAX_CORNERS {
            return Err(ExchangeError::TooMany { what: "corners", count: self.corners, limit: MAX_CORNERS });
        }
        self.listed.polygons.push(RawPolygon { area, flags, ..RawPolygon::new(corners) });
        let mut sorted = corners.to_vec();
        sorted.sort_unstable();
        if self.known.insert(sorted) {
            self.polygons.push(ForeignPolygon { corners: places, area, flags, detail: Vec::new() });
        } else {
            self.repeated += 1;
        }
        Ok(())
    }

    /// Gives the polygons to a mesh, as a part of it.
    pub fn add_to(self, mesh: &mut ForeignMesh) {
        mesh.polygons.extend(self.polygons);
        mesh.listed.push(self.listed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_without_corners_are_counted() {
        let mut polygons = IndexedPolygons { corners: MAX_CORNERS - 1, ..IndexedPolygons::default() };
        assert!(polygons.add(&[], 0, 1).is_ok());
        let error = polygons.add(&[], 0, 1).unwrap_err();
        assert!(matches!(error, ExchangeError::TooMany { what: "corners", limit: MAX_CORNERS, .. }), "{error}");
    }
}
