//! Levels of detail: of skinned bodies by edge collapse, of everything else, much of which is open and in many pieces, by
//! vertex clustering.
//!
//! In clustering, vertices of one grid cell collapse to the one nearest to their mean (Rossignac and Borrel, "Multi-resolution 3D
//! approximations for rendering complex scenes", 1993). Where a cell holds several colours of a palette texture the
//! vertex is kept once per colour, all at the same place, so that the surface closes and colours stay apart.

use crate::asset::Vertex;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use glam::Vec3;

/// Number of levels of detail, the finest included.
pub const LOD_COUNT: usize = 7;

/// Grid cells along the longest edge of a model in each coarser level of detail.
pub const LOD_CELLS: [f32; LOD_COUNT - 1] = [128.0, 64.0, 34.0, 18.0, 11.0, 4.0];

/// Error that a level of detail of a skinned body may have, in its cells, and as a part of its longest edge: with more, heads are lost.
const BODY_ERROR_CELLS: f32 = 0.5;
const MAX_BODY_ERROR: f32 = 1.0 / 16.0;

/// Error that the level of detail of this many cells of a skinned body may have, as a part of its longest edge.
pub fn body_error(cells: f32) -> f32 {
    (BODY_ERROR_CELLS / cells).min(MAX_BODY_ERROR)
}

/// The coarsest level of detail whose number of cells passes, else the finest.
pub fn coarsest(passes: impl Fn(f32) -> bool) -> usize {
    LOD_CELLS.iter().rposition(|cells| passes(*cells)).map_or(0, |i| i + 1)
}

/// What normals (three), texture coordinates (two) and colours (three) count beside places.
const ATTRIBUTE_WEIGHTS: [f32; 8] = [0.2, 0.2, 0.2, 1.0, 1.0, 1.0, 1.0, 1.0];

/// Which levels of detail a model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LodMode {
    /// The finest alone.
    Finest,
    /// All.
    Full,
}

/// What happens to vertices of one cell whose normals have different main directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HardEdges {
    /// Their normals stay apart.
    Keep,
    /// Their normals are averaged.
    Smooth,
}

/// A vertex of a coarser mesh, assembled from the finer one's vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoarseVertex {
    /// The vertex that gives position, joints and morph targets.
    pub place: u32,
    /// The vertex that gives texture coordinates and colour.
    pub look: u32,
    /// Unit normal.
    pub normal: Vec3,
}

/// A coarser mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoarseMesh {
    /// Its vertices, in the order in which triangles first use them.
    pub vertices: Vec<CoarseVertex>,
    /// Three per triangle, into its own vertices.
    pub indices: Vec<u32>,
}

/// Cell of a vertex, cell of its texture coordinate, and main direction of its normal.
type LookKey = (u32, [i32; 2], u8);

/// The mesh without details smaller than `cell_size` (in the mesh's units, above 0). Degenerate and duplicate triangles
/// are left out.
pub fn simplify(vertices: &[Vertex], indices: &[u32], cell_size: f32, hard_edges: HardEdges) -> CoarseMesh {
    let (cells, places) = cluster(vertices, cell_size);
    let mut looks: HashMap<LookKey, u32> = HashMap::new();
    let mut sums: Vec<CoarseVertex> = Vec::new();
    let mut look_of = vec![0u32; vertices.len()];
    for (i, vertex) in vertices.iter().enumerate() {
        // Palette textures hold a colour every few hundredths.
        let uv = (vertex.uv * 24.0).floor();
        let side = if hard_edges == HardEdges::Keep { side_of(vertex.normal) } else { 0 };
        let merged = *looks.entry((cells[i], [uv.x as i32, uv.y as i32], side)).or_insert_with(|| {
            sums.push(CoarseVertex { place: places[cells[i] as usize], look: i as u32, normal: Vec3::ZERO });
            sums.len() as u32 - 1
        });
        sums[merged as usize].normal += vertex.normal;
        look_of[i] = merged;
    }
    let mut out = CoarseMesh::default();
    let mut number: Vec<Option<u32>> = vec![None; sums.len()];
    let mut seen = HashSet::new();
    for corner in indices.chunks_exact(3) {
        let corners = [corner[0] as usize, corner[1] as usize, corner[2] as usize];
        let [a, b, c] = corners.map(|i| cells[i]);
        if a == b || b == c || c == a || !seen.insert(turned([a, b, c])) {
            continue;
        }
        for i in corners {
            let merged = look_of[i] as usize;
            let index = *number[merged].get_or_insert_with(|| {
                let CoarseVertex { place, look, normal } = sums[merged];
                let normal = normal.try_normalize().unwrap_or(vertices[look as usize].normal);
                out.vertices.push(CoarseVertex { place, look, normal });
                out.vertices.len() as u32 - 1
            });
            out.indices.push(index);
        }
    }
    out
}

