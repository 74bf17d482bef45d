//! Meshes of the public path benchmarks: `.mesh` text files of Polyanya's authors, version 2.
//!
//! Layout, numbers between white space: `mesh`, the version, the numbers of vertices and polygons; per vertex x and y,
//! the number of polygons around it and these, -1 for an obstacle; per polygon its number of corners, the corners
//! counter-clockwise, and for each corner the neighbour over the edge that ends there, -1 for none. Their plane is x and
//! y; here it is x and z, at height 0.

use std::str::SplitAsciiWhitespace;

use glam::DVec3;
use thiserror::Error;

use super::{RawMesh, RawPolygon};

/// The version that is read.
const VERSION: u32 = 2;

/// Why a text is not a mesh of the benchmarks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum PolyanyaFileError {
    #[error("the text does not begin with 'mesh'; choose a mesh of the path benchmarks")]
    NotAMesh,
    #[error("the mesh has version {0}, this program reads {VERSION}; convert it")]
    Version(u32),
    #[error("{what} {index} is cut short, no number or out of range; copy the file again")]
    Element { what: &'static str, index: usize },
    #[error("more follows the last polygon; copy the file again")]
    Rest,
}

/// Whether a file begins as a mesh of the benchmarks does.
pub fn is_polyanya(bytes: &[u8]) -> bool {
    let rest = bytes.strip_prefix(b"mesh").unwrap_or_default();
    let number = rest.trim_ascii_start();
    number.len() < rest.len() && number.first().is_some_and(u8::is_ascii_digit)
}

/// The unread words.
struct Words<'a>(SplitAsciiWhitespace<'a>);

impl Words<'_> {
    fn number<T: std::str::FromStr>(&mut self) -> Option<T> {
        self.0.next()?.parse().ok()
    }

    fn vertex(&mut self, polygons: usize) -> Option<DVec3> {
        let (x, y) = (self.number::<f64>()?, self.number::<f64>()?);
        for _ in 0..self.number::<u32>()? {
            self.polygon_or_none(polygons)?;
        }
        (x.is_finite() && y.is_finite()).then_some(DVec3::new(x, 0.0, y))
    }

    /// The number of a polygon, or none for -1.
    fn polygon_or_none(&mut self, polygons: usize) -> Option<Option<u32>> {
        match self.number::<i64>()? {
            -1 => Some(None),
            number => u32::try_from(number).ok().filter(|&n| (n as usize) < polygons).map(Some),
        }
    }

    fn polygon(&mut self, vertices: usize, polygons: usize) -> Option<RawPolygon> {
        let count = self.number::<u32>()?;
        // Grown as they come: a count is no promise.
        let mut corners = Vec::new();
        for _ in 0..count {
            corners.push(self.number::<u32>().filter(|&v| (v as usize) < vertices)?);
        }
        let mut neighbors = Vec::new();
        for _ in 0..count {
            neighbors.push(self.polygon_or_none(polygons)?);
        }
        // Counter-clockwise with y up the page is clockwise here. The edge that ended at a corner begins there then.
        corners.reverse();
        neighbors.reverse();
        let mut polygon = RawPolygon::new(corners);
        polygon.neighbors = Some(neighbors);
        Some(polygon)
    }
}

impl RawMesh {
    /// Reads a mesh of the path benchmarks; [`RawMesh::validate`] judges it. Memory is bounded by a small multiple of the
    /// text.
    ///
    /// # Errors
    /// The text holds something else, or is cut short.
    pub fn from_polyanya(text: &str) -> Result<Self, PolyanyaFileError> {
        let cut = |what, index| PolyanyaFileError::Element { what, index };
        let mut words = Words(text.split_ascii_whitespace());
        if words.0.next() != Some("mesh") {
            return Err(PolyanyaFileError::NotAMesh);
        }
        let version = words.number().ok_or(cut("the version, entry", 0))?;
        if version != VERSION {
            return Err(PolyanyaFileError::Version(version));
        }
        let vertices: usize = words.number().ok_or(cut("the number of vertices, entry", 1))?;
        let polygons: usize = words.number().ok_or(cut("the number of polygons, entry", 2))?;
        let mut mesh = Self { vertices: Vec::new(), polygons: Vec::new() };
        for i in 0..vertices {
            mesh.vertices.push(words.vertex(polygons).ok_or(cut("vertex", i))?);
        }
        for i in 0..polygons {
            mesh.polygons.push(words.polygon(vertices, polygons).ok_or(cut("polygon", i))?);
        }
        if words.0.next().is_some() { Err(PolyanyaFileError::Rest) } else { Ok(mesh) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two unit squares side by side, y up the page.
    const SQUARES: &str = "mesh\n2\n6 2\n0 0 2 0 -1\n1 0 3 0 -1 1\n2 0 2 1 -1\n2 1 2 1 -1\n1 1 3 1 -1 0\n0 1 2 0 -1\n\
        4 0 1 4 5 -1 -1 1 -1\n4 1 2 3 4 0 -1 -1 -1\n";

    #[test]
    fn a_mesh_comes_with_its_neighbors_and_the_winding_of_ours() {
        assert!(is_polyanya(SQUARES.as_bytes()));
        let mesh = RawMesh::from_polyanya(SQUARES).unwrap().validate().unwrap();
        assert_eq!((mesh.len(), mesh.island_count()), (2, 1));
        let raw = RawMesh::from_polyanya(SQUARES).unwrap();
        assert_eq!(raw.polygons[0].vertices[..], [5, 4, 1, 0]);
        // From vertex 4 to vertex 1 lies the other square.
        assert_eq!(raw.polygons[0].neighbors.as_deref(), Some(&[None, Some(1), None, None][..]));
        assert_eq!(raw.vertices[3], DVec3::new(2.0, 0.0, 1.0));
    }

    #[test]
    fn damaged_texts_are_refused_with_the_element() {
        assert!(!is_polyanya(b"mesh") && !is_polyanya(b"meshes 2") && !is_polyanya(b"mesh\nx"));
        let read = |text: &str| RawMesh::from_polyanya(text);
        assert_eq!(read("grid 2"), Err(PolyanyaFileError::NotAMesh));
        assert_eq!(read("mesh 7 0 0"), Err(PolyanyaFileError::Version(7)));
        assert_eq!(read(&format!("{SQUARES} 1")), Err(PolyanyaFileError::Rest));
        let wrong = SQUARES.replace("4 0 1 4 5", "4 0 1 4 9");
        assert_eq!(read(&wrong), Err(PolyanyaFileError::Element { what: "polygon", index: 0 }));
        let many = "mesh 2 4000000000 4000000000 0 0 2 0 -1";
        assert_eq!(read(many), Err(PolyanyaFileError::Element { what: "vertex", index: 1 }));
        for length in 0..SQUARES.len() - 2 {
            assert!(read(&SQUARES[..length]).is_err(), "cut at {length}");
        }
    }
}
