//! Meshes of the public path benchmarks: `.mesh` text files of Polyanya's authors, versions 1 and 2, and version 3.
//!
//! Layout, numbers between white space: `mesh`, the version, the numbers of vertices and polygons; per vertex x and y,
//! the number of polygons around it and these, -1 for an obstacle; per polygon its number of corners, the corners
//! counter-clockwise, and for each corner the neighbour over an edge, -1 for none: in version 2 the edge that ends there,
//! in version 1 the one that begins there (`utils/spec/mesh` of Polyanya). Version 3 (`meshes/v3/format.txt` of the
//! Rust crate polyanya) counts vertices and polygons from 1 and names no polygons of vertices; a polygon begins with 1 where it
//! is ground, 0 where it is none, and a neighbour that is not to be entered is negative, 0 where there is none. Their plane
//! is x and y; here it is x and z, at height 0.

use std::str::SplitAsciiWhitespace;

use glam::DVec3;
use thiserror::Error;

use super::{NONE, RawMesh, RawPolygon};

/// The versions that are read.
const VERSIONS: std::ops::RangeInclusive<u32> = 1..=3;

/// Why a text is not a mesh of the benchmarks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum PolyanyaFileError {
    #[error("the text does not begin with 'mesh'; choose a mesh of the path benchmarks")]
    NotAMesh,
    #[error("the mesh has version {0}, this program reads 1 to 3; write it in one of these")]
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

/// The unread words, and what they say of themselves.
struct Words<'a> {
    rest: SplitAsciiWhitespace<'a>,
    version: u32,
    vertices: usize,
    polygons: usize,
}

impl Words<'_> {
    fn number<T: std::str::FromStr>(&mut self) -> Option<T> {
        self.rest.next()?.parse().ok()
    }

    fn vertex(&mut self) -> Option<DVec3> {
        let (x, y) = (self.number::<f64>()?, self.number::<f64>()?);
        let around = if self.version == 3 { 0 } else { self.number::<u32>()? };
        for _ in 0..around {
            self.polygon_or_none()?;
        }
        (x.is_finite() && y.is_finite()).then_some(DVec3::new(x, 0.0, y))
    }

    /// The number of a vertex.
    fn corner(&mut self) -> Option<u32> {
        let first = u32::from(self.version == 3);
        self.number::<u32>()?.checked_sub(first).filter(|&v| (v as usize) < self.vertices)
    }

    /// The number of a polygon, or none.
    fn polygon_or_none(&mut self) -> Option<Option<u32>> {
        let number = self.number::<i64>()?;
        let known = |n: u64| u32::try_from(n).ok().filter(|&n| (n as usize) < self.polygons);
        match (self.version, number) {
            (3, 0) => Some(None),
            (3, _) => {
                let polygon = known(number.unsigned_abs() - 1)?;
                Some((number > 0).then_some(polygon))
            }
            (_, -1) => Some(None),
            _ => known(number.try_into().ok()?).map(Some),
        }
    }

    /// A polygon; none for one that is no ground.
    fn polygon(&mut self) -> Option<Option<RawPolygon>> {
        let is_ground = match self.version {
            3 => self.number::<u32>().filter(|&ground| ground < 2)? == 1,
            _ => true,
        };
        // Without corners a polygon of a few letters takes many times as much memory.
        let count = self.number::<u32>().filter(|&count| count > 0)?;
        // Grown as they come: a count is no promise.
        let mut corners = Vec::new();
        for _ in 0..count {
            corners.push(self.corner()?);
        }
        let mut neighbors = Vec::new();
        for _ in 0..count {
            neighbors.push(self.polygon_or_none()?);
        }
        if self.version == 1 {
            // Now over the edges that end at the corners.
            neighbors.rotate_right(1);
        }
        // Counter-clockwise with y up the page is clockwise here. The edge that ended at a corner begins there then.
        corners.reverse();
        neighbors.reverse();
        let mut polygon = RawPolygon::new(corners);
        polygon.neighbors = Some(neighbors);
        Some(is_ground.then_some(polygon))
    }
}

