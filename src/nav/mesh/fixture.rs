//! Small meshes for tests.

use super::{RawMesh, RawPolygon};
use glam::DVec3;

/// Unit squares of a plan, x to the right and z down, at height 0: `#` is none. Every square is cut in two when `cut`.
pub fn plan(rows: &[&str], cut: bool) -> RawMesh {
    let width = rows[0].len() as u32 + 1;
    let mut raw = RawMesh::default();
    for z in 0..=rows.len() {
        raw.vertices.extend((0..width).map(|x| DVec3::new(f64::from(x), 0.0, z as f64)));
    }
    for (z, row) in (0u32..).zip(rows) {
        for (x, _) in (0u32..).zip(row.chars()).filter(|c| c.1 != '#') {
            let v = z * width + x;
            let (ahead, across) = (v + 1, v + width);
            if cut {
                raw.polygons.push(RawPolygon::new([v, ahead, across]));
                raw.polygons.push(RawPolygon::new([ahead, across + 1, across]));
            } else {
                raw.polygons.push(RawPolygon::new([v, ahead, across + 1, across]));
            }
        }
    }
    raw
}
