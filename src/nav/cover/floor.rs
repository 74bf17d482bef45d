//! Floors that hide: the polygons of a mesh that lie over or under others, as slabs.

use glam::Vec3;

use crate::nav::mesh::{NavMesh, PolyId};

/// How far one must stand over another to be on another floor, in metres.
const STOREY: f32 = 1.5;
/// A floor hides who stands this far beside it at its foot, too, in metres.
const BESIDE: f32 = 3.0;

/// The polygons of a mesh over or under which another floor lies, also a little beside them, cut into convex pieces of
/// at most four corners: what is above hides what is below and the other way round. On level ground there are none.
pub fn floors(mesh: &NavMesh) -> Vec<[Vec3; 4]> {
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
    let margin = Vec3::new(BESIDE, 0.0, BESIDE);
    let (low, high) = (own.min - margin, own.max + margin);
    let mut found = false;
    mesh.grid().for_each_in(low, high, |other| {
        let other = mesh.bounds_of(PolyId(other));
        let overlaps = other.min.x < high.x && low.x < other.max.x && other.min.z < high.z && low.z < other.max.z;
        found |= overlaps && (other.min.y >= own.max.y + STOREY || own.min.y >= other.max.y + STOREY);
    });
    found
}

/// A fan from the first corner in pairs of triangles; the last piece of an odd number of them repeats its last corner.
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
    fn tp_16_floors_over_each_other_are_slabs_and_level_ground_is_none() {
        assert!(floors(&fixture::courtyard().0).is_empty());
        // A hexagon of radius 4 at the ground, one far aside, and one three metres over the first.
        let mut raw = RawMesh::default();
        for (x, y) in [(0.0, 0.0), (50.0, 0.0), (1.0, 3.0)] {
            let first = raw.vertices.len() as u32;
            let corner = |i: u32| f64::from(i).to_radians() * 60.0;
            raw.vertices.extend((0..6).map(|i| DVec3::new(x + 4.0 * corner(i).cos(), y, 4.0 * corner(i).sin())));
            raw.polygons.push(RawPolygon::new((first..first + 6).collect::<Vec<u32>>()));
        }
        let mesh = raw.validate().unwrap();
        let slabs = floors(&mesh);
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
