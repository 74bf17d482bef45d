//! What a large OBJ file holds, and the meshes that are made of it.

use super::corner::{NONE, ObjCorner};
use crate::asset::{Mesh, Vertex};
use glam::{Vec2, Vec3};
use std::ops::Range;

/// Vertices of one place that are looked through for one that is the same.
const MAX_CHAIN: usize = 32;

/// What a face of the outline stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// These triangles.
    Run(Range<usize>),
    /// A polygon whose corners begin here.
    Polygon(usize),
}

/// A corner of a face of the outline: the number of what it stands for, and which corner of a polygon it is.
pub type OutlineCorner = [usize; 2];

/// The geometry of a file.
#[derive(Debug, Default)]
pub struct ObjGeometry {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) uvs: Vec<Vec2>,
    /// Per position, or empty.
    pub(super) colors: Vec<[u8; 4]>,
    /// Vertices of triangles, three each; texture coordinates and normals per corner, as far as there are any.
    corner_vertices: Vec<u32>,
    corner_uvs: Vec<u32>,
    corner_normals: Vec<u32>,
    pub(super) polygon_corners: Vec<ObjCorner>,
    pub(super) items: Vec<Item>,
}

impl ObjGeometry {
    /// Triangles so far, without those of polygons.
    pub fn triangle_count(&self) -> usize {
        self.corner_vertices.len() / 3
    }

    pub(super) fn push_triangle(&mut self, corners: [ObjCorner; 3]) {
        let first = self.corner_vertices.len();
        for (i, corner) in corners.into_iter().enumerate() {
            self.corner_vertices.push(corner.vertex);
            for (list, index) in [(&mut self.corner_uvs, corner.uv), (&mut self.corner_normals, corner.normal)] {
                if index != NONE {
                    list.resize(first + i, NONE);
                    list.push(index);
                }
            }
        }
    }

    fn corner(&self, at: usize) -> ObjCorner {
        let optional = |list: &[u32]| list.get(at).copied().unwrap_or(NONE);
        ObjCorner {
            vertex: self.corner_vertices[at],
            uv: optional(&self.corner_uvs),
            normal: optional(&self.corner_normals),
        }
    }

    /// Calls `take` for every corner that the triangles of an outline's mesh stand for; those that stand for nothing are
    /// left out.
    fn for_each_corner(&self, outline: &[[OutlineCorner; 3]], mut take: impl FnMut(ObjCorner)) {
        for corners in outline {
            match self.items.get(corners[0][0]) {
                Some(Item::Run(triangles)) => {
                    (triangles.start * 3..triangles.end * 3).for_each(|at| take(self.corner(at)));
                }
                Some(&Item::Polygon(first)) => {
                    let at = corners.map(|[_, corner]| self.polygon_corners.get(first + corner));
                    if let [Some(&a), Some(&b), Some(&c)] = at {
                        [a, b, c].into_iter().for_each(&mut take);
                    }
                }
                None => {}
            }
        }
    }

    /// The mesh that these triangles of the outline stand for, without name, node and material. Corners that are the same
    /// share a vertex.
    pub fn mesh(&self, outline: &[[OutlineCorner; 3]], scratch: &mut VertexFinder) -> Mesh {
        let (mut has_uvs, mut has_normals) = (false, false);
        self.for_each_corner(outline, |corner| {
            has_uvs |= corner.uv != NONE;
            has_normals |= corner.normal != NONE;
        });
        scratch.first.resize(self.positions.len(), NONE);
        let (mut vertices, mut indices) = (Vec::new(), Vec::new());
        self.for_each_corner(outline, |corner| {
            let index = scratch.find_or_add(corner);
            if index as usize == vertices.len() {
                vertices.push(self.vertex(corner, has_uvs));
            }
            indices.push(index);
        });
        scratch.reset();
        let mut mesh = Mesh { vertices, indices, is_flat: !has_normals, ..Mesh::default() };
        if mesh.is_flat {
            mesh.set_mean_normals();
        }
        mesh
    }

    fn vertex(&self, corner: ObjCorner, has_uvs: bool) -> Vertex {
        let normal = self.normals.get(corner.normal as usize).and_then(|normal| normal.try_normalize());
        // What Assimp makes of a missing one.
        let missing_uv = if has_uvs { Vec2::Y } else { Vec2::ZERO };
        Vertex {
            position: self.positions[corner.vertex as usize],
            normal: normal.unwrap_or(Vec3::Y),
            uv: self.uvs.get(corner.uv as usize).copied().unwrap_or(missing_uv),
            color: self.colors.get(corner.vertex as usize).copied().unwrap_or([u8::MAX; 4]),
        }
    }
}

/// Finds vertices by their corners; kept between meshes, so that many small ones cost no more than one large.
#[derive(Debug, Default)]
pub struct VertexFinder {
    /// The first vertex of each position, or [`NONE`].
    first: Vec<u32>,
    /// Per vertex its corner, and the next vertex of the same position.
    vertices: Vec<(ObjCorner, u32)>,
}

impl VertexFinder {
    fn find_or_add(&mut self, corner: ObjCorner) -> u32 {
        let begin = &mut self.first[corner.vertex as usize];
        let mut at = *begin;
        for _ in 0..MAX_CHAIN {
            match self.vertices.get(at as usize) {
                Some(&(known, _)) if known == corner => return at,
                Some(&(_, next)) => at = next,
                None => break,
            }
        }
        let index = self.vertices.len() as u32;
        self.vertices.push((corner, *begin));
        *begin = index;
        index
    }

    fn reset(&mut self) {
        for (corner, _) in self.vertices.drain(..) {
            self.first[corner.vertex as usize] = NONE;
        }
    }
}
