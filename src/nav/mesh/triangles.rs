//! A mesh of a level's own triangles.

use super::{RawMesh, RawPolygon};
use crate::math::triangle;
use glam::{DVec3, Vec3};
use std::collections::HashMap;

/// Size of the cells of space in which corners are welded, metres.
const WELD: f32 = 1e-4;
/// Corners nearer than this along every axis are welded across the border of two cells as well, as a share of their
/// size: rounding must not part triangles, wherever the border lies.
const WELD_ACROSS: f64 = 0.25;

fn key(cell: DVec3) -> [i64; 3] {
    cell.to_array().map(|c| c as i64)
}

/// The vertex of a cell beside that of `place` which is near enough to be welded; places in sizes of cells.
fn across(numbers: &HashMap<[i64; 3], u32>, vertices: &[DVec3], place: DVec3, cell: DVec3) -> Option<u32> {
    let off = place - cell;
    let is_near = off.abs().cmpgt(DVec3::splat(0.5 - WELD_ACROSS));
    // Over one border, two or three.
    for axes in 1..8_u32 {
        let crosses = [0, 1, 2].map(|axis: u32| axes >> axis & 1 != 0);
        if (0..3).any(|axis| crosses[axis] && !is_near.test(axis)) {
            continue;
        }
        let [x, y, z] = [0, 1, 2].map(|axis: usize| if crosses[axis] { off[axis].signum() } else { 0.0 });
        if let Some(&number) = numbers.get(&key(cell + DVec3::new(x, y, z))) {
            let apart = vertices[number as usize] / f64::from(WELD) - place;
            if apart.abs().max_element() <= WELD_ACROSS {
                return Some(number);
            }
        }
    }
    None
}

impl RawMesh {
    /// Takes the triangles that face up and are not steeper than `slope_rad` as polygons. Corners at one place are
    /// welded. Triangles are neighbours if they are the only two that share both corners of an edge; other edges are
    /// walls.
    pub fn from_triangles(triangles: &[[Vec3; 3]], slope_rad: f32) -> Self {
        let min_up = triangle::min_up(slope_rad);
        let mut mesh = Self::default();
        let mut numbers: HashMap<[i64; 3], u32> = HashMap::new();
        let mut corner = |p: Vec3, vertices: &mut Vec<DVec3>| {
            let place = p.as_dvec3() / f64::from(WELD);
            let cell = place.round();
            if let Some(&known) = numbers.get(&key(cell)) {
                return known;
            }
            let number = across(&numbers, vertices, place, cell).unwrap_or_else(|| {
                vertices.push(p.as_dvec3());
                vertices.len() as u32 - 1
            });
            numbers.insert(key(cell), number);
            number
        };
        for &[a, b, c] in triangles.iter().filter(|t| t.iter().all(|p| p.is_finite())) {
            let normal = (b - a).cross(c - a);
            let [flat, steep] = [normal.y * 0.5 < WELD * WELD, normal.y < min_up * normal.length()];
            if flat || steep {
                continue;
            }
            let corners = [a, b, c].map(|p| corner(p, &mut mesh.vertices));
            if corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0] {
                mesh.polygons.push(RawPolygon::new(corners));
            }
        }
        mesh.link_pairs();
        mesh
    }

    /// Makes polygons neighbours that alone share an edge, with opposite windings.
    fn link_pairs(&mut self) {
        let mut owners: HashMap<(u32, u32), (u32, u32)> = HashMap::new();
        let ring = |p: &RawPolygon| {
            let n = p.vertices.len();
            (0..n).map(|k| (p.vertices[k], p.vertices[(k + 1) % n])).collect::<Vec<_>>()
        };
        for (number, p) in (0u32..).zip(&self.polygons) {
            for edge in ring(p) {
                let owner = owners.entry(edge).or_insert((number, 0));
                owner.1 += 1;
            }
        }
        for p in &mut self.polygons {
            let beyond = |(a, b): (u32, u32)| {
                let own = owners.get(&(a, b))?;
                let other = owners.get(&(b, a))?;
                (own.1 == 1 && other.1 == 1).then_some(other.0)
            };
            p.neighbors = Some(ring(p).into_iter().map(beyond).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::{NONE, PolyId};

    #[test]
    fn z_01_triangles_sharing_an_edge_are_neighbors() {
        let p = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        let ground = [
            [p(0.0, 0.0, 0.0), p(0.0, 0.0, 1.0), p(1.0, 0.0, 0.0)],
            [p(1.0, 0.0, 0.0), p(0.0, 0.0, 1.0), p(1.0, 0.00001, 1.0)],
            // A wall, a ceiling seen from below, a sliver, and NaN.
            [p(1.0, 0.0, 0.0), p(1.0, 0.0, 1.0), p(1.0, 1.0, 0.0)],
            [p(0.0, 3.0, 0.0), p(1.0, 3.0, 0.0), p(0.0, 3.0, 1.0)],
            [p(0.0, 0.0, 0.0), p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0)],
            [p(f32::NAN, 0.0, 0.0), p(0.0, 0.0, 1.0), p(1.0, 0.0, 0.0)],
        ];
        let mesh = RawMesh::from_triangles(&ground, 0.8).validate().unwrap();
        assert_eq!((mesh.len(), mesh.island_count(), mesh.vertices().len()), (2, 1, 4));
        let walls = |i: u32| mesh.edges_of(PolyId(i)).iter().filter(|e| e.neighbor == NONE).count();
        assert_eq!((walls(0), walls(1)), (2, 2));
    }

    #[test]
    fn z_01_rounding_parts_no_triangles_wherever_it_falls() {
        // A corner lies once on this side, once on that of the border between two cells of a tenth of a millimetre,
        // along one axis or two.
        for (x, z) in [(1.00005f32, 0.0f32), (1.00005, 0.00005), (-1.00005, -0.00005)] {
            let [low, high] = [-1e-6, 1e-6].map(|by| Vec3::new(x + by, 0.0, if z == 0.0 { 0.0 } else { z + by }));
            let (far, beyond) = (Vec3::Z, Vec3::new(x, 0.0, 1.0));
            let mut ground = [[Vec3::ZERO, far, low], [high, far, beyond]];
            if x < 0.0 {
                ground.iter_mut().for_each(|t| t.swap(1, 2));
            }
            let mesh = RawMesh::from_triangles(&ground, 0.8).validate().unwrap();
            assert_eq!((mesh.len(), mesh.island_count(), mesh.vertices().len()), (2, 1, 4), "{x} {z}");
        }
        // What is farther apart than rounding stays apart.
        let apart = [[Vec3::ZERO, Vec3::Z, Vec3::X], [Vec3::X * 1.0002, Vec3::Z, Vec3::new(1.0, 0.0, 1.0)]];
        assert_eq!(RawMesh::from_triangles(&apart, 0.8).validate().unwrap().island_count(), 2);
    }

    #[test]
    fn z_01_an_edge_of_three_triangles_is_a_wall_to_all() {
        let fan = [0.0f32, 0.3, 0.6].map(|y| [Vec3::ZERO, Vec3::Z, Vec3::new(1.0, y, 0.5)]);
        let mesh = RawMesh::from_triangles(&fan, 1.0).validate().unwrap();
        assert_eq!((mesh.len(), mesh.island_count()), (3, 3));
    }
}
