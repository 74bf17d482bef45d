//! The polygons of a file as it lists them, before any border is joined: what the doctor examines.

use foldhash::{HashMap, HashMapExt};

use super::shared_borders::bits;
use crate::nav::mesh::RawMesh;

/// Share of the borders between polygons from which on vertices that lie exactly upon each other are how a file is
/// written: of programs that give each face, or each side of a crease or of a seam of its texture, vertices of its own.
const HABIT: f64 = 0.1;

/// The polygons of a file's parts in one list, with their vertices as they are. Vertices that lie exactly upon each other
/// are one where they belong to different parts, which cannot share any, and all over a file that is written so.
pub(super) fn listed(parts: Vec<RawMesh>) -> Option<RawMesh> {
    let mut parts = parts.into_iter();
    let mut mesh = parts.next()?;
    let mut known = HashMap::new();
    (0..).zip(&mesh.vertices).for_each(|(number, &place)| _ = known.entry(bits(place)).or_insert(number));
    for part in parts {
        append(&mut mesh, part, &mut known);
    }
    let first = first_at_places(&mesh);
    if has_split_vertices(&mesh, &first) {
        mesh.polygons.iter_mut().flat_map(|p| &mut p.vertices).for_each(|v| *v = first[*v as usize]);
    }
    (!mesh.polygons.is_empty()).then_some(mesh)
}

/// Per vertex the first one at its place.
fn first_at_places(mesh: &RawMesh) -> Vec<u32> {
    let mut known = HashMap::with_capacity(mesh.vertices.len());
    (0..).zip(&mesh.vertices).map(|(number, &place)| *known.entry(bits(place)).or_insert(number)).collect()
}

/// Adds a part, whose polygons take the vertices of earlier parts, which are `known` by their places, where these lie
/// exactly upon their own.
fn append(mesh: &mut RawMesh, part: RawMesh, known: &mut HashMap<[u64; 3], u32>) {
    let mut numbers = Vec::with_capacity(part.vertices.len());
    let first = mesh.vertices.len() as u32;
    for &place in &part.vertices {
        numbers.push(known.get(&bits(place)).copied().unwrap_or_else(|| {
            mesh.vertices.push(place);
            mesh.vertices.len() as u32 - 1
        }));
    }
    (first..).zip(&mesh.vertices[first as usize..]).for_each(|(number, &place)| {
        _ = known.entry(bits(place)).or_insert(number);
    });
    mesh.polygons.extend(part.polygons.into_iter().map(|mut polygon| {
        polygon.vertices.iter_mut().for_each(|v| *v = numbers[*v as usize]);
        polygon
    }));
}

/// Whether many of the edges that polygons share by place are not shared by vertices.
fn has_split_vertices(mesh: &RawMesh, first: &[u32]) -> bool {
    // Per edge by its places: its vertices where it was met first, how often it was met, whether always with those.
    let mut edges: HashMap<[u32; 2], ([u32; 2], u32, bool)> = HashMap::new();
    for polygon in &mesh.polygons {
        let ring = &polygon.vertices;
        for (k, &a) in ring.iter().enumerate() {
            let mut ends = [a, ring[(k + 1) % ring.len()]];
            ends.sort_unstable_by_key(|&v| first[v as usize]);
            let known = edges.entry(ends.map(|v| first[v as usize])).or_insert((ends, 0, true));
            known.1 += 1;
            known.2 &= known.0 == ends;
        }
    }
    let shared = edges.values().filter(|(_, count, _)| *count > 1);
    let (split, all) = shared.fold((0, 0), |(split, all), (_, _, is_one)| (split + usize::from(!is_one), all + 1));
    split as f64 > HABIT * f64::from(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::RawPolygon;
    use glam::DVec3;

    /// A row of squares, those in `own` with vertices of their own.
    fn row(count: u32, own: &[u32]) -> RawMesh {
        let at = |x: u32, z: f64| DVec3::new(f64::from(x), 0.0, z);
        let mut mesh = RawMesh::default();
        mesh.vertices.extend((0..=count).flat_map(|x| [at(x, 0.0), at(x, 1.0)]));
        for x in 0..count {
            let mut ring = [2 * x, 2 * x + 2, 2 * x + 3, 2 * x + 1];
            if own.contains(&x) {
                let first = mesh.vertices.len() as u32;
                mesh.vertices.extend(ring.map(|v| mesh.vertices[v as usize]));
                ring = [first, first + 1, first + 2, first + 3];
            }
            mesh.polygons.push(RawPolygon::new(ring));
        }
        mesh
    }

    fn used(mesh: &RawMesh) -> usize {
        let mut all: Vec<u32> = mesh.polygons.iter().flat_map(|p| p.vertices.clone()).collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }

    #[test]
    fn vertices_split_all_over_are_one_and_single_ones_stay() {
        let all: Vec<u32> = (0..40).collect();
        assert_eq!(used(&listed(vec![row(40, &all)]).unwrap()), 82);
        assert_eq!(used(&listed(vec![row(40, &[5])]).unwrap()), 86);
        // Parts have none in common.
        let mut beside = row(40, &[]);
        beside.vertices.iter_mut().for_each(|v| v.z += 1.0);
        assert_eq!(used(&listed(vec![row(40, &[]), beside]).unwrap()), 3 * 41);
        assert_eq!(listed(Vec::new()), None);
    }
}
