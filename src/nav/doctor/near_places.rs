//! Things that are one because places of theirs lie near each other, or because polygons share vertices.

use foldhash::{HashMap, HashMapExt};

use glam::DVec3;

use crate::math::disjoint_sets::DisjointSets;
use crate::nav::mesh::RawMesh;

/// Most places of a cell that a place is compared with.
const MAX_COMPARED: usize = 32;

/// Joins the owners of places that lie within the reach of both owners, which is at most `most` metres.
pub(super) fn join_near(
    places: &[(DVec3, usize)],
    most: f64,
    joined: &mut DisjointSets,
    reach: impl Fn(usize, usize) -> f64,
) {
    let mut cells: HashMap<[i64; 3], Vec<(DVec3, usize)>> = HashMap::new();
    let cell_of = |place: DVec3| (place / most).floor().to_array().map(|v| v as i64);
    for &(place, owner) in places {
        let [x, y, z] = cell_of(place);
        for near in (0..27).map(|k| [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1]) {
            for &(other, there) in cells.get(&near).into_iter().flatten() {
                if place.distance(other) <= reach(owner, there) {
                    joined.join(owner, there);
                }
            }
        }
        let here = cells.entry([x, y, z]).or_default();
        if here.len() < MAX_COMPARED {
            here.push((place, owner));
        }
    }
}

/// The polygons in groups of those that share vertices, directly or over others of the list. Groups and polygons are in
/// the order of the list.
pub(super) fn regions(mesh: &RawMesh, polygons: &[usize]) -> Vec<Vec<usize>> {
    let mut joined = DisjointSets::new(polygons.len());
    let mut owners: HashMap<u32, usize> = HashMap::new();
    for (i, &polygon) in polygons.iter().enumerate() {
        let there = mesh.polygons[polygon].vertices.iter().filter(|&&v| (v as usize) < mesh.vertices.len());
        for &vertex in there {
            joined.join(*owners.entry(vertex).or_insert(i), i);
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    for (i, &polygon) in polygons.iter().enumerate() {
        let number = *numbers.entry(joined.root(i)).or_insert(groups.len());
        if number == groups.len() {
            groups.push(Vec::new());
        }
        groups[number].push(polygon);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::RawPolygon;

    #[test]
    fn what_lies_near_each_other_is_one() {
        let at = |x: f64| DVec3::new(x, 0.0, -3.0);
        let places = [(at(0.0), 0), (at(0.09), 1), (at(-0.05), 2), (at(1.0), 3), (at(1.05), 4)];
        let mut joined = DisjointSets::new(5);
        join_near(&places, 0.1, &mut joined, |a, b| if a.min(b) == 3 { 0.01 } else { 0.1 });
        let roots: Vec<usize> = (0..5).map(|i| joined.root(i)).collect();
        assert!(roots[0] == roots[1] && roots[0] == roots[2] && roots[3] != roots[4] && roots[0] != roots[3]);
    }

    #[test]
    fn polygons_that_share_vertices_are_one_region() {
        let polygons = [[0, 1, 2], [2, 3, 4], [5, 6, 7], [4, 8, 900]].map(RawPolygon::new);
        let mesh = RawMesh { vertices: vec![DVec3::ZERO; 9], polygons: polygons.to_vec() };
        assert_eq!(regions(&mesh, &[0, 1, 2, 3]), [vec![0, 1, 3], vec![2]]);
        assert_eq!(regions(&mesh, &[0, 3]), [vec![0], vec![3]]);
    }
}