/// A skinned mesh with as few triangles as keep it within `max_error` (in the mesh's units) of the finest, by collapsing edges
/// under quadric error metrics with attributes (Garland and Heckbert, "Simplifying surfaces with color and texture using
/// quadric error metrics", 1998). Vertices stay where they are, and with them their joints and morph targets.
pub fn simplify_body(vertices: &[Vertex], indices: &[u32], max_error: f32) -> CoarseMesh {
    let positions: Vec<Vec3> = vertices.iter().map(|v| v.position).collect();
    let stride = size_of::<Vec3>();
    let Ok(places) = meshopt::VertexDataAdapter::new(bytemuck::cast_slice(&positions), stride, 0) else {
        return CoarseMesh::default();
    };
    let attributes: Vec<[f32; ATTRIBUTE_WEIGHTS.len()]> = vertices
        .iter()
        .map(|v| {
            let [r, g, b, _] = v.color.map(|c| f32::from(c) / 255.0);
            [v.normal.x, v.normal.y, v.normal.z, v.uv.x, v.uv.y, r, g, b]
        })
        .collect();
    let kept = meshopt::simplify_with_attributes_and_locks(
        indices,
        &places,
        attributes.as_flattened(),
        &ATTRIBUTE_WEIGHTS,
        size_of_val(&ATTRIBUTE_WEIGHTS),
        &vec![false; vertices.len()],
        0,
        max_error,
        meshopt::SimplifyOptions::ErrorAbsolute
            | meshopt::SimplifyOptions::Permissive
            | meshopt::SimplifyOptions::Prune,
        None,
    );
    let mut out = CoarseMesh::default();
    let mut number: Vec<Option<u32>> = vec![None; vertices.len()];
    for i in kept {
        let index = *number[i as usize].get_or_insert_with(|| {
            out.vertices.push(CoarseVertex { place: i, look: i, normal: vertices[i as usize].normal });
            out.vertices.len() as u32 - 1
        });
        out.indices.push(index);
    }
    out
}

