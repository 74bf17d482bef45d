//! Which polygons two meshes share, and which ground under the others.

use glam::{DVec3, Vec3};
use std::collections::{BTreeMap, HashSet};

use crate::math::plan;
use crate::nav::mesh::{NavMesh, PolyId};

/// From when on two meshes differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiffTolerance {
    /// Distance up to which two corners are the same, metres.
    pub corner: f32,
    /// Difference of heights up to which ground over ground is the same, metres.
    pub height: f32,
}

impl Default for DiffTolerance {
    /// A centimetre for corners, half a metre for heights.
    fn default() -> Self {
        Self { corner: 0.01, height: 0.5 }
    }
}

/// What lies upon what.
pub struct Overlaps {
    /// Polygons that both have.
    pub same: Vec<[PolyId; 2]>,
    /// The others of each mesh, with the ground that the other mesh has there, square metres.
    pub lone: [BTreeMap<PolyId, f64>; 2],
    /// Pieces of ground that two of the others share, square metres.
    pub pieces: Vec<([PolyId; 2], f64)>,
}

impl Overlaps {
    /// Compares all polygons.
    pub fn of(meshes: [&NavMesh; 2], tolerance: &DiffTolerance) -> Self {
        let [a, b] = meshes;
        let mut taken = HashSet::new();
        let mut same = Vec::new();
        let mut lone = [BTreeMap::new(), BTreeMap::new()];
        for p in a.live_polygons() {
            match equal_polygon(meshes, p, tolerance, &taken) {
                Some(q) => {
                    taken.insert(q);
                    same.push([p, q]);
                }
                None => drop(lone[0].insert(p, 0.0)),
            }
        }
        lone[1].extend(b.live_polygons().filter(|q| !taken.contains(q)).map(|q| (q, 0.0)));
        let [of_a, of_b] = &mut lone;
        let mut pieces = Vec::new();
        for (&p, covered) in of_a.iter_mut() {
            let corners = corners_in(meshes, p);
            for q in near(b, &corners, tolerance.height) {
                let Some(covered_q) = of_b.get_mut(&q) else { continue };
                let Some(shared) = shared_area(meshes, [p, q], &corners, tolerance.height) else { continue };
                *covered += shared;
                *covered_q += shared;
                pieces.push(([p, q], shared));
            }
        }
        Self { same, lone, pieces }
    }
}

/// Corners of a polygon of the first mesh, local to the second.
fn corners_in([a, b]: [&NavMesh; 2], p: PolyId) -> Vec<Vec3> {
    a.corners(p).map(|corner| b.local(a.world(corner))).collect()
}

/// The polygon of the second mesh with the same corners, the nearest of those that are not taken.
fn equal_polygon(
    meshes: [&NavMesh; 2],
    p: PolyId,
    tolerance: &DiffTolerance,
    taken: &HashSet<PolyId>,
) -> Option<PolyId> {
    let b = meshes[1];
    let corners = corners_in(meshes, p);
    let middle = corners.iter().sum::<Vec3>() / corners.len() as f32;
    // The largest distance of two corners, however they are counted around.
    let apart = |q: PolyId| {
        let others = b.corners_of(q);
        let count = others.len();
        let apart_by =
            |shift: usize| (0..count).map(|i| others[(i + shift) % count].distance(corners[i])).fold(0.0, f32::max);
        let all = (0..count).filter(|_| count == corners.len()).map(apart_by);
        all.fold(f32::INFINITY, f32::min)
    };
    let others = b.grid().at(middle).iter().map(|&q| PolyId(q)).filter(|&q| b.is_live(q) && !taken.contains(&q));
    let near = others.map(|q| (apart(q), q)).filter(|near| near.0 <= tolerance.corner);
    near.min_by(|one, other| one.0.total_cmp(&other.0)).map(|near| near.1)
}

/// Polygons whose boxes meet that of some corners, with room above and below.
fn near(mesh: &NavMesh, corners: &[Vec3], height: f32) -> Vec<PolyId> {
    let room = Vec3::new(0.0, height, 0.0);
    let low = corners.iter().copied().fold(Vec3::INFINITY, Vec3::min) - room;
    let high = corners.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max) + room;
    let mut found = Vec::new();
    mesh.grid().for_each_in(low, high, |q| {
        let bounds = mesh.bounds_of(PolyId(q));
        if bounds.min.cmple(high).all() && low.cmple(bounds.max).all() && mesh.is_live(PolyId(q)) {
            found.push(PolyId(q));
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}

/// The ground that two polygons share, seen from above, where their heights are near each other; `corners` are those of
/// the first, local to the second mesh.
fn shared_area([a, b]: [&NavMesh; 2], [p, q]: [PolyId; 2], corners: &[Vec3], height: f32) -> Option<f64> {
    let mut shape: Vec<DVec3> = corners.iter().map(|c| c.as_dvec3()).collect();
    let (outline, mut clipped) = (b.corners_of(q), Vec::new());
    for (i, from) in outline.iter().enumerate() {
        let (from, to) = (from.as_dvec3(), outline[(i + 1) % outline.len()].as_dvec3());
        clipped.clear();
        plan::clip_convex(&shape, |point| plan::cross(from, to, point), |corner| clipped.push(corner));
        std::mem::swap(&mut shape, &mut clipped);
        if shape.len() < 3 {
            return None;
        }
    }
    let size = plan::area(&shape).abs();
    let middle = (shape.iter().sum::<DVec3>() / shape.len() as f64).as_vec3();
    let there = f64::from(b.height_at(q, middle)) + b.origin().y;
    let world = b.world(middle);
    let here = f64::from(a.height_at(p, a.local(world))) + a.origin().y;
    (size > 1e-9 && (here - there).abs() <= f64::from(height)).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::{RawMesh, RawPolygon};

    #[test]
    fn polygons_closer_than_the_tolerance_are_told_apart() {
        let mut raw = RawMesh::default();
        for y in [0.0, 0.001, 0.002] {
            let first = raw.vertices.len() as u32;
            raw.vertices.extend([(0.0, 0.0), (0.0, 4.0), (4.0, 4.0), (4.0, 0.0)].map(|(x, z)| DVec3::new(x, y, z)));
            raw.polygons.push(RawPolygon::new([0, 1, 2, 3].map(|i| first + i)));
        }
        let mesh = raw.validate().unwrap();
        let own = Overlaps::of([&mesh, &mesh], &DiffTolerance::default());
        assert!(own.lone.iter().all(BTreeMap::is_empty), "{:?}", own.lone);
        assert_eq!(own.same.len(), 3);
        assert!(own.same.iter().all(|[p, q]| p == q), "{:?}", own.same);
    }
}
