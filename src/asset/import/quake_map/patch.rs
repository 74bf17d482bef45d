//! Curved surfaces of Quake III: grids of control points, each three by three of which are a biquadratic Bézier patch.

use super::surface::{MapSurface, MapVertex};

/// Edges along the side of a patch of three by three control points.
const STEPS: usize = 4;

/// The control points of a surface, row by row.
pub(super) struct Patch<'a> {
    columns: usize,
    rows: usize,
    points: &'a [MapVertex],
}

impl<'a> Patch<'a> {
    /// `None` where the size is not odd, or not that of the points.
    pub(super) fn of([columns, rows]: [usize; 2], points: &'a [MapVertex]) -> Option<Self> {
        let is_side = |count: usize| count >= 3 && count % 2 == 1;
        let count = columns.checked_mul(rows)?;
        (is_side(columns) && is_side(rows)).then_some(())?;
        Some(Self { columns, rows, points: points.get(..count)? })
    }

    /// Vertices of the whole surface.
    pub(super) fn vertex_count(&self) -> usize {
        let side = |count: usize| count / 2 * STEPS + 1;
        side(self.columns) * side(self.rows)
    }

    /// The vertex at a step of the finer grid.
    fn vertex(&self, column: usize, row: usize) -> MapVertex {
        // The last step ends the last patch.
        let patch_of = |step: usize, count: usize| (step / STEPS).min(count / 2 - 1);
        let [column_patch, row_patch] = [patch_of(column, self.columns), patch_of(row, self.rows)];
        let along = weights(column - column_patch * STEPS);
        let across = weights(row - row_patch * STEPS);
        let mut out = MapVertex::default();
        for (i, across) in across.into_iter().enumerate() {
            for (j, along) in along.into_iter().enumerate() {
                let point = self.points[(row_patch * 2 + i) * self.columns + column_patch * 2 + j];
                let weight = across * along;
                out.position += point.position * weight;
                out.normal += point.normal * weight;
                out.uv += point.uv * weight;
            }
        }
        MapVertex { normal: out.normal.normalize_or_zero(), ..out }
    }
}

/// The weights of three control points at a step from the first to the last: the quadratic Bernstein polynomials.
fn weights(step: usize) -> [f32; 3] {
    let t = step as f32 / STEPS as f32;
    [(1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t]
}

/// Adds the triangles of a curved surface.
pub(super) fn append(patch: &Patch, place: impl Fn(&MapVertex) -> MapVertex, surface: &mut MapSurface) {
    let first = surface.vertices.len() as u32;
    let [columns, rows] = [patch.columns, patch.rows].map(|count| count / 2 * STEPS);
    for row in 0..=rows {
        surface.vertices.extend((0..=columns).map(|column| place(&patch.vertex(column, row))));
    }
    let stride = columns as u32 + 1;
    for row in 0..rows as u32 {
        for column in 0..columns as u32 {
            let a = first + row * stride + column;
            surface.push([a, a + 1, a + stride]);
            surface.push([a + 1, a + stride + 1, a + stride]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Vec2, Vec3};

    /// A quarter of a pipe along x, of radius 2, and flat beyond.
    fn pipe() -> Vec<MapVertex> {
        let profile = [(0.0, 2.0), (2.0, 2.0), (2.0, 0.0), (2.0, -1.0), (2.0, -2.0)];
        let point = |x: f32, (z, y): (f32, f32)| MapVertex {
            position: Vec3::new(x, y, z),
            normal: Vec3::new(0.0, y.max(0.0), z),
            uv: Vec2::new(x, y),
        };
        profile.iter().flat_map(|&at| [0.0, 1.0, 2.0].map(|x| point(x, at))).collect()
    }

    #[test]
    fn curves_pass_through_every_second_point() {
        let points = pipe();
        let patch = Patch::of([3, 5], &points).unwrap();
        assert_eq!(patch.vertex_count(), 5 * 9);
        assert_eq!(patch.vertex(0, 0).position, Vec3::new(0.0, 2.0, 0.0));
        assert_eq!(patch.vertex(2, 4).position, Vec3::new(1.0, 0.0, 2.0));
        assert_eq!(patch.vertex(4, 8).position, Vec3::new(2.0, -2.0, 2.0));
        assert_eq!(patch.vertex(0, 2).position, Vec3::new(0.0, 1.5, 1.5), "between a corner and its chord");
        let mut surface = MapSurface::default();
        append(&patch, |vertex| MapVertex { position: vertex.position + Vec3::X, ..*vertex }, &mut surface);
        assert_eq!((surface.vertices.len(), surface.indices.len()), (45, 4 * 8 * 6));
        assert_eq!(surface.vertices[0].position, Vec3::new(1.0, 2.0, 0.0));
        for corners in surface.indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|i| surface.vertices[corners[i] as usize]);
            let normal = (b.position - a.position).cross(c.position - a.position);
            assert!(normal.dot(a.normal) > 0.0, "{a:?} {b:?} {c:?}");
        }
    }

    #[test]
    fn sizes_have_to_be_odd_and_those_of_the_points() {
        let points = pipe();
        for size in [[3, 4], [1, 15], [3, 7], [0, 0], [usize::MAX, 3]] {
            assert!(Patch::of(size, &points).is_none(), "{size:?}");
        }
    }
}
