//! Queries against Detour's measured answers on meshes of real levels.

use glam::{DVec3, Vec3};
use libtest_mimic::Trial;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use walkabout::nav::mesh::{Filter, NavMesh, PolyId, RawMesh};
use walkabout::nav::query::funnel::{Crossings, straight_path};
use walkabout::nav::query::nearest::{Reach, nearest};
use walkabout::nav::query::path::{Corridor, PathFinder};

#[derive(Deserialize)]
struct Pair {
    start: DVec3,
    end: DVec3,
    start_poly: u32,
    end_poly: u32,
    detour_len3d: f64,
    detour_corridor: Vec<u32>,
}

/// A mesh, moved away from the origin, and its thousand queries.
struct Case {
    mesh: NavMesh,
    pairs: Vec<Pair>,
    offset: DVec3,
}

impl Case {
    fn read(data: &Path, name: &str, offset: f64) -> Self {
        let read = |kind: &str| std::fs::read_to_string(data.join(format!("navmesh/{name}.{kind}.json"))).unwrap();
        let offset = DVec3::splat(offset);
        let mut raw = RawMesh::from_json(&read("mesh")).unwrap();
        raw.translate(offset);
        let pairs: Vec<Pair> = serde_json::from_str(&read("pairs")).unwrap();
        assert_eq!(pairs.len(), 1000);
        Self { mesh: raw.validate().unwrap(), pairs, offset }
    }

    fn place(&self, poly: u32, point: DVec3) -> (PolyId, Vec3) {
        (self.mesh.from_source(poly).unwrap(), self.mesh.local(point + self.offset))
    }
}

fn each_case(data: &Path, mut f: impl FnMut(&str, &Case)) {
    for name in ["nav_test", "de_dust_x5"] {
        for offset in [0.0, -50_000.0] {
            f(&format!("{name}, moved by {offset}"), &Case::read(data, name, offset));
        }
    }
}

fn d_06_d_10_paths_are_detours(data: PathBuf) {
    let (mut finder, mut corridor, mut line) = (PathFinder::new(), Corridor::default(), Vec::new());
    each_case(&data, |name, case| {
        let (mut other, filter) = (0, Filter::default());
        for (i, pair) in case.pairs.iter().enumerate() {
            let (start, end) = (case.place(pair.start_poly, pair.start), case.place(pair.end_poly, pair.end));
            finder.find(&case.mesh, start, end, &filter, &mut corridor).unwrap();
            let polygons: Vec<u32> = corridor.polygons.iter().map(|&p| case.mesh.source(p)).collect();
            other += usize::from(polygons != pair.detour_corridor);
            straight_path(&case.mesh, &corridor, start.1, end.1, Crossings::None, &mut line);
            let length: f64 = line.windows(2).map(|w| f64::from(w[0].point.distance(w[1].point))).sum();
            let error = (length - pair.detour_len3d) / pair.detour_len3d.max(1e-3);
            assert!(error < 1e-4, "{name}, pair {i}: {length} for {}", pair.detour_len3d);
        }
        assert!(other <= 5, "{name}: {other} corridors differ");
    });
}

fn d_02_nearest_finds_the_polygons_that_pairs_stand_on(data: PathBuf) {
    each_case(&data, |name, case| {
        for (i, pair) in case.pairs.iter().enumerate() {
            let (polygon, point) = case.place(pair.start_poly, pair.start);
            let found = nearest(&case.mesh, point, &Reach::default(), &Filter::default()).unwrap();
            // A point on an edge belongs to both sides.
            let touches = case.mesh.edges_of(polygon).iter().any(|e| e.neighbor == found.polygon.0);
            assert!(found.polygon == polygon || touches, "{name}, pair {i}");
            // The pairs' heights come from finer triangles than the polygons.
            let apart = (found.point - point).abs();
            assert!(apart.x + apart.z < 1e-3 && apart.y < 2.5, "{name}, pair {i}: {} for {point}", found.point);
        }
    });
}

/// The trials of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        super::trial("d_06_d_10_paths_are_detours", d_06_d_10_paths_are_detours),
        super::trial(
            "d_02_nearest_finds_the_polygons_that_pairs_stand_on",
            d_02_nearest_finds_the_polygons_that_pairs_stand_on,
        ),
    ]
}
