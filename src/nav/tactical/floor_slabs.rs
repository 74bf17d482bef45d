//! Floors as cover: the polygons that lie over or under others, as convex slabs.

use glam::Vec3;

use crate::nav::mesh::{NavMesh, PolyId};

/// Smallest height between two floors, metres.
const MIN_STOREY: f32 = 1.5;
/// A floor also counts as cover for positions up to this far beside it, metres.
const MARGIN: f32 = 3.0;

/// Returns the polygons over or under which another floor lies, a margin beside them included, cut into convex pieces
/// of at most four corners. Each hides what is above from what is below and the reverse. Empty on a single floor.
pub fn floor_slabs(mesh: &NavMesh) -> Vec<[Vec3; 4]> {
    let mut slabs = Vec::new();
    for polygon in (0..mesh.len() as u32).map(PolyId).filter(|&p| mesh.is_live(p)) {
        if has_another_floor(mesh, polygon) {
            cut(mesh.corners_of(polygon), &mut slabs);
        }
    }
    slabs
}

fn has_another_floor(mesh: &NavMesh, polygon: PolyId) -> bool {
    let own = mesh.bounds_of(polygon);
    let margin = Vec3::new(MARGIN, 0.0, MARGIN);
    let (low, high) = (own.min - margin, own.max + margin);
    let mut found = false;
    mesh.grid().for_each_in(low, high, |other| {
        let other = mesh.bounds_of(PolyId(other));
        let overlaps = other.min.x < high.x && low.x < other.max.x && other.min.z < high.z && low.z < other.max.z;
        found |= overlaps && (other.min.y >= own.max.y + MIN_STOREY || own.min.y >= other.max.y + MIN_STOREY);
    });
    found
}

/// Cuts a fan from the first corner into pairs of triangles; where their number is odd, the last piece repeats its last
/// corner.
fn cut(corners: &[Vec3], out: &mut Vec<[Vec3; 4]>) {
    let Some((&first, rest)) = corners.split_first() else { return };
    let mut begin = 0;
    while begin + 1 < rest.len() {
        let end = (begin + 2).min(rest.len() - 1);
        out.push([first, rest[begin], rest[begin + 1], rest[end]]);
        begin += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::nav::mesh::{RawMesh, RawPolygon};
    use glam::DVec3;

    #[test]
    fn tp_16_stacked_floors_give_slabs_and_level_ground_none() {
        assert!(floor_slabs(&fixture::courtyard().0).is_empty());
        // A hexagon of radius 4 at the ground, one far aside, and one three metres over the first.
        let mut raw = RawMesh::default();
        for (x, y) in [(0.0, 0.0), (50.0, 0.0), (1.0, 3.0)] {
            let first = raw.vertices.len() as u32;
            let corner = |i: u32| f64::from(i).to_radians() * 60.0;
            raw.vertices.extend((0..6).map(|i| DVec3::new(x + 4.0 * corner(i).cos(), y, 4.0 * corner(i).sin())));
            raw.polygons.push(RawPolygon::new((first..first + 6).collect::<Vec<u32>>()));
        }
        let mesh = raw.validate().unwrap();
        let slabs = floor_slabs(&mesh);
        assert_eq!(slabs.len(), 4, "two pieces of each of two hexagons");
        let area = |s: &[Vec3; 4]| (s[2] - s[0]).cross(s[3] - s[1]).length() * 0.5;
        let hexagon = 1.5 * 3.0_f32.sqrt() * 16.0;
        assert!((slabs.iter().map(area).sum::<f32>() - 2.0 * hexagon).abs() < 1e-3);
        let mut triangle = Vec::new();
        cut(&[Vec3::ZERO, Vec3::Z, Vec3::X], &mut triangle);
        assert_eq!(triangle, [[Vec3::ZERO, Vec3::Z, Vec3::X, Vec3::X]]);
        cut(&[], &mut triangle);
        assert_eq!(triangle.len(), 1);
    }
}
