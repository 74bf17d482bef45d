//! Coarser triangles over the same vertices, for what is small in the picture.
//!
//! Vertices of one grid cell are merged into the one nearest to their middle (Rossignac and Borrel 1993), cells being
//! told apart by texture coordinate and main direction of the normal too, so that colours and edges stay.

use crate::asset::Vertex;
use glam::Vec3;
use std::collections::HashMap;

type Cell = ([i32; 3], [i32; 2], u8);

/// Indices of a coarser mesh over the same vertices: details smaller than `cell_size` (in the mesh's units) vanish.
/// Triangles that collapse or repeat are left out.
pub fn simplified(vertices: &[Vertex], indices: &[u32], cell_size: f32) -> Vec<u32> {
    if !(cell_size > 0.0) {
        return indices.to_vec();
    }
    let cells: Vec<Cell> = vertices.iter().map(|v| cell_of(v, cell_size)).collect();
    let mut sums: HashMap<Cell, (Vec3, u32)> = HashMap::new();
    for (vertex, cell) in vertices.iter().zip(&cells) {
        let (sum, count) = sums.entry(*cell).or_default();
        *sum += vertex.position;
        *count += 1;
    }
    let mut nearest: HashMap<Cell, (u32, f32)> = HashMap::with_capacity(sums.len());
    for (i, (vertex, cell)) in vertices.iter().zip(&cells).enumerate() {
        let (sum, count) = sums[cell];
        let distance = vertex.position.distance_squared(sum / count as f32);
        let best = nearest.entry(*cell).or_insert((i as u32, distance));
        if distance < best.1 {
            *best = (i as u32, distance);
        }
    }
    let merged: Vec<u32> = cells.iter().map(|cell| nearest[cell].0).collect();
    let mut seen = std::collections::HashSet::new();
    let mut out = Vec::new();
    for corner in indices.chunks_exact(3) {
        let [a, b, c] = [merged[corner[0] as usize], merged[corner[1] as usize], merged[corner[2] as usize]];
        if has_area(vertices, [a, b, c]) {
            // Turned so that the smallest index comes first, which keeps the winding.
            let turned = if a < b && a < c {
                [a, b, c]
            } else if b < c {
                [b, c, a]
            } else {
                [c, a, b]
            };
            if seen.insert(turned) {
                out.extend(turned);
            }
        }
    }
    out
}

fn has_area(vertices: &[Vertex], corners: [u32; 3]) -> bool {
    let [a, b, c] = corners.map(|i| vertices[i as usize].position);
    (b - a).cross(c - a).length_squared() > 0.0
}

fn cell_of(vertex: &Vertex, cell_size: f32) -> Cell {
    let p = (vertex.position / cell_size).floor();
    // Palette textures hold a colour every few hundredths.
    let uv = (vertex.uv * 24.0).floor();
    let n = vertex.normal.abs();
    let axis = if n.x > n.y && n.x > n.z {
        0
    } else if n.y > n.z {
        2
    } else {
        4
    };
    let sign = [vertex.normal.x, vertex.normal.y, vertex.normal.z][axis as usize / 2] < 0.0;
    ([p.x as i32, p.y as i32, p.z as i32], [uv.x as i32, uv.y as i32], axis + u8::from(sign))
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
        let coarse = simplified(&vertices, &indices, 0.25);
        assert!(!coarse.is_empty() && coarse.len() * 8 < indices.len(), "{} of {}", coarse.len(), indices.len());
        let mut area = 0.0;
        for t in coarse.chunks_exact(3) {
            let [a, b, c] = [t[0], t[1], t[2]].map(|i| vertices[i as usize].position);
            let normal = (b - a).cross(c - a);
            assert!(normal.y > 0.0, "a triangle was turned over");
            area += normal.length() * 0.5;
        }
        assert!((0.5..=1.01).contains(&area), "area {area}");
    }

    #[test]
    fn nothing_is_merged_across_a_colour_seam() {
        let mut a = Vertex { normal: Vec3::Y, ..Vertex::default() };
        a.uv.x = 0.1;
        let b = Vertex { uv: glam::Vec2::new(0.9, 0.0), ..a };
        assert_ne!(cell_of(&a, 10.0), cell_of(&b, 10.0));
    }
}
