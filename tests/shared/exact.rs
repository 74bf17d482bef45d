//! Exact paths against the measured optimum on meshes of real levels.

use glam::{DVec3, Vec3};
use libtest_mimic::Trial;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use walkabout::nav::mesh::{Filter, NavMesh, PolyId, RawMesh};
use walkabout::nav::query::exact::table::{ExactTable, TableScratch};
use walkabout::nav::query::exact::{Exact, ExactPath};

#[derive(Deserialize)]
struct Pair {
    start: DVec3,
    end: DVec3,
    start_poly: u32,
    end_poly: u32,
    optimum_len2d: f64,
}

/// Start, end and length.
type Query = ((PolyId, Vec3), (PolyId, Vec3), f64);

/// A mesh and its thousand queries, moved away from the origin.
fn moved(data: &Path, name: &str, offset: f64) -> (NavMesh, Vec<Query>) {
    let read = |kind: &str| std::fs::read_to_string(data.join(format!("navmesh/{name}.{kind}.json"))).unwrap();
    let offset = DVec3::splat(offset);
    let mut raw = RawMesh::from_json(&read("mesh")).unwrap();
    raw.translate(offset);
    let mesh = raw.validate().unwrap();
    let pairs: Vec<Pair> = serde_json::from_str(&read("pairs")).unwrap();
    let place = |poly: u32, point: DVec3| (mesh.from_source(poly).unwrap(), mesh.local(point + offset));
    let query = |p: &Pair| (place(p.start_poly, p.start), place(p.end_poly, p.end), p.optimum_len2d);
    let queries = pairs.iter().map(query).collect();
    (mesh, queries)
}

fn lengths_are_the_optimum_wherever_the_mesh_lies(data: PathBuf) {
    let (mut exact, mut scratch, mut path) = (Exact::new(), TableScratch::default(), ExactPath::default());
    for name in ["nav_test", "de_dust_x5"] {
        for offset in [0.0, 5000.0, -5000.0, 50_000.0, -50_000.0] {
            let (mesh, queries) = moved(&data, name, offset);
            assert_eq!(queries.len(), 1000);
            let table = ExactTable::build(&mesh, &Filter::default(), 1 << 24).unwrap();
            for (i, &(start, end, length)) in queries.iter().enumerate() {
                let found = exact.find(&mesh, start, end, &Filter::default(), &mut path);
                assert_eq!(found, Ok(()), "{name}, moved by {offset}, pair {i}");
                let searched = path.length_2d;
                let found = table.find(&mesh, start, end, &mut scratch, &mut path);
                assert_eq!(found, Ok(()), "{name}, moved by {offset}, pair {i} by table");
                for found in [searched, path.length_2d] {
                    let error = (found - length).abs() / length.max(1e-9);
                    assert!(error < 1e-5, "{name}, moved by {offset}, pair {i}: {found} for {length}");
                }
            }
        }
    }
}

/// The trials of this file.
pub fn trials() -> Vec<Trial> {
    vec![super::trial("lengths_are_the_optimum_wherever_the_mesh_lies", lengths_are_the_optimum_wherever_the_mesh_lies)]
}
