//! The geometry of large OBJ files, read without Assimp, which takes several times the time and memory for it.
//!
//! Assimp still reads an outline of the file: its lines of objects, groups and materials, with one triangle in place of
//! each run of triangles between two of them. Nodes, meshes, materials and textures are thus what they are in a small
//! file. Texture coordinates carry the number of what a triangle stands for through the import. Polygons of more than
//! four corners stand in the outline as they are, so that Assimp splits them.
//!
//! A file with anything unusual in it is left to Assimp as a whole.

mod corner;
mod geometry;
mod scan;

pub use geometry::{ObjGeometry, OutlineCorner, VertexFinder};

/// Bytes from which on the geometry of a file is read apart.
pub const LARGE_BYTES: usize = 8 << 20;

/// An OBJ file in two parts.
pub struct SplitObj {
    /// What Assimp reads in its place.
    pub outline: Vec<u8>,
    /// What the triangles of the outline stand for.
    pub geometry: ObjGeometry,
}

impl SplitObj {
    /// Reads a file; `None` where it holds anything that only Assimp reads, or that Assimp refuses.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        scan::Scan::read(bytes).map(scan::Scan::finish)
    }
}

#[cfg(test)]
mod tests;
