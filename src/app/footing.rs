//! Where on a navigation mesh characters can stand and walk away from: islands that are large enough.

use crate::nav::mesh::{NavMesh, PolyId};
use glam::Vec3;
use std::collections::HashMap;

/// Smallest island that counts, as a part of the largest one's area: tops of walls are no place for characters that walk.
const ISLAND_SHARE: f64 = 0.2;
/// How far from the edge of its polygon a place is moved inwards, metres.
const INWARDS: f32 = 0.5;

/// The islands of a mesh with at least [`ISLAND_SHARE`] of the largest one's area.
pub struct LargeIslands {
    areas_m2: HashMap<u32, f64>,
    least_m2: f64,
}

impl LargeIslands {
    /// Measures the islands, seen from above.
    pub fn of(mesh: &NavMesh) -> Self {
        let mut areas_m2 = HashMap::new();
        for id in mesh.live_polygons() {
            *areas_m2.entry(mesh.polygon(id).island).or_default() += mesh.area_m2(id);
        }
        let least_m2 = ISLAND_SHARE * areas_m2.values().copied().fold(0.0, f64::max);
        Self { areas_m2, least_m2 }
    }

    /// Whether the polygon lies on one of them.
    pub fn hold(&self, mesh: &NavMesh, id: PolyId) -> bool {
        self.areas_m2.get(&mesh.polygon(id).island).is_some_and(|area| *area >= self.least_m2)
    }
}

/// The place on a large island nearest to `place`, world space: itself where it lies there, else one a little inside the nearest
/// polygon. `None` on a mesh without polygons.
pub fn walkable_near(mesh: &NavMesh, place: Vec3) -> Option<Vec3> {
    let islands = LargeIslands::of(mesh);
    let point = mesh.local(place.as_dvec3());
    let on_polygon = |id: PolyId| {
        let on = mesh.clamp_to_poly(id, point);
        (id, on.with_y(mesh.height_at(id, on)))
    };
    let all = mesh.live_polygons().filter(|id| islands.hold(mesh, *id)).map(on_polygon);
    let (id, nearest) = all.min_by(|a, b| a.1.distance_squared(point).total_cmp(&b.1.distance_squared(point)))?;
    if mesh.contains_2d(id, point) {
        return Some(mesh.world(nearest).as_vec3());
    }
    let corners = mesh.corners_of(id);
    let center = corners.iter().sum::<Vec3>() / corners.len() as f32;
    let inwards = nearest.move_towards(center, INWARDS);
    Some(mesh.world(inwards.with_y(mesh.height_at(id, inwards))).as_vec3())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::{RawMesh, RawPolygon};
    use glam::DVec3;

    /// A square of ten metres, and one of a metre on a wall three metres high beside it.
    fn ground_and_wall() -> NavMesh {
        let square = |x: f64, y: f64, side: f64| {
            [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[u, v]| DVec3::new(x + u * side, y, v * side))
        };
        let vertices = [square(0.0, 0.0, 10.0), square(11.0, 3.0, 1.0)].concat();
        let polygons = vec![RawPolygon::new([0, 1, 2, 3]), RawPolygon::new([4, 5, 6, 7])];
        RawMesh { vertices, polygons }.validate().unwrap()
    }

    #[test]
    fn places_move_from_walls_to_the_ground_beside_them() {
        let mesh = ground_and_wall();
        let kept = walkable_near(&mesh, Vec3::new(4.0, 0.1, 7.0)).unwrap();
        assert!(kept.abs_diff_eq(Vec3::new(4.0, 0.0, 7.0), 1e-4), "{kept}");
        let moved = walkable_near(&mesh, Vec3::new(11.5, 3.0, 0.5)).unwrap();
        assert!(moved.y.abs() < 1e-4 && moved.x < 9.8 && moved.x > 9.0 && moved.z > 0.5, "{moved}");
    }
}
