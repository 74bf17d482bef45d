//! Height detail: triangles over each polygon that follow the ground more closely than its corners (Recast's
//! `rcPolyMeshDetail`).

use crate::math::plan;
use std::ops::Range;

use glam::{DVec3, Vec3};

use super::PolyId;

/// Height detail of a raw mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detail {
    /// Points of the triangles, world space.
    pub points: Vec<DVec3>,
    /// The triangles, contiguous per polygon, each with positive [`plan::cross`].
    pub triangles: Vec<[u32; 3]>,
    /// First triangle of each polygon, then the number of triangles; a polygon without triangles is the fan of its
    /// corners.
    pub starts: Vec<u32>,
}

impl Detail {
    /// The triangles of a polygon.
    pub fn of(&self, polygon: usize) -> &[[u32; 3]] {
        match self.starts.get(polygon..polygon + 2) {
            Some(&[first, end]) => self.triangles.get(first as usize..end as usize).unwrap_or(&[]),
            _ => &[],
        }
    }
}

/// The detail in the mesh's own order and space.
#[derive(Clone, Debug)]
pub(super) struct LocalDetail {
    pub(super) points: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) starts: Vec<u32>,
}

impl LocalDetail {
    /// Height at the xz of `point`: of the triangle there, else of the nearest point on a triangle's edge; `None` for
    /// a polygon without triangles.
    pub(super) fn height_at(&self, id: PolyId, point: Vec3) -> Option<f32> {
        let triangles = &self.triangles[self.range(id)];
        let corners = |t: &[u32; 3]| t.map(|i| self.points[i as usize]);
        for [a, b, c] in triangles.iter().map(corners) {
            let area = plan::cross(a, b, c);
            let (u, v) = (plan::cross(a, point, c) / area, plan::cross(a, b, point) / area);
            if u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
                return Some((f64::from(a.y) + u * f64::from(b.y - a.y) + v * f64::from(c.y - a.y)) as f32);
            }
        }
        let sides = triangles.iter().map(corners).flat_map(|[a, b, c]| [(a, b), (b, c), (c, a)]);
        let nearest = sides.map(|(a, b)| {
            let on = plan::closest_on_segment(a, b, point);
            (plan::distance_squared(on, point), on.y)
        });
        nearest.min_by(|x, y| x.0.total_cmp(&y.0)).map(|n| n.1)
    }

    pub(super) fn range(&self, id: PolyId) -> Range<usize> {
        self.starts[id.index()] as usize..self.starts[id.index() + 1] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::{Filter, MeshError, NavMesh, RawMesh, RawPolygon};
    use crate::nav::query::nearest::{SearchExtents, nearest};

    fn square() -> (RawMesh, Detail) {
        let corners = [(0.0, 0.0), (0.0, 4.0), (4.0, 4.0), (4.0, 0.0)].map(|(x, z)| DVec3::new(x, 0.0, z));
        let raw = RawMesh { vertices: corners.to_vec(), polygons: vec![RawPolygon::new([0, 1, 2, 3])] };
        let mut points = corners.to_vec();
        points.push(DVec3::new(2.0, 1.0, 2.0));
        let mut detail =
            Detail { points, triangles: vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]], starts: vec![0, 4] };
        let local = |i: u32| detail.points[i as usize].as_vec3();
        if plan::cross(local(0), local(1), local(4)) < 0.0 {
            detail.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        }
        (raw, detail)
    }

    #[test]
    fn d_03_heights_come_from_the_detail_or_its_nearest_edge() {
        let (raw, detail) = square();
        let plain = raw.validate().unwrap();
        let mesh = plain.clone().with_detail(&detail).unwrap();
        let at = |m: &NavMesh, x, z| m.height_at(PolyId(0), m.local(DVec3::new(x, 0.0, z)));
        assert!((at(&plain, 2.0, 1.0) - 0.0).abs() < 1e-6);
        for (x, z, y) in
            [(2.0, 2.0, 1.0), (2.0, 1.0, 0.5), (1.0, 1.0, 0.5), (3.5, 2.0, 0.25), (0.0, 0.0, 0.0), (2.0, 5.0, 0.0)]
        {
            assert!((at(&mesh, x, z) - y).abs() < 1e-6, "{x} {z}: {}", at(&mesh, x, z));
        }
        // With one triangle missing, what lay on it is as high as the nearest of the two edges beside.
        let mut torn = detail.clone();
        torn.triangles.remove(1);
        torn.starts = vec![0, 3];
        let torn = plain.clone().with_detail(&torn).unwrap();
        assert!((at(&torn, 2.0, 3.0) - 0.75).abs() < 1e-6 && (at(&torn, 1.0, 3.5) - 0.375).abs() < 1e-6);
        assert_eq!((mesh.detail_of(PolyId(0)).count(), plain.detail_of(PolyId(0)).count()), (4, 0));
    }

    #[test]
    fn another_surface_is_another_mesh() {
        let (raw, mut detail) = square();
        let plain = raw.validate().unwrap();
        let hilly = plain.clone().with_detail(&detail).unwrap();
        assert!(hilly.id() != plain.id() && hilly.clone().id() == hilly.id());
        // Damaged detail changes nothing.
        detail.points[4].x = f64::NAN;
        let mut same = hilly.clone();
        assert!(same.set_detail(&detail).is_err());
        assert_eq!((same.id(), same.bounds().max.y), (hilly.id(), hilly.bounds().max.y));
    }

    #[test]
    fn d_02_d_03_a_hill_is_found_at_its_true_height() {
        let (raw, mut detail) = square();
        detail.points[4].y = 30.0;
        let mesh = raw.validate().unwrap().with_detail(&detail).unwrap();
        let top = mesh.local(DVec3::new(2.0, 30.0, 2.0));
        let found = nearest(&mesh, top, &SearchExtents::default(), &Filter::default()).unwrap();
        assert!(found.over && (found.point.y - top.y).abs() < 1e-5);
        assert_eq!(mesh.bounds().max.y, top.y);
    }

    #[test]
    fn detail_that_does_not_fit_is_refused() {
        let (raw, detail) = square();
        let refused = |change: fn(&mut Detail)| {
            let mut d = detail.clone();
            change(&mut d);
            matches!(raw.validate().unwrap().with_detail(&d), Err(MeshError::Detail { .. }))
        };
        assert!(!refused(|_| {}));
        assert!(refused(|d| d.starts = vec![0, 3]));
        assert!(refused(|d| d.starts = vec![4, 0, 4]));
        assert!(refused(|d| d.triangles[2][1] = 77));
        assert!(refused(|d| d.triangles[2].swap(0, 1)));
        assert!(refused(|d| d.points[4].x = f64::NAN));
        assert!(refused(|d| d.points[4].x = 50.0));
    }
}