impl RawMesh {
    /// Reads a mesh of the path benchmarks; [`RawMesh::validate`] judges it. Polygons that are no ground are left out, so that
    /// those behind them have smaller numbers. Memory is bounded by a small multiple of the text.
    ///
    /// # Errors
    /// The text holds something else, or is cut short.
    pub fn from_polyanya(text: &str) -> Result<Self, PolyanyaFileError> {
        let cut = |what, index| PolyanyaFileError::Element { what, index };
        let mut words = Words { rest: text.split_ascii_whitespace(), version: 0, vertices: 0, polygons: 0 };
        if words.rest.next() != Some("mesh") {
            return Err(PolyanyaFileError::NotAMesh);
        }
        words.version = words.number().ok_or(cut("the version, entry", 0))?;
        if !VERSIONS.contains(&words.version) {
            return Err(PolyanyaFileError::Version(words.version));
        }
        words.vertices = words.number().ok_or(cut("the number of vertices, entry", 1))?;
        words.polygons = words.number().ok_or(cut("the number of polygons, entry", 2))?;
        let mut mesh = Self { vertices: Vec::new(), polygons: Vec::new() };
        for i in 0..words.vertices {
            mesh.vertices.push(words.vertex().ok_or(cut("vertex", i))?);
        }
        // Per polygon of the file its number here.
        let mut numbers = Vec::new();
        for i in 0..words.polygons {
            let polygon = words.polygon().ok_or(cut("polygon", i))?;
            numbers.push(if polygon.is_some() { mesh.polygons.len() as u32 } else { NONE });
            mesh.polygons.extend(polygon);
        }
        if words.rest.next().is_some() {
            return Err(PolyanyaFileError::Rest);
        }
        for neighbor in mesh.polygons.iter_mut().filter_map(|p| p.neighbors.as_mut()).flatten() {
            *neighbor = neighbor.map(|n| numbers[n as usize]).filter(|&n| n != NONE);
        }
        Ok(mesh)
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
    fn version_1_names_neighbors_where_edges_begin() {
        let first = SQUARES.replace("mesh\n2", "mesh\n1");
        let first = first.replace("4 5 -1 -1 1 -1", "4 5 -1 1 -1 -1").replace("3 4 0 -1 -1 -1", "3 4 -1 -1 -1 0");
        assert_eq!(RawMesh::from_polyanya(&first), RawMesh::from_polyanya(SQUARES));
    }

    #[test]
    fn version_3_counts_from_1_and_leaves_out_what_is_no_ground() {
        // Four triangles around the middle of a square: the first is no ground, and the last two do not open onto each other.
        let text = "mesh\n3\n5 4\n0 0\n0 10\n10 10\n10 0\n5 5\n0 3 4 1 5 -4 0 -2\n1 3 1 2 5 -1 0 3\n\
            1 3 2 3 5 2 0 -4\n1 3 3 4 5 -3 0 -1\n";
        assert!(is_polyanya(text.as_bytes()));
        let raw = RawMesh::from_polyanya(text).unwrap();
        assert_eq!((raw.vertices.len(), raw.polygons.len()), (5, 3));
        assert_eq!(raw.polygons[0].vertices[..], [4, 1, 0]);
        assert_eq!(raw.polygons[0].neighbors.as_deref(), Some(&[Some(1), None, None][..]));
        assert_eq!(raw.polygons[1].neighbors.as_deref(), Some(&[None, None, Some(0)][..]));
        let mesh = raw.validate().unwrap();
        assert_eq!((mesh.len(), mesh.island_count()), (3, 2));
        let wrong = |from: &str, to: &str| RawMesh::from_polyanya(&text.replace(from, to));
        for (from, to) in
            [("1 3 1 2 5", "2 3 1 2 5"), ("1 3 1 2 5", "1 3 0 2 5"), ("1 3 1 2 5", "1 3 1 2 6"), ("-1 0 3", "-5 0 3")]
        {
            assert_eq!(wrong(from, to), Err(PolyanyaFileError::Element { what: "polygon", index: 1 }), "{to}");
        }
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
        assert_eq!(read("mesh 2 0 1 0"), Err(PolyanyaFileError::Element { what: "polygon", index: 0 }));
        let many = "mesh 2 4000000000 4000000000 0 0 2 0 -1";
        assert_eq!(read(many), Err(PolyanyaFileError::Element { what: "vertex", index: 1 }));
        for length in 0..SQUARES.len() - 2 {
            assert!(read(&SQUARES[..length]).is_err(), "cut at {length}");
        }
    }
}
