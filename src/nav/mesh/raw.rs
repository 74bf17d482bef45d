//! An unchecked mesh: what files hold and bakers make.

use glam::DVec3;

use super::{MeshError, NavMesh, validate};

/// One polygon of a [`RawMesh`].
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RawPolygon {
    /// Its corners in order (either way round), as indices of [`RawMesh::vertices`].
    pub vertices: Vec<u32>,
    /// The polygon beyond the edge from each corner to the next, `None` for a wall; `None` instead of the list means
    /// that polygons which share both vertices of an edge are neighbours.
    pub neighbors: Option<Vec<Option<u32>>>,
    /// What the ground is, 0 to 63.
    pub area: u8,
    /// Free bits that filters ask for; 0 is a polygon that no filter passes.
    pub flags: u16,
}

impl RawPolygon {
    /// Plain ground with these corners, neighbours by shared edges.
    pub fn new(vertices: impl Into<Vec<u32>>) -> Self {
        Self { vertices: vertices.into(), neighbors: None, area: 0, flags: 1 }
    }
}

/// Polygons as somebody made them; nothing is promised.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RawMesh {
    /// World space, Y up. Double precision, so that a mesh far away keeps its shape.
    pub vertices: Vec<DVec3>,
    /// The polygons.
    pub polygons: Vec<RawPolygon>,
}

impl RawMesh {
    /// Checks everything that queries rely on and builds the mesh they accept.
    ///
    /// # Errors
    /// The first fault found, naming the polygon.
    pub fn validate(&self) -> Result<NavMesh, MeshError> {
        validate::validate(self)
    }

    /// Moves every vertex.
    pub fn translate(&mut self, offset: DVec3) {
        for v in &mut self.vertices {
            *v += offset;
        }
    }
}
