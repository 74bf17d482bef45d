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
pub mod libraries;
pub mod library_lines;
pub mod objects;
mod scan;
pub mod statements;

pub use geometry::{ObjGeometry, OutlineCorner, VertexFinder};
pub use scan::SplitObj;

/// Bytes from which on the geometry of a file is read apart.
pub const LARGE_BYTES: usize = 8 << 20;

#[cfg(test)]
mod tests;