/// Rotates a triangle so that its smallest index comes first; keeps the winding.
fn turned([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// The cell of each vertex, and per cell the vertex nearest to the middle of its vertices.
fn cluster(vertices: &[Vertex], cell_size: f32) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: HashMap<[i32; 3], u32> = HashMap::new();
    let mut sums: Vec<(Vec3, f32)> = Vec::new();
    let mut cells = Vec::with_capacity(vertices.len());
    for v in vertices {
        let p = (v.position / cell_size).floor();
        let cell = *numbers.entry([p.x as i32, p.y as i32, p.z as i32]).or_insert(sums.len() as u32);
        if cell as usize == sums.len() {
            sums.push((Vec3::ZERO, 0.0));
        }
        let (sum, count) = &mut sums[cell as usize];
        *sum += v.position;
        *count += 1.0;
        cells.push(cell);
    }
    let mut nearest = vec![(0u32, f32::INFINITY); sums.len()];
    for (i, (v, &cell)) in vertices.iter().zip(&cells).enumerate() {
        let (sum, count) = sums[cell as usize];
        let distance = v.position.distance_squared(sum / count);
        if distance < nearest[cell as usize].1 {
            nearest[cell as usize] = (i as u32, distance);
        }
    }
    (cells, nearest.into_iter().map(|(i, _)| i).collect())
}

/// Main direction of a normal: axis and sign.
fn side_of(normal: Vec3) -> u8 {
    let n = normal.abs();
    let axis = if n.x > n.y && n.x > n.z {
        0
    } else if n.y > n.z {
        1
    } else {
        2
    };
    axis * 2 + u8::from(normal[usize::from(axis)] < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A flat square of `n` × `n` quads over 1 × 1 metre.
    fn sheet(n: u32) -> (Vec<Vertex>, Vec<u32>) {
        let at = |x: u32, z: u32| Vertex {
            position: Vec3::new(x as f32, 0.0, z as f32) / n as f32,
            normal: Vec3::Y,
            ..Vertex::default()
        };
        let vertices = (0..=n).flat_map(|z| (0..=n).map(move |x| at(x, z))).collect();
        let corner = |x: u32, z: u32| z * (n + 1) + x;
        let indices = (0..n)
            .flat_map(|z| {
                (0..n).flat_map(move |x| {
                    let [a, b, c, d] = [corner(x, z), corner(x, z + 1), corner(x + 1, z), corner(x + 1, z + 1)];
                    [a, b, c, c, b, d]
                })
            })
            .collect();
        (vertices, indices)
    }

    #[test]
    fn a_sheet_keeps_its_extent_and_winding_with_fewer_triangles() {
        let (vertices, indices) = sheet(32);
        let CoarseMesh { vertices: merged, indices: coarse } = simplify(&vertices, &indices, 0.25, HardEdges::Keep);
        assert!(!coarse.is_empty() && coarse.len() * 8 < indices.len(), "{} of {}", coarse.len(), indices.len());
        let mut area = 0.0;
        for t in coarse.chunks_exact(3) {
            let [a, b, c] = [t[0], t[1], t[2]].map(|i| vertices[merged[i as usize].place as usize].position);
            let normal = (b - a).cross(c - a);
            assert!(normal.y > 0.0, "a triangle was turned over");
            area += normal.length() * 0.5;
        }
        assert!((0.5..=1.01).contains(&area), "area {area}");
    }

    #[test]
    fn bodies_keep_their_shape_within_the_error() {
        // A ball of one metre: its flat parts go first, and what is left lies on it.
        let (mut vertices, indices) = sheet(48);
        for v in &mut vertices {
            let (around, up) = (v.position.x * std::f32::consts::TAU, (v.position.z - 0.5) * 3.0);
            v.normal = Vec3::new(around.cos() * up.cos(), up.sin(), around.sin() * up.cos());
            v.position = v.normal;
        }
        let errors = [0.004, 0.03];
        let coarse = errors.map(|error| simplify_body(&vertices, &indices, error));
        let counts = coarse.each_ref().map(|mesh| mesh.indices.len());
        assert!(counts[1] * 2 < counts[0] && counts[0] * 2 < indices.len(), "{counts:?} of {}", indices.len());
        for (mesh, error) in coarse.iter().zip(errors) {
            for t in mesh.indices.chunks_exact(3) {
                let corners = [t[0], t[1], t[2]].map(|i| vertices[mesh.vertices[i as usize].place as usize].position);
                let middle = corners.iter().sum::<Vec3>() / 3.0;
                // The middle of a flat triangle lies inside of the ball, not farther than the error and its rounding.
                assert!(middle.length() > 1.0 - 3.0 * error, "{middle} at an error of {error}");
            }
        }
    }

    #[test]
    fn colours_stay_apart_at_one_place() {
        let (mut vertices, indices) = sheet(8);
        for v in &mut vertices {
            v.uv.x = if v.position.x < 0.4 { 0.1 } else { 0.9 };
        }
        let coarse = simplify(&vertices, &indices, 0.3, HardEdges::Smooth);
        assert!(!coarse.indices.is_empty());
        for m in &coarse.vertices {
            assert!([0.1, 0.9].contains(&vertices[m.look as usize].uv.x));
        }
        let shared =
            coarse.vertices.iter().any(|a| coarse.vertices.iter().any(|b| a.place == b.place && a.look != b.look));
        assert!(shared, "a cell with two colours is one place with two vertices");
    }

    #[test]
    fn a_thin_plate_keeps_both_sides_without_its_rim() {
        let (mut vertices, mut indices) = sheet(8);
        let count = vertices.len() as u32;
        let back: Vec<u32> = indices.chunks_exact(3).flat_map(|t| [t[0] + count, t[2] + count, t[1] + count]).collect();
        indices.extend(back);
        let below: Vec<Vertex> = vertices
            .iter()
            .map(|v| Vertex { position: v.position + Vec3::Y * 0.01, normal: Vec3::NEG_Y, ..*v })
            .collect();
        vertices.extend(below);
        for hard_edges in [HardEdges::Smooth, HardEdges::Keep] {
            let coarse = simplify(&vertices, &indices, 0.25, hard_edges);
            assert!(coarse.indices.len() < indices.len() / 2);
            assert!(coarse.vertices.iter().all(|m| m.normal.is_normalized()));
        }
    }
}
