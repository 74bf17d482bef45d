//! Meshes of real levels and a thousand measured queries for each.

use glam::DVec3;
use serde::Deserialize;
use std::path::Path;
use walkabout::nav::mesh::{NavMesh, NavPoint, RawMesh};

/// A query as the file holds it, as far as tests need it.
#[derive(Clone, Debug, Deserialize)]
#[allow(dead_code, reason = "every test that includes it uses a part")]
pub struct Pair {
    pub start: DVec3,
    pub end: DVec3,
    pub start_poly: u32,
    pub end_poly: u32,
    pub detour_len3d: f64,
    pub detour_len2d: f64,
    pub detour_points: Vec<DVec3>,
    pub detour_corridor: Vec<u32>,
    pub ray_t: f32,
    pub ray_polys: u32,
    pub wall_dist: f32,
    pub move_target: DVec3,
    pub move_result: DVec3,
    pub optimum_len2d: f64,
}

/// A mesh, moved away from where its file puts it, and its queries.
pub struct Case {
    pub mesh: NavMesh,
    pub pairs: Vec<Pair>,
    pub offset: DVec3,
}

impl Case {
    /// Reads `navmesh/NAME.*.json` of the shared data.
    pub fn read(data: &Path, name: &str, offset: f64) -> Self {
        let read = |kind: &str| std::fs::read_to_string(data.join(format!("navmesh/{name}.{kind}.json"))).unwrap();
        let offset = DVec3::splat(offset);
        let mut raw = RawMesh::from_json(&read("mesh")).unwrap();
        raw.translate(offset);
        let pairs: Vec<Pair> = serde_json::from_str(&read("pairs")).unwrap();
        assert_eq!(pairs.len(), 1000);
        Self { mesh: raw.validate().unwrap(), pairs, offset }
    }

    /// A place on the moved mesh.
    pub fn place(&self, poly: u32, point: DVec3) -> NavPoint {
        NavPoint::new(self.mesh.from_source(poly).unwrap(), self.mesh.local(point + self.offset))
    }

    /// Where a query begins and ends.
    pub fn ends(&self, pair: &Pair) -> (NavPoint, NavPoint) {
        (self.place(pair.start_poly, pair.start), self.place(pair.end_poly, pair.end))
    }
}
